//! The tasks of a client, and the texts that all sides send.

use std::time::{Duration, Instant};

use crate::figures;
use crate::meter;

#[derive(Clone, Copy)]
pub(crate) enum Task {
    /// Receive this number of updates and fold them.
    Stream(usize),
    /// Send this number of requests, one after the other.
    Sequential(usize),
    /// Send this number of requests, with [`IN_FLIGHT`] of them pending at a time.
    InFlight(usize),
}

impl Task {
    pub(crate) fn parse(name: &str, n: usize) -> Self {
        match name {
            "stream" => Task::Stream(n),
            "sequential" => Task::Sequential(n),
            "in-flight" => Task::InFlight(n),
            _ => panic!("no task {name}"),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Task::Stream(_) => "stream",
            Task::Sequential(_) => "sequential",
            Task::InFlight(_) => "in-flight",
        }
    }

    pub(crate) fn n(self) -> usize {
        match self {
            Task::Stream(n) | Task::Sequential(n) | Task::InFlight(n) => n,
        }
    }
}

/// Wall and processor time from now on.
pub(crate) struct Watch {
    wall: Instant,
    cpu: Duration,
}

impl Watch {
    pub(crate) fn start() -> Self {
        Watch {
            wall: Instant::now(),
            cpu: meter::cpu(),
        }
    }

    /// Reports the elapsed time.
    pub(crate) fn stop(&self) {
        figures::report("wall", self.wall.elapsed().as_secs_f64());
        self.stop_cpu();
    }

    /// Reports only processor time, for a side whose wall time depends on the other side.
    pub(crate) fn stop_cpu(&self) {
        let cpu = meter::cpu().saturating_sub(self.cpu);
        figures::report("cpu", cpu.as_secs_f64());
    }
}

/// Times of single round trips.
pub(crate) struct RoundTrips(Vec<Duration>);

impl RoundTrips {
    pub(crate) fn new(n: usize) -> Self {
        RoundTrips(Vec::with_capacity(n))
    }

    pub(crate) fn add(&mut self, since: Instant) {
        self.0.push(since.elapsed());
    }

    pub(crate) fn report(mut self) {
        self.0.sort_unstable();
        let at = |part: usize| self.0[self.0.len() * part / 100].as_secs_f64();
        figures::report("p50", at(50));
        figures::report("p99", at(99));
    }
}

/// The id of the message that an update belongs to.
pub(crate) fn message_id(update: usize) -> String {
    format!("msg_{:08x}", update / PER_MESSAGE)
}

pub(crate) const SESSION: &str = "sess_01a1e0c8";
pub(crate) const MODE: &str = "architect";
/// About four words, as models stream them.
pub(crate) const TEXT: &str = "and then the function returns ";
pub(crate) const IN_FLIGHT: usize = 64;
/// Updates that make up a message.
pub(crate) const PER_MESSAGE: usize = 1000;
/// Round trips before the first that is timed.
pub(crate) const WARM_UP: usize = 200;
