//! MCP over standard input and output: a message per line.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

use super::wire::{LONGEST, PendingRequests, TOO_LONG, WriteBacklog};

/// The transport. A line above the limit is skipped and fails the pending requests.
pub(super) struct StdioTransport<R, W> {
    read: BufReader<R>,
    line: Vec<u8>,
    skipping: bool,
    ready: VecDeque<ServerJsonRpcMessage>,
    write: Arc<Mutex<Option<W>>>,
    pending: PendingRequests,
    backlog: WriteBacklog,
}

impl<R, W> StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(super) fn new(read: R, write: W) -> Self {
        StdioTransport {
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            ready: VecDeque::new(),
            write: Arc::new(Mutex::new(Some(write))),
            pending: PendingRequests::default(),
            backlog: WriteBacklog::new(),
        }
    }

    /// Reads up to the next line end. Safe to drop: there is no await between consuming bytes and keeping them.
    async fn take(&mut self) -> io::Result<ReadStep> {
        let bytes = self.read.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(ReadStep::End);
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(bytes.len(), |end| end + 1);
        let mut step = ReadStep::More;
        if self.skipping {
            self.skipping = end.is_none();
        } else if self.line.len() + taken > LONGEST {
            self.line = Vec::new();
            self.skipping = end.is_none();
            step = ReadStep::TooLong;
        } else {
            self.line.extend_from_slice(&bytes[..taken]);
            if end.is_some() {
                step = ReadStep::Line;
            }
        }
        self.read.consume(taken);
        Ok(step)
    }
}

enum ReadStep {
    More,
    Line,
    TooLong,
    End,
}

impl<R, W> Transport<RoleClient> for StdioTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.pending.note(&message);
        let ticket = self.backlog.enter();
        let write = Arc::clone(&self.write);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut write = write.lock().await;
            let writer = write.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
            writer.write_all(&line).await?;
            writer.flush().await?;
            drop(ticket);
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            self.backlog.short().await;
            match self.take().await {
                Ok(ReadStep::More) => {}
                Ok(ReadStep::Line) => {
                    self.ready.extend(self.pending.read(self.line.trim_ascii()));
                    self.line.clear();
                    self.line.shrink_to(KEPT);
                }
                Ok(ReadStep::TooLong) => self.ready.extend(self.pending.fail(TOO_LONG)),
                Ok(ReadStep::End) | Err(_) => return None,
            }
        }
    }

    /// Closes our side. A writer that is blocked is closed by the end of the process.
    async fn close(&mut self) -> io::Result<()> {
        if let Ok(mut write) = self.write.try_lock() {
            write.take();
        }
        Ok(())
    }
}

const KEPT: usize = 64 * 1024;
