//! Turns records into rows: each message with its session, its request and its duration, in one pass.

use std::collections::VecDeque;
use std::sync::Arc;

use attache_rpc::json::Reader;
use attache_rpc::{Id, Message};
use attache_testkit::Side;

use super::{Record, RecordContent, RecordedStream};

/// The open requests and tool calls at a place in a recording, on which later rows depend. It is small, so a copy can be
/// kept for each place from which reading may continue.
#[derive(Debug, Clone, Default)]
pub struct Correlator {
    requests: VecDeque<OpenRequest>,
    tools: VecDeque<OpenToolCall>,
}

/// A record together with what the records before it say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// Microseconds since the recording began.
    pub at: u64,
    /// The stream of the record, if it belongs to one.
    pub stream: Option<RecordedStream>,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The method; for a response, the method of its request.
    pub method: String,
    /// A detail for display: the kind of an update, the title of a tool call, an error code.
    pub detail: String,
    /// The session that the message belongs to.
    pub session: Option<Arc<str>>,
    /// The size of the message on the wire, in bytes.
    pub size: u64,
    /// For a response, microseconds since its request.
    pub latency: Option<u64>,
    /// For the first text of a turn, microseconds since the prompt.
    pub first: Option<u64>,
    /// For the end of a tool call, microseconds since it was first reported.
    pub span: Option<u64>,
    /// The tool call that an update is about.
    pub tool: Option<Arc<str>>,
}

/// The kind of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// A request.
    Request,
    /// A notification.
    Notification,
    /// A response with a result.
    Response,
    /// A response with an error.
    Failure,
    /// A line that is not a message.
    Noise,
    /// A line of standard error.
    Errors,
    /// The end of a stream.
    Closed,
    /// Something that could not be recorded.
    Lost,
    /// The beginning or the end of the recording.
    Frame,
}

#[derive(Debug, Clone)]
struct OpenRequest {
    asker: Side,
    id: Id,
    method: Arc<str>,
    session: Option<Arc<str>>,
    at: u64,
    silent: bool,
}

#[derive(Debug, Clone)]
struct OpenToolCall {
    session: Option<Arc<str>>,
    id: Arc<str>,
    title: Arc<str>,
    at: u64,
}

impl Correlator {
    /// Turns the next record into a row.
    pub fn correlate(&mut self, record: &Record) -> RecordRow {
        let mut row = RecordRow {
            at: record.at,
            stream: None,
            kind: RecordKind::Frame,
            method: String::new(),
            detail: String::new(),
            session: None,
            size: 0,
            latency: None,
            first: None,
            span: None,
            tool: None,
        };
        match &record.content {
            RecordContent::Header(header) => row.detail.clone_from(&header.agent),
            RecordContent::End(how) => row.detail.clone_from(how),
            RecordContent::Closed(stream) => {
                row.stream = Some(*stream);
                row.kind = RecordKind::Closed;
            }
            RecordContent::Lost(stream, loss) => {
                row.stream = *stream;
                row.kind = RecordKind::Lost;
                row.detail = loss.to_string();
            }
            RecordContent::Line(stream, said) => {
                row.stream = Some(*stream);
                row.size = said.size();
                match stream.side() {
                    Some(side) => self.message(side, &said.bytes, &mut row),
                    None => {
                        row.kind = RecordKind::Errors;
                        row.detail = beginning(&said.bytes);
                    }
                }
            }
        }
        row
    }

    fn message(&mut self, from: Side, line: &[u8], row: &mut RecordRow) {
        match Message::parse(line) {
            Ok(Message::Request { id, method, params }) => {
                row.kind = RecordKind::Request;
                row.session = member(params, "sessionId");
                row.detail = prompt(&method, params).unwrap_or_default();
                self.requests.push_back(OpenRequest {
                    asker: from,
                    id,
                    method: method.as_ref().into(),
                    session: row.session.clone(),
                    at: row.at,
                    silent: true,
                });
                if self.requests.len() > MAX_OPEN {
                    self.requests.pop_front();
                }
                row.method = method.into_owned();
            }
            Ok(Message::Notification { method, params }) => {
                row.kind = RecordKind::Notification;
                row.session = member(params, "sessionId");
                if method == "session/update" {
                    self.update(params, row);
                }
                row.method = method.into_owned();
            }
            Ok(Message::Response { id, result }) => {
                row.kind = RecordKind::Response;
                self.response(from.other(), &id, row);
                row.session = row
                    .session
                    .take()
                    .or_else(|| member(Some(result), "sessionId"));
                row.detail = member(Some(result), "stopReason")
                    .map(|reason| reason.to_string())
                    .unwrap_or_default();
            }
            Ok(Message::Failure { id, error }) => {
                row.kind = RecordKind::Failure;
                self.response(from.other(), &id, row);
                row.detail = format!("{} {}", error.code, error.message);
            }
            Err(_) => {
                row.kind = RecordKind::Noise;
                row.detail = beginning(line);
            }
        }
    }

    fn response(&mut self, asker: Side, id: &Id, row: &mut RecordRow) {
        let of = |request: &OpenRequest| request.asker == asker && request.id == *id;
        let Some(position) = self.requests.iter().position(of) else {
            return;
        };
        if let Some(request) = self.requests.remove(position) {
            row.method = request.method.to_string();
            row.session = request.session;
            row.latency = Some(row.at.saturating_sub(request.at));
        }
    }

    fn update(&mut self, params: Option<&str>, row: &mut RecordRow) {
        let Some(update) = params.and_then(|params| object(params, "update")) else {
            return;
        };
        let Some(kind) = member(Some(update), "sessionUpdate") else {
            return;
        };
        match &*kind {
            "tool_call" | "tool_call_update" => self.tool(update, row),
            "agent_message_chunk" | "agent_thought_chunk" => self.words(row),
            _ => {}
        }
        let detail = std::mem::take(&mut row.detail);
        row.detail = [&*kind, &detail].join(" ").trim_end().to_owned();
    }

    fn words(&mut self, row: &mut RecordRow) {
        let turn = self.requests.iter_mut().find(|request| {
            request.silent && &*request.method == "session/prompt" && request.session == row.session
        });
        if let Some(turn) = turn {
            turn.silent = false;
            row.first = Some(row.at.saturating_sub(turn.at));
        }
    }

    fn tool(&mut self, update: &str, row: &mut RecordRow) {
        let Some(id) = member(Some(update), "toolCallId") else {
            return;
        };
        let status = member(Some(update), "status");
        let ended = matches!(status.as_deref(), Some("completed" | "failed"));
        let of = |tool: &OpenToolCall| tool.id == id && tool.session == row.session;
        let position = self.tools.iter().position(of);
        let title = member(Some(update), "title");
        let known = position.and_then(|position| self.tools.get(position));
        let title = title.or_else(|| known.map(|tool| Arc::clone(&tool.title)));
        let title = title.unwrap_or_else(|| Arc::clone(&id));
        row.tool = Some(Arc::clone(&id));
        let status = status.as_deref().unwrap_or_default();
        row.detail = format!("{title} {status}").trim_end().to_owned();
        match position {
            Some(position) if ended => {
                if let Some(tool) = self.tools.remove(position) {
                    row.span = Some(row.at.saturating_sub(tool.at));
                }
            }
            None if !ended => {
                self.tools.push_back(OpenToolCall {
                    session: row.session.clone(),
                    id,
                    title,
                    at: row.at,
                });
                if self.tools.len() > MAX_OPEN {
                    self.tools.pop_front();
                }
            }
            _ => {}
        }
    }
}

impl RecordRow {
    /// Whether the record is a message of the protocol.
    pub fn is_message(&self) -> bool {
        matches!(
            self.kind,
            RecordKind::Request
                | RecordKind::Notification
                | RecordKind::Response
                | RecordKind::Failure
        )
    }
}

fn member(text: Option<&str>, name: &'static str) -> Option<Arc<str>> {
    let found = Reader::new(text?).tag(name).ok()??;
    Some(found.as_ref().into())
}

/// The text of a member that is an object.
fn object<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut reader = Reader::new(text);
    let mut more = reader.open_object().ok()?;
    while more {
        let found = reader.key().ok()? == name;
        let value = reader.skip().ok()?;
        if found {
            return Some(value);
        }
        more = reader.more_members().ok()?;
    }
    None
}

/// The beginning of a prompt.
fn prompt(method: &str, params: Option<&str>) -> Option<String> {
    if method != "session/prompt" {
        return None;
    }
    let mut reader = Reader::new(object(params?, "prompt")?);
    if !reader.open_array().ok()? {
        return None;
    }
    let text = reader.tag("text").ok()??;
    Some(beginning(text.as_bytes()))
}

fn beginning(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().min(4 * DETAIL_LENGTH)];
    let text = String::from_utf8_lossy(bytes);
    text.chars().take(DETAIL_LENGTH).collect()
}

/// The maximum number of open requests and tool calls that are remembered. Each checkpoint in a large recording stores them.
const MAX_OPEN: usize = 256;
const DETAIL_LENGTH: usize = 80;
