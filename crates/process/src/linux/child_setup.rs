//! Process settings that safe Rust does not offer: the hook between fork and exec, the signal mask, and closing inherited
//! descriptors.
//!
//! The hook runs in a copy of a process whose other threads are gone, so it may only make system calls: it must not
//! allocate, lock or panic.
#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{
    DumpableBehavior, Resource, Rlimit, Signal, getpid, getppid, getrlimit, set_dumpable_behavior,
    set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::tcsetpgrp;

use super::namespace::Namespace;
use super::seccomp;
use super::watch_setup::ListenerSender;

/// Settings that a child applies to itself before it executes the program.
#[derive(Default)]
pub(super) struct ChildSetup {
    /// The child's session, process group and terminal.
    pub(super) job_control: JobControl,
    /// The working directory, if it differs from the parent's.
    pub(super) directory: Option<Arc<OwnedFd>>,
    /// The namespace to enter.
    pub(super) namespace: Option<Namespace>,
    /// The Landlock ruleset to enforce.
    pub(super) landlock_ruleset: Option<Arc<OwnedFd>>,
    /// A Landlock ruleset that only keeps signals inside.
    pub(super) signal_scope: Option<Arc<OwnedFd>>,
    /// The filter of refused system calls.
    pub(super) refused_calls: Option<Vec<libc::sock_filter>>,
    /// The maximum size of a file that the child may write.
    pub(super) largest_file: Option<u64>,
    /// The limit of open files.
    pub(super) open_files: Option<Rlimit>,
    /// The pipe to which the child writes a byte if the confinement fails.
    pub(super) confinement_failed: Option<OwnedFd>,
    /// The connection to the supervisor of a watched program.
    pub(super) watch: Option<ListenerSender>,
}

/// A child's session, process group and terminal.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum JobControl {
    /// The process group that the child was put in.
    #[default]
    Group,
    /// A session of its own without a terminal. The child leaves no core file and is killed first when memory runs out.
    Session,
    /// The foreground of the terminal, which is the stream with this number.
    Foreground(usize),
}

/// Makes the child die with the thread that spawns it, reset its signals, and close all descriptors except 0, 1 and 2.
pub(super) fn set_up(command: &mut Command, setup: ChildSetup) {
    let parent = getpid();
    let hook = move || {
        allow_inspection();
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // If the parent died before the line above, no signal will be sent.
        if getppid() != Some(parent) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        setup.job_control.apply()?;
        unblock_signals()?;
        if let Some(bytes) = setup.largest_file {
            limit(Resource::Fsize, bytes)?;
        }
        if let Some(open_files) = setup.open_files {
            setrlimit(Resource::Nofile, open_files)?;
        }
        if let Some(directory) = &setup.directory {
            rustix::process::fchdir(directory)?;
        }
        if let Err(error) = setup.confine() {
            if let Some(failed) = &setup.confinement_failed {
                // Without this byte the failure is reported as a failure of the program.
                rustix::io::write(failed, b"c").ok();
            }
            return Err(error);
        }
        // Last, so that the supervisor sees nothing but the program.
        if let Some(watch) = &setup.watch {
            watch.install()?;
        }
        // The descriptor that reports a failed exec must stay open until the exec.
        close_from_three(libc::CLOSE_RANGE_CLOEXEC);
        Ok(())
    };
    // SAFETY: the hook makes system calls and nothing else.
    unsafe { command.pre_exec(hook) };
}

impl ChildSetup {
    /// The order matters: the directory before the mounts, and the mounts before Landlock and the filter, which refuse mounts.
    fn confine(&self) -> io::Result<()> {
        if let Some(namespace) = &self.namespace {
            namespace.enter()?;
            rustix::thread::set_no_new_privs(true)?;
        }
        if let Some(scope) = &self.signal_scope {
            rustix::thread::set_no_new_privs(true)?;
            enforce(scope)?;
        }
        if let Some(ruleset) = &self.landlock_ruleset {
            restrict(ruleset)?;
        }
        if let Some(refused_calls) = &self.refused_calls {
            seccomp::install_without_listener(refused_calls)?;
        }
        Ok(())
    }
}

impl JobControl {
    fn apply(self) -> io::Result<()> {
        match self {
            JobControl::Group => {}
            JobControl::Session => {
                setsid()?;
                limit(Resource::Core, 0)?;
                raise_oom_score();
            }
            JobControl::Foreground(stream) => {
                let terminal: BorrowedFd<'_> = match stream {
                    0 => stdin(),
                    1 => stdout(),
                    _ => stderr(),
                };
                // From the background this would stop the process, unless the signal for that is blocked.
                block_all()?;
                tcsetpgrp(terminal, getpid())?;
            }
        }
        Ok(())
    }
}

/// Raises this process's limit of open files as far as possible, and returns the old limit. A supervisor keeps a descriptor
/// for each process that it has yet to recheck.
pub(super) fn open_more_files() -> Option<Rlimit> {
    let before = getrlimit(Resource::Nofile);
    let wanted = match before.maximum {
        Some(most) => most.min(MOST_OPEN_FILES),
        None => MOST_OPEN_FILES,
    };
    if before.current.is_none_or(|current| current >= wanted) {
        return None;
    }
    let more = Rlimit {
        current: Some(wanted),
        maximum: before.maximum,
    };
    setrlimit(Resource::Nofile, more).ok().map(|()| before)
}

/// Runs an action with all signals blocked on this thread, so that no signal stops it.
pub(super) fn with_signals_blocked<T>(act: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut before = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read.
    unsafe {
        let mut all = MaybeUninit::uninit();
        libc::sigfillset(all.as_mut_ptr());
        let result = libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        check(result)?;
    }
    let done = act();
    // SAFETY: the call above has filled the set.
    let back =
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    check(back)?;
    done
}

/// Keeps other processes of the same user from reading the memory and the environment of this process. A child undoes this
/// in the hook, because its files in `/proc`, which it must write, belong to root while it is protected.
pub(super) fn forbid_inspection() -> io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    IS_INSPECTION_FORBIDDEN.store(true, Ordering::Release);
    Ok(())
}

// Never fails in practice, and the following exec has the same effect.
pub(super) fn allow_inspection() {
    if IS_INSPECTION_FORBIDDEN.load(Ordering::Acquire) {
        set_dumpable_behavior(DumpableBehavior::Dumpable).ok();
    }
}

/// Whether this process forbids inspection.
static IS_INSPECTION_FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Closes every descriptor except 0, 1 and 2. Only for the start of a process, when no other code owns a descriptor.
pub(super) fn close_inherited() {
    close_from_three(0);
}

/// Blocks every signal that can be blocked, and returns a descriptor that is readable when a child has ended.
pub(super) fn block_signals() -> io::Result<OwnedFd> {
    block_all()?;
    let mut mask = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read, and no other code owns the returned descriptor.
    unsafe {
        // If the owner ignores SIGCHLD, this process inherits that and could not wait for children.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::sigemptyset(mask.as_mut_ptr());
        libc::sigaddset(mask.as_mut_ptr(), libc::SIGCHLD);
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        let fd = libc::signalfd(-1, mask.as_ptr(), flags);
        check(fd)?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

fn block_all() -> io::Result<()> {
    let mut all = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            all.as_ptr(),
            std::ptr::null_mut(),
        ))
    }
}

/// Resets all signals to their defaults for the program. The parent of this process may ignore some, as `nohup` does.
fn unblock_signals() -> io::Result<()> {
    let mut none = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read, and no handler of ours outlives exec.
    unsafe {
        for signal in IGNORABLE {
            libc::signal(signal, libc::SIG_DFL);
        }
        libc::sigemptyset(none.as_mut_ptr());
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            none.as_ptr(),
            std::ptr::null_mut(),
        ))
    }
}

// Keeps a hard limit that is already lower.
fn limit(resource: Resource, bytes: u64) -> io::Result<()> {
    let now = getrlimit(resource);
    let most = now.maximum.map_or(bytes, |most| most.min(bytes));
    let limit = Rlimit {
        current: Some(now.current.map_or(most, |current| current.min(most))),
        maximum: Some(most),
    };
    Ok(setrlimit(resource, limit)?)
}

const MOST_OPEN_FILES: u64 = 16_384;

// Fails without /proc; then the process is not preferred when memory runs out.
fn raise_oom_score() {
    use rustix::fs::{Mode, OFlags, open};
    let score = open(
        c"/proc/self/oom_score_adj",
        OFlags::WRONLY | OFlags::CLOEXEC,
        Mode::empty(),
    );
    if let Ok(score) = score {
        rustix::io::write(score, b"500").ok();
    }
}

/// Enforces a Landlock ruleset for this process and everything it starts. Set-user-id programs such as `sudo` gain no rights
/// then, as the kernel requires.
fn restrict(ruleset: &OwnedFd) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    limit_capabilities()?;
    join_empty_keyring()?;
    enforce(ruleset)
}

/// Enforces a Landlock ruleset. Needs `no_new_privs`.
fn enforce(ruleset: &OwnedFd) -> io::Result<()> {
    // SAFETY: the call takes a descriptor that is open, and no memory.
    let restricted =
        unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
    match restricted {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Replaces the keyring of the user's session with an empty one.
fn join_empty_keyring() -> io::Result<()> {
    // SAFETY: the call takes no memory. Without a name, no other process can join the new keyring.
    let joined =
        unsafe { libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, 0_usize) };
    match joined {
        // Without kernel support for keys, or where a container refuses it, the program cannot reach keys either.
        -1 => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => Ok(()),
            error => Err(error),
        },
        _ => Ok(()),
    }
}

/// Limits root to the capabilities that commands need. With more, root could read the memory of every process and the blocks
/// of every disk, which Landlock does not prevent.
fn limit_capabilities() -> io::Result<()> {
    use rustix::io::Errno;
    use rustix::thread::{
        CapabilitySet, capabilities, clear_ambient_capability_set,
        remove_capability_from_bounding_set, set_capabilities,
    };
    let kept = CapabilitySet::CHOWN
        | CapabilitySet::DAC_OVERRIDE
        | CapabilitySet::FOWNER
        | CapabilitySet::FSETID
        | CapabilitySet::KILL
        | CapabilitySet::SETGID
        | CapabilitySet::SETUID
        | CapabilitySet::SETPCAP
        | CapabilitySet::SETFCAP
        | CapabilitySet::NET_BIND_SERVICE
        | CapabilitySet::NET_RAW
        | CapabilitySet::SYS_CHROOT
        | CapabilitySet::AUDIT_WRITE;
    for number in 0..64 {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        if kept.contains(capability) {
            continue;
        }
        match remove_capability_from_bounding_set(capability) {
            Ok(()) => {}
            // Past the last capability of this kernel, or not permitted. In the latter case programs gain no capability
            // anyway, because `no_new_privs` is set.
            Err(Errno::INVAL | Errno::PERM) => break,
            Err(error) => return Err(error.into()),
        }
    }
    let mut held = capabilities(None)?;
    held.effective &= kept;
    held.permitted &= kept;
    held.inheritable &= kept;
    set_capabilities(None, held)?;
    Ok(clear_ambient_capability_set()?)
}

// On a kernel without this call, files that were opened without CLOEXEC stay open.
fn close_from_three(flags: libc::c_uint) {
    // SAFETY: the caller owns no descriptor in the range, or only marks them to be closed by exec.
    unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, flags) };
}

fn check(result: libc::c_int) -> io::Result<()> {
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Signals that shells and service managers set to be ignored.
const IGNORABLE: [libc::c_int; 7] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];
