//! Writing a recording from a thread of its own: whoever speaks never waits for the disk.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use attache_rpc::json::Encode as _;
use bytes::Bytes;

use super::split::Lines;
use super::{Header, Loss, Record, Said, Stream, What, redact};

/// A recording that is being written. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct Tape(Arc<Shared>);

/// What becomes of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// They are taken out.
    Redacted,
    /// They are recorded.
    Kept,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    /// Something has come.
    filled: Condvar,
    /// The thread has ended.
    ended: Condvar,
    limit: usize,
}

#[derive(Debug, Default)]
struct Queue {
    pieces: VecDeque<Piece>,
    /// Bytes that wait or are being written.
    bytes: usize,
    /// What did not fit since the last piece of the stream that did.
    missed: [Loss; 3],
    /// All that did not fit.
    lost: Loss,
    finished: bool,
    ended: bool,
    fault: Option<String>,
}

#[derive(Debug)]
struct Piece {
    at: Instant,
    what: Event,
}

#[derive(Debug)]
enum Event {
    Bytes(Stream, Bytes),
    Line(Stream, Bytes),
    Closed(Stream),
    Lost(Stream, Loss),
    End(String),
}

impl Tape {
    /// Makes a file that only its owner can read; one that is there is emptied. `agent` is told in its first line.
    ///
    /// # Errors
    ///
    /// When the file cannot be made.
    pub fn create(path: &Path, agent: &str, secrets: Secrets) -> io::Result<Tape> {
        Tape::start(open(path)?, agent, secrets, WAITING)
    }

    /// The same for anything that can be written to, with room for so many bytes that wait.
    ///
    /// # Errors
    ///
    /// When the system has no room for another thread.
    pub fn start(
        out: impl Write + Send + 'static,
        agent: &str,
        secrets: Secrets,
        limit: usize,
    ) -> io::Result<Tape> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            filled: Condvar::new(),
            ended: Condvar::new(),
            limit,
        });
        let mut scribe = Scribe {
            out,
            began: Instant::now(),
            clock: SystemTime::now(),
            secrets,
            lines: Default::default(),
            text: String::new(),
            unwritten: Loss::default(),
            torn: false,
        };
        let header = Header {
            version: VERSION,
            agent: agent.to_owned(),
            redacted: secrets == Secrets::Redacted,
        };
        scribe.put(scribe.began, What::Header(header));
        let theirs = Arc::clone(&shared);
        thread::Builder::new()
            .name("tape".to_owned())
            .spawn(move || scribe.work(&theirs))?;
        Ok(Tape(shared))
    }

    /// Notes bytes of a stream, of any number of lines or parts of them. Never waits for the file.
    pub fn bytes(&self, stream: Stream, bytes: Bytes) {
        self.offer(stream, bytes.clone(), Event::Bytes(stream, bytes));
    }

    /// Notes a whole line without its line break.
    pub fn line(&self, stream: Stream, line: &[u8]) {
        let line = Bytes::copy_from_slice(line);
        self.offer(stream, line.clone(), Event::Line(stream, line));
    }

    /// Notes that a stream has ended.
    pub fn closed(&self, stream: Stream) {
        let mut queue = self.0.lock();
        queue.admit_missed(stream);
        queue.push(Event::Closed(stream));
        self.0.filled.notify_one();
    }

    /// Ends the recording with how the agent ended, and waits for the file, but not longer than that.
    ///
    /// # Errors
    ///
    /// When the recording is not whole; the text says why.
    pub fn finish(&self, how: &str, patience: Duration) -> Result<(), String> {
        let mut queue = self.0.lock();
        for stream in Stream::ALL {
            queue.admit_missed(stream);
        }
        queue.push(Event::End(how.to_owned()));
        queue.finished = true;
        self.0.filled.notify_one();
        let waited = self
            .0
            .ended
            .wait_timeout_while(queue, patience, |queue| !queue.ended);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match (&queue.fault, queue.ended, queue.lost.is_none()) {
            (Some(fault), _, _) => Err(fault.clone()),
            (None, false, _) => Err("the file does not take it in time".to_owned()),
            (None, true, false) => {
                Err(format!("the file was too slow: {} are missing", queue.lost))
            }
            (None, true, true) => Ok(()),
        }
    }

    fn offer(&self, stream: Stream, bytes: Bytes, event: Event) {
        let mut queue = self.0.lock();
        if queue.bytes.saturating_add(bytes.len() + OVERHEAD) > self.0.limit {
            queue.missed[stream as usize].add(&bytes);
            queue.lost.add(&bytes);
            return;
        }
        let was_empty = queue.pieces.is_empty();
        queue.admit_missed(stream);
        queue.bytes += bytes.len() + OVERHEAD;
        queue.push(event);
        drop(queue);
        if was_empty {
            self.0.filled.notify_one();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn push(&mut self, what: Event) {
        let at = Instant::now();
        self.pieces.push_back(Piece { at, what });
    }

    fn admit_missed(&mut self, stream: Stream) {
        let missed = std::mem::take(&mut self.missed[stream as usize]);
        if !missed.is_none() {
            self.push(Event::Lost(stream, missed));
        }
    }
}

/// The thread that writes.
struct Scribe<W> {
    out: W,
    began: Instant,
    clock: SystemTime,
    secrets: Secrets,
    lines: [Lines; 3],
    text: String,
    /// What the file did not take.
    unwritten: Loss,
    /// Whether the file may end within a line.
    torn: bool,
}

impl<W: Write> Scribe<W> {
    fn work(&mut self, shared: &Shared) {
        loop {
            let (pieces, finished) = {
                let queue = shared.lock();
                let waits = |queue: &mut Queue| queue.pieces.is_empty() && !queue.finished;
                let queue = shared.filled.wait_while(queue, waits);
                let queue = queue.unwrap_or_else(PoisonError::into_inner);
                let mut queue = linger(queue, shared);
                (std::mem::take(&mut queue.pieces), queue.finished)
            };
            let mut taken = 0;
            for piece in pieces {
                taken += piece.weight();
                self.take(piece);
                if self.text.len() > BATCH {
                    self.flush(shared);
                    shared.lock().bytes -= std::mem::take(&mut taken);
                }
            }
            self.flush(shared);
            let mut queue = shared.lock();
            queue.bytes -= taken;
            if finished && queue.pieces.is_empty() {
                queue.ended = true;
                shared.ended.notify_all();
                return;
            }
        }
    }

    fn take(&mut self, piece: Piece) {
        let at = piece.at;
        match piece.what {
            Event::Bytes(stream, bytes) => {
                let mut found = Vec::new();
                self.lines[stream as usize].push(&bytes, |said| found.push(said));
                for said in found {
                    self.said(at, stream, said);
                }
            }
            Event::Line(stream, line) => self.said(at, stream, Said::whole(&line[..])),
            Event::Closed(stream) => {
                if let Some(rest) = self.lines[stream as usize].end() {
                    self.said(at, stream, rest);
                }
                self.put(at, What::Closed(stream));
            }
            Event::Lost(stream, mut loss) => {
                loss.add(&self.lines[stream as usize].tear());
                self.put(at, What::Lost(Some(stream), loss));
            }
            Event::End(how) => self.put(at, What::End(how)),
        }
    }

    fn said(&mut self, at: Instant, stream: Stream, mut said: Said) {
        if self.secrets == Secrets::Redacted {
            // Bytes that are no text can stand beside a secret.
            let text = String::from_utf8_lossy(&said.bytes);
            let (shown, hidden) = redact(&text);
            if hidden > 0 {
                said.bytes = shown.into_owned().into_bytes();
                said.hidden = hidden;
            }
        }
        self.put(at, What::Said(stream, said));
    }

    fn put(&mut self, at: Instant, what: What) {
        let since = at.saturating_duration_since(self.began);
        let record = Record {
            at: u64::try_from(since.as_micros()).unwrap_or(u64::MAX),
            time: time_of_day(self.clock + since),
            what,
        };
        record.encode(&mut self.text);
        self.text.push('\n');
    }

    /// Writes what has been put together. What the file does not take is counted, and said as soon as it takes more.
    fn flush(&mut self, shared: &Shared) {
        if self.text.is_empty() {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        if !self.unwritten.is_none() {
            self.put(Instant::now(), What::Lost(None, self.unwritten));
            text.insert_str(0, &std::mem::take(&mut self.text));
        }
        if self.torn {
            text.insert(0, '\n');
        }
        match self
            .out
            .write_all(text.as_bytes())
            .and_then(|()| self.out.flush())
        {
            Ok(()) => {
                self.torn = false;
                self.unwritten = Loss::default();
            }
            Err(error) => {
                self.torn = true;
                self.unwritten.add(text.as_bytes());
                let mut queue = shared.lock();
                queue.fault.get_or_insert_with(|| error.to_string());
            }
        }
        text.clear();
        self.text = text;
    }
}

/// Leaves others a moment to add more: to wake this thread costs them more than to add a line.
fn linger<'a>(queue: MutexGuard<'a, Queue>, shared: &'a Shared) -> MutexGuard<'a, Queue> {
    if queue.finished {
        return queue;
    }
    drop(queue);
    thread::sleep(LINGER);
    shared.lock()
}

impl Piece {
    fn weight(&self) -> usize {
        match &self.what {
            Event::Bytes(_, bytes) | Event::Line(_, bytes) => bytes.len() + OVERHEAD,
            Event::Closed(_) | Event::Lost(..) | Event::End(_) => 0,
        }
    }
}

fn time_of_day(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| String::new(), |time| format!("{time:.6}"))
}

fn open(path: &Path) -> io::Result<File> {
    let is_file = !path.exists() || path.is_file();
    let mut options = OpenOptions::new();
    // A named pipe that nobody reads is opened all the same if it is opened both ways.
    options.write(true).read(!is_file);
    if is_file {
        options.create(true).truncate(true);
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    if is_file {
        owner_only(&file)?;
    }
    Ok(file)
}

/// A file that was there keeps its mode, unless it is told.
#[cfg(unix)]
fn owner_only(file: &File) -> io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    file.set_permissions(mode)
}

#[cfg(not(unix))]
fn owner_only(_: &File) -> io::Result<()> {
    Ok(())
}

/// The version of the format.
const VERSION: u64 = 1;
/// How many bytes may wait for the file.
const WAITING: usize = 64 << 20;
/// What a piece costs beside its bytes.
const OVERHEAD: usize = 64;
const LINGER: Duration = Duration::from_millis(1);
/// How much is written at once.
const BATCH: usize = 1 << 20;
