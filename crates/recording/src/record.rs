//! One line of a recording.

use std::fmt;

use attache_rpc::json::{self, Decode, DecodeError, Encode, Problem, Reader, write};
use attache_testkit::Side;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// One recorded event, with its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Microseconds since the recording began, by a clock that only goes forward.
    pub at: u64,
    /// The time of day, as in `2026-01-31T12:00:00.000001Z`.
    pub time: String,
    /// The event.
    pub content: RecordContent,
}

/// The kinds of recorded events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordContent {
    /// The beginning of the file.
    Header(Header),
    /// A line of one stream.
    Line(RecordedStream, RecordedLine),
    /// A stream has ended.
    Closed(RecordedStream),
    /// Part of a stream was not recorded; without a stream, part of the recording could not be written.
    Lost(Option<RecordedStream>, Loss),
    /// How the agent exited. This is the last record of the file.
    End(String),
}

/// The first record of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The version of the format.
    pub version: u64,
    /// The name of the agent or of its program.
    pub agent: String,
    /// Whether secrets are redacted.
    pub redacted: bool,
}

/// One of the recorded streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordedStream {
    /// From the client to the agent.
    Client,
    /// From the agent to the client.
    Agent,
    /// The agent's standard error.
    Errors,
}

/// A line as it was on the wire, except for redacted secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedLine {
    /// The line without its line break.
    pub bytes: Vec<u8>,
    /// Whether the stream ended before the line break.
    pub unfinished: bool,
    /// The length of the line, if only its beginning was kept.
    pub cut: Option<u64>,
    /// The number of redacted secrets.
    pub hidden: u64,
}

/// The amount of data that was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loss {
    /// The number of line breaks.
    pub lines: u64,
    /// The number of bytes.
    pub bytes: u64,
}

impl RecordedStream {
    /// All streams.
    pub const ALL: [RecordedStream; 3] = [
        RecordedStream::Client,
        RecordedStream::Agent,
        RecordedStream::Errors,
    ];

    /// The word for the stream in a recording, as the client sees it.
    pub fn word(self) -> &'static str {
        match self {
            RecordedStream::Client => "out",
            RecordedStream::Agent => "in",
            RecordedStream::Errors => "err",
        }
    }

    /// The name of the stream in statistics.
    pub fn name(self) -> &'static str {
        match self {
            RecordedStream::Client => "client",
            RecordedStream::Agent => "agent",
            RecordedStream::Errors => "standard error",
        }
    }

    /// The side that sends messages on the stream; `None` for standard error.
    pub fn side(self) -> Option<Side> {
        match self {
            RecordedStream::Client => Some(Side::Client),
            RecordedStream::Agent => Some(Side::Agent),
            RecordedStream::Errors => None,
        }
    }

    fn from_word(word: &str) -> Option<RecordedStream> {
        RecordedStream::ALL
            .into_iter()
            .find(|stream| stream.word() == word)
    }
}

impl From<Side> for RecordedStream {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => RecordedStream::Client,
            Side::Agent => RecordedStream::Agent,
        }
    }
}

impl RecordedLine {
    /// A whole line.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        RecordedLine {
            bytes,
            ..RecordedLine::default()
        }
    }

    /// The length of the line on the wire, without its line break.
    pub fn size(&self) -> u64 {
        self.cut.unwrap_or(self.bytes.len() as u64)
    }
}

impl Loss {
    /// Whether nothing is lost.
    pub fn is_none(&self) -> bool {
        self.bytes == 0
    }

    /// Counts these bytes as lost.
    pub fn add(&mut self, bytes: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.bytes += bytes.len() as u64;
    }

    /// Adds another count.
    pub fn merge(&mut self, other: Loss) {
        self.lines += other.lines;
        self.bytes += other.bytes;
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} lines, {} bytes", self.lines, self.bytes)
    }
}

impl Encode for Record {
    fn encode(&self, out: &mut String) {
        out.push('{');
        match &self.content {
            RecordContent::Header(header) => write::member(out, "recording", &header.version),
            RecordContent::Line(stream, _)
            | RecordContent::Closed(stream)
            | RecordContent::Lost(Some(stream), _) => {
                write::member(out, "dir", stream.word());
            }
            RecordContent::Lost(None, _) | RecordContent::End(_) => {}
        }
        write::member(out, "at", &self.at);
        write::member(out, "time", self.time.as_str());
        match &self.content {
            RecordContent::Header(header) => {
                write::member(out, "agent", header.agent.as_str());
                write::member(out, "redacted", &header.redacted);
            }
            RecordContent::Line(_, line) => line.members(out),
            RecordContent::Closed(_) => write::member(out, "closed", &true),
            RecordContent::Lost(_, loss) => write::member(out, "lost", loss),
            RecordContent::End(how) => write::member(out, "end", how.as_str()),
        }
        out.push('}');
    }
}

impl RecordedLine {
    fn members(&self, out: &mut String) {
        if self.unfinished {
            write::member(out, "unfinished", &true);
        }
        if let Some(cut) = self.cut {
            write::member(out, "cut", &cut);
        }
        if self.hidden > 0 {
            write::member(out, "hidden", &self.hidden);
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => write::member(out, "line", text),
            Err(_) => write::member(out, "base64", STANDARD.encode(&self.bytes).as_str()),
        }
    }
}

impl Encode for Loss {
    fn encode(&self, out: &mut String) {
        out.push('{');
        write::member(out, "lines", &self.lines);
        write::member(out, "bytes", &self.bytes);
        out.push('}');
    }
}

impl Record {
    /// Reads a line of a recording.
    ///
    /// # Errors
    ///
    /// When the text is not a line of a recording.
    pub fn parse(text: &str) -> Result<Record, DecodeError> {
        json::from_str(text)
    }
}

#[derive(Default)]
struct RecordParts {
    at: u64,
    time: String,
    stream: Option<RecordedStream>,
    line: Option<RecordedLine>,
    version: Option<u64>,
    agent: String,
    redacted: bool,
    closed: bool,
    lost: Option<Loss>,
    end: Option<String>,
}

impl Decode for Record {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut parts = RecordParts::default();
        let mut line = RecordedLine::default();
        let mut more = reader.open_object()?;
        while more {
            match reader.key()? {
                "at" => parts.at = u64::decode(reader)?,
                "time" => parts.time = reader.string()?.into_owned(),
                "dir" => parts.stream = RecordedStream::from_word(&reader.string()?),
                "line" => {
                    line.bytes = reader.string()?.into_owned().into_bytes();
                    parts.line = Some(RecordedLine::default());
                }
                "base64" => {
                    let text = reader.string()?;
                    let unfit = |_| reader.error(Problem::Unfit("not base64"));
                    line.bytes = STANDARD.decode(text.as_bytes()).map_err(unfit)?;
                    parts.line = Some(RecordedLine::default());
                }
                "unfinished" => line.unfinished = reader.boolean()?,
                "cut" => line.cut = Some(u64::decode(reader)?),
                "hidden" => line.hidden = u64::decode(reader)?,
                "recording" => parts.version = Some(u64::decode(reader)?),
                "agent" => parts.agent = reader.string()?.into_owned(),
                "redacted" => parts.redacted = reader.boolean()?,
                "closed" => parts.closed = reader.boolean()?,
                "lost" => parts.lost = Some(Loss::decode(reader)?),
                "end" => parts.end = Some(reader.string()?.into_owned()),
                _ => drop(reader.skip()?),
            }
            more = reader.more_members()?;
        }
        parts.line = parts.line.map(|_| line);
        let no_record = Problem::Unfit("not a line of a recording");
        parts.into_record().ok_or_else(|| reader.error(no_record))
    }
}

impl RecordParts {
    fn into_record(self) -> Option<Record> {
        let content = if let Some(version) = self.version {
            RecordContent::Header(Header {
                version,
                agent: self.agent,
                redacted: self.redacted,
            })
        } else if let Some(how) = self.end {
            RecordContent::End(how)
        } else {
            match (self.stream, self.line, self.lost) {
                (stream, None, Some(loss)) => RecordContent::Lost(stream, loss),
                (Some(stream), Some(line), _) => RecordContent::Line(stream, line),
                (Some(stream), None, None) if self.closed => RecordContent::Closed(stream),
                _ => return None,
            }
        };
        Some(Record {
            at: self.at,
            time: self.time,
            content,
        })
    }
}

impl Decode for Loss {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut loss = Loss::default();
        let mut more = reader.open_object()?;
        while more {
            match reader.key()? {
                "lines" => loss.lines = u64::decode(reader)?,
                "bytes" => loss.bytes = u64::decode(reader)?,
                _ => drop(reader.skip()?),
            }
            more = reader.more_members()?;
        }
        Ok(loss)
    }
}
