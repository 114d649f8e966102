//! Builds the records of execs that are reported to the owner, with limited size and with the names of parent processes.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::seccomp;
use super::tracee;
use crate::exec::{Exec, ExecRecord};
use crate::program_name;

/// A short-lived cache of the names and parents of processes.
pub(super) struct ProcessNames {
    entries: HashMap<i32, ProcessEntry>,
    own_pid: i32,
}

struct ProcessEntry {
    since: Instant,
    name: OsString,
    parent: i32,
}

impl ProcessNames {
    pub(super) fn new() -> ProcessNames {
        ProcessNames {
            entries: HashMap::new(),
            own_pid: own_pid(),
        }
    }

    /// A record for the log. Fast, and therefore without the working directory.
    pub(super) fn brief(&mut self, exec: &Exec, pidfd: BorrowedFd<'_>) -> ExecRecord {
        let process = i32::try_from(exec.pid).unwrap_or(0);
        let now = Instant::now();
        let before = self.entries.remove(&process);
        let before = before.filter(|known| known.is_fresh(now));
        let parent = seccomp::parent_of(pidfd).or_else(|| tracee::parent(process));
        let parent = parent.unwrap_or(0);
        let mut found: Vec<OsString> = before.into_iter().map(|known| known.name).collect();
        found.extend(ancestors(parent, self.own_pid, |process| {
            self.name_and_parent(process, now)
        }));
        let file = exec.file.as_ref();
        let file = file.map_or(Path::new(&exec.given), |file| &file.path);
        let name = program_name(file, Some(&exec.given));
        self.insert(process, name, parent, now);
        record(exec, BRIEF_WORDS, BRIEF_BYTES, found)
    }

    fn name_and_parent(&mut self, process: i32, now: Instant) -> Option<(OsString, i32)> {
        let known = self.entries.get(&process);
        if let Some(known) = known.filter(|known| known.is_fresh(now)) {
            return Some((known.name.clone(), known.parent));
        }
        let (name, parent) = name_and_parent(process)?;
        self.insert(process, name.clone(), parent, now);
        Some((name, parent))
    }

    fn insert(&mut self, process: i32, name: OsString, parent: i32, since: Instant) {
        if self.entries.len() >= MOST_KNOWN {
            self.entries.clear();
        }
        let known = ProcessEntry {
            since,
            name,
            parent,
        };
        self.entries.insert(process, known);
    }
}

impl ProcessEntry {
    fn is_fresh(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.since) < FRESH
    }
}

/// A record for a denial or for a user who decides.
pub(super) fn full(exec: &Exec) -> ExecRecord {
    let parents = parents(i32::try_from(exec.pid).unwrap_or(0), name_and_parent);
    record(exec, usize::MAX, usize::MAX, parents)
}

fn record(exec: &Exec, words: usize, bytes: usize, parents: Vec<OsString>) -> ExecRecord {
    let all = exec.args.as_deref().unwrap_or_default();
    let mut room = bytes;
    let fits = all.iter().take(words).take_while(|word| {
        let is_fitting = word.len() <= room;
        room = room.saturating_sub(word.len());
        is_fitting
    });
    let args: Vec<OsString> = fits.cloned().collect();
    let more = exec.more + all.len() - args.len();
    let file = exec.file.as_ref();
    ExecRecord {
        pid: exec.pid,
        program: file.map_or_else(|| PathBuf::from(&exec.given), |file| file.path.clone()),
        args,
        more: more.try_into().unwrap_or(u32::MAX),
        cwd: exec.cwd.clone(),
        parents,
        variables: Vec::new(),
        loses_rights: file.is_some_and(|file| file.gains_rights),
    }
}

/// The names of the parent processes, nearest first. Includes the program that the process itself ran before.
fn parents(process: i32, name_of: impl Fn(i32) -> Option<(OsString, i32)>) -> Vec<OsString> {
    let mut found = ancestors(process, own_pid(), &name_of);
    // A fork that has not executed a program is not listed separately.
    let next = found
        .get(1)
        .cloned()
        .or_else(|| Some(name_of(own_pid())?.0));
    if next.as_ref() == found.first() && !found.is_empty() {
        found.remove(0);
    }
    found
}

/// The names of a process and its parents, up to this process.
fn ancestors(
    mut process: i32,
    own_pid: i32,
    mut name_of: impl FnMut(i32) -> Option<(OsString, i32)>,
) -> Vec<OsString> {
    let mut found = Vec::new();
    while found.len() < MOST_PARENTS
        && process > 1
        && process != own_pid
        && let Some((name, parent)) = name_of(process)
    {
        found.push(name);
        process = parent;
    }
    found
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(0)
}

/// The name of the program that a process runs, and the parent of the process. What the process calls itself is no name: it
/// can be anything.
fn name_and_parent(process: i32) -> Option<(OsString, i32)> {
    let parent = tracee::parent(process)?;
    let name = match std::fs::read_link(format!("/proc/{process}/exe")) {
        Ok(program) => program_name(&program, called(process).as_deref()),
        Err(_) => UNKNOWN.into(),
    };
    Some((name, parent))
}

/// What a process was called by the one that executed it.
fn called(process: i32) -> Option<OsString> {
    let mut line = Vec::new();
    let file = File::open(format!("/proc/{process}/cmdline")).ok()?;
    file.take(MOST_NAME).read_to_end(&mut line).ok()?;
    let first = line.split(|byte| *byte == 0).next()?;
    Some(OsStr::from_bytes(first).to_owned())
}

const BRIEF_WORDS: usize = 64;
const BRIEF_BYTES: usize = 8 * 1024;
const MOST_PARENTS: usize = 16;
const MOST_KNOWN: usize = 4096;
/// Shorter than the time until a process id is reused.
const FRESH: Duration = Duration::from_secs(10);
const MOST_NAME: u64 = 4096;
/// The name of a program whose file may not be seen.
const UNKNOWN: &str = "?";
