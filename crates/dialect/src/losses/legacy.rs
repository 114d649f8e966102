//! Losses on official connections, with what older documents name.

use super::super::Dialect;
use super::{Direction, Loss};

pub(super) const ROWS: &[Loss] = &[
    Loss {
        dialect: Dialect::Official,
        element: "`session/set_model`",
        direction: Direction::Reading,
        what: "refused with -32602 where the session has told neither an option of category `model` nor `models`, or the option's id is longer than 4 KiB",
    },
    Loss {
        dialect: Dialect::Official,
        element: "`models` of a session",
        direction: Direction::Reading,
        what: "an option of category `model` is made of them and set by `session/set_model`; where the session's options are longer than 64 KiB they are not remembered, and the list that comes back is empty",
    },
    Loss {
        dialect: Dialect::Official,
        element: "error codes from -32099 to -32001 with a `reason` in their data",
        direction: Direction::Reading,
        what: "a known reason counts for more than the number: the code becomes the one that comes nearest to it, with a note in `data` where that says less; unless it says \"not found\"",
    },
];
