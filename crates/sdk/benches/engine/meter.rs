//! Processor time, and the processors to run on.

use std::env;
use std::time::Duration;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Processor time of this process so far, all threads; none under valgrind, which hides the page that has the clock.
pub(crate) fn cpu() -> Duration {
    if env::var_os(UNTIMED).is_some() {
        return Duration::ZERO;
    }
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap(),
        time.tv_nsec.try_into().unwrap(),
    )
}

/// Runs something with this thread, and every process that it starts, on one processor.
pub(crate) fn pinned<T>(run: impl FnOnce() -> T) -> T {
    let before = sched_getaffinity(None).unwrap();
    let first = (0..CpuSet::MAX_CPU).find(|cpu| before.is_set(*cpu));
    let mut one = CpuSet::new();
    one.set(first.unwrap());
    sched_setaffinity(None, &one).unwrap();
    let value = run();
    sched_setaffinity(None, &before).unwrap();
    value
}

/// Set for a process that cannot read its clock.
pub(crate) const UNTIMED: &str = "ENGINE_UNTIMED";
