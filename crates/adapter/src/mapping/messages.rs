//! Messages of the model and prompts of the person. The CLI tells a message twice, piece by piece and block by block;
//! the client is told once.

use std::collections::HashMap;

use attache::schema::Meta;
use attache::v1;
use serde_json::{Value, json};

use super::calls::Calls;
use super::{Act, Mapping, Shows, markup, partial};
use crate::frames::{Block, Delta, Event, Message, TaskEnd};
use crate::{prompt, tools};

/// A message that comes piece by piece.
#[derive(Debug, Default)]
pub(super) struct Making {
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

impl Making {
    pub(super) fn take(
        &mut self,
        event: Event,
        parent: Option<&str>,
        shows: Shows,
        calls: &mut Calls,
        acts: &mut Vec<Act>,
    ) {
        match event {
            Event::Message { id, .. } => {
                *self = Making {
                    id,
                    ..Making::default()
                }
            }
            Event::Block { index, block } => self.begin(index, block, parent, shows, calls, acts),
            Event::Delta { index, delta } => match delta {
                Delta::Text(text) => acts.extend(said(&self.id, index, &text, parent)),
                Delta::Thinking(text) => acts.extend(thought(&self.id, index, &text, parent)),
                Delta::Input(text) => self.more_input(index, &text, parent, shows, calls, acts),
                Delta::Other => {}
            },
            Event::BlockEnd(index) => drop(self.inputs.remove(&index)),
            Event::Tokens(_) | Event::Other => {}
        }
    }

    fn begin(
        &mut self,
        index: u64,
        block: Block,
        parent: Option<&str>,
        shows: Shows,
        calls: &mut Calls,
        acts: &mut Vec<Act>,
    ) {
        match block {
            Block::Text(text) => acts.extend(said(&self.id, index, &text, parent)),
            Block::Thinking(text) => acts.extend(thought(&self.id, index, &text, parent)),
            Block::ToolUse { id, name, .. } => {
                calls.know(&id, &name, &Value::Null, parent, shows, acts);
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

    /// Shows the file or the command as soon as it is known; the rest comes with the whole input.
    fn more_input(
        &mut self,
        index: u64,
        text: &str,
        parent: Option<&str>,
        shows: Shows,
        calls: &mut Calls,
        acts: &mut Vec<Act>,
    ) {
        let Some(input) = self.inputs.get_mut(&index) else {
            return;
        };
        if input.text.len() + text.len() > LONGEST_LOOK {
            return;
        }
        input.text.push_str(text);
        let complete = partial::complete_members(&input.text);
        let members = complete.as_object().map_or(0, serde_json::Map::len);
        if members > input.shown {
            input.shown = members;
            calls.know(&input.id, &input.name, &complete, parent, shows, acts);
        }
    }
}

impl Mapping {
    pub(super) fn assistant(&mut self, message: Message, acts: &mut Vec<Act>) {
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
                Block::Text(text) if !told => acts.extend(said(&message.id, index, &text, parent)),
                Block::Thinking(text) if !told => {
                    acts.extend(thought(&message.id, index, &text, parent));
                }
                Block::ToolUse { id, name, input } => {
                    if let Some(plan) = self.tasks.called(&name, &input) {
                        acts.push(Act::Tell(v1::SessionUpdate::Plan(plan)));
                    }
                    let known = &mut self.calls;
                    known.know(&id, &name, &input, parent, self.shows, acts);
                    known.is_whole(&id, acts);
                }
                // Tools that the API runs by itself answer in the same message.
                Block::ToolResult {
                    id,
                    content,
                    is_error,
                } => self.gave(&id, &content, &Value::Null, is_error, acts),
                _ => {}
            }
        }
    }

    pub(super) fn user(&mut self, message: Message, acts: &mut Vec<Act>) {
        if message.is_replay && !message.uuid.is_empty() {
            acts.push(Act::Taken(message.uuid.clone()));
        }
        for block in &message.blocks {
            match block {
                Block::ToolResult {
                    id,
                    content,
                    is_error,
                } => self.gave(id, content, &message.tool_result, *is_error, acts),
                Block::Text(text) => {
                    if let Some(end) = TaskEnd::written(text) {
                        self.end_task(end, acts);
                    }
                    if let Some(output) = markup::local_output(text)
                        && !markup::is_hush(output)
                        && self.is_news(&message.uuid)
                    {
                        self.say_locally(output, acts);
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
        if self.local.len() == LOCAL {
            self.local.pop_front();
        }
        if !uuid.is_empty() {
            self.local.push_back(uuid.to_owned());
        }
        true
    }

    /// The output of a command that the CLI carried out itself is an answer like any other.
    pub(super) fn say_locally(&mut self, text: &str, acts: &mut Vec<Act>) {
        let update = v1::ContentChunk::new(text);
        if !text.trim().is_empty() {
            acts.push(Act::Tell(v1::SessionUpdate::AgentMessageChunk(update)));
        }
    }

    pub(super) fn prompt(&mut self, message: &Message, acts: &mut Vec<Act>) {
        if message.is_synthetic {
            return;
        }
        let texts = message.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => prompt::context(text).map(|(uri, _)| uri),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        for block in &message.blocks {
            let content = match block {
                Block::Text(text) => match prompt::attached(text) {
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
            acts.push(Act::Tell(v1::SessionUpdate::UserMessageChunk(chunk)));
        }
    }

    fn gave(
        &mut self,
        id: &str,
        content: &Value,
        result: &Value,
        is_error: bool,
        acts: &mut Vec<Act>,
    ) {
        let Some(call) = self
            .calls
            .settle(id, content, result, is_error, self.shows, acts)
        else {
            return;
        };
        // A subagent says nothing after its end.
        let agent = Some(id.to_owned());
        self.making.remove(&agent);
        self.blocks.remove(&agent);
        if tools::is_plan(&call.name)
            && !is_error
            && let Some(plan) = self.tasks.gave(&call.name, &call.input, result)
        {
            acts.push(Act::Tell(v1::SessionUpdate::Plan(plan)));
        }
    }
}

fn said(id: &str, index: u64, text: &str, parent: Option<&str>) -> Option<Act> {
    let chunk = chunk(id, index, text, parent)?;
    Some(Act::Tell(v1::SessionUpdate::AgentMessageChunk(chunk)))
}

fn thought(id: &str, index: u64, text: &str, parent: Option<&str>) -> Option<Act> {
    let chunk = chunk(id, index, text, parent)?;
    Some(Act::Tell(v1::SessionUpdate::AgentThoughtChunk(chunk)))
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
const LONGEST_LOOK: usize = 4096;
const LOCAL: usize = 64;
