//! What can be read from a transcript.

use attache_schema::v1;

use super::entry::Entry;
use super::message::{MessageEntry, MessageKind};
use super::name::EntryKey;
use super::{CompactionEntry, DroppedCounts, ToolCallEntry, Transcript};

impl Transcript {
    /// The entries that are kept, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.log.entries().iter()
    }

    /// The entry of a number, if it is kept.
    pub fn entry(&self, index: usize) -> Option<&Entry> {
        self.log.get(index)
    }

    /// The entries that have changed since a revision, in order.
    pub fn changed_since(&self, revision: u64) -> impl Iterator<Item = &Entry> {
        self.entries()
            .filter(move |entry| entry.revision() > revision)
    }

    /// Grows with each change of an entry or the state.
    pub fn revision(&self) -> u64 {
        self.log.revision()
    }

    /// The turns that have begun.
    pub fn turns(&self) -> usize {
        self.log.turn()
    }

    /// A tool call by its id.
    pub fn tool_call(&self, id: &v1::ToolCallId) -> Option<&ToolCallEntry> {
        self.tool_call_entry(id)?.tool_call()
    }

    /// The entry of a tool call by the call's id.
    pub fn tool_call_entry(&self, id: &v1::ToolCallId) -> Option<&Entry> {
        let index = self.log.find(&EntryKey::ToolCall(id.clone()))?;
        self.log.get(index)
    }

    /// The agent's last message.
    pub fn last_message(&self) -> Option<&MessageEntry> {
        let mut messages = self.entries().rev().filter_map(Entry::message);
        messages.find(|message| message.kind == MessageKind::Agent)
    }

    /// What the agent has said since the person last spoke: the text of its messages, with an empty line in between.
    pub fn text(&self) -> String {
        let messages = self.entries().rev().filter_map(Entry::message);
        let since = messages.take_while(|message| message.kind != MessageKind::User);
        let said = since.filter(|message| message.kind == MessageKind::Agent);
        let mut texts: Vec<_> = said.map(MessageEntry::text).collect();
        texts.retain(|text| !text.is_empty());
        texts.reverse();
        texts.join("\n\n")
    }

    /// The plan.
    pub fn plan(&self) -> Option<&v1::Plan> {
        self.state.plan.as_ref()
    }

    /// The plans with an id, in the order in which they first came (unstable).
    pub fn plans(&self) -> &[v1::PlanUpdateContent] {
        self.state.plans.as_slice()
    }

    /// The slash commands.
    pub fn commands(&self) -> &[v1::AvailableCommand] {
        let commands = self.state.commands.as_ref();
        commands.map_or(&[], |commands| &commands.available_commands)
    }

    /// The mode, if the agent has changed it.
    pub fn mode(&self) -> Option<&v1::SessionModeId> {
        let mode = self.state.mode.as_ref();
        mode.map(|mode| &mode.current_mode_id)
    }

    /// The config options.
    pub fn config(&self) -> &[v1::SessionConfigOption] {
        let config = self.state.config.as_ref();
        config.map_or(&[], |config| &config.config_options)
    }

    /// How full the context is, and what the session has cost.
    pub fn usage(&self) -> Option<&v1::UsageUpdate> {
        self.state.usage.as_ref()
    }

    /// The session's title.
    pub fn title(&self) -> Option<&str> {
        self.state.title.as_deref()
    }

    /// When the session last changed, in ISO 8601.
    pub fn updated_at(&self) -> Option<&str> {
        self.state.updated_at.as_deref()
    }

    /// The compaction of which the agent last spoke; its status says whether it still runs.
    pub fn compaction(&self) -> Option<&CompactionEntry> {
        let index = self.state.compaction?;
        self.entry(index)?.compaction()
    }

    /// How many bytes the entries hold; never more than the limit.
    pub fn bytes(&self) -> usize {
        self.log.bytes()
    }

    /// What was dropped to keep the limit.
    pub fn dropped(&self) -> DroppedCounts {
        DroppedCounts {
            entries: self.log.first(),
            bytes: self.log.dropped_bytes(),
            plans: self.state.plans.dropped(),
        }
    }
}
