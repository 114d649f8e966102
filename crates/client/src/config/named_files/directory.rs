//! The digest of a directory that a project's file names, over all files and links below it.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read as _};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{MAX_BYTES, hex};

/// The current state of a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DirectoryDigest {
    /// Digest of the name, kind and content of everything below the directory.
    pub(super) digest: String,
    /// Number of files and links below the directory.
    pub(super) files: usize,
}

/// Limits on the content of all named directories together, which is read at every start.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadBudget {
    files: usize,
    bytes: u64,
    depth: usize,
}

impl ReadBudget {
    pub(super) const FULL: ReadBudget = ReadBudget {
        files: 20_000,
        bytes: 256 * 1024 * 1024,
        depth: 64,
    };
}

impl DirectoryDigest {
    /// Reads everything below `root`, which is its real path. `project` is the project's directory.
    ///
    /// # Errors
    ///
    /// When a limit is exceeded, something cannot be read, or a link leads to a directory that contains the project.
    pub(super) fn read(
        root: &Path,
        project: &Path,
        budget: &mut ReadBudget,
    ) -> Result<DirectoryDigest, String> {
        let mut walk = DirectoryWalk {
            project,
            budget,
            entries: Vec::new(),
            waiting: vec![(root.to_owned(), PathBuf::new(), 0)],
            roots: BTreeSet::from([root.to_owned()]),
        };
        while let Some((directory, name, depth)) = walk.waiting.pop() {
            walk.list(&directory, &name, depth)?;
        }
        let mut entries = walk.entries;
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        read_contents(&mut entries, budget)?;
        let mut hasher = blake3::Hasher::new();
        for entry in &entries {
            // Each part with its length, so that different trees have different digests.
            let name = entry.name.as_os_str().as_encoded_bytes();
            for part in [name, entry.kind.word().as_bytes(), &entry.content] {
                let length = u64::try_from(part.len()).unwrap_or(u64::MAX);
                hasher.update(&length.to_le_bytes());
                hasher.update(part);
            }
        }
        let is_file =
            |entry: &&DirectoryEntry| matches!(entry.kind, FileKind::File | FileKind::Link);
        Ok(DirectoryDigest {
            digest: hex(&hasher.finalize()),
            files: entries.iter().filter(is_file).count(),
        })
    }
}

/// An entry below a directory.
struct DirectoryEntry {
    /// The path relative to the directory.
    name: PathBuf,
    /// The absolute path.
    path: PathBuf,
    kind: FileKind,
    /// The digest of a file, or the target of a link.
    content: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    File,
    Link,
    Directory,
    /// A socket, a pipe or a device, which has no content to cover.
    Special,
    /// The target of a link that leads outside the directory.
    Target,
}

impl FileKind {
    fn of(kind: fs::FileType) -> FileKind {
        match kind {
            kind if kind.is_symlink() => FileKind::Link,
            kind if kind.is_dir() => FileKind::Directory,
            kind if kind.is_file() => FileKind::File,
            _ => FileKind::Special,
        }
    }

    fn word(self) -> &'static str {
        match self {
            FileKind::File => "file",
            FileKind::Link => "link",
            FileKind::Directory => "directory",
            FileKind::Special => "special",
            FileKind::Target => "target",
        }
    }
}

struct DirectoryWalk<'a> {
    project: &'a Path,
    budget: &'a mut ReadBudget,
    entries: Vec<DirectoryEntry>,
    /// Directories to read: absolute path, relative path, and depth.
    waiting: Vec<(PathBuf, PathBuf, usize)>,
    /// The directory itself, and the targets of links.
    roots: BTreeSet<PathBuf>,
}

impl DirectoryWalk<'_> {
    fn list(&mut self, directory: &Path, name: &Path, depth: usize) -> Result<(), String> {
        let failed = |error: io::Error| unreadable(directory, &error);
        if depth > self.budget.depth {
            return Err(too_large(directory, "is too deep"));
        }
        let listed: io::Result<Vec<DirEntry>> = fs::read_dir(directory).map_err(failed)?.collect();
        let mut listed = listed.map_err(failed)?;
        // If two links lead to one directory, the first one includes its content, so the order must be fixed.
        listed.sort_by_key(DirEntry::file_name);
        for entry in listed {
            let kind = FileKind::of(entry.file_type().map_err(failed)?);
            let (path, name) = (entry.path(), name.join(entry.file_name()));
            let mut content = Vec::new();
            match kind {
                FileKind::Directory => self.waiting.push((path.clone(), name.clone(), depth + 1)),
                FileKind::Link => {
                    let target = fs::read_link(&path).map_err(|error| unreadable(&path, &error))?;
                    content = target.into_os_string().into_encoded_bytes();
                    self.follow(&path, &name, depth)?;
                }
                FileKind::File | FileKind::Special | FileKind::Target => {}
            }
            self.add(name, path, kind, content)?;
        }
        Ok(())
    }

    /// Includes the target of a link that leads outside.
    fn follow(&mut self, link: &Path, name: &Path, depth: usize) -> Result<(), String> {
        let Ok(target) = link.canonicalize() else {
            return Ok(());
        };
        if self.roots.iter().any(|root| target.starts_with(root)) {
            return Ok(());
        }
        let metadata = fs::metadata(&target).map_err(|error| unreadable(&target, &error))?;
        let kind = FileKind::of(metadata.file_type());
        // No file can have this name, so no file below the directory can look like a link's target.
        let name = name.join("\0");
        if kind == FileKind::Directory {
            if self.project.starts_with(&target) {
                return Err(contains_project(link));
            }
            self.roots.insert(target.clone());
            self.waiting.push((target.clone(), name.clone(), depth + 1));
        }
        let place = target.as_os_str().as_encoded_bytes().to_vec();
        self.add(name.join("\0"), target.clone(), FileKind::Target, place)?;
        self.add(name, target, kind, Vec::new())
    }

    fn add(
        &mut self,
        name: PathBuf,
        path: PathBuf,
        kind: FileKind,
        content: Vec<u8>,
    ) -> Result<(), String> {
        match self.budget.files.checked_sub(1) {
            Some(left) => self.budget.files = left,
            None => return Err(too_large(&path, "is one file too many")),
        }
        self.entries.push(DirectoryEntry {
            name,
            path,
            kind,
            content,
        });
        Ok(())
    }
}

/// Reads all files on several threads, because opening them takes most of the time.
fn read_contents(entries: &mut [DirectoryEntry], budget: &mut ReadBudget) -> Result<(), String> {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let share = entries.len().div_ceil(workers.min(8)).max(MIN_SHARE);
    let left = Mutex::new(budget.bytes);
    let results: Vec<Result<(), String>> = thread::scope(|scope| {
        let parts = entries.chunks_mut(share);
        let workers = parts.map(|part| scope.spawn(|| read_part(part, &left)));
        let workers: Vec<_> = workers.collect();
        let ended = workers.into_iter().map(|worker| worker.join());
        ended
            .map(|end| end.unwrap_or_else(|_| Err("it cannot be read".to_owned())))
            .collect()
    });
    budget.bytes = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().collect()
}

fn read_part(part: &mut [DirectoryEntry], left: &Mutex<u64>) -> Result<(), String> {
    let mut bytes = Vec::new();
    for entry in part.iter_mut().filter(|entry| entry.kind == FileKind::File) {
        bytes.clear();
        let most = MAX_BYTES + 1;
        let read = File::open(&entry.path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        let read = read.map_err(|error| unreadable(&entry.path, &error))?;
        let read = u64::try_from(read).unwrap_or(u64::MAX);
        if read >= most {
            return Err(too_large(&entry.path, "is larger than 64 MiB"));
        }
        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
        match left.checked_sub(read) {
            Some(now) => *left = now,
            None => return Err(too_large(&entry.path, "is beyond 256 MiB in all")),
        }
        drop(left);
        entry.content = blake3::hash(&bytes).as_bytes().to_vec();
    }
    Ok(())
}

/// The error for a directory that contains the project.
pub(super) fn contains_project(path: &Path) -> String {
    format!(
        "it names `{}`, which is the project's directory or contains it, so trust cannot cover it; name a file or a directory \
         inside the project",
        path.display()
    )
}

fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("it names a directory with `{}`: {error}", path.display())
}

fn too_large(path: &Path, why: &str) -> String {
    format!(
        "it names a directory that is too large for trust: `{}` {why}; name single files or a smaller directory, or move \
         the program out of the project",
        path.display()
    )
}

/// Minimum files per thread.
const MIN_SHARE: usize = 64;
