//! The notation in which the protocol is written down: the macros that turn a table of members into a type.
//!
//! - `message!`  an object; required members first, then `..`, then optional ones, and `_meta` by itself
//! - `fragment!` the same without `_meta`
//! - `union!`    objects told apart by a tag; an unknown tag is kept as `Other` with its raw JSON
//! - `open_enum!` a string with known values; an unknown one is kept
//! - `ids!`      opaque strings
//!
//! Behind a member's wire name stands how it is read when it does not fit, a function of `attache_rpc::json::field`:
//! `strict` (what is not said otherwise), `lenient`, `nullable`, `items`, `optional_items`, `patch_items`. `shown`
//! says that an optional member is written even when it is empty.

macro_rules! message {
    ($(#[$attr:meta])* pub struct $Name:ident $(or $null:ident)? { $($body:tt)* }) => {
        object! { @read [$(#[$attr])*] $Name [$($null)?] [with_meta] [required] [] [] [] $($body)* }
    };
}

macro_rules! fragment {
    ($(#[$attr:meta])* pub struct $Name:ident { $($body:tt)* }) => {
        object! { @read [$(#[$attr])*] $Name [] [] [required] [] [] [] $($body)* }
    };
}

/// Reads the members one by one into three lists (required, optional, parts), then writes the type.
macro_rules! object {
    (@read $attrs:tt $Name:ident $null:tt $meta:tt [required] $req:tt $opt:tt $part:tt .. $($rest:tt)*) => {
        object! { @read $attrs $Name $null $meta [optional] $req $opt $part $($rest)* }
    };
    (@read $attrs:tt $Name:ident $null:tt $meta:tt $mode:tt $req:tt $opt:tt [$($part:tt)*]
        $(#[$doc:meta])* part $field:ident : $type:ty, $($rest:tt)*) => {
        object! { @read $attrs $Name $null $meta $mode $req $opt
            [$($part)* { [$(#[$doc])*] $field ($type) }] $($rest)* }
    };
    (@read $attrs:tt $Name:ident $null:tt $meta:tt [required] [$($req:tt)*] $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : $type:ty = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @read $attrs $Name $null $meta [required]
            [$($req)* { [$(#[$doc])*] $field ($type) $wire [$($rule)*] }] $opt $part $($rest)* }
    };
    (@read $attrs:tt $Name:ident $null:tt $meta:tt [optional] $req:tt [$($opt:tt)*] $part:tt
        $(#[$doc:meta])* $field:ident : Option<$type:ty> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @read $attrs $Name $null $meta [optional] $req
            [$($opt)* { [$(#[$doc])*] $field (Option<$type>) ($type) (Some) $wire [$($rule)*] }] $part $($rest)* }
    };
    (@read $attrs:tt $Name:ident $null:tt $meta:tt [optional] $req:tt [$($opt:tt)*] $part:tt
        $(#[$doc:meta])* $field:ident : Maybe<$type:ty> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @read $attrs $Name $null $meta [optional] $req
            [$($opt)* { [$(#[$doc])*] $field (Maybe<$type>) ($type) (Maybe::Value) $wire [$($rule)*] }] $part $($rest)* }
    };
    (@read $attrs:tt $Name:ident $null:tt $meta:tt [optional] $req:tt [$($opt:tt)*] $part:tt
        $(#[$doc:meta])* $field:ident : $type:ty = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @read $attrs $Name $null $meta [optional] $req
            [$($opt)* { [$(#[$doc])*] $field ($type) ($type) (std::convert::identity) $wire [$($rule)*] }] $part $($rest)* }
    };
    (@read $attrs:tt $Name:ident $null:tt [with_meta] $mode:tt $req:tt [$($opt:tt)*] $part:tt) => {
        object! { @write $attrs $Name $null $req
            [$($opt)* {
                [#[doc = "Extension data (`_meta`): kept and passed on as it is."]]
                meta (Option<crate::Meta>) (crate::Meta) (Some) "_meta" [lenient]
            }] $part }
    };
    (@read $attrs:tt $Name:ident $null:tt [] $mode:tt $req:tt $opt:tt $part:tt) => {
        object! { @write $attrs $Name $null $req $opt $part }
    };

    (@write [$(#[$attr:meta])*] $Name:ident [$($null:ident)?]
        [$({ [$(#[$rdoc:meta])*] $rfield:ident ($rtype:ty) $rwire:literal [$($rrule:ident)*] })*]
        [$({ [$(#[$odoc:meta])*] $ofield:ident ($otype:ty) ($oinner:ty) ($owrap:expr) $owire:literal [$($orule:ident)*] })*]
        [$({ [$(#[$pdoc:meta])*] $pfield:ident ($ptype:ty) })*]
    ) => {
        $(#[$attr])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $Name {
            $($(#[$rdoc])* pub $rfield: $rtype,)*
            $($(#[$pdoc])* pub $pfield: $ptype,)*
            $($(#[$odoc])* pub $ofield: $otype,)*
        }

        impl $Name {
            /// The members' names on the wire.
            pub const MEMBERS: &[&str] = &[$($rwire,)* $($owire,)*];

            /// A value with its required members; the others can be added behind it.
            pub fn new($($rfield: impl Into<$rtype>,)* $($pfield: impl Into<$ptype>,)*) -> Self {
                Self {
                    $($rfield: $rfield.into(),)*
                    $($pfield: $pfield.into(),)*
                    $($ofield: Default::default(),)*
                }
            }

            $($(#[$odoc])*
            #[must_use]
            pub fn $ofield(mut self, value: impl Into<$oinner>) -> Self {
                self.$ofield = $owrap(value.into());
                self
            })*
        }

        object! { @default $Name [$($rfield)* $($pfield)*] }

        impl attache_rpc::json::Decode for $Name {
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::Error> {
                $(object! { @null $null reader })?
                let start = reader.mark();
                let more = reader.open_object()?;
                attache_rpc::json::DecodeRest::decode_rest(reader, start, more)
            }
        }

        impl attache_rpc::json::DecodeRest for $Name {
            #[allow(unused_variables, unused_mut, reason = "not every object has members of each sort")]
            fn decode_rest(
                reader: &mut attache_rpc::json::Reader<'_>,
                start: attache_rpc::json::Mark,
                mut more: bool,
            ) -> Result<Self, attache_rpc::json::Error> {
                $(let mut $rfield: Option<$rtype> = None;)*
                $(let mut $ofield = <$otype>::default();)*
                while more {
                    match reader.key()? {
                        $($rwire => $rfield = Some(object! { @field [$($rrule)*] reader $rwire }),)*
                        $($owire => $ofield = object! { @field [$($orule)*] reader $owire },)*
                        _ => {
                            reader.skip()?;
                        }
                    }
                    more = reader.more_members()?;
                }
                $(
                    reader.reset(start);
                    let mut $pfield = <$ptype as attache_rpc::json::Decode>::decode(reader)?;
                )*
                object! { @forget [$($pfield)*] [$($ptype,)*] }
                // Spelled out here and in `@field`: each call in between would move the value once more.
                $(let Some($rfield) = $rfield else {
                    return Err(attache_rpc::json::field::missing(reader, $rwire));
                };)*
                Ok(Self { $($rfield,)* $($pfield,)* $($ofield,)* })
            }
        }

        impl attache_rpc::json::Members for $Name {
            #[allow(unused_variables, reason = "an object may have no member")]
            fn members(&self, out: &mut String) {
                $(
                    attache_rpc::json::write::key(out, concat!("\"", $rwire, "\":"));
                    attache_rpc::json::Encode::encode(&self.$rfield, out);
                )*
                $(attache_rpc::json::Members::members(&self.$pfield, out);)*
                $(if object! { @shown [$($orule)*] &self.$ofield } {
                    attache_rpc::json::write::key(out, concat!("\"", $owire, "\":"));
                    attache_rpc::json::Encode::encode(&self.$ofield, out);
                })*
            }
        }

        impl attache_rpc::json::Part for $Name {}

        impl attache_rpc::json::Encode for $Name {
            fn encode(&self, out: &mut String) {
                attache_rpc::json::write::object(out, self);
            }
        }

        serde_bridge! { $Name }

        #[cfg(test)]
        impl crate::tests::sample::Sample for $Name {
            #[allow(unused_variables, reason = "an object may have no member")]
            fn sample(source: &mut crate::tests::sample::Source<'_>) -> Self {
                Self {
                    $($rfield: crate::tests::sample::Sample::sample(source),)*
                    $($pfield: crate::tests::sample::Sample::sample(source),)*
                    $($ofield: crate::tests::sample::Sample::sample(source),)*
                }
            }
        }
    };

    (@default $Name:ident []) => {
        impl Default for $Name {
            fn default() -> Self {
                Self::new()
            }
        }
    };
    (@default $Name:ident [$($field:ident)+]) => {};

    (@null null $reader:ident) => {
        if $reader.null()? {
            return Ok(Self::default());
        }
    };

    (@forget [] []) => {};
    (@forget [$($part:ident)+] [$($type:ty,)+]) => {
        let owned = [Self::MEMBERS, $(<$type as attache_rpc::json::Part>::OWNED,)+].concat();
        $(attache_rpc::json::Part::forget(&mut $part, &owned);)+
    };

    (@shown [shown] $value:expr) => { true };
    (@shown [$rule:ident shown] $value:expr) => { true };
    (@shown [$($rule:ident)?] $value:expr) => { !attache_rpc::json::Encode::is_absent($value) };

    (@field [shown] $reader:ident $wire:literal) => { object! { @field [] $reader $wire } };
    (@field [$rule:ident shown] $reader:ident $wire:literal) => { object! { @field [$rule] $reader $wire } };
    (@field [] $reader:ident $wire:literal) => {
        match attache_rpc::json::Decode::decode($reader) {
            Ok(value) => value,
            Err(error) => return Err(error.within($wire)),
        }
    };
    (@field [$rule:ident] $reader:ident $wire:literal) => { attache_rpc::json::field::$rule($reader, $wire)? };
}

macro_rules! union {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident by $tag:literal {
            $($(#[$doc:meta])* $Variant:ident $(($Payload:ty))? = $value:literal,)*
        }
        $(untagged $(#[$udoc:meta])* $Untagged:ident($UPayload:ty) = $uvalue:literal)?
    ) => {
        $(#[$attr])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $Name {
            $($(#[$doc])* $Variant $(($Payload))?,)*
            $($(#[$udoc])* $Untagged($UPayload),)?
            /// A kind that this version does not know: the whole object, as it came.
            Other(attache_rpc::json::Raw),
        }

        impl $Name {
            /// The tag's value, as it stands on the wire.
            pub fn tag(&self) -> std::borrow::Cow<'_, str> {
                match self {
                    $(union! { @pattern $Variant $(($Payload))? } => $value.into(),)*
                    $(Self::$Untagged(_) => $uvalue.into(),)?
                    Self::Other(raw) => raw.string_member($tag).unwrap_or_default().into(),
                }
            }
        }

        impl attache_rpc::json::Decode for $Name {
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::Error> {
                let start = reader.mark();
                let (tag, more) = reader.open_tagged($tag)?;
                match tag.as_deref() {
                    $(Some($value) => union! { @decode reader start more $Variant $(($Payload))? },)*
                    $(None | Some($uvalue) => {
                        <$UPayload as attache_rpc::json::DecodeRest>::decode_rest(reader, start, more).map(Self::$Untagged)
                    })?
                    Some(_) => {
                        reader.reset(start);
                        attache_rpc::json::Raw::decode(reader).map(Self::Other)
                    }
                    #[allow(unreachable_patterns, reason = "an untagged variant has taken it")]
                    None => Err(reader.error(attache_rpc::json::Problem::Missing).within($tag)),
                }
            }
        }

        impl attache_rpc::json::Members for $Name {
            fn members(&self, out: &mut String) {
                match self {
                    $(union! { @bind payload $Variant $(($Payload))? } => {
                        attache_rpc::json::write::key(out, concat!("\"", $tag, "\":\"", $value, "\""));
                        union! { @members payload out $(($Payload))? }
                    })*
                    $(Self::$Untagged(payload) => attache_rpc::json::Members::members(payload, out),)?
                    Self::Other(raw) => attache_rpc::json::Members::members(raw, out),
                }
            }
        }

        impl attache_rpc::json::Part for $Name {
            fn forget(&mut self, names: &[&str]) {
                if let Self::Other(raw) = self {
                    *raw = raw.without(names);
                }
            }
        }

        impl attache_rpc::json::Encode for $Name {
            fn encode(&self, out: &mut String) {
                match self {
                    Self::Other(raw) => raw.encode(out),
                    known => attache_rpc::json::write::object(out, known),
                }
            }
        }

        serde_bridge! { $Name }

        #[cfg(test)]
        impl crate::tests::sample::Sample for $Name {
            fn sample(source: &mut crate::tests::sample::Source<'_>) -> Self {
                type Make = fn(&mut crate::tests::sample::Source<'_>) -> $Name;
                let variants: &[Make] = &[
                    $(union! { @sample $Variant $(($Payload))? },)*
                    $(|source| $Name::$Untagged(crate::tests::sample::Sample::sample(source)),)?
                ];
                source.pick(variants)(source)
            }
        }
    };

    (@pattern $Variant:ident) => { Self::$Variant };
    (@pattern $Variant:ident ($Payload:ty)) => { Self::$Variant(_) };
    (@bind $payload:ident $Variant:ident) => { Self::$Variant };
    (@bind $payload:ident $Variant:ident ($Payload:ty)) => { Self::$Variant($payload) };
    (@members $payload:ident $out:ident) => {};
    (@members $payload:ident $out:ident ($Payload:ty)) => { attache_rpc::json::Members::members($payload, $out); };
    (@decode $reader:ident $start:ident $more:ident $Variant:ident) => {{
        $reader.reset($start);
        $reader.skip().map(|_| Self::$Variant)
    }};
    (@decode $reader:ident $start:ident $more:ident $Variant:ident ($Payload:ty)) => {
        <$Payload as attache_rpc::json::DecodeRest>::decode_rest($reader, $start, $more).map(Self::$Variant)
    };
    (@sample $Variant:ident) => { |_| Self::$Variant };
    (@sample $Variant:ident ($Payload:ty)) => { |source| Self::$Variant(crate::tests::sample::Sample::sample(source)) };
}

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
            /// A value that this version does not know, as it came.
            $Unknown(Box<str>),
        }

        impl $Name {
            /// The values this version knows, as they stand on the wire.
            pub const KNOWN: &[&str] = &[$($value),*];

            /// The value as it stands on the wire.
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
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::Error> {
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
            fn sample(source: &mut crate::tests::sample::Source<'_>) -> Self {
                Self::from(*source.pick(Self::KNOWN))
            }
        }
    };
}

macro_rules! ids {
    ($($(#[$attr:meta])* $Name:ident)*) => {$(
        $(#[$attr])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Name(std::sync::Arc<str>);

        impl $Name {
            /// The text, as it stands on the wire.
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
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::Error> {
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
            fn sample(source: &mut crate::tests::sample::Source<'_>) -> Self {
                Self::from(source.text())
            }
        }
    )*};
}

/// Capabilities that say nothing but that they are there: `{}`.
macro_rules! markers {
    ($($(#[$attr:meta])* $Name:ident)*) => {
        $(message! { $(#[$attr])* pub struct $Name {} })*
    };
}

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
