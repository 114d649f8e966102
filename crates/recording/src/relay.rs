//! Forwards a stream byte for byte and records it.

use std::io::{self, ErrorKind, Read, Write};

use bytes::Bytes;

use super::{RecordedStream, RecordingWriter};

/// Relays a stream until it ends, records it on the way, and closes the other end. Blocks in reads and writes, so it needs
/// a thread of its own: each message costs one read and one write.
///
/// # Errors
///
/// When the stream cannot be read, or its reader is gone.
pub fn relay(
    read: impl Read,
    write: impl Write,
    stream: RecordedStream,
    recording: &RecordingWriter,
) -> io::Result<()> {
    // Recorded before it is written, so that a response never comes before its request.
    relay_bytes(read, write, |chunk| {
        recording.record_bytes(stream, Bytes::copy_from_slice(chunk));
    })?;
    recording.record_end(stream);
    Ok(())
}

/// Relays a stream until it ends, byte for byte. `before_write` sees each chunk before the other end does.
///
/// # Errors
///
/// When the stream cannot be read, or its reader is gone.
pub fn relay_bytes(
    mut read: impl Read,
    mut write: impl Write,
    mut before_write: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut buffer = vec![0; CHUNK];
    loop {
        let chunk = match read.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => &buffer[..count],
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        before_write(chunk);
        write.write_all(chunk)?;
        write.flush()?;
    }
}

const CHUNK: usize = 64 << 10;
