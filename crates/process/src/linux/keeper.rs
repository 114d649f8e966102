//! The keeper of an agent: starts it, passes orders on, and sweeps its tree when it ends or its owner is gone. It is
//! a process of its own, the guard, or a thread where there can be none.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;
use rustix::process::{Pid, Rlimit, Signal};

use super::bond::{self, Bond, Place};
use super::foreground::{self, Foreground};
use super::namespace::{self, Namespace, Upkeep};
use super::supervision::{self, Supervision};
use super::wire::{self, Fault, Files, Report};
use super::{Mode, sweep, table};
use crate::{Program, Status};

/// The whole life of a guard process; returns its exit code.
pub(super) fn guard() -> i32 {
    bond::close_inherited();
    // It fails nowhere; a guard that could be read would still guard.
    bond::hide().ok();
    let open_files = bond::open_more_files();
    let ended = bond::block_signals();
    let control = io::stdin().as_fd().try_clone_to_owned();
    let settle = |mode| settle(ended?, mode);
    let kept = control.and_then(|control| keep(&control.into(), open_files, settle));
    i32::from(kept.is_err())
}

/// The whole life of a keeper thread. The agent dies with this thread, so it lives as long as the agent.
pub(super) fn thread(control: &UnixStream) {
    // It fails when the owner is gone, and then there is nobody to tell.
    keep(control, None, |_| Ok(Reach::Group { seen: Vec::new() })).ok();
}

/// Whom a keeper can sweep.
enum Reach {
    /// Everybody who descends from this process. The descriptor is readable when one has ended.
    Children { ended: OwnedFd },
    /// The agent's process group, and those who were seen to descend from the agent.
    Group { seen: Vec<OwnedFd> },
}

struct Agent {
    pid: Pid,
    pidfd: OwnedFd,
    supervision: Option<Supervision>,
    upkeep: Option<Upkeep>,
}

/// Why the keeper stops watching.
enum Cue {
    Ended(Status),
    OwnerGone,
}

/// Leaves the owner's session, unless the agent is to have its terminal, and becomes the parent of orphans, unless they
/// may outlive the agent.
fn settle(ended: OwnedFd, mode: Mode) -> io::Result<Reach> {
    rustix::thread::set_name(c"attache-guard")?;
    if mode == Mode::Attached {
        return Ok(Reach::Group { seen: Vec::new() });
    }
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(Reach::Children { ended })
}

/// Keeps one agent. It gets this limit of open files, if that is not the keeper's own.
fn keep(
    control: &UnixStream,
    open_files: Option<Rlimit>,
    reach: impl FnOnce(Mode) -> io::Result<Reach>,
) -> io::Result<()> {
    let files = wire::receive_files(control)?;
    let (program, mode) = wire::read_job(control)?;
    let foreground = match mode {
        Mode::Attached => Foreground::of(&files.stdio),
        Mode::Piped | Mode::Captured => None,
    };
    let place = match (mode, &foreground) {
        (Mode::Captured, _) => Place::Session,
        (_, Some(foreground)) => Place::Foreground(foreground.stream()),
        _ => Place::Group,
    };
    let started = reach(mode)
        .map_err(|error| (Fault::Custody, error))
        .and_then(|reach| Ok((start(&program, files, place, open_files)?, reach)));
    let (mut agent, mut reach) = match started {
        Ok(started) => started,
        Err((fault, error)) => {
            take_back(foreground);
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::INVAL);
            return Report::Failed(fault, errno.raw_os_error()).send(control);
        }
    };
    // From here on the sweep comes first: what cannot be told does not keep it from being done.
    let told = Report::Started(agent.pid.as_raw_nonzero().get()).send(control);
    let cue = match told {
        Ok(()) => watch(control, &mut agent, mode, &mut reach),
        Err(_) => Cue::OwnerGone,
    };
    if let Cue::Ended(status) = cue {
        Report::Ended(status).send(control).ok();
        if mode == Mode::Captured {
            linger(control, &mut agent, &reach);
        }
    }
    let swept = match reach {
        Reach::Children { .. } => sweep::children(agent.pid),
        Reach::Group { mut seen } => {
            seen.extend(table::descendants(agent.pid));
            sweep::group(agent.pid, &agent.pidfd, &seen)
        }
    };
    take_back(foreground);
    if let Some(supervision) = &agent.supervision {
        supervision.finish();
    }
    if let Cue::OwnerGone = cue {
        Report::Ended(swept.agent.unwrap_or(Status::Lost)).send(control)?;
    }
    Report::Swept(swept.survivors.try_into().unwrap_or(i32::MAX)).send(control)
}

// It fails when the terminal is gone, and then nobody misses it.
fn take_back(foreground: Option<Foreground>) {
    if let Some(foreground) = foreground {
        foreground.take_back().ok();
    }
}

fn start(
    program: &Program,
    files: Files,
    place: Place,
    open_files: Option<Rlimit>,
) -> Result<Agent, (Fault, io::Error)> {
    let (supervision, watch) = match (&program.watch, files.execs) {
        (Some(watch), Some(owner)) => {
            let started =
                supervision::start(watch, owner).map_err(|error| (Fault::Watch, error))?;
            (Some(started.0), Some(started.1))
        }
        _ => (None, None),
    };
    let [stdin, stdout, stderr] = files.stdio;
    let mut command = Command::new(&program.name);
    command.args(&program.args);
    // Who leads a group cannot begin a session; that makes a group as well.
    if !matches!(place, Place::Session) {
        command.process_group(0);
    }
    command.stdin(Stdio::from(stdin));
    command.stdout(Stdio::from(stdout));
    command.stderr(Stdio::from(stderr));
    if !program.inherits {
        command.env_clear();
    }
    for (name, value) in &program.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    match (&files.directory, &program.cwd) {
        (Some(directory), _) => {
            let entered = rustix::fs::accessat(directory, c".", Access::EXEC_OK, AtFlags::empty());
            entered.map_err(|errno| (Fault::Directory, errno.into()))?;
        }
        (None, Some(cwd)) => {
            enterable(cwd).map_err(|error| (Fault::Directory, error))?;
            command.current_dir(cwd);
        }
        (None, None) => {}
    }
    let confined = |error| (Fault::Confinement, error);
    let mut namespace = Namespace::of(&program.confinement).map_err(confined)?;
    let report = match &mut namespace {
        Some(namespace) => namespace::upkeep(namespace).map_err(confined)?,
        None => None,
    };
    let refusals = namespace::refusals(&program.confinement, files.landlock_ruleset.is_some());
    let (failed, fails) = io::pipe().map_err(|error| (Fault::Custody, error))?;
    let bond = Bond {
        place,
        directory: files.directory,
        namespace,
        landlock_ruleset: files.landlock_ruleset,
        refusals,
        largest_file: program.largest_file,
        open_files,
        confinement_failed: Some(fails.into()),
        watch,
    };
    bond::bind(&mut command, bond);
    let spawned = command.spawn();
    // Closes the child's end of what it was given, and what is left of our end of the pipe.
    drop(command);
    match spawned {
        Ok(child) => hold(child, program, supervision, report.as_ref()),
        Err(error) => {
            let fault = match (fault(failed), &supervision) {
                (Fault::Program, Some(supervision)) if supervision.is_refused() => Fault::Watch,
                (fault, _) => fault,
            };
            Err((fault, error))
        }
    }
}

/// Takes hold of a program that runs, and of what is covered for it. Without that it is ended.
fn hold(
    mut child: Child,
    program: &Program,
    supervision: Option<Supervision>,
    report: Option<&UnixStream>,
) -> Result<Agent, (Fault, io::Error)> {
    let pid = Pid::from_child(&child);
    let held = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())
        .map_err(|errno| (Fault::Custody, errno.into()))
        .and_then(|pidfd| {
            let upkeep = report.map(|report| Upkeep::begin(&program.confinement, report));
            let upkeep = upkeep.transpose();
            Ok((pidfd, upkeep.map_err(|error| (Fault::Confinement, error))?))
        });
    match held {
        Ok((pidfd, upkeep)) => Ok(Agent {
            pid,
            pidfd,
            supervision,
            upkeep,
        }),
        Err((fault, error)) => {
            let ended = child.kill().and_then(|()| child.wait());
            Err((fault, ended.err().unwrap_or(error)))
        }
    }
}

impl Agent {
    /// Covers what has taken the place of something covered.
    fn keep_covered(&mut self) {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.refresh();
        }
    }

    fn is_blind(&self) -> bool {
        self.upkeep.as_ref().is_some_and(Upkeep::is_blind)
    }
}

/// What failed before the program could run: the child writes a byte if it was its confinement.
fn fault(mut failed: io::PipeReader) -> Fault {
    match failed.read(&mut [0]) {
        Ok(1..) => Fault::Confinement,
        _ => Fault::Program,
    }
}

fn enterable(cwd: &Path) -> io::Result<()> {
    if !cwd.metadata()?.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    Ok(rustix::fs::access(cwd, Access::EXEC_OK)?)
}

fn watch(control: &UnixStream, agent: &mut Agent, mode: Mode, reach: &mut Reach) -> Cue {
    loop {
        let pause = (mode == Mode::Attached || agent.is_blind()).then_some(GLANCE);
        let (told, ended, orphan) = ready(control, agent, pause.as_ref(), reach);
        agent.keep_covered();
        if mode == Mode::Attached {
            foreground::keep_going(agent.pid, &agent.pidfd);
        }
        // The end of the agent is looked at first, so that no order reaches a pid that was given back.
        if orphan && let Some(status) = reap(agent, reach) {
            return Cue::Ended(status);
        }
        if ended {
            match sweep::peek(&agent.pidfd) {
                Ok(None) => {}
                Ok(Some(status)) => return Cue::Ended(status),
                Err(_) => return Cue::Ended(Status::Lost),
            }
        }
        if told {
            let mut orders = [0; 16];
            match rustix::io::read(control, &mut orders) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return Cue::OwnerGone,
                Ok(count) => {
                    for order in &orders[..count] {
                        obey(*order, control, agent, reach);
                    }
                }
            }
        }
    }
}

/// Lets those whom the agent left behind live until the owner has enough, or nobody is left.
fn linger(control: &UnixStream, agent: &mut Agent, reach: &Reach) {
    loop {
        let mut fds = vec![PollFd::new(control, PollFlags::IN)];
        if let Reach::Children { ended } = reach {
            if sweep::reap(|_, _| {}) == sweep::Left::None {
                return;
            }
            fds.push(PollFd::new(ended, PollFlags::IN));
        }
        fds.extend(agent.upkeep.iter().filter_map(Upkeep::poll));
        let pause = agent.is_blind().then_some(GLANCE);
        // It fails when a signal interrupts it, and then nothing is ready.
        poll(&mut fds, pause.as_ref()).ok();
        let told = fds.first().is_some_and(|fd| !fd.revents().is_empty());
        drop(fds);
        agent.keep_covered();
        drain(reach);
        if told && !matches!(rustix::io::read(control, &mut [0; 16]), Ok(1..)) {
            return;
        }
    }
}

/// Waits; then whether there are orders, the agent has ended, another child has ended.
fn ready(
    control: &UnixStream,
    agent: &Agent,
    pause: Option<&Timespec>,
    reach: &Reach,
) -> (bool, bool, bool) {
    let mut fds = vec![
        PollFd::new(control, PollFlags::IN),
        PollFd::new(&agent.pidfd, PollFlags::IN),
    ];
    if let Reach::Children { ended } = reach {
        fds.push(PollFd::new(ended, PollFlags::IN));
    }
    fds.extend(agent.upkeep.iter().filter_map(Upkeep::poll));
    // It fails when a signal interrupts it, and then nothing is ready.
    poll(&mut fds, pause).ok();
    let ready = |index: usize| fds.get(index).is_some_and(|fd| !fd.revents().is_empty());
    let has_orphans = matches!(reach, Reach::Children { .. }) && ready(2);
    (ready(0), ready(1), has_orphans)
}

/// Orphans of the tree come to the guard, and it must wait for them; tells the agent's status if it was among them.
fn reap(agent: &Agent, reach: &Reach) -> Option<Status> {
    let Reach::Children { .. } = reach else {
        return None;
    };
    drain(reach);
    let mut found = None;
    sweep::reap(|pid, status| {
        if pid == agent.pid {
            found = Some(status);
        }
    });
    found
}

fn drain(reach: &Reach) {
    if let Reach::Children { ended } = reach {
        let mut signals = [0; 1024];
        while rustix::io::read(ended, &mut signals).is_ok_and(|count| count > 0) {}
    }
}

fn obey(order: u8, control: &UnixStream, agent: &Agent, reach: &mut Reach) {
    if let Reach::Group { seen } = reach {
        *seen = table::descendants(agent.pid);
    }
    match order {
        wire::LOOK => drop(Report::Looked.send(control)),
        wire::TERM => term(agent),
        _ => {}
    }
}

// A process that was stopped takes SIGTERM when it continues.
fn term(agent: &Agent) {
    for signal in [Signal::TERM, Signal::CONT] {
        // It fails if the agent has just ended, which is what was wanted.
        match rustix::process::getpgid(Some(agent.pid)) {
            Ok(group) if group == agent.pid => {
                rustix::process::kill_process_group(agent.pid, signal)
            }
            _ => rustix::process::pidfd_send_signal(&agent.pidfd, signal),
        }
        .ok();
    }
}

/// How often a program on our terminal is looked at, whether it was stopped.
const GLANCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};
