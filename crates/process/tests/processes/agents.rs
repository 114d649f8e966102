//! Shell commands that play programs in the tests, and checks of which of their processes are still alive.

use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use attache_process::{Child, Program, Stdout};
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncReadExt;

/// A mark in the environment of a tree, by which its members can be found.
pub(super) struct Mark(String);

impl Mark {
    pub(super) fn new() -> Mark {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        Mark(format!("{}-{next}", std::process::id()))
    }

    pub(super) fn value(&self) -> &str {
        &self.0
    }

    /// The processes with the mark, except zombies, which have no environment. A process in the middle of exec has none
    /// either, so an empty list counts only if it was seen twice.
    pub(super) fn bearers(&self) -> Vec<Pid> {
        let first = self.scan();
        if !first.is_empty() {
            return first;
        }
        std::thread::sleep(Duration::from_millis(2));
        self.scan()
    }

    fn scan(&self) -> Vec<Pid> {
        let wanted = format!("{MARK}={}\0", self.0);
        let holds = |pid: &Pid| {
            let path = format!("/proc/{}/environ", pid.as_raw_nonzero());
            let environ = fs::read(path).unwrap_or_default();
            environ
                .windows(wanted.len())
                .any(|part| part == wanted.as_bytes())
        };
        all_pids().into_iter().filter(holds).collect()
    }

    /// Waits until this many processes have the mark.
    pub(super) fn expect(&self, count: usize) {
        until("members of the tree", PATIENCE, || match self.bearers() {
            now if now.len() == count => Ok(()),
            now => Err(format!("{} of {count}: {}", now.len(), describe(&now))),
        });
    }

    /// Waits until no process has the mark, for the promised two seconds.
    pub(super) fn expect_gone(&self) {
        until("everybody of the tree is gone", PROMISE, || {
            let left = self.bearers();
            left.is_empty().then_some(()).ok_or_else(|| describe(&left))
        });
    }
}

/// Kills the marked processes, so that a failed test leaves nothing behind.
impl Drop for Mark {
    fn drop(&mut self) {
        loop {
            let left = self.bearers();
            if left.is_empty() {
                return;
            }
            for pid in left {
                kill_process(pid, Signal::KILL).ok();
            }
        }
    }
}

pub(super) fn shell(script: &str) -> Program {
    Program::new("sh").arg("-c").arg(script)
}

pub(super) fn marked(script: &str, mark: &Mark) -> Program {
    shell(script).env(MARK, mark.value())
}

/// The same agent, but one that does not end with its input.
pub(super) fn deaf(script: &str) -> String {
    script.replace("exec cat >/dev/null", "exec sleep 1000")
}

/// Starts an agent that will print this many lines when it is ready, and waits for them.
pub(super) async fn ready(program: &Program, lines: usize) -> (Child, Stdout) {
    let mut child = program.spawn().await.unwrap();
    let mut stdout = child.take_stdout().unwrap();
    read_lines(&mut stdout, lines).await;
    (child, stdout)
}

pub(super) async fn read_lines(stdout: &mut Stdout, lines: usize) -> String {
    let mut text = String::new();
    while text.lines().count() < lines || !text.ends_with('\n') {
        text.push(char::from(stdout.read_u8().await.unwrap()));
    }
    text
}

pub(super) async fn output(program: Program) -> String {
    let mut child = program.spawn().await.unwrap();
    drop(child.take_stdin());
    let mut text = String::new();
    let mut stdout = child.take_stdout().unwrap();
    stdout.read_to_string(&mut text).await.unwrap();
    text
}

/// Polls until the condition is true. Fails with the last reason at the time limit.
pub(super) fn until(what: &str, limit: Duration, mut holds: impl FnMut() -> Result<(), String>) {
    let end = Instant::now() + limit;
    loop {
        match holds() {
            Ok(()) => return,
            Err(reason) if Instant::now() > end => panic!("not in {limit:?}: {what}: {reason}"),
            Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

pub(super) fn pid(child: &Child) -> Pid {
    Pid::from_raw(child.pid().try_into().unwrap()).unwrap()
}

pub(super) fn parent(pid: Pid) -> Pid {
    let fields = stat(pid).unwrap();
    let parent = fields.split_ascii_whitespace().nth(1).unwrap();
    Pid::from_raw(parent.parse().unwrap()).unwrap()
}

pub(super) fn zombies_of(parent: Pid) -> usize {
    let wanted = format!(" Z {} ", parent.as_raw_nonzero());
    let stats = all_pids().into_iter().filter_map(stat);
    stats.filter(|stat| stat.starts_with(&wanted)).count()
}

// The fields after the name: state, parent and so on.
fn stat(pid: Pid) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    stat.rsplit_once(')').map(|(_, fields)| fields.to_owned())
}

fn all_pids() -> Vec<Pid> {
    let entries = fs::read_dir("/proc").unwrap();
    let names = entries.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let pids = names.filter_map(|name| name.parse().ok());
    pids.filter_map(Pid::from_raw).collect()
}

fn describe(pids: &[Pid]) -> String {
    let line = |pid: &Pid| {
        let raw = pid.as_raw_nonzero();
        let command = fs::read_to_string(format!("/proc/{raw}/cmdline")).unwrap_or_default();
        let state = stat(*pid).unwrap_or_default();
        format!(
            "{raw} {} [{}]",
            command.replace('\0', " "),
            &state[..state.len().min(12)]
        )
    };
    pids.iter().map(line).collect::<Vec<_>>().join(", ")
}

/// A grandchild in the agent's group, one in a session of its own, one whose parent has ended as well, and one that
/// ignores hangups. Each prints a line when it runs, and keeps the agent's output open. The agent ends with its input.
pub(super) const TREE: &str = "
    sh -c 'echo plain; exec sleep 1000' &
    setsid sh -c 'echo session; exec sleep 1000' &
    (setsid sh -c 'echo daemon; exec sleep 1000' &)
    nohup sh -c 'echo nohup; exec sleep 1000' &
    exec cat >/dev/null";
/// Within this time nothing is left of a tree.
pub(super) const PROMISE: Duration = Duration::from_secs(2);
/// Long enough to start any program on a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
pub(super) const TREE_LINES: usize = 4;
pub(super) const MARK: &str = "ATTACHE_TEST_MARK";
