//! Seccomp filters, as instructions. The filter of watched programs sends native `execve` and `execveat` to the guard,
//! and calls that can change how a process sees the file system. It refuses `execve` of other calling conventions,
//! reports x32 and `clone3` as unknown, and allows everything else. The filter of confined programs refuses mounts,
//! keyrings and the limits of other processes in every convention.

use libc::sock_filter;

/// The calling conventions of one machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abi {
    native: u32,
    notified: [u32; 2],
    /// Native numbers by which another convention's exec can be reached.
    refused: &'static [u32],
    /// Numbers from here on belong to another convention (x32).
    foreign: Option<u32>,
    views: ViewCalls,
    compat: u32,
    compat_refused: [u32; 2],
    compat_views: ViewCalls,
    guarded: GuardedCalls,
    compat_guarded: GuardedCalls,
}

/// Numbers of calls after which a process may see other files under the same paths, in one convention.
#[derive(Debug, Clone, Copy)]
struct ViewCalls {
    /// chroot, pivot_root, setns.
    always: [u32; 3],
    /// clone and unshare, whose first argument says which namespaces are new.
    by_flags: [u32; 2],
}

/// Numbers of calls that a confined program may not make, in one convention.
#[derive(Debug, Clone, Copy)]
struct GuardedCalls {
    /// Mount calls whose numbers differ between machines. [`NEWER_MOUNTS`] lists the others.
    mounts: &'static [u32],
    prlimit: u32,
    /// The first of `add_key`, `request_key` and `keyctl`, which follow each other.
    keys: u32,
    /// Numbers from here on are the machine's own.
    private: Option<u32>,
}

/// The groups of system calls that a confined program may not make.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RefusedCalls {
    /// Mounting, and calls that bypass mounts: a second mount of a file system has no covers.
    pub(super) mounts: bool,
    /// Setting limits of other processes, which can kill them.
    pub(super) limits_of_others: bool,
    /// The keyrings of the user, as if the kernel had none.
    pub(super) keyrings: bool,
}

/// The calling conventions of this machine, or `None` if it is not supported.
pub(super) const fn of_this_machine() -> Option<Abi> {
    if cfg!(target_arch = "x86_64") {
        return Some(X86_64);
    }
    if cfg!(target_arch = "aarch64") {
        return Some(AARCH64);
    }
    None
}

impl Abi {
    /// The filter. It looks at the machine and the number of a call, so that the kernel can cache what passes; of `clone`
    /// and `unshare` also at the flags. `clone3` has its flags in memory, so programs have to do without it, as on older
    /// kernels.
    pub(super) fn filter(self) -> Vec<sock_filter> {
        let mut code = vec![load(ARCH)];
        let native = calls(&self.notified, self.refused, self.foreign, self.views);
        let compat = calls(&[], &self.compat_refused, None, self.compat_views);
        for (arch, block) in [(self.native, native), (self.compat, compat)] {
            code.push(jump(arch, 0, u8::try_from(block.len()).unwrap_or(u8::MAX)));
            code.extend(block);
        }
        code.push(ret(REFUSE));
        code
    }

    /// The filter of a confined program, or `None` if nothing is refused. System calls newer than this list fail as on an
    /// older kernel, because they could mount.
    pub(super) fn refusing(self, refused: RefusedCalls) -> Option<Vec<sock_filter>> {
        if refused == RefusedCalls::default() {
            return None;
        }
        let mut code = vec![load(ARCH)];
        for (arch, calls) in [
            (self.native, self.guarded),
            (self.compat, self.compat_guarded),
        ] {
            let block = calls.block(refused);
            code.push(jump(arch, 0, u8::try_from(block.len()).unwrap_or(u8::MAX)));
            code.extend(block);
        }
        code.push(ret(FORBID));
        Some(code)
    }

    /// Whether a notification is about an exec; otherwise the process is about to change its view of the file system.
    pub(super) fn is_exec(self, arch: u32, number: i32) -> bool {
        let number = u32::try_from(number);
        arch == self.native && number.is_ok_and(|number| self.notified.contains(&number))
    }

    /// Whether an exec with this number is `execveat`; otherwise it is `execve`.
    pub(super) fn is_execveat(self, number: i32) -> bool {
        u32::try_from(number) == Ok(self.notified[1])
    }
}

/// The part of a watched program's filter for one convention.
fn calls(
    notified: &[u32],
    refused: &[u32],
    foreign: Option<u32>,
    views: ViewCalls,
) -> Vec<sock_filter> {
    let mut code = vec![load(NUMBER)];
    if let Some(foreign) = foreign {
        code.extend([jump_from(foreign, 0, 1), ret(UNKNOWN)]);
    }
    let notified = notified.iter().chain(&views.always).map(|it| (*it, NOTIFY));
    let refused = refused.iter().map(|number| (*number, REFUSE));
    for (number, action) in notified.chain(refused).chain([(CLONE3, UNKNOWN)]) {
        code.extend([jump(number, 0, 1), ret(action)]);
    }
    for number in views.by_flags {
        code.extend([
            jump(number, 0, 4),
            load(FIRST_ARGUMENT),
            jump_any(NEW_VIEW, 0, 1),
            ret(NOTIFY),
            ret(ALLOW),
        ]);
    }
    code.push(ret(ALLOW));
    code
}

impl GuardedCalls {
    fn block(self, refused: RefusedCalls) -> Vec<sock_filter> {
        let mut code = vec![load(NUMBER)];
        if let Some(private) = self.private {
            code.extend([jump_from(private, 0, 1), ret(ALLOW)]);
        }
        code.extend([jump_from(UNKNOWN_FROM, 0, 1), ret(UNKNOWN)]);
        if refused.mounts {
            for number in self.mounts.iter().chain(&NEWER_MOUNTS) {
                code.extend([jump(*number, 0, 1), ret(FORBID)]);
            }
        }
        if refused.keyrings {
            for number in self.keys..self.keys + 3 {
                code.extend([jump(number, 0, 1), ret(UNKNOWN)]);
            }
        }
        if refused.limits_of_others {
            code.extend([
                jump(self.prlimit, 0, 7),
                load(FIRST_ARGUMENT),
                jump(0, 5, 0),
                // A pointer to the new limit, or none.
                load(THIRD_ARGUMENT),
                jump(0, 0, 2),
                load(THIRD_ARGUMENT + 4),
                jump(0, 1, 0),
                ret(FORBID),
            ]);
        }
        code.push(ret(ALLOW));
        code
    }
}

const fn load(offset: u32) -> sock_filter {
    sock_filter {
        code: LOAD_WORD,
        jt: 0,
        jf: 0,
        k: offset,
    }
}

const fn jump(value: u32, equal: u8, other: u8) -> sock_filter {
    sock_filter {
        code: JUMP_EQUAL,
        jt: equal,
        jf: other,
        k: value,
    }
}

const fn jump_from(value: u32, reached: u8, below: u8) -> sock_filter {
    sock_filter {
        code: JUMP_REACHED,
        jt: reached,
        jf: below,
        k: value,
    }
}

const fn jump_any(bits: u32, some: u8, none: u8) -> sock_filter {
    sock_filter {
        code: JUMP_ANY,
        jt: some,
        jf: none,
        k: bits,
    }
}

const fn ret(action: u32) -> sock_filter {
    sock_filter {
        code: RETURN,
        jt: 0,
        jf: 0,
        k: action,
    }
}

const X32: u32 = 0x4000_0000;
const X86_64: Abi = Abi {
    native: 0xc000_003e,
    notified: [59, 322],
    // Older kernels take the numbers of x32 without its mark.
    refused: &[520, 545],
    foreign: Some(X32),
    views: ViewCalls {
        always: [161, 155, 308],
        by_flags: [56, 272],
    },
    compat: 0x4000_0003,
    compat_refused: [11, 358],
    compat_views: ViewCalls {
        always: [61, 217, 346],
        by_flags: [120, 310],
    },
    // mount, umount2, pivot_root, open_by_handle_at; x32 numbers are all unknown.
    guarded: GuardedCalls {
        mounts: &[165, 166, 155, 304],
        prlimit: 302,
        keys: 248,
        private: None,
    },
    // The second is umount.
    compat_guarded: GuardedCalls {
        mounts: &[21, 22, 52, 217, 342],
        prlimit: 340,
        keys: 286,
        private: None,
    },
};
const AARCH64: Abi = Abi {
    native: 0xc000_00b7,
    notified: [221, 281],
    refused: &[],
    foreign: None,
    views: ViewCalls {
        always: [51, 41, 268],
        by_flags: [220, 97],
    },
    compat: 0x4000_0028,
    compat_refused: [11, 387],
    compat_views: ViewCalls {
        always: [61, 218, 375],
        by_flags: [120, 337],
    },
    guarded: GuardedCalls {
        mounts: &[40, 39, 41, 265],
        prlimit: 261,
        keys: 217,
        private: None,
    },
    compat_guarded: GuardedCalls {
        mounts: &[21, 22, 52, 218, 371],
        prlimit: 369,
        keys: 309,
        private: Some(0x000f_0000),
    },
};

/// open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr, open_tree_attr: the same numbers everywhere.
const NEWER_MOUNTS: [u32; 8] = [428, 429, 430, 431, 432, 433, 442, 467];
const CLONE3: u32 = 435;
/// `CLONE_NEWNS` and `CLONE_NEWUSER`
const NEW_VIEW: u32 = 0x0002_0000 | 0x1000_0000;
/// The first number that Linux 6.19 does not have.
const UNKNOWN_FROM: u32 = 471;

const NUMBER: u32 = 0;
const ARCH: u32 = 4;
/// The lower half comes first on both machines.
const FIRST_ARGUMENT: u32 = 16;
const THIRD_ARGUMENT: u32 = 32;
const LOAD_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_REACHED: u16 = 0x35;
const JUMP_ANY: u16 = 0x45;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const NOTIFY: u32 = 0x7fc0_0000;
/// `EACCES`
const REFUSE: u32 = 0x0005_0000 | 13;
/// `EPERM`
const FORBID: u32 = 0x0005_0000 | 1;
/// `ENOSYS`
const UNKNOWN: u32 = 0x0005_0000 | 38;

#[cfg(test)]
mod tests {
    use super::*;

    fn run(abi: Abi, arch: u32, number: u32) -> u32 {
        run_with(&abi.filter(), arch, number, [0; 6])
    }

    /// Runs a filter as the kernel does.
    fn run_with(code: &[sock_filter], arch: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let step = code[at];
            at += 1;
            match step.code {
                LOAD_WORD if step.k == ARCH => value = arch,
                LOAD_WORD if step.k == NUMBER => value = number,
                LOAD_WORD => {
                    let offset = step.k - FIRST_ARGUMENT;
                    let argument = arguments[(offset / 8) as usize];
                    let half = argument >> (offset % 8 * 8) & 0xffff_ffff;
                    value = u32::try_from(half).unwrap();
                }
                JUMP_REACHED if value >= step.k => at += usize::from(step.jt),
                JUMP_REACHED => at += usize::from(step.jf),
                JUMP_EQUAL if value == step.k => at += usize::from(step.jt),
                JUMP_EQUAL => at += usize::from(step.jf),
                JUMP_ANY if value & step.k != 0 => at += usize::from(step.jt),
                JUMP_ANY => at += usize::from(step.jf),
                RETURN => return step.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn attack_other_calling_conventions_reach_no_exec() {
        for number in (0..1024).filter(|number| *number != CLONE3) {
            let notified = |numbers: &[u32]| match numbers.contains(&number) {
                true => NOTIFY,
                false => ALLOW,
            };
            let expected = match number {
                520 | 545 => REFUSE,
                _ => notified(&[59, 322, 155, 161, 308]),
            };
            assert_eq!(run(X86_64, X86_64.native, number), expected, "{number}");
            let x32 = run(X86_64, X86_64.native, X32 | number);
            assert_eq!(x32, UNKNOWN, "x32 {number}");
            let expected = match number {
                11 | 358 => REFUSE,
                _ => notified(&[61, 217, 346]),
            };
            let i386 = run(X86_64, X86_64.compat, number);
            assert_eq!(i386, expected, "i386 {number}");
            let expected = notified(&[221, 281, 41, 51, 268]);
            let arm64 = run(AARCH64, AARCH64.native, number);
            assert_eq!(arm64, expected, "arm64 {number}");
            let expected = match number {
                11 | 387 => REFUSE,
                _ => notified(&[61, 218, 375]),
            };
            let arm = run(AARCH64, AARCH64.compat, number);
            assert_eq!(arm, expected, "arm {number}");
            // On an unknown machine, every call is refused.
            assert_eq!(run(X86_64, 0x1234, number), REFUSE);
            assert_eq!(run(AARCH64, 0x1234, number), REFUSE);
        }
    }

    #[test]
    fn attack_new_namespaces_are_reported() {
        for (abi, arch, [clone, unshare]) in [
            (X86_64, X86_64.native, [56, 272]),
            (X86_64, X86_64.compat, [120, 310]),
            (AARCH64, AARCH64.native, [220, 97]),
            (AARCH64, AARCH64.compat, [120, 337]),
        ] {
            let code = abi.filter();
            for bit in 0..64 {
                let flags = (1 << bit) | 17;
                let expected = match 1_u64 << bit {
                    0x0002_0000 | 0x1000_0000 => NOTIFY,
                    _ => ALLOW,
                };
                for number in [clone, unshare] {
                    let found = run_with(&code, arch, number, [flags, 0, 0, 0, 0, 0]);
                    assert_eq!(found, expected, "{arch:#x} {number} {flags:#x}");
                }
            }
            let clone3 = run_with(&code, arch, 435, [0x1000, 88, 0, 0, 0, 0]);
            assert_eq!(clone3, UNKNOWN);
            for number in 0..1024 {
                let is_exec = arch == abi.native && abi.notified.contains(&number);
                assert_eq!(abi.is_exec(arch, i32::try_from(number).unwrap()), is_exec);
            }
        }
    }

    #[test]
    fn attack_no_calling_convention_mounts() {
        let all = RefusedCalls {
            mounts: true,
            ..RefusedCalls::default()
        };
        let new = [428, 429, 430, 431, 432, 433, 442, 467];
        for (abi, arch, old) in [
            (X86_64, X86_64.native, &[155, 165, 166, 304][..]),
            (X86_64, X86_64.compat, &[21, 22, 52, 217, 342]),
            (AARCH64, AARCH64.native, &[39, 40, 41, 265]),
            (AARCH64, AARCH64.compat, &[21, 22, 52, 218, 371]),
        ] {
            let code = abi.refusing(all).unwrap();
            for number in 0..1024 {
                let expected = match number {
                    471.. => UNKNOWN,
                    _ if old.contains(&number) || new.contains(&number) => FORBID,
                    _ => ALLOW,
                };
                let found = run_with(&code, arch, number, [1; 6]);
                assert_eq!(found, expected, "{arch:#x} {number}");
                let x32 = run_with(&code, X86_64.native, X32 | number, [0; 6]);
                assert_ne!(x32, ALLOW);
                assert_eq!(run_with(&code, 0x1234, number, [0; 6]), FORBID);
            }
        }
        let code = AARCH64.refusing(all).unwrap();
        // Flushing the cache, which only 32-bit programs call.
        assert_eq!(run_with(&code, AARCH64.compat, 0xf_0002, [0; 6]), ALLOW);
        assert_eq!(run_with(&code, AARCH64.native, 0xf_0002, [0; 6]), UNKNOWN);
        assert!(X86_64.refusing(RefusedCalls::default()).is_none());
    }

    #[test]
    fn attack_limits_of_other_processes_are_only_read() {
        let limits = RefusedCalls {
            limits_of_others: true,
            ..RefusedCalls::default()
        };
        for (abi, arch, number) in [
            (X86_64, X86_64.native, 302),
            (X86_64, X86_64.compat, 340),
            (AARCH64, AARCH64.native, 261),
            (AARCH64, AARCH64.compat, 369),
        ] {
            let code = abi.refusing(limits).unwrap();
            let call = |pid: u64, new: u64| run_with(&code, arch, number, [pid, 0, new, 0, 0, 0]);
            assert_eq!(call(0, 0x7fff_0000_1000), ALLOW);
            // The kernel reads the process id from the lower half only.
            assert_eq!(call(1 << 32, 0x1000), ALLOW);
            assert_eq!(call(77, 0), ALLOW);
            for new in [0x1000, 0x7fff_0000_0000, 0x7fff_0000_1000] {
                assert_eq!(call(77, new), FORBID, "{new:#x}");
                assert_eq!(call(u64::MAX, new), FORBID, "{new:#x}");
            }
            assert_eq!(run_with(&code, arch, 39, [77, 0, 1, 0, 0, 0]), ALLOW);
        }
    }

    #[test]
    fn attack_no_calling_convention_reaches_keyrings() {
        let keyrings = RefusedCalls {
            keyrings: true,
            ..RefusedCalls::default()
        };
        for (abi, arch, keys) in [
            (X86_64, X86_64.native, [248, 249, 250]),
            (X86_64, X86_64.compat, [286, 287, 288]),
            (AARCH64, AARCH64.native, [217, 218, 219]),
            (AARCH64, AARCH64.compat, [309, 310, 311]),
        ] {
            let code = abi.refusing(keyrings).unwrap();
            for number in 0..UNKNOWN_FROM {
                let expected = match keys.contains(&number) {
                    true => UNKNOWN,
                    false => ALLOW,
                };
                let found = run_with(&code, arch, number, [0; 6]);
                assert_eq!(found, expected, "{arch:#x} {number}");
            }
        }
    }
}
