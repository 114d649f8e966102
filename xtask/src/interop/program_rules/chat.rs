//! The same agents with `attache chat`, on a terminal as users have it. The agents' own permission requests are
//! allowed; each trial says how to answer the guard's.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{
    ASKED, ASKED_RULE, PROGRAM, RULE, SPELLINGS, TestedAgent, audit, path, program, signal,
};
use crate::interop::pair::Outcome;
use crate::interop::{InteropDirs, RunResult, child, install};
use crate::terminal::Terminal;

/// One trial: its policy, and what happens in it.
struct ChatTrial {
    name: &'static str,
    rules: fn() -> Value,
    run: fn(&ChatSession) -> Result<(), String>,
    end: ChatEnd,
}

#[derive(PartialEq)]
enum ChatEnd {
    /// The next trial continues in this chat.
    Keep,
    Quit,
}

const TRIALS: [ChatTrial; 7] = [
    ChatTrial {
        name: "program denied",
        rules: program_policy,
        run: denied,
        end: ChatEnd::Keep,
    },
    ChatTrial {
        name: "asked, allowed",
        rules: program_policy,
        run: allowed,
        end: ChatEnd::Keep,
    },
    ChatTrial {
        name: "asked, rejected",
        rules: program_policy,
        run: rejected,
        end: ChatEnd::Keep,
    },
    ChatTrial {
        name: "asked, cancelled",
        rules: program_policy,
        run: cancelled,
        end: ChatEnd::Quit,
    },
    ChatTrial {
        name: "spawn cancelled",
        rules: shell_policy,
        run: spawn_cancelled,
        end: ChatEnd::Keep,
    },
    ChatTrial {
        name: "agent killed",
        rules: shell_policy,
        run: agent_killed,
        end: ChatEnd::Quit,
    },
    ChatTrial {
        name: "client killed",
        rules: shell_policy,
        run: client_killed,
        end: ChatEnd::Quit,
    },
];

pub(super) fn rows(dirs: &InteropDirs, subject: &TestedAgent) -> Result<Vec<RunResult>, String> {
    let row = |task, outcome| RunResult {
        client: "chat",
        agent: subject.name,
        task,
        outcome,
    };
    if !install::is_installed_as("tmux", "-V") {
        let reason = "tmux is not installed".to_owned();
        eprintln!("==> chat, {} skipped: {reason}", subject.name);
        return Ok(vec![row("everything", Outcome::Skipped(reason))]);
    }
    let mut rows = Vec::new();
    let mut open: Option<ChatSession> = None;
    for trial in &TRIALS {
        eprintln!("==> chat, {}: {}", subject.name, trial.name);
        let start = Instant::now();
        let chat = match open.take() {
            Some(chat) => Ok(chat),
            None => ChatSession::open(dirs, subject, trial),
        };
        let played = chat.and_then(|chat| {
            (trial.run)(&chat).map_err(|fault| chat.report(&fault))?;
            match trial.end {
                ChatEnd::Keep => open = Some(chat),
                ChatEnd::Quit => chat.finish()?,
            }
            Ok(())
        });
        rows.push(row(trial.name, super::outcome(start, played.err())));
    }
    Ok(rows)
}

/// None of the five spellings runs, and the agent continues.
fn denied(chat: &ChatSession) -> Result<(), String> {
    let commands = SPELLINGS.iter().copied().chain(["touch after-denied"]);
    chat.prompt(&commands.collect::<Vec<_>>())?;
    chat.until_file("after-denied")?;
    chat.until_idle()?;
    chat.expect_runs(PROGRAM, &[])?;
    chat.expect_audited(RULE)
}

/// Typed letters decide nothing; the answer from the list does, and the program runs once.
fn allowed(chat: &ChatSession) -> Result<(), String> {
    chat.run_asked_program("allowed", "after-allowed")?;
    chat.terminal.type_text("yes always allow")?;
    chat.until("letters in the composer", |screen| {
        screen.contains("› yes always allow")
    })?;
    let screen = chat.terminal.screen()?;
    if !screen.contains(TITLE) || !screen.contains("Alt-R to answer") {
        return Err("typing letters changed the dialog".to_owned());
    }
    chat.expect_runs(ASKED, &[])?;
    chat.terminal.press("C-u")?;
    chat.until("an empty composer", |screen| {
        !screen.contains("yes always allow")
    })?;
    chat.choose("Allow once")?;
    chat.until_file("after-allowed")?;
    chat.until_idle()?;
    chat.expect_runs(ASKED, &["allowed two words"])
}

fn rejected(chat: &ChatSession) -> Result<(), String> {
    chat.run_asked_program("rejected", "after-rejected")?;
    chat.choose("Reject once")?;
    chat.until_file("after-rejected")?;
    chat.until_idle()?;
    chat.expect_not_run("rejected")
}

fn cancelled(chat: &ChatSession) -> Result<(), String> {
    chat.run_asked_program("cancelled", "after-cancelled")?;
    chat.cancel()?;
    chat.expect_not_run("cancelled")?;
    chat.expect_answer()?;
    chat.expect_audited(ASKED_RULE)
}

/// The agent itself starts the program that waits. An agent on Node reads no messages until then.
fn spawn_cancelled(chat: &ChatSession) -> Result<(), String> {
    chat.run_shell_until_asked()?;
    chat.cancel()?;
    chat.expect_answer()?;
    chat.expect_no_shell()
}

fn agent_killed(chat: &ChatSession) -> Result<(), String> {
    chat.run_shell_until_asked()?;
    let words = &chat.words;
    let found = child::marked(&chat.folder).into_iter();
    let mut pids: Vec<u32> = found
        .filter_map(|(pid, _)| pid.parse().ok())
        .filter(|pid| command_line(*pid) == *words)
        .collect();
    // An agent that re-executes itself has the same words and a higher pid.
    pids.sort_unstable();
    let pid = pids.first().ok_or("the agent process was not found")?;
    signal("-KILL", &pid.to_string())?;
    chat.until("The agent has exited", |screen| {
        screen.contains("The agent has exited")
    })?;
    chat.expect_no_shell()
}

fn client_killed(chat: &ChatSession) -> Result<(), String> {
    chat.run_shell_until_asked()?;
    let pid = fs::read_to_string(chat.folder.join("pid"));
    let pid = pid.map_err(|error| format!("can't read the client's pid: {error}"))?;
    signal("-KILL", pid.trim())?;
    chat.until("left with 137", |screen| screen.contains("left with 137"))?;
    chat.expect_no_shell()
}

fn program_policy() -> Value {
    json!([
        { "action": "deny", "command": format!("{PROGRAM} **"), "id": RULE },
        { "action": "ask", "command": format!("{ASKED} **"), "id": ASKED_RULE },
    ])
}

/// The shell that an agent starts for a command is its own child.
fn shell_policy() -> Value {
    json!([{ "action": "ask", "command": "bash -c **", "id": ASKED_RULE }])
}

/// `attache chat` with an agent, in its own directory.
struct ChatSession<'a> {
    dirs: &'a InteropDirs,
    subject: &'a TestedAgent,
    folder: PathBuf,
    terminal: Terminal,
    /// The agent's command.
    words: Vec<OsString>,
}

impl<'a> ChatSession<'a> {
    fn open(
        dirs: &'a InteropDirs,
        subject: &'a TestedAgent,
        trial: &ChatTrial,
    ) -> Result<ChatSession<'a>, String> {
        let name = format!("chat-{}-{}", subject.name, trial.name);
        let name = name.replace([' ', ','], "-");
        let folder = dirs.installed.join("runs").join(name);
        let rules = (trial.rules)();
        let bin = create_files(&folder, &rules)
            .map_err(|error| format!("can't use {}: {error}", folder.display()))?;
        let mut words = subject.words.clone();
        let mut env = subject.env.clone();
        if rules == shell_policy() {
            // Otherwise the shell would run a command that the user has just allowed, without a request.
            words.extend(subject.auto_approval.words.iter().map(OsString::from));
            let variables = subject.auto_approval.variables.iter();
            env.extend(variables.map(|(name, value)| ((*name).to_owned(), value.into())));
        }
        env.push(("PATH".to_owned(), path(&bin, subject)));
        env.push(("LANG".to_owned(), "C.UTF-8".into()));
        let home = folder.join("home").into_os_string();
        env.push(("ATTACHE_HOME".to_owned(), home));
        env.push((child::MARK.to_owned(), folder.clone().into_os_string()));
        let mut all: Vec<OsString> = ["sh", "-c", START, "sh"].map(OsString::from).into();
        all.push(folder.join("pid").into_os_string());
        // Agents that see tmux use it, and it runs outside of our control.
        all.extend(["env", "-u", "TMUX", "-u", "TMUX_PANE"].map(OsString::from));
        all.extend(env.into_iter().map(|(name, value)| {
            let mut variable = OsString::from(name + "=");
            variable.push(value);
            variable
        }));
        all.push(dirs.target.join("release/attache").into_os_string());
        all.extend(["chat", "--policy"].map(OsString::from));
        all.push(folder.join("policy.json").into_os_string());
        all.push("--".into());
        all.extend(words.iter().cloned());
        let terminal = Terminal::open(SIZE, &folder.join("cwd"), &all)?;
        let chat = ChatSession {
            dirs,
            subject,
            folder,
            terminal,
            words,
        };
        chat.until("ready", |screen| screen.contains("ready"))?;
        Ok(chat)
    }

    /// Prompts the agent to run commands.
    fn prompt(&self, commands: &[&str]) -> Result<(), String> {
        self.send_prompt(&self.subject.script.prompt(commands))
    }

    fn send_prompt(&self, text: &str) -> Result<(), String> {
        self.terminal.type_text(text)?;
        self.terminal.press("Enter")
    }

    /// Prompts the agent to start the program with the ask rule, spelled so that only the guard recognises it, and
    /// checks the dialog.
    fn run_asked_program(&self, word: &str, afterwards: &str) -> Result<(), String> {
        let asked = format!("name=asked; \"$name-tool\" {word} 'two words'");
        self.prompt(&[&asked, &format!("touch {afterwards}")])?;
        let screen = self.until(TITLE, |screen| screen.contains(TITLE))?;
        let dialog = joined_text(&screen);
        let command = format!("{ASKED} {word} 'two words'");
        let end = format!("→ bash → {command}");
        for text in [&command, &end] {
            if !dialog.contains(text.as_str()) {
                return Err(format!("the dialog does not show `{text}`"));
            }
        }
        let root = Path::new(&self.words[0]).file_name().map(OsString::from);
        let mut chains = dialog.split("from ").skip(1);
        if !chains.any(|chain| first_program(chain) == root) {
            return Err(format!("the parents do not begin with {root:?}"));
        }
        self.expect_not_run(word)
    }

    /// Prompts the agent to run a command, and waits for the request about its shell.
    fn run_shell_until_asked(&self) -> Result<(), String> {
        self.prompt(&["touch never"])?;
        let screen = self.until(TITLE, |screen| screen.contains(TITLE))?;
        match joined_text(&screen).contains("bash -c ") {
            true => Ok(()),
            false => Err("the dialog does not show the shell".to_owned()),
        }
    }

    /// Cancels the turn as a user would, while a program waits.
    fn cancel(&self) -> Result<(), String> {
        let start = Instant::now();
        self.terminal.press("Escape")?;
        self.until_idle()?;
        match start.elapsed() {
            time if time > PROMPTLY => Err(format!("the turn ended only after {time:?}")),
            _ => Ok(()),
        }
    }

    fn expect_answer(&self) -> Result<(), String> {
        self.send_prompt(self.subject.script.greeting())?;
        self.until("an answer to the next prompt", |screen| {
            screen.contains("• Hello from the model.")
        })?;
        self.until_idle()
    }

    /// Moves into the dialog, selects an answer with the arrow keys and presses Enter.
    fn choose(&self, answer: &str) -> Result<(), String> {
        thread::sleep(BEFORE_ENTERING);
        self.terminal.press("M-r")?;
        let hint = "↑↓ select · Enter choose";
        self.terminal
            .wait(hint, LIMIT, |screen| screen.contains(hint))?;
        let selected = |screen: &str| {
            let row = screen.lines().find(|row| row.contains("▌"));
            row.map(str::to_owned)
        };
        for _ in 0..20 {
            let before = selected(&self.terminal.screen()?);
            // Keys that follow each other too closely count as a paste.
            thread::sleep(BETWEEN_KEYS);
            self.terminal.press("Down")?;
            let screen = self
                .terminal
                .wait("another answer", LIMIT, |screen| selected(screen) != before)?;
            if selected(&screen).is_some_and(|row| row.contains(answer)) {
                return self.terminal.press("Enter");
            }
            // The agent took its request with it. The caller sees what comes instead.
            if screen.contains("The agent has exited") {
                return Ok(());
            }
        }
        Err(format!("no answer `{answer}` in the dialog"))
    }

    /// Waits for a screen, and meanwhile allows the agent's own permission requests.
    fn until(&self, what: &str, is_there: impl Fn(&str) -> bool) -> Result<String, String> {
        let start = Instant::now();
        loop {
            let asks = |screen: &str| screen.contains("Tab to answer") && !screen.contains(TITLE);
            let screen = self.terminal.wait(what, LIMIT, |screen| {
                is_there(screen) || (asks(screen) && !screen.contains("The agent has exited"))
            })?;
            if is_there(&screen) {
                return Ok(screen);
            }
            if start.elapsed() > LIMIT {
                return Err(format!(
                    "`{what}` did not appear, only one request after the other"
                ));
            }
            self.choose("Allow once")?;
        }
    }

    fn until_file(&self, name: &str) -> Result<(), String> {
        let file = self.folder.join("cwd").join(name);
        self.until(&format!("file {name}"), |_| file.exists())
            .map(drop)
    }

    /// Waits for the end of the turn.
    fn until_idle(&self) -> Result<(), String> {
        let is_idle = |screen: &str| {
            let status = screen.trim_end().lines().last().unwrap_or_default();
            ["done in", "cancelled after"]
                .iter()
                .any(|end| status.contains(end))
        };
        self.until("the end of the turn", is_idle).map(drop)
    }

    fn expect_runs(&self, program: &str, wanted: &[&str]) -> Result<(), String> {
        let ran = self.ran(program);
        let ran: Vec<&str> = ran.lines().collect();
        match ran == wanted {
            true => Ok(()),
            false => Err(format!("{program} ran with {ran:?} instead of {wanted:?}")),
        }
    }

    fn expect_not_run(&self, word: &str) -> Result<(), String> {
        match self.ran(ASKED).contains(word) {
            true => Err(format!("{ASKED} {word} ran")),
            false => Ok(()),
        }
    }

    fn expect_no_shell(&self) -> Result<(), String> {
        match self.folder.join("cwd/never").exists() {
            true => Err("the shell ran".to_owned()),
            false => Ok(()),
        }
    }

    fn ran(&self, program: &str) -> String {
        fs::read_to_string(self.folder.join(format!("{program}.ran"))).unwrap_or_default()
    }

    fn expect_audited(&self, rule: &str) -> Result<(), String> {
        let audit = audit(self.dirs, &self.folder).map_err(|error| error.to_string())?;
        match audit.contains(rule) {
            true => Ok(()),
            false => Err(format!(
                "the audit log does not name the rule `{rule}`:\n{audit}"
            )),
        }
    }

    /// Quits if the chat is still running. No process may be left then.
    fn finish(self) -> Result<(), String> {
        let has_ended = |screen: &str| screen.contains("left with ");
        if !has_ended(&self.terminal.screen()?) {
            self.terminal.press("C-q")?;
            self.terminal.wait("left with ", LIMIT, has_ended)?;
        }
        let start = Instant::now();
        loop {
            let left = child::left_behind(&self.folder);
            if left.is_empty() {
                return self.expect_no_shell();
            }
            if start.elapsed() > PROMPTLY {
                let left = left.join(", ");
                return Err(self.report(&format!("processes were left behind: {left}")));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// A fault together with the screen.
    fn report(&self, fault: &str) -> String {
        match self.terminal.screen() {
            Ok(screen) if !fault.contains("on the screen:") => {
                format!("{fault}; on the screen:\n{}", screen.trim_end())
            }
            _ => fault.to_owned(),
        }
    }
}

/// Creates the directory with a policy and with programs that record that they ran; returns the directory for `PATH`.
fn create_files(folder: &Path, rules: &Value) -> std::io::Result<PathBuf> {
    child::empty(folder)?;
    fs::create_dir(folder.join("cwd"))?;
    let policy = json!({ "rules": rules }).to_string();
    fs::write(folder.join("policy.json"), policy)?;
    program(folder, PROGRAM)?;
    program(folder, ASKED)
}

/// The text of a screen on one line, without borders, bars and line breaks.
fn joined_text(screen: &str) -> String {
    let words = screen.split(|char: char| char.is_whitespace() || "│┊".contains(char));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The command line of a process.
fn command_line(pid: u32) -> Vec<OsString> {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).into_owned();
    let words = line.split_terminator('\0');
    words.map(OsString::from).collect()
}

/// Runs a command, records its pid, and prints its exit code.
const START: &str = r#"sh -c 'echo $$ >"$0"; exec "$@"' "$@"; echo "left with $?"; exec sleep 600"#;
/// The title of the dialog about a waiting program.
const TITLE: &str = "Start a program?";
const SIZE: (u16, u16) = (160, 50);
const LIMIT: Duration = Duration::from_secs(60);
/// A request can get the focus once it has been on the screen for a second.
const BEFORE_ENTERING: Duration = Duration::from_millis(1300);
const BETWEEN_KEYS: Duration = Duration::from_millis(60);
/// The time limit for a cancelled turn to end, and for all processes to exit.
const PROMPTLY: Duration = Duration::from_secs(10);

/// The file name of the first program in a chain of parents. Programs outside the system's directories have their path,
/// which a narrow dialog breaks.
fn first_program(chain: &str) -> Option<OsString> {
    let (first, _) = chain.split_once(" → ")?;
    let path: String = first.split(' ').collect();
    Path::new(&path).file_name().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::joined_text;

    #[test]
    fn a_dialog_is_read_across_its_lines() {
        let screen = "╭ Start ╮\n│ from    ┊ sh →     │\n│         ┊ tool a     │\n";
        assert_eq!(joined_text(screen), "╭ Start ╮ from sh → tool a");
    }
}
