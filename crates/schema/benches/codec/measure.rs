//! Time and allocations of one block: the contenders take turns, so that a busy machine hits them all.

use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::alloc;
use crate::contender::{Contender, Direction, Run};
use crate::workload::Workload;

/// Per message.
pub(crate) struct Figures {
    pub(crate) bytes: f64,
    pub(crate) nanoseconds: f64,
    pub(crate) allocations: f64,
}

/// The figures of all that take part.
pub(crate) fn block(
    contenders: &[Contender],
    direction: Direction,
    workload: &Rc<Workload>,
) -> Vec<(&'static str, Figures)> {
    let entry = |contender: &Contender| {
        let entry = Entry::prepare(contender, direction, workload)?;
        Some((contender.name, entry))
    };
    let mut entries: Vec<_> = contenders.iter().filter_map(entry).collect();
    for _ in 0..ROUNDS {
        for (_, entry) in &mut entries {
            entry.time_batch();
        }
    }
    entries
        .into_iter()
        .map(|(name, entry)| (name, entry.figures(workload)))
        .collect()
}

/// A contender that skips messages, or writes fewer bytes than the others, has not done the same work.
pub(crate) fn check(name: &str, direction: Direction, workload: &Workload, run: &mut Run) {
    let n = workload.lines.len();
    assert_eq!(
        run(n),
        workload.bytes(n),
        "{name} did not {direction} all of `{}`",
        workload.name
    );
}

struct Entry {
    run: Run,
    batch: usize,
    times: Vec<Duration>,
    allocations: f64,
}

impl Entry {
    fn prepare(
        contender: &Contender,
        direction: Direction,
        workload: &Rc<Workload>,
    ) -> Option<Self> {
        let mut run = contender.prepare(direction, workload)?;
        check(contender.name, direction, workload, &mut run);
        let allocations = allocations(&mut run, workload.lines.len().max(SOME));
        let batch = batch_size(&mut run, workload.lines.len());
        Some(Self {
            run,
            batch,
            times: Vec::with_capacity(ROUNDS),
            allocations,
        })
    }

    fn time_batch(&mut self) {
        self.times.push(time(&mut self.run, self.batch));
    }

    fn figures(mut self, workload: &Workload) -> Figures {
        self.times.sort_unstable();
        let median = self.times[self.times.len() / 2];
        Figures {
            bytes: per(workload.bytes(self.batch), self.batch),
            nanoseconds: median.as_secs_f64() * 1e9 / per(self.batch, 1),
            allocations: self.allocations,
        }
    }
}

/// The difference of n and 2n messages: what is allocated once per run falls out.
fn allocations(run: &mut Run, n: usize) -> f64 {
    let mut counted = |n| {
        let before = alloc::count();
        run(n);
        alloc::count() - before
    };
    let once = counted(n);
    per(counted(2 * n).saturating_sub(once), n)
}

/// Whole rounds of the workload, so many that the clock and the set-up of a connection do not show.
fn batch_size(run: &mut Run, round: usize) -> usize {
    let mut n = round;
    while time(run, n) < BATCH {
        n *= 2;
    }
    n
}

fn time(run: &mut Run, n: usize) -> Duration {
    let start = Instant::now();
    run(n);
    start.elapsed()
}

#[allow(clippy::cast_precision_loss, reason = "far below 2^52")]
fn per(total: usize, n: usize) -> f64 {
    total as f64 / n as f64
}

const ROUNDS: usize = 15;
const BATCH: Duration = Duration::from_millis(40);
const SOME: usize = 1000;
