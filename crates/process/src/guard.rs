//! The guard: this same executable, started again as a small process between us and an agent. It outlives neither.

use std::sync::OnceLock;

use super::exec::{ExecJudge, JudgeFactory};
use super::platform;

/// Becomes the guard if this process was started as one, and then never returns. Otherwise it notes that this
/// executable can be a guard, and returns at once.
///
/// Call it first thing in `main`, before threads are started and files are opened: a guard closes every file it
/// was not started with. Where it was not called children are in [`Custody::Direct`](super::Custody::Direct). On
/// systems other than Linux it does nothing.
pub fn run_if_asked() {
    platform::guard_if_asked();
    READY.get_or_init(|| ());
}

/// Registers how to make a judge of the rules in an [`ExecWatch`](super::ExecWatch). Call it before [`run_if_asked`]:
/// the judge works inside the guard. Without it no watched program starts. The first call counts.
pub fn judge_with(factory: JudgeFactory) {
    JUDGE.get_or_init(|| factory);
}

/// Keeps other processes of the same user from reading the memory and the environment of this process, in `/proc` or with a
/// debugger. Guards do so by themselves; a program that has keys in its environment calls it early in `main`. It leaves no
/// core file. On systems other than Linux it does nothing.
///
/// # Errors
///
/// When the kernel refuses it.
pub fn forbid_inspection() -> std::io::Result<()> {
    platform::forbid_inspection()
}

/// A judge by these rules.
#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(super) fn judge(rules: &[u8]) -> Option<Box<dyn ExecJudge>> {
    JUDGE.get().and_then(|factory| factory(rules))
}

#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(super) fn is_ready() -> bool {
    READY.get().is_some()
}

static READY: OnceLock<()> = OnceLock::new();
static JUDGE: OnceLock<JudgeFactory> = OnceLock::new();
