//! `serde_bridge!`: serde for one of our types, for programs that use it.

macro_rules! serde_bridge {
    ($Name:ident) => {
        impl serde::Serialize for $Name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                attache_rpc::json::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                attache_rpc::json::deserialize(deserializer)
            }
        }
    };
}
