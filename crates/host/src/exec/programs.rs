//! Programs that need special treatment: the files behind names on `PATH`, programs with many names, loaders and
//! interpreters.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use attache_process::{ExecFile, FileOrigin, FileVersion};

use super::scripts;
use crate::path_facts::link_count;
use crate::permissions::base_name;

/// The identity of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileIdentity {
    /// The device and inode.
    pub(super) id: (u64, u64),
    pub(super) version: FileVersion,
    origin: FileOrigin,
    /// Whether the file may have other names than those that were found.
    has_links: bool,
    /// Whether the file has no name any more.
    pub(super) is_removed: bool,
}

impl FileIdentity {
    pub(super) fn of(file: &ExecFile) -> FileIdentity {
        FileIdentity {
            id: file.id,
            version: file.version,
            origin: file.origin,
            has_links: file.has_links,
            // As /proc shows it.
            is_removed: file
                .path
                .as_os_str()
                .as_encoded_bytes()
                .ends_with(b" (deleted)"),
        }
    }

    /// The identity of a file that was seen earlier.
    pub(super) fn remembered(id: (u64, u64), version: FileVersion) -> FileIdentity {
        FileIdentity {
            id,
            version,
            origin: FileOrigin::Shared,
            has_links: false,
            is_removed: false,
        }
    }

    /// Whether a file that a process found is this file of ours. On an overlay file system that we don't see, it has
    /// another device and inode, but the same size and time.
    fn is_found_as(&self, other: FileIdentity) -> bool {
        match other.origin {
            FileOrigin::Shared | FileOrigin::Elsewhere => self.id == other.id,
            FileOrigin::Overlay => self.version == other.version,
        }
    }
}

/// Where programs are looked for, and those with many names that were found there.
#[derive(Debug, Default)]
pub(super) struct Programs {
    directories: Vec<PathBuf>,
    multi_call: Vec<FileIdentity>,
    loaders: Vec<FileIdentity>,
    /// Known interpreters, by name. Looked up when a file is met that may be one under another name.
    interpreters: OnceCell<Vec<(&'static str, FileIdentity)>>,
}

/// A file that the program of a rule leads to.
#[derive(Debug, Clone)]
pub(super) struct RuleFile {
    pub(super) identity: FileIdentity,
    /// Where it was found, with links followed.
    pub(super) path: PathBuf,
    /// Where its other names are, if it acts on the name that it is started by.
    pub(super) names_in: Vec<PathBuf>,
}

impl RuleFile {
    pub(super) fn is(&self, file: Option<FileIdentity>) -> bool {
        file.is_some_and(|file| self.identity.is_found_as(file))
    }

    /// Whether a name is another name of this file, which acts on its name.
    pub(super) fn is_other_name(&self, name: &str) -> bool {
        let mut places = self.names_in.iter();
        let is_name = !name.is_empty() && !name.contains('/');
        is_name && places.any(|place| id(&place.join(name)) == Some(self.identity.id))
    }
}

impl Programs {
    /// The programs on `PATH` and in the usual places.
    pub(super) fn on_path() -> Programs {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = USUAL.iter().map(PathBuf::from);
        let mut directories: Vec<PathBuf> = std::env::split_paths(&path).chain(usual).collect();
        let mut seen = HashSet::new();
        directories.retain(|directory| directory.is_absolute() && seen.insert(directory.clone()));
        directories.truncate(MAX_DIRECTORIES);
        let mut programs = Programs {
            directories,
            ..Programs::default()
        };
        for name in MULTI_CALL {
            let files: Vec<FileIdentity> = programs
                .found(name)
                .filter_map(|(_, path)| identity(&path))
                .collect();
            programs.multi_call.extend(files);
        }
        programs.loaders = LOADERS
            .iter()
            .filter_map(|path| identity(Path::new(path)))
            .collect();
        programs
    }

    /// The files that the program of a rule leads to: a path relative to these directories, or a name on `PATH`.
    pub(super) fn files_of(&self, program: &str, directories: &[PathBuf]) -> Vec<RuleFile> {
        let found: Vec<(PathBuf, PathBuf)> = match program.contains('/') {
            true => {
                let paths = match Path::new(program).is_absolute() {
                    true => vec![PathBuf::from(program)],
                    false => directories.iter().map(|it| it.join(program)).collect(),
                };
                let real = |path: PathBuf| Some((path.clone(), fs::canonicalize(path).ok()?));
                paths.into_iter().filter_map(real).collect()
            }
            false => self.found(program).collect(),
        };
        let file = |(named, real): (PathBuf, PathBuf)| {
            Some(RuleFile {
                identity: identity(&real)?,
                names_in: self.other_names_in(&named, &real),
                path: real,
            })
        };
        found.into_iter().filter_map(file).collect()
    }

    pub(super) fn has_multi_call(&self, file: Option<FileIdentity>) -> bool {
        file.is_some_and(|file| self.multi_call.iter().any(|it| it.is_found_as(file)))
    }

    /// Whether a file is the system's dynamic loader, by its identity rather than its name.
    pub(super) fn has_loader(&self, file: Option<FileIdentity>) -> bool {
        file.is_some_and(|file| self.loaders.iter().any(|it| it.is_found_as(file)))
    }

    /// The names of the interpreter that a file is, where it may have other names than those that were found: through a
    /// hard link or in another namespace.
    pub(super) fn interpreter_names(&self, file: Option<FileIdentity>) -> Vec<&'static str> {
        let Some(file) = file.filter(|it| it.has_links || it.origin != FileOrigin::Shared) else {
            return Vec::new();
        };
        let all = self.interpreters.get_or_init(|| {
            let each = scripts::interpreters().flat_map(|name| {
                let found = self.found(name).filter_map(|(_, real)| identity(&real));
                found.map(move |file| (name, file)).collect::<Vec<_>>()
            });
            each.collect()
        });
        let same = all.iter().filter(|(_, it)| it.is_found_as(file));
        same.map(|(name, _)| *name).collect()
    }

    /// Where a program with this name is on `PATH`, and where links lead from there.
    fn found(&self, program: &str) -> impl Iterator<Item = (PathBuf, PathBuf)> {
        let candidates = self
            .directories
            .iter()
            .map(move |directory| directory.join(program));
        candidates.filter_map(|path| Some((path.clone(), fs::canonicalize(path).ok()?)))
    }

    /// Where a file that acts on the name it is started by may have other names. A script of a version manager has them
    /// beside the one that a rule names.
    fn other_names_in(&self, named: &Path, real: &Path) -> Vec<PathBuf> {
        let name = base_name(real.to_str().unwrap_or_default());
        if is_multi_call(&name) || SHARED.contains(&name.as_str()) {
            return self.directories.clone();
        }
        match is_linked_script(real) {
            true => named.parent().map(Path::to_owned).into_iter().collect(),
            false => Vec::new(),
        }
    }
}

/// Whether a subcommand is built into this file of git, so that no alias can take its name: git is installed under the
/// names of its built-in subcommands.
pub(super) fn is_built_into_git(subcommand: &str, file: Option<FileIdentity>) -> bool {
    let is_git = |directory: &str| {
        let link = identity(&Path::new(directory).join(format!("git-{subcommand}")));
        // The same program can be installed twice.
        link.zip(file)
            .is_some_and(|(link, file)| link.is_found_as(file) || link.version == file.version)
    };
    !subcommand.contains('/') && GIT_CORE.iter().any(|it| is_git(it))
}

/// Whether a directory is one in which git's own programs are installed.
pub(super) fn is_git_core(directory: &str) -> bool {
    GIT_CORE.contains(&directory)
}

/// Whether two names mean different programs although one file is both, because the file acts on its name.
pub(super) fn are_different(one: &str, other: &str) -> bool {
    let has = |group: &str, name: &str| group.split(' ').any(|it| it == name);
    one != other
        && GROUPS
            .iter()
            .any(|group| has(group, one) && has(group, other))
}

/// Whether a program acts on the name it is started by, or takes one as its first word.
pub(super) fn is_multi_call(name: &str) -> bool {
    MULTI_CALL.contains(&name) || name.starts_with("busybox")
}

/// Whether a name is that of a dynamic loader, which runs the program in its arguments.
pub(super) fn is_loader(name: &str) -> bool {
    name == "ld.so"
        || (name.starts_with("ld") && name.contains(".so"))
        || (name.starts_with("ld-musl-") || name.starts_with("ld-linux"))
}

/// The file that the first word of a command leads to, as a shell in the directory would find it.
pub(super) fn resolve(word: &str, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let candidates: Vec<PathBuf> = match word.contains('/') {
        true => vec![directory.join(word)],
        false => std::env::split_paths(path)
            .map(|entry| directory.join(entry).join(word))
            .collect(),
    };
    let found = candidates.into_iter().find(|path| is_executable(path))?;
    found.canonicalize().ok()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Version managers give one script many names by links, and the script looks at its own name.
fn is_linked_script(path: &Path) -> bool {
    if !fs::metadata(path).is_ok_and(|meta| meta.is_file() && link_count(&meta) > 1) {
        return false;
    }
    let mut text = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MAX_SCRIPT).read_to_end(&mut text));
    let has = |part: &&str| memchr::memmem::find(&text, part.as_bytes()).is_some();
    read.is_ok() && text.starts_with(b"#!") && OWN_NAME.iter().any(has)
}

/// Opens a file, without access to its content, if its path still leads to it.
#[cfg(target_os = "linux")]
pub(super) fn pinned(file: &RuleFile) -> Option<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
    let flags = OFlags::PATH | OFlags::NOFOLLOW;
    let flags = flags.bits().cast_signed();
    let opened = File::options()
        .read(true)
        .custom_flags(flags)
        .open(&file.path)
        .ok()?;
    let meta = opened.metadata().ok()?;
    ((meta.dev(), meta.ino()) == file.identity.id).then_some(opened)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn pinned(_: &RuleFile) -> Option<File> {
    None
}

/// The device and inode of a file.
#[cfg(unix)]
pub(super) fn id(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
pub(super) fn id(_: &Path) -> Option<(u64, u64)> {
    None
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let meta = fs::metadata(path).ok()?;
    Some(FileIdentity {
        id: (meta.dev(), meta.ino()),
        version: FileVersion {
            size: meta.len(),
            seconds: meta.mtime(),
            nanoseconds: u32::try_from(meta.mtime_nsec()).unwrap_or(0),
        },
        origin: FileOrigin::Shared,
        has_links: meta.nlink() > 1,
        is_removed: false,
    })
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<FileIdentity> {
    None
}

const MAX_DIRECTORIES: usize = 128;
const MAX_SCRIPT: u64 = 1 << 16;
/// How a script asks for its own name.
const OWN_NAME: &[&str] = &["$0", "${0", "BASH_SOURCE", "argv", "__FILE__", "__file__"];
const USUAL: &[&str] = &[
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/local/sbin",
    "/usr/sbin",
    "/sbin",
    "/usr/lib/git-core",
    "/usr/libexec/git-core",
];
const GIT_CORE: &[&str] = &[
    "/usr/lib/git-core",
    "/usr/libexec/git-core",
    "/usr/local/libexec/git-core",
    "/usr/local/lib/git-core",
];
/// Programs that run the one named by their first word, or by the name they are started by.
const MULTI_CALL: &[&str] = &["busybox", "toybox", "coreutils", "uutils"];
/// Names of one file that are different programs: it acts only on the name.
const GROUPS: &[&str] = &[
    "pgrep pkill pidwait",
    "killall5 pidof",
    "bzip2 bunzip2 bzcat",
    "gzip gunzip zcat",
    "xz unxz xzcat lzma unlzma lzcat",
    "zstd unzstd zstdcat zstdmt",
    "lz4 unlz4 lz4cat lz4c",
    "pigz unpigz",
    "unzip zipinfo",
    "systemctl halt poweroff reboot runlevel shutdown telinit",
    "kmod lsmod modprobe insmod rmmod modinfo depmod",
    "last lastb",
    "tset reset",
    "tic captoinfo infotocap",
    "whatis apropos",
    "vipw vigr",
    "rustup cargo rustc rustdoc rustfmt cargo-fmt cargo-clippy clippy-driver cargo-miri rust-analyzer rust-gdb rust-gdbgui \
     rust-lldb rls",
];
/// Programs that act on the name they are started by.
const SHARED: &[&str] = &[
    "asdf",
    "ccache",
    "clang",
    "distcc",
    "dropbearmulti",
    "exim4",
    "kmod",
    "lvm",
    "mise",
    "multipass",
    "nix",
    "proto-shim",
    "pyenv",
    "rustup",
    "sccache",
    "snap",
    "systemctl",
    "volta-shim",
    "xtables-legacy-multi",
    "xtables-nft-multi",
];
const LOADERS: &[&str] = &[
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-musl-x86_64.so.1",
    "/lib/ld-musl-aarch64.so.1",
    "/lib/ld-linux.so.2",
    "/lib/ld-linux-armhf.so.3",
];
