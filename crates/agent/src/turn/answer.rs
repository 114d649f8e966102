//! Streams one answer of the model to the client.

use std::sync::Arc;

use attache::v1;
use attache_model::{Event, Model, ModelInfo, Output, Request, Stop, ToolSpec, Usage};
use futures_util::StreamExt;

use super::{ChunkKind, OpenCall, Turn};
use crate::failure::Failure;
use crate::modes::Mode;
use crate::{ids, instructions, mcp_content, permission, session_call, tools};

impl Turn<'_> {
    pub(super) async fn answer(&mut self, model: &dyn Model) -> Result<Stop, Failure> {
        let request = self.request(model).await;
        let mut events = model.answer(request);
        let stop = loop {
            let event = match events.next().await {
                Some(event) => event?,
                None => break Stop::Done,
            };
            match event {
                Event::Text(text) => self.show_chunk(ChunkKind::Message, text).await?,
                Event::Thought(text) => self.show_chunk(ChunkKind::Thought, text).await?,
                Event::ThoughtSignature(signature) => self.push_signature(signature),
                Event::CallStarted { id, name } => self.name(id, &name).await?,
                Event::Call(call) => {
                    self.kind = None;
                    if self.open.iter().all(|open| open.id != call.id) {
                        self.name(call.id.clone(), &call.name).await?;
                    }
                    self.said.push(Output::Call(call));
                }
                Event::Usage(now) => self.usage_so_far = now,
                Event::Retry {
                    attempts,
                    wait,
                    reason,
                } => {
                    let title = format!("{} is asked again", model.info().name);
                    let wait = wait.as_secs_f32();
                    let why = format!("{reason}; attempt {attempts} in {wait:.1} s");
                    let severity = v1::NoticeSeverity::Warning;
                    self.session.transient_notice(severity, title, why).await;
                }
                Event::End(stop) => break stop,
            }
        };
        self.history.used = read(&self.usage_so_far) + self.usage_so_far.output;
        self.count();
        Ok(stop)
    }

    async fn request(&self, model: &dyn Model) -> Request {
        let settings = self.session.settings();
        let thought = match model.info().thoughts.contains(&settings.thought) {
            true => settings.thought,
            false => model.info().thoughts.first().copied().unwrap_or_default(),
        };
        Request {
            instructions: instructions::instructions(&settings, self.session.roots(), &self.notes)
                .into(),
            messages: self.history.messages().to_vec(),
            tools: self.offered(settings.mode),
            thought,
            max_output: None,
        }
    }

    /// The tools that the mode offers the model.
    fn offered(&self, mode: Mode) -> Arc<[ToolSpec]> {
        let ours = tools::specs()
            .into_iter()
            .filter(|tool| mode != Mode::Architect || !tools::changes(&tool.name));
        let foreign = self
            .session
            .servers
            .tools()
            .into_iter()
            .filter(|_| mode != Mode::Architect);
        let foreign = foreign.map(mcp_content::spec);
        let resources = session_call::resource_spec(&self.session.servers.resources());
        let session_call = session_call::specs().into_iter().chain(resources);
        ours.chain(session_call).chain(foreign).collect()
    }

    /// Shows a chunk of text and adds it to the answer.
    async fn show_chunk(&mut self, kind: ChunkKind, text: String) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        let message = match &self.kind {
            Some((same, message)) if *same == kind => message.clone(),
            _ => v1::MessageId::from(ids::fresh("msg_")),
        };
        self.kind = Some((kind, message.clone()));
        match (kind, self.said.last_mut()) {
            (ChunkKind::Message, Some(Output::Text(said))) => said.push_str(&text),
            (
                ChunkKind::Thought,
                Some(Output::Thought {
                    text: said,
                    signature: None,
                }),
            ) => said.push_str(&text),
            (ChunkKind::Message, _) => self.said.push(Output::Text(text.clone())),
            (ChunkKind::Thought, _) => self.said.push(Output::Thought {
                text: text.clone(),
                signature: None,
            }),
        }
        let chunk = v1::ContentChunk::new(text).message_id(message);
        let update = match kind {
            ChunkKind::Message => v1::SessionUpdate::AgentMessageChunk(chunk),
            ChunkKind::Thought => v1::SessionUpdate::AgentThoughtChunk(chunk),
        };
        self.session.show(update).await
    }

    fn push_signature(&mut self, given: String) {
        match self.said.last_mut() {
            Some(Output::Thought { signature, .. }) if signature.is_none() => {
                *signature = Some(given)
            }
            _ => self.said.push(Output::Thought {
                text: String::new(),
                signature: Some(given),
            }),
        }
        self.kind = None;
    }

    /// Shows a tool call whose input is still being streamed.
    async fn name(&mut self, id: String, name: &str) -> Result<(), Failure> {
        self.kind = None;
        let shown = v1::ToolCallId::from(ids::fresh("call_"));
        self.open.push(OpenCall {
            id,
            shown: shown.clone(),
            name: name.to_owned(),
            announced: false,
        });
        let foreign = self.session.servers.tool(name);
        let title = foreign.as_ref().map(permission::tool_title);
        let title = title.unwrap_or_else(|| name.to_owned());
        // The server's own annotations don't count: with them a server could present its tool as one that only reads.
        let kind = tools::kind_of(name).or_else(|| session_call::kind_of(name));
        let call = v1::ToolCall::new(shown, title)
            .name(name)
            .kind(kind.unwrap_or_default())
            .status(v1::ToolCallStatus::Pending);
        self.session.show(call).await?;
        if let Some(open) = self.open.last_mut() {
            open.announced = true;
        }
        Ok(())
    }

    /// Adds the usage of the current answer to the totals.
    pub(super) fn count(&mut self) {
        let heard = std::mem::take(&mut self.usage_so_far);
        for sum in [&mut self.spent, &mut self.unpaid] {
            sum.input += heard.input;
            sum.output += heard.output;
            sum.thought += heard.thought;
            sum.cache_read += heard.cache_read;
            sum.cache_write += heard.cache_write;
        }
    }

    /// Adds to the session's cost and sends its usage to the client.
    pub(super) async fn send_usage(&mut self, info: &ModelInfo) -> Result<(), Failure> {
        let unpaid = std::mem::take(&mut self.unpaid);
        let cost = info.price.map(|price| price.cost(&unpaid));
        let used = match self.history.used {
            // The provider reports no usage.
            0 => self.history.size(),
            used => used,
        };
        self.session
            .change(move |settings| {
                settings.used = used;
                if let Some(cost) = cost {
                    settings.cost = Some(settings.cost.unwrap_or_default() + cost);
                }
            })
            .await?;
        Ok(self.session.send_usage(info).await?)
    }
}

/// Input tokens, cached or not.
fn read(usage: &Usage) -> u64 {
    usage.input + usage.cache_read + usage.cache_write
}
