//! Checks after an allowed exec whether the process runs the program that was judged. Meanwhile another thread can change the
//! arguments, or a file can be renamed. This check does not prevent that, but detects it and kills the process.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use rustix::process::{Signal, pidfd_send_signal};

use super::exec_records;
use super::process_tree;
use super::tracee::{Tracee, running_exec, running_file_and_args};
use crate::exec::{Exec, ExecEvent, ExecJudge, ExecProcess, ExecVerdict, FileLookup};

/// Processes to recheck, soonest first.
pub(super) struct ExecRechecks {
    rechecks: VecDeque<ExecRecheck>,
    most: usize,
}

struct ExecRecheck {
    tracee: Tracee,
    judged: JudgedExec,
    tries: usize,
    due: Instant,
}

/// The exec that was judged.
struct JudgedExec {
    files: Vec<(u64, u64)>,
    args: Vec<OsString>,
    is_script: bool,
    is_whole: bool,
}

/// The result of a recheck.
enum RecheckResult {
    /// The process runs the judged program, or has ended.
    Settled,
    /// The process runs another program that is allowed, such as the one before the exec.
    Unsettled,
    /// The process runs a program that is not allowed.
    Forbidden(ExecEvent),
}

impl ExecRechecks {
    /// Each entry needs a descriptor, so the list is limited to half of the descriptors that this process may open.
    pub(super) fn new() -> ExecRechecks {
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let half = files.and_then(|files| usize::try_from(files / 2).ok());
        ExecRechecks {
            rechecks: VecDeque::new(),
            most: half.unwrap_or(MOST_RECHECKS).min(MOST_RECHECKS),
        }
    }

    /// When the next recheck is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.rechecks.front().map(|recheck| recheck.due)
    }

    /// Adds a process whose exec was allowed. If the list is full, rechecks the first process now, for the last time.
    pub(super) fn add(
        &mut self,
        tracee: Tracee,
        exec: &Exec,
        judge: &mut dyn ExecJudge,
    ) -> Option<ExecEvent> {
        let first = match self.rechecks.len() >= self.most {
            true => self.rechecks.pop_front(),
            false => None,
        };
        let due = Instant::now() + DELAYS[0];
        self.rechecks.push_back(ExecRecheck {
            tracee,
            judged: JudgedExec::of(exec),
            tries: 0,
            due,
        });
        first?.check_last(judge)
    }

    /// Runs the rechecks that are due.
    pub(super) fn run_due(&mut self, now: Instant, judge: &mut dyn ExecJudge) -> Vec<ExecEvent> {
        let mut found = Vec::new();
        let mut later = Vec::new();
        while let Some(recheck) = self.rechecks.front()
            && recheck.due <= now
            && let Some(mut recheck) = self.rechecks.pop_front()
        {
            match recheck.check(judge) {
                RecheckResult::Settled => {}
                RecheckResult::Forbidden(event) => found.push(event),
                RecheckResult::Unsettled => {
                    recheck.tries += 1;
                    if let Some(pause) = DELAYS.get(recheck.tries) {
                        recheck.due = now + *pause;
                        later.push(recheck);
                    }
                }
            }
        }
        for recheck in later {
            let index = self
                .rechecks
                .partition_point(|other| other.due <= recheck.due);
            self.rechecks.insert(index, recheck);
        }
        found
    }

    /// Rechecks one process now, for the last time.
    pub(super) fn run_now(&mut self, process: i32, judge: &mut dyn ExecJudge) -> Option<ExecEvent> {
        let index = self
            .rechecks
            .iter()
            .position(|recheck| recheck.tracee.process == process)?;
        self.rechecks.remove(index)?.check_last(judge)
    }
}

impl ExecRecheck {
    /// Rechecks for the last time.
    fn check_last(mut self, judge: &mut dyn ExecJudge) -> Option<ExecEvent> {
        match self.check(judge) {
            RecheckResult::Forbidden(event) => Some(event),
            RecheckResult::Settled | RecheckResult::Unsettled => None,
        }
    }

    fn check(&mut self, judge: &mut dyn ExecJudge) -> RecheckResult {
        if process_tree::has_ended(&self.tracee.pidfd) {
            return RecheckResult::Settled;
        }
        let settled = running_file_and_args(self.tracee.process);
        if settled.is_none_or(|(file, line)| self.judged.matches(file, &line)) {
            return RecheckResult::Settled;
        }
        let now = running_exec(self.tracee.process);
        // If the process still lives, the data that was read belongs to it.
        let Some(now) = now.filter(|_| !process_tree::has_ended(&self.tracee.pidfd)) else {
            return RecheckResult::Settled;
        };
        let verdict = judge.judge(&now, &RunningProcess(&self.tracee));
        let (ExecVerdict::Deny { why } | ExecVerdict::Ask { why }) = verdict else {
            return RecheckResult::Unsettled;
        };
        let exec = exec_records::full(&now);
        // Fails if the process has just ended.
        pidfd_send_signal(&self.tracee.pidfd, Signal::KILL).ok();
        RecheckResult::Forbidden(ExecEvent::Killed { exec, why })
    }
}

/// The judge's view of a process after its exec. Its environment does not matter, because an answer of the owner never
/// covers a swapped program.
struct RunningProcess<'a>(&'a Tracee);

impl ExecProcess for RunningProcess<'_> {
    fn find(&self, path: &OsStr) -> FileLookup {
        self.0.find(path)
    }

    fn search_path(&self) -> Option<OsString> {
        self.0.running_search_path()
    }

    fn variables(&self) -> Option<Vec<OsString>> {
        None
    }
}

impl JudgedExec {
    fn of(exec: &Exec) -> JudgedExec {
        let mut interpreters = exec.interpreters.iter().filter_map(|it| it.file.as_ref());
        let last = interpreters.next_back().or(exec.file.as_ref());
        JudgedExec {
            files: last.map(|file| file.id).into_iter().collect(),
            args: exec.args.clone().unwrap_or_default(),
            is_script: !exec.interpreters.is_empty(),
            is_whole: exec.more == 0,
        }
    }

    /// Whether this is what was judged. A script has its interpreter in front.
    fn matches(&self, file: (u64, u64), line: &[u8]) -> bool {
        let now: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        let words = self.args.iter().map(|word| word.as_bytes());
        let words: Vec<&[u8]> = words.collect();
        let is_same = match (self.is_script, self.is_whole) {
            (false, true) => now == words,
            (false, false) => now.starts_with(&words[..words.len().min(now.len())]),
            (true, true) => now.ends_with(words.get(1..).unwrap_or_default()),
            (true, false) => true,
        };
        self.files.contains(&file) && is_same
    }
}

const DELAYS: [Duration; 4] = [
    Duration::from_millis(3),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_millis(500),
];
const MOST_RECHECKS: usize = 1024;
