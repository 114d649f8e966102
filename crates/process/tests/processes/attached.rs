//! Programs on the terminal of this process: the test starts this executable again on a terminal, where it runs a program.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};

use attache_process::{ExitStatus, Program};
use libtest_mimic::Trial;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::agents::{MARK, Mark, PATIENCE, shell, until};
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "attached::the_program_gets_the_terminal_and_the_owner_gets_it_back",
            terminal,
        ),
        direct_trial(
            "attached::the_program_gets_the_terminal_without_a_guard",
            terminal,
        ),
        trial("attached::only_the_program_gets_ctrl_c", interrupted),
        direct_trial(
            "attached::only_the_program_gets_ctrl_c_without_a_guard",
            interrupted,
        ),
        trial("attached::ctrl_z_does_not_stop_the_program", suspended),
        trial(
            "attached::only_the_process_group_ends_with_the_program",
            leftovers,
        ),
        trial("attached::a_killed_owner_ends_the_program", owner_killed),
        trial("attached::the_program_runs_without_a_terminal", no_terminal),
        trial(
            "attached::a_missing_program_leaves_the_terminal_unchanged",
            missing,
        ),
    ]
}

/// Runs a script on this terminal, then prints how it ended and whether this process has the terminal.
pub(super) fn play(script: &str) -> ExitCode {
    let program = match script {
        "missing" => Program::new("/no/such/program"),
        script => shell(script),
    };
    let pid = format!("<{}>\n", std::process::id());
    std::io::stdout().write_all(pid.as_bytes()).unwrap();
    let ended = super::runtime().block_on(program.run_attached());
    let group = rustix::termios::tcgetpgrp(std::io::stdin());
    let is_ours = group == Ok(rustix::process::getpgrp());
    let ended = match ended {
        Ok(status) => status.to_string(),
        Err(error) => error.to_string(),
    };
    let line = format!("<{ended}; ours: {is_ours}>\n");
    std::io::stdout().write_all(line.as_bytes()).unwrap();
    ExitCode::SUCCESS
}

async fn terminal() {
    let mut desk = Desk::start(
        "stty -echo -icanon; read -r word; echo \"got $word\"; (: </dev/tty) && echo tty",
    );
    desk.type_in("hello\n");
    desk.expect("got hello");
    desk.expect("tty");
    desk.expect("<exited with 0; ours: true>");
    let settings = rustix::termios::tcgetattr(&desk.seen_from).unwrap();
    let modes = rustix::termios::LocalModes::ECHO | rustix::termios::LocalModes::ICANON;
    assert!(settings.local_modes.contains(modes), "{settings:?}");
}

async fn interrupted() {
    let mut desk =
        Desk::start("trap 'echo caught; exit 7' INT; echo ready; while :; do sleep 0.02; done");
    desk.expect("ready");
    desk.type_in("\x03");
    desk.expect("caught");
    desk.expect("<exited with 7; ours: true>");
}

async fn suspended() {
    let mut desk = Desk::start("echo ready; read -r word; echo \"got $word\"");
    desk.expect("ready");
    desk.type_in("\x1a");
    desk.type_in("hello\n");
    desk.expect("got hello");
    desk.expect("<exited with 0; ours: true>");
}

async fn leftovers() {
    let mut desk = Desk::start(
        "sh -c 'echo one; exec sleep 1000' & setsid sh -c 'echo two; exec sleep 1000' & read -r word",
    );
    desk.expect("one");
    desk.expect("two");
    desk.type_in("\n");
    desk.expect("<exited with 0; ours: true>");
    desk.mark.expect(1);
}

async fn owner_killed() {
    let desk = Desk::start(
        "trap '' HUP; setsid sh -c 'echo two; exec sleep 1000' & echo one; while :; do sleep 0.02; done",
    );
    desk.expect("one");
    desk.expect("two");
    let screen = desk.screen.lock().unwrap().clone();
    let (_, rest) = screen.split_once('<').unwrap();
    let (pid, _) = rest.split_once('>').unwrap();
    let pid = Pid::from_raw(pid.parse().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
    desk.mark.expect_gone();
}

async fn missing() {
    let desk = Desk::start("missing");
    desk.expect("was not found");
    desk.expect("ours: true>");
}

async fn no_terminal() {
    let exe = std::env::current_exe().unwrap();
    let ran = Program::new(exe).args([ROLE, "exit 4"]);
    let mut child = ran.spawn().await.unwrap();
    let mut stdout = child.take_stdout().unwrap();
    let said = super::agents::read_lines(&mut stdout, 2).await;
    assert!(said.ends_with("<exited with 4; ours: false>\n"), "{said}");
    assert_eq!(child.wait().await.status, ExitStatus::Exited(0));
}

/// A terminal with this executable on it, and what was seen on the screen.
struct Desk {
    keyboard: File,
    seen_from: OwnedFd,
    screen: Arc<Mutex<String>>,
    process: Child,
    mark: Mark,
}

impl Desk {
    fn start(script: &str) -> Desk {
        let master =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let open =
            rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::CLOEXEC;
        let terminal = rustix::fs::open(&name, open, rustix::fs::Mode::empty()).unwrap();
        let mark = Mark::new();
        let process = Command::new("setsid")
            .args(["--ctty", "--wait"])
            .arg(std::env::current_exe().unwrap())
            .args([ROLE, script])
            .env(MARK, mark.value())
            .stdin(Stdio::from(terminal.try_clone().unwrap()))
            .stdout(Stdio::from(terminal.try_clone().unwrap()))
            .stderr(Stdio::from(terminal.try_clone().unwrap()))
            .spawn()
            .unwrap();
        let keyboard = File::from(master);
        let screen = Arc::default();
        watch(keyboard.try_clone().unwrap(), Arc::clone(&screen));
        Desk {
            keyboard,
            seen_from: terminal,
            screen,
            process,
            mark,
        }
    }

    fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    fn expect(&self, text: &str) {
        until(text, PATIENCE, || {
            let screen = self.screen.lock().unwrap();
            let seen = screen.contains(text);
            seen.then_some(()).ok_or_else(|| screen.clone())
        });
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

fn watch(mut master: File, screen: Arc<Mutex<String>>) {
    std::thread::spawn(move || {
        let mut chunk = [0; 1024];
        while let Ok(count @ 1..) = master.read(&mut chunk) {
            let text = String::from_utf8_lossy(&chunk[..count]);
            screen.lock().unwrap().push_str(&text);
        }
    });
}

pub(super) const ROLE: &str = "--attached";
