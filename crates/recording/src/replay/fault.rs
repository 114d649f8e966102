//! Injects faults into outgoing lines. The same seed gives the same faults.

use std::str::FromStr;
use std::time::Duration;

use attache_rpc::{Id, Message};

/// The faults to inject, and the random numbers that decide.
#[derive(Debug, Clone)]
pub struct FaultInjector {
    faults: Vec<InjectedFault>,
    random: Random,
    sent: u64,
    /// A response that is held back until another message has been sent.
    held: Option<Vec<u8>>,
}

/// How a line is written to the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WireAction {
    Wait(Duration),
    Write(Vec<u8>),
    /// Close the connection at once.
    Crash,
}

#[derive(Debug, Clone)]
struct InjectedFault {
    kind: FaultKind,
    when: FaultTrigger,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultKind {
    Delay(Duration, Duration),
    Fragment(usize),
    Garbage,
    Drop,
    Duplicate,
    Reorder,
    WrongId,
    Oversize(usize),
    Crash,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FaultTrigger {
    Always,
    /// At the message with this number, counted from 1.
    At(u64),
    /// With this probability in percent.
    Percent(u64),
}

/// The text does not describe a fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; use delay=50ms, delay=10ms..80ms, fragment=7, garbage, drop, duplicate, reorder, wrong-id, oversize=20000000 or crash, with @N for message N or :P% for a chance"
)]
pub struct FaultSyntaxError(&'static str);

impl FaultInjector {
    /// Parses faults as `docs/replay.md` describes them. `seed` starts the random numbers.
    ///
    /// # Errors
    ///
    /// When a text does not describe a fault.
    pub fn new<T: AsRef<str>>(texts: &[T], seed: u64) -> Result<FaultInjector, FaultSyntaxError> {
        let faults: Result<Vec<InjectedFault>, FaultSyntaxError> =
            texts.iter().map(|text| text.as_ref().parse()).collect();
        Ok(FaultInjector {
            faults: faults?,
            random: Random(seed),
            sent: 0,
            held: None,
        })
    }

    /// No faults.
    pub fn none() -> FaultInjector {
        FaultInjector {
            faults: Vec::new(),
            random: Random(0),
            sent: 0,
            held: None,
        }
    }

    /// How the next line, given without its line break, is written to the wire.
    pub(super) fn apply(&mut self, line: Vec<u8>) -> Vec<WireAction> {
        self.sent += 1;
        let chosen: Vec<FaultKind> = self.chosen();
        let answer = response_id(&line);
        let held = self.held.take();
        let mut actions = Vec::new();
        let mut lines = vec![line];
        let mut fragment = None;
        for kind in chosen {
            match (kind, &answer) {
                (FaultKind::Delay(least, most), _) => {
                    actions.push(WireAction::Wait(self.random.between(least, most)));
                }
                (FaultKind::Fragment(size), _) => fragment = Some(size),
                (FaultKind::Garbage, _) => lines.insert(0, self.random.garbage()),
                (FaultKind::Oversize(size), _) => lines.insert(0, vec![b'x'; size]),
                (FaultKind::Crash, _) => {
                    let half = lines.pop().unwrap_or_default();
                    actions.push(WireAction::Write(half[..half.len() / 2].to_vec()));
                    actions.push(WireAction::Crash);
                    return actions;
                }
                (FaultKind::Drop, Some(_)) => drop(lines.pop()),
                (FaultKind::Duplicate, Some(_)) => lines.extend(lines.last().cloned()),
                (FaultKind::Reorder, Some(_)) if held.is_none() => self.held = lines.pop(),
                (FaultKind::WrongId, Some(id)) => {
                    let wrong = self.random.wrong_id(id);
                    if let Some(line) = lines.last_mut() {
                        *line = with_id(line, wrong);
                    }
                }
                (
                    FaultKind::Drop
                    | FaultKind::Duplicate
                    | FaultKind::Reorder
                    | FaultKind::WrongId,
                    _,
                ) => {}
            }
        }
        if lines.is_empty() && self.held.is_none() {
            self.held = held;
        } else {
            lines.extend(held);
        }
        actions.extend(lines.into_iter().flat_map(|line| pieces(line, fragment)));
        actions
    }

    /// Whether a response is held back.
    pub(super) fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    /// Takes the response that is still held back.
    pub(super) fn take_held(&mut self) -> Vec<WireAction> {
        let held = self.held.take();
        held.into_iter()
            .flat_map(|line| pieces(line, None))
            .collect()
    }

    fn chosen(&mut self) -> Vec<FaultKind> {
        let mut chosen = Vec::new();
        for fault in &self.faults {
            let happens = match fault.when {
                FaultTrigger::Always => true,
                FaultTrigger::At(number) => number == self.sent,
                FaultTrigger::Percent(percent) => self.random.below(100) < percent,
            };
            if happens {
                chosen.push(fault.kind);
            }
        }
        chosen
    }
}

/// The line and its line break, in pieces of at most `size` bytes.
fn pieces(mut line: Vec<u8>, size: Option<usize>) -> Vec<WireAction> {
    line.push(b'\n');
    match size {
        None => vec![WireAction::Write(line)],
        Some(size) => {
            let pieces = line
                .chunks(size)
                .map(|piece| WireAction::Write(piece.to_vec()));
            let waits = pieces.flat_map(|piece| [piece, WireAction::Wait(FRAGMENT_PAUSE)]);
            waits.collect()
        }
    }
}

fn response_id(line: &[u8]) -> Option<Id> {
    match Message::parse(line) {
        Ok(Message::Response { id, .. } | Message::Failure { id, .. }) => Some(id),
        _ => None,
    }
}

fn with_id(line: &[u8], wrong: Id) -> Vec<u8> {
    let mut out = String::new();
    match Message::parse(line) {
        Ok(Message::Response { result, .. }) => {
            Message::Response { id: wrong, result }.write(&mut out)
        }
        Ok(Message::Failure { error, .. }) => Message::Failure { id: wrong, error }.write(&mut out),
        _ => return line.to_vec(),
    }
    out.into_bytes()
}

/// Pseudo-random numbers: the SplitMix64 generator.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    fn between(&mut self, least: Duration, most: Duration) -> Duration {
        let spread = most.saturating_sub(least).as_micros();
        let spread = u64::try_from(spread).unwrap_or(u64::MAX);
        least + Duration::from_micros(self.below(spread.saturating_add(1)))
    }

    fn garbage(&mut self) -> Vec<u8> {
        let kind = self.below(GARBAGE.len() as u64);
        let kind = usize::try_from(kind).unwrap_or(0);
        GARBAGE[kind].to_vec()
    }

    fn wrong_id(&mut self, id: &Id) -> Id {
        let wrong = Id::from(i64::try_from(self.below(1 << 40)).unwrap_or(0));
        if wrong == *id { Id::null() } else { wrong }
    }
}

impl FromStr for InjectedFault {
    type Err = FaultSyntaxError;

    fn from_str(text: &str) -> Result<InjectedFault, FaultSyntaxError> {
        let (what, when) = match (text.split_once('@'), text.split_once(':')) {
            (Some((what, number)), _) => {
                let number = number.parse().ok().filter(|number| *number > 0);
                let number =
                    number.ok_or(FaultSyntaxError("expected the number of a message after @"))?;
                (what, FaultTrigger::At(number))
            }
            (None, Some((what, chance))) => {
                let percent = chance.strip_suffix('%').and_then(|text| text.parse().ok());
                let percent = percent.filter(|percent| *percent <= 100);
                let percent =
                    percent.ok_or(FaultSyntaxError("expected a chance such as 10% after :"))?;
                (what, FaultTrigger::Percent(percent))
            }
            (None, None) => (text, FaultTrigger::Always),
        };
        let kind = match what.split_once('=') {
            Some(("delay", value)) => {
                let (least, most) = value.split_once("..").unwrap_or((value, value));
                let wrong = FaultSyntaxError("expected a time such as 50ms or 2s");
                let (least, most) = time(least).zip(time(most)).ok_or(wrong)?;
                FaultKind::Delay(least, most)
            }
            Some(("fragment", value)) => FaultKind::Fragment(count(value)?),
            Some(("oversize", value)) => FaultKind::Oversize(count(value)?),
            Some(_) => return Err(FaultSyntaxError("no fault of that name takes a value")),
            None => match what {
                "fragment" => FaultKind::Fragment(1),
                "oversize" => FaultKind::Oversize(OVERSIZE),
                "garbage" => FaultKind::Garbage,
                "drop" => FaultKind::Drop,
                "duplicate" => FaultKind::Duplicate,
                "reorder" => FaultKind::Reorder,
                "wrong-id" => FaultKind::WrongId,
                "crash" => FaultKind::Crash,
                _ => return Err(FaultSyntaxError("unknown fault")),
            },
        };
        Ok(InjectedFault { kind, when })
    }
}

fn count(text: &str) -> Result<usize, FaultSyntaxError> {
    let count = text
        .parse()
        .ok()
        .filter(|count| (1..=MAX_BYTES).contains(count));
    count.ok_or(FaultSyntaxError(
        "expected a number of bytes, at most 1 GiB",
    ))
}

/// A time such as `50ms`, `2s`.
fn time(text: &str) -> Option<Duration> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let number: u64 = number.parse().ok()?;
    match unit {
        "us" => Some(Duration::from_micros(number)),
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        _ => None,
    }
}

const GARBAGE: [&[u8]; 5] = [
    b"Loading model...",
    b"{\"jsonrpc\":\"2.0\",\"method\":",
    b"\xff\xfe\x00\x01",
    b"[1,2",
    b"{\"jsonrpc\":\"1.0\",\"id\":{},\"result\":0}",
];
const FRAGMENT_PAUSE: Duration = Duration::from_micros(200);
const OVERSIZE: usize = 32 << 20;
const MAX_BYTES: usize = 1 << 30;
