//! How somebody who conforms is made to break one rule: one message of theirs, or to them, is changed.

use serde_json::Value;

/// A change, where it happens, and what comes of it.
pub(super) struct Breaker {
    /// The check that fails.
    pub(super) check: &'static str,
    /// Those that cannot but fail with it.
    pub(super) also: &'static [&'static str],
    /// The act in which it happens, or `*`.
    pub(super) act: &'static str,
    pub(super) on: On,
    /// What the message, or the request that it answers, has in it.
    pub(super) with: &'static str,
    pub(super) change: Change,
    /// On which connection of the act, counted from 0, or on all.
    pub(super) connection: Option<usize>,
    /// What the mock offers.
    pub(super) offers: Offers,
}

/// What a mock offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offers {
    Everything,
    Nothing,
}

/// Breaks a check by changing a message of an act.
pub(super) const fn b(
    check: &'static str,
    act: &'static str,
    on: On,
    with: &'static str,
    change: Change,
) -> Breaker {
    Breaker {
        check,
        also: &[],
        act,
        on,
        with,
        change,
        connection: None,
        offers: Offers::Everything,
    }
}

impl Breaker {
    pub(super) const fn also(mut self, also: &'static [&'static str]) -> Breaker {
        self.also = also;
        self
    }

    pub(super) const fn connection(mut self, number: usize) -> Breaker {
        self.connection = Some(number);
        self
    }

    pub(super) const fn bare(mut self) -> Breaker {
        self.offers = Offers::Nothing;
        self
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum On {
    /// The start of a connection.
    Start,
    /// A call to the mock.
    In(&'static str),
    /// Any line to the mock, as it is.
    Line,
    /// Bytes to the mock that are no line; they end it.
    Bytes,
    /// An answer of the mock to a call.
    Answer(&'static str),
    /// An update of the mock.
    Update(&'static str),
    /// Another call of the mock.
    Call(&'static str),
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Drop,
    Set(&'static str, &'static str),
    Remove(&'static str),
    /// Answers with this result instead.
    Result(&'static str),
    /// Answers with this error code instead.
    Fail(i64),
    Twice,
    /// These bytes instead.
    Raw(&'static [u8]),
    Before(&'static str),
    After(&'static str),
    /// The mock ends.
    Die,
    /// Whatever comes next goes first.
    Later,
    /// It takes five seconds.
    Slow,
    /// The mock stays when its input has ended.
    Linger,
    /// These bytes first.
    BeforeRaw(&'static [u8]),
    /// These bytes behind it.
    AfterRaw(&'static [u8]),
}

/// What goes out, or the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Passed {
    Lines(Vec<Vec<u8>>),
    Slow(Vec<Vec<u8>>),
    End,
}

/// The mutations of one connection.
#[derive(Default)]
pub(super) struct Mutations {
    breaker: Option<&'static Breaker>,
    asked: Vec<(Value, String, String)>,
    waiting: Option<Vec<u8>>,
    waiting_in: Option<Vec<u8>>,
}

impl Mutations {
    pub(super) fn new(breaker: Option<&'static Breaker>, act: &str, connection: usize) -> Self {
        let fits = |breaker: &&Breaker| {
            let here = breaker.connection.is_none_or(|it| it == connection);
            here && (breaker.act == "*" || breaker.act == act)
        };
        Mutations {
            breaker: breaker.filter(fits),
            ..Mutations::default()
        }
    }

    /// Whether the mock stays when its input has ended.
    pub(super) fn lingers(&self) -> bool {
        self.breaker
            .is_some_and(|it| matches!((it.on, it.change), (On::Start, Change::Linger)))
    }

    /// What the mock hears of a line.
    pub(super) fn hear(&mut self, line: &[u8]) -> Passed {
        let json: Option<Value> = serde_json::from_slice(line).ok();
        let text = String::from_utf8_lossy(line).into_owned();
        let method = json.as_ref().and_then(|it| it.get("method")?.as_str());
        let method = method.unwrap_or("").to_owned();
        let id = json.as_ref().and_then(|it| it.get("id"));
        if let Some(id) = id.filter(|_| !method.is_empty()) {
            self.asked.push((id.clone(), method.clone(), text.clone()));
        }
        let fits = self.breaker.is_some_and(|breaker| match breaker.on {
            On::In(name) => name == method && text.contains(breaker.with),
            On::Line => text.contains(breaker.with),
            _ => false,
        });
        let outgoing = self.waiting.take();
        let passed = self.passed(line.to_vec(), json, fits);
        let held = std::mem::replace(&mut self.waiting, outgoing);
        match passed {
            Passed::Lines(mut lines) if !lines.is_empty() => {
                lines.extend(self.waiting_in.take());
                Passed::Lines(lines)
            }
            other => {
                self.waiting_in = held;
                other
            }
        }
    }

    /// What passes of a line from behind that is no message.
    pub(super) fn hear_back(&self, line: &[u8]) -> Passed {
        match self.is_deadly(line) {
            true => Passed::End,
            false => Passed::Lines(vec![line.to_vec()]),
        }
    }

    /// Whether these bytes end the mock.
    pub(super) fn is_deadly(&self, bytes: &[u8]) -> bool {
        self.breaker.is_some_and(|breaker| {
            let with = breaker.with.as_bytes();
            matches!(breaker.on, On::Bytes) && bytes.windows(with.len()).any(|it| it == with)
        })
    }

    /// What becomes of a message of the mock.
    pub(super) fn say(&mut self, message: &Value) -> Passed {
        let method = message.get("method").and_then(Value::as_str).unwrap_or("");
        let kind = message
            .pointer("/params/update/sessionUpdate")
            .and_then(Value::as_str);
        let asked = match (method, message.get("id")) {
            ("", Some(id)) => self.asked.iter().rev().find(|(asked, ..)| asked == id),
            _ => None,
        };
        let text = message.to_string();
        let fits = self.breaker.is_some_and(|breaker| match breaker.on {
            On::Answer(name) => asked.is_some_and(|(_, method, request)| {
                (name == "*" || name == method) && request.contains(breaker.with)
            }),
            On::Update(name) => {
                kind.is_some_and(|kind| name == kind) && text.contains(breaker.with)
            }
            On::Call(name) => kind.is_none() && name == method && text.contains(breaker.with),
            On::In(_) | On::Line | On::Bytes | On::Start => false,
        });
        let line = format!("{message}\n").into_bytes();
        let passed = self.passed(line, Some(message.clone()), fits);
        match passed {
            Passed::Lines(mut lines) if !lines.is_empty() => {
                lines.extend(self.waiting.take());
                Passed::Lines(lines)
            }
            other => other,
        }
    }

    fn passed(&mut self, line: Vec<u8>, json: Option<Value>, fits: bool) -> Passed {
        let lines = match (fits, self.breaker, json) {
            (true, Some(breaker), json) => {
                let json = json.unwrap_or(Value::Null);
                match changed(&breaker.change, line, json) {
                    Passed::End => return Passed::End,
                    slow @ Passed::Slow(_) => return slow,
                    Passed::Lines(lines) if matches!(breaker.change, Change::Later) => {
                        self.waiting = lines.into_iter().next();
                        return Passed::Lines(Vec::new());
                    }
                    Passed::Lines(lines) => lines,
                }
            }
            _ => vec![line],
        };
        Passed::Lines(lines)
    }
}

fn changed(change: &Change, line: Vec<u8>, mut json: Value) -> Passed {
    let id = json.get("id").cloned().unwrap_or(Value::Null);
    let as_line = |json: &Value| format!("{json}\n").into_bytes();
    Passed::Lines(match change {
        Change::Drop => Vec::new(),
        Change::Die => return Passed::End,
        Change::Later | Change::Linger => vec![line],
        Change::Slow => return Passed::Slow(vec![line]),
        Change::BeforeRaw(bytes) => vec![bytes.to_vec(), line],
        Change::AfterRaw(bytes) => vec![line, bytes.to_vec()],
        Change::Twice => vec![line.clone(), line],
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
        Change::Fail(code) => {
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
