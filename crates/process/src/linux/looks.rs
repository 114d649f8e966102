//! The second look: what a process has become after an exec that was let through, against what was judged. Another
//! thread can change arguments, or a file be renamed, in between: this finds that and kills. It does not prevent it.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use rustix::process::{Signal, pidfd_send_signal};

use super::records;
use super::table;
use super::tracee::{Tracee, running, running_as};
use crate::exec::{Exec, ExecEvent, ExecJudge, ExecProcess, ExecVerdict, FileLookup};

/// Processes that are looked at once more, soonest first.
pub(super) struct SecondLooks {
    looks: VecDeque<SecondLook>,
    most: usize,
}

struct SecondLook {
    tracee: Tracee,
    expected: Expected,
    tries: usize,
    due: Instant,
}

/// What was judged.
struct Expected {
    files: Vec<(u64, u64)>,
    args: Vec<OsString>,
    is_script: bool,
    is_whole: bool,
}

/// What a look has shown.
enum Sight {
    /// What was judged, or nothing any more.
    Settled,
    /// Something else that may run, such as the program before the exec.
    Unsettled,
    /// Something that may not.
    Forbidden(ExecEvent),
}

impl SecondLooks {
    /// Each holds a descriptor, so at most half of those that we may have are used.
    pub(super) fn new() -> SecondLooks {
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        let half = files.and_then(|files| usize::try_from(files / 2).ok());
        SecondLooks {
            looks: VecDeque::new(),
            most: half.unwrap_or(MOST).min(MOST),
        }
    }

    /// When the next look is due.
    pub(super) fn due(&self) -> Option<Instant> {
        self.looks.front().map(|look| look.due)
    }

    /// Notes a process whose exec was let through. If too many wait, the first is looked at now, for the last time.
    pub(super) fn add(
        &mut self,
        tracee: Tracee,
        exec: &Exec,
        judge: &mut dyn ExecJudge,
    ) -> Option<ExecEvent> {
        let first = match self.looks.len() >= self.most {
            true => self.looks.pop_front(),
            false => None,
        };
        let due = Instant::now() + PAUSES[0];
        self.looks.push_back(SecondLook {
            tracee,
            expected: Expected::of(exec),
            tries: 0,
            due,
        });
        first?.last(judge)
    }

    /// Looks at those that are due.
    pub(super) fn at_due(&mut self, now: Instant, judge: &mut dyn ExecJudge) -> Vec<ExecEvent> {
        let mut found = Vec::new();
        let mut later = Vec::new();
        while let Some(look) = self.looks.front()
            && look.due <= now
            && let Some(mut look) = self.looks.pop_front()
        {
            match look.look(judge) {
                Sight::Settled => {}
                Sight::Forbidden(event) => found.push(event),
                Sight::Unsettled => {
                    look.tries += 1;
                    if let Some(pause) = PAUSES.get(look.tries) {
                        look.due = now + *pause;
                        later.push(look);
                    }
                }
            }
        }
        for look in later {
            let place = self.looks.partition_point(|other| other.due <= look.due);
            self.looks.insert(place, look);
        }
        found
    }

    /// Looks at one process now, for the last time.
    pub(super) fn at(&mut self, process: i32, judge: &mut dyn ExecJudge) -> Option<ExecEvent> {
        let place = self
            .looks
            .iter()
            .position(|look| look.tracee.process == process)?;
        self.looks.remove(place)?.last(judge)
    }
}

impl SecondLook {
    /// Looks for the last time.
    fn last(mut self, judge: &mut dyn ExecJudge) -> Option<ExecEvent> {
        match self.look(judge) {
            Sight::Forbidden(event) => Some(event),
            Sight::Settled | Sight::Unsettled => None,
        }
    }

    fn look(&mut self, judge: &mut dyn ExecJudge) -> Sight {
        if table::has_ended(&self.tracee.pidfd) {
            return Sight::Settled;
        }
        let settled = running_as(self.tracee.process);
        if settled.is_none_or(|(file, line)| self.expected.is(file, &line)) {
            return Sight::Settled;
        }
        let now = running(self.tracee.process);
        // If it still lives, all that was about it.
        let Some(now) = now.filter(|_| !table::has_ended(&self.tracee.pidfd)) else {
            return Sight::Settled;
        };
        let verdict = judge.judge(&now, &Running(&self.tracee));
        let (ExecVerdict::Deny { why } | ExecVerdict::Ask { why }) = verdict else {
            return Sight::Unsettled;
        };
        let exec = records::whole(&now);
        // It fails if it has just ended.
        pidfd_send_signal(&self.tracee.pidfd, Signal::KILL).ok();
        Sight::Forbidden(ExecEvent::Killed { exec, why })
    }
}

/// A process after its exec, as a judge sees it. No approval is for something that was swapped, so its variables do not
/// matter.
struct Running<'a>(&'a Tracee);

impl ExecProcess for Running<'_> {
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

impl Expected {
    fn of(exec: &Exec) -> Expected {
        let mut interpreters = exec.interpreters.iter().filter_map(|it| it.file.as_ref());
        let last = interpreters.next_back().or(exec.file.as_ref());
        Expected {
            files: last.map(|file| file.id).into_iter().collect(),
            args: exec.args.clone().unwrap_or_default(),
            is_script: !exec.interpreters.is_empty(),
            is_whole: exec.more == 0,
        }
    }

    /// Whether this is what was judged. A script has its interpreter in front.
    fn is(&self, file: (u64, u64), line: &[u8]) -> bool {
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

const PAUSES: [Duration; 4] = [
    Duration::from_millis(3),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_millis(500),
];
const MOST: usize = 1024;
