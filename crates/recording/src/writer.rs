//! Writes a recording on a background thread, so that the connection never waits for the disk.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use attache_disk::{BackgroundWriter, QueueLimits, private};
use attache_rpc::json::Encode as _;
use bytes::Bytes;

use super::stream_lines::StreamLines;
use super::{Header, Loss, Record, RecordContent, RecordedLine, RecordedStream, redact};

/// A recording that is being written. Clones write to the same file.
#[derive(Debug, Clone)]
pub struct RecordingWriter(Arc<WriterShared>);

/// Whether secrets are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// Secrets are redacted.
    Redacted,
    /// Secrets are recorded.
    Kept,
}

#[derive(Debug)]
struct WriterShared {
    writer: BackgroundWriter<QueuedEvent>,
    losses: Mutex<Losses>,
    fault: Arc<Mutex<Option<String>>>,
}

#[derive(Debug, Default)]
struct Losses {
    /// Data of each stream that did not fit into the queue since the last piece that did.
    missed: [Loss; 3],
    /// All data that did not fit.
    lost: Loss,
}

#[derive(Debug)]
struct QueuedEvent {
    at: Instant,
    event: StreamEvent,
}

#[derive(Debug)]
enum StreamEvent {
    Bytes(RecordedStream, Bytes),
    Line(RecordedStream, Bytes),
    Closed(RecordedStream),
    Lost(RecordedStream, Loss),
    End(String),
}

impl RecordingWriter {
    /// Creates a file that only its owner can read, or empties an existing one. Its first line names the agent.
    ///
    /// # Errors
    ///
    /// When the file cannot be created.
    pub fn create(path: &Path, agent: &str, secrets: Secrets) -> io::Result<RecordingWriter> {
        Ok(RecordingWriter::start(
            private::create_or_truncate(path)?,
            agent,
            secrets,
            MAX_WAITING,
        ))
    }

    /// Like [`create`](Self::create), for any writer. The queue contains at most `limit` bytes.
    pub fn start(
        out: impl Write + Send + 'static,
        agent: &str,
        secrets: Secrets,
        limit: usize,
    ) -> RecordingWriter {
        let fault = Arc::<Mutex<Option<String>>>::default();
        let mut writer = FileWriter {
            out,
            began: Instant::now(),
            clock: SystemTime::now(),
            secrets,
            lines: Default::default(),
            text: String::new(),
            unwritten: Loss::default(),
            torn: false,
            fault: Arc::clone(&fault),
        };
        let header = Header {
            version: VERSION,
            agent: agent.to_owned(),
            redacted: secrets == Secrets::Redacted,
        };
        writer.put(writer.began, RecordContent::Header(header));
        let limits = QueueLimits {
            max_queued: limit,
            max_batch: BATCH_BYTES,
            gather_for: GATHER_TIME,
        };
        let write = move |events: Vec<QueuedEvent>| {
            events
                .into_iter()
                .for_each(|queued| writer.write_event(queued));
            writer.flush();
        };
        RecordingWriter(Arc::new(WriterShared {
            writer: BackgroundWriter::start("recording", limits, write),
            losses: Mutex::default(),
            fault,
        }))
    }

    /// Records bytes of a stream: any number of lines, or parts of them. Never waits for the file.
    pub fn record_bytes(&self, stream: RecordedStream, bytes: Bytes) {
        self.push_or_count(stream, bytes.clone(), StreamEvent::Bytes(stream, bytes));
    }

    /// Records a complete line, given without its line break.
    pub fn record_line(&self, stream: RecordedStream, line: &[u8]) {
        let line = Bytes::copy_from_slice(line);
        self.push_or_count(stream, line.clone(), StreamEvent::Line(stream, line));
    }

    /// Records the end of a stream.
    pub fn record_end(&self, stream: RecordedStream) {
        let mut losses = lock(&self.0.losses);
        self.push_loss(&mut losses, stream);
        self.push(StreamEvent::Closed(stream));
    }

    /// Ends the recording with the exit of the agent, and waits for the file at most `timeout`.
    ///
    /// # Errors
    ///
    /// When the recording is incomplete; the text says why.
    pub fn finish(&self, how: &str, timeout: Duration) -> Result<(), String> {
        let mut losses = lock(&self.0.losses);
        for stream in RecordedStream::ALL {
            self.push_loss(&mut losses, stream);
        }
        self.push(StreamEvent::End(how.to_owned()));
        let lost = losses.lost;
        drop(losses);
        let has_ended = self.0.writer.close(timeout);
        match (lock(&self.0.fault).clone(), has_ended, lost.is_none()) {
            (Some(fault), _, _) => Err(fault),
            (None, false, _) => Err("the file cannot be written fast enough".to_owned()),
            (None, true, false) => Err(format!("the file was too slow: {lost} are missing")),
            (None, true, true) => Ok(()),
        }
    }

    fn push_or_count(&self, stream: RecordedStream, bytes: Bytes, event: StreamEvent) {
        // Every producer holds this lock, so what fits now still fits below.
        let mut losses = lock(&self.0.losses);
        if self.0.writer.fits(event.weight()) {
            self.push_loss(&mut losses, stream);
            self.push(event);
        } else {
            losses.missed[stream as usize].add(&bytes);
            losses.lost.add(&bytes);
        }
    }

    fn push_loss(&self, losses: &mut Losses, stream: RecordedStream) {
        let missed = std::mem::take(&mut losses.missed[stream as usize]);
        if !missed.is_none() {
            self.push(StreamEvent::Lost(stream, missed));
        }
    }

    fn push(&self, event: StreamEvent) {
        let weight = event.weight();
        let at = Instant::now();
        self.0.writer.push(QueuedEvent { at, event }, weight);
    }
}

/// The state of the writing thread.
struct FileWriter<W> {
    out: W,
    began: Instant,
    clock: SystemTime,
    secrets: Secrets,
    lines: [StreamLines; 3],
    text: String,
    /// The data that could not be written to the file.
    unwritten: Loss,
    /// Whether the file may end within a line.
    torn: bool,
    fault: Arc<Mutex<Option<String>>>,
}

impl<W: Write> FileWriter<W> {
    fn write_event(&mut self, queued: QueuedEvent) {
        let at = queued.at;
        match queued.event {
            StreamEvent::Bytes(stream, bytes) => {
                let mut found = Vec::new();
                self.lines[stream as usize].push(&bytes, |line| found.push(line));
                for line in found {
                    self.put_line(at, stream, line);
                }
            }
            StreamEvent::Line(stream, line) => {
                self.put_line(at, stream, RecordedLine::whole(&line[..]))
            }
            StreamEvent::Closed(stream) => {
                if let Some(rest) = self.lines[stream as usize].end() {
                    self.put_line(at, stream, rest);
                }
                self.put(at, RecordContent::Closed(stream));
            }
            StreamEvent::Lost(stream, mut loss) => {
                loss.add(&self.lines[stream as usize].mark_torn());
                self.put(at, RecordContent::Lost(Some(stream), loss));
            }
            StreamEvent::End(how) => self.put(at, RecordContent::End(how)),
        }
    }

    fn put_line(&mut self, at: Instant, stream: RecordedStream, mut line: RecordedLine) {
        if self.secrets == Secrets::Redacted {
            // Bytes that are not text may be next to a secret.
            let text = String::from_utf8_lossy(&line.bytes);
            let (shown, hidden) = redact(&text);
            if hidden > 0 {
                line.bytes = shown.into_owned().into_bytes();
                line.hidden = hidden;
            }
        }
        self.put(at, RecordContent::Line(stream, line));
    }

    fn put(&mut self, at: Instant, content: RecordContent) {
        let since = at.saturating_duration_since(self.began);
        let record = Record {
            at: u64::try_from(since.as_micros()).unwrap_or(u64::MAX),
            time: time_of_day(self.clock + since),
            content,
        };
        record.encode(&mut self.text);
        self.text.push('\n');
    }

    /// Writes the collected lines. If that fails, they are counted as lost, and the loss is recorded with the next write.
    fn flush(&mut self) {
        if self.text.is_empty() {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        if !self.unwritten.is_none() {
            self.put(Instant::now(), RecordContent::Lost(None, self.unwritten));
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
                lock(&self.fault).get_or_insert_with(|| error.to_string());
            }
        }
        text.clear();
        self.text = text;
    }
}

impl StreamEvent {
    fn weight(&self) -> usize {
        match self {
            StreamEvent::Bytes(_, bytes) | StreamEvent::Line(_, bytes) => {
                bytes.len() + EVENT_OVERHEAD
            }
            StreamEvent::Closed(_) | StreamEvent::Lost(..) | StreamEvent::End(_) => 0,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn time_of_day(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time).map_or_else(|_| String::new(), |time| format!("{time:.6}"))
}

/// The version of the format.
const VERSION: u64 = 1;
/// The maximum number of bytes that wait for the file.
const MAX_WAITING: usize = 64 << 20;
/// The memory that a queued event uses beside its bytes.
const EVENT_OVERHEAD: usize = 64;
/// How long the writer waits to gather more events.
const GATHER_TIME: Duration = Duration::from_millis(1);
/// The number of bytes that are written at once.
const BATCH_BYTES: usize = 1 << 20;
