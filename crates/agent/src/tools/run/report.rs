//! Reports a command's output and end to the model.

use std::time::Duration;

use attache::v1;
use attache_model::Input;
use serde_json::{Value, json};

use crate::ToolOutcome;
use crate::tools::format;

#[derive(Debug)]
pub(super) struct CommandReport {
    pub(super) output: v1::TerminalOutputResponse,
    pub(super) how: CommandStatus,
    /// A notice about withheld environment variables.
    pub(super) notice: Option<String>,
}

/// Whether and how a command ended.
#[derive(Debug)]
pub(super) enum CommandStatus {
    /// It exited; `None` if the status is unknown.
    Ended(Option<v1::TerminalExitStatus>),
    /// It was ended at its timeout.
    TimedOut(Duration),
    /// In the background, when the model asked for its output.
    Running { id: String },
    /// In the background, stopped by the model.
    Stopped { id: String },
}

impl CommandReport {
    /// The outcome. A client shows `terminal` instead of the text.
    pub(super) fn outcome(self, terminal: Option<v1::ToolCallContent>) -> ToolOutcome {
        let text = self.text();
        let text_block = || v1::ContentBlock::from(text.clone()).into();
        ToolOutcome {
            content: vec![terminal.unwrap_or_else(text_block)],
            raw: Some(self.raw()),
            failed: self.has_failed(),
            for_model: vec![Input::Text(text)],
            locations: Vec::new(),
        }
    }

    fn text(&self) -> String {
        let output = plain(&self.output.output);
        let mut text = format::ends(output.trim_end(), format::MAX_RESULT - ROOM_FOR_NOTES);
        if self.output.truncated {
            text.insert_str(0, "[the beginning of the output was dropped]\n");
        }
        if text.is_empty() {
            text.push_str("[no output]");
        }
        let notice = self.notice.iter().map(|notice| format!("\n[{notice}]"));
        let notice: String = notice.collect();
        format!("{text}{notice}\n[{}]\n", self.ending())
    }

    fn ending(&self) -> String {
        match &self.how {
            CommandStatus::Ended(exit) => ended(exit.as_ref().or(self.output.exit_status.as_ref())),
            CommandStatus::TimedOut(after) => {
                let seconds = usize::try_from(after.as_secs()).unwrap_or(usize::MAX);
                let seconds = format::count(seconds, "second", "seconds");
                format!(
                    "timed out after {seconds}; give it a larger `timeout`, or run it with `background`"
                )
            }
            CommandStatus::Running { id } => match &self.output.exit_status {
                Some(exit) => format!("background command `{id}` has ended: {}", ended(Some(exit))),
                None => format!(
                    "runs in the background as `{id}`; send `id` to see its output, with `stop` to stop it"
                ),
            },
            CommandStatus::Stopped { id } => format!("command `{id}` is stopped"),
        }
    }

    fn has_failed(&self) -> bool {
        match &self.how {
            CommandStatus::Ended(exit) => {
                let exit = exit.as_ref().or(self.output.exit_status.as_ref());
                exit.is_none_or(|exit| exit.exit_code != Some(0))
            }
            CommandStatus::TimedOut(_) => true,
            CommandStatus::Running { .. } | CommandStatus::Stopped { .. } => false,
        }
    }

    fn raw(&self) -> Value {
        let given = match &self.how {
            CommandStatus::Ended(exit) => exit.as_ref(),
            _ => None,
        };
        let exit = given.or(self.output.exit_status.as_ref());
        json!({
            "exit_code": exit.and_then(|exit| exit.exit_code),
            "signal": exit.and_then(|exit| exit.signal.as_deref()),
            "timed_out": matches!(self.how, CommandStatus::TimedOut(_)),
            "bytes": self.output.output.len(),
            "truncated": self.output.truncated,
        })
    }
}

fn ended(exit: Option<&v1::TerminalExitStatus>) -> String {
    match exit.map(|exit| (exit.exit_code, exit.signal.as_deref())) {
        Some((_, Some(signal))) => format!(
            "ended by signal {}",
            attache_text::plain::one_line(signal, 40)
        ),
        Some((Some(code), None)) => format!("exit code {code}"),
        Some((None, None)) | None => {
            "the command ended without reporting an exit status".to_owned()
        }
    }
}

/// Output without escape sequences; of an overwritten line, the last state.
pub(super) fn plain(output: &str) -> String {
    let mut plain = String::with_capacity(output.len());
    let mut line = 0;
    let mut chars = output.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => skip_sequence(&mut chars),
            '\r' if chars.peek().is_some_and(|next| *next != '\n') => plain.truncate(line),
            '\n' => {
                plain.push('\n');
                line = plain.len();
            }
            '\t' => plain.push('\t'),
            char if char.is_control() => {}
            char => plain.push(char),
        }
    }
    plain
}

/// Skips the rest of an escape sequence.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next() {
        Some('[') => {
            chars.find(|char| ('\u{40}'..='\u{7e}').contains(char));
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            let mut last = ' ';
            let ends = |char: &char| {
                let is_end = *char == '\u{7}' || (last == '\u{1b}' && *char == '\\');
                last = *char;
                is_end || *char == '\n'
            };
            chars.find(ends);
        }
        Some('(' | ')' | '#' | '%') => drop(chars.next()),
        _ => {}
    }
}

const ROOM_FOR_NOTES: usize = 2000;
