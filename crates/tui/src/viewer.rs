//! The viewer of recordings: a list of records, and one of them in detail.

mod draw;
mod screen;
#[cfg(test)]
mod tests;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_recording::RecordFilter;
use crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;

use screen::Viewer;

/// Whether a recording is still being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// The recording is complete. Shown from its beginning.
    Finished,
    /// The recording is still being written. Shown from its end, as it grows.
    Growing,
}

/// Why a recording can't be shown.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The recording can't be opened.
    #[error("can't open {}", path.display())]
    Recording {
        /// The path of the recording.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The terminal can't be set up or restored.
    #[error("can't set up or restore the terminal")]
    Terminal(#[source] io::Error),
    /// Reading the recording or drawing it failed.
    #[error(transparent)]
    Show(#[from] io::Error),
}

/// Shows a recording on the terminal until the user quits.
pub fn view(file: &Path, filter: RecordFilter, growth: Growth) -> Result<(), Error> {
    let viewer = match growth {
        Growth::Finished => Viewer::open(file, filter),
        Growth::Growing => Viewer::follow(file, filter),
    };
    let mut viewer = viewer.map_err(|source| Error::Recording {
        path: file.to_owned(),
        source,
    })?;
    let mut terminal = ratatui::try_init().map_err(Error::Terminal)?;
    let shown = show(&mut terminal, &mut viewer);
    ratatui::try_restore().map_err(Error::Terminal)?;
    Ok(shown?)
}

fn show(terminal: &mut DefaultTerminal, viewer: &mut Viewer) -> io::Result<()> {
    loop {
        let size = terminal.size()?;
        viewer.resize(size.width, size.height);
        viewer.refresh()?;
        terminal.draw(|frame| draw::draw(viewer, frame))?;
        let patience = match viewer.is_settled() {
            true => SETTLED,
            false => SCANNING,
        };
        if !event::poll(patience)? {
            continue;
        }
        // Keys typed ahead are handled before the next drawing.
        while event::poll(Duration::ZERO)? {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && viewer.key(key)? == ControlFlow::Break(())
            {
                return Ok(());
            }
        }
    }
}

const SCANNING: Duration = Duration::from_millis(100);
const SETTLED: Duration = Duration::from_secs(3600);
