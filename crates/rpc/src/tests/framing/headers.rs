//! Framing by headers.

use super::{LIMIT, Row, check, found};

pub(super) const TABLES: &[&[Row]] = &[ACCEPTED, BETWEEN, LENGTHS, WRONG, CHARSETS, CUT, OTHERS];

#[test]
fn header_names_ignore_case_order_and_line_break_style() {
    check(ACCEPTED);
}

const ACCEPTED: &[Row] = &[
    (b"Content-Length: 2\r\n\r\n{}", &["{}"]),
    (b"content-length: 2\r\n\r\n{}", &["{}"]),
    (b"CONTENT-LENGTH:2\r\n\r\n{}", &["{}"]),
    (b"cOnTeNt-LeNgTh:\t2 \r\n\r\n{}", &["{}"]),
    (b"Content-Length: 2\n\n{}", &["{}"]),
    (b"Content-Length: 2\n\r\n{}", &["{}"]),
    (b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", &["{}"]),
    (b"Content-Length: 2\r\nX-Other: a:b\r\nX_y:\r\n\r\n{}", &["{}"]),
    (
        b"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]X-A: 1\r\nContent-Length: 1\r\n\r\n0",
        &["{}", "[1]", "0"],
    ),
    // Bytes are counted and not characters, and a line break in a message is a part of it.
    ("Content-Length: 8\r\n\r\n\"ä🦀\"".as_bytes(), &["\"\\xc3\\xa4\\xf0\\x9f\\xa6\\x80\""]),
    (b"Content-Length: 7\r\n\r\n{\n\r\n\n\n}Content-Length: 2\r\n\r\n{}", &["{\\n\\r\\n\\n\\n}", "{}"]),
    // The same length twice is allowed.
    (b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", &["{}"]),
];

#[test]
fn empty_lines_between_messages_are_ignored() {
    check(BETWEEN);
    let mut stream = b"Content-Length: 2\r\n\r\n{}".to_vec();
    stream.extend(b"\r\n".repeat(100_000));
    stream.extend(b"Content-Length: 2\r\n\r\n{}");
    assert_eq!(found(LIMIT, [&*stream]), ["{}", "{}"]);
    assert_eq!(found(LIMIT, stream.chunks(1000)), ["{}", "{}"]);
}

const BETWEEN: &[Row] = &[
    (
        b"Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}",
        &["{}"],
    ),
    (b"Content-Length: 0\r\n\r\n", &[]),
    (
        b"Content-Length: 2\r\n\r\n{}\n\r\n\r\nContent-Length: 2\r\n\r\n[]\n",
        &["{}", "[]"],
    ),
    (b"Content-Length: 2\r\n\r\n{}   \r\n", &["{}"]),
];

#[test]
fn a_message_may_be_as_long_as_the_limit() {
    check(LENGTHS);
}

const LENGTHS: &[Row] = &[
    (
        b"Content-Length: 39\r\n\r\n123456789012345678901234567890123456789",
        &["123456789012345678901234567890123456789"],
    ),
    (
        b"Content-Length: 40\r\n\r\n1234567890123456789012345678901234567890",
        &["1234567890123456789012345678901234567890"],
    ),
    (
        b"Content-Length: 41\r\n\r\n",
        &["BROKEN Content-Length: over the limit"],
    ),
    (
        b"Content-Length: 4294967296\r\n",
        &["BROKEN Content-Length: over the limit"],
    ),
    (
        b"Content-Length: 18446744073709551615\r\n",
        &["BROKEN Content-Length: over the limit"],
    ),
];

#[test]
fn content_length_must_be_plain_digits() {
    check(WRONG);
}

const NO_NUMBER: &[&str] = &["BROKEN Content-Length: expected a number"];

const WRONG: &[Row] = &[
    (b"Content-Length: -5\r\n\r\n", NO_NUMBER),
    (b"Content-Length: +5\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 0x10\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 05\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 00\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 5.0\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 5e0\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 5 5\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 5,5\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 5;\r\n\r\n", NO_NUMBER),
    (b"Content-Length:\r\n\r\n", NO_NUMBER),
    (b"Content-Length: five\r\n\r\n", NO_NUMBER),
    (b"Content-Length: \xd9\xa5\r\n\r\n", NO_NUMBER),
    (b"Content-Length: 18446744073709551616\r\n\r\n", NO_NUMBER),
    (
        b"Content-Length: 99999999999999999999999999\r\n\r\n",
        NO_NUMBER,
    ),
    (
        b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
        &["BROKEN Content-Length: two that differ"],
    ),
    (
        b"Content-Type: a/b\r\n\r\n{}",
        &["BROKEN headers: no Content-Length"],
    ),
    (
        b"Content-Length 2\r\n\r\n{}",
        &["BROKEN headers: a line without a colon"],
    ),
];

#[test]
fn a_charset_other_than_utf_8_is_rejected() {
    check(CHARSETS);
}

const CHARSET: &[&str] = &["BROKEN Content-Type: expected the charset utf-8"];

const CHARSETS: &[Row] = &[
    (
        b"Content-Type: a/b; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
        &["{}"],
    ),
    (
        b"Content-Type: a/b; charset=utf8\r\nContent-Length: 2\r\n\r\n{}",
        &["{}"],
    ),
    (
        b"Content-Type: a/b; Charset=\"UTF-8\"; x=y\r\nContent-Length: 2\r\n\r\n{}",
        &["{}"],
    ),
    (
        b"Content-Length: 2\r\nContent-Type: a/b; charset=utf-16\r\n\r\n{}",
        CHARSET,
    ),
    (
        b"Content-Length: 2\r\ncontent-type: a/b;charset=latin1\r\n\r\n{}",
        CHARSET,
    ),
    (b"Content-Type: a/b; charset=\r\n", CHARSET),
    (b"Content-Type: a/b; charset=utf-8x\r\n", CHARSET),
];

#[test]
fn a_stream_that_ends_within_a_message_is_an_error() {
    check(CUT);
}

const ENDED: &[&str] = &["BROKEN the stream ended within a message"];

const CUT: &[Row] = &[
    (b"Content-Length: 3\r\n\r\n{}", ENDED),
    (b"Content-Length: 3\r\n\r\n", ENDED),
    (b"Content-Length: 3\r\n\r\n  ", ENDED),
    (b"Content-Length: 3\r\n", ENDED),
    (b"Content-Length: 3", ENDED),
    (b"Content-", ENDED),
    (
        b"Content-Length: 2\r\n\r\n{}Content-Length: 5\r\n\r\n",
        &["{}", "BROKEN the stream ended within a message"],
    ),
];

#[test]
fn an_invalid_header_ends_the_stream() {
    check(OTHERS);
}

const NO_NAME: &str = "BROKEN headers: a name of other than letters, digits and dashes";

const OTHERS: &[Row] = &[
    // A length that is too small: the rest of the message is not a header, even if it contains one.
    (
        b"Content-Length: 2\r\n\r\n{}}\r\n",
        &["{}", "BROKEN headers: a line without a colon"],
    ),
    (
        b"Content-Length: 6\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}",
        &["{\"a\":1", NO_NAME],
    ),
    (
        b"Content-Length: 1\r\n\r\n{\"a\":1}\r\nContent-Length: 2\r\n\r\n{}",
        &["{", NO_NAME],
    ),
    // Lines where headers should be.
    (
        b"Content-Length: 2\r\n\r\n{}\n{\"a\":1}\n",
        &["{}", "BROKEN headers: a message without headers"],
    ),
    (
        b"Content-Length: 2\r\n\r\n{}{}\n",
        &["{}", "BROKEN headers: a message without headers"],
    ),
    (
        b"Content-Length: 2\r\n\r\n{}hello\n",
        &["{}", "BROKEN headers: a line without a colon"],
    ),
    // Odd names.
    (b"Content-Length : 2\r\n\r\n{}", &[NO_NAME]),
    (b"Content-Length: 2\r\n X: folded\r\n\r\n{}", &[NO_NAME]),
    (b"Content-Length: 2\r\n: 1\r\n\r\n{}", &[NO_NAME]),
    (b"Content-Length: 2\r\nX\xc3\xa4: 1\r\n\r\n{}", &[NO_NAME]),
];
