//! What Landlock keeps a program from: writing outside some places, and reading others.

#[cfg(target_os = "linux")]
mod closed_places;
#[cfg(target_os = "linux")]
mod ruleset;

use std::fmt;
#[cfg(unix)]
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::sync::Arc;

use attache_process::Confinement;

/// Rules for files that Landlock enforces on a program and everything it starts. Without any, the program may do whatever
/// the user may.
#[derive(Debug, Clone, Default)]
pub struct LandlockRules {
    /// The only places to write, if writing is limited.
    writable: Option<Vec<WritablePlace>>,
    /// Places whose files cannot be read.
    unreadable: Vec<PathBuf>,
}

/// A place that a confined program may write to, with everything below it.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
enum WritablePlace {
    Path(PathBuf),
    #[cfg(unix)]
    Open(Arc<OwnedFd>),
}

impl LandlockRules {
    /// Nothing is limited yet.
    pub fn new() -> LandlockRules {
        LandlockRules::default()
    }

    /// Limits writing to the places that are added, and to devices such as `/dev/null` and terminals.
    #[must_use]
    pub fn limit_writes(mut self) -> LandlockRules {
        self.writable.get_or_insert_default();
        self
    }

    /// Limits writing, and allows it in this file or directory and below. The path must exist when the rules are applied.
    #[must_use]
    pub fn write_beneath(mut self, path: impl AsRef<Path>) -> LandlockRules {
        let place = WritablePlace::Path(path.as_ref().to_owned());
        self.writable.get_or_insert_default().push(place);
        self
    }

    /// The same for a directory that is open, whatever has become of its name.
    #[cfg(unix)]
    #[must_use]
    pub fn write_beneath_open(mut self, directory: Arc<OwnedFd>) -> LandlockRules {
        let place = WritablePlace::Open(directory);
        self.writable.get_or_insert_default().push(place);
        self
    }

    /// Makes the contents of a file or directory unreadable, by allowing everything beside it. The path has no links. It
    /// must not be beneath a place that can be written: use [`Confinement::cover`] there.
    #[must_use]
    pub fn unreadable(mut self, path: impl AsRef<Path>) -> LandlockRules {
        self.unreadable.push(path.as_ref().to_owned());
        self
    }

    /// Adds the rules to a confinement, as a ruleset made from what is on the disk now. Without rules, nothing is added.
    ///
    /// # Errors
    ///
    /// Why this system cannot enforce the rules, in words.
    pub fn apply(&self, confinement: Confinement) -> Result<Confinement, String> {
        match self.writable.is_none() && self.unreadable.is_empty() {
            true => Ok(confinement),
            false => self.enforce(confinement),
        }
    }

    #[cfg(target_os = "linux")]
    fn enforce(&self, confinement: Confinement) -> Result<Confinement, String> {
        let ruleset = ruleset::create(self)?;
        Ok(confinement.landlock_ruleset(Arc::new(ruleset)))
    }

    #[cfg(not(target_os = "linux"))]
    fn enforce(&self, _: Confinement) -> Result<Confinement, String> {
        Err(MISSING.to_owned())
    }
}

/// How far writing can be limited and secrets be made unreadable on this system. Printed, it reads as the end of a
/// sentence about commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxSupport {
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

impl fmt::Display for SandboxSupport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SandboxSupport::Full => {
                out.write_str("they can write only beneath the directories they are given")
            }
            SandboxSupport::Partial { gap } => write!(
                out,
                "they can write only beneath the directories they are given, but on this kernel they can still {gap}"
            ),
            SandboxSupport::Missing { reason } => write!(out, "they cannot be confined: {reason}"),
        }
    }
}

/// How far this system can limit what a program writes.
#[cfg(target_os = "linux")]
pub fn support() -> SandboxSupport {
    ruleset::support()
}

/// How far this system can limit what a program writes.
#[cfg(not(target_os = "linux"))]
pub fn support() -> SandboxSupport {
    SandboxSupport::Missing { reason: MISSING }
}

#[cfg(not(target_os = "linux"))]
const MISSING: &str = "only Linux can do that";
