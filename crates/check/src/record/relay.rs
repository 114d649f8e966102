//! Passing a stream on, byte for byte, and recording it on the way.

use std::io;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{Stream, Tape};

/// Passes everything on as it comes, until the stream ends; then the other end is told so.
///
/// # Errors
///
/// When nobody takes it any more, or it cannot be read.
pub async fn relay<R, W>(mut read: R, mut write: W, stream: Stream, tape: &Tape) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut buffer = BytesMut::new();
    loop {
        if buffer.capacity() < LEAST {
            buffer.reserve(CHUNK);
        }
        if read.read_buf(&mut buffer).await? == 0 {
            break;
        }
        let piece = buffer.split().freeze();
        // First, so that an answer is never recorded before its question.
        tape.bytes(stream, piece.clone());
        write.write_all(&piece).await?;
        write.flush().await?;
    }
    tape.closed(stream);
    write.shutdown().await
}

const CHUNK: usize = 64 << 10;
/// With less room than this another piece of memory is begun.
const LEAST: usize = 4 << 10;
