//! Sends lines of a script, and binds what later lines need.

use attache_rpc::Id;
use attache_rpc::json::{Encode as _, from_str, write};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Difference;
use super::playback::Playback;
use crate::bindings::Bindings;
use crate::pattern::Pattern;
use crate::script::{LineContent, RequestRef, ScriptLine};

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Playback<R, W> {
    pub(super) async fn send(&mut self, line: &ScriptLine) -> Result<(), Difference> {
        if let LineContent::Close = line.content {
            self.close().await;
            return Ok(());
        }
        let within = line.within.unwrap_or(self.within);
        let text = self.text(line).ok_or_else(|| self.unanswerable(line))?;
        self.stream.send(&text, within).await.map_err(|error| {
            let reason = format!("the line could not be sent: {error}");
            Difference::at(self.side, &[&line.location], None, reason)
        })
    }

    /// Whether everything that the line depends on has been received.
    pub(super) fn can_send(&self, line: &ScriptLine) -> bool {
        line.from == self.side && {
            let mut ahead = self.bindings.clone();
            self.write(line, self.next_id, &mut ahead).is_some()
        }
    }

    fn text(&mut self, line: &ScriptLine) -> Option<String> {
        let mut bindings = self.bindings.clone();
        let text = self.write(line, self.next_id, &mut bindings)?;
        self.bindings = bindings;
        if let LineContent::Request { .. } = line.content {
            self.next_id += 1;
        }
        Some(text)
    }

    fn write(&self, line: &ScriptLine, next_id: i64, bindings: &mut Bindings) -> Option<String> {
        let mut out = String::from("{\"jsonrpc\":\"2.0\"");
        match &line.content {
            LineContent::Request {
                method,
                label,
                id,
                params,
            } => {
                let id = match id {
                    Some(id) => from_str(&written(id, bindings)?).ok()?,
                    None => Id::from(next_id),
                };
                write::member(&mut out, "id", &id);
                write::member(&mut out, "method", method.as_str());
                member(&mut out, "params", params.as_ref(), bindings)?;
                bindings.add_request(self.side, label.as_deref(), id);
            }
            LineContent::Notification { method, params } => {
                write::member(&mut out, "method", method.as_str());
                member(&mut out, "params", params.as_ref(), bindings)?;
            }
            LineContent::Response(request, result) => {
                self.write_id(&mut out, request, bindings)?;
                member(&mut out, "result", Some(result), bindings)?;
            }
            LineContent::Failure(request, error) => {
                self.write_id(&mut out, request, bindings)?;
                member(&mut out, "error", Some(error), bindings)?;
            }
            LineContent::Raw(text) => return Some(text.clone()),
            LineContent::Close => return Some(String::new()),
        }
        out.push('}');
        Some(out)
    }

    fn write_id(
        &self,
        out: &mut String,
        request: &RequestRef,
        bindings: &mut Bindings,
    ) -> Option<()> {
        if let RequestRef::Id(id) = request {
            return member(out, "id", Some(id), bindings);
        }
        let (asker, label) = (self.side.other(), request.label());
        out.push_str(",\"id\":");
        bindings.open_request(asker, label)?.encode(out);
        bindings.close_request(asker, label);
        Some(())
    }

    pub(super) fn unanswerable(&self, line: &ScriptLine) -> Difference {
        let reason = "the line uses a value that has not been received".to_owned();
        Difference::at(self.side, &[&line.location], None, reason)
    }
}

fn written(pattern: &Pattern, bindings: &mut Bindings) -> Option<String> {
    let mut out = String::new();
    pattern.write(&mut out, bindings)?;
    Some(out)
}

fn member(
    out: &mut String,
    name: &str,
    pattern: Option<&Pattern>,
    bindings: &mut Bindings,
) -> Option<()> {
    if let Some(pattern) = pattern {
        write::comma(out);
        write::string(out, name);
        out.push(':');
        pattern.write(out, bindings)?;
    }
    Some(())
}
