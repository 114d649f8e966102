//! A tree of files for tests, and the results of operations as lines of text.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use attache_host::Roots;
use attache_host::files::{DirectoryEntry, EntryKind, FileError, FileLimits, Files, Listing};
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// A directory for one test, removed on drop. It contains `ws`, the usual root.
pub(crate) struct TestTree {
    pub(crate) top: PathBuf,
}

impl TestTree {
    /// Creates the entries that the lines describe: `dir A`, `file A TEXT`, `link A TARGET`, `hard A B`, `fifo A`,
    /// `socket A`. In a target, `@` is the top of the tree.
    pub(crate) fn new(lines: &str) -> TestTree {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "attache-files-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let top = std::env::temp_dir().canonicalize().unwrap().join(name);
        fs::create_dir(&top).unwrap();
        let tree = TestTree { top };
        fs::create_dir(tree.path("@/ws")).unwrap();
        for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
            tree.make(line);
        }
        tree
    }

    fn make(&self, line: &str) {
        let mut words = line.splitn(3, ' ');
        let what = words.next().unwrap();
        let path = self.top.join(words.next().unwrap());
        let rest = words.next().unwrap_or_default();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        match what {
            "dir" => fs::create_dir_all(path).unwrap(),
            "file" => fs::write(path, unescaped(rest)).unwrap(),
            "link" => symlink(self.path(rest), path).unwrap(),
            "hard" => fs::hard_link(self.top.join(rest), path).unwrap(),
            "fifo" => mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap(),
            "socket" => drop(UnixListener::bind(path).unwrap()),
            _ => panic!("{line}"),
        }
    }

    /// A path in which `@` is the top of the tree.
    pub(crate) fn path(&self, text: &str) -> PathBuf {
        PathBuf::from(text.replace('@', self.top.to_str().unwrap()))
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::open(&self.path("@/ws"), &[]).unwrap()
    }

    /// File access that resolves each path name by name, as on systems where the kernel cannot: some of attache's own
    /// directories are inside the roots.
    pub(crate) fn walking_files(&self) -> Files {
        Files::new(
            FileLimits::default(),
            &[self.path("@/ws/state"), self.path("@/more/state")],
        )
    }

    pub(crate) fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.path(path)).unwrap().mode() & 0o7777
    }

    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// All entries below a path, sorted, without following links.
    pub(crate) fn listing(&self, path: &str) -> String {
        let mut lines = Vec::new();
        list(&self.path(path), &self.top, &mut lines);
        lines.sort();
        lines.concat()
    }

    /// Runs each line, `read PATH [LINE LIMIT]`, `write PATH TEXT`, `list PATH`, `remove PATH` or `move FROM TO`, and
    /// returns the results.
    pub(crate) fn tried(&self, files: &Files, roots: &Roots, lines: &str) -> String {
        let lines = lines.lines().map(str::trim).filter(|line| !line.is_empty());
        lines
            .map(|line| format!("{line}: {}\n", self.attempt(files, roots, line)))
            .collect()
    }

    fn attempt(&self, files: &Files, roots: &Roots, line: &str) -> String {
        let mut words = line.splitn(3, ' ');
        let what = words.next().unwrap();
        let path = self.path(&unescaped(words.next().unwrap()));
        let rest = words.next();
        match what {
            "read" => {
                let mut numbers = rest.into_iter().flat_map(|rest| rest.split(' '));
                let mut number = || numbers.next().and_then(|number| number.parse().ok());
                outcome(files.read(roots, &path, number(), number()))
            }
            "write" => {
                let content = unescaped(rest.unwrap_or_default());
                outcome(
                    files
                        .write(roots, &path, &content)
                        .map(|()| "written".to_owned()),
                )
            }
            "list" => outcome(files.list(roots, &path).map(|listing| names(&listing))),
            "remove" => outcome(files.remove(roots, &path).map(|()| "removed".to_owned())),
            "move" => {
                let to = self.path(rest.unwrap_or_default());
                outcome(files.rename(roots, &path, &to).map(|()| "moved".to_owned()))
            }
            _ => panic!("{line}"),
        }
    }
}

fn names(listing: &Listing) -> String {
    let name = |entry: &DirectoryEntry| match entry.kind {
        EntryKind::Directory => format!("{}/", entry.name.display()),
        EntryKind::File { size } => format!("{} {size}", entry.name.display()),
        EntryKind::Link => format!("{}@", entry.name.display()),
        _ => format!("{} special", entry.name.display()),
    };
    let names: Vec<String> = listing.entries.iter().map(name).collect();
    names.join(", ")
}

impl Drop for TestTree {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.top).unwrap();
    }
}

/// Formats a result as an agent sees it.
pub(crate) fn outcome(result: Result<String, FileError>) -> String {
    match result {
        Ok(text) => format!("{text:?}"),
        Err(error) => {
            let kind = error.kind();
            let error = attache_rpc::Error::from(error);
            format!("{} {kind}", error.code)
        }
    }
}

fn list(path: &Path, top: &Path, lines: &mut Vec<String>) {
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        let name = path.strip_prefix(top).unwrap().display().to_string();
        let kind = entry.file_type().unwrap();
        if kind.is_symlink() {
            lines.push(format!(
                "{name} -> {}\n",
                fs::read_link(&path).unwrap().display()
            ));
        } else if kind.is_dir() {
            lines.push(format!("{name}/\n"));
            list(&path, top, lines);
        } else if kind.is_file() {
            let text = fs::read(&path).unwrap();
            lines.push(format!("{name} {:?}\n", String::from_utf8_lossy(&text)));
        } else {
            lines.push(format!("{name} (special)\n"));
        }
    }
}

fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n")
        .replace("\\r", "\r")
        .replace("\\0", "\0")
}
