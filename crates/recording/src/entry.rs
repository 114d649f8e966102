//! One line of a recording.

use std::fmt;

use attache_rpc::json::{self, Decode, Encode, Error, Problem, Reader, write};
use attache_testkit::Side;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Something that was recorded, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Microseconds since the recording began, by a clock that only goes forward.
    pub at: u64,
    /// The time of day, as in `2026-01-31T12:00:00.000001Z`.
    pub time: String,
    /// What it is.
    pub what: What,
}

/// What can be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The beginning of the file.
    Header(Header),
    /// A line of one stream.
    Said(Stream, Said),
    /// A stream has ended.
    Closed(Stream),
    /// Part of a stream could not be recorded, or part of the recording not be written.
    Lost(Option<Stream>, Loss),
    /// How the agent ended, which is the end of the file.
    End(String),
}

/// What the file is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The version of the format.
    pub version: u64,
    /// The agent, by its name or the name of its program.
    pub agent: String,
    /// Whether secrets were taken out.
    pub redacted: bool,
}

/// A stream that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// From the client to the agent.
    Client,
    /// From the agent to the client.
    Agent,
    /// The agent's standard error.
    Errors,
}

/// A line as it was on the wire, but for secrets that were taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// Its bytes, without the line break.
    pub bytes: Vec<u8>,
    /// Whether the stream ended before the line did.
    pub unfinished: bool,
    /// How long the line was, if only its beginning was kept.
    pub cut: Option<u64>,
    /// How many secrets were taken out.
    pub hidden: u64,
}

/// What was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loss {
    /// Line breaks in it.
    pub lines: u64,
    /// Bytes of it.
    pub bytes: u64,
}

impl Stream {
    /// All of them.
    pub const ALL: [Stream; 3] = [Stream::Client, Stream::Agent, Stream::Errors];

    /// The word for it in a recording, as the client sees it.
    pub fn word(self) -> &'static str {
        match self {
            Stream::Client => "out",
            Stream::Agent => "in",
            Stream::Errors => "err",
        }
    }

    /// Its name in statistics.
    pub fn name(self) -> &'static str {
        match self {
            Stream::Client => "client",
            Stream::Agent => "agent",
            Stream::Errors => "standard error",
        }
    }

    /// Who speaks the protocol on it.
    pub fn side(self) -> Option<Side> {
        match self {
            Stream::Client => Some(Side::Client),
            Stream::Agent => Some(Side::Agent),
            Stream::Errors => None,
        }
    }

    fn of(word: &str) -> Option<Stream> {
        Stream::ALL.into_iter().find(|stream| stream.word() == word)
    }
}

impl From<Side> for Stream {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Stream::Client,
            Side::Agent => Stream::Agent,
        }
    }
}

impl Said {
    /// A whole line.
    pub fn whole(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Said {
            bytes,
            ..Said::default()
        }
    }

    /// How long the line was on the wire, without its line break.
    pub fn size(&self) -> u64 {
        self.cut.unwrap_or(self.bytes.len() as u64)
    }
}

impl Loss {
    /// Whether nothing is lost.
    pub fn is_none(&self) -> bool {
        self.bytes == 0
    }

    /// Adds what is lost with these bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.bytes += bytes.len() as u64;
    }

    /// Adds what another has counted.
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
        match &self.what {
            What::Header(header) => write::member(out, "recording", &header.version),
            What::Said(stream, _) | What::Closed(stream) | What::Lost(Some(stream), _) => {
                write::member(out, "dir", stream.word());
            }
            What::Lost(None, _) | What::End(_) => {}
        }
        write::member(out, "at", &self.at);
        write::member(out, "time", self.time.as_str());
        match &self.what {
            What::Header(header) => {
                write::member(out, "agent", header.agent.as_str());
                write::member(out, "redacted", &header.redacted);
            }
            What::Said(_, said) => said.members(out),
            What::Closed(_) => write::member(out, "closed", &true),
            What::Lost(_, loss) => write::member(out, "lost", loss),
            What::End(how) => write::member(out, "end", how.as_str()),
        }
        out.push('}');
    }
}

impl Said {
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
    /// When the text is no such line.
    pub fn parse(text: &str) -> Result<Record, Error> {
        json::from_str(text)
    }
}

#[derive(Default)]
struct Parts {
    at: u64,
    time: String,
    stream: Option<Stream>,
    said: Option<Said>,
    version: Option<u64>,
    agent: String,
    redacted: bool,
    closed: bool,
    lost: Option<Loss>,
    end: Option<String>,
}

impl Decode for Record {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let mut parts = Parts::default();
        let mut said = Said::default();
        let mut more = reader.open_object()?;
        while more {
            match reader.key()? {
                "at" => parts.at = u64::decode(reader)?,
                "time" => parts.time = reader.string()?.into_owned(),
                "dir" => parts.stream = Stream::of(&reader.string()?),
                "line" => {
                    said.bytes = reader.string()?.into_owned().into_bytes();
                    parts.said = Some(Said::default());
                }
                "base64" => {
                    let text = reader.string()?;
                    let unfit = |_| reader.error(Problem::Unfit("not base64"));
                    said.bytes = STANDARD.decode(text.as_bytes()).map_err(unfit)?;
                    parts.said = Some(Said::default());
                }
                "unfinished" => said.unfinished = reader.boolean()?,
                "cut" => said.cut = Some(u64::decode(reader)?),
                "hidden" => said.hidden = u64::decode(reader)?,
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
        parts.said = parts.said.map(|_| said);
        let no_record = Problem::Unfit("not a line of a recording");
        parts.whole().ok_or_else(|| reader.error(no_record))
    }
}

impl Parts {
    fn whole(self) -> Option<Record> {
        let what = if let Some(version) = self.version {
            What::Header(Header {
                version,
                agent: self.agent,
                redacted: self.redacted,
            })
        } else if let Some(how) = self.end {
            What::End(how)
        } else {
            match (self.stream, self.said, self.lost) {
                (stream, None, Some(loss)) => What::Lost(stream, loss),
                (Some(stream), Some(said), _) => What::Said(stream, said),
                (Some(stream), None, None) if self.closed => What::Closed(stream),
                _ => return None,
            }
        };
        Some(Record {
            at: self.at,
            time: self.time,
            what,
        })
    }
}

impl Decode for Loss {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, Error> {
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
