//! Forwards a stream byte for byte and records it.

use std::io::{self, ErrorKind, Read, Write};

use bytes::Bytes;

use super::{RecordedStream, RecordingWriter};

/// Forwards bytes as they arrive until the stream ends, then closes the other end. Reads and writes block, so the relay
/// needs a thread of its own.
///
/// # Errors
///
/// When reading or writing fails.
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
        // Recorded first, so that a response is never recorded before its request.
        recording.record_bytes(stream, Bytes::copy_from_slice(piece));
        write.write_all(piece)?;
        write.flush()?;
    }
    recording.record_end(stream);
    Ok(())
}

const CHUNK: usize = 64 << 10;
