//! A terminal to play in: a tmux server of its own, in an empty directory with an empty home.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::thread;
use std::time::{Duration, Instant};

pub(super) struct Stage {
    socket: String,
    home: PathBuf,
    pub(super) size: (u16, u16),
}

pub(super) enum Key {
    Enter,
    Down,
    Tab,
}

impl Stage {
    /// Starts a command in a terminal of this size, in which these programs have their names. The screen stays when the
    /// command has ended.
    pub(super) fn open(
        number: usize,
        programs: &[PathBuf],
        command: &str,
        size: (u16, u16),
    ) -> Result<Stage, String> {
        let socket = format!("attache-pictures-{}-{number}", process::id());
        let home = std::env::temp_dir().join("attache-tour/greeting");
        set_up(&home, programs).map_err(|error| format!("{}: {error}", home.display()))?;
        let stage = Stage { socket, home, size };
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let home = stage.home.display();
        let command = format!(
            "cd {home} && PATH={home}/../bin:$PATH ATTACHE_HOME={home}/../home COLORTERM=truecolor {command}; sleep 60"
        );
        stage.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            &command,
        ])?;
        Ok(stage)
    }

    pub(super) fn type_text(&self, text: &str) -> Result<(), String> {
        self.tmux(&["send-keys", "-l", text]).map(drop)
    }

    pub(super) fn press(&self, key: &Key) -> Result<(), String> {
        let name = match key {
            Key::Enter => "Enter",
            Key::Down => "Down",
            Key::Tab => "Tab",
        };
        self.tmux(&["send-keys", name]).map(drop)
    }

    /// The screen, with its colours.
    pub(super) fn screen(&self) -> Result<String, String> {
        self.tmux(&["capture-pane", "-e", "-p"])
    }

    /// Waits until a text is on the screen, and then until nothing moves.
    pub(super) fn see(&self, text: &str) -> Result<(), String> {
        let start = Instant::now();
        let mut before = String::new();
        loop {
            let screen = self.tmux(&["capture-pane", "-p"])?;
            if screen.contains(text) && screen == before {
                return Ok(());
            }
            if start.elapsed() > LIMIT {
                return Err(format!("`{text}` did not come; on the screen is\n{screen}"));
            }
            before = screen;
            thread::sleep(STEP);
        }
    }

    fn tmux(&self, words: &[&str]) -> Result<String, String> {
        // Variables of this machine have no place in a picture.
        let output = Command::new("tmux")
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.with_file_name("user"))
            .env("LANG", "C.UTF-8")
            .env("TERM", "xterm-256color")
            .args(["-L", &self.socket])
            .args(words)
            .output();
        let output = output.map_err(|error| format!("cannot start tmux: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("tmux {}: {}", words.join(" "), said.trim()));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // It fails when the server has ended by itself.
        self.tmux(&["kill-server"]).ok();
        if let Some(folder) = self.home.parent() {
            fs::remove_dir_all(folder).ok();
        }
    }
}

/// A project with the file that the tour edits, and the programs beside it.
fn set_up(home: &Path, programs: &[PathBuf]) -> io::Result<()> {
    fs::create_dir_all(home)?;
    fs::create_dir_all(home.with_file_name("user"))?;
    fs::write(home.join("greeting.rs"), GREETING)?;
    let bin = home.with_file_name("bin");
    fs::create_dir_all(&bin)?;
    for program in programs {
        if let Some(name) = program.file_name() {
            fs::copy(program, bin.join(name))?;
        }
    }
    Ok(())
}

const GREETING: &str =
    "fn greet(name: &str) -> String {\n    format!(\"A very good morning to you, {name}!\")\n}\n";
const LIMIT: Duration = Duration::from_secs(30);
const STEP: Duration = Duration::from_millis(300);
