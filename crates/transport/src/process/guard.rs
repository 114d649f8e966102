//! The guard: this same executable, started again as a small process between us and an agent. It outlives neither.

use std::sync::OnceLock;

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

#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
pub(super) fn is_ready() -> bool {
    READY.get().is_some()
}

static READY: OnceLock<()> = OnceLock::new();
