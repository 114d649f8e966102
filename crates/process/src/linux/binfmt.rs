//! Program formats registered with the kernel (`binfmt_misc`), for which the kernel runs another program. [`RegisteredFormats`]
//! are the system's formats. They are read once, because only root can change them; a container cannot see those of its host.
//! [`NamespaceFormats`] are formats that a process has registered in a user namespace of its own, since Linux 6.7. If there are
//! any, the file does not determine which program will run.
//!
//! Only a process in the namespace can list its formats, so a copy of this process enters the namespace and sends the list
//! back. `unsafe` is needed to make the copy, which only makes system calls.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use rustix::mount::{fsconfig_create, fsmount, fsopen};
use rustix::thread::{LinkNameSpaceType, UnshareFlags, move_into_link_name_space, unshare_unsafe};

use super::watch_setup::{receive_tagged, send_tagged};

/// The formats that are enabled.
#[derive(Debug, Default)]
pub(super) struct RegisteredFormats(Vec<RegisteredFormat>);

#[derive(Debug, PartialEq, Eq)]
struct RegisteredFormat {
    signature: FormatSignature,
    interpreter: OsString,
}

/// How the kernel recognizes a file of a format.
#[derive(Debug, PartialEq, Eq)]
enum FormatSignature {
    /// Bytes at an offset, compared through a bit mask.
    Magic {
        offset: usize,
        bytes: Vec<u8>,
        mask: Option<Vec<u8>>,
    },
    /// The file name extension, without the dot.
    Extension(Vec<u8>),
}

impl RegisteredFormats {
    pub(super) fn read_system() -> RegisteredFormats {
        RegisteredFormats::in_directory(Path::new("/proc/sys/fs/binfmt_misc"))
    }

    fn in_directory(directory: &Path) -> RegisteredFormats {
        let is_enabled = |text: &[u8]| text.starts_with(b"enabled");
        let status = fs::read(directory.join("status"));
        if !status.is_ok_and(|status| is_enabled(&status)) {
            return RegisteredFormats::default();
        }
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let named = entries.filter(|entry| entry.file_name() != "status");
        let texts = named.filter_map(|entry| fs::read(entry.path()).ok());
        let enabled = texts.filter(|text| is_enabled(text));
        RegisteredFormats(
            enabled
                .filter_map(|text| RegisteredFormat::read(&text))
                .collect(),
        )
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The interpreters that the kernel may run for a file with this name and beginning.
    pub(super) fn interpreters(&self, name: &OsStr, head: &[u8]) -> Vec<OsString> {
        let fitting = self
            .0
            .iter()
            .filter(|format| format.signature.fits(name, head));
        fitting.map(|format| format.interpreter.clone()).collect()
    }
}

impl RegisteredFormat {
    /// Parses the kernel's description of one format.
    fn read(text: &[u8]) -> Option<RegisteredFormat> {
        let lines = || text.split(|byte| *byte == b'\n');
        let value = |name: &[u8]| lines().find_map(|line| line.strip_prefix(name));
        let signature = match value(b"extension .") {
            Some(extension) => FormatSignature::Extension(extension.to_vec()),
            None => FormatSignature::Magic {
                offset: str::from_utf8(value(b"offset ")?).ok()?.parse().ok()?,
                bytes: hex(value(b"magic ")?)?,
                mask: value(b"mask ")
                    .map(hex)
                    .map_or(Some(None), |mask| mask.map(Some))?,
            },
        };
        let interpreter = OsString::from_vec(value(b"interpreter ")?.to_vec());
        Some(RegisteredFormat {
            signature,
            interpreter,
        })
    }
}

impl FormatSignature {
    fn fits(&self, name: &OsStr, head: &[u8]) -> bool {
        match self {
            FormatSignature::Extension(extension) => {
                let name = name.as_bytes();
                let point = name.iter().rposition(|byte| *byte == b'.');
                point.is_some_and(|point| &name[point + 1..] == extension)
            }
            FormatSignature::Magic {
                offset,
                bytes,
                mask,
            } => {
                let bits = |at: usize| mask.as_ref().and_then(|mask| mask.get(at)).copied();
                // The kernel treats the bytes behind a short file as zeros.
                let there = |at: usize| head.get(offset + at).copied().unwrap_or(0);
                let is_same =
                    |(at, byte): (usize, &u8)| (there(at) ^ byte) & bits(at).unwrap_or(0xff) == 0;
                bytes.iter().enumerate().all(is_same)
            }
        }
    }
}

fn hex(digits: &[u8]) -> Option<Vec<u8>> {
    let pairs = digits.chunks_exact(2);
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

/// The user namespaces of a tree, and the formats in them.
#[derive(Default)]
pub(super) struct NamespaceFormats {
    /// The namespace of the first program, in which no process of the tree may register formats.
    first: Option<(NamespaceId, OwnedFd)>,
    namespaces: Vec<UserNamespace>,
}

type NamespaceId = (u64, u64);

struct UserNamespace {
    id: NamespaceId,
    /// Kept open, so that the namespace's id is not reused.
    _namespace: OwnedFd,
    /// The file system that lists the formats, or `None` if formats cannot be registered.
    list: Option<OwnedFd>,
}

impl NamespaceFormats {
    /// Records the namespace of the first program.
    pub(super) fn start_with(&mut self, thread: i32) {
        self.first = open_namespace(thread).ok();
    }

    /// Whether a process may have formats of its own. Returns `true` if they cannot be listed.
    pub(super) fn may_apply_to(&mut self, thread: i32) -> bool {
        let Ok(stat) = rustix::fs::stat(namespace_path(thread)) else {
            return true;
        };
        let id = (stat.st_dev, stat.st_ino);
        if self.first.as_ref().is_some_and(|(first, _)| *first == id) {
            return false;
        }
        if !self.namespaces.iter().any(|known| known.id == id) {
            let Ok(known) = UserNamespace::of(thread) else {
                return true;
            };
            self.namespaces.truncate(MOST_NAMESPACES - 1);
            self.namespaces.insert(0, known);
        }
        let mut known = self.namespaces.iter().filter(|known| known.id == id);
        known.next().is_none_or(UserNamespace::has_formats)
    }
}

impl UserNamespace {
    fn of(thread: i32) -> Result<UserNamespace, Errno> {
        let (id, namespace) = open_namespace(thread)?;
        let list = list_formats(namespace.as_fd())?;
        Ok(UserNamespace {
            id,
            _namespace: namespace,
            list,
        })
    }

    fn has_formats(&self) -> bool {
        let Some(list) = &self.list else {
            return false;
        };
        let own: [&[u8]; 4] = [b".", b"..", b"register", b"status"];
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = rustix::fs::openat(list, ".", flags, Mode::empty());
        let Ok(mut entries) = opened.and_then(Dir::new) else {
            return true;
        };
        entries
            .any(|entry| entry.map_or(true, |entry| !own.contains(&entry.file_name().to_bytes())))
    }
}

fn open_namespace(thread: i32) -> Result<(NamespaceId, OwnedFd), Errno> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC;
    let namespace = rustix::fs::open(namespace_path(thread), flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&namespace)?;
    Ok(((stat.st_dev, stat.st_ino), namespace))
}

fn namespace_path(thread: i32) -> String {
    format!("/proc/{thread}/ns/user")
}

/// Opens the file system in which a namespace lists its formats. From then on, the namespace has a list of its own.
#[allow(unsafe_code)]
fn list_formats(namespace: BorrowedFd<'_>) -> Result<Option<OwnedFd>, Errno> {
    let (ours, theirs) = UnixStream::pair().map_err(|_| Errno::MFILE)?;
    // SAFETY: the child makes system calls and ends.
    let child = match unsafe { libc::fork() } {
        0 => {
            let (tag, list) = match mount_formats(namespace) {
                Ok(list) => (LISTED, Some(list)),
                Err(MountError::Missing) => (MISSING, None),
                Err(MountError::Failed) => (FAILED, None),
            };
            // The closed connection shows the owner that this failed.
            send_tagged(theirs.as_fd(), tag, list.as_ref()).ok();
            // SAFETY: it ends the child without anything that its parent has prepared for its own end.
            unsafe { libc::_exit(0) }
        }
        child => child,
    };
    drop(theirs);
    if child < 0 {
        return Err(Errno::AGAIN);
    }
    let received = receive_tagged(&ours);
    // SAFETY: the call writes nothing. It fails if other code of this process has already reaped the child.
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    match received {
        Ok((LISTED, Some(list))) => Ok(Some(list)),
        Ok((MISSING, _)) => Ok(None),
        _ => Err(Errno::ACCESS),
    }
}

/// Why the child could not open the list.
enum MountError {
    /// The kernel does not support formats in namespaces.
    Missing,
    Failed,
}

/// Runs in a child that is a copy of this process.
#[allow(unsafe_code)]
fn mount_formats(namespace: BorrowedFd<'_>) -> Result<OwnedFd, MountError> {
    let failed = |_| MountError::Failed;
    move_into_link_name_space(namespace, Some(LinkNameSpaceType::User)).map_err(failed)?;
    // SAFETY: this process shares no memory or files with another one.
    unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.map_err(failed)?;
    let context = fsopen(c"binfmt_misc", FsOpenFlags::FSOPEN_CLOEXEC);
    let context = context.map_err(|errno| match errno {
        Errno::NODEV => MountError::Missing,
        _ => MountError::Failed,
    })?;
    fsconfig_create(context.as_fd()).map_err(|errno| match errno {
        Errno::PERM => MountError::Missing,
        _ => MountError::Failed,
    })?;
    let flags = FsMountFlags::FSMOUNT_CLOEXEC;
    fsmount(context.as_fd(), flags, MountAttrFlags::empty()).map_err(failed)
}

const MOST_NAMESPACES: usize = 32;
const LISTED: u8 = b'l';
const MISSING: u8 = b'm';
const FAILED: u8 = b'f';

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::{RegisteredFormat, RegisteredFormats};

    const JAR: &str = "enabled\ninterpreter /usr/bin/jexec\nflags: \noffset 0\nmagic 504b0304\n";
    const ARM: &str = "enabled\ninterpreter /usr/libexec/qemu-arm\nflags: POCF\noffset 2\nmagic 7f45\nmask fff0\n";
    const WINE: &str = "enabled\ninterpreter /usr/bin/wine\nflags: \nextension .exe\n";

    #[test]
    fn a_format_matches_the_same_files_as_in_the_kernel() {
        let formats = [JAR, ARM, WINE].map(|text| RegisteredFormat::read(text.as_bytes()).unwrap());
        let formats = RegisteredFormats(formats.into());
        for (name, head, expected) in [
            ("a/b", "PK\x03\x04more", vec!["/usr/bin/jexec"]),
            (
                "a.exe",
                "PK\x03\x04",
                vec!["/usr/bin/jexec", "/usr/bin/wine"],
            ),
            ("a.EXE", "MZ", vec![]),
            ("a.exe/b", "MZ", vec![]),
            ("b.exe", "", vec!["/usr/bin/wine"]),
            ("b", "..\x7fF", vec!["/usr/libexec/qemu-arm"]),
            ("b", "..\x7fV", vec![]),
            ("b", "PK", vec![]),
        ] {
            let found = formats.interpreters(OsStr::new(name), head.as_bytes());
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn invalid_formats_are_left_out() {
        for text in [
            "",
            "enabled\n",
            "enabled\ninterpreter /x\nflags: \noffset 0\nmagic 5z\n",
        ] {
            assert_eq!(RegisteredFormat::read(text.as_bytes()), None, "{text}");
        }
        let nothing = std::path::Path::new("/nonexistent");
        assert!(RegisteredFormats::in_directory(nothing).is_empty());
    }
}
