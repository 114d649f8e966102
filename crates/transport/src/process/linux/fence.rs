//! The fence around a confined program, made with Landlock: it reads and executes everything, and writes only beneath
//! some directories. It is made by the owner, where it can fail with words, and raised in the child before exec.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use landlock::{
    ABI, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, make_bitflags,
};

use crate::process::Support;

/// A fence that leaves these directories open to writing; an error in words if there can be none.
pub(super) fn around(open: &[PathBuf]) -> Result<OwnedFd, String> {
    let mut places = Vec::new();
    for path in open {
        let place = PathFd::new(path).map_err(|error| error.to_string())?;
        places.push(PathBeneath::new(place, writes()));
    }
    let devices = DEVICES.iter().filter_map(|path| PathFd::new(path).ok());
    places.extend(devices.map(|device| PathBeneath::new(device, DEVICE)));
    let fence = made(places).map_err(|error| error.to_string())?;
    fence.ok_or_else(|| match support() {
        Support::Missing { reason } => reason.to_owned(),
        Support::Full | Support::Partial { .. } => MISSING.to_owned(),
    })
}

pub(super) fn support() -> Support {
    let can = |rights: BitFlags<AccessFs>| strict().handle_access(rights).is_ok();
    if !can(AccessFs::from_write(ABI::V1)) {
        return Support::Missing { reason: MISSING };
    }
    if !can(AccessFs::from_write(ABI::V3)) {
        let gap = "empty files elsewhere, control devices and signal other programs";
        return Support::Partial { gap };
    }
    if !can(AccessFs::from_write(ABI::V5)) {
        let gap = "control devices and signal other programs";
        return Support::Partial { gap };
    }
    match strict().scope(Scope::Signal) {
        Ok(_) => Support::Full,
        Err(_) => Support::Partial {
            gap: "signal other programs",
        },
    }
}

fn made(places: Vec<PathBeneath<PathFd>>) -> Result<Option<OwnedFd>, RulesetError> {
    let fence = Ruleset::default()
        .handle_access(writes())?
        .scope(Scope::Signal)?
        .scope(Scope::AbstractUnixSocket)?
        .create()?
        .add_rules(places.into_iter().map(Ok::<_, RulesetError>))?;
    Ok(fence.into())
}

fn strict() -> Ruleset {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement)
}

fn writes() -> BitFlags<AccessFs> {
    AccessFs::from_write(ABI::V6)
}

const DEVICE: BitFlags<AccessFs> = make_bitflags!(AccessFs::{WriteFile | Truncate});
const DEVICES: [&str; 4] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];
const MISSING: &str = "this kernel has no Landlock, or it is switched off; it needs Linux 5.13 or later with `landlock` among its security modules";
