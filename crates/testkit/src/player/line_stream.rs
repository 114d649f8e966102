//! Reads and writes lines with deadlines.

use std::io;
use std::time::Duration;

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use crate::wire_message::WireMessage;

pub(super) struct LineStream<R, W> {
    read: R,
    write: W,
    splitter: Splitter,
    buffer: BytesMut,
    ended: bool,
    /// Whether the text after the last line break has been returned.
    over: bool,
    /// A message that was put back.
    ahead: Option<WireMessage>,
}

/// No message arrived in time.
pub(super) struct TimedOut;

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> LineStream<R, W> {
    pub(super) fn new(read: R, write: W) -> Self {
        LineStream {
            read,
            write,
            splitter: Splitter::new(MAX_LINE_BYTES),
            buffer: BytesMut::new(),
            ended: false,
            over: false,
            ahead: None,
        }
    }

    /// The next message. After the end of the stream it returns the end each time.
    pub(super) async fn receive(&mut self, within: Duration) -> Result<WireMessage, TimedOut> {
        match self.ahead.take() {
            Some(message) => Ok(message),
            None => match timeout(within, self.next()).await {
                Ok(message) => Ok(message),
                Err(_) => Err(TimedOut),
            },
        }
    }

    /// Puts the last message back.
    pub(super) fn put_back(&mut self, message: WireMessage) {
        self.ahead = Some(message);
    }

    pub(super) async fn send(&mut self, line: &str, within: Duration) -> io::Result<()> {
        let writing = async {
            self.write.write_all(line.as_bytes()).await?;
            self.write.write_all(b"\n").await?;
            self.write.flush().await
        };
        timeout(within, writing).await?
    }

    pub(super) async fn close(&mut self, within: Duration) -> io::Result<()> {
        timeout(within, self.write.shutdown()).await?
    }

    async fn next(&mut self) -> WireMessage {
        loop {
            if self.over {
                return WireMessage::Closed;
            }
            match self.splitter.next(&mut self.buffer) {
                Ok(Some(Frame::Message(line))) => return WireMessage::read(&line),
                Ok(Some(Frame::TooLong(_))) => {
                    return WireMessage::Raw("a line too long to keep".to_owned());
                }
                Ok(None) if self.ended => return self.last(),
                Ok(None) => {}
                Err(_) => {
                    self.over = true;
                    continue;
                }
            }
            // A failing stream counts as ended.
            let got = self.read.read_buf(&mut self.buffer).await;
            self.ended = matches!(got, Ok(0) | Err(_));
        }
    }

    fn last(&mut self) -> WireMessage {
        self.over = true;
        match self.splitter.end(&mut self.buffer) {
            Ok(Some(rest)) => WireMessage::read(&rest),
            Ok(None) | Err(_) => WireMessage::Closed,
        }
    }
}

const MAX_LINE_BYTES: usize = 1 << 30;
