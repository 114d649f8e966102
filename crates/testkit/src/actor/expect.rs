//! Whether what was heard is what a line says.

use attache_rpc::Id;
use attache_rpc::json::from_str;

use crate::heard::{Heard, Tail};
use crate::memory::Memory;
use crate::pattern::{Misfit, Pattern};
use crate::script::{Line, Question, Saying};
use crate::value::Value;

impl Line {
    /// Compares, and notes in the memory what later lines need. After a failure the memory is not to be used.
    pub(super) fn fit(&self, heard: &Heard, memory: &mut Memory) -> Result<(), String> {
        match (&self.saying, heard) {
            (
                Saying::Request {
                    method,
                    label,
                    id,
                    params,
                },
                Heard::Request(found_id, found_method, found),
            ) => {
                same_method(method, found_method)?;
                if let Some(id) = id {
                    payload("id", Some(id), Some(found_id.as_str()), memory)?;
                }
                payload("params", params.as_ref(), found.as_deref(), memory)?;
                memory.asked(self.from, label.as_deref(), found_id.clone());
                Ok(())
            }
            (Saying::Notification { method, params }, Heard::Notification(found_method, found)) => {
                same_method(method, found_method)?;
                payload("params", params.as_ref(), found.as_deref(), memory)
            }
            (Saying::Answer(question, result), Heard::Answer(id, found)) => {
                self.answers(question, id, memory)?;
                payload("result", Some(result), Some(found), memory)
            }
            (Saying::Refusal(question, error), Heard::Refusal(id, found)) => {
                self.answers(question, id, memory)?;
                payload("error", Some(error), Some(found), memory)
            }
            (Saying::Raw(expected), Heard::Raw(found)) if expected == found => Ok(()),
            (Saying::Raw(expected), found) if found.is_line(expected) => Ok(()),
            (Saying::Close, Heard::Closed) => Ok(()),
            (saying, heard) => {
                let (expected, found) = (saying.tail().noun(), heard.tail().noun());
                Err(format!("expected {expected}, found {found}"))
            }
        }
    }

    fn answers(&self, question: &Question, id: &Id, memory: &mut Memory) -> Result<(), String> {
        if let Question::Id(expected) = question {
            return payload("id", Some(expected), Some(id.as_str()), memory);
        }
        let (asker, label) = (self.from.other(), question.label());
        match memory.question(asker, label) {
            Some(expected) if expected == id => {
                memory.answered(asker, label);
                Ok(())
            }
            Some(expected) => Err(format!(
                "expected the response to request {expected}, found the response to request {id}"
            )),
            None => Err("a response to a request that has not been sent".to_owned()),
        }
    }
}

impl Saying {
    pub(super) fn tail(&self) -> Tail {
        match self {
            Saying::Request { .. } => Tail::Request,
            Saying::Notification { .. } => Tail::Notification,
            Saying::Answer(..) => Tail::Answer,
            Saying::Refusal(..) => Tail::Refusal,
            Saying::Raw(_) => Tail::Raw,
            Saying::Close => Tail::Close,
        }
    }
}

impl Heard {
    /// Whether a raw line of a script, which may be a message, says the same.
    fn is_line(&self, text: &str) -> bool {
        *self == Heard::read(text.as_bytes())
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
    memory: &mut Memory,
) -> Result<(), String> {
    let (pattern, found) = match (pattern, found) {
        (None, None) => return Ok(()),
        (Some(pattern), Some(found)) => (pattern, found),
        (Some(_), None) => return Err(format!("{part}: missing")),
        (None, Some(_)) => return Err(format!("{part}: expected none")),
    };
    let value: Value = from_str(found).map_err(|fault| format!("{part}: {fault}"))?;
    let fit = pattern.fit(&value, &mut part.to_owned(), memory);
    fit.map_err(|Misfit { path, reason }| format!("{path}: {reason}"))
}
