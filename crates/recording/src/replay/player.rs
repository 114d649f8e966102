//! Decides which line of a recording is sent next, and what to wait for first.

use std::collections::{HashMap, VecDeque};
use std::io::{self, BufRead};
use std::time::Duration;

use attache_rpc::json::Raw;
use attache_rpc::{Error, Id, Message, write_failure};
use attache_testkit::{Side, WireMessage};

use super::super::{RecordContent, RecordingReader};
use super::matching::{IdMapping, same_payload};

/// One side of a recording, as far as it has been played.
#[derive(Debug)]
pub struct ReplayPlayer {
    side: Side,
    lines: Vec<ReplayLine>,
    next: usize,
    /// Responses that were due before their request arrived.
    overdue: VecDeque<usize>,
    id_mapping: IdMapping,
    /// The ids of the peer's requests in this run, by their position.
    ids: HashMap<usize, Id>,
    unknown: Vec<String>,
}

#[derive(Debug)]
struct ReplayLine {
    from: Side,
    gap: Duration,
    message: WireMessage,
    bytes: Vec<u8>,
    /// For a response, the position of its request; for a request, the position of its response.
    partner: Option<usize>,
    done: bool,
}

/// The next step of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplayStep {
    /// Send this line, with this delay after the previous one.
    Send(Vec<u8>, Duration),
    /// Wait for the message that the text names. The replay cannot continue without it.
    Await(String),
    /// Wait briefly for a message that may not come.
    Expect,
    /// Every line has been sent.
    Done,
}

impl ReplayPlayer {
    /// Reads a recording to play one side of it.
    ///
    /// # Errors
    ///
    /// When the recording cannot be read, or is too large to replay.
    pub fn load<R: BufRead>(
        records: &mut RecordingReader<R>,
        side: Side,
    ) -> io::Result<ReplayPlayer> {
        let mut lines: Vec<ReplayLine> = Vec::new();
        let (mut last, mut size) = (None, 0);
        for record in records {
            let record = record?;
            let (from, message, bytes) = match record.content {
                RecordContent::Line(stream, said) => match stream.side() {
                    Some(from) => (from, WireMessage::read(&said.bytes), said.bytes),
                    None => continue,
                },
                RecordContent::Closed(stream) => match stream.side() {
                    Some(from) => (from, WireMessage::Closed, Vec::new()),
                    None => continue,
                },
                RecordContent::Header(_) | RecordContent::Lost(..) | RecordContent::End(_) => {
                    continue;
                }
            };
            size += bytes.len();
            if size > MAX_BYTES {
                let why = "the recording is too large to replay: more than 256 MiB of messages";
                return Err(io::Error::other(why));
            }
            let gap = record.at.saturating_sub(last.unwrap_or(record.at));
            last = Some(record.at);
            lines.push(ReplayLine {
                from,
                gap: Duration::from_micros(gap),
                message,
                bytes,
                partner: None,
                done: false,
            });
        }
        pair_responses(&mut lines);
        Ok(ReplayPlayer {
            side,
            lines,
            next: 0,
            overdue: VecDeque::new(),
            id_mapping: IdMapping::default(),
            ids: HashMap::new(),
            unknown: Vec::new(),
        })
    }

    /// The number of lines of our side in the recording.
    pub fn parts(&self) -> usize {
        let ours = self.lines.iter().filter(|line| line.from == self.side);
        ours.filter(|line| line.message != WireMessage::Closed)
            .count()
    }

    /// Whether our side ended first in the recording.
    pub fn closes_first(&self) -> bool {
        let mut ends = self
            .lines
            .iter()
            .filter(|line| line.message == WireMessage::Closed);
        ends.next().is_some_and(|line| line.from == self.side)
    }

    /// Methods that the peer called and that the recording does not contain, each once.
    pub fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// The next step. It stays the same until a line is sent, received or skipped.
    pub fn next_step(&mut self) -> ReplayStep {
        while let Some(position) = self.overdue.pop_front() {
            if let Some(line) = self.next_text(position) {
                return ReplayStep::Send(line, Duration::ZERO);
            }
        }
        while let Some(line) = self.lines.get(self.next) {
            if line.from != self.side {
                match self.awaited() {
                    Some(step) => return step,
                    None => self.next += 1,
                }
                continue;
            }
            let (position, gap) = (self.next, line.gap);
            self.next += 1;
            if self.lines[position].message == WireMessage::Closed {
                continue;
            }
            if let Some(line) = self.next_text(position) {
                return ReplayStep::Send(line, gap);
            }
        }
        ReplayStep::Done
    }

    /// The message that must arrive before the next line is sent, if any.
    fn awaited(&self) -> Option<ReplayStep> {
        let line = &self.lines[self.next];
        if line.done {
            return None;
        }
        match &line.message {
            WireMessage::Request(_, method, _) => Some(ReplayStep::Await(method.clone())),
            WireMessage::Notification(..) => Some(ReplayStep::Expect),
            WireMessage::Response(..) | WireMessage::Failure(..) => {
                let asked = line.partner.map(|position| &self.lines[position].message);
                match asked {
                    Some(WireMessage::Request(_, method, _)) => {
                        Some(ReplayStep::Await(format!("an answer to {method}")))
                    }
                    _ => None,
                }
            }
            WireMessage::Raw(_) | WireMessage::Closed => None,
        }
    }

    /// Stops waiting for the current message.
    pub fn skip(&mut self) {
        self.next += 1;
    }

    /// Handles a line of the peer. Returns a response to send at once if the recording has none.
    pub fn receive(&mut self, line: &[u8]) -> Option<Vec<u8>> {
        match WireMessage::read(line) {
            WireMessage::Request(id, method, params) => {
                self.receive_request(id, &method, params.as_deref())
            }
            WireMessage::Notification(method, params) => {
                if let Some(position) =
                    self.find(&method, params.as_deref(), CallKind::Notification)
                {
                    self.matched(position, params.as_deref());
                }
                None
            }
            WireMessage::Response(id, payload) | WireMessage::Failure(id, payload) => {
                self.receive_response(&id, &payload);
                None
            }
            WireMessage::Raw(_) | WireMessage::Closed => None,
        }
    }

    fn receive_request(&mut self, id: Id, method: &str, params: Option<&str>) -> Option<Vec<u8>> {
        let Some(position) = self.find(method, params, CallKind::Request) else {
            if self.unknown.len() < MAX_UNKNOWN && !self.unknown.iter().any(|it| it == method) {
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
        self.ids.insert(position, id);
        self.matched(position, params);
        if let Some(answer) = self.lines[position].partner
            && answer < self.next
        {
            self.overdue.push_back(answer);
        }
        None
    }

    /// The recorded line that matches a message of the peer: an equal one, otherwise the next one with its method.
    fn find(&self, method: &str, params: Option<&str>, kind: CallKind) -> Option<usize> {
        let of_method = |position: &usize| {
            let line = &self.lines[*position];
            let fits = match (&line.message, kind) {
                (WireMessage::Request(_, name, _), CallKind::Request)
                | (WireMessage::Notification(name, _), CallKind::Notification) => name == method,
                _ => false,
            };
            fits && line.from != self.side && !line.done
        };
        let says_the_same = |position: &usize| match &self.lines[*position].message {
            WireMessage::Request(_, _, old) | WireMessage::Notification(_, old) => {
                same_payload(old.as_deref(), params)
            }
            _ => false,
        };
        let positions = || (0..self.lines.len()).filter(of_method);
        positions()
            .take(MAX_COMPARED)
            .find(says_the_same)
            .or_else(|| positions().find(|position| *position >= self.next))
            .or_else(|| positions().next())
    }

    /// Moves the peer to this position: lines before it are no longer expected.
    fn matched(&mut self, position: usize, params: Option<&str>) {
        self.lines[position].done = true;
        if let WireMessage::Request(_, _, old) | WireMessage::Notification(_, old) =
            &self.lines[position].message
        {
            self.id_mapping.learn(old.as_deref(), params);
        }
        while self.next < position {
            let line = &self.lines[self.next];
            let calls = matches!(
                line.message,
                WireMessage::Request(..) | WireMessage::Notification(..)
            );
            if line.from == self.side || line.done || !calls {
                break;
            }
            self.next += 1;
        }
    }

    fn receive_response(&mut self, id: &Id, payload: &str) {
        let request = self.lines.iter().position(|line| {
            let open = line
                .partner
                .is_some_and(|position| !self.lines[position].done);
            let ours = line.from == self.side && open;
            ours && matches!(&line.message, WireMessage::Request(asked, ..) if asked == id)
        });
        let Some(position) = request.and_then(|position| self.lines[position].partner) else {
            return;
        };
        self.lines[position].done = true;
        if let WireMessage::Response(_, old) | WireMessage::Failure(_, old) =
            &self.lines[position].message
        {
            self.id_mapping.learn(Some(old), Some(payload));
        }
    }

    /// The line as sent in this run; `None` for a response to a request that did not arrive.
    fn next_text(&mut self, position: usize) -> Option<Vec<u8>> {
        let line = &self.lines[position];
        let mut id = None;
        if let WireMessage::Response(..) | WireMessage::Failure(..) = line.message
            && let Some(request) = line.partner
        {
            id = Some(self.ids.get(&request)?.clone());
        }
        let text = self.rewritten(line, id);
        self.lines[position].done = true;
        Some(text)
    }

    fn rewritten(&self, line: &ReplayLine, new_id: Option<Id>) -> Vec<u8> {
        let as_it_was = || line.bytes.clone();
        let renamed = |payload: &Option<String>| {
            let payload = payload.as_deref();
            payload.and_then(|payload| self.id_mapping.replaced(payload))
        };
        let (message, payload): (Message<'_>, _) = match &line.message {
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
                let replaced = self.id_mapping.replaced(result);
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

/// Pairs requests with their responses.
fn pair_responses(lines: &mut [ReplayLine]) {
    let mut open: HashMap<(Side, Id), usize> = HashMap::new();
    for position in 0..lines.len() {
        let from = lines[position].from;
        match &lines[position].message {
            WireMessage::Request(id, ..) => {
                open.insert((from, id.clone()), position);
            }
            WireMessage::Response(id, _) | WireMessage::Failure(id, _) => {
                if let Some(request) = open.remove(&(from.other(), id.clone())) {
                    lines[position].partner = Some(request);
                    lines[request].partner = Some(position);
                }
            }
            WireMessage::Notification(..) | WireMessage::Raw(_) | WireMessage::Closed => {}
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallKind {
    Request,
    Notification,
}

const MAX_BYTES: usize = 256 << 20;
/// The maximum number of unknown methods that are listed.
const MAX_UNKNOWN: usize = 100;
/// The maximum number of recorded lines that a message is compared with.
const MAX_COMPARED: usize = 256;
