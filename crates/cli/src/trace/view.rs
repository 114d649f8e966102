//! `attache trace view`: a recording in the terminal, or as a page.

mod draw;
mod html;
mod screen;
#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal};
use std::time::Duration;

use anyhow::{Context, anyhow};
use attache_recording::Filter;
use crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;

use crate::arguments::View;
use crate::exit::{self, Exit};
use screen::{Next, Screen};

pub(super) fn view(arguments: &View) -> anyhow::Result<Exit> {
    let filter = Filter {
        session: arguments.session.clone(),
        method: arguments.method.clone(),
        text: arguments.text.clone(),
        stream: None,
    };
    if let Some(out) = &arguments.html {
        return html::write(&arguments.file, &filter, out);
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let error = anyhow!("this is no terminal; use --html OUT, or `attache trace stats`");
        return Ok(exit::fail(Exit::Usage, &error));
    }
    let screen = match arguments.follow {
        true => Screen::follow(&arguments.file, filter),
        false => Screen::open(&arguments.file, filter),
    };
    let mut screen = screen.with_context(|| arguments.file.display().to_string())?;
    let mut terminal = ratatui::try_init().context("the terminal")?;
    let shown = show(&mut terminal, &mut screen);
    ratatui::try_restore().context("the terminal")?;
    shown.map(|()| Exit::Done)
}

fn show(terminal: &mut DefaultTerminal, screen: &mut Screen) -> anyhow::Result<()> {
    loop {
        let size = terminal.size()?;
        screen.resize(size.width, size.height);
        screen.refresh()?;
        terminal.draw(|frame| draw::draw(screen, frame))?;
        let patience = match screen.is_settled() {
            true => SETTLED,
            false => SCANNING,
        };
        if !event::poll(patience)? {
            continue;
        }
        // What has been typed ahead is not drawn one by one.
        while event::poll(Duration::ZERO)? {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && screen.key(key)? == Next::Leave
            {
                return Ok(());
            }
        }
    }
}

const SCANNING: Duration = Duration::from_millis(100);
const SETTLED: Duration = Duration::from_secs(3600);
