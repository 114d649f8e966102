//! `attache run`: one prompt, headless.

mod exec_denials;
mod output;
mod task;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::PathBuf;

use anyhow::{Context, bail};
use attache::json;
use attache_client::conversation::Conversation;
use attache_client::print::{self, Colour, OutputTarget, Printer};
use attache_client::session_setting::SessionSetting;

use crate::arguments::{Format, Run};
use crate::exit::{self, Exit};
use crate::prepare::{PreparedConversation, Presence, SessionChoice, session_settings};
use crate::signals::Interrupts;
use crate::text;
use exec_denials::ExecDenials;
use output::OutputWriter;
use task::{Progress, RunTask};

pub(crate) async fn run(run: &Run) -> anyhow::Result<Exit> {
    let prepared = RunRequest::of(run).and_then(|request| {
        let prepared = PreparedConversation::of(&run.terms, Presence::Unattended)?;
        Ok((request, prepared))
    });
    let (request, prepared) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    if let Err(error) = prepared.agent.locate() {
        return Ok(exit::fail(Exit::Failed, &error.into()));
    }
    let interrupts = Interrupts::new();
    let output = OutputWriter::new();
    let trace = prepared.trace();
    let setup = match run.format {
        Format::Json => prepared.setup.listen(print_lines(&output)),
        Format::Text | Format::Quiet => prepared.setup,
    };
    let task = RunTask {
        conversation: Conversation::start(prepared.program, setup),
        opening: prepared.opening,
        recorder: prepared.recorder,
        request,
        login: prepared.agent.login,
        printer: printer(run.format),
        output,
        interrupts,
        progress: Progress::default(),
        exec_denials: ExecDenials::of(prepared.watcher),
    };
    let exit = task.run(run.timeout).await;
    PreparedConversation::finish(trace);
    exit
}

/// Prints messages as they are on the wire; on a terminal, without control characters.
fn print_lines(
    output: &OutputWriter,
) -> impl Fn(attache_client::conversation::LineDirection, &[u8]) + Send + Sync + 'static {
    let output = output.clone();
    let is_screen = std::io::stdout().is_terminal();
    move |_, line| {
        let Some(line) = message(line) else { return };
        let mut line = match is_screen {
            true => text::line(line),
            false => line.to_owned(),
        };
        line.push('\n');
        output.answer(line);
    }
}

/// The line, if it is a message. A line such as `[info] ready` only looks like JSON.
fn message(line: &[u8]) -> Option<&str> {
    let line = std::str::from_utf8(line).ok()?;
    let is_message = line.starts_with(['{', '[']) && json::from_str::<json::Raw>(line).is_ok();
    is_message.then_some(line)
}

fn printer(format: Format) -> Printer {
    let format = match format {
        Format::Text => print::PrintFormat::Text,
        Format::Json => print::PrintFormat::None,
        Format::Quiet => print::PrintFormat::Quiet,
    };
    let target = if std::io::stdout().is_terminal() {
        OutputTarget::Terminal
    } else {
        OutputTarget::Plain
    };
    let wants_colour = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let colour = if std::io::stderr().is_terminal() && wants_colour {
        Colour::On
    } else {
        Colour::Off
    };
    Printer::new(format, target, colour)
}

/// The request on the command line, as far as it is known without the agent.
struct RunRequest {
    prompt: String,
    files: Vec<PathBuf>,
    session: SessionChoice,
    settings: VecDeque<SessionSetting>,
}

impl RunRequest {
    fn of(run: &Run) -> anyhow::Result<RunRequest> {
        for file in &run.attach {
            let found = file.metadata();
            found.with_context(|| format!("--attach {}", file.display()))?;
        }
        Ok(RunRequest {
            prompt: read_prompt(run)?,
            files: run.attach.clone(),
            session: SessionChoice::of(&run.terms),
            settings: session_settings(&run.terms).into(),
        })
    }
}

fn read_prompt(run: &Run) -> anyhow::Result<String> {
    let words = run.prompt.join(" ");
    let more = match &run.file {
        Some(path) if path.as_os_str() == "-" => {
            Some(read_text(std::io::stdin(), "standard input")?)
        }
        Some(path) => {
            let name = format!("-f {}", path.display());
            Some(read_text(File::open(path).context(name.clone())?, &name)?)
        }
        None if words == "-" => return read_text(std::io::stdin(), "standard input"),
        None if words.is_empty() && !std::io::stdin().is_terminal() => {
            Some(read_text(std::io::stdin(), "standard input")?)
        }
        None => None,
    };
    let parts = [words, more.unwrap_or_default()];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let prompt = parts.join("\n\n");
    if prompt.trim().is_empty() && run.attach.is_empty() {
        bail!("no prompt: write it after `run`, or read it from a file with -f");
    }
    Ok(prompt)
}

fn read_text(from: impl Read, name: &str) -> anyhow::Result<String> {
    let mut text = String::new();
    let read = from.take(MAX_PROMPT + 1).read_to_string(&mut text);
    read.with_context(|| name.to_owned())?;
    if u64::try_from(text.len()).unwrap_or(u64::MAX) > MAX_PROMPT {
        bail!("{name}: longer than {} MB", MAX_PROMPT >> 20);
    }
    Ok(text)
}

/// Maximum length of a prompt, which must fit into a message.
const MAX_PROMPT: u64 = 8 << 20;
