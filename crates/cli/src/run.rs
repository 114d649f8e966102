//! `attache run`: one prompt, headless.

mod asked;
mod errand;
mod exec_denials;
mod interrupt;
mod pen;

use std::io::IsTerminal;

use attache::json;
use attache_client::conversation::Conversation;
use attache_client::print::{self, Colour, OutputTarget, Printer};

use crate::arguments::{Format, Run};
use crate::exit::{self, Exit};
use crate::terms::{Prepared, Presence};
use crate::text;
use asked::Asked;
use errand::{Errand, Progress};
use exec_denials::ExecDenials;
use interrupt::Interrupts;
use pen::Pen;

pub(crate) async fn run(run: &Run) -> anyhow::Result<Exit> {
    let prepared = Asked::of(run).and_then(|asked| {
        let prepared = Prepared::of(&run.terms, Presence::Unattended)?;
        Ok((asked, prepared))
    });
    let (asked, prepared) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    if let Err(error) = prepared.agent.locate() {
        return Ok(exit::fail(Exit::Failed, &error.into()));
    }
    let interrupts = Interrupts::new();
    let pen = Pen::new();
    let trace = prepared.trace();
    let setup = match run.format {
        Format::Json => prepared.setup.listen(wire(&pen)),
        Format::Text | Format::Quiet => prepared.setup,
    };
    let errand = Errand {
        conversation: Conversation::start(prepared.program, setup),
        opening: prepared.opening,
        recorder: prepared.recorder,
        asked,
        login: prepared.agent.login,
        printer: printer(run.format),
        pen,
        interrupts,
        progress: Progress::default(),
        exec_denials: ExecDenials::of(prepared.watcher),
    };
    let exit = errand.run(run.timeout).await;
    Prepared::finish(trace);
    exit
}

/// Messages as they are on the wire. A screen gets nothing that could touch it.
fn wire(
    pen: &Pen,
) -> impl Fn(attache_client::conversation::LineDirection, &[u8]) + Send + Sync + 'static {
    let pen = pen.clone();
    let is_screen = std::io::stdout().is_terminal();
    move |_, line| {
        let Some(line) = message(line) else { return };
        let mut line = match is_screen {
            true => text::line(line),
            false => line.to_owned(),
        };
        line.push('\n');
        pen.answer(line);
    }
}

/// A line such as `[info] ready` only looks like one.
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
    let surface = if std::io::stdout().is_terminal() {
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
    Printer::new(format, surface, colour)
}
