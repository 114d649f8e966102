//! A terminal in which the program runs, and what is on it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use expect_test::Expect;

use crate::agent::AGENT;

/// A terminal of a tmux server of its own.
pub(crate) struct Pane {
    socket: String,
    dir: PathBuf,
}

impl Pane {
    /// Starts the program with the agent made of shell; `None` without tmux.
    pub(crate) fn open(columns: u16, rows: u16, variables: &[(&str, &str)]) -> Option<Pane> {
        Pane::open_with(columns, rows, variables, AGENT)
    }

    /// Starts the program with the agent of a script of its own; `None` without tmux.
    pub(crate) fn open_with(
        columns: u16,
        rows: u16,
        variables: &[(&str, &str)],
        agent: &str,
    ) -> Option<Pane> {
        Command::new("tmux").arg("-V").output().ok()?;
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let socket = format!("attache-chat-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(&socket);
        fs::create_dir_all(dir.join("work")).unwrap();
        fs::write(dir.join("agent.sh"), agent).unwrap();
        fs::write(dir.join("start.sh"), start(&dir, variables)).unwrap();
        let pane = Pane { socket, dir };
        let script = pane.dir.join("start.sh");
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let script = script.to_str().unwrap();
        pane.tmux(&[
            "new-session",
            "-d",
            "-x",
            &columns,
            "-y",
            &rows,
            "sh",
            script,
        ]);
        Some(pane)
    }

    /// Types text as it is.
    pub(crate) fn send(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
    }

    /// Presses a key by its name.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]);
    }

    /// Moves into the agent's request, selects an answer with the arrows and presses Enter.
    pub(crate) fn choose(&self, answer: &str) {
        // A request accepts no key just after it has appeared. `Alt-R` moves into it even while the user has typed
        // text.
        thread::sleep(Duration::from_millis(1200));
        self.press("M-r");
        self.wait_for("↑↓ select");
        let selected = || {
            let screen = self.screen();
            let row = screen.lines().find(|row| row.contains('▌'));
            row.map(str::to_owned)
        };
        let is_there = (0..20).any(|_| {
            let before = selected();
            self.press("Down");
            let begun = Instant::now();
            while selected() == before && begun.elapsed() < Duration::from_secs(5) {
                thread::sleep(Duration::from_millis(20));
            }
            selected().is_some_and(|row| row.contains(answer))
        });
        assert!(is_there, "no option {answer}\n{}", self.screen());
        self.press("Enter");
    }

    /// Confirms the second step of an answer, which accepts no Enter just after it has appeared.
    pub(crate) fn confirm(&self) {
        self.wait_for("Enter confirm");
        thread::sleep(Duration::from_millis(1200));
        self.press("Enter");
        self.wait_until_gone("Enter confirm");
    }

    /// Pastes text as terminals do.
    pub(crate) fn paste(&self, text: &str) {
        self.tmux(&["set-buffer", text]);
        self.tmux(&["paste-buffer", "-p", "-r"]);
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]);
    }

    /// Ends the program by a signal.
    pub(crate) fn terminate(&self) {
        let pid = fs::read_to_string(self.dir.join("pid")).unwrap();
        let ended = Command::new("kill").arg(pid.trim()).status().unwrap();
        assert!(ended.success());
    }

    /// Makes a file in the directory that the agent works in.
    pub(crate) fn write_file(&self, name: &str) {
        fs::write(self.dir.join("work").join(name), "").unwrap();
    }

    /// Takes a lock of the program's, as another process would, until it is dropped.
    pub(crate) fn lock(&self, name: &str) -> fs::File {
        let path = self.dir.join("home/data").join(name);
        let lock = fs::File::options()
            .create(true)
            .append(true)
            .open(path)
            .unwrap();
        lock.lock().unwrap();
        lock
    }

    pub(crate) fn title(&self) -> String {
        let title = self.tmux(&["display-message", "-p", "#{pane_title}"]);
        String::from_utf8_lossy(&title.stdout).trim().to_owned()
    }

    /// The audit log, as `attache audit` prints it.
    pub(crate) fn audit(&self) -> String {
        let mut audit = Command::new(env!("CARGO_BIN_EXE_attache"));
        let audit = audit
            .arg("audit")
            .env("ATTACHE_HOME", self.dir.join("home"));
        String::from_utf8_lossy(&audit.output().unwrap().stdout).into_owned()
    }

    /// The text on the terminal.
    pub(crate) fn screen(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p"]);
        String::from_utf8_lossy(&screen.stdout).into_owned()
    }

    /// The same with the codes of colours.
    pub(crate) fn screen_with_codes(&self) -> String {
        let screen = self.tmux(&["capture-pane", "-p", "-e"]);
        String::from_utf8_lossy(&screen.stdout).into_owned()
    }

    /// Waits until a text is on the terminal.
    pub(crate) fn wait_for(&self, text: &str) {
        self.wait(text, |screen| screen.contains(text));
    }

    /// Waits until the screen no longer shows this.
    pub(crate) fn wait_until_gone(&self, text: &str) {
        let what = format!("the end of {text}");
        self.wait(&what, |screen| !screen.contains(text));
    }

    /// Waits until a row is on the terminal, and nothing else in it.
    pub(crate) fn wait_for_row(&self, row: &str) {
        self.wait(row, |screen| screen.lines().any(|line| line == row));
    }

    /// Waits until the terminal begins with a text: it was drawn from the top.
    pub(crate) fn wait_for_first_row(&self, text: &str) {
        let is_first = |screen: &str| screen.lines().next().is_some_and(|row| row.contains(text));
        self.wait(text, is_first);
    }

    /// Compares the terminal once it stays as it is, without times and the directory, which differ each time.
    pub(crate) fn check(&self, expected: &Expect) {
        expected.assert_eq(&self.rows());
    }

    /// The terminal once it stays as it is, without what differs each time.
    pub(crate) fn rows(&self) -> String {
        let screen = self.settled();
        let rows = screen.lines().map(|row| {
            let times = ["done in ", "working ", "waiting for you "];
            let row = times.into_iter().fold(row.to_owned(), without_time);
            let row = match row.ends_with("/work") {
                true => row.rsplit_once(" · ").map_or("", |(before, _)| before),
                false => &row,
            };
            // The directory has another name each time, and the row stays as wide.
            let work = self.dir.join("work");
            let work = work.to_str().unwrap();
            let name = format!("{:<width$}", "DIR", width = work.len());
            format!("|{}\n", row.replace(work, &name).trim_end())
        });
        rows.collect()
    }

    /// The text on the terminal once it stays the same.
    fn settled(&self) -> String {
        let until = Instant::now() + PATIENCE;
        let mut before = self.screen();
        loop {
            thread::sleep(Duration::from_millis(100));
            let now = self.screen();
            if now == before || Instant::now() > until {
                return now;
            }
            before = now;
        }
    }

    fn wait(&self, what: &str, is_there: impl Fn(&str) -> bool) {
        let until = Instant::now() + PATIENCE;
        while !is_there(&self.screen()) {
            let screen = self.screen();
            assert!(Instant::now() < until, "no `{what}` in time:\n{screen}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("tmux");
        command.args(["-u", "-L", &self.socket, "-f", "/dev/null"]);
        command.args(arguments).env_remove("TMUX").output().unwrap()
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
        fs::remove_dir_all(&self.dir).ok();
    }
}

fn without_time(row: String, word: &str) -> String {
    match row.split_once(word) {
        Some((before, _)) => format!("{before}{word}TIME"),
        None => row,
    }
}

/// The script that tmux runs. It writes the program's process id to a file, and prints its exit code.
fn start(dir: &std::path::Path, variables: &[(&str, &str)]) -> String {
    let program = env!("CARGO_BIN_EXE_attache");
    let dir = dir.to_str().unwrap();
    let variables: Vec<String> = variables
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let variables = variables.join(" ");
    format!(
        "export ATTACHE_HOME={dir}/home LANG=C.UTF-8 LC_ALL=C.UTF-8 {variables}\n\
         cd {dir}/work\n\
         sh -c 'echo $$ >{dir}/pid; exec {program} chat $CHAT_ARGUMENTS -- sh {dir}/agent.sh'\n\
         echo \"left with $?\"\n\
         cat\n"
    )
}

const PATIENCE: Duration = Duration::from_secs(60);
