//! Saying a line: what it is on the wire, and what later lines need of it.

use attache_rpc::Id;
use attache_rpc::json::{Encode as _, from_str, write};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Difference;
use super::stage::Stage;
use crate::memory::Memory;
use crate::pattern::Pattern;
use crate::script::{Line, Question, Saying};

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Stage<R, W> {
    pub(super) async fn say(&mut self, line: &Line) -> Result<(), Difference> {
        if let Saying::Close = line.saying {
            self.close().await;
            return Ok(());
        }
        let within = line.within.unwrap_or(self.within);
        let text = self.text(line).ok_or_else(|| self.unanswerable(line))?;
        self.wire.say(&text, within).await.map_err(|error| {
            let reason = format!("the line could not be sent: {error}");
            Difference::at(self.side, &[&line.place], None, reason)
        })
    }

    /// Whether what the line depends on has been heard.
    pub(super) fn can_say(&self, line: &Line) -> bool {
        line.from == self.side && {
            let mut ahead = self.memory.clone();
            self.write(line, self.next_id, &mut ahead).is_some()
        }
    }

    fn text(&mut self, line: &Line) -> Option<String> {
        let mut memory = self.memory.clone();
        let text = self.write(line, self.next_id, &mut memory)?;
        self.memory = memory;
        if let Saying::Request { .. } = line.saying {
            self.next_id += 1;
        }
        Some(text)
    }

    fn write(&self, line: &Line, next_id: i64, memory: &mut Memory) -> Option<String> {
        let mut out = String::from("{\"jsonrpc\":\"2.0\"");
        match &line.saying {
            Saying::Request {
                method,
                label,
                id,
                params,
            } => {
                let id = match id {
                    Some(id) => from_str(&written(id, memory)?).ok()?,
                    None => Id::from(next_id),
                };
                write::member(&mut out, "id", &id);
                write::member(&mut out, "method", method.as_str());
                member(&mut out, "params", params.as_ref(), memory)?;
                memory.asked(self.side, label.as_deref(), id);
            }
            Saying::Notification { method, params } => {
                write::member(&mut out, "method", method.as_str());
                member(&mut out, "params", params.as_ref(), memory)?;
            }
            Saying::Answer(question, result) => {
                self.write_id(&mut out, question, memory)?;
                member(&mut out, "result", Some(result), memory)?;
            }
            Saying::Refusal(question, error) => {
                self.write_id(&mut out, question, memory)?;
                member(&mut out, "error", Some(error), memory)?;
            }
            Saying::Raw(text) => return Some(text.clone()),
            Saying::Close => return Some(String::new()),
        }
        out.push('}');
        Some(out)
    }

    fn write_id(&self, out: &mut String, question: &Question, memory: &mut Memory) -> Option<()> {
        if let Question::Id(id) = question {
            return member(out, "id", Some(id), memory);
        }
        let (asker, label) = (self.side.other(), question.label());
        out.push_str(",\"id\":");
        memory.question(asker, label)?.encode(out);
        memory.answered(asker, label);
        Some(())
    }

    pub(super) fn unanswerable(&self, line: &Line) -> Difference {
        let reason = "the line uses a value that has not been received".to_owned();
        Difference::at(self.side, &[&line.place], None, reason)
    }
}

fn written(pattern: &Pattern, memory: &mut Memory) -> Option<String> {
    let mut out = String::new();
    pattern.write(&mut out, memory)?;
    Some(out)
}

fn member(
    out: &mut String,
    name: &str,
    pattern: Option<&Pattern>,
    memory: &mut Memory,
) -> Option<()> {
    if let Some(pattern) = pattern {
        write::comma(out);
        write::string(out, name);
        out.push(':');
        pattern.write(out, memory)?;
    }
    Some(())
}
