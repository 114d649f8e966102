//! What a process that waits in an exec is about to run: its path and arguments, read from its memory, and the files
//! behind them, looked up as the kernel will for that process. Everything read is bounded.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::filter::Abi;
use super::memory::{self, Beginnings};
use super::seccomp::Notification;
use super::view::{Ours, entry, first_line, real_path, root};
use crate::process::exec::{Exec, ExecFile, ExecInterpreter};

/// A process that waits in an exec.
pub(super) struct Tracee {
    thread: i32,
    /// The process, which a thread's exec becomes.
    pub(super) process: i32,
    /// Holds the process, so that a signal cannot reach a stranger.
    pub(super) pidfd: OwnedFd,
    view: View,
    ours: Rc<Ours>,
}

/// How a process sees the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    /// As we do.
    Ours,
    /// With another root or other mounts.
    Other,
}

/// What a look at an exec came to.
pub(super) enum Look {
    /// Something to judge.
    Exec(Box<Exec>),
    /// The kernel would refuse it for this reason. It is refused with it, so that nothing can change in between.
    Futile(Errno),
}

impl Tracee {
    /// The process behind a notification; none if it has gone or cannot be held.
    pub(super) fn of(thread: i32, ours: &Rc<Ours>) -> Option<Tracee> {
        let mut process = thread;
        let pidfd = match open(thread) {
            // A thread that is not the first of its process cannot be held by its own id.
            Err(Errno::INVAL | Errno::NOENT) => {
                process = leader(thread)?;
                open(process).ok()?
            }
            held => held.ok()?,
        };
        let theirs = root(&format!("/proc/{thread}/root"));
        // Kernels before 5.8 do not tell mounts: then every view counts as another.
        let is_ours = theirs.is_some() && theirs == ours.root;
        Some(Tracee {
            thread,
            process,
            pidfd,
            view: if is_ours { View::Ours } else { View::Other },
            ours: Rc::clone(ours),
        })
    }

    /// What it is about to execute.
    pub(super) fn exec(&self, abi: Abi, call: &Notification) -> Look {
        let (dirfd, path, argv, flags) = match abi.is_execveat(call.number) {
            true => (low(call.args[0]), call.args[1], call.args[2], call.args[4]),
            false => (libc::AT_FDCWD, call.args[0], call.args[1], 0),
        };
        let known = Beginnings::read(self.thread, path, argv);
        let given = match known.path(self.thread, path, MOST_PATH) {
            Ok(given) => given,
            Err(memory::Fault::TooLong) => return Look::Futile(Errno::NAMETOOLONG),
            Err(memory::Fault::Unreadable) => return Look::Exec(Box::new(self.unknown())),
        };
        let is_descriptor = given.is_empty() && flags & AT_EMPTY_PATH != 0;
        let file = match is_descriptor {
            true => self.descriptor(dirfd),
            false => self.open(dirfd, OsStr::from_bytes(&given)),
        };
        let file = match (file, self.view) {
            (Ok(file), _) => Some(file),
            (Err(errno), View::Ours) => return Look::Futile(errno),
            // As when PATH is searched.
            (Err(errno @ (Errno::NOENT | Errno::NOTDIR)), View::Other)
                if given.starts_with(b"/") =>
            {
                return Look::Futile(errno);
            }
            // We may have looked in the wrong place: it is judged by its name.
            (Err(_), View::Other) => None,
        };
        let found = match &file {
            Some(file) => match self.executable(file) {
                Ok(found) => Some(found),
                Err(errno) => return Look::Futile(errno),
            },
            None => None,
        };
        let interpreters = file.as_ref().map(|file| self.interpreters(file));
        let (args, more) = match memory::strings(self.thread, argv, &known) {
            Some((args, more)) => (Some(args), more),
            None => (None, 0),
        };
        Look::Exec(Box::new(Exec {
            pid: self.process.unsigned_abs(),
            given: OsString::from_vec(given),
            file: found,
            interpreters: interpreters.unwrap_or_default(),
            args,
            more,
            cwd: None,
        }))
    }

    /// One of which nothing can be read.
    fn unknown(&self) -> Exec {
        Exec {
            pid: self.process.unsigned_abs(),
            ..Exec::default()
        }
    }

    /// A file by a path that the process names.
    pub(super) fn find(&self, path: &OsStr) -> Option<ExecFile> {
        let file = self.open(libc::AT_FDCWD, path).ok()?;
        described(&file).ok()
    }

    /// Its working directory, which costs as much to find out as much else.
    pub(super) fn cwd(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/cwd", self.thread)).ok()
    }

    fn descriptor(&self, number: i32) -> Result<OwnedFd, Errno> {
        let path = match number {
            libc::AT_FDCWD => format!("/proc/{}/cwd", self.thread),
            number => format!("/proc/{}/fd/{number}", self.thread),
        };
        rustix::fs::open(path, HANDLE, Mode::empty())
    }

    fn open(&self, dirfd: i32, path: &OsStr) -> Result<OwnedFd, Errno> {
        if path.is_empty() {
            return Err(Errno::NOENT);
        }
        if let Some(own) = self.own_entry(Path::new(path)) {
            return rustix::fs::open(own, HANDLE, Mode::empty());
        }
        match self.view {
            View::Ours => self.open_in_ours(dirfd, path),
            View::Other => self.open_in_other(dirfd, path),
        }
    }

    fn open_in_ours(&self, dirfd: i32, path: &OsStr) -> Result<OwnedFd, Errno> {
        // Links such as /proc/self/exe would lead to our own process.
        let strict = ResolveFlags::NO_MAGICLINKS;
        let opened = match path.as_bytes().first() {
            Some(b'/') => rustix::fs::openat2(CWD, path, HANDLE, Mode::empty(), strict),
            _ => {
                let base = self.descriptor(dirfd)?;
                rustix::fs::openat2(base, path, HANDLE, Mode::empty(), strict)
            }
        };
        match opened {
            Err(Errno::LOOP) => self.open_by_hand(dirfd, path),
            // Links to /proc/self lead to our own entries, also without a magic link at the end.
            Ok(file) if self.is_about_processes(&file) => self.open_by_hand(dirfd, path),
            opened => opened,
        }
    }

    fn is_about_processes(&self, file: &OwnedFd) -> bool {
        let device = rustix::fs::fstat(file).map(|stat| stat.st_dev);
        device.ok() == self.ours.processes
    }

    /// Inside another root, in which no link leads out.
    fn open_in_other(&self, dirfd: i32, path: &OsStr) -> Result<OwnedFd, Errno> {
        let root = rustix::fs::open(format!("/proc/{}/root", self.thread), HANDLE, Mode::empty())?;
        let full = match path.as_bytes().first() {
            Some(b'/') => PathBuf::from(path),
            _ => self.base(dirfd)?.join(path),
        };
        rustix::fs::openat2(root, full, HANDLE, Mode::empty(), ResolveFlags::IN_ROOT)
    }

    /// Follows links one by one, with the process's own entries in place of ours.
    fn open_by_hand(&self, dirfd: i32, path: &OsStr) -> Result<OwnedFd, Errno> {
        let mut full = match path.as_bytes().first() {
            Some(b'/') => PathBuf::from(path),
            _ => self.base(dirfd)?.join(path),
        };
        let own = Path::new("/proc").join(self.thread.to_string());
        for _ in 0..MOST_LINKS {
            match step(&full, &own) {
                Step::Link(next) => full = next,
                Step::Own { entry, rest } => {
                    let base = rustix::fs::open(entry, HANDLE, Mode::empty())?;
                    if rest.as_os_str().is_empty() {
                        return Ok(base);
                    }
                    let strict = ResolveFlags::NO_MAGICLINKS;
                    return rustix::fs::openat2(base, rest, HANDLE, Mode::empty(), strict);
                }
                Step::Plain => {
                    let strict = ResolveFlags::NO_MAGICLINKS;
                    return rustix::fs::openat2(CWD, &full, HANDLE, Mode::empty(), strict);
                }
            }
        }
        Err(Errno::LOOP)
    }

    fn base(&self, dirfd: i32) -> Result<PathBuf, Errno> {
        let link = match dirfd {
            libc::AT_FDCWD => format!("/proc/{}/cwd", self.thread),
            number => format!("/proc/{}/fd/{number}", self.thread),
        };
        std::fs::read_link(link)
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::NOENT))
    }

    /// What a path such as /proc/self/exe or /dev/fd/3 means for the process.
    fn own_entry(&self, path: &Path) -> Option<PathBuf> {
        let entry = Path::new("/proc").join(self.thread.to_string());
        let below = |start: &str| {
            path.strip_prefix(start)
                .ok()
                .filter(|rest| is_one_link(rest))
        };
        let own = below("/proc/self").or_else(|| below("/proc/thread-self"));
        let own = own.map(|rest| entry.join(rest));
        own.or_else(|| {
            let number = path.strip_prefix("/dev/fd").ok()?;
            let number = number.to_str()?.parse::<u32>().ok()?;
            Some(entry.join("fd").join(number.to_string()))
        })
    }

    /// The file, if it can be executed. In another view the kernel decides that.
    fn executable(&self, file: &OwnedFd) -> Result<ExecFile, Errno> {
        let stat = rustix::fs::fstat(file)?;
        let executes = stat.st_mode & 0o111;
        if stat.st_mode & libc::S_IFMT != libc::S_IFREG || executes == 0 {
            return Err(Errno::ACCESS);
        }
        if self.view == View::Ours && executes != 0o111 {
            rustix::fs::access(entry(file), rustix::fs::Access::EXEC_OK)?;
        }
        Ok(of_stat(real_path(file), &stat))
    }

    /// The interpreters that the kernel runs in place of a script.
    fn interpreters(&self, script: &OwnedFd) -> Vec<ExecInterpreter> {
        let mut found = Vec::new();
        let mut words = first_line(script);
        while let Some(line) = words.take()
            && found.len() < MOST_INTERPRETERS
            && let Some(program) = line.first()
        {
            let opened = self.open(libc::AT_FDCWD, program).ok();
            words = opened.as_ref().and_then(first_line);
            let file = opened.and_then(|file| described(&file).ok());
            found.push(ExecInterpreter { words: line, file });
        }
        found
    }
}

/// What a process has become after an exec, in the words of an exec.
pub(super) fn running(process: i32) -> Option<Exec> {
    let file = rustix::fs::open(format!("/proc/{process}/exe"), HANDLE, Mode::empty()).ok()?;
    let line = cmdline(process)?;
    let args = line.split(|byte| *byte == 0);
    let args = args.take(memory::MOST_WORDS).map(<[u8]>::to_vec);
    let file = described(&file).ok()?;
    Some(Exec {
        pid: process.unsigned_abs(),
        given: file.path.clone().into_os_string(),
        file: Some(file),
        args: Some(args.map(OsString::from_vec).collect()),
        cwd: std::fs::read_link(format!("/proc/{process}/cwd")).ok(),
        ..Exec::default()
    })
}

/// The file that a process runs, by device and inode, and its arguments as bytes.
pub(super) fn running_as(process: i32) -> Option<((u64, u64), Vec<u8>)> {
    let stat = rustix::fs::stat(format!("/proc/{process}/exe")).ok()?;
    Some(((stat.st_dev, stat.st_ino), cmdline(process)?))
}

fn cmdline(process: i32) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let file = File::open(format!("/proc/{process}/cmdline")).ok()?;
    let most = u64::try_from(memory::MOST_BYTES).unwrap_or(u64::MAX);
    file.take(most).read_to_end(&mut line).ok()?;
    if line.last() == Some(&0) {
        line.pop();
    }
    Some(line)
}

/// The name and the parent of a process.
pub(super) fn name_and_parent(process: i32) -> Option<(OsString, i32)> {
    let mut stat = [0; 512];
    let file = rustix::fs::open(
        format!("/proc/{process}/stat"),
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    );
    let read = rustix::io::read(file.ok()?, &mut stat).ok()?;
    let stat = &stat[..read];
    let start = stat.iter().position(|byte| *byte == b'(')?;
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = str::from_utf8(stat.get(end + 1..)?).ok()?;
    let parent = fields.split_ascii_whitespace().nth(1)?.parse().ok()?;
    let name = stat.get(start + 1..end)?;
    Some((OsString::from_vec(name.to_vec()), parent))
}

fn open(process: i32) -> Result<OwnedFd, Errno> {
    let process = Pid::from_raw(process).ok_or(Errno::SRCH)?;
    pidfd_open(process, PidfdFlags::empty())
}

fn leader(thread: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
    line.trim().parse().ok()
}

fn described(file: &OwnedFd) -> Result<ExecFile, Errno> {
    Ok(of_stat(real_path(file), &rustix::fs::fstat(file)?))
}

fn of_stat(path: PathBuf, stat: &rustix::fs::Stat) -> ExecFile {
    ExecFile {
        path,
        id: (stat.st_dev, stat.st_ino),
        gains_rights: stat.st_mode & (libc::S_ISUID | libc::S_ISGID) != 0,
    }
}

/// Whether the rest of a path below /proc/self is one link of a process and nothing more.
fn is_one_link(rest: &Path) -> bool {
    let mut parts = rest.components().map(|part| part.as_os_str().to_str());
    let number = |part: Option<&str>| part.is_some_and(|part| part.parse::<u32>().is_ok());
    let is_link = match parts.next().flatten() {
        Some("exe" | "cwd" | "root") => true,
        Some("fd") => number(parts.next().flatten()),
        _ => false,
    };
    is_link && parts.next().is_none()
}

/// One step along a path.
enum Step {
    /// It has a link, which was followed.
    Link(PathBuf),
    /// It goes through a link of the process itself.
    Own { entry: PathBuf, rest: PathBuf },
    /// It has no link.
    Plain,
}

fn step(path: &Path, own: &Path) -> Step {
    let mut before = PathBuf::new();
    let mut parts = path.components();
    while let Some(part) = parts.next() {
        let here = before.join(part);
        let rest = parts.as_path();
        if here == Path::new("/proc/self") || here == Path::new("/proc/thread-self") {
            return Step::Link(own.join(rest));
        }
        if here.strip_prefix(own).is_ok_and(is_one_link) {
            let rest = rest.to_owned();
            return Step::Own { entry: here, rest };
        }
        if let Ok(target) = std::fs::read_link(&here) {
            // `..` behind a link means the parent of where it leads.
            return Step::Link(before.join(target).join(rest));
        }
        match part {
            std::path::Component::ParentDir => {
                before.pop();
            }
            part => before.push(part),
        }
    }
    Step::Plain
}

fn low(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

const HANDLE: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
const AT_EMPTY_PATH: u64 = 0x1000;
const MOST_PATH: usize = 4096;
const MOST_INTERPRETERS: usize = 5;
const MOST_LINKS: usize = 40;
