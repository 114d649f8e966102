//! Framing: a stream gives the same messages in whatever pieces it arrives.

mod headers;
mod lines;
mod memory;

use bytes::BytesMut;
use proptest::prelude::*;

use crate::{Frame, Splitter};

/// A stream, and the messages expected in it with a limit of 40 bytes.
type Row = (&'static [u8], &'static [&'static str]);

const LIMIT: usize = 40;

/// Splits a stream that arrives in pieces.
fn found<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<String> {
    let mut splitter = Splitter::new(limit);
    let mut buffer = BytesMut::new();
    let mut found = Vec::new();
    for piece in pieces {
        buffer.extend_from_slice(piece);
        loop {
            match splitter.next(&mut buffer) {
                Ok(Some(Frame::Message(line))) => found.push(text(line.trim_ascii_end())),
                Ok(Some(Frame::TooLong(_))) => found.push("TOO LONG".to_owned()),
                Ok(None) => break,
                Err(broken) => {
                    assert_eq!(splitter.next(&mut buffer), Err(broken), "no way back");
                    found.push(format!("BROKEN {broken}"));
                    return found;
                }
            }
        }
    }
    match splitter.end(&mut buffer) {
        Ok(None) => {}
        Ok(Some(rest)) => found.push(format!("LAST {}", text(&rest))),
        Err(broken) => found.push(format!("BROKEN {broken}")),
    }
    assert!(buffer.is_empty());
    found
}

fn text(bytes: &[u8]) -> String {
    let shown = bytes.escape_ascii().to_string();
    shown.replace("\\\"", "\"")
}

/// Checks a stream whole, byte by byte, and cut in two at every position.
fn check(rows: &[Row]) {
    for (stream, expected) in rows {
        let shown = text(stream);
        assert_eq!(found(LIMIT, [*stream]), *expected, "{shown}");
        assert_eq!(found(LIMIT, stream.chunks(1)), *expected, "bytes: {shown}");
        for cut in 0..stream.len() {
            let (start, end) = stream.split_at(cut);
            assert_eq!(found(LIMIT, [start, end]), *expected, "{cut}: {shown}");
        }
    }
}

/// The stream cut at some places.
fn pieces<'a>(stream: &'a [u8], cuts: &[prop::sample::Index]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
    places.extend([0, stream.len()]);
    places.sort_unstable();
    let pairs = places.windows(2);
    pairs.map(|pair| &stream[pair[0]..pair[1]]).collect()
}

fn all_rows() -> Vec<Row> {
    let tables = lines::TABLES.iter().chain(headers::TABLES);
    tables.copied().flatten().copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_stream_gives_the_same_messages_in_any_pieces(
        row in prop::sample::select(all_rows()),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        prop_assert_eq!(found(LIMIT, pieces(row.0, &cuts)), row.1);
    }

    #[test]
    fn any_bytes_give_the_same_messages_in_any_pieces(
        stream in "(Content-|content-length|: ?|[0-9]{1,2}|\r\n|\n|\r|\\{\\}|[a-z ]|\u{feff}|[ab]{30,50}){0,24}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let stream = stream.as_bytes();
        prop_assert_eq!(found(LIMIT, pieces(stream, &cuts)), found(LIMIT, [stream]));
    }
}
