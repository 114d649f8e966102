//! What a process sets about itself that safe Rust does not offer: the hook between fork and exec, the signal mask,
//! and the closing of inherited descriptors.
//!
//! With `seccomp`, this is the one place of the crate with `unsafe` code. The hook runs in a copy of a process whose other threads
//! are gone, so it may only make system calls: it does not allocate, lock or panic.
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

/// What else a child sets about itself before it becomes the program.
#[derive(Default)]
pub(super) struct ChildSetup {
    /// Its place among the processes of the person.
    pub(super) job_control: JobControl,
    /// The directory it starts in, if it is not the one it is spawned in.
    pub(super) directory: Option<Arc<OwnedFd>>,
    /// The namespace it lives in.
    pub(super) namespace: Option<Namespace>,
    /// The Landlock ruleset it is confined by.
    pub(super) landlock_ruleset: Option<Arc<OwnedFd>>,
    /// The filter of calls that are refused to it.
    pub(super) refused_calls: Option<Vec<libc::sock_filter>>,
    /// The size of the largest file it may write.
    pub(super) largest_file: Option<u64>,
    /// How many files it may open.
    pub(super) open_files: Option<Rlimit>,
    /// Where it writes a byte if its confinement fails.
    pub(super) confinement_failed: Option<OwnedFd>,
    /// The supervisor of what it executes.
    pub(super) watch: Option<ListenerSender>,
}

/// A child's place among the processes of the person.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum JobControl {
    /// The process group it was put in.
    #[default]
    Group,
    /// A session of its own without a terminal; it leaves no core file, and goes first when memory runs out.
    Session,
    /// The foreground of the terminal that is this one of its streams.
    Foreground(usize),
}

/// Makes the child die with the thread that spawns it, take signals, and keep no descriptor but 0, 1 and 2.
pub(super) fn set_up(command: &mut Command, setup: ChildSetup) {
    let parent = getpid();
    let hook = move || {
        allow_inspection();
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that died before the line above will send nothing.
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
                // Without it the failure is told as one of the program.
                rustix::io::write(failed, b"c").ok();
            }
            return Err(error);
        }
        // Last, so that the supervisor sees nothing but the program.
        if let Some(watch) = &setup.watch {
            watch.install()?;
        }
        // The descriptor over which a failed exec is told must stay open until then.
        close_from_three(libc::CLOSE_RANGE_CLOEXEC);
        Ok(())
    };
    // SAFETY: the hook makes system calls and nothing else.
    unsafe { command.pre_exec(hook) };
}

impl ChildSetup {
    /// The order counts: the directory before the mounts, the mounts before Landlock and the filter, which refuse them.
    fn confine(&self) -> io::Result<()> {
        if let Some(namespace) = &self.namespace {
            namespace.enter()?;
            rustix::thread::set_no_new_privs(true)?;
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
                // From the background this would stop us, unless the signal for that is blocked.
                block_all()?;
                tcsetpgrp(terminal, getpid())?;
            }
        }
        Ok(())
    }
}

/// Lets this process open as many files as the system allows; returns what it was allowed before. A supervisor holds each
/// process whose exec it has yet to look at a second time.
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

/// Runs with every signal blocked on this thread, so that none stops it.
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

/// Keeps other processes of the same user from reading the memory and the environment of this one. What it starts shows
/// itself again in the hook: it writes to its own files in `/proc` there, which belong to root as long as it is hidden, and
/// gets nothing of ours that it does not keep.
pub(super) fn forbid_inspection() -> io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    IS_INSPECTION_FORBIDDEN.store(true, Ordering::Release);
    Ok(())
}

// It fails nowhere, and the exec that follows would do it anyway.
pub(super) fn allow_inspection() {
    if IS_INSPECTION_FORBIDDEN.load(Ordering::Acquire) {
        set_dumpable_behavior(DumpableBehavior::Dumpable).ok();
    }
}

/// Whether this process hides.
static IS_INSPECTION_FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Closes every descriptor but 0, 1 and 2. For the start of a process, when nobody owns one.
pub(super) fn close_inherited() {
    close_from_three(0);
}

/// Blocks every signal that can be blocked, and returns a descriptor that is readable when a child has ended.
pub(super) fn block_signals() -> io::Result<OwnedFd> {
    block_all()?;
    let mut mask = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read, and a descriptor that was returned is nobody else's.
    unsafe {
        // An owner that ignores SIGCHLD would hand that on, and children could not be waited for.
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

/// A program begins with all signals as the system has them: whoever started us may ignore some, as `nohup` does.
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

// A hard limit that is lower already stays.
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

// It fails where /proc is missing, and then it goes when its turn comes.
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

/// Puts a Landlock ruleset in force for this process and all that it will start. Programs that gain rights by being run, such as
/// `sudo`, do not gain them there: the kernel asks for that.
fn restrict(ruleset: &OwnedFd) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    limit_capabilities()?;
    join_empty_keyring()?;
    // SAFETY: the call takes a descriptor that is open, and no memory.
    let restricted =
        unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) };
    match restricted {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Leaves the keys that the user's session holds in the kernel, for an empty keyring.
fn join_empty_keyring() -> io::Result<()> {
    // SAFETY: the call takes no memory: without a name the new keyring is nobody else's.
    let joined =
        unsafe { libc::syscall(libc::SYS_keyctl, libc::KEYCTL_JOIN_SESSION_KEYRING, 0_usize) };
    match joined {
        // Without keys, or where a container refuses them, the program reaches none either.
        -1 => match io::Error::last_os_error() {
            error if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => Ok(()),
            error => Err(error),
        },
        _ => Ok(()),
    }
}

/// Root keeps what commands use: with more it could read the memory of every process and the blocks of every disk, which
/// Landlock does not refuse.
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
            // The last one that this kernel knows was before. Somebody who may not do this gains nothing by what is
            // started: `no_new_privs` is set.
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

// A kernel without this call leaves open what was opened without CLOEXEC, as every program does there.
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

/// Signals that shells and service managers have programs ignore.
const IGNORABLE: [libc::c_int; 7] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];
