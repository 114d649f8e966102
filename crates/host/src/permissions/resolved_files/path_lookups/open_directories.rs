//! Directories that are kept open while many names are looked up in them. Most words of a command name no file, and in an
//! open directory the kernel finds that out in half the time, because it doesn't walk the whole path again. Where a directory
//! is missing, so is everything in it.

use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Access, AtFlags, Mode, OFlags};
use rustix::io::Errno;

/// The directories of one verdict.
#[derive(Debug, Default)]
pub(super) struct OpenDirectories(Vec<OpenDirectory>);

#[derive(Debug)]
struct OpenDirectory {
    path: OsString,
    state: DirectoryState,
}

#[derive(Debug)]
enum DirectoryState {
    /// The directory does not exist.
    Missing,
    /// Not opened, and how many names were looked up in it.
    Closed(usize),
    Open(OwnedFd),
}

impl OpenDirectories {
    /// Whether it is certain that nothing is at a path whose directory has no links. `is_absent` says whether nothing was
    /// found at the directory itself.
    pub(super) fn lack(&mut self, path: &Path, is_absent: impl Fn(&OsStr) -> bool) -> bool {
        let bytes = path.as_os_str().as_bytes();
        let Some(end) = memchr::memrchr(b'/', bytes).filter(|end| *end > 0) else {
            return false;
        };
        let (directory, name) = (OsStr::from_bytes(&bytes[..end]), &bytes[end + 1..]);
        match self.state(directory, is_absent) {
            Some(DirectoryState::Missing) => true,
            Some(DirectoryState::Open(opened)) => {
                let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EACCESS;
                rustix::fs::accessat(opened, name, Access::EXISTS, flags) == Err(Errno::NOENT)
            }
            Some(DirectoryState::Closed(_)) | None => false,
        }
    }

    /// The state of a directory, which is opened once so many names were looked up in it that this pays.
    fn state(
        &mut self,
        path: &OsStr,
        is_absent: impl Fn(&OsStr) -> bool,
    ) -> Option<&DirectoryState> {
        let known = self.0.iter().position(|it| it.path == path);
        let known = match known {
            Some(known) => known,
            None if self.0.len() >= MAX_DIRECTORIES => return None,
            None => {
                self.0.push(OpenDirectory {
                    path: path.to_owned(),
                    state: match is_absent(path) {
                        true => DirectoryState::Missing,
                        false => DirectoryState::Closed(0),
                    },
                });
                self.0.len() - 1
            }
        };
        let state = &mut self.0[known].state;
        if let DirectoryState::Closed(lookups) = state {
            *lookups = lookups.saturating_add(1);
            if *lookups == LOOKUPS_BEFORE_OPENING {
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let opened = rustix::fs::open(path, flags, Mode::empty());
                *state = opened.map_or(DirectoryState::Closed(usize::MAX), DirectoryState::Open);
            }
        }
        Some(state)
    }
}

/// Opening and closing takes as long as saving four walks.
const LOOKUPS_BEFORE_OPENING: usize = 4;
const MAX_DIRECTORIES: usize = 16;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::PathLookups;

    /// What is found in an open directory is what each path leads to by itself.
    #[test]
    fn many_names_in_a_directory_are_found_as_one_is() {
        let directory = tempfile::tempdir().unwrap();
        let top = directory.path().canonicalize().unwrap();
        fs::write(top.join("file"), "").unwrap();
        fs::create_dir(top.join("directory")).unwrap();
        symlink("nowhere", top.join("dangling")).unwrap();
        symlink("directory", top.join("link")).unwrap();
        symlink("file/x", top.join("broken")).unwrap();
        let mut names: Vec<String> = (0..20).map(|number| format!("absent-{number}")).collect();
        let long = "n".repeat(300);
        let others = [
            "file",
            "directory",
            "dangling",
            "link",
            "broken",
            "link/inner",
            "directory/../file",
            "file/below",
            long.as_str(),
            "absent-1/below",
            "absent-1/below/it",
            "absent-1/HEAD",
        ];
        names.extend(others.map(str::to_owned));
        names.extend(names.clone());
        let together = PathLookups::default();
        for name in &names {
            let path = top.join(name);
            let (one, other) = (
                PathLookups::default().resolve(&path),
                together.resolve(&path),
            );
            assert_eq!(one.path, other.path, "{name}");
            assert_eq!(one.links, other.links, "{name}");
            assert_eq!(one.is_known, other.is_known, "{name}");
            assert_eq!(one.metadata.is_some(), other.metadata.is_some(), "{name}");
            assert_eq!(
                together.has_entry(&path),
                path.symlink_metadata().is_ok(),
                "{name}"
            );
        }
    }
}
