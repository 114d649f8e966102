//! `union!`: objects distinguished by a tag.

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
