//! Commands that run, and what they have written so far.

use std::io;
use std::time::Duration;

use attache::json::Raw;
use attache::process::ForeignProcess;
use attache::schema::Meta;
use attache::v1;
use serde_json::json;
use tokio::time::Instant;

use super::Session;
use crate::live::{Door, Tail, Visit};
use crate::tools;

/// The commands of a session that run or are about to.
#[derive(Debug, Default)]
pub(super) struct Commands {
    pub(super) door: Option<Door>,
    /// Calls whose command has not begun, oldest first, with the command's letters.
    expected: Vec<(String, String)>,
    /// Commands that have begun before their call was told.
    early: Vec<Visit>,
    running: Vec<Running>,
}

#[derive(Debug)]
struct Running {
    tool_call: String,
    output: Tail,
    process: Option<ForeignProcess>,
    /// The end of what it has written, for clients that do not show terminals.
    shown: String,
    /// How often there was nothing new.
    quiet: u32,
    next_look: Instant,
}

impl Running {
    /// What is told whole each time is told less often the longer it is, and what is quiet is looked at less often.
    fn pause(&self) -> Duration {
        let times = u32::try_from(1 + self.shown.len() / STEP).unwrap_or(u32::MAX);
        LOOK.saturating_mul(times.saturating_add((self.quiet / QUIET).min(SLOWEST)))
    }
}

impl Commands {
    /// A command is about to run. The calls whose commands are known to run now.
    pub(super) fn expect(&mut self, tool_call: String, command: &str) -> Vec<String> {
        let command = letters(command);
        if command.is_empty() {
            return Vec::new();
        }
        self.expected.push((tool_call, command));
        let early = std::mem::take(&mut self.early);
        early
            .into_iter()
            .filter_map(|visit| self.begin(visit))
            .collect()
    }

    pub(super) async fn next(&mut self) -> Option<Visit> {
        match &mut self.door {
            Some(door) => door.next().await,
            None => std::future::pending().await,
        }
    }

    /// One that has come and was not taken yet.
    fn waiting(&mut self) -> Option<Visit> {
        self.door.as_mut()?.waiting()
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.running.iter().map(|command| command.next_look).min()
    }

    /// The CLI is gone, and its commands with it.
    pub(super) fn forget(&mut self) {
        self.expected.clear();
        self.early.clear();
        self.running.clear();
    }

    /// Ends what a call runs; false if it runs nothing that is known.
    pub(super) fn kill(&mut self, tool_call: &str) -> bool {
        let running = self.running.iter().find(|it| it.tool_call == tool_call);
        let process = running.and_then(|running| running.process.as_ref());
        process.is_some_and(ForeignProcess::kill)
    }

    /// The call that a command belongs to, if it is one of a tool: hooks and servers have a shell, too.
    fn begin(&mut self, visit: Visit) -> Option<String> {
        let script = letters(&visit.script);
        // Of commands that are part of each other the longest is meant, of equal ones the oldest.
        let fits = |at: &usize| script.contains(self.expected[*at].1.as_str());
        let fitting = (0..self.expected.len()).rev().filter(fits);
        let Some(at) = fitting.max_by_key(|at| self.expected[*at].1.len()) else {
            if self.early.len() < EARLY {
                self.early.push(visit);
            }
            return None;
        };
        let (tool_call, _) = self.expected.remove(at);
        self.running.push(Running {
            tool_call: tool_call.clone(),
            output: visit.output,
            process: visit.process,
            shown: String::new(),
            quiet: 0,
            next_look: Instant::now() + LOOK,
        });
        Some(tool_call)
    }
}

impl Session {
    pub(super) async fn visited(&mut self, visit: Option<Visit>) {
        match visit.map(|visit| self.commands.begin(visit)) {
            Some(Some(call)) => self.runs(&call).await,
            Some(None) => {}
            None => self.commands.door = None,
        }
    }

    /// The command of a call has begun, whether or not it ever writes something.
    pub(super) async fn runs(&mut self, call: &str) {
        let update = v1::ToolCallUpdate::new(call).status(v1::ToolCallStatus::InProgress);
        self.tell(v1::SessionUpdate::ToolCallUpdate(update)).await;
    }

    pub(super) async fn look_at_commands(&mut self) {
        let now = Instant::now();
        let mut running = std::mem::take(&mut self.commands.running);
        for command in running.iter_mut().filter(|it| it.next_look <= now) {
            command.quiet = match self.look(command).await {
                true => 0,
                false => command.quiet.saturating_add(1),
            };
            command.next_look = now + command.pause();
        }
        self.commands.running = running;
    }

    /// A call has ended: all that its command has written is told before its end is.
    pub(super) async fn ran(&mut self, tool_call: &str) {
        while let Some(visit) = self.commands.waiting() {
            self.commands.begin(visit);
        }
        let commands = &mut self.commands;
        commands.expected.retain(|(id, _)| id != tool_call);
        let at = commands
            .running
            .iter()
            .position(|it| it.tool_call == tool_call);
        let Some(at) = at else {
            return;
        };
        let mut command = commands.running.remove(at);
        // Without it the CLI's own text is shown.
        self.finish(&mut command).await.ok();
        // What is early now belongs to nothing that is to come.
        self.commands.early.clear();
    }

    /// Tells the end of what a command has written. Without terminals what the call gives back tells it, unless the
    /// command was left in the background.
    async fn finish(&mut self, command: &mut Running) -> io::Result<()> {
        let id = command.tool_call.as_str();
        if self.shows.terminals {
            while self.look(command).await {}
            let rest = command.output.rest().await?;
            self.show(&command.tool_call, &rest).await;
        } else if self.mapping.is_in_background(id) {
            let end = command.output.end().await?;
            self.show(id, &end).await;
        } else {
            let size = command.output.size().await?;
            self.mapping.wrote(id, size, command.output.end().await?);
        }
        Ok(())
    }

    /// Tells what a command has written since; false if that is nothing.
    async fn look(&mut self, command: &mut Running) -> bool {
        let more = command.output.more().await;
        if more.is_empty() {
            return false;
        }
        if self.shows.terminals {
            self.show(&command.tool_call, &more).await;
        } else {
            command.shown.push_str(&more);
            keep_end(&mut command.shown);
            self.show(&command.tool_call, &command.shown).await;
        }
        true
    }

    /// Tells output of a call: more of it for a terminal, else all that is to be seen.
    async fn show(&mut self, id: &str, output: &str) {
        if output.is_empty() {
            return;
        }
        self.mapping.is_live(id);
        let mut update = v1::ToolCallUpdate::new(id).status(v1::ToolCallStatus::InProgress);
        if self.shows.terminals {
            let data = tools::terminal_lines(output);
            let output = json!({ "terminal_id": id, "data": data });
            update = update.meta(Meta::new().with("terminal_output", Raw::from(output)));
        } else {
            update = update.content([tools::fenced("console", output)]);
        }
        self.tell(v1::SessionUpdate::ToolCallUpdate(update)).await;
    }
}

/// What stays of a command however a shell quotes it.
fn letters(command: &str) -> String {
    let is_kept = |letter: &char| !letter.is_whitespace() && !matches!(letter, '\'' | '"' | '\\');
    command.chars().filter(is_kept).take(LETTERS).collect()
}

fn keep_end(text: &mut String) {
    if text.len() > SHOWN {
        let mut start = text.len() - SHOWN;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text.drain(..start);
    }
}

/// How often a command's output is looked at.
const LOOK: Duration = Duration::from_millis(80);
const QUIET: u32 = 16;
const SLOWEST: u32 = 7;
const STEP: usize = 2048;
const SHOWN: usize = 16 * 1024;
const EARLY: usize = 16;
const LETTERS: usize = 32 * 1024;

#[cfg(test)]
mod tests {
    use super::{Commands, Tail, Visit};

    async fn begun(commands: &mut Commands, script: &str) -> Option<String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        commands.begin(Visit {
            script: script.to_owned(),
            output: Tail::open(file.path()).await.expect("open"),
            process: None,
        })
    }

    #[tokio::test]
    async fn a_command_goes_to_the_call_that_it_was_made_for() {
        let mut commands = Commands::default();
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
