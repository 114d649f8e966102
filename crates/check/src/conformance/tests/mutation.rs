//! Mutations make a peer that conforms break one rule: one message from it, or to it, is changed.

use serde_json::Value;

/// A change, the message that it applies to, and the checks that fail because of it.
pub(super) struct Mutation {
    /// The check that fails.
    pub(super) check: &'static str,
    /// Checks that inevitably fail with it.
    pub(super) also: &'static [&'static str],
    /// The test case in which it applies, or `*` for all.
    pub(super) case: &'static str,
    pub(super) on: Target,
    /// A text that the message contains, or for a response: that its request contains.
    pub(super) with: &'static str,
    pub(super) change: Change,
    /// The connection of the test case, counted from 0; `None` for all.
    pub(super) connection: Option<usize>,
    /// The capabilities of the mutated peer.
    pub(super) offers: MockCapabilities,
}

/// The capabilities that a mutated peer advertises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MockCapabilities {
    All,
    None,
}

/// A mutation that makes a check fail by changing a message of a test case.
pub(super) const fn mutation(
    check: &'static str,
    case: &'static str,
    on: Target,
    with: &'static str,
    change: Change,
) -> Mutation {
    Mutation {
        check,
        also: &[],
        case,
        on,
        with,
        change,
        connection: None,
        offers: MockCapabilities::All,
    }
}

impl Mutation {
    pub(super) const fn also(mut self, also: &'static [&'static str]) -> Mutation {
        self.also = also;
        self
    }

    pub(super) const fn connection(mut self, number: usize) -> Mutation {
        self.connection = Some(number);
        self
    }

    pub(super) const fn bare(mut self) -> Mutation {
        self.offers = MockCapabilities::None;
        self
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Target {
    /// The start of a connection.
    Start,
    /// A request or notification to the peer.
    Incoming(&'static str),
    /// Any line to the peer.
    Line,
    /// Bytes to the peer that are not a line; they make it exit.
    Bytes,
    /// A response of the peer to a request with this method.
    Response(&'static str),
    /// An update from the peer.
    Update(&'static str),
    /// A request, or a notification that is not an update, from the peer.
    Outgoing(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Drop,
    Set(&'static str, &'static str),
    Remove(&'static str),
    /// Responds with this result instead.
    Result(&'static str),
    /// Responds with this error code instead.
    Error(i64),
    Duplicate,
    /// Sends these bytes instead.
    Raw(&'static [u8]),
    Before(&'static str),
    After(&'static str),
    /// The peer exits.
    Exit,
    /// The next message goes first.
    Reorder,
    /// The message is delayed by five seconds.
    Slow,
    /// The peer keeps running after its input has ended.
    KeepRunning,
    /// Sends these bytes first.
    BeforeRaw(&'static [u8]),
    /// Sends these bytes afterwards.
    AfterRaw(&'static [u8]),
}

/// The lines to forward, or the end of the connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Forwarded {
    Lines(Vec<Vec<u8>>),
    Slow(Vec<Vec<u8>>),
    End,
}

/// Applies a mutation to the messages of one connection.
#[derive(Default)]
pub(super) struct Mutator {
    mutation: Option<&'static Mutation>,
    requests: Vec<(Value, String, String)>,
    waiting: Option<Vec<u8>>,
    waiting_in: Option<Vec<u8>>,
}

impl Mutator {
    pub(super) fn new(mutation: Option<&'static Mutation>, case: &str, connection: usize) -> Self {
        let fits = |mutation: &&Mutation| {
            let here = mutation.connection.is_none_or(|it| it == connection);
            here && (mutation.case == "*" || mutation.case == case)
        };
        Mutator {
            mutation: mutation.filter(fits),
            ..Mutator::default()
        }
    }

    /// Whether the peer keeps running after its input has ended.
    pub(super) fn keeps_running(&self) -> bool {
        self.mutation
            .is_some_and(|it| matches!((it.on, it.change), (Target::Start, Change::KeepRunning)))
    }

    /// The lines that the peer receives for a line to it.
    pub(super) fn receive(&mut self, line: &[u8]) -> Forwarded {
        let json: Option<Value> = serde_json::from_slice(line).ok();
        let text = String::from_utf8_lossy(line).into_owned();
        let method = json.as_ref().and_then(|it| it.get("method")?.as_str());
        let method = method.unwrap_or("").to_owned();
        let id = json.as_ref().and_then(|it| it.get("id"));
        if let Some(id) = id.filter(|_| !method.is_empty()) {
            self.requests
                .push((id.clone(), method.clone(), text.clone()));
        }
        let fits = self.mutation.is_some_and(|mutation| match mutation.on {
            Target::Incoming(name) => name == method && text.contains(mutation.with),
            Target::Line => text.contains(mutation.with),
            _ => false,
        });
        let outgoing = self.waiting.take();
        let passed = self.passed(line.to_vec(), json, fits);
        let held = std::mem::replace(&mut self.waiting, outgoing);
        match passed {
            Forwarded::Lines(mut lines) if !lines.is_empty() => {
                lines.extend(self.waiting_in.take());
                Forwarded::Lines(lines)
            }
            other => {
                self.waiting_in = held;
                other
            }
        }
    }

    /// The lines that the client receives for a line of the agent that is not a message.
    pub(super) fn receive_invalid(&self, line: &[u8]) -> Forwarded {
        match self.ends_mock(line) {
            true => Forwarded::End,
            false => Forwarded::Lines(vec![line.to_vec()]),
        }
    }

    /// Whether these bytes make the peer exit.
    pub(super) fn ends_mock(&self, bytes: &[u8]) -> bool {
        self.mutation.is_some_and(|mutation| {
            let with = mutation.with.as_bytes();
            matches!(mutation.on, Target::Bytes) && bytes.windows(with.len()).any(|it| it == with)
        })
    }

    /// The lines that are sent for a message of the peer.
    pub(super) fn send(&mut self, message: &Value) -> Forwarded {
        let method = message.get("method").and_then(Value::as_str).unwrap_or("");
        let kind = message
            .pointer("/params/update/sessionUpdate")
            .and_then(Value::as_str);
        let requests = match (method, message.get("id")) {
            ("", Some(id)) => self
                .requests
                .iter()
                .rev()
                .find(|(requests, ..)| requests == id),
            _ => None,
        };
        let text = message.to_string();
        let fits = self.mutation.is_some_and(|mutation| match mutation.on {
            Target::Response(name) => requests.is_some_and(|(_, method, request)| {
                (name == "*" || name == method) && request.contains(mutation.with)
            }),
            Target::Update(name) => {
                kind.is_some_and(|kind| name == kind) && text.contains(mutation.with)
            }
            Target::Outgoing(name) => {
                kind.is_none() && name == method && text.contains(mutation.with)
            }
            Target::Incoming(_) | Target::Line | Target::Bytes | Target::Start => false,
        });
        let line = format!("{message}\n").into_bytes();
        let passed = self.passed(line, Some(message.clone()), fits);
        match passed {
            Forwarded::Lines(mut lines) if !lines.is_empty() => {
                lines.extend(self.waiting.take());
                Forwarded::Lines(lines)
            }
            other => other,
        }
    }

    fn passed(&mut self, line: Vec<u8>, json: Option<Value>, fits: bool) -> Forwarded {
        let lines = match (fits, self.mutation, json) {
            (true, Some(mutation), json) => {
                let json = json.unwrap_or(Value::Null);
                match changed(&mutation.change, line, json) {
                    Forwarded::End => return Forwarded::End,
                    slow @ Forwarded::Slow(_) => return slow,
                    Forwarded::Lines(lines) if matches!(mutation.change, Change::Reorder) => {
                        self.waiting = lines.into_iter().next();
                        return Forwarded::Lines(Vec::new());
                    }
                    Forwarded::Lines(lines) => lines,
                }
            }
            _ => vec![line],
        };
        Forwarded::Lines(lines)
    }
}

fn changed(change: &Change, line: Vec<u8>, mut json: Value) -> Forwarded {
    let id = json.get("id").cloned().unwrap_or(Value::Null);
    let as_line = |json: &Value| format!("{json}\n").into_bytes();
    Forwarded::Lines(match change {
        Change::Drop => Vec::new(),
        Change::Exit => return Forwarded::End,
        Change::Reorder | Change::KeepRunning => vec![line],
        Change::Slow => return Forwarded::Slow(vec![line]),
        Change::BeforeRaw(bytes) => vec![bytes.to_vec(), line],
        Change::AfterRaw(bytes) => vec![line, bytes.to_vec()],
        Change::Duplicate => vec![line.clone(), line],
        Change::Raw(bytes) => vec![bytes.to_vec()],
        Change::Before(text) => vec![format!("{text}\n").into_bytes(), line],
        Change::After(text) => vec![line, format!("{text}\n").into_bytes()],
        Change::Set(pointer, value) => {
            set(&mut json, pointer, read(value));
            vec![as_line(&json)]
        }
        Change::Remove(pointer) => {
            remove(&mut json, pointer);
            vec![as_line(&json)]
        }
        Change::Result(result) => {
            let result = read(result);
            vec![as_line(
                &serde_json::json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            )]
        }
        Change::Error(code) => {
            let error = serde_json::json!({ "code": code, "message": "broken on purpose" });
            vec![as_line(
                &serde_json::json!({ "jsonrpc": "2.0", "id": id, "error": error }),
            )]
        }
    })
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn set(json: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent) {
        Some(Value::Array(items)) => items[name.parse::<usize>().unwrap()] = value,
        Some(parent) => parent[name] = value,
        // An error has no result to change.
        None => {}
    }
}

fn remove(json: &mut Value, pointer: &str) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    if let Some(parent) = json.pointer_mut(parent).and_then(Value::as_object_mut) {
        parent.remove(name);
    }
}
