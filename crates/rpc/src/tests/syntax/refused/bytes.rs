//! Bytes that are not UTF-8, wherever they stand.

pub(super) const CASES: &[&[u8]] = &[
    b"\x80",
    b"\xbf",
    b"\xff",
    b"\xfe",
    b"\xc3",
    b"\xc3(",
    b"\xe2\x82",
    b"\xe2(\xa1",
    b"\xf0\x9f\xa6",
    b"\xf0(\x8c\xbc",
    // longer than need be
    b"\xc0\x80",
    b"\xc0\xaf",
    b"\xc1\xbf",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf",
    // surrogates, and beyond the last character
    b"\xed\xa0\x80",
    b"\xed\xbf\xbf",
    b"\xed\xa0\x80\xed\xb0\x80",
    b"\xf4\x90\x80\x80",
    b"\xf5\x80\x80\x80",
    b"\xf8\x88\x80\x80\x80",
];
