//! Applying one update to a transcript.

use attache_schema::json::Raw;
use attache_schema::v1;

use super::change::{Change, StatePart};
use super::compaction::CompactionEntry;
use super::entry::EntryKey;
use super::entry::EntryKind;
use super::message::{MessageEntry, MessageKind};
use super::state::PlanWithoutId;
use super::subagent::{SessionMessageEntry, SubagentEntry};
use super::{ToolCallEntry, Transcript};

impl Transcript {
    /// Applies the next update of the session and returns what changed.
    #[warn(clippy::wildcard_enum_match_arm)]
    pub fn apply(&mut self, update: v1::SessionUpdate) -> Change {
        use v1::SessionUpdate as Update;
        match update {
            Update::UserMessageChunk(chunk) => self.add_message_chunk(MessageKind::User, chunk),
            Update::AgentMessageChunk(chunk) => self.add_message_chunk(MessageKind::Agent, chunk),
            Update::AgentThoughtChunk(chunk) => self.add_message_chunk(MessageKind::Thought, chunk),
            Update::ToolCall(call) => self.put_tool_call(call),
            Update::ToolCallUpdate(update) => self.update_tool_call(update),
            Update::Plan(plan) => {
                self.state.plan = Some(plan);
                self.state_changed(StatePart::Plan)
            }
            Update::PlanUpdate(update) => self.put_plan(update),
            Update::PlanRemoved(removed) => self.remove_plan(&removed.plan_id),
            Update::AvailableCommandsUpdate(commands) => {
                self.state.commands = Some(commands);
                self.state_changed(StatePart::Commands)
            }
            Update::CurrentModeUpdate(mode) => {
                self.state.mode = Some(mode);
                self.state_changed(StatePart::Mode)
            }
            Update::ConfigOptionUpdate(config) => {
                self.state.config = Some(config);
                self.state_changed(StatePart::Config)
            }
            Update::SessionInfoUpdate(info) => {
                info.title.apply_to(&mut self.state.title);
                info.updated_at.apply_to(&mut self.state.updated_at);
                self.state_changed(StatePart::Info)
            }
            Update::UsageUpdate(usage) => {
                self.state.usage = Some(usage);
                self.state_changed(StatePart::Usage)
            }
            Update::Notice(notice) => self.log.push(EntryKind::Notice(notice)),
            Update::CompactionUpdate(update) => self.update_compaction(update),
            Update::CompactionSummaryChunk(chunk) => self.add_summary_chunk(chunk),
            Update::SubagentUpdate(update) => self.update_subagent(*update),
            Update::SessionMessage(message) => self.update_session_message(message),
            Update::SessionMessageChunk(chunk) => self.add_session_message_chunk(chunk),
            Update::Other(raw) => self.log.push(EntryKind::Unknown(raw)),
            unknown => self.log.push(EntryKind::Unknown(Raw::of(&unknown))),
        }
    }

    fn add_message_chunk(&mut self, kind: MessageKind, chunk: v1::ContentChunk) -> Change {
        let Some(index) = self.message_for(kind, &chunk) else {
            let message = MessageEntry::from_chunk(kind, chunk);
            return self.log.push(EntryKind::Message(message));
        };
        self.log.grow(index, |kind| match kind {
            EntryKind::Message(message) => Some(message.push(chunk)),
            _ => None,
        })
    }

    /// The entry that a chunk continues: the last entry, or an earlier one with the same message id.
    fn message_for(&self, kind: MessageKind, chunk: &v1::ContentChunk) -> Option<usize> {
        let last = self.log.entries().back();
        let is_next = |message: &MessageEntry| message.continues_with(kind, chunk);
        if let Some(entry) = last.filter(|last| last.message().is_some_and(is_next)) {
            return Some(entry.index());
        }
        let id = chunk.message_id.clone()?;
        self.log.find(&EntryKey::Message(kind, id))
    }

    fn put_tool_call(&mut self, report: v1::ToolCall) -> Change {
        let known = self
            .log
            .find(&EntryKey::ToolCall(report.tool_call_id.clone()));
        let call = Box::new(ToolCallEntry::new(report, self.log.turn()));
        let entry = EntryKind::ToolCall(call);
        match known {
            Some(index) => self.log.change(index, |old| *old = entry),
            None => self.log.push(entry),
        }
    }

    fn update_tool_call(&mut self, update: v1::ToolCallUpdate) -> Change {
        let turn = self.log.turn();
        let known = self
            .log
            .find(&EntryKey::ToolCall(update.tool_call_id.clone()));
        let Some(index) = known else {
            let call = ToolCallEntry::from_update(update, turn);
            return self.log.push(EntryKind::ToolCall(Box::new(call)));
        };
        self.log.change(index, |kind| {
            if let EntryKind::ToolCall(call) = kind {
                call.change(update, turn);
            }
        })
    }

    fn put_plan(&mut self, update: v1::PlanUpdate) -> Change {
        match self.state.plans.put(update) {
            Ok(()) => self.state_changed(StatePart::Plans),
            Err(PlanWithoutId(update)) => {
                let raw = Raw::of(&v1::SessionUpdate::PlanUpdate(update));
                self.log.push(EntryKind::Unknown(raw))
            }
        }
    }

    fn remove_plan(&mut self, id: &v1::PlanId) -> Change {
        if self.state.plans.remove(id) {
            self.state_changed(StatePart::Plans)
        } else {
            Change::Nothing
        }
    }

    fn update_compaction(&mut self, update: v1::CompactionUpdate) -> Change {
        let id = update.compaction_id.clone();
        let change = match self.log.find(&EntryKey::Compaction(id.clone())) {
            Some(index) => self.log.change(index, |kind| {
                if let EntryKind::Compaction(compaction) = kind {
                    compaction.change(update);
                }
            }),
            None => {
                let mut compaction = CompactionEntry::new(id);
                compaction.change(update);
                self.log.push(EntryKind::Compaction(compaction))
            }
        };
        self.state.compaction = change.entry();
        change
    }

    fn add_summary_chunk(&mut self, chunk: v1::CompactionSummaryChunk) -> Change {
        let v1::CompactionSummaryChunk {
            compaction_id: id,
            content,
            ..
        } = chunk;
        let change = match self.log.find(&EntryKey::Compaction(id.clone())) {
            Some(index) => self.append(index, content),
            None => {
                let mut compaction = CompactionEntry::new(id);
                compaction.summary.push(content);
                self.log.push(EntryKind::Compaction(compaction))
            }
        };
        self.state.compaction = change.entry();
        change
    }

    fn update_subagent(&mut self, update: v1::SubagentUpdate) -> Change {
        let id = update.session_id.clone();
        let Some(index) = self.log.find(&EntryKey::Subagent(id.clone())) else {
            let mut child = SubagentEntry::new(id);
            child.change(update);
            return self.log.push(EntryKind::Subagent(Box::new(child)));
        };
        self.log.change(index, |kind| {
            if let EntryKind::Subagent(child) = kind {
                child.change(update);
            }
        })
    }

    fn update_session_message(&mut self, update: v1::SessionMessage) -> Change {
        let id = update.message_id.clone();
        let Some(index) = self.log.find(&EntryKey::SessionMessage(id.clone())) else {
            let mut message = SessionMessageEntry::new(id);
            message.change(update);
            return self.log.push(EntryKind::SessionMessage(Box::new(message)));
        };
        self.log.change(index, |kind| {
            if let EntryKind::SessionMessage(message) = kind {
                message.change(update);
            }
        })
    }

    fn add_session_message_chunk(&mut self, chunk: v1::SessionMessageChunk) -> Change {
        let id = chunk.message_id;
        if let Some(index) = self.log.find(&EntryKey::SessionMessage(id.clone())) {
            return self.append(index, chunk.content);
        }
        let mut message = SessionMessageEntry::new(id);
        message.content.push(chunk.content);
        self.log.push(EntryKind::SessionMessage(Box::new(message)))
    }

    fn append(&mut self, index: usize, block: v1::ContentBlock) -> Change {
        self.log.grow(index, |kind| {
            let blocks = kind.blocks_mut()?;
            Some(blocks.push(block))
        })
    }

    fn state_changed(&mut self, part: StatePart) -> Change {
        self.log.next_revision();
        Change::State(part)
    }
}
