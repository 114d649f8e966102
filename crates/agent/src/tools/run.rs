//! Runs a line of shell in a terminal, of the client where it offers them, otherwise of our own. It ends with the call,
//! or stays in the background until it is stopped or the session ends.

mod background;
mod departures;
mod report;
mod terminal;

use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use attache::json::Raw;
use attache::schema::FilePath;
use attache::v1;
use serde_json::json;

use super::fault::Fault;
use super::input::{Members, Misfit};
use super::{Progress, Workplace, told};
use crate::Outcome;
pub(super) use background::Background;
pub(super) use departures::Departures;
use report::{How, Report};
use terminal::Terminal;

/// Runs a command, or looks after one that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Run {
    /// Runs a command.
    Start(Start),
    /// Looks at a command in the background.
    Look {
        /// Its id.
        id: String,
    },
    /// Ends a command in the background.
    Stop {
        /// Its id.
        id: String,
    },
}

/// A command to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Start {
    /// A line for the shell.
    pub command: String,
    /// Where it runs; the working directory if none is named.
    pub cwd: Option<String>,
    /// After how many seconds it is ended.
    pub timeout: Option<u32>,
    /// Whether it stays after the call.
    pub background: bool,
}

/// What is to be run, or looked after.
#[derive(Debug)]
pub(super) enum Job {
    Run {
        command: String,
        cwd: PathBuf,
        timeout: Duration,
    },
    Keep {
        command: String,
        cwd: PathBuf,
    },
    Look {
        id: String,
    },
    Stop {
        id: String,
    },
}

impl Run {
    pub(super) fn of(mut members: Members) -> Result<Run, Misfit> {
        let id = members.optional_word("id")?;
        match (id, members.has("command")) {
            (Some(_), true) => Err(Misfit::of(
                "id",
                "cannot stand beside `command`; send `id` to look after a command that runs, `command` to run another",
            )),
            (Some(id), false) => match members.flag("stop")? {
                true => Ok(Run::Stop { id }),
                false => Ok(Run::Look { id }),
            },
            (None, _) => Ok(Run::Start(Start {
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
                let command = told::one_line(&start.command, LONGEST_SHOWN);
                let how = if start.background {
                    " in the background"
                } else {
                    ""
                };
                format!("Run `{command}`{how}")
            }
            Run::Look { id } => format!("Look at command {id}"),
            Run::Stop { id } => format!("Stop command {id}"),
        }
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<Job, Fault> {
        let start = match self {
            Run::Start(start) => start,
            Run::Look { id } => return Ok(Job::Look { id }),
            Run::Stop { id } => return Ok(Job::Stop { id }),
        };
        let named = start.cwd.as_deref().unwrap_or(".");
        let cwd = workplace.to_read("run", named).await?;
        let directory = cwd.clone();
        workplace
            .on_disk(move |_, roots| roots.resolve_directory(&directory).map(drop))
            .await?;
        let command = start.command;
        if start.background {
            return Ok(Job::Keep { command, cwd });
        }
        let seconds = start.timeout.unwrap_or(USUAL_TIMEOUT).min(LONGEST_TIMEOUT);
        let timeout = Duration::from_secs(seconds.into());
        Ok(Job::Run {
            command,
            cwd,
            timeout,
        })
    }
}

impl Job {
    /// The whole command, of which a title may show only the beginning.
    pub(super) fn content(&self, workplace: &Workplace) -> Option<v1::ToolCallContent> {
        let (command, cwd) = match self {
            Job::Run { command, cwd, .. } | Job::Keep { command, cwd } => (command, cwd),
            Job::Look { .. } | Job::Stop { .. } => return None,
        };
        let place = match workplace.shown(cwd).as_str() {
            "." => String::new(),
            shown => format!("in `{shown}`:\n"),
        };
        let text = format!("{place}{}", told::fenced(command, "sh"));
        Some(v1::ContentBlock::from(text).into())
    }

    /// The command as it is judged: with the directory that it runs in, links followed.
    pub(super) fn input(&self) -> Option<Raw> {
        let (command, cwd, background) = match self {
            Job::Run { command, cwd, .. } => (command, cwd, false),
            Job::Keep { command, cwd } => (command, cwd, true),
            Job::Look { .. } | Job::Stop { .. } => return None,
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
        progress: impl FnMut(Progress) + Send,
    ) -> Result<Outcome, Fault> {
        match self {
            Job::Run {
                command,
                cwd,
                timeout,
            } => {
                let request = request(workplace, &command, cwd)?;
                let terminal = Terminal::create(workplace, request).await?;
                run(&terminal, timeout, progress).await
            }
            Job::Keep { command, cwd } => {
                workplace.background().check_room()?;
                let request = request(workplace, &command, cwd)?;
                let terminal = Terminal::create(workplace, request).await?;
                keep(workplace, terminal, progress).await
            }
            Job::Look { id } => {
                let terminal = workplace.background().get(&id)?;
                let report = terminal.report(How::Running { id }).await?;
                Ok(report.outcome(terminal.content()))
            }
            Job::Stop { id } => {
                let terminal = workplace.background().take(&id)?;
                terminal.kill().await;
                let report = terminal.report(How::Stopped { id }).await;
                terminal.release().await;
                Ok(report?.outcome(None))
            }
        }
    }
}

/// Waits until the command has ended, or ends it.
async fn run(
    terminal: &Terminal,
    timeout: Duration,
    mut progress: impl FnMut(Progress) + Send,
) -> Result<Outcome, Fault> {
    let shown = terminal.show(&mut progress);
    let how = {
        let wait = pin!(terminal.wait());
        let follow = pin!(terminal.follow(&mut progress));
        tokio::select! {
            exit = wait => How::Ended(exit?),
            () = follow => How::Ended(None),
            () = tokio::time::sleep(timeout) => How::TimedOut(timeout),
        }
    };
    if let How::TimedOut(_) = how {
        terminal.kill().await;
    }
    let report = terminal.report(how).await;
    shown.sent().await;
    terminal.release().await;
    Ok(report?.outcome(terminal.content()))
}

/// Lets a command run on, unless it ends at once.
async fn keep(
    workplace: &Workplace,
    terminal: Terminal,
    mut progress: impl FnMut(Progress) + Send,
) -> Result<Outcome, Fault> {
    let shown = terminal.show(&mut progress);
    let ended = tokio::time::timeout(EARLY, terminal.wait()).await;
    shown.sent().await;
    if let Ok(exit) = ended {
        let report = terminal.report(How::Ended(exit?)).await;
        terminal.release().await;
        return Ok(report?.outcome(terminal.content()));
    }
    let content = terminal.content();
    let (id, terminal) = workplace.background().put(terminal)?;
    let report: Report = terminal.report(How::Running { id }).await?;
    Ok(report.outcome(content))
}

fn request(
    workplace: &Workplace,
    command: &str,
    cwd: PathBuf,
) -> Result<v1::CreateTerminalRequest, Fault> {
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
/// A server that cannot start says so in this time.
const EARLY: Duration = Duration::from_millis(500);
/// How many bytes of output a terminal keeps; the model is told fewer.
const KEPT: u64 = 1024 * 1024;

#[cfg(windows)]
const SHELL: (&str, &str) = ("cmd", "/C");
#[cfg(not(windows))]
const SHELL: (&str, &str) = ("sh", "-c");

/// Nobody can page, type or answer; and colours are for eyes.
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
