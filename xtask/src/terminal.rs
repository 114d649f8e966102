//! A terminal for programs that need one: a separate tmux server, ended on drop.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{self, Command};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub(crate) struct Terminal {
    socket: String,
}

impl Terminal {
    /// Starts a program in a terminal of this size.
    pub(crate) fn open<W: AsRef<OsStr>>(
        (columns, rows): (u16, u16),
        directory: &Path,
        words: &[W],
    ) -> Result<Terminal, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let terminal = Terminal {
            socket: format!("attache-xtask-{}-{number}", process::id()),
        };
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let mut start = terminal.tmux(&["-f", "/dev/null", "new-session", "-d"]);
        start.args(["-x", &columns, "-y", &rows]).arg("-c");
        finish(start.arg(directory).args(words))?;
        Ok(terminal)
    }

    /// Types text literally.
    pub(crate) fn type_text(&self, text: &str) -> Result<(), String> {
        finish(&mut self.tmux(&["send-keys", "-l", text])).map(drop)
    }

    /// Presses a key by its tmux name.
    pub(crate) fn press(&self, key: &str) -> Result<(), String> {
        finish(&mut self.tmux(&["send-keys", key])).map(drop)
    }

    pub(crate) fn screen(&self) -> Result<String, String> {
        finish(&mut self.tmux(&["capture-pane", "-p"]))
    }

    /// The screen with colour codes.
    pub(crate) fn coloured_screen(&self) -> Result<String, String> {
        finish(&mut self.tmux(&["capture-pane", "-e", "-p"]))
    }

    /// Waits until the screen matches, and returns it.
    pub(crate) fn wait(
        &self,
        what: &str,
        limit: Duration,
        mut is_there: impl FnMut(&str) -> bool,
    ) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let screen = self.screen()?;
            if is_there(&screen) {
                return Ok(screen);
            }
            if start.elapsed() > limit {
                let seconds = limit.as_secs();
                let screen = screen.trim_end();
                return Err(format!(
                    "`{what}` did not appear within {seconds} s; on the screen:\n{screen}"
                ));
            }
            thread::sleep(STEP);
        }
    }

    fn tmux(&self, words: &[&str]) -> Command {
        let mut command = Command::new("tmux");
        command.args(["-u", "-L", &self.socket]).args(words);
        command.env_remove("TMUX");
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // This fails if the server has already exited.
        finish(&mut self.tmux(&["kill-server"])).ok();
    }
}

fn finish(tmux: &mut Command) -> Result<String, String> {
    let output = tmux.output();
    let output = output.map_err(|error| format!("can't start tmux: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("tmux: {}", said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

const STEP: Duration = Duration::from_millis(50);
