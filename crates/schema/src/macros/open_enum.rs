//! `open_enum!`: strings with known values.

macro_rules! open_enum {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident $(or $Unknown:ident)? {
            $($(#[$doc:meta])* $Variant:ident = $value:literal,)*
        }
        $(default $Default:ident)?
    ) => {
        open_enum! { @write [$(#[$attr])*] $Name [$($Unknown)? Other] [$($(#[$doc])* $Variant = $value,)*] [$($Default)?] }
    };

    (@write [$(#[$attr:meta])*] $Name:ident [$Unknown:ident $($ignored:ident)?]
        [$($(#[$doc:meta])* $Variant:ident = $value:literal,)*] [$($Default:ident)?]) => {
        $(#[$attr])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $Name {
            $($(#[$doc])* $Variant,)*
            /// A value that this version does not know, as received. Values that start with `_` are free for custom use.
            $Unknown(Box<str>),
        }

        impl $Name {
            /// The values that this version knows, as they are in messages.
            pub const KNOWN: &[&str] = &[$($value),*];

            /// The value as it is in a message.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$Variant => $value,)*
                    Self::$Unknown(value) => value,
                }
            }

            /// Whether this version knows the value.
            pub fn is_known(&self) -> bool {
                !matches!(self, Self::$Unknown(_))
            }
        }

        impl From<&str> for $Name {
            fn from(value: &str) -> Self {
                match value {
                    $($value => Self::$Variant,)*
                    other => Self::$Unknown(other.into()),
                }
            }
        }

        impl std::fmt::Display for $Name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl attache_rpc::json::Decode for $Name {
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::DecodeError> {
                reader.text().map(Self::from)
            }
        }

        impl attache_rpc::json::Encode for $Name {
            fn encode(&self, out: &mut String) {
                attache_rpc::json::write::string(out, self.as_str());
            }

            $(fn is_absent(&self) -> bool {
                *self == Self::$Default
            })?
        }

        $(impl Default for $Name {
            fn default() -> Self {
                Self::$Default
            }
        })?

        serde_bridge! { $Name }

        #[cfg(test)]
        impl crate::tests::sample::Sample for $Name {
            fn sample(source: &mut crate::tests::sample::SampleSource<'_>) -> Self {
                Self::from(*source.pick(Self::KNOWN))
            }
        }
    };
}
