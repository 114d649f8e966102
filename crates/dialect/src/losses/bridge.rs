//! Losses with the early bridge to the Claude CLI.

use super::super::Dialect;
use super::{Direction, Loss};

pub(super) const ROWS: &[Loss] = &[
    Loss {
        dialect: Dialect::Bridge,
        element: "tool call `title`",
        direction: Direction::Reading,
        what: "may be the tool's programmatic name; nothing says so, so it stays the title and `name` stays empty",
    },
    Loss {
        dialect: Dialect::Bridge,
        element: "plan entry without `priority`",
        direction: Direction::Reading,
        what: "counts as `medium`",
    },
    Loss {
        dialect: Dialect::Bridge,
        element: "tool kinds `write` and `command`",
        direction: Direction::Reading,
        what: "become `edit` and `execute`; the word is kept under `_meta`",
    },
];
