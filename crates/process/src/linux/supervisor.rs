//! The supervisor of a watched program receives each exec of the tree from the kernel, lets the judge decide, and
//! responds. If the owner is slow, records are dropped, but every exec is still judged. Without an owner every exec
//! fails.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::binfmt::NamespaceFormats;
use super::exec_channel::ExecOutbox;
use super::exec_recheck::ExecRechecks;
use super::exec_records::{self, ProcessNames};
use super::file_cache::FileCache;
use super::lookup::TreeFileView;
use super::seccomp::{self, Notification, Response};
use super::seccomp_filter::Abi;
use super::tracee::{self, Inspection, InspectionDepth, Tracee};
use crate::exec::{Exec, ExecEvent, ExecJudge, ExecProcess, ExecVerdict, FileLookup};

pub(super) struct Supervisor {
    abi: Abi,
    listener: OwnedFd,
    judge: Box<dyn ExecJudge>,
    outbox: ExecOutbox,
    deadline: Duration,
    /// Whether the first program has been allowed. Before that, its owner waits for the start and cannot answer.
    is_started: bool,
    tree: TreeFileView,
    file_cache: Rc<FileCache>,
    /// The environment variables of the first program.
    started_with: HashSet<OsString>,
    requests: Vec<PendingRequest>,
    next_request: u64,
    rechecks: ExecRechecks,
    formats: NamespaceFormats,
    processes: ProcessNames,
}

/// An exec that waits for the owner's answer.
struct PendingRequest {
    id: u64,
    call: Notification,
    tracee: Tracee,
    exec: Box<Exec>,
    /// The environment variables that were shown to the owner.
    variables: Vec<OsString>,
    /// The files that the judge looked up as those that the program will run.
    programs: Vec<(OsString, FileLookup)>,
    deadline: Instant,
}

/// The judge's view of a process that waits in an exec.
struct WaitingProcess<'a> {
    abi: Abi,
    call: &'a Notification,
    tracee: &'a Tracee,
    started_with: &'a HashSet<OsString>,
    /// The files that were looked up as those that the program will run.
    programs: RefCell<Vec<(OsString, FileLookup)>>,
}

impl ExecProcess for WaitingProcess<'_> {
    fn find(&self, path: &OsStr) -> FileLookup {
        self.tracee.find(path)
    }

    fn find_program(&self, path: &OsStr) -> FileLookup {
        let found = self.find(path);
        let mut programs = self.programs.borrow_mut();
        programs.push((path.to_owned(), found.clone()));
        found
    }

    fn search_path(&self) -> Option<OsString> {
        self.tracee.search_path(self.abi, self.call)
    }

    fn variables(&self) -> Option<Vec<OsString>> {
        let mut variables = self.tracee.variables(self.abi, self.call)?;
        variables.retain(|variable| !self.started_with.contains(variable));
        Some(variables)
    }
}

/// The result of waiting for events.
#[derive(Default)]
struct PollResult {
    call: bool,
    /// All processes of the tree have ended.
    has_ended: bool,
    answers: bool,
}

impl Supervisor {
    pub(super) fn new(
        abi: Abi,
        listener: OwnedFd,
        judge: Box<dyn ExecJudge>,
        outbox: ExecOutbox,
        deadline: Duration,
    ) -> Supervisor {
        seccomp::wake_at_once(listener.as_fd());
        Supervisor {
            abi,
            listener,
            judge,
            outbox,
            deadline,
            is_started: false,
            tree: TreeFileView::new(),
            file_cache: Rc::new(FileCache::new()),
            started_with: HashSet::new(),
            requests: Vec::new(),
            next_request: 1,
            rechecks: ExecRechecks::new(),
            formats: NamespaceFormats::default(),
            processes: ProcessNames::new(),
        }
    }

    /// Receives and answers calls until all processes of the tree have ended.
    pub(super) fn run(mut self) {
        loop {
            let ready = self.wait();
            if ready.answers {
                self.receive_answers();
            }
            if ready.call {
                self.receive();
            }
            self.expire();
            if ready.has_ended && !ready.call {
                break;
            }
            self.recheck_due();
            self.outbox.flush_if_due();
        }
        self.outbox.finish();
    }

    fn wait(&self) -> PollResult {
        let pause = self.time_to_next_event().map(|pause| Timespec {
            tv_sec: i64::try_from(pause.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(pause.subsec_nanos()),
        });
        let wanted = match self.outbox.is_waiting() {
            true => PollFlags::IN | PollFlags::OUT,
            false => PollFlags::IN,
        };
        let mut fds = [
            PollFd::new(&self.listener, PollFlags::IN),
            PollFd::new(self.outbox.owner(), wanted),
        ];
        let watched = match self.outbox.is_open() {
            true => &mut fds[..],
            false => &mut fds[..1],
        };
        // Fails when a signal interrupts the call; then nothing is ready.
        if poll(watched, pause.as_ref()).is_err() {
            return PollResult::default();
        }
        let [call, owner] = fds.map(|fd| fd.revents());
        PollResult {
            call: call.contains(PollFlags::IN),
            has_ended: call.intersects(PollFlags::HUP | PollFlags::ERR),
            answers: owner.intersects(PollFlags::IN | PollFlags::HUP | PollFlags::ERR),
        }
    }

    /// The time until the next deadline.
    fn time_to_next_event(&self) -> Option<Duration> {
        let requests = self.requests.iter().map(|request| request.deadline);
        // Pending requests are checked regularly, because their process may have been killed.
        let check = (!self.requests.is_empty()).then(|| Instant::now() + REQUEST_CHECK_INTERVAL);
        let events = requests.chain(self.rechecks.due()).chain(self.outbox.due());
        let next = events.chain(check).min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    fn receive(&mut self) {
        // Fails when the process has already been killed.
        let Ok(call) = seccomp::receive(self.listener.as_fd()) else {
            return;
        };
        if !self.abi.is_exec(call.arch, call.number) {
            // Noted before the call happens, so that no exec comes in between.
            self.tree.diverge();
            self.respond(&call, Response::Continue);
            return;
        }
        let tracee = match self.outbox.is_open() {
            true => Tracee::of(call.thread, &mut self.tree, &self.file_cache),
            false => None,
        };
        let Some(tracee) = tracee else {
            self.respond(&call, Response::Fail(Errno::ACCESS));
            return;
        };
        // Last chance to check the program of the previous exec.
        self.recheck_now(tracee.process);
        // If the process still waits when it gets the response, the data that was read belongs to it.
        match self.inspect(&tracee, &call) {
            Inspection::Futile(errno) => {
                self.respond(&call, Response::Fail(errno));
            }
            Inspection::Exec(exec) => self.decide(call, tracee, exec),
        }
    }

    /// Inspects what a process is about to execute.
    fn inspect(&mut self, tracee: &Tracee, call: &Notification) -> Inspection {
        let is_judged = self.judge.is_enforcing();
        let depth = match is_judged {
            true => InspectionDepth::Interpreters,
            false => InspectionDepth::File,
        };
        let mut inspection = tracee.inspect(self.abi, call, depth);
        if !self.is_started && is_judged {
            self.formats.start_with(call.thread);
        }
        if let Inspection::Exec(exec) = &mut inspection
            && is_judged
            && exec.unseen.is_none()
            && self.tree.has_diverged()
            && self.formats.may_apply_to(call.thread)
        {
            exec.unseen = Some(FORMATS);
        }
        inspection
    }

    fn decide(&mut self, call: Notification, tracee: Tracee, mut exec: Box<Exec>) {
        if self.judge.needs_cwd() {
            exec.cwd = tracee.cwd();
        }
        if !self.is_started && self.judge.is_enforcing() {
            let variables = tracee.variables(self.abi, &call);
            self.started_with = variables.into_iter().flatten().collect();
        }
        // Older kernels repeat a call that was interrupted by a signal.
        let same = |request: &&mut PendingRequest| {
            request.call.thread == call.thread && is_same(&request.exec, &exec)
        };
        if let Some(request) = self.requests.iter_mut().find(same) {
            request.call = call;
            return;
        }
        let process = WaitingProcess {
            abi: self.abi,
            call: &call,
            tracee: &tracee,
            started_with: &self.started_with,
            programs: RefCell::default(),
        };
        let verdict = self.judge.judge(&exec, &process);
        let programs = process.programs.into_inner();
        let why = match verdict {
            ExecVerdict::Continue => return self.allow(&call, tracee, &exec),
            ExecVerdict::Deny { why } => {
                exec.cwd = exec.cwd.take().or_else(|| tracee.cwd());
                return self.deny(&call, &exec, why);
            }
            ExecVerdict::Ask { why } => why,
        };
        exec.cwd = exec.cwd.take().or_else(|| tracee.cwd());
        self.ask(
            PendingRequest {
                id: self.next_request,
                call,
                tracee,
                exec,
                variables: Vec::new(),
                programs,
                deadline: Instant::now() + self.deadline,
            },
            why,
        );
    }
    fn allow(&mut self, call: &Notification, tracee: Tracee, exec: &Exec) {
        if tracee::only_checks(self.abi, call) {
            self.respond(call, Response::Continue);
            return;
        }
        let record = self.processes.brief(exec, tracee.pidfd.as_fd());
        if self.respond(call, Response::Continue).process_is_gone() {
            return;
        }
        self.is_started = true;
        if self.judge.is_enforcing() {
            let found = self.rechecks.add(tracee, exec, &mut *self.judge);
            if let Some(found) = found {
                self.outbox.put(&found);
            }
        }
        self.outbox.put_later(&ExecEvent::Ran(record));
    }

    fn deny(&mut self, call: &Notification, exec: &Exec, why: String) {
        let exec = exec_records::full(exec);
        if self
            .respond(call, Response::Fail(Errno::ACCESS))
            .process_is_gone()
        {
            return;
        }
        self.outbox.put(&ExecEvent::Denied { exec, why });
    }

    /// Asks the owner, or denies if that is not possible.
    fn ask(&mut self, request: PendingRequest, why: String) {
        let PendingRequest {
            id,
            call,
            tracee,
            exec,
            ..
        } = &request;
        if !self.is_started {
            return self.deny(call, exec, format!("{why}; ask before it is started"));
        }
        if self.requests.len() >= MOST_REQUESTS {
            return self.deny(call, exec, format!("{why}; too many requests wait"));
        }
        // The owner cannot allow what cannot be shown.
        let Some(variables) = self.variables(call, tracee) else {
            return self.deny(call, exec, format!("{why}; {UNSHOWN}"));
        };
        let mut record = exec_records::full(exec);
        if !seccomp::is_waiting(self.listener.as_fd(), call.id) {
            return;
        }
        record.variables.clone_from(&variables);
        let event = ExecEvent::Ask {
            id: *id,
            exec: record,
            why,
        };
        if !self.outbox.put(&event) {
            let why = "the request could not be delivered".to_owned();
            return self.deny(call, exec, why);
        }
        self.next_request += 1;
        self.requests.push(PendingRequest {
            variables,
            ..request
        });
    }

    fn variables(&self, call: &Notification, tracee: &Tracee) -> Option<Vec<OsString>> {
        let process = WaitingProcess {
            abi: self.abi,
            call,
            tracee,
            started_with: &self.started_with,
            programs: RefCell::default(),
        };
        process.variables()
    }

    fn receive_answers(&mut self) {
        for (id, is_allowed) in self.outbox.answers() {
            let found = self.requests.iter().position(|request| request.id == id);
            if let Some(found) = found {
                let request = self.requests.swap_remove(found);
                self.answer(request, is_allowed);
            }
        }
        if !self.outbox.is_open() {
            for request in std::mem::take(&mut self.requests) {
                self.respond(&request.call, Response::Fail(Errno::ACCESS));
            }
        }
    }

    fn answer(&mut self, request: PendingRequest, is_allowed: bool) {
        let PendingRequest {
            call,
            mut tracee,
            exec,
            variables,
            programs,
            ..
        } = request;
        if !is_allowed {
            return self.deny(&call, &exec, "the request was rejected".to_owned());
        }
        // The process may have waited for long: the program must still be the one that was shown.
        tracee.renew_view(&mut self.tree);
        let inspection = self.inspect(&tracee, &call);
        let is_unchanged = |now: &Exec| {
            is_same(now, &exec)
                && tracee.cwd() == exec.cwd
                && self.variables(&call, &tracee).as_ref() == Some(&variables)
        };
        let is_replaced =
            |(path, then): &(OsString, FileLookup)| !is_same_file(then, &tracee.find(path));
        match inspection {
            Inspection::Exec(now) if is_unchanged(&now) && programs.iter().any(is_replaced) => {
                self.deny(&call, &exec, SCRIPT_REPLACED.to_owned());
            }
            Inspection::Exec(now) if is_unchanged(&now) => self.allow(&call, tracee, &exec),
            Inspection::Exec(now) if !has_same_files(&now, &exec) => {
                self.deny(&call, &exec, REPLACED.to_owned());
            }
            Inspection::Exec(now) => self.deny(&call, &now, CHANGED.to_owned()),
            Inspection::Futile(_) => self.deny(&call, &exec, REPLACED.to_owned()),
        }
    }

    fn expire(&mut self) {
        if self.requests.is_empty() {
            return;
        }
        let now = Instant::now();
        for request in std::mem::take(&mut self.requests) {
            let is_waiting = seccomp::is_waiting(self.listener.as_fd(), request.call.id);
            if is_waiting && request.deadline > now {
                self.requests.push(request);
                continue;
            }
            self.outbox.put(&ExecEvent::Withdrawn { id: request.id });
            if is_waiting {
                let seconds = self.deadline.as_secs();
                let why = format!("nobody answered within {seconds} s");
                self.deny(&request.call, &request.exec, why);
            }
        }
    }

    /// Runs the rechecks that are due now or very soon.
    fn recheck_due(&mut self) {
        if self.rechecks.due().is_none() {
            return;
        }
        for found in self
            .rechecks
            .run_due(Instant::now() + RECHECK_AHEAD, &mut *self.judge)
        {
            self.outbox.put(&found);
        }
    }

    fn recheck_now(&mut self, process: i32) {
        if let Some(found) = self.rechecks.run_now(process, &mut *self.judge) {
            self.outbox.put(&found);
        }
    }

    fn respond(&self, call: &Notification, response: Response) -> Delivery {
        match seccomp::respond(self.listener.as_fd(), call.id, response) {
            Ok(()) => Delivery::Delivered,
            Err(_) => Delivery::ProcessGone,
        }
    }
}

/// Whether a response reached its process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Delivery {
    /// The process that the data was read from got the response.
    Delivered,
    /// The process was killed or interrupted meanwhile, so the data may belong to another process.
    ProcessGone,
}

impl Delivery {
    fn process_is_gone(self) -> bool {
        self == Delivery::ProcessGone
    }
}

/// Whether two execs are the same, apart from the working directory.
fn is_same(one: &Exec, other: &Exec) -> bool {
    (one.pid, &one.given, &one.file, one.more) == (other.pid, &other.given, &other.file, other.more)
        && one.args == other.args
        && has_same_interpreters(one, other)
        && one.unseen == other.unseen
}

/// Whether two execs have the same path and the same, unchanged files.
fn has_same_files(one: &Exec, other: &Exec) -> bool {
    one.given != other.given || (one.file == other.file && has_same_interpreters(one, other))
}

fn has_same_interpreters(one: &Exec, other: &Exec) -> bool {
    (&one.interpreters, &one.loaders) == (&other.interpreters, &other.loaders)
}

/// Whether two lookups found the same, unchanged file. What a directory contains may change.
fn is_same_file(one: &FileLookup, other: &FileLookup) -> bool {
    match (one, other) {
        (FileLookup::Found(one), FileLookup::Found(other)) if one.is_directory => {
            other.is_directory && (&one.path, one.id) == (&other.path, other.id)
        }
        _ => one == other,
    }
}

const REPLACED: &str =
    "the program or its interpreter was replaced or removed while the request waited";
const SCRIPT_REPLACED: &str =
    "a script that it runs was replaced or removed while the request waited";
const CHANGED: &str = "its arguments or variables were changed while the request waited";
const FORMATS: &str =
    "formats of programs are registered in its namespace, so another program may run";
const UNSHOWN: &str = "its variables cannot be read, or are more than 256 KiB";
const MOST_REQUESTS: usize = 64;
/// Rechecks this soon are run at once, because a recheck is cheaper than waking up again.
const RECHECK_AHEAD: Duration = Duration::from_millis(2);
const REQUEST_CHECK_INTERVAL: Duration = Duration::from_secs(1);
