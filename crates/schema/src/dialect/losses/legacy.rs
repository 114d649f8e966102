//! Losses on official connections, with what older documents name.

use super::super::Dialect;
use super::{Direction, Loss};

pub(super) const ROWS: &[Loss] = &[
    Loss {
        dialect: Dialect::Official,
        element: "`session/set_model`",
        direction: Direction::Reading,
        what: "refused with -32602 where the session has told neither an option of category `model` nor `models`",
    },
    Loss {
        dialect: Dialect::Official,
        element: "`session/set_config_option` sent as `session/set_model`",
        direction: Direction::Reading,
        what: "the result has no options, so the list is empty",
    },
];
