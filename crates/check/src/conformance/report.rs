//! What has been found out, and the ways it is written.

mod html;
mod json;
mod junit;
mod text;

use std::time::Duration;

use attache_recording::redact;
use attache_testkit::Side;

use super::{Conversation, EntryContent, Evidence, Judgement, Subject, Verdict};

pub use text::{Detail, TextStyle};

/// What has been found out about something under test.
#[derive(Debug, Clone)]
pub struct Report {
    /// What was under test.
    pub subject: Subject,
    /// A judgement for each check that was to be made.
    pub judgements: Vec<Judgement>,
    /// The conversations that prove them.
    pub conversations: Vec<Conversation>,
    /// How long it took.
    pub took: Duration,
}

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text(Detail, TextStyle),
    /// For programs.
    Json,
    /// For test reports of CI systems.
    Junit,
    /// One page with the conversation beside each finding.
    Html,
}

impl Report {
    pub(crate) fn new(
        subject: Subject,
        mut judgements: Vec<Judgement>,
        conversations: Vec<Conversation>,
        took: Duration,
    ) -> Self {
        judgements.sort_by_key(|made| made.check.group());
        Report {
            subject,
            judgements,
            conversations,
            took,
        }
    }

    /// How many checks ended so.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.of(verdict).count()
    }

    /// The checks that ended so.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Judgement> {
        self.judgements
            .iter()
            .filter(move |made| made.verdict == verdict)
    }

    /// Whether no duty was broken, and anything was seen at all.
    pub fn is_conformant(&self) -> bool {
        self.count(Verdict::Fail) == 0 && self.count(Verdict::Pass) + self.count(Verdict::Warn) > 0
    }

    /// Whether the agent asked for a login (error -32000) in any conversation.
    pub fn wants_login(&self) -> bool {
        let mut entry = self.conversations.iter().flat_map(|it| &it.entries);
        entry.any(|entry| entry.from == Side::Agent && is_login_error(&entry.content))
    }

    /// The report in a format.
    pub fn write(&self, format: Format) -> String {
        match format {
            Format::Text(detail, paint) => text::write(self, detail, paint),
            Format::Json => json::write(self),
            Format::Junit => junit::write(self),
            Format::Html => html::write(self),
        }
    }

    /// A message that proves something, as a line: who said it, and what.
    fn proof(&self, evidence: &Evidence) -> Option<(Side, String)> {
        let conversation = self.conversations.get(evidence.conversation)?;
        let entry = conversation.entries.get(evidence.entry)?;
        Some((entry.from, shown(&entry.content)))
    }
}

fn is_login_error(content: &EntryContent) -> bool {
    let EntryContent::Line(line, _) = content else {
        return false;
    };
    let message: Option<serde_json::Value> = serde_json::from_slice(line).ok();
    let code = message.as_ref().and_then(|it| it.pointer("/error/code"));
    code.and_then(serde_json::Value::as_i64) == Some(-32000)
}

/// What was said, without secrets and in a line that is not too long.
fn shown(content: &EntryContent) -> String {
    let EntryContent::Line(line, _) = content else {
        return "(end)".to_owned();
    };
    let text = String::from_utf8_lossy(line.trim_ascii_end());
    let (text, _) = redact(&text);
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], line.len()),
        None => text.into_owned(),
    }
}

/// An arrow as in a script.
fn arrow(from: Side) -> &'static str {
    match from {
        Side::Client => "->",
        Side::Agent => "<-",
    }
}

const LONGEST: usize = 600;
