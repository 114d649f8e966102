//! The terminal: taken over, drawn on, and put back, also when something goes wrong.

use std::io::{self, BufWriter, IsTerminal, Stdout, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use crossterm::terminal::{
    Clear, ClearType, DisableLineWrap, EnableLineWrap, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};

use super::backend::FixedColumns;
use crate::chat::effect::Mouse;

/// The terminal while we have it. It is put back when this is dropped.
pub(super) struct Stage {
    terminal: Terminal<FixedColumns<CrosstermBackend<BufWriter<Stdout>>>>,
    mouse: Mouse,
}

impl Stage {
    pub(super) fn enter() -> io::Result<Stage> {
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other(
                "this is no terminal; use `attache run` in scripts and pipes",
            ));
        }
        put_back_on_panic();
        take(Mouse::Ours)?;
        let terminal = terminal().inspect_err(|_| put_back())?;
        Ok(Stage {
            terminal,
            mouse: Mouse::Ours,
        })
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw)?;
        Ok(())
    }

    /// Has the next drawing draw everything. The terminal is asked nothing: its answer would come in between keys.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        execute!(io::stdout(), DisableLineWrap, Clear(ClearType::All))?;
        self.terminal = terminal()?;
        Ok(())
    }

    /// Asks the terminal to put a text on the clipboard (OSC 52).
    pub(super) fn copy(&mut self, text: &str) -> io::Result<()> {
        let mut out = io::stdout();
        write!(out, "\u{1b}]52;c;{}\u{7}", STANDARD.encode(text))?;
        out.flush()
    }

    pub(super) fn mouse(&mut self, mouse: Mouse) -> io::Result<()> {
        self.mouse = mouse;
        match mouse {
            Mouse::Ours => execute!(io::stdout(), EnableMouseCapture),
            Mouse::Terminal => execute!(io::stdout(), DisableMouseCapture),
        }
    }

    /// Gives the terminal away for a while.
    pub(super) fn leave(&mut self) {
        put_back();
    }

    pub(super) fn return_to(&mut self) -> io::Result<()> {
        take(self.mouse)?;
        self.clear()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        put_back();
    }
}

/// A terminal that is written to once for each drawing.
fn terminal() -> io::Result<Terminal<FixedColumns<CrosstermBackend<BufWriter<Stdout>>>>> {
    let out = BufWriter::with_capacity(DRAWING, io::stdout());
    Terminal::new(FixedColumns::new(CrosstermBackend::new(out)))
}

fn take(mouse: Mouse) -> io::Result<()> {
    enable_raw_mode()?;
    IS_TAKEN.store(true, Ordering::Relaxed);
    begin(&mut io::stdout())?;
    match mouse {
        Mouse::Ours => execute!(io::stdout(), EnableMouseCapture),
        Mouse::Terminal => Ok(()),
    }
}

/// What the terminal is told before anything is drawn.
pub(in crate::chat) fn begin(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        EnterAlternateScreen,
        DisableLineWrap,
        EnableBracketedPaste
    )
}

/// Puts the terminal back. There is nobody to tell if that fails: the terminal is gone.
fn put_back() {
    if !IS_TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    execute!(
        io::stdout(),
        DisableMouseCapture,
        DisableBracketedPaste,
        EnableLineWrap,
        LeaveAlternateScreen,
        cursor::Show
    )
    .ok();
    disable_raw_mode().ok();
}

/// A panic is to be read on a terminal that works.
fn put_back_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            put_back();
            before(panic);
        }));
    });
}

/// Bytes of a drawing that are written at once.
const DRAWING: usize = 64 * 1024;
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Signals that end the program; the terminal is put back first.
#[cfg(unix)]
pub(super) struct Signals {
    term: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    /// While a login has the terminal, Ctrl-C is meant for it.
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals {
            term: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits until it is time to leave.
    pub(super) async fn next(&mut self) {
        loop {
            tokio::select! {
                _ = self.term.recv() => return,
                _ = self.hangup.recv() => return,
                _ = self.interrupt.recv() => {}
            }
        }
    }
}

#[cfg(not(unix))]
pub(super) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(super) fn new() -> io::Result<Signals> {
        Ok(Signals)
    }

    pub(super) async fn next(&mut self) {
        std::future::pending().await
    }
}
