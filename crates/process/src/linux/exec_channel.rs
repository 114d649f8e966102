//! The connection for exec events and answers: the supervisor's end, which sends events without waiting, and the owner's
//! end. `exec_wire` defines the format.

use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
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
    /// Starts to deliver events.
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
        tokio::time::timeout(DENIAL_TIMEOUT, denial)
            .await
            .ok()
            .flatten()
    }
}

/// The socket for answers to the supervisor.
pub(crate) struct AnswerSocket(UnixStream);

impl AnswerSocket {
    pub(crate) fn answer(&self, id: u64, is_allowed: bool) {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        // Fails when the supervisor is gone, and then no process waits. Answers are few and small, so there is room.
        send(&self.0, &exec_wire::answer(id, is_allowed), flags).ok();
    }

    fn deny(&self, event: &ExecEvent) {
        if let ExecEvent::Ask { id, .. } = event {
            self.answer(*id, false);
        }
    }
}

/// Delivers events until the supervisor is gone. Denies requests if the receiver has been dropped.
async fn relay(socket: Arc<AnswerSocket>, events: mpsc::Sender<ExecEvent>) {
    let mut frames = EventFrames::of(&socket.0);
    loop {
        let taken = tokio::select! {
            taken = frames.next() => taken,
            // Continues to read. Otherwise the supervisor would treat the owner as slow.
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

    /// Waits for the next event. Cancel safe: a partly read event is kept.
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

/// Events on their way to the owner.
pub(super) struct ExecOutbox {
    owner: OwnedFd,
    is_open: bool,
    waiting: VecDeque<u8>,
    missed: u64,
    /// When the delayed records are sent.
    due: Option<Instant>,
    partial: Vec<u8>,
}

impl ExecOutbox {
    pub(super) fn new(owner: OwnedFd) -> ExecOutbox {
        ExecOutbox {
            owner,
            is_open: true,
            waiting: VecDeque::new(),
            missed: 0,
            due: None,
            partial: Vec::new(),
        }
    }

    /// Whether there is an owner.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Whether events wait for room.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty() && self.due.is_none()
    }

    /// When the delayed records must be sent.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    pub(super) fn owner(&self) -> &OwnedFd {
        &self.owner
    }

    /// Queues an event to be sent together with those that follow soon, because each send is expensive.
    pub(super) fn put_later(&mut self, event: &ExecEvent) {
        if self.enqueue(event) && self.due.is_none() && self.is_open {
            self.due = Some(Instant::now() + LATER);
        }
        if self.waiting.len() > MOST_PUT_OFF {
            self.flush();
        }
    }

    /// Sends the delayed events when they are due.
    pub(super) fn flush_if_due(&mut self) {
        if self.due.is_none_or(|due| due <= Instant::now()) {
            self.flush();
        }
    }

    /// Sends an event, now or as soon as there is room. If the owner is slow, records of allowed execs are dropped first.
    /// Returns `false` if this event was dropped.
    pub(super) fn put(&mut self, event: &ExecEvent) -> bool {
        let is_kept = self.enqueue(event);
        self.flush();
        is_kept && self.is_open
    }

    fn enqueue(&mut self, event: &ExecEvent) -> bool {
        let most = match event {
            ExecEvent::Ran(_) => MOST_RECORDS,
            _ => MOST_WAITING,
        };
        let frame = exec_wire::frame(event).ok();
        let Some(frame) = frame.filter(|frame| self.waiting.len() + frame.len() <= most) else {
            self.missed += 1;
            return false;
        };
        self.waiting.extend(frame);
        true
    }

    /// Sends as much as there is room for.
    pub(super) fn flush(&mut self) {
        self.due = None;
        while self.is_open && !self.waiting.is_empty() {
            let (front, _) = self.waiting.as_slices();
            match send(
                &self.owner,
                front,
                SendFlags::NOSIGNAL | SendFlags::DONTWAIT,
            ) {
                Ok(sent) => drop(self.waiting.drain(..sent)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => self.close(),
            }
        }
        if self.is_open && self.missed > 0 {
            let count = std::mem::take(&mut self.missed);
            if self.enqueue(&ExecEvent::Missed { count }) {
                self.flush();
            }
        }
    }

    /// Reads the answers that have arrived. There are none if the owner is gone.
    pub(super) fn answers(&mut self) -> Vec<(u64, bool)> {
        let mut found = Vec::new();
        let mut bytes = [0; exec_wire::ANSWER * 32];
        loop {
            match recv(&self.owner, &mut bytes, RecvFlags::DONTWAIT) {
                Ok((0, _)) => self.close(),
                Ok((read, _)) => self.partial.extend(&bytes[..read]),
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => {}
                Err(_) => self.close(),
            }
            break;
        }
        while let Some((answer, rest)) = self.partial.split_first_chunk() {
            found.push(exec_wire::read_answer(*answer));
            self.partial = rest.to_vec();
        }
        found
    }

    /// Waits a short time until the owner has read everything.
    pub(super) fn finish(&mut self) {
        let end = Instant::now() + FINISH_TIMEOUT;
        self.flush();
        while self.is_open && !self.waiting.is_empty() && Instant::now() < end {
            let step = Timespec {
                tv_sec: 0,
                tv_nsec: 20_000_000,
            };
            let mut fds = [PollFd::new(&self.owner, PollFlags::OUT)];
            // Fails when a signal interrupts the call.
            poll(&mut fds, Some(&step)).ok();
            self.flush();
        }
    }

    fn close(&mut self) {
        self.is_open = false;
        self.waiting.clear();
    }
}

const CHUNK: usize = 4096;
const MOST_EVENTS: usize = 512;
const DENIAL_TIMEOUT: Duration = Duration::from_secs(1);
/// Maximum bytes of waiting records of allowed execs, and of all waiting events.
const MOST_RECORDS: usize = 256 * 1024;
const MOST_WAITING: usize = 2 * 1024 * 1024;
/// How long, and up to how many bytes, records wait to be sent together.
const LATER: Duration = Duration::from_millis(20);
const MOST_PUT_OFF: usize = 8 * 1024;
const FINISH_TIMEOUT: Duration = Duration::from_millis(300);
