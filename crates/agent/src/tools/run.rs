//! `run`: runs a shell command in a terminal of the client, or in our own if the client offers none. The command ends with
//! the call, or runs in the background until it is stopped or the session ends.

mod background;
mod closing_terminals;
mod report;
mod terminal;

use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use attache::json::Raw;
use attache::schema::FilePath;
use attache::v1;
use attache_text::plain;
use serde_json::json;

use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::{ToolProgress, Workplace, format};
use crate::ToolOutcome;
pub(super) use background::BackgroundJobs;
pub(super) use closing_terminals::ClosingTerminals;
use report::{CommandReport, CommandStatus};
use terminal::ToolTerminal;

/// Runs a command, or manages one that runs in the background.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    /// Runs a command.
    Start(StartCommand),
    /// Returns the output of a background command.
    Output {
        /// Its id.
        id: String,
    },
    /// Stops a background command.
    Stop {
        /// Its id.
        id: String,
    },
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartCommand {
    /// The shell command.
    pub command: String,
    /// The directory to run in. Default: the working directory of the session.
    pub cwd: Option<String>,
    /// Timeout in seconds.
    pub timeout: Option<u32>,
    /// Whether the command keeps running after the call.
    pub background: bool,
}

/// A prepared `run` call.
#[derive(Debug)]
pub(super) enum PreparedRun {
    Run {
        command: String,
        cwd: PathBuf,
        timeout: Duration,
    },
    Keep {
        command: String,
        cwd: PathBuf,
    },
    Output {
        id: String,
    },
    Stop {
        id: String,
    },
}

impl Run {
    pub(super) fn of(mut members: InputObject) -> Result<Run, InvalidInput> {
        let id = members.optional_word("id")?;
        match (id, members.has("command")) {
            (Some(_), true) => Err(InvalidInput::of(
                "id",
                "cannot be combined with `command`; send `id` to manage a running command, `command` to run another",
            )),
            (Some(id), false) => match members.flag("stop")? {
                true => Ok(Run::Stop { id }),
                false => Ok(Run::Output { id }),
            },
            (None, _) => Ok(Run::Start(StartCommand {
                command: members.word("command")?,
                cwd: members.optional_word("cwd")?,
                timeout: members.number("timeout")?.filter(|seconds| *seconds > 0),
                background: members.flag("background")?,
            })),
        }
    }

    pub(super) fn title(&self) -> String {
        match self {
            Run::Start(start) => {
                let command = plain::one_line(&start.command, LONGEST_SHOWN);
                let how = if start.background {
                    " in the background"
                } else {
                    ""
                };
                format!("Run `{command}`{how}")
            }
            Run::Output { id } => format!("Show the output of command {id}"),
            Run::Stop { id } => format!("Stop command {id}"),
        }
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedRun, ToolError> {
        let start = match self {
            Run::Start(start) => start,
            Run::Output { id } => return Ok(PreparedRun::Output { id }),
            Run::Stop { id } => return Ok(PreparedRun::Stop { id }),
        };
        let named = start.cwd.as_deref().unwrap_or(".");
        let cwd = workplace.resolve_for_reading("run", named).await?;
        let directory = cwd.clone();
        workplace
            .on_disk(move |_, roots| roots.resolve_directory(&directory).map(drop))
            .await?;
        let command = start.command;
        if start.background {
            return Ok(PreparedRun::Keep { command, cwd });
        }
        let seconds = start.timeout.unwrap_or(USUAL_TIMEOUT).min(LONGEST_TIMEOUT);
        let timeout = Duration::from_secs(seconds.into());
        Ok(PreparedRun::Run {
            command,
            cwd,
            timeout,
        })
    }
}

impl PreparedRun {
    /// The whole command, because a title may show only its beginning.
    pub(super) fn content(&self, workplace: &Workplace) -> Option<v1::ToolCallContent> {
        let (command, cwd) = match self {
            PreparedRun::Run { command, cwd, .. } | PreparedRun::Keep { command, cwd } => {
                (command, cwd)
            }
            PreparedRun::Output { .. } | PreparedRun::Stop { .. } => return None,
        };
        let place = match workplace.shown(cwd).as_str() {
            "." => String::new(),
            shown => format!("in `{shown}`:\n"),
        };
        let text = format!("{place}{}", format::fenced(command, "sh"));
        Some(v1::ContentBlock::from(text).into())
    }

    /// The command for rules: with its directory, links resolved.
    pub(super) fn input(&self) -> Option<Raw> {
        let (command, cwd, background) = match self {
            PreparedRun::Run { command, cwd, .. } => (command, cwd, false),
            PreparedRun::Keep { command, cwd } => (command, cwd, true),
            PreparedRun::Output { .. } | PreparedRun::Stop { .. } => return None,
        };
        let cwd = cwd.display().to_string();
        let input = match background {
            true => json!({ "command": command, "cwd": cwd, "background": true }),
            false => json!({ "command": command, "cwd": cwd }),
        };
        Some(Raw::from(input))
    }

    pub(super) async fn perform(
        self,
        workplace: &Workplace,
        progress: impl FnMut(ToolProgress) + Send,
    ) -> Result<ToolOutcome, ToolError> {
        match self {
            PreparedRun::Run {
                command,
                cwd,
                timeout,
            } => {
                let request = request(workplace, &command, cwd)?;
                let terminal = ToolTerminal::create(workplace, request).await?;
                run(&terminal, timeout, progress).await
            }
            PreparedRun::Keep { command, cwd } => {
                workplace.background().check_room()?;
                let request = request(workplace, &command, cwd)?;
                let terminal = ToolTerminal::create(workplace, request).await?;
                keep(workplace, terminal, progress).await
            }
            PreparedRun::Output { id } => {
                let terminal = workplace.background().get(&id)?;
                let report = terminal.report(CommandStatus::Running { id }).await?;
                Ok(report.outcome(terminal.content()))
            }
            PreparedRun::Stop { id } => {
                let terminal = workplace.background().take(&id)?;
                terminal.kill().await;
                let report = terminal.report(CommandStatus::Stopped { id }).await;
                terminal.release().await;
                Ok(report?.outcome(None))
            }
        }
    }
}

/// Waits until the command ends or times out.
async fn run(
    terminal: &ToolTerminal,
    timeout: Duration,
    mut progress: impl FnMut(ToolProgress) + Send,
) -> Result<ToolOutcome, ToolError> {
    let shown = terminal.show(&mut progress);
    let how = {
        let wait = pin!(terminal.wait());
        let follow = pin!(terminal.follow(&mut progress));
        tokio::select! {
            exit = wait => CommandStatus::Ended(exit?),
            () = follow => CommandStatus::Ended(None),
            () = tokio::time::sleep(timeout) => CommandStatus::TimedOut(timeout),
        }
    };
    if let CommandStatus::TimedOut(_) = how {
        terminal.kill().await;
    }
    let report = terminal.report(how).await;
    shown.sent().await;
    terminal.release().await;
    Ok(report?.outcome(terminal.content()))
}

/// Moves a command to the background, unless it ends at once.
async fn keep(
    workplace: &Workplace,
    terminal: ToolTerminal,
    mut progress: impl FnMut(ToolProgress) + Send,
) -> Result<ToolOutcome, ToolError> {
    let shown = terminal.show(&mut progress);
    let ended = tokio::time::timeout(EARLY, terminal.wait()).await;
    shown.sent().await;
    if let Ok(exit) = ended {
        let report = terminal.report(CommandStatus::Ended(exit?)).await;
        terminal.release().await;
        return Ok(report?.outcome(terminal.content()));
    }
    let content = terminal.content();
    let (id, terminal) = workplace.background().put(terminal)?;
    let report: CommandReport = terminal.report(CommandStatus::Running { id }).await?;
    Ok(report.outcome(content))
}

fn request(
    workplace: &Workplace,
    command: &str,
    cwd: PathBuf,
) -> Result<v1::CreateTerminalRequest, ToolError> {
    let (shell, flag) = SHELL;
    let id = workplace.session().id().clone();
    let mut request = v1::CreateTerminalRequest::new(id, shell);
    request.args = vec![flag.to_owned(), command.to_owned()];
    let variable = |(name, value): &(&str, &str)| v1::EnvVariable::new(*name, *value);
    request.env = QUIET.iter().map(variable).collect();
    request.cwd = FilePath::try_from(cwd).ok();
    request.output_byte_limit = Some(KEPT);
    Ok(request)
}

const USUAL_TIMEOUT: u32 = 120;
const LONGEST_TIMEOUT: u32 = 3600;
const LONGEST_SHOWN: usize = 80;
/// How long to watch a new background command, in case it fails at once.
const EARLY: Duration = Duration::from_millis(500);
/// Bytes of output that a terminal keeps; the model gets fewer.
const KEPT: u64 = 1024 * 1024;

#[cfg(windows)]
const SHELL: (&str, &str) = ("cmd", "/C");
#[cfg(not(windows))]
const SHELL: (&str, &str) = ("/bin/sh", "-c");

/// Keeps commands from paging, prompting and colouring.
const QUIET: [(&str, &str); 9] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("EDITOR", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
];
