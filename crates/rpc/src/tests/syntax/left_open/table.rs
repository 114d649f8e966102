//! Texts that a reader may accept or refuse, with what we do.

/// What we do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Choice {
    /// Kept as text, whoever can make a value of it.
    Accept,
    /// Read by nobody in the same way, hence by nobody here.
    Refuse,
}

use Choice::{Accept, Refuse};

pub(in super::super) const CASES: &[(&[u8], Choice)] = &[
    // numbers larger, smaller or finer than a machine has them
    (b"1e309", Accept),
    (b"-1e309", Accept),
    (b"7e7777", Accept),
    (b"-7.5E+7777", Accept),
    (b"1e99999999999999999999", Accept),
    (b"1e-500", Accept),
    (b"-3e-99999999999999999999", Accept),
    (b"0.1e00000000000000000000000000001", Accept),
    (b"18446744073709551617", Accept),
    (b"-9223372036854775809", Accept),
    (
        b"31415926535897932384626433832795028841971693993751",
        Accept,
    ),
    (
        b"-31415926535897932384626433832795028841971693993751",
        Accept,
    ),
    (
        b"3.1415926535897932384626433832795028841971693993751",
        Accept,
    ),
    (b"[-0, -0.0, -0e0]", Accept),
    // names that occur twice
    (b"{\"a\":1,\"a\":2}", Accept),
    (b"{\"a\":1,\"\\u0061\":2}", Accept),
    // characters that are none yet, and the one that ends strings elsewhere
    ("\"\u{fdd0}\u{fffe}\u{1fffe}\"".as_bytes(), Accept),
    (b"\"\\ufdd0\\uffff\"", Accept),
    (b"\"\\u0000\"", Accept),
    // escapes that are half a character
    (b"\"\\ud834\"", Refuse),
    (b"\"\\uDD1E\"", Refuse),
    (b"\"\\ud834 \\udd1e\"", Refuse),
    (b"\"\\ud834\\t\\udd1e\"", Refuse),
    (b"\"\\udd1e\\ud834\"", Refuse),
    (b"\"\\ud834\\ud834\\udd1e\"", Refuse),
    (b"\"\\ud834\\udd1e\\udd1e\"", Refuse),
    (b"\"\\ud834\\ue000\"", Refuse),
    (b"\"\\ud834\\\\udd1e\"", Refuse),
    (b"\"a\\udbffb\"", Refuse),
    (b"{\"\\udc01\":1}", Refuse),
    // bytes that are no text
    (b"\"caf\xe9\"", Refuse),
    (b"\"\xc1\x81\"", Refuse),
    (b"\"\xe0\x81\x81\"", Refuse),
    (b"\"\xf0\x80\x81\x81\"", Refuse),
    (b"\"\xed\xa1\x8c\xed\xbe\xb4\"", Refuse),
    (b"\"\xf4\xbf\xbf\xbf\"", Refuse),
    (b"\"\xfc\x83\xbf\xbf\xbf\xbf\"", Refuse),
    (b"\"\x81\"", Refuse),
    (b"\"\xe6\x97\"", Refuse),
    (b"\"\\\xe5\"", Refuse),
    (b"{\"\xff\":1}", Refuse),
    (b"\xe9", Refuse),
    // other encodings
    (b"\xef\xbb\xbf{}", Refuse),
    (b"\xef\xbb\xbf[1]", Refuse),
    (b"\xff\xfe{\0}\0", Refuse),
    (b"\xfe\xff\0{\0}", Refuse),
    (b"[\0\"\0a\0\"\0]\0", Refuse),
    (b"\0[\0\"\0a\0\"\0]", Refuse),
    (b"\xff\xfe\0\0[\0\0\0]\0\0\0", Refuse),
    (b"+AHsAfQ-", Refuse),
];

/// Those too long to write down.
pub(in super::super) fn long_cases() -> Vec<(Vec<u8>, Choice)> {
    let arrays = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let objects = |depth| format!("{}0{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let rows = [
        ("7".repeat(100_000), Accept),
        (format!("0.{}", "7".repeat(100_000)), Accept),
        (format!("1e{}", "7".repeat(100_000)), Accept),
        (format!("\"{}\"", "\\u00e9".repeat(100_000)), Accept),
        (arrays(100), Accept),
        (objects(100), Accept),
        (arrays(500), Refuse),
        (objects(500), Refuse),
        (arrays(100_000), Refuse),
        ("[".repeat(100_000), Refuse),
        ("[{\"a\":".repeat(50_000), Refuse),
    ];
    rows.map(|(text, choice)| (text.into_bytes(), choice))
        .into()
}
