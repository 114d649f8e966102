//! The keeper of a program: starts the program, executes orders, and kills the process tree when the program ends or its
//! owner is gone. The keeper is a separate process, the guard, or a thread if this executable cannot be a guard.

use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, AtFlags};
use rustix::io::Errno;
use rustix::process::{
    Pid, Rlimit, Signal, WaitId, WaitIdOptions, getpgrp, kill_process_group, waitid,
};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr, tcsetpgrp};

use super::child_setup::{self, ChildSetup, JobControl};
use super::namespace::{self, CoverMonitor, Namespace};
use super::watch_setup::{self, SupervisorHandle};
use super::wire::{self, JobFiles, Report, StartFailure};
use super::{StdioMode, process_tree};
use crate::{ExitStatus, Program};

/// The whole life of a guard process; returns its exit code.
pub(super) fn guard() -> i32 {
    child_setup::close_inherited();
    // Never fails in practice, and the guard works without it.
    child_setup::forbid_inspection().ok();
    let open_files = child_setup::open_more_files();
    let ended = child_setup::block_signals();
    let control = io::stdin().as_fd().try_clone_to_owned();
    let prepare_guard = |mode| prepare_guard(ended?, mode);
    let kept = control.and_then(|control| run_program(&control.into(), open_files, prepare_guard));
    i32::from(kept.is_err())
}

/// The whole life of a keeper thread. The agent dies with this thread, so it lives as long as the agent.
pub(super) fn thread(control: &UnixStream) {
    // Fails when the owner is gone, and then nobody needs the report.
    run_program(control, None, |_| {
        Ok(SweepScope::Group {
            descendants: Vec::new(),
        })
    })
    .ok();
}

/// The processes that a keeper can kill.
enum SweepScope {
    /// All descendants of this process. The descriptor is readable when one of them has ended.
    Children { ended: OwnedFd },
    /// The program's process group, and known descendants of the program.
    Group { descendants: Vec<OwnedFd> },
}

struct Agent {
    pid: Pid,
    pidfd: OwnedFd,
    supervisor: Option<SupervisorHandle>,
    monitor: Option<CoverMonitor>,
}

/// Why the keeper stops watching.
enum WatchEnd {
    Ended(ExitStatus),
    OwnerGone,
}

/// Leaves the owner's session, unless the program uses its terminal, and becomes the parent of orphans, unless they may
/// outlive the program.
fn prepare_guard(ended: OwnedFd, mode: StdioMode) -> io::Result<SweepScope> {
    rustix::thread::set_name(c"attache-guard")?;
    if mode == StdioMode::Attached {
        return Ok(SweepScope::Group {
            descendants: Vec::new(),
        });
    }
    rustix::process::setsid()?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    Ok(SweepScope::Children { ended })
}

/// Runs one program until its tree has ended. Sets the program's limit of open files if it differs from the keeper's.
fn run_program(
    control: &UnixStream,
    open_files: Option<Rlimit>,
    scope: impl FnOnce(StdioMode) -> io::Result<SweepScope>,
) -> io::Result<()> {
    let files = wire::receive_files(control)?;
    let (program, mode) = wire::read_job(control)?;
    let foreground = match mode {
        StdioMode::Attached => ForegroundTerminal::of(&files.stdio),
        StdioMode::Piped | StdioMode::Captured => None,
    };
    let job_control = match (mode, &foreground) {
        (StdioMode::Captured, _) => JobControl::Session,
        (_, Some(foreground)) => JobControl::Foreground(foreground.stream()),
        _ => JobControl::Group,
    };
    let started = scope(mode)
        .map_err(|error| (StartFailure::Custody, error))
        .and_then(|scope| Ok((start(&program, files, job_control, open_files)?, scope)));
    let (mut agent, mut scope) = match started {
        Ok(started) => started,
        Err((failure, error)) => {
            restore_terminal(foreground);
            let errno = Errno::from_io_error(&error).unwrap_or(Errno::INVAL);
            return Report::Failed(failure, errno.raw_os_error()).send(control);
        }
    };
    // From here on, a failure to report must not prevent killing the tree.
    let reported = Report::Started(agent.pid.as_raw_nonzero().get()).send(control);
    let end = match reported {
        Ok(()) => watch(control, &mut agent, mode, &mut scope),
        Err(_) => WatchEnd::OwnerGone,
    };
    if let WatchEnd::Ended(status) = end {
        Report::Ended(status).send(control).ok();
        if mode == StdioMode::Captured {
            wait_for_background_processes(control, &mut agent, &scope);
        }
    }
    let swept = match scope {
        SweepScope::Children { .. } => process_tree::kill_children(agent.pid),
        SweepScope::Group { mut descendants } => {
            descendants.extend(process_tree::descendants(agent.pid));
            process_tree::kill_group(agent.pid, &agent.pidfd, &descendants)
        }
    };
    restore_terminal(foreground);
    if let Some(supervisor) = &agent.supervisor {
        supervisor.finish();
    }
    if let WatchEnd::OwnerGone = end {
        Report::Ended(swept.agent.unwrap_or(ExitStatus::Lost)).send(control)?;
    }
    Report::Swept(swept.survivors.try_into().unwrap_or(i32::MAX)).send(control)
}

// Fails when the terminal is gone, which does not matter.
fn restore_terminal(foreground: Option<ForegroundTerminal>) {
    if let Some(foreground) = foreground {
        foreground.restore().ok();
    }
}

fn start(
    program: &Program,
    files: JobFiles,
    job_control: JobControl,
    open_files: Option<Rlimit>,
) -> Result<Agent, (StartFailure, io::Error)> {
    let (supervisor, watch) = match (&program.watch, files.execs) {
        (Some(watch), Some(owner)) => {
            let started =
                watch_setup::start(watch, owner).map_err(|error| (StartFailure::Watch, error))?;
            (Some(started.0), Some(started.1))
        }
        _ => (None, None),
    };
    let [stdin, stdout, stderr] = files.stdio;
    let mut command = Command::new(&program.name);
    command.args(&program.args);
    // The leader of a group cannot begin a session; a new session makes a group as well.
    if !matches!(job_control, JobControl::Session) {
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
            entered.map_err(|errno| (StartFailure::Directory, errno.into()))?;
        }
        (None, Some(cwd)) => {
            enterable(cwd).map_err(|error| (StartFailure::Directory, error))?;
            command.current_dir(cwd);
        }
        (None, None) => {}
    }
    let confined = |error| (StartFailure::Confinement, error);
    let mut namespace = Namespace::of(&program.confinement).map_err(confined)?;
    let report = match &mut namespace {
        Some(namespace) => namespace::report_socket(namespace).map_err(confined)?,
        None => None,
    };
    let refused_calls =
        namespace::refused_calls(&program.confinement, files.landlock_ruleset.is_some());
    let (failed, fails) = io::pipe().map_err(|error| (StartFailure::Custody, error))?;
    let setup = ChildSetup {
        job_control,
        directory: files.directory,
        namespace,
        landlock_ruleset: files.landlock_ruleset,
        signal_scope: files.signal_scope,
        refused_calls,
        largest_file: program.largest_file,
        open_files,
        confinement_failed: Some(fails.into()),
        watch,
    };
    child_setup::set_up(&mut command, setup);
    let spawned = command.spawn();
    // Closes the child's ends of its streams, and the rest of this end of the pipe.
    drop(command);
    match spawned {
        Ok(child) => open_handles(child, program, supervisor, report.as_ref()),
        Err(error) => {
            let failure = match (failure(failed), &supervisor) {
                (StartFailure::Program, Some(supervisor)) if supervisor.is_refused() => {
                    StartFailure::Watch
                }
                (failure, _) => failure,
            };
            Err((failure, error))
        }
    }
}

/// Opens handles to the running program and its covers. If that fails, kills the program.
fn open_handles(
    mut child: Child,
    program: &Program,
    supervisor: Option<SupervisorHandle>,
    report: Option<&UnixStream>,
) -> Result<Agent, (StartFailure, io::Error)> {
    let pid = Pid::from_child(&child);
    let held = rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty())
        .map_err(|errno| (StartFailure::Custody, errno.into()))
        .and_then(|pidfd| {
            let monitor = report.map(|report| CoverMonitor::begin(&program.confinement, report));
            let monitor = monitor.transpose();
            Ok((
                pidfd,
                monitor.map_err(|error| (StartFailure::Confinement, error))?,
            ))
        });
    match held {
        Ok((pidfd, monitor)) => Ok(Agent {
            pid,
            pidfd,
            supervisor,
            monitor,
        }),
        Err((failure, error)) => {
            let ended = child.kill().and_then(|()| child.wait());
            Err((failure, ended.err().unwrap_or(error)))
        }
    }
}

impl Agent {
    /// Covers files that have replaced covered ones.
    fn refresh_covers(&mut self) {
        if let Some(monitor) = &mut self.monitor {
            monitor.refresh();
        }
    }

    fn must_poll(&self) -> bool {
        self.monitor.as_ref().is_some_and(CoverMonitor::must_poll)
    }
}

/// Determines what failed before the program could run. The child writes a byte if the confinement failed.
fn failure(mut failed: io::PipeReader) -> StartFailure {
    match failed.read(&mut [0]) {
        Ok(1..) => StartFailure::Confinement,
        _ => StartFailure::Program,
    }
}

fn enterable(cwd: &Path) -> io::Result<()> {
    if !cwd.metadata()?.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    Ok(rustix::fs::access(cwd, Access::EXEC_OK)?)
}

fn watch(
    control: &UnixStream,
    agent: &mut Agent,
    mode: StdioMode,
    scope: &mut SweepScope,
) -> WatchEnd {
    loop {
        let pause = (mode == StdioMode::Attached || agent.must_poll()).then_some(POLL_INTERVAL);
        let (has_orders, ended, orphan) = ready(control, agent, pause.as_ref(), scope);
        agent.refresh_covers();
        if mode == StdioMode::Attached {
            continue_if_stopped(agent.pid, &agent.pidfd);
        }
        // Checks for the end of the program first, so that no signal goes to a pid that has been released.
        if orphan && let Some(status) = reap(agent, scope) {
            return WatchEnd::Ended(status);
        }
        if ended {
            match process_tree::peek(&agent.pidfd) {
                Ok(None) => {}
                Ok(Some(status)) => return WatchEnd::Ended(status),
                Err(_) => return WatchEnd::Ended(ExitStatus::Lost),
            }
        }
        if has_orders {
            let mut orders = [0; 16];
            match rustix::io::read(control, &mut orders) {
                Err(Errno::INTR) => {}
                Ok(0) | Err(_) => return WatchEnd::OwnerGone,
                Ok(count) => {
                    for order in &orders[..count] {
                        execute_order(*order, control, agent, scope);
                    }
                }
            }
        }
    }
}

/// Lets background processes live until the owner stops them or none is left.
fn wait_for_background_processes(control: &UnixStream, agent: &mut Agent, scope: &SweepScope) {
    loop {
        let mut fds = vec![PollFd::new(control, PollFlags::IN)];
        if let SweepScope::Children { ended } = scope {
            if process_tree::reap(|_, _| {}) == process_tree::Remaining::None {
                return;
            }
            fds.push(PollFd::new(ended, PollFlags::IN));
        }
        fds.extend(agent.monitor.iter().filter_map(CoverMonitor::poll));
        let pause = agent.must_poll().then_some(POLL_INTERVAL);
        // Fails when a signal interrupts the call; then nothing is ready.
        poll(&mut fds, pause.as_ref()).ok();
        let has_orders = fds.first().is_some_and(|fd| !fd.revents().is_empty());
        drop(fds);
        agent.refresh_covers();
        drain(scope);
        if has_orders && !matches!(rustix::io::read(control, &mut [0; 16]), Ok(1..)) {
            return;
        }
    }
}

/// Waits for events. Returns whether there are orders, the program has ended, and another child has ended.
fn ready(
    control: &UnixStream,
    agent: &Agent,
    pause: Option<&Timespec>,
    scope: &SweepScope,
) -> (bool, bool, bool) {
    let mut fds = vec![
        PollFd::new(control, PollFlags::IN),
        PollFd::new(&agent.pidfd, PollFlags::IN),
    ];
    if let SweepScope::Children { ended } = scope {
        fds.push(PollFd::new(ended, PollFlags::IN));
    }
    fds.extend(agent.monitor.iter().filter_map(CoverMonitor::poll));
    // Fails when a signal interrupts the call; then nothing is ready.
    poll(&mut fds, pause).ok();
    let ready = |index: usize| fds.get(index).is_some_and(|fd| !fd.revents().is_empty());
    let has_orphans = matches!(scope, SweepScope::Children { .. }) && ready(2);
    (ready(0), ready(1), has_orphans)
}

/// Reaps ended children of the guard, including orphans of the tree. Returns the program's status if it was among them.
fn reap(agent: &Agent, scope: &SweepScope) -> Option<ExitStatus> {
    let SweepScope::Children { .. } = scope else {
        return None;
    };
    drain(scope);
    let mut found = None;
    process_tree::reap(|pid, status| {
        if pid == agent.pid {
            found = Some(status);
        }
    });
    found
}

fn drain(scope: &SweepScope) {
    if let SweepScope::Children { ended } = scope {
        let mut signals = [0; 1024];
        while rustix::io::read(ended, &mut signals).is_ok_and(|count| count > 0) {}
    }
}

fn execute_order(order: u8, control: &UnixStream, agent: &Agent, scope: &mut SweepScope) {
    if let SweepScope::Group { descendants } = scope {
        *descendants = process_tree::descendants(agent.pid);
    }
    match order {
        wire::NOTE_DESCENDANTS => drop(Report::DescendantsNoted.send(control)),
        wire::TERM => terminate(agent),
        _ => {}
    }
}

// A stopped process handles SIGTERM when it continues.
fn terminate(agent: &Agent) {
    for signal in [Signal::TERM, Signal::CONT] {
        // Fails if the program has just ended, which is the goal.
        match rustix::process::getpgid(Some(agent.pid)) {
            Ok(group) if group == agent.pid => kill_process_group(agent.pid, signal),
            _ => rustix::process::pidfd_send_signal(&agent.pidfd, signal),
        }
        .ok();
    }
}

/// The state of a terminal before it was given to a program.
struct ForegroundTerminal {
    terminal: OwnedFd,
    stream: usize,
    owner: Pid,
    settings: Termios,
}

impl ForegroundTerminal {
    /// The terminal behind the streams, if this process is in its foreground.
    fn of(stdio: &[OwnedFd; 3]) -> Option<ForegroundTerminal> {
        let owner = getpgrp();
        let is_ours = |stream: &OwnedFd| tcgetpgrp(stream).is_ok_and(|group| group == owner);
        let stream = stdio.iter().position(is_ours)?;
        Some(ForegroundTerminal {
            settings: tcgetattr(&stdio[stream]).ok()?,
            terminal: stdio[stream].try_clone().ok()?,
            stream,
            owner,
        })
    }

    /// The number of the stream that is the terminal.
    fn stream(&self) -> usize {
        self.stream
    }

    /// Gives the terminal back to the owner in its old state. Fails when the terminal is gone.
    fn restore(&self) -> io::Result<()> {
        child_setup::with_signals_blocked(|| {
            tcsetpgrp(&self.terminal, self.owner)?;
            tcsetattr(&self.terminal, OptionalActions::Drain, &self.settings)?;
            Ok(())
        })
    }
}

/// Continues a program that was stopped, by Ctrl-Z or otherwise, because there is no shell that would.
fn continue_if_stopped(agent: Pid, pidfd: &OwnedFd) {
    let stopped = waitid(
        WaitId::PidFd(pidfd.as_fd()),
        WaitIdOptions::STOPPED | WaitIdOptions::NOHANG,
    );
    if let Ok(Some(_)) = stopped {
        // Fails if the program has just ended, which the next check finds.
        kill_process_group(agent, Signal::CONT).ok();
    }
}

/// How often to check whether a program on the terminal was stopped.
const POLL_INTERVAL: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 200_000_000,
};
