//! Execs as they are reported: bounded, and with the processes above them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::tracee::name_and_parent;
use crate::process::exec::{Exec, ExecRecord};

/// For the log.
pub(super) fn brief(exec: &Exec) -> ExecRecord {
    record(exec, BRIEF_WORDS, BRIEF_BYTES, Names::Kernel)
}

/// For a user who decides, and for what was denied.
pub(super) fn whole(exec: &Exec) -> ExecRecord {
    record(exec, usize::MAX, usize::MAX, Names::Arguments)
}

/// Where the names of processes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    /// What the kernel calls them: quick, at most 15 bytes.
    Kernel,
    /// What they were started as.
    Arguments,
}

fn record(exec: &Exec, words: usize, bytes: usize, names: Names) -> ExecRecord {
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
        parents: parents(exec.pid, names),
        loses_rights: file.is_some_and(|file| file.gains_rights),
    }
}

/// The names of the processes above, nearest first. What the process itself has executed before counts, too.
fn parents(process: u32, names: Names) -> Vec<OsString> {
    let us = i32::try_from(std::process::id()).unwrap_or(0);
    let name_of = |process: i32| {
        let (kernel_name, parent) = name_and_parent(process)?;
        let name = match names {
            Names::Kernel => kernel_name,
            Names::Arguments => started_as(process).unwrap_or(kernel_name),
        };
        Some((name, parent))
    };
    let mut found = Vec::new();
    let mut next = i32::try_from(process).unwrap_or(0);
    while found.len() < MOST_PARENTS
        && next > 1
        && next != us
        && let Some((name, parent)) = name_of(next)
    {
        found.push(name);
        next = parent;
    }
    // A copy of its parent that has not executed anything is not a step of its own.
    let above = found.get(1).cloned().or_else(|| Some(name_of(us)?.0));
    if above.as_ref() == found.first() && !found.is_empty() {
        found.remove(0);
    }
    found
}

/// The first word of its arguments without the directory.
fn started_as(process: i32) -> Option<OsString> {
    let mut line = Vec::new();
    let file = File::open(format!("/proc/{process}/cmdline")).ok()?;
    file.take(MOST_NAME).read_to_end(&mut line).ok()?;
    let first = line.split(|byte| *byte == 0).next()?;
    let first = first.split(|byte| *byte == b' ').next()?;
    let name = Path::new(OsStr::from_bytes(first)).file_name()?;
    Some(OsString::from_vec(name.as_bytes().to_vec()))
}

const BRIEF_WORDS: usize = 64;
const BRIEF_BYTES: usize = 8 * 1024;
const MOST_PARENTS: usize = 16;
const MOST_NAME: u64 = 4096;
