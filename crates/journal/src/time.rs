//! Times on disk, in microseconds since 1970.

use jiff::Timestamp;

/// The source of the time; tests use their own.
pub(super) type Clock = fn() -> i64;

pub(super) fn now() -> i64 {
    Timestamp::now().as_microsecond()
}

/// The timestamp, clamped to the valid range.
pub(super) fn from_disk(microseconds: i64) -> Timestamp {
    Timestamp::from_microsecond(microseconds.clamp(FIRST, LAST)).unwrap_or(Timestamp::UNIX_EPOCH)
}

pub(super) const FIRST: i64 = -62_000_000_000_000_000;
pub(super) const LAST: i64 = 250_000_000_000_000_000;
