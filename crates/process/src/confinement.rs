//! Limits, enforced by the kernel, on what a program and everything it starts can access: a Landlock ruleset made by the
//! caller, and mount and network namespaces.

use std::fmt;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use super::platform;

/// Limits on what a program and everything it starts can access. By default they can access everything that the user can.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// A Landlock ruleset that the program enforces on itself when it starts.
    #[cfg(target_os = "linux")]
    pub(super) landlock_ruleset: Option<Arc<OwnedFd>>,
    /// A Landlock ruleset without file rules.
    #[cfg(target_os = "linux")]
    pub(super) signal_scope: Option<Arc<OwnedFd>>,
    /// Files and directories that are covered in a mount namespace.
    pub(super) covers: Vec<Cover>,
    /// Paths that stay covered even if the file there is replaced.
    pub(super) kept: Vec<CoveredPath>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) nested_mounts: NestedMounts,
    pub(super) network: Network,
}

/// Whether a program with covered files can mount file systems in namespaces of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NestedMounts {
    /// Every mount fails, so that no second mount of a file system shows covered files. Programs that build a sandbox with
    /// mounts, such as bubblewrap, fail.
    #[default]
    Refused,
    /// Mounts work. A malicious program can use them to see and change covered files.
    Allowed,
}

/// A path that stays covered while the program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredPath {
    /// The path as configured. It may contain symbolic links and need not exist.
    pub path: PathBuf,
    /// The program's access to a file at this path.
    pub access: CoverAccess,
}

/// A program's access to a file at a [`CoveredPath`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverAccess {
    /// The program can neither read nor change the file.
    Hidden,
    /// The program can read the file but not change it.
    ReadOnly,
}

/// Whether a confined program has network access.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// The program uses the same network as the user.
    #[default]
    Shared,
    /// The program has only a loopback device of its own.
    Loopback,
}

/// A file or directory that is covered for a confined program. The device and inode make sure that no other file is covered
/// by mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// The path of the file, without symbolic links.
    pub path: PathBuf,
    /// The device that contains the file.
    pub device: u64,
    /// The inode of the file on that device.
    pub inode: u64,
    /// The program's view of the file.
    pub kind: CoverKind,
}

/// A confined program's view of a covered file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverKind {
    /// An empty directory that cannot be entered.
    HiddenDirectory,
    /// An empty file that cannot be opened.
    HiddenFile,
    /// The file or directory itself, but nothing in it can be changed.
    ReadOnly,
}

impl Confinement {
    /// Creates a confinement without limits.
    pub fn new() -> Confinement {
        Confinement::default()
    }

    /// Enforces a Landlock ruleset, after the namespace is entered and before system calls are filtered. The program also
    /// drops capabilities that bypass Landlock, gains no rights from set-user-id programs, and loses access to the keyring
    /// of the user's session.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn landlock_ruleset(mut self, ruleset: Arc<OwnedFd>) -> Confinement {
        self.landlock_ruleset = Some(ruleset);
        self
    }

    /// Enforces a Landlock ruleset that has no file rules and only keeps signals inside: the program can't send signals
    /// to processes that it didn't start, its guard and the process that started it among them.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn signal_scope(mut self, ruleset: Arc<OwnedFd>) -> Confinement {
        self.signal_scope = Some(ruleset);
        self
    }

    /// Covers a file or directory, in a mount namespace of the program's own. Check [`namespace_support`] first.
    #[must_use]
    pub fn cover(mut self, cover: Cover) -> Confinement {
        self.covers.push(cover);
        self
    }

    /// Keeps a path covered while the program runs: a file that appears at the path, or replaces the file there, is covered
    /// within milliseconds. A file that exists at the start also needs a [`cover`](Self::cover).
    #[must_use]
    pub fn keep_covered(mut self, path: CoveredPath) -> Confinement {
        self.kept.push(path);
        self
    }

    /// Sets whether the program can mount file systems. Default: not if anything is covered.
    #[must_use]
    pub fn nested_mounts(mut self, nested_mounts: NestedMounts) -> Confinement {
        self.nested_mounts = nested_mounts;
        self
    }

    /// Sets the program's network access.
    #[must_use]
    pub fn network(mut self, network: Network) -> Confinement {
        self.network = network;
        self
    }

    /// Whether this confinement needs a namespace.
    pub(super) fn needs_namespace(&self) -> bool {
        self.has_covers() || self.network == Network::Loopback
    }

    /// Whether anything is covered, or can be covered later.
    pub(super) fn has_covers(&self) -> bool {
        !self.covers.is_empty() || !self.kept.is_empty()
    }
}

/// Why this system does not support a feature, and how to change that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unsupported {
    /// The cause, as a sentence without a full stop.
    pub reason: &'static str,
    /// What to change on this system, as a sentence without a full stop.
    pub fix: &'static str,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; {}", self.reason, self.fix)
    }
}

/// Checks whether files can be covered for a program on this system. The first call tries it and takes some milliseconds.
///
/// # Errors
///
/// If this system does not support it, returns the reason and a fix.
pub fn namespace_support() -> Result<(), Unsupported> {
    platform::namespace_support()
}
