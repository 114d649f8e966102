//! `message!`, `fragment!` and `markers!`: objects.

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
/// that its setter takes, and the function of `crate::build` that converts it.
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
            { [$(#[$doc])*] $field (Option<u32>) (u32) some $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Option<u64> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part
            { [$(#[$doc])*] $field (Option<u64>) (u64) some $wire [$($rule)*] } $($rest)* }
    };
    (@read $of:tt $mode:ident $req:tt $opt:tt $part:tt
        $(#[$doc:meta])* $field:ident : Option<$type:ty> = $wire:literal $($rule:ident)*, $($rest:tt)*) => {
        object! { @push $of $mode $req $opt $part { [$(#[$doc])*] $field (Option<$type>)
            (impl Into<$type>) some $wire [$($rule)*] } $($rest)* }
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
        [$({ [$(#[$odoc:meta])*] $ofield:ident ($otype:ty) ($oarg:ty) $obuild:ident $owire:literal [$($orule:ident)*] })*]
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
            #[doc(hidden)]
            pub const MEMBERS: &[&str] = &[$($rwire,)* $($owire,)*];

            /// Makes a value from its required members. Each optional member has a method that sets it.
            pub fn new($($rfield: $rarg,)* $($pfield: impl Into<$ptype>,)*) -> Self {
                Self {
                    $($rfield: crate::build::$rbuild($rfield),)*
                    $($pfield: $pfield.into(),)*
                    $($ofield: Default::default(),)*
                }
            }

            $(
            #[doc = concat!("Sets `", stringify!($ofield), "`.")]
            #[doc = ""]
            $(#[$odoc])*
            #[must_use]
            pub fn $ofield(mut self, value: $oarg) -> Self {
                self.$ofield = crate::build::$obuild(value);
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

/// What the setter of a list takes. Items that are often given as something simpler are converted. The others keep
/// their type, so that `[]` has one.
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
