//! Framing by lines.

use super::{LIMIT, Row, check, found};

pub(super) const TABLES: &[&[Row]] = &[
    BREAKS, BLANK, LAST, MARKS, BANNERS, LENGTHS, NOT_TEXT, NO_HEADERS,
];

#[test]
fn a_message_ends_with_a_line_break() {
    check(BREAKS);
}

const BREAKS: &[Row] = &[
    (b"", &[]),
    (b"{}\n", &["{}"]),
    (b"{}\r\n", &["{}"]),
    (b"{\"a\":1}\n{\"b\":2}\n", &["{\"a\":1}", "{\"b\":2}"]),
    (
        b"{\"a\":1}\r\n{\"b\":2}\n{}\r\n",
        &["{\"a\":1}", "{\"b\":2}", "{}"],
    ),
    // The splitter accepts two values on one line; the reader rejects them.
    (b"{}{}\n{}\n", &["{}{}", "{}"]),
    (b"{}\r{}\n{}\n", &["{}\\r{}", "{}"]),
    (b"{}\r\r\n{}\n", &["{}", "{}"]),
    (
        "{\"ä\":\"🦀\"}\n".as_bytes(),
        &["{\"\\xc3\\xa4\":\"\\xf0\\x9f\\xa6\\x80\"}"],
    ),
];

#[test]
fn blank_lines_are_skipped() {
    check(BLANK);
    let blank = b"\n \r\n\t\n".repeat(1_000_000 / 3);
    assert_eq!(found(LIMIT, blank.chunks(65_536)), [""; 0]);
}

const BLANK: &[Row] = &[
    (b"\n", &[]),
    (b"\r\n", &[]),
    (b" \t \n", &[]),
    (b"\n\n\n{}\n\r\n \n{}\n\n", &["{}", "{}"]),
    (b"   ", &[]),
    (b"{}\n  \r", &["{}"]),
];

#[test]
fn a_stream_may_end_without_a_line_break() {
    check(LAST);
}

const LAST: &[Row] = &[
    (b"{}", &["LAST {}"]),
    (b"{}\n{\"a\":", &["{}", "LAST {\"a\":"]),
    (b"{}\n{}\r", &["{}", "LAST {}\\r"]),
    (b"\xef", &["LAST \\xef"]),
    (b"\xef\xbb", &["LAST \\xef\\xbb"]),
    (b"\xef\xbb\xbf", &[]),
    (b"\xef\xbb\xbf{}", &["LAST {}"]),
    (b"con", &["LAST con"]),
];

#[test]
fn a_byte_order_mark_is_dropped_only_at_the_start() {
    check(MARKS);
}

const MARKS: &[Row] = &[
    (b"\xef\xbb\xbf{}\n{}\n", &["{}", "{}"]),
    (b"\xef\xbb\xbf\n{}\n", &["{}"]),
    (b"\xef\xbb\xbf\xef\xbb\xbf{}\n", &["\\xef\\xbb\\xbf{}"]),
    (b"{}\n\xef\xbb\xbf{}\n", &["{}", "\\xef\\xbb\\xbf{}"]),
    (b"\n\xef\xbb\xbf{}\n", &["\\xef\\xbb\\xbf{}"]),
    (b"\xef\xbb{}\n", &["\\xef\\xbb{}"]),
    (b"\xef\n{}\n", &["\\xef", "{}"]),
];

#[test]
fn a_banner_before_the_first_message_is_split_into_lines() {
    check(BANNERS);
}

const BANNERS: &[Row] = &[
    (b"Welcome!\n{}\n", &["Welcome!", "{}"]),
    (b"Connected to agent\n{}\n", &["Connected to agent", "{}"]),
    (b"content\n{}\n", &["content", "{}"]),
    (b"c\n{}\n", &["c", "{}"]),
    (b"Contents: 5\n{}\n", &["Contents: 5", "{}"]),
    (b"C", &["LAST C"]),
];

#[test]
fn a_line_may_be_as_long_as_the_limit() {
    check(LENGTHS);
}

/// Lines of 39, 40 and 41 bytes, and longer ones.
const LENGTHS: &[Row] = &[
    (
        b"123456789012345678901234567890123456789\n{}\n",
        &["123456789012345678901234567890123456789", "{}"],
    ),
    (
        b"1234567890123456789012345678901234567890\n{}\n",
        &["1234567890123456789012345678901234567890", "{}"],
    ),
    (
        b"1234567890123456789012345678901234567890\r\n{}\n",
        &["1234567890123456789012345678901234567890", "{}"],
    ),
    (
        b"1234567890123456789012345678901234567890",
        &["LAST 1234567890123456789012345678901234567890"],
    ),
    (
        b"12345678901234567890123456789012345678901\n{}\n",
        &["TOO LONG", "{}"],
    ),
    (
        b"12345678901234567890123456789012345678901\r\n{}\n",
        &["TOO LONG", "{}"],
    ),
    (b"12345678901234567890123456789012345678901", &["TOO LONG"]),
    (
        b"1234567890123456789012345678901234567890\r\r\n{}\n",
        &["TOO LONG", "{}"],
    ),
    // White space counts towards the length. Otherwise the result would depend on the pieces.
    (
        b"{}                                       \n{}\n",
        &["TOO LONG", "{}"],
    ),
    (
        b"                                         \n{}\n",
        &["TOO LONG", "{}"],
    ),
    (b"                                        \n{}\n", &["{}"]),
    (
        b"12345678901234567890123456789012345678901234567890123456789012345678901234567890\n{}",
        &["TOO LONG", "LAST {}"],
    ),
    (
        b"12345678901234567890123456789012345678901\n12345678901234567890123456789012345678901\n",
        &["TOO LONG", "TOO LONG"],
    ),
];

#[test]
fn bytes_that_are_not_utf_8_are_split_into_lines() {
    check(NOT_TEXT);
}

const NOT_TEXT: &[Row] = &[
    (b"{\"a\":\"\xff\"}\n{}\n", &["{\"a\":\"\\xff\"}", "{}"]),
    (b"\xed\xa0\x80\n{}\n", &["\\xed\\xa0\\x80", "{}"]),
    (b"\"\xe2\x82\n{}\n", &["\"\\xe2\\x82", "{}"]),
    (b"\0\n{}\n", &["\\x00", "{}"]),
    (b"{\"a\0\":1}\n", &["{\"a\\x00\":1}"]),
];

#[test]
fn headers_after_the_first_line_are_lines() {
    check(NO_HEADERS);
}

const NO_HEADERS: &[Row] = &[
    (
        b"{}\nContent-Length: 2\r\n\r\n{}\n",
        &["{}", "Content-Length: 2", "{}"],
    ),
    (
        b"\nContent-Length: 2\r\n\r\n{}",
        &["Content-Length: 2", "LAST {}"],
    ),
    (
        b"hi\nContent-Length: 2\r\n\r\n{}\n",
        &["hi", "Content-Length: 2", "{}"],
    ),
    (b" Content-Length: 2\n{}\n", &[" Content-Length: 2", "{}"]),
    (
        b"\xef\xbb\xbfContent-Length: 2\n{}\n",
        &["Content-Length: 2", "{}"],
    ),
    (
        b"X-Trace: 1\r\nContent-Length: 2\r\n\r\n",
        &["X-Trace: 1", "Content-Length: 2"],
    ),
];
