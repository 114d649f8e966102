//! Text of others, made safe to show.

use attache_client::plain;

/// One line.
pub(crate) fn line(text: &str) -> String {
    plain::line(text).into_owned()
}

/// Several lines.
pub(crate) fn lines(text: &str) -> String {
    plain::lines(text).into_owned()
}
