//! Creates the Landlock ruleset of a confined program. The crate `process` enforces it in the child before exec.

use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};
use rustix::fs::{Dir, FileType, Mode, OFlags, openat};

use super::closed_places::{ClosedPlaces, EntryStatus, Relation};
use super::{LandlockRules, SandboxSupport, WritablePlace};

/// Creates the ruleset, or returns the reason why not as a text.
pub(super) fn create(wanted: &LandlockRules) -> Result<OwnedFd, String> {
    let rules = create_rules(wanted).map_err(|error| match error {
        RulesetFailure::Message(words) => words,
        RulesetFailure::Landlock(error) => error.to_string(),
    })?;
    let rules: Option<OwnedFd> = rules.into();
    match (rules, support()) {
        (Some(rules), _) => Ok(rules),
        (None, SandboxSupport::Missing { reason }) => Err(reason.to_owned()),
        (None, SandboxSupport::Full | SandboxSupport::Partial { .. }) => Err(MISSING.to_owned()),
    }
}

/// A ruleset without file rules, which would refuse mounts.
pub(super) fn signal_scope() -> Option<OwnedFd> {
    let scope = strict_ruleset().scope(Scope::Signal).ok()?;
    scope.create().ok()?.into()
}

pub(super) fn support() -> SandboxSupport {
    let can = |rights: BitFlags<AccessFs>| strict_ruleset().handle_access(rights).is_ok();
    if !can(AccessFs::from_write(ABI::V1)) {
        return SandboxSupport::Missing { reason: MISSING };
    }
    if !can(AccessFs::from_write(ABI::V3)) {
        let gap = "empty files elsewhere, control devices and signal other programs";
        return SandboxSupport::Partial { gap };
    }
    if !can(AccessFs::from_write(ABI::V5)) {
        let gap = "control devices and signal other programs";
        return SandboxSupport::Partial { gap };
    }
    match strict_ruleset().scope(Scope::Signal) {
        Ok(_) => SandboxSupport::Full,
        Err(_) => SandboxSupport::Partial {
            gap: "signal other programs",
        },
    }
}

enum RulesetFailure {
    Message(String),
    Landlock(RulesetError),
}

impl From<RulesetError> for RulesetFailure {
    fn from(error: RulesetError) -> RulesetFailure {
        RulesetFailure::Landlock(error)
    }
}

fn create_rules(wanted: &LandlockRules) -> Result<RulesetCreated, RulesetFailure> {
    let mut handled = BitFlags::empty();
    if wanted.writable.is_some() {
        handled |= write_rights();
    }
    if !wanted.unreadable.is_empty() {
        handled |= AccessFs::ReadFile;
    }
    let mut rules = Ruleset::default()
        .handle_access(handled)?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?
        .create()?;
    for place in wanted.writable.iter().flatten() {
        rules = match place {
            WritablePlace::Path(path) => {
                let open = PathFd::new(path)
                    .map_err(|error| RulesetFailure::Message(error.to_string()))?;
                rules.add_rule(PathBeneath::new(open, write_rights() & !NODES))?
            }
            WritablePlace::Open(open) => {
                rules.add_rule(PathBeneath::new(open.as_fd(), write_rights() & !NODES))?
            }
        };
    }
    if wanted.writable.is_some() {
        for device in DEVICES {
            if let Ok(device) = PathFd::new(device) {
                rules = rules.add_rule(PathBeneath::new(device, DEVICE))?;
            }
        }
    }
    if wanted.unreadable.is_empty() {
        return Ok(rules);
    }
    let closed = ClosedPlaces::of(&wanted.unreadable).map_err(RulesetFailure::Message)?;
    let mut reads = ReadRules {
        rules: Some(rules),
        closed,
        room: MOST_RULES,
    };
    let top = PathFd::new("/").map_err(|error| RulesetFailure::Message(error.to_string()))?;
    reads.allow_entries(top.as_fd().try_clone_to_owned(), Path::new("/"))?;
    reads
        .rules
        .ok_or_else(|| RulesetFailure::Message(MISSING.to_owned()))
}

/// Read rules. Landlock can only allow, so to keep some paths closed, everything beside them is allowed, entry by
/// entry.
struct ReadRules {
    rules: Option<RulesetCreated>,
    closed: ClosedPlaces,
    room: usize,
}

impl ReadRules {
    /// Allows the entries of a directory, except for closed ones and those above closed ones. Links are skipped: their
    /// targets count.
    fn allow_entries(
        &mut self,
        directory: std::io::Result<OwnedFd>,
        path: &Path,
    ) -> Result<(), RulesetFailure> {
        let failed = |error: std::io::Error| {
            let path = path.display();
            RulesetFailure::Message(format!("`{path}` cannot be inspected: {error}"))
        };
        let directory = directory.map_err(failed)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(listed) = openat(&directory, c".", flags, Mode::empty()) else {
            // An unlistable directory stays closed, except for the way through to closed paths.
            let ways: Vec<PathBuf> = self.closed.paths_toward_closed(path).collect();
            return ways
                .iter()
                .try_for_each(|way| self.allow_entry(&directory, way));
        };
        let listed = Dir::new(listed).map_err(|error| failed(error.into()))?;
        for entry in listed {
            let entry = entry.map_err(|error| failed(error.into()))?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let name = std::ffi::OsStr::from_bytes(name.to_bytes());
            self.allow_entry(&directory, &path.join(name))?;
        }
        Ok(())
    }

    fn allow_entry(&mut self, directory: &OwnedFd, path: &Path) -> Result<(), RulesetFailure> {
        let Some(name) = path.file_name() else {
            return Ok(());
        };
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Entries that have disappeared or may not be inspected need no rule.
        let Ok(entry) = openat(directory, name, flags, Mode::empty()) else {
            return Ok(());
        };
        let Ok(found) = rustix::fs::fstat(&entry) else {
            return Ok(());
        };
        let kind = FileType::from_raw_mode(found.st_mode);
        if kind == FileType::Symlink {
            return Ok(());
        }
        self.room = self.room.checked_sub(1).ok_or_else(|| {
            RulesetFailure::Message(format!(
                "there are more than {MOST_RULES} files beside places that must stay unreadable, such as `{}`",
                path.display()
            ))
        })?;
        let found = EntryStatus {
            identity: (found.st_dev, found.st_ino),
            is_directory: kind == FileType::Directory,
            has_other_names: found.st_nlink > 1,
        };
        match self.closed.relation(path, &found) {
            Relation::Closed => return Ok(()),
            Relation::Above(path) => return self.allow_entries(Ok(entry), &path),
            Relation::Beside => {}
        }
        if let Some(rules) = self.rules.take() {
            let rule = PathBeneath::new(entry.as_fd(), AccessFs::ReadFile);
            self.rules = Some(rules.add_rule(rule)?);
        }
        Ok(())
    }
}

fn strict_ruleset() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

fn write_rights() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V6)
}

/// Node types with which root could read a disk that is closed in `/dev`.
const NODES: BitFlags<AccessFs> = make_bitflags!(AccessFs::{MakeChar | MakeBlock});
const DEVICE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{WriteFile | Truncate | IoctlDev});
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];
/// Each rule takes some microseconds at every start.
const MOST_RULES: usize = 64 * 1024;
const MISSING: &str = "this kernel has no Landlock, or it is switched off; it needs Linux 5.13 or later with `landlock` among its security modules";
