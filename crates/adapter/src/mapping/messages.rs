//! Messages of the model and prompts of the person. The CLI tells a message twice, piece by piece and block by block;
//! the client is told once.

use std::collections::HashMap;

use attache::schema::Meta;
use attache::v1;
use serde_json::{Value, json};

use super::tool_calls::ToolCalls;
use super::{DisplaySupport, Mapping, SessionAction, markup, partial};
use crate::frames::{Block, Delta, Message, MessageEvent, TaskEnd};
use crate::{prompt, tools};

/// A message that comes piece by piece.
#[derive(Debug, Default)]
pub(super) struct StreamingMessage {
    id: String,
    /// Tool calls whose input is still coming, by the index of their block.
    inputs: HashMap<u64, Input>,
}

#[derive(Debug)]
struct Input {
    id: String,
    name: String,
    text: String,
    /// How many bytes had come when it was last shown.
    shown: usize,
}

impl StreamingMessage {
    pub(super) fn apply(
        &mut self,
        event: MessageEvent,
        parent: Option<&str>,
        display: DisplaySupport,
        calls: &mut ToolCalls,
        actions: &mut Vec<SessionAction>,
    ) {
        match event {
            MessageEvent::Start { id, .. } => {
                *self = StreamingMessage {
                    id,
                    ..StreamingMessage::default()
                }
            }
            MessageEvent::BlockStart { index, block } => {
                self.begin(index, block, parent, display, calls, actions)
            }
            MessageEvent::BlockDelta { index, delta } => match delta {
                Delta::Text(text) => actions.extend(message_chunk(&self.id, index, &text, parent)),
                Delta::Thinking(text) => {
                    actions.extend(thought_chunk(&self.id, index, &text, parent))
                }
                Delta::Input(text) => {
                    self.more_input(index, &text, parent, display, calls, actions)
                }
                Delta::Other => {}
            },
            MessageEvent::BlockEnd(index) => drop(self.inputs.remove(&index)),
            MessageEvent::Usage(_) | MessageEvent::Other => {}
        }
    }

    fn begin(
        &mut self,
        index: u64,
        block: Block,
        parent: Option<&str>,
        display: DisplaySupport,
        calls: &mut ToolCalls,
        actions: &mut Vec<SessionAction>,
    ) {
        match block {
            Block::Text(text) => actions.extend(message_chunk(&self.id, index, &text, parent)),
            Block::Thinking(text) => actions.extend(thought_chunk(&self.id, index, &text, parent)),
            Block::ToolUse { id, name, .. } => {
                calls.update(&id, &name, &Value::Null, parent, display, actions);
                let input = Input {
                    id,
                    name,
                    text: String::new(),
                    shown: 0,
                };
                self.inputs.insert(index, input);
            }
            _ => {}
        }
    }

    /// DisplaySupport the file or the command as soon as it is known; the rest comes with the whole input.
    fn more_input(
        &mut self,
        index: u64,
        text: &str,
        parent: Option<&str>,
        display: DisplaySupport,
        calls: &mut ToolCalls,
        actions: &mut Vec<SessionAction>,
    ) {
        let Some(input) = self.inputs.get_mut(&index) else {
            return;
        };
        if input.text.len() + text.len() > MAX_PREVIEW {
            return;
        }
        input.text.push_str(text);
        let complete = partial::complete_members(&input.text);
        let members = complete.as_object().map_or(0, serde_json::Map::len);
        if members > input.shown {
            input.shown = members;
            calls.update(&input.id, &input.name, &complete, parent, display, actions);
        }
    }
}

impl Mapping {
    pub(super) fn assistant(&mut self, message: Message, actions: &mut Vec<SessionAction>) {
        if message.is_synthetic && !self.is_news(&message.uuid) {
            return;
        }
        self.count(&message.parent, message.tokens);
        let told = self.streamed.contains(&message.id);
        let parent = message.parent.as_deref();
        let seen = self.blocks.entry(message.parent.clone()).or_default();
        if seen.0 != message.id {
            *seen = (message.id.clone(), 0);
        }
        let first = seen.1;
        seen.1 += message.blocks.len() as u64;
        for (index, block) in (first..).zip(message.blocks) {
            match block {
                Block::Text(text) if !told => {
                    actions.extend(message_chunk(&message.id, index, &text, parent))
                }
                Block::Thinking(text) if !told => {
                    actions.extend(thought_chunk(&message.id, index, &text, parent));
                }
                Block::ToolUse { id, name, input } => {
                    if let Some(plan) = self.tasks.plan_before(&name, &input) {
                        actions.push(SessionAction::Update(v1::SessionUpdate::Plan(plan)));
                    }
                    let known = &mut self.calls;
                    known.update(&id, &name, &input, parent, self.display, actions);
                    known.complete_input(&id, actions);
                }
                // Tools that the API runs by itself answer in the same message.
                Block::ToolResult {
                    id,
                    content,
                    is_error,
                } => self.finish_call(&id, &content, &Value::Null, is_error, actions),
                _ => {}
            }
        }
    }

    pub(super) fn user(&mut self, message: Message, actions: &mut Vec<SessionAction>) {
        if message.is_replay && !message.uuid.is_empty() {
            actions.push(SessionAction::AcceptPrompt(message.uuid.clone()));
        }
        for block in &message.blocks {
            match block {
                Block::ToolResult {
                    id,
                    content,
                    is_error,
                } => self.finish_call(id, content, &message.tool_result, *is_error, actions),
                Block::Text(text) => {
                    if let Some(end) = TaskEnd::from_note(text) {
                        self.end_task(end, actions);
                    }
                    if let Some(output) = markup::local_output(text)
                        && !markup::is_hush(output)
                        && self.is_news(&message.uuid)
                    {
                        self.push_local_output(output, actions);
                    }
                }
                _ => {}
            }
        }
    }

    /// Notes a frame with what the CLI says by itself. Those that a compaction keeps are told again, and are no news.
    fn is_news(&mut self, uuid: &str) -> bool {
        if self.local.iter().any(|told| told == uuid) {
            return false;
        }
        if self.local.len() == MAX_LOCAL {
            self.local.pop_front();
        }
        if !uuid.is_empty() {
            self.local.push_back(uuid.to_owned());
        }
        true
    }

    /// The output of a command that the CLI carried out itself is an answer like any other.
    pub(super) fn push_local_output(&mut self, text: &str, actions: &mut Vec<SessionAction>) {
        let update = v1::ContentChunk::new(text);
        if !text.trim().is_empty() {
            actions.push(SessionAction::Update(v1::SessionUpdate::AgentMessageChunk(
                update,
            )));
        }
    }

    pub(super) fn push_prompt(&mut self, message: &Message, actions: &mut Vec<SessionAction>) {
        if message.is_synthetic {
            return;
        }
        let texts = message.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => prompt::context_block(text).map(|(uri, _)| uri),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        for block in &message.blocks {
            let content = match block {
                Block::Text(text) => match prompt::attached_content(text) {
                    // A resource comes twice: its name where it was attached, and its text.
                    Some(v1::ContentBlock::ResourceLink(link))
                        if texts.contains(&link.uri.as_str()) =>
                    {
                        continue;
                    }
                    Some(attached) => attached,
                    None => match markup::prompt_text(text) {
                        Some(text) => v1::ContentBlock::from(text),
                        None => continue,
                    },
                },
                Block::Image { data, mime_type } => {
                    let image = v1::ImageContent::new(data.as_str(), mime_type.as_str());
                    v1::ContentBlock::Image(image)
                }
                _ => continue,
            };
            let mut chunk = v1::ContentChunk::new(content);
            if !message.uuid.is_empty() {
                chunk = chunk.message_id(message.uuid.as_str());
            }
            actions.push(SessionAction::Update(v1::SessionUpdate::UserMessageChunk(
                chunk,
            )));
        }
    }

    fn finish_call(
        &mut self,
        id: &str,
        content: &Value,
        result: &Value,
        is_error: bool,
        actions: &mut Vec<SessionAction>,
    ) {
        let Some(call) = self
            .calls
            .finish(id, content, result, is_error, self.display, actions)
        else {
            return;
        };
        // A subagent says nothing after its end.
        let agent = Some(id.to_owned());
        self.streaming.remove(&agent);
        self.blocks.remove(&agent);
        if tools::is_plan(&call.name)
            && !is_error
            && let Some(plan) = self.tasks.plan_after(&call.name, &call.input, result)
        {
            actions.push(SessionAction::Update(v1::SessionUpdate::Plan(plan)));
        }
    }
}

fn message_chunk(id: &str, index: u64, text: &str, parent: Option<&str>) -> Option<SessionAction> {
    let chunk = chunk(id, index, text, parent)?;
    Some(SessionAction::Update(v1::SessionUpdate::AgentMessageChunk(
        chunk,
    )))
}

fn thought_chunk(id: &str, index: u64, text: &str, parent: Option<&str>) -> Option<SessionAction> {
    let chunk = chunk(id, index, text, parent)?;
    Some(SessionAction::Update(v1::SessionUpdate::AgentThoughtChunk(
        chunk,
    )))
}

/// Each block is a message of its own, since tool calls come in between.
fn chunk(id: &str, index: u64, text: &str, parent: Option<&str>) -> Option<v1::ContentChunk> {
    if text.is_empty() {
        return None;
    }
    let mut chunk = v1::ContentChunk::new(text);
    if !id.is_empty() {
        chunk = chunk.message_id(format!("{id}:{index}"));
    }
    if let Some(parent) = parent {
        let about = json!({ "parentToolUseId": parent });
        chunk = chunk.meta(Meta::new().with("claudeCode", about));
    }
    Some(chunk)
}

/// Longer inputs are texts to be written, which show once they are whole.
const MAX_PREVIEW: usize = 4096;
const MAX_LOCAL: usize = 64;
