//! Passing a stream on, byte for byte, and recording it on the way.

use std::io::{self, ErrorKind, Read, Write};

use bytes::Bytes;

use super::{RecordedStream, RecordingWriter};

/// Passes everything on as it comes, until the stream ends; then the other end is closed. It waits in reads and writes, and
/// wants a thread of its own: a message costs one of each.
///
/// # Errors
///
/// When nobody takes it any more, or it cannot be read.
pub fn relay(
    mut read: impl Read,
    mut write: impl Write,
    stream: RecordedStream,
    recording: &RecordingWriter,
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        let piece = match read.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        // First, so that an answer is never recorded before its question.
        recording.record_bytes(stream, Bytes::copy_from_slice(piece));
        write.write_all(piece)?;
        write.flush()?;
    }
    recording.record_end(stream);
    Ok(())
}

const CHUNK: usize = 64 << 10;
