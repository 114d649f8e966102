//! One line of the log: JSON whose last two members are the digest of the line before and its own.

use blake3::Hash;
use serde_json::{Map, Value};

use attache_text::plain::is_hidden;

/// Where a chain stands: the number and the digest of its last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) seq: u64,
    pub(super) hash: Hash,
}

impl Link {
    /// Before the first line.
    pub(super) const START: Link = Link {
        seq: 0,
        hash: Hash::from_bytes([0; 32]),
    };

    /// The next line, with its end, and where the chain stands then.
    pub(super) fn next(&self, time: &str, event: &str, fields: &[(&str, Value)]) -> (String, Link) {
        let seq = self.seq.saturating_add(1);
        let mut body = format!("{{\"seq\":{seq},\"time\":\"{time}\",\"event\":\"{event}\"");
        for (name, value) in fields {
            body.push_str(&format!(",\"{name}\":{}", visible(&value.to_string())));
        }
        body.push_str(&format!(",\"prev\":\"{}\"", self.hash.to_hex()));
        let hash = blake3::hash(body.as_bytes());
        body.push_str(&format!("{HASH}{}\"}}\n", hash.to_hex()));
        (body, Link { seq, hash })
    }
}

/// A line that was read.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) link: Link,
    pub(super) prev: Hash,
    pub(super) members: Map<String, Value>,
}

/// Why a line is none of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bad {
    /// It is cut off or was never a line.
    NoLine,
    /// It says another digest than it has.
    Changed,
}

impl Line {
    pub(super) fn read(text: &[u8]) -> Result<Line, Bad> {
        let text = str::from_utf8(text).map_err(|_| Bad::NoLine)?;
        let (body, said) = text.rsplit_once(HASH).ok_or(Bad::NoLine)?;
        let said = said.strip_suffix("\"}").ok_or(Bad::NoLine)?;
        let said: Hash = said.parse().map_err(|_| Bad::Changed)?;
        if said != blake3::hash(body.as_bytes()) {
            return Err(Bad::Changed);
        }
        let members: Map<String, Value> = serde_json::from_str(text).map_err(|_| Bad::Changed)?;
        let prev = members.get("prev").and_then(Value::as_str);
        let seq = members.get("seq").and_then(Value::as_u64);
        Ok(Line {
            link: Link {
                seq: seq.ok_or(Bad::Changed)?,
                hash: said,
            },
            prev: prev
                .and_then(|prev| prev.parse().ok())
                .ok_or(Bad::Changed)?,
            members,
        })
    }

    pub(super) fn follows(&self, link: &Link) -> bool {
        self.link.seq == link.seq.saturating_add(1) && self.prev == link.hash
    }

    pub(super) fn text(&self, member: &str) -> &str {
        self.members
            .get(member)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }
}

/// JSON in which what a terminal obeys or hides is written as numbers.
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
