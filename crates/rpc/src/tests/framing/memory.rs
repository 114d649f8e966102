//! The memory use of a splitter: a peer can neither announce nor send more than the limit into memory.

use bytes::{Bytes, BytesMut};

use super::found;
use crate::{Frame, Splitter};

const PIECE: usize = 64 << 10;
const TOO_LONG: &str = "BROKEN headers: the block is too long";

#[test]
fn a_gigabyte_without_a_line_break_uses_no_more_memory_than_the_limit() {
    let limit = 1 << 20;
    let mut splitter = Splitter::new(limit);
    let mut buffer = BytesMut::new();
    let piece = vec![b'x'; PIECE];
    let (mut fed, mut too_long) = (0, 0);
    while fed < 1 << 30 {
        buffer.extend_from_slice(&piece);
        fed += piece.len();
        while let Some(frame) = splitter.next(&mut buffer).expect("lines") {
            assert_eq!(frame, Frame::TooLong(Bytes::from(vec![b'x'; PIECE])));
            too_long += 1;
        }
        assert!(buffer.len() <= limit + PIECE);
        assert!(
            buffer.capacity() <= 2 * (limit + PIECE),
            "{}",
            buffer.capacity()
        );
    }
    assert_eq!(too_long, 1);
    buffer.extend_from_slice(b"\n{}\n");
    let next = splitter.next(&mut buffer).expect("lines");
    assert_eq!(next, Some(Frame::Message(Bytes::from_static(b"{}\n"))));
}

#[test]
fn the_default_limit_is_exact_to_the_byte() {
    let limit = crate::Limits::default().frame;
    for (length, fits) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let mut line = vec![b'x'; length];
        line.push(b'\n');
        let found = found(limit, line.chunks(1 << 20));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].len() == length, fits, "{length}");
    }
}

#[test]
fn no_memory_is_allocated_for_an_announced_length() {
    let mut splitter = Splitter::new(usize::MAX);
    let mut buffer = BytesMut::from(&b"Content-Length: 4294967296\r\n\r\n{"[..]);
    assert_eq!(splitter.next(&mut buffer), Ok(None));
    assert!(buffer.capacity() < 1000);
}

#[test]
fn endless_headers_are_an_error() {
    let long = [b"Content-X: ".to_vec(), vec![b'x'; 1 << 20]].concat();
    let many = b"Content-X: y\r\n".repeat(100_000);
    let wide = [b"Content-X: ", &b"x".repeat(1000)[..], b"\r\n"]
        .concat()
        .repeat(20);
    for stream in [long, many, wide] {
        for size in [1, 999, PIECE, stream.len()] {
            assert_eq!(found(1 << 20, stream.chunks(size)), [TOO_LONG]);
        }
    }
}

#[test]
fn a_header_block_may_be_as_long_as_its_limits() {
    let message = "Content-Length: 2\r\n\r\n{}";
    for (lines, fits) in [(30, true), (31, false)] {
        let stream = format!("{}{message}", "Content-X: y\r\n".repeat(lines));
        check(&stream, fits);
    }
    let around = "Content-X: \r\n".len() + message.len() - "{}".len();
    for (bytes, fits) in [(8191, true), (8192, true), (8193, false)] {
        let stream = format!("Content-X: {}\r\n{message}", "x".repeat(bytes - around));
        check(&stream, fits);
    }
}

fn check(stream: &str, fits: bool) {
    let expected = if fits { "{}" } else { TOO_LONG };
    assert_eq!(found(100, [stream.as_bytes()]), [expected]);
    assert_eq!(found(100, stream.as_bytes().chunks(1)), [expected]);
}

#[test]
fn a_line_that_arrives_byte_by_byte_is_searched_once() {
    // Were it searched from its start each time, this would take a minute.
    let line = [vec![b'x'; 1 << 20], b"\n".to_vec()].concat();
    assert_eq!(found(1 << 20, line.chunks(1))[0].len(), 1 << 20);
}
