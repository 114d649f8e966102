//! What a program and everything it starts may touch, as the kernel enforces it: a Landlock ruleset for places to write
//! and secrets to keep unreadable, and a namespace of mounts for trees that are denied inside them.

use std::fmt;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;

use super::platform;

/// What a program and everything it starts may touch. By default everything that the user may.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// The only places to write, if writing is limited.
    pub(super) writable: Option<Vec<WritablePlace>>,
    /// Places whose files cannot be read, enforced by Landlock.
    pub(super) unreadable: Vec<PathBuf>,
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

/// A place that a confined program may write to, with everything below it.
#[derive(Debug, Clone)]
pub(super) enum WritablePlace {
    Path(PathBuf),
    #[cfg(unix)]
    Open(Arc<OwnedFd>),
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

    /// Limits writing to the places that are added, and to devices such as `/dev/null` and terminals.
    #[must_use]
    pub fn limit_writes(mut self) -> Confinement {
        self.writable.get_or_insert_default();
        self
    }

    /// Limits writing, and allows it in this file or directory and below. The path must exist when the program starts.
    #[must_use]
    pub fn write_beneath(mut self, path: impl AsRef<Path>) -> Confinement {
        let place = WritablePlace::Path(path.as_ref().to_owned());
        self.writable.get_or_insert_default().push(place);
        self
    }

    /// The same for a directory that is open, whatever has become of its name.
    #[cfg(unix)]
    #[must_use]
    pub fn write_beneath_open(mut self, directory: Arc<OwnedFd>) -> Confinement {
        let place = WritablePlace::Open(directory);
        self.writable.get_or_insert_default().push(place);
        self
    }

    /// Makes the contents of a file or directory unreadable, by allowing everything beside it. The path has no links. It
    /// must not be beneath a place that can be written: use [`cover`](Self::cover) there.
    #[must_use]
    pub fn unreadable(mut self, path: impl AsRef<Path>) -> Confinement {
        self.unreadable.push(path.as_ref().to_owned());
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

    /// Whether it needs Landlock.
    pub(super) fn needs_landlock(&self) -> bool {
        self.writable.is_some() || !self.unreadable.is_empty()
    }
}

/// How far writing can be limited and secrets be made unreadable on this system. Printed, it reads as the end of a
/// sentence about commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// A confined program writes nowhere else, controls no device, and signals nobody outside.
    Full,
    /// It writes nowhere else, but the kernel is too old for all of it.
    Partial {
        /// What a confined program can still do.
        gap: &'static str,
    },
    /// Nothing can be confined, and no confined program starts.
    Missing {
        /// Why not.
        reason: &'static str,
    },
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

/// How far this system can limit what a program writes.
pub fn sandbox_support() -> Support {
    platform::sandbox_support()
}

/// Whether places can be covered for a program. The first call tries it and takes some milliseconds.
///
/// # Errors
///
/// Why not, and what to do about it.
pub fn namespace_support() -> Result<(), Unsupported> {
    platform::namespace_support()
}

impl fmt::Display for Support {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Support::Full => {
                out.write_str("they can write only beneath the directories they are given")
            }
            Support::Partial { gap } => write!(
                out,
                "they can write only beneath the directories they are given, but on this kernel they can still {gap}"
            ),
            Support::Missing { reason } => write!(out, "they cannot be confined: {reason}"),
        }
    }
}
