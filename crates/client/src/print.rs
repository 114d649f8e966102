//! Prints a conversation without a screen: the agent's answer for standard output, notes for standard error.

mod diff;
#[cfg(test)]
mod tests;
mod tools;

use attache::transcript::MessageKind;
use attache::{Transcript, v1};
use attache_text::plain::visible;

use crate::content;
use crate::event::{Event, PermissionPrompt};
use crate::tool_call::ReportedToolCall;
use attache_host::permissions::DiskComparison;
use attache_text::plain;
use tools::ToolLines;

/// A piece of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrinterOutput {
    /// A part of the agent's answer, for standard output.
    Answer(String),
    /// One or more lines about what the agent does, for standard error, without a final newline.
    Note(String),
}

/// How much is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintFormat {
    /// The answer as it arrives, and notes about what the agent does.
    Text,
    /// Only the last message, when the turn has ended.
    Quiet,
    /// Nothing, because the caller prints the raw messages.
    None,
}

/// Where the answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputTarget {
    /// A terminal: control characters are removed.
    Terminal,
    /// A file or a pipe: gets the agent's text unchanged.
    Plain,
}

/// Whether notes have colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Notes have colours.
    On,
    /// Notes have no colours.
    Off,
}

/// Prints the turns of one session. Updates before the first turn, such as a replayed history, are not printed.
#[derive(Debug)]
pub struct Printer {
    format: PrintFormat,
    target: OutputTarget,
    colour: Colour,
    session: Option<v1::SessionId>,
    transcript: Transcript,
    tools: ToolLines,
    /// Id of the message that was printed last.
    message: Option<v1::MessageId>,
    /// Whether the answer printed so far ends in the middle of a line.
    in_line: bool,
}

impl Printer {
    /// Creates a printer.
    pub fn new(format: PrintFormat, target: OutputTarget, colour: Colour) -> Printer {
        Printer {
            format,
            target,
            colour,
            session: None,
            transcript: Transcript::new(),
            tools: ToolLines::default(),
            message: None,
            in_line: false,
        }
    }

    /// The output for an event.
    pub fn print_event(&mut self, event: &Event) -> Vec<PrinterOutput> {
        let mut pieces = Vec::new();
        match event {
            Event::TurnStarted { session, .. } => self.session = Some(session.clone()),
            Event::Update(told) if self.session.as_ref() == Some(&told.session_id) => {
                self.print_update(&told.update, &mut pieces);
            }
            Event::PermissionDecided {
                prompt,
                is_allowed,
                reason,
            } => {
                let word = if *is_allowed { "allowed" } else { "denied" };
                let reason = plain::line(reason.as_str());
                let said = format!("{word}: {} ({reason})", prompt.long_summary());
                self.note(&said, &mut pieces);
                self.print_changes(prompt, &mut pieces);
                if let Some(call) = prompt.tool_call().filter(|_| !is_allowed) {
                    self.tools.mark_denied(&call.tool_call_id);
                }
            }
            Event::InvalidOutput { count: 1, line } => {
                let line = visible(line);
                self.note(
                    &format!("skipped a line that is not a message: {line}"),
                    &mut pieces,
                );
            }
            Event::TurnEnded { session, .. } if self.session.as_ref() == Some(session) => {
                self.finish_turn(&mut pieces);
            }
            // Not printed: other sessions, what the transcript shows anyway, and what the caller reports itself.
            Event::Update(_)
            | Event::TurnEnded { .. }
            | Event::InvalidOutput { .. }
            | Event::AgentReady(_)
            | Event::SessionOpened(_)
            | Event::SessionClosed(_)
            | Event::SessionDeleted(_)
            | Event::SessionsListed(_)
            | Event::QueueChanged { .. }
            | Event::Steered { .. }
            | Event::ModeSet { .. }
            | Event::OptionsSet { .. }
            | Event::PermissionRequested(_)
            | Event::PermissionWithdrawn(_)
            | Event::DecisionRemembered { .. }
            | Event::DecisionUndone { .. }
            | Event::FormRequested { .. }
            | Event::FormWithdrawn(_)
            | Event::FormCompleted(_)
            | Event::TerminalChanged(_)
            | Event::Notice(_)
            | Event::LoginRequired(_)
            | Event::LoggedIn(_)
            | Event::LoggedOut
            | Event::Problem(_)
            | Event::CommandFailed(_)
            | Event::AgentExited { .. } => {}
        }
        pieces
    }

    /// A note of our own, formatted like the others.
    pub fn print_remark(&mut self, text: &str) -> Vec<PrinterOutput> {
        let mut pieces = Vec::new();
        self.note(text, &mut pieces);
        pieces
    }

    /// Ends a line of the answer that is not complete.
    pub fn end(&mut self) -> Vec<PrinterOutput> {
        let mut pieces = Vec::new();
        self.end_line(&mut pieces);
        pieces
    }

    #[warn(clippy::wildcard_enum_match_arm)]
    fn print_update(&mut self, update: &v1::SessionUpdate, pieces: &mut Vec<PrinterOutput>) {
        match update {
            v1::SessionUpdate::AgentMessageChunk(chunk) if self.format == PrintFormat::Text => {
                self.print_message(chunk, pieces);
            }
            v1::SessionUpdate::ToolCall(_) | v1::SessionUpdate::ToolCallUpdate(_) => {
                self.transcript.apply(update.clone());
                self.print_tool_call(update, pieces);
                return;
            }
            v1::SessionUpdate::Notice(notice) => {
                let severity = notice.severity.as_str();
                let said = [Some(&notice.title), notice.description.as_ref()];
                let said: Vec<&str> = said.into_iter().flatten().map(String::as_str).collect();
                let said = format!("{severity}: {}", said.join(": "));
                self.note(&visible(&said), pieces);
            }
            // Not printed as it arrives. `Quiet` prints the last message when the turn ends.
            v1::SessionUpdate::AgentMessageChunk(_)
            | v1::SessionUpdate::UserMessageChunk(_)
            | v1::SessionUpdate::AgentThoughtChunk(_)
            | v1::SessionUpdate::Plan(_)
            | v1::SessionUpdate::PlanUpdate(_)
            | v1::SessionUpdate::PlanRemoved(_)
            | v1::SessionUpdate::AvailableCommandsUpdate(_)
            | v1::SessionUpdate::CurrentModeUpdate(_)
            | v1::SessionUpdate::ConfigOptionUpdate(_)
            | v1::SessionUpdate::SessionInfoUpdate(_)
            | v1::SessionUpdate::UsageUpdate(_)
            | v1::SessionUpdate::CompactionUpdate(_)
            | v1::SessionUpdate::CompactionSummaryChunk(_)
            | v1::SessionUpdate::SubagentUpdate(_)
            | v1::SessionUpdate::SessionMessage(_)
            | v1::SessionUpdate::SessionMessageChunk(_)
            | v1::SessionUpdate::Other(_) => {}
            // Kept, but not printed: nobody knows yet what it means.
            unknown => {
                self.transcript.apply(unknown.clone());
                return;
            }
        }
        if self.format == PrintFormat::Quiet {
            self.transcript.apply(update.clone());
        }
    }

    fn print_message(&mut self, chunk: &v1::ContentChunk, pieces: &mut Vec<PrinterOutput>) {
        let is_next = self.message.is_some() && chunk.message_id.is_some();
        if is_next && self.message != chunk.message_id {
            self.end_line(pieces);
        }
        self.message.clone_from(&chunk.message_id);
        match chunk.content.as_text() {
            Some(text) => self.print(text, pieces),
            None => {
                let said = content::summary_line(&chunk.content);
                self.note(&said, pieces);
            }
        }
    }

    /// Prints the changes of a tool call, as changes of the files on disk where they apply.
    fn print_changes(&mut self, asked: &PermissionPrompt, pieces: &mut Vec<PrinterOutput>) {
        let Some(call) = asked.tool_call() else {
            return;
        };
        for change in &asked.changes {
            let why = match &change.disk {
                DiskComparison::Applies => None,
                DiskComparison::NotFound => Some("the file does not contain this old text"),
                DiskComparison::Ambiguous => Some("the file contains this old text more than once"),
                DiskComparison::OtherLineEndings => {
                    Some("the line endings in the file are different")
                }
                DiskComparison::NoFile => Some("there is no such file"),
                DiskComparison::Unknown(why) | DiskComparison::Replaced(why) => Some(why.as_str()),
            };
            if let Some(why) = why {
                let path = visible(change.diff.path.as_str());
                let why = visible(why);
                self.note(
                    &format!("shown as the agent sent it ({why}): {path}"),
                    pieces,
                );
            }
            self.note_painted(diff::unified(&change.diff, self.colour), pieces);
        }
        self.tools.mark_shown(call);
    }

    fn print_tool_call(&mut self, update: &v1::SessionUpdate, pieces: &mut Vec<PrinterOutput>) {
        let Some(reported) = ReportedToolCall::in_update(update) else {
            return;
        };
        let id = reported.id();
        let call = self
            .transcript
            .tool_call(id)
            .map(|call| call.report.clone());
        let Some(call) = call else { return };
        if let Some(line) = self.tools.finished_line(&call) {
            self.note(&line, pieces);
            let diffs = match self.tools.was_shown(&call) {
                true => Vec::new(),
                false => diff::all(&call, self.colour),
            };
            if !diffs.is_empty() && self.tools.was_denied(id) {
                self.note(
                    "denied: the agent asked for this change, and it was not allowed:",
                    pieces,
                );
            }
            for diff in diffs {
                self.note_painted(diff, pieces);
            }
        }
    }

    /// Prints tool calls that have not ended and, in `Quiet` format, the last message.
    fn finish_turn(&mut self, pieces: &mut Vec<PrinterOutput>) {
        for line in self.tools.unfinished_lines() {
            self.note(&line, pieces);
        }
        if self.format == PrintFormat::Quiet {
            let last = self.last_message();
            self.print(&last, pieces);
            self.transcript = Transcript::new();
        }
        self.end_line(pieces);
    }

    fn last_message(&self) -> String {
        let entries = self.transcript.entries().rev();
        let mut messages = entries.filter_map(|entry| entry.message());
        let last = messages.find(|message| message.kind == MessageKind::Agent);
        last.map(|message| message.content.text().into_owned())
            .unwrap_or_default()
    }

    fn print(&mut self, text: &str, pieces: &mut Vec<PrinterOutput>) {
        if text.is_empty() {
            return;
        }
        self.in_line = !text.ends_with('\n');
        let shown = match self.target {
            OutputTarget::Terminal => plain::lines(text).into_owned(),
            OutputTarget::Plain => text.to_owned(),
        };
        pieces.push(PrinterOutput::Answer(shown));
    }

    fn end_line(&mut self, pieces: &mut Vec<PrinterOutput>) {
        if std::mem::take(&mut self.in_line) {
            pieces.push(PrinterOutput::Answer("\n".to_owned()));
        }
    }

    fn note(&mut self, text: &str, pieces: &mut Vec<PrinterOutput>) {
        let painted = match self.colour {
            Colour::On => format!("{DIM}{text}{PLAIN}"),
            Colour::Off => text.to_owned(),
        };
        self.note_painted(painted, pieces);
    }

    fn note_painted(&mut self, text: String, pieces: &mut Vec<PrinterOutput>) {
        if self.format == PrintFormat::Text {
            self.end_line(pieces);
            pieces.push(PrinterOutput::Note(text));
        }
    }
}

const DIM: &str = "\u{1b}[2m";
const PLAIN: &str = "\u{1b}[0m";
