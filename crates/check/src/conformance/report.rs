//! The report of a run. Its submodules write it as text, JSON, JUnit XML or HTML.

mod html;
mod json;
mod junit;
mod text;

use std::time::Duration;

use attache_recording::redact;
use attache_testkit::Side;

use super::{Conversation, EntryContent, Evidence, Judgement, Subject, Verdict};

pub use text::{Detail, TextStyle};

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Report {
    /// The kind of program that was tested.
    pub subject: Subject,
    /// One judgement for each selected check.
    pub judgements: Vec<Judgement>,
    /// The recorded conversations, to which the evidence of the judgements refers.
    pub conversations: Vec<Conversation>,
    /// How long the run took.
    pub took: Duration,
}

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Text for people.
    Text(Detail, TextStyle),
    /// JSON for programs.
    Json,
    /// JUnit XML for CI systems.
    Junit,
    /// One HTML page that shows the conversation beside each judgement.
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

    /// The number of checks with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.of(verdict).count()
    }

    /// The judgements with this verdict.
    pub fn of(&self, verdict: Verdict) -> impl Iterator<Item = &Judgement> {
        self.judgements
            .iter()
            .filter(move |made| made.verdict == verdict)
    }

    /// Whether no check failed, and at least one check passed or warned.
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

    /// The sender and the text of a message that is evidence.
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

/// The text of an entry, shortened and without secrets.
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

/// The arrow that stands for a sender in scripts.
fn arrow(from: Side) -> &'static str {
    match from {
        Side::Client => "->",
        Side::Agent => "<-",
    }
}

const LONGEST: usize = 600;
