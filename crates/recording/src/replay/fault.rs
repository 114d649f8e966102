//! Faults on the way out: what a line becomes. The same number gives the same faults.

use std::str::FromStr;
use std::time::Duration;

use attache_rpc::{Id, Message};

/// Faults to make, and the chance that decides.
#[derive(Debug, Clone)]
pub struct Faults {
    faults: Vec<Fault>,
    chance: Chance,
    said: u64,
    /// An answer that is held back until something else has been said.
    held: Option<Vec<u8>>,
}

/// What becomes of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    Wait(Duration),
    Write(Vec<u8>),
    /// End at once.
    Crash,
}

#[derive(Debug, Clone)]
struct Fault {
    kind: Kind,
    when: When,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
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
enum When {
    Always,
    /// At the message of that number, counted from 1.
    At(u64),
    /// With so many percent.
    Chance(u64),
}

/// A text that describes no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0}; use delay=50ms, delay=10ms..80ms, fragment=7, garbage, drop, duplicate, reorder, wrong-id, oversize=20000000 or crash, with @N for message N or :P% for a chance"
)]
pub struct BadFault(&'static str);

impl Faults {
    /// Faults that are described as `docs/replay.md` says, decided by that number.
    ///
    /// # Errors
    ///
    /// When a text describes no fault.
    pub fn new<T: AsRef<str>>(texts: &[T], seed: u64) -> Result<Faults, BadFault> {
        let faults: Result<Vec<Fault>, BadFault> =
            texts.iter().map(|text| text.as_ref().parse()).collect();
        Ok(Faults {
            faults: faults?,
            chance: Chance(seed),
            said: 0,
            held: None,
        })
    }

    /// No faults.
    pub fn none() -> Faults {
        Faults {
            faults: Vec::new(),
            chance: Chance(0),
            said: 0,
            held: None,
        }
    }

    /// What becomes of the next line, which is without its line break.
    pub(super) fn apply(&mut self, line: Vec<u8>) -> Vec<Act> {
        self.said += 1;
        let chosen: Vec<Kind> = self.chosen();
        let answer = answered(&line);
        let held = self.held.take();
        let mut acts = Vec::new();
        let mut lines = vec![line];
        let mut fragment = None;
        for kind in chosen {
            match (kind, &answer) {
                (Kind::Delay(least, most), _) => {
                    acts.push(Act::Wait(self.chance.between(least, most)));
                }
                (Kind::Fragment(size), _) => fragment = Some(size),
                (Kind::Garbage, _) => lines.insert(0, self.chance.garbage()),
                (Kind::Oversize(size), _) => lines.insert(0, vec![b'x'; size]),
                (Kind::Crash, _) => {
                    let half = lines.pop().unwrap_or_default();
                    acts.push(Act::Write(half[..half.len() / 2].to_vec()));
                    acts.push(Act::Crash);
                    return acts;
                }
                (Kind::Drop, Some(_)) => drop(lines.pop()),
                (Kind::Duplicate, Some(_)) => lines.extend(lines.last().cloned()),
                (Kind::Reorder, Some(_)) if held.is_none() => self.held = lines.pop(),
                (Kind::WrongId, Some(id)) => {
                    let wrong = self.chance.wrong_id(id);
                    if let Some(line) = lines.last_mut() {
                        *line = with_id(line, wrong);
                    }
                }
                (Kind::Drop | Kind::Duplicate | Kind::Reorder | Kind::WrongId, _) => {}
            }
        }
        if lines.is_empty() && self.held.is_none() {
            self.held = held;
        } else {
            lines.extend(held);
        }
        acts.extend(lines.into_iter().flat_map(|line| pieces(line, fragment)));
        acts
    }

    /// Whether an answer is held back.
    pub(super) fn holds(&self) -> bool {
        self.held.is_some()
    }

    /// What is still held back.
    pub(super) fn rest(&mut self) -> Vec<Act> {
        let held = self.held.take();
        held.into_iter()
            .flat_map(|line| pieces(line, None))
            .collect()
    }

    fn chosen(&mut self) -> Vec<Kind> {
        let mut chosen = Vec::new();
        for fault in &self.faults {
            let happens = match fault.when {
                When::Always => true,
                When::At(number) => number == self.said,
                When::Chance(percent) => self.chance.below(100) < percent,
            };
            if happens {
                chosen.push(fault.kind);
            }
        }
        chosen
    }
}

/// The line and its break, in pieces of at most so many bytes.
fn pieces(mut line: Vec<u8>, size: Option<usize>) -> Vec<Act> {
    line.push(b'\n');
    match size {
        None => vec![Act::Write(line)],
        Some(size) => {
            let pieces = line.chunks(size).map(|piece| Act::Write(piece.to_vec()));
            let waits = pieces.flat_map(|piece| [piece, Act::Wait(BETWEEN)]);
            waits.collect()
        }
    }
}

fn answered(line: &[u8]) -> Option<Id> {
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

/// Numbers that look like chance: the SplitMix64 generator.
#[derive(Debug, Clone)]
struct Chance(u64);

impl Chance {
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

impl FromStr for Fault {
    type Err = BadFault;

    fn from_str(text: &str) -> Result<Fault, BadFault> {
        let (what, when) = match (text.split_once('@'), text.split_once(':')) {
            (Some((what, number)), _) => {
                let number = number.parse().ok().filter(|number| *number > 0);
                let number = number.ok_or(BadFault("expected the number of a message after @"))?;
                (what, When::At(number))
            }
            (None, Some((what, chance))) => {
                let percent = chance.strip_suffix('%').and_then(|text| text.parse().ok());
                let percent = percent.filter(|percent| *percent <= 100);
                let percent = percent.ok_or(BadFault("expected a chance such as 10% after :"))?;
                (what, When::Chance(percent))
            }
            (None, None) => (text, When::Always),
        };
        let kind = match what.split_once('=') {
            Some(("delay", value)) => {
                let (least, most) = value.split_once("..").unwrap_or((value, value));
                let wrong = BadFault("expected a time such as 50ms or 2s");
                let (least, most) = time(least).zip(time(most)).ok_or(wrong)?;
                Kind::Delay(least, most)
            }
            Some(("fragment", value)) => Kind::Fragment(count(value)?),
            Some(("oversize", value)) => Kind::Oversize(count(value)?),
            Some(_) => return Err(BadFault("no fault of that name takes a value")),
            None => match what {
                "fragment" => Kind::Fragment(1),
                "oversize" => Kind::Oversize(OVERSIZE),
                "garbage" => Kind::Garbage,
                "drop" => Kind::Drop,
                "duplicate" => Kind::Duplicate,
                "reorder" => Kind::Reorder,
                "wrong-id" => Kind::WrongId,
                "crash" => Kind::Crash,
                _ => return Err(BadFault("unknown fault")),
            },
        };
        Ok(Fault { kind, when })
    }
}

fn count(text: &str) -> Result<usize, BadFault> {
    let count = text
        .parse()
        .ok()
        .filter(|count| (1..=LARGEST).contains(count));
    count.ok_or(BadFault("expected a number of bytes, at most 1 GiB"))
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
const BETWEEN: Duration = Duration::from_micros(200);
const OVERSIZE: usize = 32 << 20;
const LARGEST: usize = 1 << 30;
