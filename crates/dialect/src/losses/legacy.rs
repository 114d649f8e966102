//! Losses on official connections, with older official shapes.

use super::super::Dialect;
use super::{Direction, Loss};

pub(super) const ROWS: &[Loss] = &[
    Loss {
        dialect: Dialect::Official,
        element: "`session/set_model`",
        direction: Direction::Reading,
        what: "rejected with -32602 if the session has reported neither an option of category `model` nor `models`, or if the option's id is longer than 4 KiB",
    },
    Loss {
        dialect: Dialect::Official,
        element: "`models` of a session",
        direction: Direction::Reading,
        what: "become an option of category `model`, which is set by `session/set_model`; if the session's options are longer than 64 KiB, they are not remembered, and the returned list is empty",
    },
    Loss {
        dialect: Dialect::Official,
        element: "error codes from -32099 to -32001 with a `reason` in their data",
        direction: Direction::Reading,
        what: "a known reason overrides the number: the code becomes the closest one, with a note in `data` if that says less; except for \"not found\"",
    },
];
