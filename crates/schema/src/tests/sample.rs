//! Values made from bytes: a shorter or smaller input makes a simpler value, so a failing case shrinks.

use std::collections::BTreeMap;

use attache_rpc::Id;
use attache_rpc::json::{MaybeUndefined, Raw, RawObject};

use crate::v1;

/// A type whose values can be generated.
pub(crate) trait Sample: Sized {
    fn sample(source: &mut SampleSource<'_>) -> Self;
}

/// The bytes that determine the value. When they run out, the rest is as simple as possible.
pub(crate) struct SampleSource<'a> {
    bytes: &'a [u8],
}

impl<'a> SampleSource<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        SampleSource { bytes }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&byte, rest)) => {
                self.bytes = rest;
                byte
            }
            None => 0,
        }
    }

    pub(crate) fn word(&mut self) -> u64 {
        let width = self.byte() % 9;
        (0..width).fold(0, |word, _| word << 8 | u64::from(self.byte()))
    }

    pub(crate) fn pick<'v, T>(&mut self, values: &'v [T]) -> &'v T {
        &values[usize::from(self.byte()) % values.len()]
    }

    pub(crate) fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = self.byte() % 4;
        (0..length).map(|_| item(self)).collect()
    }

    pub(crate) fn text(&mut self) -> String {
        let length = self.byte() % 24;
        (0..length).map(|_| self.character()).collect()
    }

    fn character(&mut self) -> char {
        const AWKWARD: &[char] = &[
            '"', '\\', '\n', '\r', '\t', '\0', '\u{1b}', '/', '\u{7f}', 'é', '漢', '🦀',
            '\u{2028}', '\u{feff}',
        ];
        match self.byte() {
            byte @ 0..=199 => char::from(b'a' + byte % 26),
            _ => *self.pick(AWKWARD),
        }
    }

    /// JSON in the form in which every implementation writes it: members sorted, numbers plain.
    fn value(&mut self, depth: u8) -> serde_json::Value {
        match self.byte() % if depth == 0 { 5 } else { 7 } {
            0 => serde_json::Value::Null,
            1 => (self.byte() % 2 == 1).into(),
            2 => i64::from_ne_bytes(self.word().to_ne_bytes()).into(),
            3 => f64::sample(self).into(),
            4 => self.text().into(),
            5 => self.list(|source| source.value(depth - 1)).into(),
            _ => serde_json::Value::Object(self.object(depth - 1)),
        }
    }

    fn object(&mut self, depth: u8) -> serde_json::Map<String, serde_json::Value> {
        self.list(|source| (source.text(), source.value(depth)))
            .into_iter()
            .collect()
    }
}

impl Sample for bool {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        source.byte() % 2 == 1
    }
}

impl Sample for String {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        source.text()
    }
}

macro_rules! sample_integers {
    ($($type:ty)*) => {$(
        impl Sample for $type {
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "any bits will do")]
            fn sample(source: &mut SampleSource<'_>) -> Self {
                source.word() as $type
            }
        }
    )*};
}

sample_integers!(i32 i64 u16 u32 u64);

impl Sample for f64 {
    /// Few digits: `serde_json` reads long fractions with a rounding error.
    fn sample(source: &mut SampleSource<'_>) -> Self {
        f64::from(i32::sample(source)) / 8.0
    }
}

impl<T: Sample> Sample for Option<T> {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        bool::sample(source).then(|| T::sample(source))
    }
}

impl<T: Sample> Sample for MaybeUndefined<T> {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        match source.byte() % 3 {
            0 => MaybeUndefined::Undefined,
            1 => MaybeUndefined::Null,
            _ => MaybeUndefined::Value(T::sample(source)),
        }
    }
}

impl<T: Sample> Sample for Vec<T> {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        source.list(T::sample)
    }
}

impl<T: Sample> Sample for Box<T> {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        Box::new(T::sample(source))
    }
}

impl<T: Sample> Sample for BTreeMap<String, T> {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        source
            .list(|source| (source.text(), T::sample(source)))
            .into_iter()
            .collect()
    }
}

impl Sample for v1::ElicitationProperties {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        let fields: BTreeMap<String, v1::ElicitationPropertySchema> = Sample::sample(source);
        fields.into()
    }
}

impl Sample for Raw {
    /// Never `null`: in the members that hold raw values it means the same as absence.
    fn sample(source: &mut SampleSource<'_>) -> Self {
        match source.value(3) {
            serde_json::Value::Null => Raw::from(serde_json::Value::from(0)),
            value => Raw::from(value),
        }
    }
}

impl Sample for RawObject {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        let object = serde_json::Value::Object(source.object(2));
        Raw::from(object).read().expect("an object")
    }
}

impl Sample for Id {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        match source.byte() % 3 {
            0 => Id::null(),
            1 => Id::from(i64::sample(source)),
            _ => Id::from(&*source.text()),
        }
    }
}

impl Sample for attache_rpc::Error {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        let mut error = attache_rpc::Error::new(i32::sample(source), source.text());
        error.data = Sample::sample(source);
        error
    }
}

impl Sample for v1::ProtocolVersion {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        v1::ProtocolVersion(u16::sample(source))
    }
}

impl Sample for v1::OtherMembers {
    /// A member that the error object of MCP does not define itself.
    fn sample(source: &mut SampleSource<'_>) -> Self {
        let name = format!("x{}", source.text());
        let value = Raw::sample(source);
        Raw::of(&RawObject::new().with(&name, value))
            .read()
            .expect("an object")
    }
}

impl Sample for v1::IdleStop {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        v1::IdleStop(Sample::sample(source))
    }
}

/// Unions without a tag, whose variants differ only in their members.
macro_rules! sample_variants {
    ($($Name:ident [$($Variant:ident)*])*) => {$(
        impl Sample for v1::$Name {
            fn sample(source: &mut SampleSource<'_>) -> Self {
                type SampleFn = fn(&mut SampleSource<'_>) -> v1::$Name;
                let variants: &[SampleFn] = &[$(|source| v1::$Name::$Variant(Sample::sample(source))),*];
                source.pick(variants)(source)
            }
        }
    )*};
}

sample_variants! {
    EmbeddedResourceResource [Text Blob]
    SessionConfigOptionValue [Boolean ValueId]
    AvailableCommandInput [Unstructured]
    ElicitationScope [Session Request]
    ElicitationContentValue [String Integer Number Boolean StringArray]
    MultiSelectItems [String Titled]
}

impl Sample for v1::SessionConfigSelectOptions {
    /// An empty list counts as ungrouped, so empty groups are not generated.
    fn sample(source: &mut SampleSource<'_>) -> Self {
        let groups: Vec<v1::SessionConfigSelectGroup> = Sample::sample(source);
        if groups.is_empty() {
            Self::Ungrouped(Sample::sample(source))
        } else {
            Self::Grouped(groups)
        }
    }
}

impl Sample for v1::MessageMcpResponse {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        if bool::sample(source) {
            Self::Error {
                error: Sample::sample(source),
                meta: Sample::sample(source),
            }
        } else {
            Self::Result {
                result: Sample::sample(source),
                meta: Sample::sample(source),
            }
        }
    }
}

impl Sample for v1::InitializeProxyRequest {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        Self(Sample::sample(source))
    }
}

impl Sample for v1::InitializeProxyResponse {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        Self(Sample::sample(source))
    }
}

impl Sample for v1::ProxySuccessorResponse {
    fn sample(source: &mut SampleSource<'_>) -> Self {
        Self(Sample::sample(source))
    }
}
