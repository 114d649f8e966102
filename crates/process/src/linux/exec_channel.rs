//! The owner's end of an exec watch: events come in, answers go out.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::time::Duration;

use rustix::net::{SendFlags, send};
use tokio::net::UnixStream;
use tokio::sync::mpsc;

use super::exec_wire;
use crate::exec::{ExecAnswers, ExecEvent, ExecEvents};

/// The owner's end before the program runs.
pub(super) struct OwnerSocket(UnixStream);

/// The owner's end and the supervisor's.
pub(super) fn pair() -> io::Result<(OwnerSocket, OwnedFd)> {
    let (ours, theirs) = StdStream::pair()?;
    ours.set_nonblocking(true)?;
    Ok((OwnerSocket(UnixStream::from_std(ours)?), theirs.into()))
}

impl OwnerSocket {
    /// Passes events on from now on.
    pub(super) fn open(self) -> ExecEvents {
        let socket = Arc::new(AnswerSocket(self.0));
        let (sender, events) = mpsc::channel(MOST_EVENTS);
        tokio::spawn(relay(Arc::clone(&socket), sender));
        ExecEvents::new(events, ExecAnswers(socket))
    }

    /// The rule by which the program itself was not executed.
    pub(super) async fn denial(self) -> Option<String> {
        let mut frames = EventFrames::of(&self.0);
        let denial = async {
            loop {
                match frames.next().await {
                    Ok(ExecEvent::Denied { why, .. }) => return Some(why),
                    Ok(_) => {}
                    Err(_) => return None,
                }
            }
        };
        tokio::time::timeout(PATIENCE, denial).await.ok().flatten()
    }
}

/// The socket over which answers go.
pub(crate) struct AnswerSocket(UnixStream);

impl AnswerSocket {
    pub(crate) fn answer(&self, id: u64, is_allowed: bool) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        // It fails when the supervisor is gone, and then nobody waits; answers are few and small, so there is room.
        send(&self.0, &exec_wire::answer(id, is_allowed), flags).ok();
    }

    fn deny(&self, event: &ExecEvent) {
        if let ExecEvent::Ask { id, .. } = event {
            self.answer(*id, false);
        }
    }
}

/// Passes events on until the supervisor is gone. Without anybody to take them requests are denied.
async fn relay(socket: Arc<AnswerSocket>, events: mpsc::Sender<ExecEvent>) {
    let mut frames = EventFrames::of(&socket.0);
    loop {
        let taken = tokio::select! {
            taken = frames.next() => taken,
            // Events are read on, or the supervisor would think that we are slow.
            () = events.closed() => break,
        };
        let Ok(taken) = taken else {
            return;
        };
        if let Err(lost) = events.send(taken).await {
            socket.deny(&lost.0);
            break;
        }
    }
    while let Ok(taken) = frames.next().await {
        socket.deny(&taken);
    }
}

/// Events as they come in.
struct EventFrames<'a> {
    socket: &'a UnixStream,
    bytes: Vec<u8>,
}

impl EventFrames<'_> {
    fn of(socket: &UnixStream) -> EventFrames<'_> {
        EventFrames {
            socket,
            bytes: Vec::new(),
        }
    }

    /// The next event. Cancel safe: what was read of it is kept.
    async fn next(&mut self) -> io::Result<ExecEvent> {
        loop {
            if let Some((length, rest)) = self.bytes.split_first_chunk() {
                let length = exec_wire::length(*length)?;
                if let Some(body) = rest.get(..length) {
                    let event = exec_wire::read(body)?;
                    self.bytes.drain(..exec_wire::LENGTH + length);
                    return Ok(event);
                }
            }
            self.socket.readable().await?;
            let mut chunk = [0; CHUNK];
            match self.socket.try_read(&mut chunk) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.bytes.extend(&chunk[..count]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

const CHUNK: usize = 4096;
const MOST_EVENTS: usize = 512;
const PATIENCE: Duration = Duration::from_secs(1);
