//! Messages of the model and prompts of the user. The CLI sends a message twice, as deltas and then block by block; the
//! client gets it once.

use std::collections::HashMap;

use attache::schema::Meta;
use attache::v1;
use serde_json::{Value, json};

use super::tool_calls::ToolCalls;
use super::{DisplaySupport, Mapping, SessionAction};
use crate::frames::{Block, Delta, Message, MessageEvent, TaskEnd};
use crate::{prompt, tools};

/// A message that is being streamed.
#[derive(Debug, Default)]
pub(super) struct StreamingMessage {
    id: String,
    /// Tool calls with incomplete input, by the index of their block.
    inputs: HashMap<u64, Input>,
}

#[derive(Debug)]
struct Input {
    id: String,
    name: String,
    text: String,
    /// Number of complete members when the call was last shown.
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
            Block::ToolResult { .. } | Block::Image { .. } | Block::Other => {}
        }
    }

    /// Shows the file or the command as soon as it is known; the rest is shown with the complete input.
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
        let complete = complete_members(&input.text);
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
                // Tools that the API runs itself have their result in the same message.
                Block::ToolResult {
                    id,
                    content,
                    is_error,
                } => self.finish_call(&id, &content, &Value::Null, is_error, actions),
                // The client has the streamed text already.
                Block::Text(_) | Block::Thinking(_) | Block::Image { .. } | Block::Other => {}
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
                    if let Some(output) = prompt::local_output(text)
                        && !prompt::is_hush(output)
                        && self.is_news(&message.uuid)
                    {
                        self.push_local_output(output, actions);
                    }
                }
                Block::Thinking(_) | Block::ToolUse { .. } | Block::Image { .. } | Block::Other => {
                }
            }
        }
    }

    /// Remembers a frame with the CLI's own text. A compaction repeats those that it keeps, which are not shown again.
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

    /// Shows the output of a command that the CLI handled itself as a message of the agent.
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
                    // A resource appears twice: as a link where it was attached, and with its text.
                    Some(v1::ContentBlock::ResourceLink(link))
                        if texts.contains(&link.uri.as_str()) =>
                    {
                        continue;
                    }
                    Some(attached) => attached,
                    None => match prompt::prompt_text(text) {
                        Some(text) => v1::ContentBlock::from(text),
                        None => continue,
                    },
                },
                Block::Image { data, mime_type } => {
                    let image = v1::ImageContent::new(data.as_str(), mime_type.as_str());
                    v1::ContentBlock::Image(image)
                }
                Block::Thinking(_)
                | Block::ToolUse { .. }
                | Block::ToolResult { .. }
                | Block::Other => continue,
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
        // A subagent sends nothing after its end.
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

/// Each block is its own message, because tool calls come in between.
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

/// The complete members of a JSON object of which only the start has arrived.
fn complete_members(text: &str) -> Value {
    let end = last_comma(text);
    match end {
        Some(end) => serde_json::from_str(&format!("{}}}", &text[..end])).unwrap_or_default(),
        None => Value::Null,
    }
}

/// Position of the last comma between members of the outermost object.
fn last_comma(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped, mut found) = (0_u32, false, false, None);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => found = Some(at),
            _ => {}
        }
    }
    found
}

/// Longer inputs contain the text of a file, which is shown when it is complete.
const MAX_PREVIEW: usize = 4096;
const MAX_LOCAL: usize = 64;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::complete_members;

    fn check(text: &str, expected: &Expect) {
        expected.assert_eq(&complete_members(text).to_string());
    }

    #[test]
    fn only_whole_members_are_read() {
        check(r#"{"file_path": "/a"#, &expect!["null"]);
        check(
            r#"{"file_path": "/a, b", "cont"#,
            &expect![[r#"{"file_path":"/a, b"}"#]],
        );
        check(
            r#"{"a": [1, {"b": "\"}"}], "c": "x\"#,
            &expect![[r#"{"a":[1,{"b":"\"}"}]}"#]],
        );
        check("nonsense, and more", &expect!["null"]);
    }
}
