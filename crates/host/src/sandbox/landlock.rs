//! Landlock rules: writing only beneath some paths, and reading all but some.

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

/// File rules that Landlock enforces on a program and everything it starts. Without rules, the program may do whatever
/// the user may.
#[derive(Debug, Clone, Default)]
pub struct LandlockRules {
    /// The only writable paths, if writing is limited.
    writable: Option<Vec<WritablePlace>>,
    /// Paths whose files cannot be read.
    unreadable: Vec<PathBuf>,
}

/// A path that a confined program may write, with everything below it.
#[derive(Debug, Clone)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
enum WritablePlace {
    Path(PathBuf),
    #[cfg(unix)]
    Open(Arc<OwnedFd>),
}

impl LandlockRules {
    /// No rules.
    pub fn new() -> LandlockRules {
        LandlockRules::default()
    }

    /// Limits writing to the paths that are added, and to devices such as `/dev/null` and terminals.
    #[must_use]
    pub fn limit_writes(mut self) -> LandlockRules {
        self.writable.get_or_insert_default();
        self
    }

    /// Limits writing, and allows it for this file or directory and everything below. The path must exist when the
    /// rules are applied.
    #[must_use]
    pub fn write_beneath(mut self, path: impl AsRef<Path>) -> LandlockRules {
        let place = WritablePlace::Path(path.as_ref().to_owned());
        self.writable.get_or_insert_default().push(place);
        self
    }

    /// Like [`write_beneath`](Self::write_beneath), for an open directory, whatever its name is now.
    #[cfg(unix)]
    #[must_use]
    pub fn write_beneath_open(mut self, directory: Arc<OwnedFd>) -> LandlockRules {
        let place = WritablePlace::Open(directory);
        self.writable.get_or_insert_default().push(place);
        self
    }

    /// Makes the content of a file or directory unreadable, by allowing everything else. The path must not contain
    /// links, and must not be beneath a writable path: use [`Confinement::cover`] there.
    #[must_use]
    pub fn unreadable(mut self, path: impl AsRef<Path>) -> LandlockRules {
        self.unreadable.push(path.as_ref().to_owned());
        self
    }

    /// Creates a ruleset from the current content of the disk and adds it to a confinement. Adds nothing if there are
    /// no rules.
    ///
    /// # Errors
    ///
    /// Why this system cannot enforce the rules, as a text.
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

/// Keeps signals inside: a confined program can't stop, continue or kill processes that it didn't start. Adds nothing
/// where the kernel can't do that (Linux before 6.12).
#[cfg(target_os = "linux")]
pub(crate) fn keep_signals_inside(confinement: Confinement) -> Confinement {
    match ruleset::signal_scope() {
        Some(ruleset) => confinement.signal_scope(Arc::new(ruleset)),
        None => confinement,
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_signals_inside(confinement: Confinement) -> Confinement {
    confinement
}

/// How well this system can limit writing and hide secrets. Its `Display` is the end of a sentence about commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SandboxSupport {
    /// A confined program can write nowhere else, control no device, and signal no program outside.
    Full,
    /// A confined program can write nowhere else, but the kernel is too old for the rest.
    Partial {
        /// What a confined program can still do.
        gap: &'static str,
    },
    /// Programs cannot be confined, so confined programs do not start.
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

/// How well this system can confine programs.
#[cfg(target_os = "linux")]
pub fn support() -> SandboxSupport {
    ruleset::support()
}

/// How well this system can confine programs.
#[cfg(not(target_os = "linux"))]
pub fn support() -> SandboxSupport {
    SandboxSupport::Missing { reason: MISSING }
}

#[cfg(not(target_os = "linux"))]
const MISSING: &str = "only Linux can do that";
