//! The notation that defines the protocol: macros that turn a table of members into a type.
//!
//! - `message!`  an object: required members, then `..`, then optional ones; `_meta` is added
//! - `fragment!` the same without `_meta`
//! - `union!`    objects distinguished by a tag; an unknown tag is kept as `Other` with its raw JSON. A payload
//!   converts into its variant, unless it is `shared` with another variant
//! - `open_enum!` a string with known values; an unknown one is kept
//! - `ids!`      opaque strings; `= "word"` adds `unique`, which makes an id that starts with the word
//!
//! The word after a member's name is the function of `attache_rpc::json::field` that reads the member, and decides what
//! happens to an invalid value: `strict` (the default), `lenient`, `nullable`, `items`, `optional_items` or
//! `patch_items`. `shown` means that an optional member is written even when it is empty.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use attache_rpc::json::MaybeUndefined;

use crate::optional::IntoOptional;

macro_rules! serde_bridge {
    ($Name:ident) => {
        impl serde_core::Serialize for $Name {
            fn serialize<S: serde_core::Serializer>(
                &self,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                attache_rpc::json::serialize(self, serializer)
            }
        }

        impl<'de> serde_core::Deserialize<'de> for $Name {
            fn deserialize<D: serde_core::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                attache_rpc::json::deserialize(deserializer)
            }
        }
    };
}

macro_rules! message {
    ($(#[$attr:meta])* pub struct $Name:ident $(or $null:ident)? { $($body:tt)* }) => {
        object! { @read { [$(#[$attr])*] $Name [$($null)?] with_meta } required [] [] [] $($body)* }
    };
}

macro_rules! fragment {
    ($(#[$attr:meta])* pub struct $Name:ident { $($body:tt)* }) => {
        object! { @read { [$(#[$attr])*] $Name [] without_meta } required [] [] [] $($body)* }
    };
}

/// Sorts the members into three lists (required, optional, parts), then writes the type. Each member carries the type
/// that its setter takes, and the function of `crate::macros` that converts it.
macro_rules! object {
    (@read $of:tt required $req:tt $opt:tt $part:tt .. $($rest:tt)*) => {
        object! { @read $of optional $req $opt $part $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt [$($part:tt)*]
        $(#[$doc:meta])* part $field:ident : $type:ty, $($rest:tt)*) => {
        object! { @read $of $mode $req $opt [$($part)* { [$(#[$doc])*] $field ($type) }] $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Option<Vec<$type:ident>> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (Option<Vec<$type>>)
            (items!($type)) some_list $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Option<u32> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part
            { [$(#[$doc])*] $field (Option<u32>) (impl Into<Option<u32>>) plain $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Option<u64> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part
            { [$(#[$doc])*] $field (Option<u64>) (impl Into<Option<u64>>) plain $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Option<$type:ty> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (Option<$type>)
            (impl crate::optional::IntoOptional<$type, M>) optional $wire [$($rule)*] M } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : MaybeUndefined<Vec<$type:ident>> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (MaybeUndefined<Vec<$type>>)
            (items!($type)) value_list $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : MaybeUndefined<$type:ty> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (MaybeUndefined<$type>)
            (impl Into<$type>) value $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Vec<$type:ident> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (Vec<$type>)
            (items!($type)) list $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : BTreeMap<String, $type:ty> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (BTreeMap<String, $type>)
            (impl IntoIterator<Item = (impl Into<String>, impl Into<$type>)>) map $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : u64 = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part
            { [$(#[$doc])*] $field (u64) (u64) plain $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : $type:ty = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part
            { [$(#[$doc])*] $field ($type) (impl Into<$type>) plain $wire [$($rule)*] } $($rest)* }
    };
    (@read { $attrs:tt $Name:ident $null:tt with_meta } $mode:ident $req:tt [$($opt:tt)*] $part:tt) => {
        object! { @write $attrs $Name $null $req
            [$($opt)* {
                [#[doc = "Extension data (`_meta`), kept and passed on unchanged. MUST NOT be assumed to have any particular content.\n\nSee [Extensibility](https://agentclientprotocol.com/protocol/v1/extensibility)."]]
                meta (Option<crate::Meta>) (impl Into<crate::Meta>) some "_meta" [lenient]
            }] $part }
    };
    (@read { $attrs:tt $Name:ident $null:tt without_meta } $mode:ident $req:tt $opt:tt $part:tt) => {
        object! { @write $attrs $Name $null $req $opt $part }
    };

    (@push $of:tt required [$($req:tt)*] $opt:tt $part:tt $member:tt $($rest:tt)*) => {
        object! { @read $of required [$($req)* $member] $opt $part $($rest)* }
    };
    (@push $of:tt optional $req:tt [$($opt:tt)*] $part:tt $member:tt $($rest:tt)*) => {
        object! { @read $of optional $req [$($opt)* $member] $part $($rest)* }
    };

    (@write [$(#[$attr:meta])*] $Name:ident [$($null:ident)?]
        [$({ [$(#[$rdoc:meta])*] $rfield:ident ($rtype:ty) ($rarg:ty) $rbuild:ident $rwire:literal [$($rrule:ident)*] })*]
        [$({ [$(#[$odoc:meta])*] $ofield:ident ($otype:ty) ($oarg:ty) $obuild:ident $owire:literal [$($orule:ident)*] $($ogeneric:ident)? })*]
        [$({ [$(#[$pdoc:meta])*] $pfield:ident ($ptype:ty) })*]
    ) => {
        $(#[$attr])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $Name {
            $($(#[$rdoc])* pub $rfield: $rtype,)*
            $($(#[$pdoc])* pub $pfield: $ptype,)*
            $($(#[$odoc])* pub $ofield: $otype,)*
        }

        impl $Name {
            /// The members' names on the wire.
            #[doc(hidden)]
            pub const MEMBERS: &[&str] = &[$($rwire,)* $($owire,)*];

            /// Makes a value from its required members. Each optional member has a method that sets it.
            pub fn new($($rfield: $rarg,)* $($pfield: impl Into<$ptype>,)*) -> Self {
                Self {
                    $($rfield: crate::macros::$rbuild($rfield),)*
                    $($pfield: $pfield.into(),)*
                    $($ofield: Default::default(),)*
                }
            }

            $(
            #[doc = concat!("Sets `", stringify!($ofield), "`.")]
            #[doc = ""]
            $(#[$odoc])*
            #[must_use]
            pub fn $ofield$(<$ogeneric>)?(mut self, value: $oarg) -> Self {
                self.$ofield = crate::macros::$obuild(value);
                self
            })*
        }

        object! { @default $Name [$($rfield)* $($pfield)*] }

        impl attache_rpc::json::Decode for $Name {
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::DecodeError> {
                $(object! { @null $null reader })?
                let start = reader.mark();
                let more = reader.open_object()?;
                attache_rpc::json::DecodeRest::decode_rest(reader, start, more, None)
            }
        }

        impl attache_rpc::json::DecodeRest for $Name {
            #[allow(unused_variables, unused_mut, reason = "not every object has members of each sort")]
            fn decode_rest(
                reader: &mut attache_rpc::json::Reader<'_>,
                start: attache_rpc::json::Mark,
                mut more: bool,
                read: Option<&'static str>,
            ) -> Result<Self, attache_rpc::json::DecodeError> {
                $(let mut $rfield: Option<$rtype> = None;)*
                $(let mut $ofield = <$otype>::default();)*
                while more {
                    match reader.key()? {
                        $($rwire => $rfield = Some(object! { @field [$($rrule)*] reader $rwire }),)*
                        $($owire => $ofield = object! { @field [$($orule)*] reader $owire },)*
                        name if read == Some(name) => return Err(attache_rpc::json::field::repeated(reader, read)),
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
                // Written out here and in `@field`, because every function in between would move the value once more.
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

        impl attache_rpc::json::Flatten for $Name {}

        impl attache_rpc::json::Encode for $Name {
            fn encode(&self, out: &mut String) {
                attache_rpc::json::write::object(out, self);
            }
        }

        serde_bridge! { $Name }

        #[cfg(test)]
        impl crate::tests::sample::Sample for $Name {
            #[allow(unused_variables, reason = "an object may have no member")]
            fn sample(source: &mut crate::tests::sample::SampleSource<'_>) -> Self {
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
        let owned = [Self::MEMBERS, $(<$type as attache_rpc::json::Flatten>::OWNED,)+].concat();
        $(attache_rpc::json::Flatten::forget(&mut $part, &owned);)+
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

/// The item type that the setter of a list accepts. Item types with common simpler forms accept anything that converts
/// into them. The others keep their type, so that the type of `[]` is known.
macro_rules! items {
    (String) => { impl IntoIterator<Item = impl Into<String>> };
    (FilePath) => { impl IntoIterator<Item = impl Into<FilePath>> };
    (ContentBlock) => { impl IntoIterator<Item = impl Into<ContentBlock>> };
    (AuthMethod) => { impl IntoIterator<Item = impl Into<AuthMethod>> };
    (LlmProtocol) => { impl IntoIterator<Item = impl Into<LlmProtocol>> };
    (ToolCallContent) => { impl IntoIterator<Item = impl Into<ToolCallContent>> };
    ($Item:ident) => { impl IntoIterator<Item = $Item> };
}

/// Capabilities without members of their own: `{}` means supported.
macro_rules! markers {
    ($($(#[$attr:meta])* $Name:ident)*) => {
        $(message! { $(#[$attr])* pub struct $Name {} })*
    };
}

macro_rules! union {
    (
        $(#[$attr:meta])*
        pub enum $Name:ident by $tag:literal {
            $($(#[$doc:meta])* $Variant:ident $(($Payload:ty))? = $value:literal $($shared:ident)?,)*
        }
        $(untagged $(#[$udoc:meta])* $Untagged:ident($UPayload:ty) = $uvalue:literal)?
    ) => {
        $(#[$attr])*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $Name {
            $($(#[$doc])* $Variant $(($Payload))?,)*
            $($(#[$udoc])* $Untagged($UPayload),)?
            /// A variant that this version does not know, with the whole object as received.
            Other(attache_rpc::json::Raw),
        }

        impl $Name {
            /// The value of the tag, as it is in the message.
            pub fn tag(&self) -> std::borrow::Cow<'_, str> {
                match self {
                    $(union! { @pattern $Variant $(($Payload))? } => $value.into(),)*
                    $(Self::$Untagged(_) => $uvalue.into(),)?
                    Self::Other(raw) => raw.string_member($tag).unwrap_or_default().into(),
                }
            }
        }

        impl attache_rpc::json::Decode for $Name {
            fn decode(reader: &mut attache_rpc::json::Reader<'_>) -> Result<Self, attache_rpc::json::DecodeError> {
                let start = reader.mark();
                let object = reader.open_tagged($tag)?;
                match object.tag.as_deref() {
                    $(Some($value) => union! { @decode reader start object $tag $Variant $(($Payload))? },)*
                    $(None | Some($uvalue) => {
                        <$UPayload as attache_rpc::json::DecodeRest>::decode_rest(reader, start, object.more, object.read)
                            .map(Self::$Untagged)
                    })?
                    Some(_) => {
                        reader.reset(start);
                        reader.tag($tag)?;
                        attache_rpc::json::Raw::decode(reader).map(Self::Other)
                    }
                    #[allow(unreachable_patterns, reason = "an untagged variant has matched it")]
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

        impl attache_rpc::json::Flatten for $Name {
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

        $(union! { @from $Name $Variant [$($shared)?] $($Payload)? })*
        $(union! { @from $Name $Untagged [] $UPayload })?

        serde_bridge! { $Name }

        #[cfg(test)]
        impl crate::tests::sample::Sample for $Name {
            fn sample(source: &mut crate::tests::sample::SampleSource<'_>) -> Self {
                type SampleFn = fn(&mut crate::tests::sample::SampleSource<'_>) -> $Name;
                let variants: &[SampleFn] = &[
                    $(union! { @sample $Variant $(($Payload))? },)*
                    $(|source| $Name::$Untagged(crate::tests::sample::Sample::sample(source)),)?
                ];
                source.pick(variants)(source)
            }
        }
    };

    (@from $Name:ident $Variant:ident []) => {};
    (@from $Name:ident $Variant:ident [shared] $Payload:ty) => {};
    (@from $Name:ident $Variant:ident [] $Payload:ty) => {
        impl From<$Payload> for $Name {
            fn from(payload: $Payload) -> Self {
                Self::$Variant(payload)
            }
        }
    };
    (@pattern $Variant:ident) => { Self::$Variant };
    (@pattern $Variant:ident ($Payload:ty)) => { Self::$Variant(_) };
    (@bind $payload:ident $Variant:ident) => { Self::$Variant };
    (@bind $payload:ident $Variant:ident ($Payload:ty)) => { Self::$Variant($payload) };
    (@members $payload:ident $out:ident) => {};
    (@members $payload:ident $out:ident ($Payload:ty)) => { attache_rpc::json::Members::members($payload, $out); };
    (@decode $reader:ident $start:ident $object:ident $tag:literal $Variant:ident) => {{
        $reader.reset($start);
        $reader.tag($tag)?;
        $reader.skip().map(|_| Self::$Variant)
    }};
    (@decode $reader:ident $start:ident $object:ident $tag:literal $Variant:ident ($Payload:ty)) => {
        <$Payload as attache_rpc::json::DecodeRest>::decode_rest($reader, $start, $object.more, $object.read)
            .map(Self::$Variant)
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
        #[non_exhaustive]
        pub enum $Name {
            $($(#[$doc])* $Variant,)*
            /// A value that this version does not know, as received. Values that start with `_` are free for custom
            /// use.
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

macro_rules! ids {
    ($($(#[$attr:meta])* $Name:ident $(= $word:literal)?)*) => {$(
        $(#[$attr])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $Name(std::sync::Arc<str>);

        impl $Name {
            /// The text, as it is in a message.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            $(
            /// Makes an id that no other call returns, in this process or another one. It can be guessed, so it is not
            /// a secret.
            pub fn unique() -> Self {
                crate::macros::unique_id($word).into()
            })?
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

        impl PartialEq<&str> for $Name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl PartialEq<$Name> for str {
            fn eq(&self, other: &$Name) -> bool {
                *self == *other.0
            }
        }

        impl PartialEq<$Name> for &str {
            fn eq(&self, other: &$Name) -> bool {
                **self == *other.0
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

/// A random part for each process, and a number for each id of the process.
pub(crate) fn unique_id(word: &str) -> String {
    static PROCESS: LazyLock<u64> =
        LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{word}-{:016x}-{number}", *PROCESS)
}

// Conversions from the argument of a setter to the member that it sets.

pub(crate) fn plain<T>(value: impl Into<T>) -> T {
    value.into()
}

pub(crate) fn some<T>(value: impl Into<T>) -> Option<T> {
    Some(value.into())
}

pub(crate) fn optional<T, M>(value: impl IntoOptional<T, M>) -> Option<T> {
    value.into_optional()
}

pub(crate) fn value<T>(value: impl Into<T>) -> MaybeUndefined<T> {
    MaybeUndefined::Value(value.into())
}

pub(crate) fn list<T>(items: impl IntoIterator<Item = impl Into<T>>) -> Vec<T> {
    items.into_iter().map(Into::into).collect()
}

pub(crate) fn some_list<T>(items: impl IntoIterator<Item = impl Into<T>>) -> Option<Vec<T>> {
    Some(list(items))
}

pub(crate) fn value_list<T>(
    items: impl IntoIterator<Item = impl Into<T>>,
) -> MaybeUndefined<Vec<T>> {
    MaybeUndefined::Value(list(items))
}

pub(crate) fn map<T>(
    members: impl IntoIterator<Item = (impl Into<String>, impl Into<T>)>,
) -> BTreeMap<String, T> {
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}
