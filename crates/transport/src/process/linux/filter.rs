//! The seccomp filter of watched programs, as instructions: native `execve` and `execveat` go to the guard, those of
//! other calling conventions (32-bit, x32) are refused, everything else passes.

use libc::sock_filter;

/// The calling conventions of one machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Abi {
    native: u32,
    notified: [u32; 2],
    /// Native numbers by which another convention's exec can be reached.
    refused: &'static [u32],
    compat: u32,
    compat_refused: [u32; 2],
}

/// The calling conventions of this machine; none if we do not know them.
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
    /// The filter. It only looks at the machine and the number of a call, so that the kernel can cache what passes.
    pub(super) fn filter(self) -> Vec<sock_filter> {
        let mut code = vec![load(ARCH)];
        let native = self.calls(&self.notified, self.refused);
        let skip = u8::try_from(native.len()).unwrap_or(u8::MAX);
        code.push(jump(self.native, 0, skip));
        code.extend(native);
        let compat = self.calls(&[], &self.compat_refused);
        let skip = u8::try_from(compat.len()).unwrap_or(u8::MAX);
        code.push(jump(self.compat, 0, skip));
        code.extend(compat);
        code.push(ret(REFUSE));
        code
    }

    fn calls(self, notified: &[u32], refused: &[u32]) -> Vec<sock_filter> {
        let mut code = vec![load(NUMBER)];
        let notified = notified.iter().map(|number| (*number, NOTIFY));
        let refused = refused.iter().map(|number| (*number, REFUSE));
        for (number, action) in notified.chain(refused) {
            code.push(jump(number, 0, 1));
            code.push(ret(action));
        }
        code.push(ret(ALLOW));
        code
    }

    /// Whether a notification with this number is `execveat`; otherwise it is `execve`.
    pub(super) fn is_execveat(self, number: i32) -> bool {
        u32::try_from(number) == Ok(self.notified[1])
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
    // x32 has its own numbers, older kernels take its numbers without the mark, and native ones with it.
    refused: &[520, 545, X32 | 520, X32 | 545, X32 | 59, X32 | 322],
    compat: 0x4000_0003,
    compat_refused: [11, 358],
};
const AARCH64: Abi = Abi {
    native: 0xc000_00b7,
    notified: [221, 281],
    refused: &[],
    compat: 0x4000_0028,
    compat_refused: [11, 387],
};

const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const LOAD_WORD: u16 = 0x20;
const JUMP_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;
const ALLOW: u32 = 0x7fff_0000;
const NOTIFY: u32 = 0x7fc0_0000;
/// `EACCES`
const REFUSE: u32 = 0x0005_0000 | 13;

#[cfg(test)]
mod tests {
    use super::{
        AARCH64, ALLOW, ARCH, Abi, JUMP_EQUAL, LOAD_WORD, NOTIFY, NUMBER, REFUSE, RETURN, X32,
        X86_64,
    };

    /// Runs the filter as the kernel does.
    fn run(abi: Abi, arch: u32, number: u32) -> u32 {
        let code = abi.filter();
        let (mut at, mut value) = (0, 0);
        loop {
            let step = code[at];
            at += 1;
            match step.code {
                LOAD_WORD if step.k == ARCH => value = arch,
                LOAD_WORD if step.k == NUMBER => value = number,
                JUMP_EQUAL if value == step.k => at += usize::from(step.jt),
                JUMP_EQUAL => at += usize::from(step.jf),
                RETURN => return step.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn attack_other_calling_conventions_reach_no_exec() {
        for number in 0..1024 {
            let expected = match number {
                59 | 322 => NOTIFY,
                520 | 545 => REFUSE,
                _ => ALLOW,
            };
            assert_eq!(run(X86_64, X86_64.native, number), expected, "{number}");
            let expected = match number {
                59 | 322 | 520 | 545 => REFUSE,
                _ => ALLOW,
            };
            assert_eq!(
                run(X86_64, X86_64.native, X32 | number),
                expected,
                "x32 {number}"
            );
            let expected = if matches!(number, 11 | 358) {
                REFUSE
            } else {
                ALLOW
            };
            assert_eq!(
                run(X86_64, X86_64.compat, number),
                expected,
                "i386 {number}"
            );
            let expected = if matches!(number, 221 | 281) {
                NOTIFY
            } else {
                ALLOW
            };
            assert_eq!(
                run(AARCH64, AARCH64.native, number),
                expected,
                "arm64 {number}"
            );
            let expected = if matches!(number, 11 | 387) {
                REFUSE
            } else {
                ALLOW
            };
            assert_eq!(
                run(AARCH64, AARCH64.compat, number),
                expected,
                "arm {number}"
            );
            // A machine that we do not know calls nothing.
            assert_eq!(run(X86_64, 0x1234, number), REFUSE);
            assert_eq!(run(AARCH64, 0x1234, number), REFUSE);
        }
    }
}
