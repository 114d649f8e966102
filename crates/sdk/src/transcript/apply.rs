//! The fold: one update, applied.

use attache_schema::json::Raw;
use attache_schema::v1;

use super::change::{Change, Topic};
use super::compaction::Compaction;
use super::entry::Item;
use super::message::{Message, MessageKind};
use super::name::Name;
use super::plans::Nameless;
use super::subagent::{SessionMessage, Subagent};
use super::{ToolCall, Transcript};

impl Transcript {
    /// Applies the next update of the session and says what it touched.
    pub fn apply(&mut self, update: v1::SessionUpdate) -> Change {
        use v1::SessionUpdate as Update;
        match update {
            Update::UserMessageChunk(chunk) => self.say(MessageKind::User, chunk),
            Update::AgentMessageChunk(chunk) => self.say(MessageKind::Agent, chunk),
            Update::AgentThoughtChunk(chunk) => self.say(MessageKind::Thought, chunk),
            Update::ToolCall(call) => self.report_call(call),
            Update::ToolCallUpdate(update) => self.change_call(update),
            Update::Plan(plan) => {
                self.state.plan = Some(plan);
                self.told(Topic::Plan)
            }
            Update::PlanUpdate(update) => self.put_plan(update),
            Update::PlanRemoved(removed) => self.remove_plan(&removed.plan_id),
            Update::AvailableCommandsUpdate(commands) => {
                self.state.commands = Some(commands);
                self.told(Topic::Commands)
            }
            Update::CurrentModeUpdate(mode) => {
                self.state.mode = Some(mode);
                self.told(Topic::Mode)
            }
            Update::ConfigOptionUpdate(config) => {
                self.state.config = Some(config);
                self.told(Topic::Config)
            }
            Update::SessionInfoUpdate(info) => {
                info.title.apply_to(&mut self.state.title);
                info.updated_at.apply_to(&mut self.state.updated_at);
                self.told(Topic::Info)
            }
            Update::UsageUpdate(usage) => {
                self.state.usage = Some(usage);
                self.told(Topic::Usage)
            }
            Update::Notice(notice) => self.log.push(Item::Notice(notice)),
            Update::CompactionUpdate(update) => self.change_compaction(update),
            Update::CompactionSummaryChunk(chunk) => self.sum_up(chunk),
            Update::SubagentUpdate(update) => self.change_subagent(*update),
            Update::SessionMessage(message) => self.change_session_message(message),
            Update::SessionMessageChunk(chunk) => self.pass_on(chunk),
            Update::Other(raw) => self.log.push(Item::Unknown(raw)),
        }
    }

    fn say(&mut self, kind: MessageKind, chunk: v1::ContentChunk) -> Change {
        let Some(index) = self.message_for(kind, &chunk) else {
            let message = Message::started_by(kind, chunk);
            return self.log.push(Item::Message(message));
        };
        self.log.edit(index, |item| match item {
            Item::Message(message) => Some(message.push(chunk)),
            _ => None,
        })
    }

    /// The last entry, mostly; another one only by its id.
    fn message_for(&self, kind: MessageKind, chunk: &v1::ContentChunk) -> Option<usize> {
        let last = self.log.entries().back();
        let is_next = |message: &Message| message.goes_on_with(kind, chunk);
        if let Some(entry) = last.filter(|last| last.message().is_some_and(is_next)) {
            return Some(entry.index());
        }
        let id = chunk.message_id.clone()?;
        self.log.find(&Name::Message(kind, id))
    }

    fn report_call(&mut self, said: v1::ToolCall) -> Change {
        let known = self.log.find(&Name::ToolCall(said.tool_call_id.clone()));
        let call = Box::new(ToolCall::reported(said, self.log.turn()));
        let item = Item::ToolCall(call);
        match known {
            Some(index) => self.log.change(index, |old| *old = item),
            None => self.log.push(item),
        }
    }

    fn change_call(&mut self, update: v1::ToolCallUpdate) -> Change {
        let turn = self.log.turn();
        let known = self.log.find(&Name::ToolCall(update.tool_call_id.clone()));
        let Some(index) = known else {
            let call = ToolCall::unreported(update, turn);
            return self.log.push(Item::ToolCall(Box::new(call)));
        };
        self.log.change(index, |item| {
            if let Item::ToolCall(call) = item {
                call.change(update, turn);
            }
        })
    }

    fn put_plan(&mut self, update: v1::PlanUpdate) -> Change {
        match self.state.plans.put(update) {
            Ok(()) => self.told(Topic::Plans),
            Err(Nameless(update)) => {
                let raw = Raw::of(&v1::SessionUpdate::PlanUpdate(update));
                self.log.push(Item::Unknown(raw))
            }
        }
    }

    fn remove_plan(&mut self, id: &v1::PlanId) -> Change {
        if self.state.plans.remove(id) {
            self.told(Topic::Plans)
        } else {
            Change::Nothing
        }
    }

    fn change_compaction(&mut self, update: v1::CompactionUpdate) -> Change {
        let id = update.compaction_id.clone();
        let change = match self.log.find(&Name::Compaction(id.clone())) {
            Some(index) => self.log.change(index, |item| {
                if let Item::Compaction(compaction) = item {
                    compaction.change(update);
                }
            }),
            None => {
                let mut compaction = Compaction::running(id);
                compaction.change(update);
                self.log.push(Item::Compaction(compaction))
            }
        };
        self.state.compaction = change.entry();
        change
    }

    fn sum_up(&mut self, chunk: v1::CompactionSummaryChunk) -> Change {
        let v1::CompactionSummaryChunk {
            compaction_id: id,
            content,
            ..
        } = chunk;
        let change = match self.log.find(&Name::Compaction(id.clone())) {
            Some(index) => self.append(index, content),
            None => {
                let mut compaction = Compaction::running(id);
                compaction.summary.push(content);
                self.log.push(Item::Compaction(compaction))
            }
        };
        self.state.compaction = change.entry();
        change
    }

    fn change_subagent(&mut self, update: v1::SubagentUpdate) -> Change {
        let id = update.session_id.clone();
        let Some(index) = self.log.find(&Name::Subagent(id.clone())) else {
            let mut child = Subagent::unknown(id);
            child.change(update);
            return self.log.push(Item::Subagent(Box::new(child)));
        };
        self.log.change(index, |item| {
            if let Item::Subagent(child) = item {
                child.change(update);
            }
        })
    }

    fn change_session_message(&mut self, update: v1::SessionMessage) -> Change {
        let id = update.message_id.clone();
        let Some(index) = self.log.find(&Name::SessionMessage(id.clone())) else {
            let mut message = SessionMessage::unknown(id);
            message.change(update);
            return self.log.push(Item::SessionMessage(Box::new(message)));
        };
        self.log.change(index, |item| {
            if let Item::SessionMessage(message) = item {
                message.change(update);
            }
        })
    }

    fn pass_on(&mut self, chunk: v1::SessionMessageChunk) -> Change {
        let id = chunk.message_id;
        if let Some(index) = self.log.find(&Name::SessionMessage(id.clone())) {
            return self.append(index, chunk.content);
        }
        let mut message = SessionMessage::unknown(id);
        message.content.push(chunk.content);
        self.log.push(Item::SessionMessage(Box::new(message)))
    }

    fn append(&mut self, index: usize, block: v1::ContentBlock) -> Change {
        self.log.edit(index, |item| {
            let blocks = item.blocks_mut()?;
            Some(blocks.push(block))
        })
    }

    fn told(&mut self, topic: Topic) -> Change {
        self.log.next_revision();
        Change::State(topic)
    }
}
