//! The hash chain of the audit log. A line is JSON whose last two members are the digest of the line before and its
//! own. The head of the chain is kept in a separate file with a keyed digest; without it, a log cut off at its end
//! would look complete.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use blake3::Hash;
use serde_json::{Map, Value};

use attache_disk::private::Key;
use attache_text::plain::is_hidden;

/// A position in the chain: the number and the digest of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainPosition {
    pub(super) seq: u64,
    pub(super) hash: Hash,
}

impl ChainPosition {
    /// The position before the first line.
    pub(super) const START: ChainPosition = ChainPosition {
        seq: 0,
        hash: Hash::from_bytes([0; 32]),
    };

    /// Formats the next line, including its line feed, and returns it with the new position.
    pub(super) fn next(
        &self,
        time: &str,
        event: &str,
        fields: &[(&str, Value)],
    ) -> (String, ChainPosition) {
        let seq = self.seq.saturating_add(1);
        let mut body = format!("{{\"seq\":{seq},\"time\":\"{time}\",\"event\":\"{event}\"");
        for (name, value) in fields {
            body.push_str(&format!(",\"{name}\":{}", visible(&value.to_string())));
        }
        body.push_str(&format!(",\"prev\":\"{}\"", self.hash.to_hex()));
        let hash = blake3::hash(body.as_bytes());
        body.push_str(&format!("{HASH}{}\"}}\n", hash.to_hex()));
        (body, ChainPosition { seq, hash })
    }
}

/// A line of the log, parsed.
#[derive(Debug)]
pub(super) struct LogLine {
    pub(super) position: ChainPosition,
    pub(super) prev: Hash,
    pub(super) members: Map<String, Value>,
}

/// Why a line is not a valid line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InvalidLine {
    /// The line is cut off, or was never written by us.
    Malformed,
    /// The digest does not match the content.
    Changed,
}

impl LogLine {
    pub(super) fn read(text: &[u8]) -> Result<LogLine, InvalidLine> {
        let text = str::from_utf8(text).map_err(|_| InvalidLine::Malformed)?;
        let (body, digest) = text.rsplit_once(HASH).ok_or(InvalidLine::Malformed)?;
        let digest = digest.strip_suffix("\"}").ok_or(InvalidLine::Malformed)?;
        let digest: Hash = digest.parse().map_err(|_| InvalidLine::Changed)?;
        if digest != blake3::hash(body.as_bytes()) {
            return Err(InvalidLine::Changed);
        }
        let members: Map<String, Value> =
            serde_json::from_str(text).map_err(|_| InvalidLine::Changed)?;
        let prev = members.get("prev").and_then(Value::as_str);
        let seq = members.get("seq").and_then(Value::as_u64);
        Ok(LogLine {
            position: ChainPosition {
                seq: seq.ok_or(InvalidLine::Changed)?,
                hash: digest,
            },
            prev: prev
                .and_then(|prev| prev.parse().ok())
                .ok_or(InvalidLine::Changed)?,
            members,
        })
    }

    pub(super) fn follows(&self, position: &ChainPosition) -> bool {
        self.position.seq == position.seq.saturating_add(1) && self.prev == position.hash
    }

    pub(super) fn text(&self, member: &str) -> &str {
        self.members
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// The end of the chain after the last write, or its start once the oldest files were dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainHead {
    pub(super) position: ChainPosition,
    /// The number of the file with the last line, and the length of that file.
    pub(super) file: u64,
    pub(super) size: u64,
}

/// The content of a head file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HeadFile {
    Empty,
    Forged,
    Valid(ChainHead),
}

impl ChainHead {
    pub(super) fn read(mut file: &File, key: &Key) -> std::io::Result<HeadFile> {
        let mut bytes = [0; LENGTH];
        file.seek(SeekFrom::Start(0))?;
        let read = file.read(&mut bytes)?;
        Ok(match std::str::from_utf8(&bytes[..read]) {
            Ok("") => HeadFile::Empty,
            Ok(text) => ChainHead::parse(text, key).map_or(HeadFile::Forged, HeadFile::Valid),
            Err(_) => HeadFile::Forged,
        })
    }

    pub(super) fn write(&self, mut file: &File, key: &Key) -> std::io::Result<()> {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(self.text(key).as_bytes())
    }

    /// The text of a head file. The length is fixed, so that a shorter head leaves nothing of the previous one behind.
    pub(super) fn text(&self, key: &Key) -> String {
        let fields = self.fields();
        let mac = blake3::keyed_hash(key, fields.as_bytes()).to_hex();
        let text = format!("{fields} {mac}");
        format!("{text:<width$}\n", width = LENGTH - 1)
    }

    fn parse(text: &str, key: &Key) -> Option<ChainHead> {
        let (fields, mac) = text.trim_end().rsplit_once(' ')?;
        let mac: Hash = mac.parse().ok()?;
        let mut parts = fields.split(' ');
        let mut number = || parts.next()?.parse().ok();
        let (seq, file, size) = (number()?, number()?, number()?);
        let hash = parts.next()?.parse().ok()?;
        let position = ChainPosition { seq, hash };
        (mac == blake3::keyed_hash(key, fields.as_bytes())).then_some(ChainHead {
            position,
            file,
            size,
        })
    }

    fn fields(&self) -> String {
        let ChainHead {
            position,
            file,
            size,
        } = self;
        format!("{} {file} {size} {}", position.seq, position.hash.to_hex())
    }
}

/// Escapes characters that a terminal obeys or hides as `\uXXXX`.
fn visible(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        if is_hidden(char) {
            let mut units = [0; 2];
            for unit in char.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(char);
        }
    }
    out
}

const HASH: &str = ",\"hash\":\"";
/// Three numbers of at most 20 digits, two digests of 64 digits, the separators and the line feed.
const LENGTH: usize = 3 * 21 + 64 + 1 + 64 + 1;
