//! What a process sets about itself that safe Rust does not offer: the hook between fork and exec, the signal mask,
//! and the closing of inherited descriptors.
//!
//! This is the one place of the crate with `unsafe` code. The hook runs in a copy of a process whose other threads
//! are gone, so it may only make system calls: it does not allocate, lock or panic.
#![allow(unsafe_code)]

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

/// Makes the child die with the thread that spawns it, take signals, and keep no descriptor but 0, 1 and 2.
pub(super) fn bind(command: &mut Command) {
    let parent = getpid();
    let hook = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that died before the line above will send nothing.
        if getppid() != Some(parent) {
            return Err(io::Error::from_raw_os_error(libc::ESRCH));
        }
        unblock_signals()?;
        // The descriptor over which a failed exec is told must stay open until then.
        close_from_three(libc::CLOSE_RANGE_CLOEXEC);
        Ok(())
    };
    // SAFETY: the hook makes system calls and nothing else.
    unsafe { command.pre_exec(hook) };
}

/// Closes every descriptor but 0, 1 and 2. For the start of a process, when nobody owns one.
pub(super) fn close_inherited() {
    close_from_three(0);
}

/// Blocks every signal that can be blocked, and returns a descriptor that is readable when a child has ended.
pub(super) fn block_signals() -> io::Result<OwnedFd> {
    let mut mask = MaybeUninit::uninit();
    // SAFETY: the sets are filled before they are read, and a descriptor that was returned is nobody else's.
    unsafe {
        // An owner that ignores SIGCHLD would hand that on, and children could not be waited for.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        libc::sigfillset(mask.as_mut_ptr());
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            mask.as_ptr(),
            std::ptr::null_mut(),
        ))?;
        libc::sigemptyset(mask.as_mut_ptr());
        libc::sigaddset(mask.as_mut_ptr(), libc::SIGCHLD);
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        let fd = libc::signalfd(-1, mask.as_ptr(), flags);
        check(fd)?;
        Ok(OwnedFd::from_raw_fd(fd))
    }
}

fn unblock_signals() -> io::Result<()> {
    let mut none = MaybeUninit::uninit();
    // SAFETY: the set is filled before it is read.
    unsafe {
        libc::sigemptyset(none.as_mut_ptr());
        check(libc::sigprocmask(
            libc::SIG_SETMASK,
            none.as_ptr(),
            std::ptr::null_mut(),
        ))
    }
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
