//! What is said next, and what is waited for.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead};
use std::time::Duration;

use attache_rpc::json::Raw;
use attache_rpc::{Error, Id, Message, write_failure};
use attache_testkit::{Side, WireMessage};

use super::super::{Records, What};
use super::likeness::{Names, alike};

/// One side of a recording, as far as it has been played.
#[derive(Debug)]
pub struct Player {
    side: Side,
    lines: Vec<Line>,
    at: usize,
    /// Answers whose turn was over when their question came.
    late: VecDeque<usize>,
    names: Names,
    /// The ids of the peer's requests in this run, by their place.
    ids: HashMap<usize, Id>,
    unknown: Vec<String>,
}

#[derive(Debug)]
struct Line {
    from: Side,
    gap: Duration,
    heard: WireMessage,
    bytes: Vec<u8>,
    /// For an answer, the place of its request; for a request, that of its answer.
    partner: Option<usize>,
    done: bool,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Say this line, so long after the one before.
    Say(Vec<u8>, Duration),
    /// Wait: without it nothing can go on. The text names what is waited for.
    Await(String),
    /// Wait a moment: it may come.
    Expect,
    /// Everything has been said.
    Over,
}

impl Player {
    /// Reads a recording, to play a side of it.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is too large to be held.
    pub fn load<R: BufRead>(records: &mut Records<R>, side: Side) -> io::Result<Player> {
        let mut lines: Vec<Line> = Vec::new();
        let (mut last, mut size) = (None, 0);
        for record in records {
            let record = record?;
            let (from, heard, bytes) = match record.what {
                What::Said(stream, said) => match stream.side() {
                    Some(from) => (from, WireMessage::read(&said.bytes), said.bytes),
                    None => continue,
                },
                What::Closed(stream) => match stream.side() {
                    Some(from) => (from, WireMessage::Closed, Vec::new()),
                    None => continue,
                },
                What::Header(_) | What::Lost(..) | What::End(_) => continue,
            };
            size += bytes.len();
            if size > MOST {
                let why = "the recording is too large to replay: more than 256 MiB of messages";
                return Err(io::Error::other(why));
            }
            let gap = record.at.saturating_sub(last.unwrap_or(record.at));
            last = Some(record.at);
            lines.push(Line {
                from,
                gap: Duration::from_micros(gap),
                heard,
                bytes,
                partner: None,
                done: false,
            });
        }
        pair(&mut lines);
        Ok(Player {
            side,
            lines,
            at: 0,
            late: VecDeque::new(),
            names: Names::default(),
            ids: HashMap::new(),
            unknown: Vec::new(),
        })
    }

    /// How many lines our side has in the recording.
    pub fn parts(&self) -> usize {
        let ours = self.lines.iter().filter(|line| line.from == self.side);
        ours.filter(|line| line.heard != WireMessage::Closed)
            .count()
    }

    /// Whether our side ended first in the recording.
    pub fn closes_first(&self) -> bool {
        let mut ends = self
            .lines
            .iter()
            .filter(|line| line.heard == WireMessage::Closed);
        ends.next().is_some_and(|line| line.from == self.side)
    }

    /// Methods that the peer called and the recording does not have, each once.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// The next step. It stays the same until something is said, heard or skipped.
    pub fn next_step(&mut self) -> Step {
        while let Some(place) = self.late.pop_front() {
            if let Some(line) = self.written(place) {
                return Step::Say(line, Duration::ZERO);
            }
        }
        while let Some(line) = self.lines.get(self.at) {
            if line.from != self.side {
                match self.awaited() {
                    Some(step) => return step,
                    None => self.at += 1,
                }
                continue;
            }
            let (place, gap) = (self.at, line.gap);
            self.at += 1;
            if self.lines[place].heard == WireMessage::Closed {
                continue;
            }
            if let Some(line) = self.written(place) {
                return Step::Say(line, gap);
            }
        }
        Step::Over
    }

    /// What the line at our place waits for, if anything.
    fn awaited(&self) -> Option<Step> {
        let line = &self.lines[self.at];
        if line.done {
            return None;
        }
        match &line.heard {
            WireMessage::Request(_, method, _) => Some(Step::Await(method.clone())),
            WireMessage::Notification(..) => Some(Step::Expect),
            WireMessage::Response(..) | WireMessage::Failure(..) => {
                let asked = line.partner.map(|place| &self.lines[place].heard);
                match asked {
                    Some(WireMessage::Request(_, method, _)) => {
                        Some(Step::Await(format!("an answer to {method}")))
                    }
                    _ => None,
                }
            }
            WireMessage::Raw(_) | WireMessage::Closed => None,
        }
    }

    /// Gives up what is waited for.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// Takes a line of the peer; what is to be answered at once, if the recording does not say.
    pub fn hear(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        match WireMessage::read(line) {
            WireMessage::Request(id, method, params) => self.asked(id, &method, params.as_deref()),
            WireMessage::Notification(method, params) => {
                if let Some(place) = self.find(&method, params.as_deref(), Sort::Notification) {
                    self.matched(place, params.as_deref());
                }
                None
            }
            WireMessage::Response(id, payload) | WireMessage::Failure(id, payload) => {
                self.answered(&id, &payload);
                None
            }
            WireMessage::Raw(_) | WireMessage::Closed => None,
        }
    }

    fn asked(&mut self, id: Id, method: &str, params: Option<&str>) -> Option<Vec<u8>> {
        let Some(place) = self.find(method, params, Sort::Request) else {
            if self.unknown.len() < MOST_UNKNOWN && !self.unknown.iter().any(|it| it == method) {
                self.unknown.push(method.to_owned());
            }
            let mut out = String::new();
            let mut error = Error::new(
                Error::INTERNAL,
                "the recording has no response to this request",
            );
            error.data = Raw::parse(r#"{"kind":"not_recorded"}"#).ok();
            write_failure(&mut out, &id, &error);
            return Some(out.into_bytes());
        };
        self.ids.insert(place, id);
        self.matched(place, params);
        if let Some(answer) = self.lines[place].partner
            && answer < self.at
        {
            self.late.push_back(answer);
        }
        None
    }

    /// The line of the recording that the peer says now: one that says the same, or else the next of that method.
    fn find(&self, method: &str, params: Option<&str>, sort: Sort) -> Option<usize> {
        let of_method = |place: &usize| {
            let line = &self.lines[*place];
            let fits = match (&line.heard, sort) {
                (WireMessage::Request(_, name, _), Sort::Request)
                | (WireMessage::Notification(name, _), Sort::Notification) => name == method,
                _ => false,
            };
            fits && line.from != self.side && !line.done
        };
        let says_the_same = |place: &usize| match &self.lines[*place].heard {
            WireMessage::Request(_, _, old) | WireMessage::Notification(_, old) => {
                alike(old.as_deref(), params)
            }
            _ => false,
        };
        let places = || (0..self.lines.len()).filter(of_method);
        places()
            .take(NEAR)
            .find(says_the_same)
            .or_else(|| places().find(|place| *place >= self.at))
            .or_else(|| places().next())
    }

    /// The peer is at that place, so that it will not say what it has not said before.
    fn matched(&mut self, place: usize, params: Option<&str>) {
        self.lines[place].done = true;
        if let WireMessage::Request(_, _, old) | WireMessage::Notification(_, old) =
            &self.lines[place].heard
        {
            self.names.learn(old.as_deref(), params);
        }
        while self.at < place {
            let line = &self.lines[self.at];
            let calls = matches!(
                line.heard,
                WireMessage::Request(..) | WireMessage::Notification(..)
            );
            if line.from == self.side || line.done || !calls {
                break;
            }
            self.at += 1;
        }
    }

    fn answered(&mut self, id: &Id, payload: &str) {
        let question = self.lines.iter().position(|line| {
            let open = line.partner.is_some_and(|place| !self.lines[place].done);
            let ours = line.from == self.side && open;
            ours && matches!(&line.heard, WireMessage::Request(asked, ..) if asked == id)
        });
        let Some(place) = question.and_then(|place| self.lines[place].partner) else {
            return;
        };
        self.lines[place].done = true;
        if let WireMessage::Response(_, old) | WireMessage::Failure(_, old) =
            &self.lines[place].heard
        {
            self.names.learn(Some(old), Some(payload));
        }
    }

    /// The line as it is to be said in this run; `None` for an answer to what was not asked.
    fn written(&mut self, place: usize) -> Option<Vec<u8>> {
        let line = &self.lines[place];
        let mut id = None;
        if let WireMessage::Response(..) | WireMessage::Failure(..) = line.heard
            && let Some(question) = line.partner
        {
            id = Some(self.ids.get(&question)?.clone());
        }
        let text = self.rewritten(line, id);
        self.lines[place].done = true;
        Some(text)
    }

    fn rewritten(&self, line: &Line, new_id: Option<Id>) -> Vec<u8> {
        let as_it_was = || line.bytes.clone();
        let renamed = |payload: &Option<String>| {
            let payload = payload.as_deref();
            payload.and_then(|payload| self.names.replaced(payload))
        };
        let (message, payload): (Message<'_>, _) = match &line.heard {
            WireMessage::Request(id, method, params) => {
                let Some(params) = renamed(params) else {
                    return as_it_was();
                };
                let (id, method) = (id.clone(), method.as_str().into());
                (
                    Message::Request {
                        id,
                        method,
                        params: None,
                    },
                    params,
                )
            }
            WireMessage::Notification(method, params) => {
                let Some(params) = renamed(params) else {
                    return as_it_was();
                };
                let method = method.as_str().into();
                (
                    Message::Notification {
                        method,
                        params: None,
                    },
                    params,
                )
            }
            WireMessage::Response(id, result) => {
                let replaced = self.names.replaced(result);
                let same = new_id.as_ref().is_none_or(|new| new == id);
                if replaced.is_none() && same {
                    return as_it_was();
                }
                let id = new_id.unwrap_or_else(|| id.clone());
                let payload = replaced.unwrap_or_else(|| result.clone());
                (Message::Response { id, result: "" }, payload)
            }
            WireMessage::Failure(id, error) => {
                let id = new_id.unwrap_or_else(|| id.clone());
                let id = id.as_str();
                let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
                return text.into_bytes();
            }
            WireMessage::Raw(_) | WireMessage::Closed => return as_it_was(),
        };
        with_payload(message, &payload).into_bytes()
    }
}

fn with_payload(message: Message<'_>, payload: &str) -> String {
    let mut out = String::new();
    let message = match message {
        Message::Request { id, method, .. } => Message::Request {
            id,
            method,
            params: Some(payload),
        },
        Message::Notification { method, .. } => Message::Notification {
            method,
            params: Some(payload),
        },
        Message::Response { id, .. } => Message::Response {
            id,
            result: payload,
        },
        failure @ Message::Failure { .. } => failure,
    };
    message.write(&mut out);
    out
}

/// Joins requests and their answers.
fn pair(lines: &mut [Line]) {
    let mut open: HashMap<(Side, Id), usize> = HashMap::new();
    for place in 0..lines.len() {
        let from = lines[place].from;
        match &lines[place].heard {
            WireMessage::Request(id, ..) => {
                open.insert((from, id.clone()), place);
            }
            WireMessage::Response(id, _) | WireMessage::Failure(id, _) => {
                if let Some(question) = open.remove(&(from.other(), id.clone())) {
                    lines[place].partner = Some(question);
                    lines[question].partner = Some(place);
                }
            }
            WireMessage::Notification(..) | WireMessage::Raw(_) | WireMessage::Closed => {}
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Request,
    Notification,
}

const MOST: usize = 256 << 20;
/// How many methods are named that the recording does not have.
const MOST_UNKNOWN: usize = 100;
/// How many lines of a method are held against one that comes.
const NEAR: usize = 256;
