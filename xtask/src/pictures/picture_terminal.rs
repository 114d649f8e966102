//! A terminal for pictures, in an empty directory with an empty home.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::terminal::Terminal;

/// A terminal with its temporary directory. The program is ended before the directory is removed.
pub(super) struct PictureTerminal {
    terminal: Terminal,
    pub(super) size: (u16, u16),
    _home: HomeDir,
}

/// A directory whose parent is removed on drop.
struct HomeDir(PathBuf);

pub(super) enum Key {
    Enter,
    Down,
    Tab,
}

impl PictureTerminal {
    /// Starts a command in a terminal of this size, with these programs on `PATH`. The screen stays after the command
    /// has ended.
    pub(super) fn open(
        programs: &[PathBuf],
        command: &str,
        size: (u16, u16),
    ) -> Result<PictureTerminal, String> {
        let home = std::env::temp_dir().join("attache-tour/greeting");
        set_up(&home, programs).map_err(|error| format!("{}: {error}", home.display()))?;
        let at = home.display();
        // Without the variables of this machine, which must not show in a picture.
        let command = format!(
            "env -i PATH={at}/../bin:$PATH HOME={at}/../user LANG=C.UTF-8 TERM=$TERM ATTACHE_HOME={at}/../home \
             COLORTERM=truecolor {command}; sleep 60"
        );
        let terminal = Terminal::open(size, &home, &[command])?;
        Ok(PictureTerminal {
            terminal,
            size,
            _home: HomeDir(home),
        })
    }

    pub(super) fn type_text(&self, text: &str) -> Result<(), String> {
        self.terminal.type_text(text)
    }

    /// Presses a key as a user would. A request can get the focus once it has been on the screen for a second, and keys
    /// that follow each other too closely count as a paste.
    pub(super) fn press(&self, key: &Key) -> Result<(), String> {
        thread::sleep(match key {
            Key::Tab => Duration::from_millis(1300),
            Key::Enter | Key::Down => Duration::from_millis(60),
        });
        self.terminal.press(match key {
            Key::Enter => "Enter",
            Key::Down => "Down",
            Key::Tab => "Tab",
        })
    }

    /// The screen with its colours.
    pub(super) fn screen(&self) -> Result<String, String> {
        self.terminal.coloured_screen()
    }

    /// Waits until a text is on the screen and the screen no longer changes.
    pub(super) fn wait_for(&self, text: &str) -> Result<(), String> {
        let mut before = (String::new(), Instant::now());
        let rests = |screen: &str| {
            if screen != before.0 {
                before = (screen.to_owned(), Instant::now());
            }
            screen.contains(text) && before.1.elapsed() > REST
        };
        self.terminal.wait(text, LIMIT, rests).map(drop)
    }
}

impl Drop for HomeDir {
    fn drop(&mut self) {
        if let Some(folder) = self.0.parent() {
            fs::remove_dir_all(folder).ok();
        }
    }
}

/// Creates a project with the file that the tour edits, and copies the programs next to it.
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
const REST: Duration = Duration::from_millis(300);
