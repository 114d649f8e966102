//! Times on disk: microseconds since 1970.

use jiff::Timestamp;

/// What time it is; tests have another one.
pub(super) type Clock = fn() -> i64;

pub(super) fn now() -> i64 {
    Timestamp::now().as_microsecond()
}

/// The nearest time that can be named.
pub(super) fn from_disk(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds.clamp(FIRST, LAST)).unwrap_or(Timestamp::UNIX_EPOCH)
}

pub(super) const FIRST: i64 = -62_000_000_000_000_000;
pub(super) const LAST: i64 = 250_000_000_000_000_000;
