//! What every contender offers: a way to decode and a way to encode, each set up before anything is measured.

use std::fmt;
use std::rc::Rc;

use crate::workload::Workload;

/// One row of the tables. A contender that lacks a direction is left out there; one that lacks both is
/// shown as absent.
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

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Decode,
    Encode,
}

impl Contender {
    pub(crate) fn prepare(&self, direction: Direction, workload: &Rc<Workload>) -> Option<Run> {
        self.half(direction).map(|prepare| prepare(workload))
    }

    pub(crate) fn takes_part(&self, direction: Direction) -> bool {
        self.half(direction).is_some()
    }

    pub(crate) fn is_absent(&self) -> bool {
        self.decode.is_none() && self.encode.is_none()
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
