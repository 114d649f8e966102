//! The terminal: captured, drawn on, and restored, even after a failure.

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
use crate::chat::effect::MouseCapture;

/// The terminal while the UI uses it. Dropping this restores the terminal.
pub(super) struct AltScreen {
    terminal: Terminal<FixedColumns<CrosstermBackend<BufWriter<Stdout>>>>,
    mouse: MouseCapture,
}

impl AltScreen {
    pub(super) fn enter() -> io::Result<AltScreen> {
        if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return Err(io::Error::other(
                "not a terminal; use `attache run` in scripts and pipes",
            ));
        }
        restore_terminal_on_panic();
        capture_terminal(MouseCapture::On)?;
        let terminal = terminal().inspect_err(|_| restore_terminal())?;
        Ok(AltScreen {
            terminal,
            mouse: MouseCapture::On,
        })
    }

    pub(super) fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        self.terminal.draw(draw)?;
        Ok(())
    }

    /// Makes the next drawing draw everything. This does not query the terminal, because its response would arrive
    /// among the keys.
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

    pub(super) fn mouse(&mut self, mouse: MouseCapture) -> io::Result<()> {
        self.mouse = mouse;
        match mouse {
            MouseCapture::On => execute!(io::stdout(), EnableMouseCapture),
            MouseCapture::Off => execute!(io::stdout(), DisableMouseCapture),
        }
    }

    /// Gives up the terminal for a while.
    pub(super) fn leave(&mut self) {
        restore_terminal();
    }

    pub(super) fn reenter(&mut self) -> io::Result<()> {
        capture_terminal(self.mouse)?;
        self.clear()
    }
}

impl Drop for AltScreen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Creates a terminal that is written to once per drawing.
fn terminal() -> io::Result<Terminal<FixedColumns<CrosstermBackend<BufWriter<Stdout>>>>> {
    let out = BufWriter::with_capacity(DRAWING, io::stdout());
    Terminal::new(FixedColumns::new(CrosstermBackend::new(out)))
}

fn capture_terminal(mouse: MouseCapture) -> io::Result<()> {
    enable_raw_mode()?;
    IS_CAPTURED.store(true, Ordering::Relaxed);
    enter_alternate_screen(&mut io::stdout())?;
    match mouse {
        MouseCapture::On => execute!(io::stdout(), EnableMouseCapture),
        MouseCapture::Off => Ok(()),
    }
}

/// Prepares the terminal before anything is drawn.
pub(in crate::chat) fn enter_alternate_screen(out: &mut impl Write) -> io::Result<()> {
    execute!(
        out,
        EnterAlternateScreen,
        DisableLineWrap,
        EnableBracketedPaste
    )
}

/// Restores the terminal. Errors are ignored: the terminal is gone.
fn restore_terminal() {
    if !IS_CAPTURED.swap(false, Ordering::Relaxed) {
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

/// Restores the terminal before a panic message is printed.
fn restore_terminal_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore_terminal();
            before(panic);
        }));
    });
}

/// The size of the output buffer.
const DRAWING: usize = 64 * 1024;
static IS_CAPTURED: AtomicBool = AtomicBool::new(false);

/// The signals that end the program; the terminal is restored first.
#[cfg(unix)]
pub(super) struct ExitSignals {
    term: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
    /// Ignored here: while a login program uses the terminal, Ctrl-C is meant for that program.
    interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl ExitSignals {
    pub(super) fn new() -> io::Result<ExitSignals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(ExitSignals {
            term: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for a signal that ends the program.
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
pub(super) struct ExitSignals;

#[cfg(not(unix))]
impl ExitSignals {
    pub(super) fn new() -> io::Result<ExitSignals> {
        Ok(ExitSignals)
    }

    pub(super) async fn next(&mut self) {
        std::future::pending().await
    }
}
