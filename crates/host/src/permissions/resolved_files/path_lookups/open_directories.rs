//! Directories that are kept open while many names are looked up in them. Most words of a command name no file, and in an
//! open directory the kernel finds that out in half the time, because it doesn't walk the whole path again.

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
    lookups: usize,
    opened: Option<OwnedFd>,
}

impl OpenDirectories {
    /// Whether it is certain that nothing is at a path whose directory has no links.
    pub(super) fn lack(&mut self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_bytes();
        let Some(end) = memchr::memrchr(b'/', bytes).filter(|end| *end > 0) else {
            return false;
        };
        let (directory, name) = (&bytes[..end], &bytes[end + 1..]);
        let Some(opened) = self.opened(OsStr::from_bytes(directory)) else {
            return false;
        };
        let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EACCESS;
        rustix::fs::accessat(opened, name, Access::EXISTS, flags) == Err(Errno::NOENT)
    }

    /// The directory, once so many names were looked up in it that opening it pays.
    fn opened(&mut self, path: &OsStr) -> Option<&OwnedFd> {
        let known = self.0.iter().position(|it| it.path == path);
        let Some(known) = known else {
            if self.0.len() < MAX_DIRECTORIES {
                self.0.push(OpenDirectory {
                    path: path.to_owned(),
                    lookups: 1,
                    opened: None,
                });
            }
            return None;
        };
        let directory = &mut self.0[known];
        directory.lookups += 1;
        if directory.lookups == LOOKUPS_BEFORE_OPENING {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            directory.opened = rustix::fs::open(path, flags, Mode::empty()).ok();
        }
        directory.opened.as_ref()
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
