//! Checks whether this system allows the namespace of a confinement, and suggests a fix if not.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rustix::io::Errno;

use super::super::{GUARD, PROBE_ARGUMENT, child_setup, seccomp_filter};
use super::{CoverPlan, Namespace};
use crate::{Confinement, Network, Unsupported, guard};

/// Whether this system allows the namespace. Tried once, in a separate process.
pub(in super::super) fn support() -> Result<(), Unsupported> {
    static SUPPORT: OnceLock<Result<(), Unsupported>> = OnceLock::new();
    *SUPPORT.get_or_init(|| {
        if seccomp_filter::of_this_machine().is_none() {
            return Err(MACHINE);
        }
        match try_namespace() {
            0 => Ok(()),
            code => Err(explain(code, setting, is_container())),
        }
    })
}

/// Enters a namespace in this process permanently. Returns 0 or an error number, which has the bit [`MADE`] set if the error
/// occurred inside the new namespace.
pub(in super::super) fn run_probe() -> i32 {
    probe_namespace().map_or_else(|error| number(&error), |namespace| enter(&namespace))
}

fn probe_namespace() -> io::Result<Namespace> {
    let confinement = Confinement::new().network(Network::Loopback);
    let namespace = Namespace::of(&confinement)?.ok_or(Errno::INVAL)?;
    // Makes the empty mounts although there is nothing to cover.
    Ok(Namespace {
        plan: Some(CoverPlan {
            covers: Vec::new(),
            pins: Vec::new(),
        }),
        ..namespace
    })
}

fn enter(namespace: &Namespace) -> i32 {
    match namespace.unshare() {
        Err(error) => number(&error),
        Ok(()) => match namespace.set_up() {
            Err(error) => number(&error) | MADE,
            Ok(()) => 0,
        },
    }
}

fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}

/// Tries the namespace in a new process of this executable if possible, otherwise in a copy of this process. The copy must
/// allow inspection before it can write its own files in `/proc`.
fn try_namespace() -> i32 {
    let mut command = Command::new("/proc/self/exe");
    command.stdin(Stdio::null()).stdout(Stdio::null());
    if guard::is_ready() {
        command.arg0(GUARD).arg(PROBE_ARGUMENT).env_clear();
        let status = command.stderr(Stdio::null()).status();
        return status.ok().and_then(|it| it.code()).unwrap_or(libc::EIO);
    }
    let namespace = match probe_namespace() {
        Ok(namespace) => namespace,
        Err(error) => return number(&error),
    };
    let hook = move || {
        child_setup::allow_inspection();
        // Never 0, because then the child would go on to execute the program.
        Err(io::Error::from_raw_os_error(match enter(&namespace) {
            0 => ENTERED,
            code => code,
        }))
    };
    // SAFETY: the hook makes system calls and nothing else.
    unsafe { command.pre_exec(hook) };
    match command.spawn() {
        Err(error) if error.raw_os_error() == Some(ENTERED) => 0,
        Err(error) => number(&error),
        // Unreachable: the hook never succeeds.
        Ok(mut child) => {
            child.kill().and_then(|()| child.wait()).ok();
            libc::EIO
        }
    }
}

/// Reads a kernel setting.
fn setting(name: &str) -> Option<String> {
    let text = std::fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
    Some(text.trim().to_owned())
}

fn is_container() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some();
    ["/.dockerenv", "/run/.containerenv"]
        .iter()
        .any(|mark| Path::new(mark).exists())
        || ["KUBERNETES_SERVICE_HOST", "container"].iter().any(is_set)
}

fn explain(code: i32, setting: impl Fn(&str) -> Option<String>, is_container: bool) -> Unsupported {
    let error = Errno::from_raw_os_error(code & !MADE);
    if error == Errno::NOSYS {
        return OLD;
    }
    for (name, value, unsupported) in SETTINGS {
        if setting(name).is_some_and(|found| found == value) {
            return unsupported;
        }
    }
    match error {
        Errno::NOSPC | Errno::USERS => EXHAUSTED,
        Errno::PERM | Errno::ACCESS if is_container => CONTAINER,
        Errno::PERM | Errno::ACCESS if code & MADE != 0 => NO_MOUNTS,
        Errno::PERM | Errno::ACCESS => FORBIDDEN,
        _ => UNKNOWN,
    }
}

/// Kernel settings, with the value that forbids namespaces.
const SETTINGS: [(&str, &str, Unsupported); 5] = [
    (
        "kernel/apparmor_restrict_unprivileged_userns",
        "1",
        Unsupported {
            reason: "AppArmor does not let programs use user namespaces here",
            fix: "run `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`, or give `attache` an AppArmor profile with the rule `userns,`",
        },
    ),
    (
        "kernel/unprivileged_userns_clone",
        "0",
        Unsupported {
            reason: "user namespaces are switched off for ordinary users",
            fix: "run `sudo sysctl -w kernel.unprivileged_userns_clone=1`",
        },
    ),
    (
        "user/max_user_namespaces",
        "0",
        Unsupported {
            reason: "the system allows no user namespaces",
            fix: "run `sudo sysctl -w user.max_user_namespaces=15000`",
        },
    ),
    (
        "user/max_mnt_namespaces",
        "0",
        Unsupported {
            reason: "the system allows no mount namespaces",
            fix: "run `sudo sysctl -w user.max_mnt_namespaces=15000`",
        },
    ),
    (
        "user/max_net_namespaces",
        "0",
        Unsupported {
            reason: "the system allows no network namespaces",
            fix: "run `sudo sysctl -w user.max_net_namespaces=15000`",
        },
    ),
];
const MACHINE: Unsupported = Unsupported {
    reason: "mounts can be refused only on x86-64 and AArch64",
    fix: "run `attache` on such a machine",
};
const OLD: Unsupported = Unsupported {
    reason: "the kernel was built without user namespaces, or is older than Linux 5.2",
    fix: "use Linux 5.12 or later with `CONFIG_USER_NS=y`",
};
const EXHAUSTED: Unsupported = Unsupported {
    reason: "all namespaces that the system allows are in use",
    fix: "end programs that use some, or raise `user.max_user_namespaces`, `user.max_mnt_namespaces` and `user.max_net_namespaces` with `sudo sysctl -w`",
};
const CONTAINER: Unsupported = Unsupported {
    reason: "this container does not allow user namespaces with mounts",
    fix: "start it with `--security-opt seccomp=unconfined --security-opt apparmor=unconfined` (Docker, Podman), in Kubernetes with the seccomp and AppArmor profiles `Unconfined`",
};
const NO_MOUNTS: Unsupported = Unsupported {
    reason: "a sandbox or security module around `attache` refuses mounts",
    fix: "start `attache` outside that sandbox, or allow mounts in user namespaces there; `sudo journalctl -k -g denied` shows what a security module refused",
};
const FORBIDDEN: Unsupported = Unsupported {
    reason: "a sandbox, a chroot or a security module around `attache` refuses user namespaces",
    fix: "start `attache` outside it, or allow user namespaces there; `sudo journalctl -k -g denied` shows what a security module refused",
};
const UNKNOWN: Unsupported = Unsupported {
    reason: "a user namespace could not be made",
    fix: "try `unshare -Urm true`, which says why",
};
/// Marks the number of an error that occurred inside the new namespace. Fits an exit code together with the possible errors.
const MADE: i32 = 0x80;
/// The error with which a child reports success.
const ENTERED: i32 = libc::ECANCELED;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_has_a_fix_of_its_own() {
        let fix = |code, settings: &[(&str, &str)], is_container| {
            let setting = |name: &str| {
                let mut settings = settings.iter();
                let found = settings.find(|(other, _)| *other == name)?;
                Some(found.1.to_owned())
            };
            explain(code, setting, is_container).fix
        };
        let mut seen = Vec::new();
        for (name, value, _) in SETTINGS {
            let found = fix(libc::EPERM, &[(name, value)], true);
            let sysctl = name.replace('/', ".");
            assert!(found.contains(&format!("sysctl -w {sysctl}=")), "{found}");
            seen.push(found);
        }
        seen.extend([
            fix(libc::EPERM, &[], true),
            fix(libc::EPERM, &[], false),
            fix(libc::EPERM | MADE, &[], false),
            fix(libc::ENOSPC, &[], false),
            fix(libc::ENOSYS | MADE, &[], false),
            fix(libc::EIO, &[], false),
        ]);
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
