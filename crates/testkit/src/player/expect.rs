//! Compares received messages with lines of a script.

use attache_rpc::Id;
use attache_rpc::json::from_str;

use crate::bindings::Bindings;
use crate::json_value::JsonValue;
use crate::pattern::{Mismatch, Pattern};
use crate::script::{LineContent, RequestRef, ScriptLine};
use crate::wire_message::{LineKind, WireMessage};

impl ScriptLine {
    /// Matches a message with a line and updates the bindings. After a mismatch the bindings must not be used.
    pub(super) fn match_message(
        &self,
        message: &WireMessage,
        bindings: &mut Bindings,
    ) -> Result<(), String> {
        match (&self.content, message) {
            (
                LineContent::Request {
                    method,
                    label,
                    id,
                    params,
                },
                WireMessage::Request(found_id, found_method, found),
            ) => {
                same_method(method, found_method)?;
                if let Some(id) = id {
                    payload("id", Some(id), Some(found_id.as_str()), bindings)?;
                }
                payload("params", params.as_ref(), found.as_deref(), bindings)?;
                bindings.add_request(self.from, label.as_deref(), found_id.clone());
                Ok(())
            }
            (
                LineContent::Notification { method, params },
                WireMessage::Notification(found_method, found),
            ) => {
                same_method(method, found_method)?;
                payload("params", params.as_ref(), found.as_deref(), bindings)
            }
            (LineContent::Response(request, result), WireMessage::Response(id, found)) => {
                self.answers(request, id, bindings)?;
                payload("result", Some(result), Some(found), bindings)
            }
            (LineContent::Failure(request, error), WireMessage::Failure(id, found)) => {
                self.answers(request, id, bindings)?;
                payload("error", Some(error), Some(found), bindings)
            }
            (LineContent::Raw(expected), WireMessage::Raw(found)) if expected == found => Ok(()),
            (LineContent::Raw(expected), found) if found.is_line(expected) => Ok(()),
            (LineContent::Close, WireMessage::Closed) => Ok(()),
            (content, message) => {
                let (expected, found) = (content.kind().noun(), message.kind().noun());
                Err(format!("expected {expected}, found {found}"))
            }
        }
    }

    fn answers(
        &self,
        request: &RequestRef,
        id: &Id,
        bindings: &mut Bindings,
    ) -> Result<(), String> {
        if let RequestRef::Id(expected) = request {
            return payload("id", Some(expected), Some(id.as_str()), bindings);
        }
        let (asker, label) = (self.from.other(), request.label());
        match bindings.open_request(asker, label) {
            Some(expected) if expected == id => {
                bindings.close_request(asker, label);
                Ok(())
            }
            Some(expected) => Err(format!(
                "expected the response to request {expected}, found the response to request {id}"
            )),
            None => Err("a response to a request that has not been sent".to_owned()),
        }
    }
}

impl LineContent {
    pub(super) fn kind(&self) -> LineKind {
        match self {
            LineContent::Request { .. } => LineKind::Request,
            LineContent::Notification { .. } => LineKind::Notification,
            LineContent::Response(..) => LineKind::Response,
            LineContent::Failure(..) => LineKind::Failure,
            LineContent::Raw(_) => LineKind::Raw,
            LineContent::Close => LineKind::Close,
        }
    }
}

impl WireMessage {
    /// Whether a received line equals a raw line of a script, which may be a message.
    fn is_line(&self, text: &str) -> bool {
        *self == WireMessage::read(text.as_bytes())
    }
}

fn same_method(expected: &str, found: &str) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("expected the method {expected}, found {found}"))
}

fn payload(
    part: &str,
    pattern: Option<&Pattern>,
    found: Option<&str>,
    bindings: &mut Bindings,
) -> Result<(), String> {
    let (pattern, found) = match (pattern, found) {
        (None, None) => return Ok(()),
        (Some(pattern), Some(found)) => (pattern, found),
        (Some(_), None) => return Err(format!("{part}: missing")),
        (None, Some(_)) => return Err(format!("{part}: expected none")),
    };
    let value: JsonValue = from_str(found).map_err(|fault| format!("{part}: {fault}"))?;
    let matched = pattern.match_value(&value, &mut part.to_owned(), bindings);
    matched.map_err(|Mismatch { path, reason }| format!("{path}: {reason}"))
}
