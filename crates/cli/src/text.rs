//! Text of others, made safe to show. What a user reviews is shown in full: control and hidden characters are visible.

use attache::process::plain::{visible, visible_word};
use attache_client::plain;

/// One line, with everything in it visible.
pub(crate) fn line(text: &str) -> String {
    visible(text).into_owned()
}

/// Several lines of a conversation.
pub(crate) fn lines(text: &str) -> String {
    plain::lines(text).into_owned()
}

/// The text as one word of a shell.
pub(crate) fn word(text: &str) -> String {
    visible_word(text).into_owned()
}
