//! How much memory and time a peer's message can cost: never more than a small multiple of its length.
#![allow(
    clippy::print_stdout,
    reason = "with --nocapture the worst factors are shown"
)]

mod counting;
mod shapes;

use std::time::Duration;

use attache_rpc::{Error, Message, json};
use attache_schema::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, ConductorRequest,
    ProtocolLevelNotification, ProxyNotification, ProxyRequest,
};
use attache_schema::method::Method;
use counting::{AllocationStats, measure_allocations};
use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use shapes::{PayloadOf, SHAPES, Shape};

/// Reads a line to the end: the envelope, then the payload by its type, then writes it again.
fn read(line: &[u8], payload_of: PayloadOf) -> Result<usize, Error> {
    let message = Message::parse(line).map_err(|bad| Error::new(bad.code, bad.reason))?;
    match (message, payload_of) {
        (Message::Request { method, params, .. }, _) => call(&method, params),
        (Message::Response { result, .. }, PayloadOf::Result(method)) => {
            let mut named = Method::all().filter(|row| row.name == method);
            let shape = named.find_map(|row| row.result);
            let shape = shape.ok_or_else(|| Error::new(0, "no such method"))?;
            let fault =
                |error: json::DecodeError| Error::new(Error::INVALID_PARAMS, error.to_string());
            shape.check(result).map_err(fault).map(|()| 0)
        }
        _ => Err(Error::new(0, "neither a request nor a result")),
    }
}

fn call(method: &str, params: Option<&str>) -> Result<usize, Error> {
    macro_rules! first {
        ($($Calls:ident)*) => {$(
            match $Calls::decode(method, params) {
                Ok(call) => {
                    let mut out = String::new();
                    call.encode_params(&mut out);
                    return Ok(out.len());
                }
                Err(error) if error.code == Error::METHOD_NOT_FOUND => {}
                Err(error) => return Err(error),
            }
        )*};
    }
    first! {
        ClientRequest ClientNotification AgentRequest AgentNotification
        ConductorRequest ProxyRequest ProxyNotification ProtocolLevelNotification
    }
    Err(Error::new(Error::METHOD_NOT_FOUND, "no such method"))
}

fn line(payload: &str, payload_of: PayloadOf) -> String {
    match payload_of {
        PayloadOf::Params(name) => {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{name}\",\"params\":{payload}}}")
        }
        PayloadOf::Result(_) => format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{payload}}}"),
    }
}

/// Bytes of memory for each byte of the line, beyond what even an empty message may take.
fn factor(line: &str, stats: AllocationStats) -> f64 {
    let beyond = u32::try_from(stats.peak.saturating_sub(FREE)).unwrap_or(u32::MAX);
    f64::from(beyond) / f64::from(u32::try_from(line.len()).unwrap_or(u32::MAX))
}

/// The worst factor of a shape.
fn worst(shape: &Shape) -> f64 {
    let factors = counts().map(|count| {
        let line = line(&shape.of_parts(count), shape.payload_of);
        let (_, stats) = measure_allocations(|| read(line.as_bytes(), shape.payload_of));
        factor(&line, stats)
    });
    factors.fold(0.0, f64::max)
}

/// Few items, and one more than there is room for: lists make room by half of it, other buffers by the whole.
fn counts() -> impl Iterator<Item = usize> {
    let halves = std::iter::successors(Some(4), |room| Some(room + room / 2 + 4));
    let halves = halves.skip_while(|room| *room < 1000).take(4);
    [0, 4, 16, 64, 256, 1024, 2048, 4096]
        .into_iter()
        .chain(halves)
        .map(|room| room + 1)
}

#[test]
fn no_message_takes_more_than_forty_times_its_length() {
    let mut all: Vec<(f64, &str)> = SHAPES
        .iter()
        .map(|shape| (worst(shape), shape.name))
        .collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (factor, name) in &all {
        println!("{factor:6.1}  {name}");
    }
    let over: Vec<_> = all.iter().filter(|(factor, _)| *factor > LIMIT).collect();
    assert!(over.is_empty(), "{over:?}");
}

/// A shape that is rejected at once would prove nothing.
#[test]
fn every_shape_but_the_bad_ones_is_read() {
    let refused = |shape: &&Shape| {
        let line = line(&shape.of_parts(3), shape.payload_of);
        read(line.as_bytes(), shape.payload_of).is_err()
    };
    let names: Vec<_> = SHAPES
        .iter()
        .filter(refused)
        .map(|shape| shape.name)
        .collect();
    assert_eq!(names, [] as [&str; 0]);
}

#[test]
fn four_times_the_length_takes_four_times_the_blocks() {
    for shape in SHAPES {
        let [short, long] = [64 * 1024, 256 * 1024].map(|length| {
            let line = line(&shape.of_bytes(length), shape.payload_of);
            measure_allocations(|| read(line.as_bytes(), shape.payload_of))
                .1
                .blocks
        });
        assert!(
            long <= short * 5 + 16,
            "{}: {short} blocks, then {long}",
            shape.name
        );
    }
}

#[test]
fn a_text_as_long_as_a_message_may_be_is_copied_once() {
    let text = "x".repeat(16 << 20);
    let line = format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{text}"}}}}}}}}"#
    );
    let (read, stats) = measure_allocations(|| match Message::parse(line.as_bytes()) {
        Ok(Message::Notification { method, params }) => AgentNotification::decode(&method, params),
        _ => Err(Error::new(0, "no notification")),
    });
    assert!(read.is_ok(), "{read:?}");
    assert!(stats.peak <= text.len() + FREE, "{stats:?}");
}

/// Time in proportion to length would be 16 times, in proportion to its square 256 times. Three tries, as the machine
/// may be busy with something else.
#[test]
fn sixteen_times_the_length_does_not_take_its_square_in_time() {
    for shape in SHAPES {
        let [short, long] =
            [16 * 1024, 256 * 1024].map(|length| line(&shape.of_bytes(length), shape.payload_of));
        let linear = (0..3).any(|_| {
            let limit = time(&short, shape.payload_of) * 80 + Duration::from_millis(20);
            time(&long, shape.payload_of) < limit
        });
        assert!(linear, "{}", shape.name);
    }
}

/// Processor time of this thread only, so that other load on the machine does not count.
fn time(line: &str, payload_of: PayloadOf) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::try_from(now).unwrap_or_default()
    };
    let start = now();
    drop(read(line.as_bytes(), payload_of));
    now().saturating_sub(start)
}

/// Pieces of messages, in any order.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"\"",
    "{\"type\":\"\"}",
    "\"type\":",
    "\"content\":",
    "\"_meta\":{}",
    "[]",
    "{}",
    "0",
    "null",
    "\"\\n\"",
    "{\"type\":\"text\",\"text\":\"\"}",
    "\"sessionId\":\"\"",
    "\"update\":",
    "\"sessionUpdate\":\"tool_call\"",
    "\"prompt\":",
    "\"options\":",
    "\"sessionUpdate\":\"plan\"",
    "\"entries\":[",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn nor_does_any_text(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..400),
        shape in 0..SHAPES.len(),
    ) {
        let payload_of = SHAPES[shape].payload_of;
        let line = line(&pieces.concat(), payload_of);
        let (_, stats) = measure_allocations(|| read(line.as_bytes(), payload_of));
        prop_assert!(factor(&line, stats) <= LIMIT);
    }

    #[test]
    fn nor_do_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let (read, stats) = measure_allocations(|| Message::parse(&bytes).is_ok());
        prop_assert!(!read);
        prop_assert!(stats.peak <= FREE);
    }

    #[test]
    fn nor_does_a_shape_with_its_parts_changed(
        shape in 0..SHAPES.len(),
        count in 0..200usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
    ) {
        let shape = &SHAPES[shape];
        let mut bytes = line(&shape.of_parts(count), shape.payload_of).into_bytes();
        for (index, byte) in changes {
            let at = index.index(bytes.len());
            bytes[at] = byte;
        }
        let (_, stats) = measure_allocations(|| read(&bytes, shape.payload_of));
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(factor(&text, stats) <= LIMIT);
    }
}

/// Bytes of memory that any message may take, whatever its length.
const FREE: usize = 4096;
/// The most bytes of memory for each byte of a message.
const LIMIT: f64 = 40.0;
