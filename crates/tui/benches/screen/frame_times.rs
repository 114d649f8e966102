//! Frame times and memory.

use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// The times of one kind of frame, sorted.
pub(crate) struct FrameTimes {
    name: &'static str,
    wall: Vec<Duration>,
    /// Without the time that other processes took.
    own: Vec<Duration>,
}

/// The start of a frame.
pub(crate) struct FrameStart {
    wall: Instant,
    own: Duration,
}

impl FrameStart {
    pub(crate) fn now() -> Self {
        FrameStart {
            wall: Instant::now(),
            own: own_time(),
        }
    }
}

impl FrameTimes {
    pub(crate) fn new(name: &'static str) -> Self {
        FrameTimes {
            name,
            wall: Vec::new(),
            own: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, start: &FrameStart) {
        self.own.push(own_time().saturating_sub(start.own));
        self.wall.push(start.wall.elapsed());
    }

    pub(crate) fn sorted(mut self) -> Self {
        self.wall.sort_unstable();
        self.own.sort_unstable();
        self
    }

    /// The 99th percentile: wall-clock time, and this thread's own time.
    pub(crate) fn p99(&self) -> (Duration, Duration) {
        let at = self.wall.len() * 99 / 100;
        (self.wall[at], self.own[at])
    }
}

impl fmt::Display for FrameTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.wall.len();
        let half = self.wall[count / 2];
        let (wall, own) = self.p99();
        let [half, wall, most] = [half, wall, self.wall[count - 1]].map(shown);
        let [own, own_most] = [own, self.own[count - 1]].map(shown);
        write!(
            f,
            "{:24} {count:>7} {half:>9} {wall:>9} {most:>9} {own:>9} {own_most:>9}",
            self.name
        )
    }
}

pub(crate) fn shown(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1000.0)
}

/// The current and the peak memory of this process in megabytes.
pub(crate) fn resident() -> Option<(u64, u64)> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes / 1024)
    };
    Some((field("VmRSS:")?, field("VmHWM:")?))
}

/// The CPU time of this thread.
fn own_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        time.tv_sec.try_into().unwrap_or_default(),
        time.tv_nsec.try_into().unwrap_or_default(),
    )
}
