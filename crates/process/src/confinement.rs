//! What a program and everything it starts may touch, as the kernel enforces it: a Landlock ruleset that the caller has
//! made, and a namespace of mounts and networks.

use std::fmt;
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::sync::Arc;

use super::platform;

/// What a program and everything it starts may touch. By default everything that the user may.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// A Landlock ruleset, ready to be put in force.
    #[cfg(target_os = "linux")]
    pub(super) landlock_ruleset: Option<Arc<OwnedFd>>,
    /// Places that are covered in a mount namespace.
    pub(super) covers: Vec<Cover>,
    /// Paths that stay covered, whatever is put there.
    pub(super) kept: Vec<KeptPath>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code))]
    pub(super) nesting: Nesting,
    pub(super) network: Network,
}

/// Whether a program whose places are covered can mount, in namespaces that it makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nesting {
    /// Every mount is refused, so that no second view of a file system shows what is covered. Programs that make a sandbox
    /// of mounts, such as bubblewrap, fail.
    #[default]
    Refused,
    /// Such programs work. One that sets out to do so can see and change what is covered.
    Allowed,
}

/// A path that stays covered while the program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPath {
    /// The path as somebody wrote it. It may lead through links, and need not exist.
    pub path: PathBuf,
    /// Whether what is there can be read.
    pub access: KeptAccess,
}

/// What a program can do with a kept path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptAccess {
    /// Nothing.
    Hidden,
    /// Read.
    ReadOnly,
}

/// Whether a confined program has a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Network {
    /// The one that the user has.
    #[default]
    Shared,
    /// Only a loopback device of its own.
    Loopback,
}

/// A place that is covered for a confined program. The identity makes sure that nothing else is covered in its stead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cover {
    /// Where it is now, without links.
    pub path: PathBuf,
    /// The device that it is on.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
    /// What the program finds there.
    pub kind: CoverKind,
}

/// What a confined program finds in a covered place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoverKind {
    /// An empty directory that cannot be entered.
    HiddenDirectory,
    /// An empty file that cannot be opened.
    HiddenFile,
    /// What is there, but nothing of it can be changed.
    ReadOnly,
}

impl Confinement {
    /// Nothing is limited yet.
    pub fn new() -> Confinement {
        Confinement::default()
    }

    /// Puts a Landlock ruleset in force, after the namespace is entered and before calls are filtered. The program also
    /// gives up capabilities that go round Landlock, gains no rights from set-user-id programs, and leaves the keyring of
    /// the user's session.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn landlock_ruleset(mut self, ruleset: Arc<OwnedFd>) -> Confinement {
        self.landlock_ruleset = Some(ruleset);
        self
    }

    /// Covers a place in a mount namespace of the program's own. [`namespace_support`] says whether there can be one.
    #[must_use]
    pub fn cover(mut self, cover: Cover) -> Confinement {
        self.covers.push(cover);
        self
    }

    /// Covers whatever is at a path when the program runs: a file that appears there, or takes another's place, is covered
    /// within milliseconds. What is there at the start needs a [`cover`](Self::cover) as well, whose path is kept by itself.
    #[must_use]
    pub fn keep_covered(mut self, path: KeptPath) -> Confinement {
        self.kept.push(path);
        self
    }

    /// Sets whether the program can mount. By default it cannot while something is covered.
    #[must_use]
    pub fn nesting(mut self, nesting: Nesting) -> Confinement {
        self.nesting = nesting;
        self
    }

    /// Sets what network there is.
    #[must_use]
    pub fn network(mut self, network: Network) -> Confinement {
        self.network = network;
        self
    }

    /// Whether it needs a namespace.
    pub(super) fn needs_namespace(&self) -> bool {
        self.has_covers() || self.network == Network::Loopback
    }

    /// Whether something is covered, or may be later.
    pub(super) fn has_covers(&self) -> bool {
        !self.covers.is_empty() || !self.kept.is_empty()
    }
}

/// Why the kernel cannot do something here, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// Whether places can be covered for a program. The first call tries it and takes some milliseconds.
///
/// # Errors
///
/// Why not, and what to do about it.
pub fn namespace_support() -> Result<(), Unsupported> {
    platform::namespace_support()
}
