//! Inspects a process that waits in an exec: reads its path and arguments from its memory, and looks up the files as the
//! kernel will for that process. All reads are limited in size.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::rc::Rc;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::file_cache::{FileCache, FileId, OpenFile, Route};
use super::image::Image;
use super::lookup::{self, Lookup};
use super::lookup::{FileView, HANDLE, TreeFileView, entry, real_path};
use super::memory::{self, Prefetch};
use super::process_tree;
use super::seccomp::Notification;
use super::seccomp_filter::Abi;
use crate::exec::{Exec, ExecFile, ExecInterpreter, FileLookup, FileOrigin, FileVersion};

/// A process that waits in an exec.
pub(super) struct Tracee {
    /// The process, which keeps its id even if another of its threads calls exec.
    pub(super) process: i32,
    /// Refers to the process, so that a signal cannot reach another process with the same id.
    pub(super) pidfd: OwnedFd,
    lookup: Lookup,
    view: FileView,
    file_cache: Rc<FileCache>,
}

/// The result of inspecting an exec.
pub(super) enum Inspection {
    /// The judge has to decide about this exec.
    Exec(Box<Exec>),
    /// The kernel would refuse the exec with this error. It is refused here, so that nothing can change in between.
    Futile(Errno),
}

/// How much to inspect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InspectionDepth {
    /// Only the file, which is enough for the log.
    File,
    /// The file and its interpreters.
    Interpreters,
}

/// The arguments of an exec call, as addresses in the process.
#[derive(Debug, Clone, Copy)]
struct ExecCall {
    directory: i32,
    path: u64,
    args: u64,
    variables: u64,
    flags: u64,
}

impl ExecCall {
    fn of(abi: Abi, call: &Notification) -> ExecCall {
        let [a, b, c, d, e, _] = call.args;
        match abi.is_execveat(call.number) {
            true => ExecCall {
                directory: low(a),
                path: b,
                args: c,
                variables: d,
                flags: e,
            },
            false => ExecCall {
                directory: libc::AT_FDCWD,
                path: a,
                args: b,
                variables: c,
                flags: 0,
            },
        }
    }
}

impl Tracee {
    /// Opens the process of a notification. Returns `None` if the process has ended or cannot be opened.
    pub(super) fn of(
        thread: i32,
        tree: &mut TreeFileView,
        file_cache: &Rc<FileCache>,
    ) -> Option<Tracee> {
        let mut process = thread;
        let pidfd = match open(thread) {
            // Only the first thread of a process can be opened by its id.
            Err(Errno::INVAL | Errno::NOENT) => {
                process = leader(thread)?;
                open(process).ok()?
            }
            held => held.ok()?,
        };
        let lookup = Lookup {
            thread,
            process,
            proc_device: tree.proc_device,
        };
        Some(Tracee {
            process,
            pidfd,
            lookup,
            view: tree.of(thread),
            file_cache: Rc::clone(file_cache),
        })
    }

    /// Updates the view of the file system, which another thread may have changed while the process waited.
    pub(super) fn renew_view(&mut self, tree: &mut TreeFileView) {
        self.view = tree.of(self.lookup.thread);
    }

    /// Inspects what the process is about to execute.
    pub(super) fn inspect(
        &self,
        abi: Abi,
        call: &Notification,
        depth: InspectionDepth,
    ) -> Inspection {
        let thread = self.lookup.thread;
        let call = ExecCall::of(abi, call);
        let known = Prefetch::read(thread, call.path, call.args);
        let given = match known.path(thread, call.path, MOST_PATH) {
            Ok(given) => given,
            Err(memory::StringError::TooLong) => return Inspection::Futile(Errno::NAMETOOLONG),
            Err(memory::StringError::Unreadable) => {
                return Inspection::Exec(Box::new(self.unknown()));
            }
        };
        let is_descriptor = given.is_empty() && call.flags & AT_EMPTY_PATH != 0;
        let file = match is_descriptor {
            true => {
                let file = self.lookup.descriptor(call.directory);
                file.and_then(|file| OpenFile::of(file, Route::Steps))
                    .map_err(lookup::LookupError::from)
            }
            false => self.open(call.directory, OsStr::from_bytes(&given)),
        };
        let mut exec = Exec {
            given: OsString::from_vec(given),
            ..self.unknown()
        };
        match file {
            Ok(file) => {
                if let Err(errno) = self.inspect_file(&mut exec, &file, depth) {
                    return Inspection::Futile(errno);
                }
            }
            Err(error) => match self.refusal(error) {
                Some(errno) => return Inspection::Futile(errno),
                None => exec.unseen = Some(NO_FILE),
            },
        }
        if let Some((args, more)) = memory::read_strings(thread, call.args, &known) {
            (exec.args, exec.more) = (Some(args), more);
        }
        Inspection::Exec(Box::new(exec))
    }

    /// The environment variables of the new program, unless there are more than can be read.
    pub(super) fn variables(&self, abi: Abi, call: &Notification) -> Option<Vec<OsString>> {
        let call = ExecCall::of(abi, call);
        let read = memory::read_strings(self.lookup.thread, call.variables, &Prefetch::none());
        read.filter(|(_, more)| *more == 0)
            .map(|(variables, _)| variables)
    }

    /// An exec of which nothing could be read.
    fn unknown(&self) -> Exec {
        Exec {
            pid: self.process.unsigned_abs(),
            ..Exec::default()
        }
    }

    /// Looks up a path as the process would.
    pub(super) fn find(&self, path: &OsStr) -> FileLookup {
        let found = match self.open(libc::AT_FDCWD, path) {
            Ok(found) => found,
            Err(lookup::LookupError::Missing(_)) => return FileLookup::Missing,
            // A process that has just ended finds no files.
            Err(lookup::LookupError::Unknown(_)) if process_tree::has_ended(&self.pidfd) => {
                return FileLookup::Missing;
            }
            Err(lookup::LookupError::Unknown(_)) => return FileLookup::Unknown,
        };
        FileLookup::Found(self.describe(&found, path))
    }

    /// The `PATH` of the new program, or `None` if its environment cannot be read.
    pub(super) fn search_path(&self, abi: Abi, call: &Notification) -> Option<OsString> {
        let variables = self.variables(abi, call)?;
        Some(path_in(variables.iter().map(|it| it.as_bytes())))
    }

    /// The `PATH` that the running program was started with, or `None` if its environment cannot be read.
    pub(super) fn running_search_path(&self) -> Option<OsString> {
        let variables = read_entry(self.process, "environ");
        // Nothing can be read from a process that has just ended.
        if variables.is_none() && process_tree::has_ended(&self.pidfd) {
            return Some(OsString::new());
        }
        Some(path_in(variables?.split(|byte| *byte == 0)))
    }

    /// The working directory of the process. This lookup is slow compared with others.
    pub(super) fn cwd(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/cwd", self.lookup.thread)).ok()
    }

    fn open(&self, directory: i32, path: &OsStr) -> Result<OpenFile, lookup::LookupError> {
        if self.view == FileView::Ours
            && let Some(found) = self.open_directly(directory, path)
        {
            match found {
                // The directory shows whether the process has access where this process has none.
                Err(Errno::ACCESS | Errno::PERM) => {}
                found => return Ok(found?),
            }
        }
        let file = self.lookup.open(directory, path)?;
        Ok(OpenFile::of(file, Route::Steps)?)
    }

    /// Opens a path with one call, which suffices if the process sees the same files as this one. Returns `None` if the path
    /// leads through `/proc`, where links would lead to this process.
    fn open_directly(&self, directory: i32, path: &OsStr) -> Option<Result<OpenFile, Errno>> {
        let base = match path.as_bytes().first() {
            Some(b'/') => {
                if let Some(found) = self.open_without_links(path) {
                    return Some(Ok(found));
                }
                None
            }
            _ => match self.lookup.descriptor(directory) {
                Ok(base) => Some(base),
                Err(errno) => return Some(Err(errno)),
            },
        };
        let base = base.as_ref().map_or(CWD, AsFd::as_fd);
        let open = |flags| rustix::fs::openat2(base, path, HANDLE, Mode::empty(), flags);
        let direct = open(ResolveFlags::NO_MAGICLINKS);
        match direct.and_then(|file| OpenFile::of(file, Route::Links)) {
            Err(Errno::LOOP) => None,
            // A link on the way may lead to the entries of this process in /proc, where other files are missing.
            Err(Errno::NOENT | Errno::NOTDIR)
                if open(ResolveFlags::NO_SYMLINKS).err() == Some(Errno::LOOP) =>
            {
                None
            }
            // The file may be missing only among the entries of this process.
            Err(_) if path.as_bytes().starts_with(b"/proc") => None,
            Ok(found) if Some(found.device()) == self.lookup.proc_device => None,
            found => Some(found),
        }
    }

    /// Opens a file whose path contained no links before and contains none now.
    fn open_without_links(&self, path: &OsStr) -> Option<OpenFile> {
        if !self.file_cache.has_no_links(path) {
            return None;
        }
        let strict = ResolveFlags::NO_SYMLINKS;
        let file = rustix::fs::openat2(CWD, path, HANDLE, Mode::empty(), strict).ok()?;
        let found = OpenFile::of(file, Route::Direct).ok()?;
        (Some(found.device()) != self.lookup.proc_device).then_some(found)
    }

    /// Records the file and the interpreters that the kernel will run instead. Fails if the file cannot be executed.
    fn inspect_file(
        &self,
        exec: &mut Exec,
        found: &OpenFile,
        depth: InspectionDepth,
    ) -> Result<(), Errno> {
        exec.file = Some(self.executable(found, &exec.given)?);
        if depth == InspectionDepth::File {
            return Ok(());
        }
        let mut image = self.file_cache.image(found, &exec.given);
        loop {
            let line = match image {
                Ok(Image::Script(line)) => line,
                Ok(Image::Binary(loaders)) => return self.inspect_loaders(exec, loaders),
                Err(_) => {
                    exec.unseen = Some(NO_CONTENTS);
                    return Ok(());
                }
            };
            if exec.interpreters.len() >= MOST_INTERPRETERS {
                return Err(Errno::LOOP);
            }
            let program = line.first().cloned().unwrap_or_default();
            let opened = self.interpreter(exec, &program)?;
            let file = opened
                .as_ref()
                .map(|opened| self.executable(opened, &program));
            exec.interpreters.push(ExecInterpreter {
                words: line,
                file: file.transpose()?,
            });
            let Some(opened) = opened else {
                return Ok(());
            };
            image = self.file_cache.image(&opened, &program);
        }
    }

    /// Records the loaders that an ELF file names. The system's loader is left out if the process sees the same files as
    /// this one.
    fn inspect_loaders(&self, exec: &mut Exec, loaders: Vec<OsString>) -> Result<(), Errno> {
        for path in loaders {
            if self.view == FileView::Ours && path.to_str().is_some_and(|it| LOADERS.contains(&it))
            {
                continue;
            }
            let opened = self.interpreter(exec, &path)?;
            let file = opened
                .map(|opened| self.executable(&opened, &path))
                .transpose()?;
            let words = vec![path];
            exec.loaders.push(ExecInterpreter { words, file });
        }
        Ok(())
    }

    /// Opens an interpreter. Records a doubt if only the process may be able to see the file.
    fn interpreter(&self, exec: &mut Exec, path: &OsStr) -> Result<Option<OpenFile>, Errno> {
        match self.open(libc::AT_FDCWD, path) {
            Ok(opened) => Ok(Some(opened)),
            Err(error) => match self.refusal(error) {
                Some(errno) => Err(errno),
                None => {
                    exec.unseen = Some(NO_INTERPRETER);
                    Ok(None)
                }
            },
        }
    }

    /// The error with which the exec can be refused at once, or `None` if the process may find a file that is not visible
    /// here.
    fn refusal(&self, error: lookup::LookupError) -> Option<Errno> {
        match (error, self.view) {
            (lookup::LookupError::Missing(errno), _)
            | (lookup::LookupError::Unknown(errno), FileView::Ours) => Some(errno),
            (lookup::LookupError::Unknown(_), FileView::Other) => None,
        }
    }

    /// Describes the file if it can be executed. If the process has another view, the kernel decides that.
    fn executable(&self, found: &OpenFile, given: &OsStr) -> Result<ExecFile, Errno> {
        let mode = found.mode();
        if mode & libc::S_IFMT != libc::S_IFREG || mode & 0o111 == 0 {
            return Err(Errno::ACCESS);
        }
        if self.view == FileView::Ours && mode & 0o111 != 0o111 {
            rustix::fs::access(entry(&found.file), rustix::fs::Access::EXEC_OK)?;
        }
        Ok(self.describe(found, given))
    }

    fn describe(&self, found: &OpenFile, given: &OsStr) -> ExecFile {
        let can_be_known = self.view == FileView::Ours && given.as_bytes().starts_with(b"/");
        if can_be_known && let Some(path) = self.file_cache.known_path(given, found) {
            return describe(found, path);
        }
        let path = real_path(&found.file);
        if can_be_known {
            self.file_cache.note_path(given, &path);
        }
        let mounts = &self.file_cache.mounts;
        let origin = match mounts.can_compare(found, self.lookup.thread) {
            true if mounts.shows_at(found, &path) => FileOrigin::Shared,
            true => FileOrigin::Elsewhere,
            false => FileOrigin::Overlay,
        };
        ExecFile {
            origin,
            ..describe(found, path)
        }
    }
}

/// Whether the process only checks whether it could execute the file.
pub(super) fn only_checks(abi: Abi, call: &Notification) -> bool {
    ExecCall::of(abi, call).flags & AT_EXECVE_CHECK != 0
}

/// Describes the program that a process runs after an exec.
pub(super) fn running_exec(process: i32) -> Option<Exec> {
    let file = rustix::fs::open(format!("/proc/{process}/exe"), HANDLE, Mode::empty()).ok()?;
    let line = cmdline(process)?;
    let args = line.split(|byte| *byte == 0);
    let args = args.take(memory::MOST_WORDS).map(<[u8]>::to_vec);
    let file = OpenFile::of(file, Route::Steps).ok()?;
    let file = describe(&file, real_path(&file.file));
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
pub(super) fn running_file_and_args(process: i32) -> Option<(FileId, Vec<u8>)> {
    let stat = rustix::fs::stat(format!("/proc/{process}/exe")).ok()?;
    Some(((stat.st_dev, stat.st_ino), cmdline(process)?))
}

/// The values of `PATH` among variables, as one.
fn path_in<'a>(variables: impl Iterator<Item = &'a [u8]>) -> OsString {
    let values = variables.filter_map(|it| it.strip_prefix(b"PATH="));
    OsString::from_vec(values.collect::<Vec<_>>().join(&b':'))
}

/// Reads the beginning of a file in /proc.
fn read_entry(process: i32, name: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(format!("/proc/{process}/{name}")).ok()?;
    let most = u64::try_from(memory::MOST_BYTES).unwrap_or(u64::MAX);
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn cmdline(process: i32) -> Option<Vec<u8>> {
    let mut line = read_entry(process, "cmdline")?;
    if line.last() == Some(&0) {
        line.pop();
    }
    Some(line)
}

/// The parent of a process.
pub(super) fn parent(process: i32) -> Option<i32> {
    let mut stat = [0; 512];
    let file = rustix::fs::open(
        format!("/proc/{process}/stat"),
        OFlags::RDONLY | OFlags::CLOEXEC,
        Mode::empty(),
    );
    let read = rustix::io::read(file.ok()?, &mut stat).ok()?;
    let stat = &stat[..read];
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let fields = str::from_utf8(stat.get(end + 1..)?).ok()?;
    fields.split_ascii_whitespace().nth(1)?.parse().ok()
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

fn describe(found: &OpenFile, path: PathBuf) -> ExecFile {
    ExecFile {
        path,
        id: found.id(),
        gains_rights: found.mode() & (libc::S_ISUID | libc::S_ISGID) != 0,
        is_directory: found.mode() & libc::S_IFMT == libc::S_IFDIR,
        has_links: found.stat.stx_nlink > 1,
        version: FileVersion {
            size: found.stat.stx_size,
            seconds: found.stat.stx_mtime.tv_sec,
            nanoseconds: found.stat.stx_mtime.tv_nsec,
        },
        changed: (found.stat.stx_ctime.tv_sec, found.stat.stx_ctime.tv_nsec),
        origin: FileOrigin::Shared,
    }
}

fn low(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

const AT_EMPTY_PATH: u64 = 0x1000;
const AT_EXECVE_CHECK: u64 = 0x1_0000;
const MOST_PATH: usize = 4096;
/// The maximum number of interpreters that the kernel follows.
const MOST_INTERPRETERS: usize = 5;
const NO_FILE: &str = "its file cannot be looked up as the process does";
const NO_CONTENTS: &str =
    "its file cannot be read, or several registered formats fit it, so it may run another program";
const NO_INTERPRETER: &str = "its interpreter cannot be looked up as the process does";
/// The names of the system's loader that programs are linked with.
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-linux.so.2",
    "/lib/ld-linux-armhf.so.3",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
];
