//! Formats times and sizes for people.

/// Microseconds, such as `850 us`, `12.3 ms`, `4.56 s`.
pub fn time(micros: u64) -> String {
    let thousandths =
        |value: u64, unit: u64| format!("{}.{}", value / unit, value % unit * 10 / unit);
    match micros {
        0..1_000 => format!("{micros} us"),
        1_000..1_000_000 => format!("{} ms", thousandths(micros, 1_000)),
        _ => format!("{} s", thousandths(micros, 1_000_000)),
    }
}

/// Bytes, such as `123 B`, `4.5 kB`, `6.7 MB`.
pub fn size(bytes: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", bytes / unit, bytes % unit * 10 / unit);
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", tenths(1_000)),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(1_000_000)),
        _ => format!("{} GB", tenths(1_000_000_000)),
    }
}
