//! Reading a transcript.

use attache_schema::v1;

use super::entry::Entry;
use super::entry::EntryKey;
use super::message::{MessageEntry, MessageKind};
use super::{CompactionEntry, DroppedCounts, ToolCallEntry, Transcript};

impl Transcript {
    /// The remaining entries, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.log.entries().iter()
    }

    /// The entry with this number, unless it was dropped.
    pub fn entry(&self, index: usize) -> Option<&Entry> {
        self.log.get(index)
    }

    /// The entries that have changed since this [revision](Self::revision), in order.
    pub fn changed_since(&self, revision: u64) -> impl Iterator<Item = &Entry> {
        self.entries()
            .filter(move |entry| entry.revision() > revision)
    }

    /// Revision of the transcript, which grows with each change to an entry or the state.
    pub fn revision(&self) -> u64 {
        self.log.revision()
    }

    /// Number of turns that have started.
    pub fn turns(&self) -> usize {
        self.log.turn()
    }

    /// The tool call with this id.
    pub fn tool_call(&self, id: &v1::ToolCallId) -> Option<&ToolCallEntry> {
        self.tool_call_entry(id)?.tool_call()
    }

    /// The entry of the tool call with this id.
    pub fn tool_call_entry(&self, id: &v1::ToolCallId) -> Option<&Entry> {
        let index = self.log.find(&EntryKey::ToolCall(id.clone()))?;
        self.log.get(index)
    }

    /// The agent's last message.
    pub fn last_message(&self) -> Option<&MessageEntry> {
        let mut messages = self.entries().rev().filter_map(Entry::message);
        messages.find(|message| message.kind == MessageKind::Agent)
    }

    /// Text of the agent's messages since the last message of the user, separated by empty lines.
    pub fn text(&self) -> String {
        let messages = self.entries().rev().filter_map(Entry::message);
        let since = messages.take_while(|message| message.kind != MessageKind::User);
        let said = since.filter(|message| message.kind == MessageKind::Agent);
        let mut texts: Vec<_> = said.map(MessageEntry::text).collect();
        texts.retain(|text| !text.is_empty());
        texts.reverse();
        texts.join("\n\n")
    }

    /// Current plan of the agent.
    pub fn plan(&self) -> Option<&v1::Plan> {
        self.state.plan.as_ref()
    }

    /// Plans with an id, in the order in which they first arrived (unstable).
    pub fn plans(&self) -> &[v1::PlanUpdateContent] {
        self.state.plans.as_slice()
    }

    /// Slash commands of the session.
    pub fn commands(&self) -> &[v1::AvailableCommand] {
        let commands = self.state.commands.as_ref();
        commands.map_or(&[], |commands| &commands.available_commands)
    }

    /// Current mode, if the agent has reported a change.
    pub fn mode(&self) -> Option<&v1::SessionModeId> {
        let mode = self.state.mode.as_ref();
        mode.map(|mode| &mode.current_mode_id)
    }

    /// Config options, as last reported in an update.
    pub fn config(&self) -> &[v1::SessionConfigOption] {
        let config = self.state.config.as_ref();
        config.map_or(&[], |config| &config.config_options)
    }

    /// Use of the context window and cost of the session.
    pub fn usage(&self) -> Option<&v1::UsageUpdate> {
        self.state.usage.as_ref()
    }

    /// Title of the session.
    pub fn title(&self) -> Option<&str> {
        self.state.title.as_deref()
    }

    /// Time of the last activity in the session, in ISO 8601.
    pub fn updated_at(&self) -> Option<&str> {
        self.state.updated_at.as_deref()
    }

    /// The compaction that was updated last. Its status shows whether it is still running.
    pub fn compaction(&self) -> Option<&CompactionEntry> {
        let index = self.state.compaction?;
        self.entry(index)?.compaction()
    }

    /// Size of all entries in bytes; never more than the limit.
    pub fn bytes(&self) -> usize {
        self.log.bytes()
    }

    /// Counters of what was dropped to stay within the limit.
    pub fn dropped(&self) -> DroppedCounts {
        DroppedCounts {
            entries: self.log.first(),
            bytes: self.log.dropped_bytes(),
            plans: self.state.plans.dropped(),
        }
    }
}
