//! How we see the file system, to compare with how a process does, and what files tell: where they are, and the
//! interpreter in a script's first line. Nothing is remembered: a file can change within the grain of its times.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use rustix::fs::{AtFlags, CWD, StatxFlags};

/// Our own view of the file system.
#[derive(Debug)]
pub(super) struct Ours {
    pub(super) root: Option<Root>,
    /// The device of `/proc`.
    pub(super) processes: Option<u64>,
}

/// A root directory: its mount, which belongs to one namespace, device and inode.
pub(super) type Root = (u64, u32, u32, u64);

impl Ours {
    pub(super) fn new() -> Ours {
        let processes = rustix::fs::stat("/proc").ok();
        Ours {
            root: root("/"),
            processes: processes.map(|stat| stat.st_dev),
        }
    }
}

pub(super) fn root(path: &str) -> Option<Root> {
    let wanted = StatxFlags::MNT_ID | StatxFlags::INO;
    let found = rustix::fs::statx(CWD, path, AtFlags::empty(), wanted).ok()?;
    let has_mount = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
    has_mount.then_some((
        found.stx_mnt_id,
        found.stx_dev_major,
        found.stx_dev_minor,
        found.stx_ino,
    ))
}

/// The words of a `#!` line: the interpreter and at most one argument.
pub(super) fn first_line(file: &OwnedFd) -> Option<Vec<OsString>> {
    let mut head = [0; MOST_LINE];
    // A file that only root may read has no first line for an interpreter either.
    let opened = File::open(entry(file)).ok()?;
    let read = rustix::io::read(&opened, &mut head).ok()?;
    interpreter_line(&head[..read])
}

fn interpreter_line(head: &[u8]) -> Option<Vec<OsString>> {
    let line = head.strip_prefix(b"#!")?;
    let line = line.split(|byte| matches!(byte, b'\n' | 0)).next()?;
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let line = line.trim_ascii();
    let end = line.iter().position(blank).unwrap_or(line.len());
    let (program, arg) = line.split_at(end);
    if program.is_empty() {
        return None;
    }
    let words = [program, arg.trim_ascii()];
    let words = words.iter().filter(|word| !word.is_empty());
    Some(
        words
            .map(|word| OsString::from_vec(word.to_vec()))
            .collect(),
    )
}

/// Where an open file is.
pub(super) fn real_path(file: &OwnedFd) -> PathBuf {
    std::fs::read_link(entry(file)).unwrap_or_default()
}

/// The entry of an open file of ours below /proc.
pub(super) fn entry(file: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// As many bytes as the kernel looks at.
const MOST_LINE: usize = 256;

#[cfg(test)]
mod tests {
    use super::interpreter_line;

    #[test]
    fn the_line_of_a_script_has_a_program_and_one_argument() {
        let words = |head: &[u8]| {
            let line = interpreter_line(head).unwrap_or_default();
            let words: Vec<String> = line
                .iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            words.join("|")
        };
        assert_eq!(words(b"#!/bin/sh\necho"), "/bin/sh");
        assert_eq!(
            words(b"#! \t/usr/bin/env -S a b \nx"),
            "/usr/bin/env|-S a b"
        );
        assert_eq!(words(b"#!/bin/sh"), "/bin/sh");
        assert_eq!(words(b"#!\n/bin/sh"), "");
        assert_eq!(words(b"\x7fELF"), "");
    }
}
