//! System calls of the exec watch that safe Rust does not offer: installing a seccomp filter, talking to its listener,
//! and reading another process's memory.
//!
//! `unsafe` is needed as these calls take pointers. [`install`] runs between fork and exec, so it makes system calls
//! and nothing else.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use libc::sock_filter;
use rustix::io::Errno;

/// A system call that waits for a response.
#[derive(Debug, Clone, Copy)]
pub(super) struct Notification {
    pub(super) id: u64,
    /// The thread that made the call.
    pub(super) thread: i32,
    pub(super) number: i32,
    /// The machine and calling convention.
    pub(super) arch: u32,
    pub(super) args: [u64; 6],
}

/// The response to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Response {
    Continue,
    Fail(Errno),
}

/// Whether the kernel lets only fatal signals interrupt a call that was received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitMode {
    Killable,
    Restarting,
}

/// Installs the filter for the calling thread and everything it starts, and returns the listener. Set-user-id programs gain
/// no rights from then on.
pub(super) fn install(filter: &[sock_filter]) -> io::Result<(OwnedFd, WaitMode)> {
    rustix::thread::set_no_new_privs(true)?;
    let listener = set_filter(filter, NEW_LISTENER | WAIT_KILLABLE);
    match listener {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            Ok((set_filter(filter, NEW_LISTENER)?, WaitMode::Restarting))
        }
        listener => Ok((listener?, WaitMode::Killable)),
    }
}

/// Installs a filter that decides by itself, for the calling thread and everything it starts.
pub(super) fn install_without_listener(filter: &[sock_filter]) -> io::Result<()> {
    rustix::thread::set_no_new_privs(true)?;
    match set(filter, 0)? {
        0 => Ok(()),
        _ => Err(Errno::INVAL.into()),
    }
}

fn set_filter(filter: &[sock_filter], flags: libc::c_ulong) -> io::Result<OwnedFd> {
    let listener = set(filter, flags)?;
    // SAFETY: the kernel has just created the descriptor, so no other code owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(listener) })
}

fn set(filter: &[sock_filter], flags: libc::c_ulong) -> io::Result<i32> {
    let length = u16::try_from(filter.len()).map_err(|_| io::Error::from(Errno::INVAL))?;
    let program = libc::sock_fprog {
        len: length,
        filter: filter.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies `len` instructions from a slice of that length, and writes to none.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, flags, &program) };
    match i32::try_from(result) {
        Ok(result @ 0..) => Ok(result),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether the kernel's messages have the expected size.
pub(super) fn has_known_sizes() -> bool {
    let mut sizes = [0_u16; 3];
    // SAFETY: the kernel writes three 16-bit numbers.
    let result =
        unsafe { libc::syscall(libc::SYS_seccomp, GET_NOTIF_SIZES, 0, sizes.as_mut_ptr()) };
    result == 0 && usize::from(sizes[0]) <= size_of::<[u64; ROOM]>() && sizes[1] == 24
}

/// Lets the kernel run the guard at once when a process waits for it; older kernels do without.
pub(super) fn wake_at_once(listener: BorrowedFd<'_>) {
    // SAFETY: the argument is a number.
    unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS, SYNC_WAKE_UP) };
}

/// Receives the next waiting call. Blocks unless the listener is readable.
pub(super) fn receive(listener: BorrowedFd<'_>) -> Result<Notification, Errno> {
    let mut room = [0_u64; ROOM];
    // SAFETY: the kernel writes one message, for which there is room as `has_known_sizes` has checked.
    let result = unsafe { libc::ioctl(listener.as_raw_fd(), RECEIVE, room.as_mut_ptr()) };
    if result != 0 {
        return Err(last_errno());
    }
    // id; pid and flags; number and machine; instruction pointer; six arguments.
    let [id, pid, number, _, a, b, c, d, e, f, ..] = room;
    Ok(Notification {
        id,
        thread: low(pid),
        number: low(number),
        arch: high(number),
        args: [a, b, c, d, e, f],
    })
}

/// Responds to a call. Fails if its process has ended.
pub(super) fn respond(listener: BorrowedFd<'_>, id: u64, response: Response) -> Result<(), Errno> {
    let (error, flags) = match response {
        Response::Continue => (0, CONTINUE),
        Response::Fail(errno) => (-errno.raw_os_error(), 0),
    };
    let mut message = NotificationResponse {
        id,
        value: 0,
        error,
        flags,
    };
    // SAFETY: the kernel reads one message of this layout.
    match unsafe { libc::ioctl(listener.as_raw_fd(), SEND, &raw mut message) } {
        0 => Ok(()),
        _ => Err(last_errno()),
    }
}

/// Whether the process still waits in this exec, and therefore is still the same process.
pub(super) fn is_waiting(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads one number.
    unsafe { libc::ioctl(listener.as_raw_fd(), ID_VALID, &raw const id) == 0 }
}

/// The parent of a process, or `None` on kernels before 6.13.
pub(super) fn parent_of(pidfd: BorrowedFd<'_>) -> Option<i32> {
    let mut info = [0_u64; 8];
    info[0] = INFO_PID;
    // SAFETY: the kernel writes the 64 bytes that the call number specifies.
    let result = unsafe { libc::ioctl(pidfd.as_raw_fd(), GET_INFO, info.as_mut_ptr()) };
    // Mask; control group; process and its first thread; parent and user.
    let parent = low(info[3]);
    (result == 0 && info[0] & INFO_PID != 0 && parent > 0).then_some(parent)
}

/// A range of another process's memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryRange {
    pub(super) address: u64,
    pub(super) length: usize,
}

/// Reads up to 64 ranges of a process's memory, as far as they fit. Stops at a range that cannot be read, and returns the
/// number of bytes read before it.
pub(super) fn read_memory(
    thread: i32,
    ranges: &[MemoryRange],
    into: &mut [u8],
) -> Result<usize, Errno> {
    let empty = libc::iovec {
        iov_base: std::ptr::null_mut(),
        iov_len: 0,
    };
    let mut remote = [empty; MOST_RANGES];
    let mut room = into.len();
    let mut count = 0;
    for (there, range) in remote.iter_mut().zip(ranges) {
        let address = usize::try_from(range.address).map_err(|_| Errno::FAULT)?;
        let length = range.length.min(room);
        room -= length;
        there.iov_base = std::ptr::with_exposed_provenance_mut(address);
        there.iov_len = length;
        count += 1;
    }
    let local = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len() - room,
    };
    // SAFETY: the kernel writes at most `iov_len` bytes into the slice that is borrowed here; the addresses of the
    // other process are numbers to us.
    let read =
        unsafe { libc::process_vm_readv(thread, &raw const local, 1, remote.as_ptr(), count, 0) };
    usize::try_from(read).map_err(|_| last_errno())
}

fn last_errno() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL)
}

/// The 32-bit number that comes first in memory.
fn low(pair: u64) -> i32 {
    let [a, b, c, d, ..] = pair.to_ne_bytes();
    i32::from_ne_bytes([a, b, c, d])
}

/// The 32-bit number that comes second in memory.
fn high(pair: u64) -> u32 {
    let [.., a, b, c, d] = pair.to_ne_bytes();
    u32::from_ne_bytes([a, b, c, d])
}

#[repr(C)]
struct NotificationResponse {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

pub(super) const MOST_RANGES: usize = 64;
const ROOM: usize = 32;
const SET_MODE_FILTER: libc::c_ulong = 1;
const GET_NOTIF_SIZES: libc::c_ulong = 3;
const NEW_LISTENER: libc::c_ulong = 1 << 3;
const WAIT_KILLABLE: libc::c_ulong = 1 << 5;
const CONTINUE: u32 = 1;
const SYNC_WAKE_UP: libc::c_ulong = 1;
const RECEIVE: libc::Ioctl = 0xc050_2100_u32 as libc::Ioctl;
const SEND: libc::Ioctl = 0xc018_2101_u32 as libc::Ioctl;
const ID_VALID: libc::Ioctl = 0x4008_2102;
const INFO_PID: u64 = 1;
const GET_INFO: libc::Ioctl = 0xc040_ff0b_u32 as libc::Ioctl;
const SET_FLAGS: libc::Ioctl = 0x4008_2104;
