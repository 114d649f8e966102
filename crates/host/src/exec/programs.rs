//! Programs that we know something of: the files behind names on PATH, programs of many names, loaders and
//! interpreters.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use attache_transport::process::ExecInterpreter;

use super::judge::Files;
use crate::permissions::base_name;

/// Where programs are looked for, and those of many names that were found there.
#[derive(Debug, Default)]
pub(super) struct Programs {
    directories: Vec<PathBuf>,
    multi_call: Files,
    loaders: Files,
}

impl Programs {
    /// The programs on PATH and in the usual places.
    pub(super) fn on_path() -> Programs {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = USUAL.iter().map(PathBuf::from);
        let mut directories: Vec<PathBuf> = std::env::split_paths(&path).chain(usual).collect();
        let mut seen = HashSet::new();
        directories.retain(|directory| directory.is_absolute() && seen.insert(directory.clone()));
        directories.truncate(MOST_DIRECTORIES);
        let mut programs = Programs {
            directories,
            ..Programs::default()
        };
        for name in MULTI_CALL {
            let files = programs.found(name).filter_map(|path| id(&path));
            programs.multi_call = programs.multi_call.iter().copied().chain(files).collect();
        }
        programs.loaders = LOADERS
            .iter()
            .filter_map(|path| id(Path::new(path)))
            .collect();
        programs
    }

    /// The files that the name of a program leads to, where the file itself is that program under every name.
    pub(super) fn files_of(&self, program: &str) -> Files {
        if program.contains('/') {
            return id(Path::new(program)).into_iter().collect();
        }
        let found = self.found(program).filter(|path| is_one_program(path));
        found.filter_map(|path| id(&path)).collect()
    }

    pub(super) fn has_multi_call(&self, file: Option<(u64, u64)>) -> bool {
        file.is_some_and(|file| self.multi_call.contains(&file))
    }

    pub(super) fn has_loader(&self, file: Option<(u64, u64)>) -> bool {
        file.is_some_and(|file| self.loaders.contains(&file))
    }

    /// Whether an interpreter that an ELF file names is a dynamic loader, by what it is and not by how it is named.
    pub(super) fn is_loader(&self, interpreter: &ExecInterpreter) -> bool {
        let Some(file) = &interpreter.file else {
            return false;
        };
        let name = file.path.file_name().and_then(|name| name.to_str());
        self.has_loader(Some(file.id)) || name.is_some_and(is_loader)
    }

    fn found(&self, program: &str) -> impl Iterator<Item = PathBuf> {
        let candidates = self
            .directories
            .iter()
            .map(move |directory| directory.join(program));
        candidates.filter_map(|path| fs::canonicalize(path).ok())
    }
}

/// Whether a program acts on the name it is started by, or takes one as its first word.
pub(super) fn is_multi_call(name: &str) -> bool {
    MULTI_CALL.contains(&name) || name.starts_with("busybox")
}

/// Whether a file is a dynamic loader, which runs the program in its arguments.
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

/// A file under one of whose names another program answers is not what a rule means.
fn is_one_program(path: &Path) -> bool {
    let name = base_name(path.to_str().unwrap_or_default());
    !is_multi_call(&name) && !SHARED.contains(&name.as_str()) && !is_linked_script(path)
}

/// Version managers give one script many names by links.
fn is_linked_script(path: &Path) -> bool {
    let is_linked = fs::metadata(path).is_ok_and(|meta| links(&meta) > 1);
    let mut head = [0; 2];
    let read = || File::open(path).and_then(|mut file| file.read_exact(&mut head));
    is_linked && { read }().is_ok() && head == *b"#!"
}

#[cfg(unix)]
fn links(meta: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(meta)
}

#[cfg(not(unix))]
fn links(_: &fs::Metadata) -> u64 {
    1
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

const MOST_DIRECTORIES: usize = 128;
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
/// Programs that run the one that their first word, or the name they are started by, says.
const MULTI_CALL: &[&str] = &["busybox", "toybox", "coreutils", "uutils"];
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
