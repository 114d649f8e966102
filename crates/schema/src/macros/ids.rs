//! `ids!`: opaque strings.

macro_rules! ids {
    ($($(#[$attr:meta])* $Name:ident)*) => {$(
        $(#[$attr])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Name(std::sync::Arc<str>);

        impl $Name {
            /// The text, as it is in a message.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $Name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $Name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl AsRef<str> for $Name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $Name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $Name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl std::fmt::Debug for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.0, f)
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl attache_rpc::json::Decode for $Name {
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::DecodeError> {
                std::sync::Arc::decode(reader).map(Self)
            }
        }

        impl attache_rpc::json::Encode for $Name {
            fn encode(&self, out: &mut String) {
                attache_rpc::json::write::string(out, &self.0);
            }
        }

        serde_bridge! { $Name }

        #[cfg(test)]
        impl crate::tests::sample::Sample for $Name {
            fn sample(source: &mut crate::tests::sample::SampleSource<'_>) -> Self {
                Self::from(source.text())
            }
        }
    )*};
}
