//! W3C trace context in `_meta`: the members `traceparent`, `tracestate` and `baggage`.
//!
//! This module reads, writes and passes on the context. It records no traces: a program that does gives the context of
//! its own span to [`TraceContext::scope`].

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use attache_rpc::json::{Encode, Object, Raw};
use attache_schema::Meta;

/// The trace that a request belongs to, as sent in its `_meta`
/// ([W3C trace context](https://www.w3.org/TR/trace-context/)).
///
/// Requests that are sent within [`scope`](Self::scope) carry the context, and so do requests that are sent within
/// [`Reply::run`](crate::Reply::run), if the request that is being handled carried one.
#[derive(Clone, PartialEq, Eq)]
pub struct TraceContext(Arc<ContextMembers>);

#[derive(Clone, PartialEq, Eq)]
struct ContextMembers {
    /// The header of version 00, 55 characters.
    traceparent: String,
    tracestate: Option<String>,
    baggage: Option<String>,
}

/// Why a text is not a valid `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceparentError(&'static str);

tokio::task_local! {
    /// The context of the request that the task handles.
    static CURRENT: Option<TraceContext>;
}

impl TraceContext {
    /// Starts a new trace with random ids. The sampled flag is set, so tools that record traces record this one.
    pub fn generate() -> Self {
        let (one, two, parent) = (random(), random(), random());
        let traceparent = format!("00-{one:016x}{two:016x}-{parent:016x}-01");
        TraceContext::of(traceparent)
    }

    /// Reads a `traceparent`. Of a version later than 00, only the members that version 00 has are kept.
    pub fn parse(traceparent: &str) -> Result<Self, TraceparentError> {
        let fail = |why| Err(TraceparentError(why));
        let bytes = traceparent.as_bytes();
        if bytes.len() < LENGTH {
            return fail("shorter than 55 characters");
        }
        let separators = [2, 35, 52].iter().all(|at| bytes[*at] == b'-');
        let [version, trace_id, parent_id, flags] =
            [0..2, 3..35, 36..52, 53..55].map(|part| &bytes[part]);
        let is_hex = |part: &[u8]| {
            part.iter()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let is_zero = |part: &[u8]| part.iter().all(|byte| *byte == b'0');
        if !separators
            || ![version, trace_id, parent_id, flags]
                .into_iter()
                .all(is_hex)
        {
            return fail("not four groups of lower-case hexadecimal digits");
        }
        match (version, bytes.get(LENGTH)) {
            (b"ff", _) => return fail("version ff"),
            (b"00", Some(_)) => return fail("longer than 55 characters"),
            (_, Some(separator)) if *separator != b'-' => return fail("longer than 55 characters"),
            _ if bytes.len() > LONGEST_TRACEPARENT => return fail("too long"),
            _ => {}
        }
        if is_zero(trace_id) || is_zero(parent_id) {
            return fail("an id is zero");
        }
        let flags = u8::from_str_radix(&traceparent[53..LENGTH], 16).unwrap_or_default();
        let ids = &traceparent[3..52];
        let flags = flags & KNOWN_FLAGS;
        Ok(TraceContext::of(format!("00-{ids}-{flags:02x}")))
    }

    /// The context in the `_meta` of a message. Returns `None` if there is none or its `traceparent` is not valid; a
    /// `tracestate` or `baggage` that is not valid is left out.
    pub fn from_meta(meta: &Meta) -> Option<Self> {
        let meta = Object::parse(meta.as_str()).ok()?;
        let mut members =
            ContextMembers::clone(&TraceContext::parse(&string(&meta, TRACEPARENT)?).ok()?.0);
        let is_list = |text: &String| {
            text.len() <= LONGEST_TRACESTATE && text.split(',').count() <= 32 && is_printable(text)
        };
        members.tracestate = string(&meta, TRACESTATE).filter(is_list);
        members.baggage = string(&meta, BAGGAGE)
            .filter(|text| text.len() <= LONGEST_BAGGAGE && is_printable(text));
        Some(TraceContext(Arc::new(members)))
    }

    /// The context of the request that the current task handles, see [`scope`](Self::scope).
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok().flatten()
    }

    /// The same trace with a new random parent id: the context of a span of this program below the received one.
    #[must_use]
    pub fn child(&self) -> Self {
        let mut members = ContextMembers::clone(&self.0);
        let parent = format!("{:016x}", random());
        members.traceparent.replace_range(36..52, &parent);
        TraceContext(Arc::new(members))
    }

    /// The header `traceparent`, version 00.
    pub fn traceparent(&self) -> &str {
        &self.0.traceparent
    }

    /// The id of the trace: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.0.traceparent[3..35]
    }

    /// The id of the span that sent the request: 16 hexadecimal digits.
    pub fn parent_id(&self) -> &str {
        &self.0.traceparent[36..52]
    }

    /// Whether the sender may have recorded the trace.
    pub fn is_sampled(&self) -> bool {
        self.0.traceparent.ends_with(['1', '3'])
    }

    /// The header `tracestate`: data of tracing systems about this trace, passed on unchanged.
    pub fn tracestate(&self) -> Option<&str> {
        self.0.tracestate.as_deref()
    }

    /// The header `baggage`: names and values of the application, passed on unchanged.
    pub fn baggage(&self) -> Option<&str> {
        self.0.baggage.as_deref()
    }

    /// Returns the `_meta` with this context. A context that it already has is replaced.
    #[must_use]
    pub fn add_to(&self, meta: Meta) -> Meta {
        let meta = meta.without(&[TRACESTATE, BAGGAGE]);
        let add = |meta: Meta, name, value: Option<&str>| match value {
            Some(value) => meta.with(name, Raw::of(value)),
            None => meta,
        };
        let meta = add(meta, TRACEPARENT, Some(self.traceparent()));
        let meta = add(meta, TRACESTATE, self.tracestate());
        add(meta, BAGGAGE, self.baggage())
    }

    /// Awaits a future. Requests that it sends carry this context in `_meta`, except requests whose `_meta` already has
    /// a `traceparent`. A task that the future spawns does not inherit the context; give it a scope of its own.
    pub async fn scope<F: Future>(self, future: F) -> F::Output {
        within(Some(self), future).await
    }

    fn of(traceparent: String) -> Self {
        TraceContext(Arc::new(ContextMembers {
            traceparent,
            tracestate: None,
            baggage: None,
        }))
    }
}

/// Awaits a future in a context, or in none.
pub(crate) async fn within<F: Future>(context: Option<TraceContext>, future: F) -> F::Output {
    CURRENT.scope(context, future).await
}

/// The params of a request with a context in their `_meta`. Params that are not an object, or that have a context, stay
/// as they are.
pub(crate) struct ParamsInContext<'a> {
    /// The params as JSON.
    pub(crate) params: &'a str,
    pub(crate) context: TraceContext,
}

impl Encode for ParamsInContext<'_> {
    fn encode(&self, out: &mut String) {
        match with_context(self.params, &self.context) {
            Some(object) => object.encode(out),
            None => out.push_str(self.params),
        }
    }
}

fn with_context<'a>(params: &'a str, context: &TraceContext) -> Option<Object<'a>> {
    let mut object = Object::parse(params).ok()?;
    let meta: Meta = match object.get(META) {
        Some(meta) => Raw::parse(meta).ok()?.read().ok()?,
        None => Meta::new(),
    };
    if meta.get(TRACEPARENT).is_some() {
        return None;
    }
    object.put(META, &context.add_to(meta));
    Some(object)
}

fn string(meta: &Object<'_>, name: &str) -> Option<String> {
    attache_rpc::json::from_str(meta.get(name)?).ok()
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t'))
}

/// A random number that is not zero. The ids of a trace need not be secret.
fn random() -> u64 {
    RandomState::new().hash_one("trace").max(1)
}

impl fmt::Display for TraceparentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a valid traceparent: {}", self.0)
    }
}

impl std::error::Error for TraceparentError {}

/// Prints the ids only: `baggage` may contain anything.
impl fmt::Debug for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TraceContext")
            .field(&self.0.traceparent)
            .finish()
    }
}

const META: &str = "_meta";
const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";
const BAGGAGE: &str = "baggage";
/// Characters of a `traceparent` of version 00.
const LENGTH: usize = 55;
/// Flags that version 00 defines: sampled, and random trace id.
const KNOWN_FLAGS: u8 = 3;
const LONGEST_TRACEPARENT: usize = 512;
const LONGEST_TRACESTATE: usize = 4096;
const LONGEST_BAGGAGE: usize = 8192;

#[cfg(test)]
mod tests {
    use attache_rpc::json::Raw;
    use attache_schema::Meta;

    use super::{ParamsInContext, TraceContext};

    const VALID: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn meta(text: &str) -> Meta {
        attache_rpc::json::from_str(text).unwrap()
    }

    fn check(text: &str, expected: &str) {
        let read = match TraceContext::parse(text) {
            Ok(context) => context.traceparent().to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(read, expected, "{text}");
    }

    #[test]
    fn a_traceparent_is_read_as_the_recommendation_says() {
        check(VALID, VALID);
        let zero = "0".repeat(16);
        let fails = [
            (String::new(), "shorter than 55 characters"),
            (VALID[..54].to_owned(), "shorter than 55 characters"),
            (format!("{VALID}-00"), "longer than 55 characters"),
            (format!("{VALID}0"), "longer than 55 characters"),
            (VALID.replacen("00", "ff", 1), "version ff"),
            (
                VALID.replacen("00", "0x", 1),
                "not four groups of lower-case hexadecimal digits",
            ),
            (
                VALID.to_uppercase(),
                "not four groups of lower-case hexadecimal digits",
            ),
            (
                VALID.replace('-', "_"),
                "not four groups of lower-case hexadecimal digits",
            ),
            (
                VALID.replace("4bf92f3577b34da6a3ce929d0e0e4736", &zero.repeat(2)),
                "an id is zero",
            ),
            (VALID.replace("00f067aa0ba902b7", &zero), "an id is zero"),
            (format!("01{}x", &VALID[2..]), "longer than 55 characters"),
            (format!("01{}-{}", &VALID[2..], "0".repeat(600)), "too long"),
            (
                VALID.replace("4bf92f", "é4bf9"),
                "not four groups of lower-case hexadecimal digits",
            ),
        ];
        for (text, why) in fails {
            check(&text, &format!("not a valid traceparent: {why}"));
        }
    }

    #[test]
    fn a_later_version_is_read_as_version_00() {
        check(&format!("01{}", &VALID[2..]), VALID);
        check(&format!("cc{}-what-comes-later", &VALID[2..]), VALID);
        check(
            &format!("01{}f", &VALID[2..54]),
            &format!("{}3", &VALID[..54]),
        );
        check(
            &format!("{}ff", &VALID[..53]),
            &format!("{}03", &VALID[..53]),
        );
    }

    #[test]
    fn a_generated_context_is_valid_and_a_child_stays_in_its_trace() {
        let one = TraceContext::generate();
        check(one.traceparent(), one.traceparent());
        assert!(one.is_sampled());
        assert_ne!(one.trace_id(), TraceContext::generate().trace_id());
        let child = one.child();
        check(child.traceparent(), child.traceparent());
        assert_eq!(child.trace_id(), one.trace_id());
        assert_ne!(child.parent_id(), one.parent_id());
    }

    #[test]
    fn only_valid_members_of_meta_are_read() {
        let state = |text: &str| {
            let members =
                format!("{{\"traceparent\":\"{VALID}\",\"tracestate\":{text},\"baggage\":{text}}}");
            let context = TraceContext::from_meta(&meta(&members)).unwrap();
            (
                context.tracestate().map(str::to_owned),
                context.baggage().map(str::to_owned),
            )
        };
        let both = |text: &str| (Some(text.to_owned()), Some(text.to_owned()));
        assert_eq!(state("\"a=1,b=2\""), both("a=1,b=2"));
        assert_eq!(state("1"), (None, None));
        assert_eq!(state("null"), (None, None));
        assert_eq!(state("\"a=\\u001b[2J\""), (None, None));
        assert_eq!(state(&format!("\"{}\"", "a".repeat(9000))), (None, None));
        let many = "a=1,".repeat(40) + "b=1";
        assert_eq!(state(&format!("\"{many}\"")), (None, Some(many)));
        for none in [
            "{}",
            "{\"traceparent\":1}",
            "{\"traceparent\":\"00-\",\"tracestate\":\"a=1\"}",
        ] {
            assert_eq!(TraceContext::from_meta(&meta(none)), None, "{none}");
        }
    }

    #[test]
    fn params_get_the_context_unless_they_have_one() {
        let both = meta(&format!(
            "{{\"traceparent\":\"{VALID}\",\"baggage\":\"k=\\\"v\\\"\"}}"
        ));
        let context = TraceContext::from_meta(&both).unwrap();
        let cases = [
            ("{}", format!("{{\"_meta\":{}}}", both.as_str())),
            (
                r#"{"a":[1],"_meta":{"b":2,"tracestate":"x"}}"#,
                format!("{{\"a\":[1],\"_meta\":{{\"b\":2,{}}}", &both.as_str()[1..]),
            ),
            (
                r#"{"_meta":{"traceparent":"mine"}}"#,
                r#"{"_meta":{"traceparent":"mine"}}"#.to_owned(),
            ),
            (r#"{"_meta":1}"#, r#"{"_meta":1}"#.to_owned()),
            ("[1]", "[1]".to_owned()),
        ];
        for (params, expected) in cases {
            let params = ParamsInContext {
                params,
                context: context.clone(),
            };
            assert_eq!(Raw::of(&params).as_str(), expected);
        }
    }
}
