//! The interface of a contender: a way to decode and a way to encode, each set up before the measurement.

use std::fmt;
use std::hint::black_box;
use std::rc::Rc;

use crate::workload::Workload;

/// One row of the tables. A contender that lacks a direction is left out there.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) decode: Option<Prepare>,
    pub(crate) encode: Option<Prepare>,
}

/// Builds buffers and values; not measured.
pub(crate) type Prepare = fn(&Rc<Workload>) -> Run;

/// Handles that many messages, in the order of the workload and from its first, and returns how many
/// bytes of JSON lines were read or written. This is what is measured.
pub(crate) type Run = Box<dyn FnMut(usize) -> usize>;

/// The decoding of a whole workload, made of the decoding of one line.
pub(crate) fn decoding(workload: &Rc<Workload>, decode: impl Fn(&[u8]) + 'static) -> Run {
    let workload = Rc::clone(workload);
    Box::new(move |n| {
        let one = |line: &[u8]| {
            decode(black_box(line));
            line.len() + 1
        };
        workload.cycle(n).map(one).sum()
    })
}

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Decode,
    Encode,
}

impl Contender {
    pub(crate) fn prepare(&self, direction: Direction, workload: &Rc<Workload>) -> Option<Run> {
        self.half(direction).map(|prepare| prepare(workload))
    }

    fn half(&self, direction: Direction) -> Option<Prepare> {
        match direction {
            Direction::Decode => self.decode,
            Direction::Encode => self.encode,
        }
    }
}

impl Direction {
    pub(crate) const ALL: [Direction; 2] = [Direction::Decode, Direction::Encode];
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Decode => "decode",
            Direction::Encode => "encode",
        })
    }
}
