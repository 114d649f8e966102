//! The guard: this executable, started again as a small process between the owner and a child. When either ends, the guard
//! kills the child's process tree and exits.

use std::sync::OnceLock;

use super::exec::{ExecJudge, JudgeFactory};
use super::platform;

/// Runs the guard if this process was started as one; then it never returns. Otherwise records that this executable can be
/// a guard, and returns at once.
///
/// Call this first in `main`, before you start threads or open files: a guard closes every file that it was not started
/// with. Without this call, children are in [`Custody::Direct`](super::Custody::Direct). Does nothing on systems other than
/// Linux.
pub fn run_if_asked() {
    platform::guard_if_asked();
    READY.get_or_init(|| ());
}

/// Registers the function that makes a judge from the rules in an [`ExecWatch`](super::ExecWatch). Call it before
/// [`run_if_asked`], because the judge runs inside the guard. Without a judge, watched programs do not start. Calls after
/// the first have no effect.
pub fn judge_with(factory: JudgeFactory) {
    JUDGE.get_or_init(|| factory);
}

/// Keeps other processes of the same user from reading the memory and the environment of this process, through `/proc` or
/// with a debugger. Also disables core files. Call it early in `main` if the environment contains keys; guards call it by
/// themselves. Does nothing on systems other than Linux.
///
/// # Errors
///
/// If the kernel refuses.
pub fn forbid_inspection() -> std::io::Result<()> {
    platform::forbid_inspection()
}

/// Makes a judge from rules. Returns `None` if no judge is registered or the rules are not valid.
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
