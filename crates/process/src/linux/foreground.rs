//! The terminal that an attached program gets for its own, and that is taken back when it has ended.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::process::{Pid, WaitId, WaitIdOptions, getpgrp, kill_process_group, waitid};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp};

use super::child_setup;

/// A terminal as it was before it was given away.
pub(super) struct ForegroundTerminal {
    terminal: OwnedFd,
    stream: usize,
    owner: Pid,
    settings: Termios,
}

impl ForegroundTerminal {
    /// The terminal behind the streams, if it is ours to give: we are in its foreground.
    pub(super) fn of(stdio: &[OwnedFd; 3]) -> Option<ForegroundTerminal> {
        let owner = getpgrp();
        let is_ours = |stream: &OwnedFd| tcgetpgrp(stream).is_ok_and(|group| group == owner);
        let stream = stdio.iter().position(is_ours)?;
        Some(ForegroundTerminal {
            settings: tcgetattr(&stdio[stream]).ok()?,
            terminal: stdio[stream].try_clone().ok()?,
            stream,
            owner,
        })
    }

    /// Which of the three streams is the terminal.
    pub(super) fn stream(&self) -> usize {
        self.stream
    }

    /// Makes the terminal the owner's again, as it was. Fails when the terminal is gone, which changes nothing.
    pub(super) fn restore(&self) -> io::Result<()> {
        child_setup::with_signals_blocked(|| {
            tcsetpgrp(&self.terminal, self.owner)?;
            tcsetattr(&self.terminal, OptionalActions::Drain, &self.settings)?;
            Ok(())
        })
    }
}

/// Continues a program that was stopped, by Ctrl-Z or otherwise: there is no shell here that would.
pub(super) fn continue_if_stopped(agent: Pid, pidfd: &OwnedFd) {
    let stopped = waitid(
        WaitId::PidFd(pidfd.as_fd()),
        WaitIdOptions::STOPPED | WaitIdOptions::NOHANG,
    );
    if let Ok(Some(_)) = stopped {
        // It fails if the program has just ended, which the next look tells.
        kill_process_group(agent, rustix::process::Signal::CONT).ok();
    }
}
