//! Running shell commands, and their output so far.

use std::io;
use std::time::Duration;

use attache::json::Raw;
use attache::process::ForeignProcess;
use attache::schema::Meta;
use attache::v1;
use serde_json::json;
use tokio::time::Instant;

use super::Session;
use crate::shell::{AnnouncedCommand, OutputTail, ShellListener};
use crate::tools;

/// The shell commands of a session that are running or about to run.
#[derive(Debug, Default)]
pub(super) struct ShellCommands {
    pub(super) listener: Option<ShellListener>,
    /// Tool calls whose command was not announced yet, oldest first, each with the command's signature.
    expected: Vec<(String, String)>,
    /// Announced commands whose tool call is not known yet.
    unmatched: Vec<AnnouncedCommand>,
    running: Vec<RunningCommand>,
}

#[derive(Debug)]
struct RunningCommand {
    tool_call: String,
    output: OutputTail,
    process: Option<ForeignProcess>,
    /// The last part of the output, for clients that do not show terminals.
    shown: String,
    /// Number of reads in a row without new output.
    idle_reads: u32,
    next_read: Instant,
}

impl RunningCommand {
    /// Long output is sent less often, because it is sent whole each time, and idle commands are read less often.
    fn pause(&self) -> Duration {
        let times = u32::try_from(1 + self.shown.len() / LENGTH_STEP).unwrap_or(u32::MAX);
        READ_INTERVAL
            .saturating_mul(times.saturating_add((self.idle_reads / IDLE_STEP).min(MAX_SLOWDOWN)))
    }
}

impl ShellCommands {
    /// Registers the command of a tool call. Returns the tool calls whose commands are now known to run.
    pub(super) fn expect(&mut self, tool_call: String, command: &str) -> Vec<String> {
        let command = signature(command);
        if command.is_empty() {
            return Vec::new();
        }
        self.expected.push((tool_call, command));
        let unmatched = std::mem::take(&mut self.unmatched);
        unmatched
            .into_iter()
            .filter_map(|command| self.begin(command))
            .collect()
    }

    pub(super) async fn next(&mut self) -> Option<AnnouncedCommand> {
        match &mut self.listener {
            Some(listener) => listener.next().await,
            None => std::future::pending().await,
        }
    }

    /// A command that was announced and not handled yet.
    fn try_next(&mut self) -> Option<AnnouncedCommand> {
        self.listener.as_mut()?.try_next()
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.running.iter().map(|command| command.next_read).min()
    }

    /// Forgets all commands, because the CLI is gone and its commands with it.
    pub(super) fn clear(&mut self) {
        self.expected.clear();
        self.unmatched.clear();
        self.running.clear();
    }

    /// Kills the command of a tool call; false if none is known.
    pub(super) fn kill(&mut self, tool_call: &str) -> bool {
        let running = self.running.iter().find(|it| it.tool_call == tool_call);
        let process = running.and_then(|running| running.process.as_ref());
        process.is_some_and(ForeignProcess::kill)
    }

    /// Finds the tool call that an announced command belongs to. Hooks and servers use the shell as well, so there may
    /// be none.
    fn begin(&mut self, command: AnnouncedCommand) -> Option<String> {
        let script = signature(&command.script);
        // If several commands match, the longest wins, then the oldest.
        let fits = |at: &usize| script.contains(self.expected[*at].1.as_str());
        let fitting = (0..self.expected.len()).rev().filter(fits);
        let Some(at) = fitting.max_by_key(|at| self.expected[*at].1.len()) else {
            if self.unmatched.len() < MAX_UNMATCHED {
                self.unmatched.push(command);
            }
            return None;
        };
        let (tool_call, _) = self.expected.remove(at);
        self.running.push(RunningCommand {
            tool_call: tool_call.clone(),
            output: command.output,
            process: command.process,
            shown: String::new(),
            idle_reads: 0,
            next_read: Instant::now() + READ_INTERVAL,
        });
        Some(tool_call)
    }
}

impl Session {
    pub(super) async fn command_announced(&mut self, command: Option<AnnouncedCommand>) {
        match command.map(|command| self.shell_commands.begin(command)) {
            Some(Some(call)) => self.show_in_progress(&call).await,
            Some(None) => {}
            None => self.shell_commands.listener = None,
        }
    }

    /// Shows a tool call as in progress, even if its command never writes anything.
    pub(super) async fn show_in_progress(&mut self, call: &str) {
        let update = v1::ToolCallUpdate::new(call).status(v1::ToolCallStatus::InProgress);
        self.send_update(v1::SessionUpdate::ToolCallUpdate(update))
            .await;
    }

    pub(super) async fn read_command_output(&mut self) {
        let now = Instant::now();
        let mut running = std::mem::take(&mut self.shell_commands.running);
        for command in running.iter_mut().filter(|it| it.next_read <= now) {
            command.idle_reads = match self.send_new_output(command).await {
                true => 0,
                false => command.idle_reads.saturating_add(1),
            };
            command.next_read = now + command.pause();
        }
        self.shell_commands.running = running;
    }

    /// Sends the rest of a command's output before the end of its tool call.
    pub(super) async fn finish_command(&mut self, tool_call: &str) {
        while let Some(command) = self.shell_commands.try_next() {
            self.shell_commands.begin(command);
        }
        let commands = &mut self.shell_commands;
        commands.expected.retain(|(id, _)| id != tool_call);
        let at = commands
            .running
            .iter()
            .position(|it| it.tool_call == tool_call);
        let Some(at) = at else {
            return;
        };
        let mut command = commands.running.remove(at);
        // If this fails, the CLI's own text is shown.
        self.send_remaining_output(&mut command).await.ok();
        // Unmatched commands from before do not belong to calls that are still to come.
        self.shell_commands.unmatched.clear();
    }

    /// Sends the output not sent yet. Without terminals the result of the call shows the output, unless the command was
    /// moved to the background.
    async fn send_remaining_output(&mut self, command: &mut RunningCommand) -> io::Result<()> {
        let id = command.tool_call.as_str();
        if self.display.terminals {
            while self.send_new_output(command).await {}
            let rest = command.output.read_rest().await?;
            self.send_output(&command.tool_call, &rest).await;
        } else if self.mapping.is_in_background(id) {
            let end = command.output.read_end().await?;
            self.send_output(id, &end).await;
        } else {
            let size = command.output.size().await?;
            self.mapping
                .set_command_output(id, size, command.output.read_end().await?);
        }
        Ok(())
    }

    /// Sends the output since the last read; false if there is none.
    async fn send_new_output(&mut self, command: &mut RunningCommand) -> bool {
        let more = command.output.read_new().await;
        if more.is_empty() {
            return false;
        }
        if self.display.terminals {
            self.send_output(&command.tool_call, &more).await;
        } else {
            command.shown.push_str(&more);
            keep_end(&mut command.shown);
            self.send_output(&command.tool_call, &command.shown).await;
        }
        true
    }

    /// Sends output of a call: an addition for a terminal, otherwise all that is to be shown.
    async fn send_output(&mut self, id: &str, output: &str) {
        if output.is_empty() {
            return;
        }
        self.mapping.mark_live(id);
        let mut update = v1::ToolCallUpdate::new(id).status(v1::ToolCallStatus::InProgress);
        if self.display.terminals {
            let data = tools::terminal_lines(output);
            let output = json!({ "terminal_id": id, "data": data });
            update = update.meta(Meta::new().with("terminal_output", Raw::from(output)));
        } else {
            update = update.content([tools::fenced("console", output)]);
        }
        self.send_update(v1::SessionUpdate::ToolCallUpdate(update))
            .await;
    }
}

/// The characters of a command that stay the same however a shell quotes it.
fn signature(command: &str) -> String {
    let is_kept = |letter: &char| !letter.is_whitespace() && !matches!(letter, '\'' | '"' | '\\');
    command
        .chars()
        .filter(is_kept)
        .take(MAX_SIGNATURE)
        .collect()
}

fn keep_end(text: &mut String) {
    if text.len() > MAX_SHOWN {
        let mut start = text.len() - MAX_SHOWN;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text.drain(..start);
    }
}

/// How often the output of a command is read.
const READ_INTERVAL: Duration = Duration::from_millis(80);
const IDLE_STEP: u32 = 16;
const MAX_SLOWDOWN: u32 = 7;
const LENGTH_STEP: usize = 2048;
const MAX_SHOWN: usize = 16 * 1024;
const MAX_UNMATCHED: usize = 16;
const MAX_SIGNATURE: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use super::{AnnouncedCommand, OutputTail, ShellCommands};

    async fn begun(commands: &mut ShellCommands, script: &str) -> Option<String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        commands.begin(AnnouncedCommand {
            script: script.to_owned(),
            output: OutputTail::open(file.path()).await.expect("open"),
            process: None,
        })
    }

    #[tokio::test]
    async fn a_command_goes_to_the_call_that_it_was_made_for() {
        let mut commands = ShellCommands::default();
        for (call, command) in [
            ("a", "ls"),
            ("b", "echo 'false'"),
            ("c", "ls"),
            ("d", "make"),
        ] {
            commands.expect(call.to_owned(), command);
        }
        let of_b = begun(&mut commands, r#"eval 'echo '"'"'false'"'"' '"#).await;
        assert_eq!(of_b.as_deref(), Some("b"));
        assert_eq!(
            begun(&mut commands, "eval 'ls'").await.as_deref(),
            Some("a")
        );
        assert_eq!(
            begun(&mut commands, "eval 'ls'").await.as_deref(),
            Some("c")
        );
        assert_eq!(begun(&mut commands, "eval 'cat'").await, None);
        commands.expect("e".to_owned(), "cat");
        let running: Vec<_> = commands
            .running
            .iter()
            .map(|it| it.tool_call.as_str())
            .collect();
        assert_eq!(running, ["b", "a", "c", "e"]);
    }
}
