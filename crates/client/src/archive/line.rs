//! One line of a transcript: the header of the file, or one entry.

use std::path::Path;

use attache::json::{self, Encode, Object};
use attache::{Transcript, v1};
use attache_host::terminals::TerminalView;

use super::{TerminalViews, terminals};
use crate::event::CommandFailure;

/// An entry of a transcript.
pub(super) enum TranscriptLine {
    Prompt(Vec<v1::ContentBlock>),
    Steer(Vec<v1::ContentBlock>),
    Update(Box<v1::SessionUpdate>),
    Terminal(v1::TerminalId, Box<TerminalView>),
    Stopped(v1::StopReason),
    Failed(v1::Error),
}

impl TranscriptLine {
    /// Reads a line; `None` if this version does not know it.
    pub(super) fn read(text: &[u8]) -> Option<TranscriptLine> {
        let object = Object::parse(std::str::from_utf8(text).ok()?.trim_end()).ok()?;
        if let Some(update) = object.get("update") {
            return Some(TranscriptLine::Update(Box::new(
                json::from_str(update).ok()?,
            )));
        }
        if let Some(prompt) = object.get("prompt") {
            return Some(TranscriptLine::Prompt(json::from_str(prompt).ok()?));
        }
        if let Some(said) = object.get("steer") {
            return Some(TranscriptLine::Steer(json::from_str(said).ok()?));
        }
        if let Some(terminal) = object.get("terminal") {
            let (id, view) = terminals::read(terminal)?;
            return Some(TranscriptLine::Terminal(id, Box::new(view)));
        }
        let end = Object::parse(object.get("end")?).ok()?;
        if let Some(error) = end.get("error") {
            return Some(TranscriptLine::Failed(json::from_str(error).ok()?));
        }
        let answer: v1::PromptResponse = json::from_str(object.get("end")?).ok()?;
        Some(TranscriptLine::Stopped(answer.stop_reason))
    }

    pub(super) fn apply(self, transcript: &mut Transcript, terminals: &mut TerminalViews) {
        match self {
            TranscriptLine::Terminal(id, view) => drop(terminals.insert(id, *view)),
            TranscriptLine::Prompt(content) => drop(transcript.begin_turn(content)),
            TranscriptLine::Steer(content) => {
                for block in content {
                    let chunk = v1::ContentChunk::new(block);
                    transcript.apply(v1::SessionUpdate::UserMessageChunk(chunk));
                }
            }
            TranscriptLine::Update(update) => drop(transcript.apply(*update)),
            TranscriptLine::Stopped(reason) => drop(transcript.end_turn(reason)),
            TranscriptLine::Failed(error) => drop(transcript.end_turn(error)),
        }
    }
}

/// The first line of a transcript.
pub(super) fn head(agent: &str, session: &v1::SessionId, cwd: &Path) -> String {
    let mut object = Object::default();
    object.put("attache", &1u16);
    object.put("agent", agent);
    object.put("sessionId", session);
    object.put("cwd", &*cwd.to_string_lossy());
    object.put("createdAt", &now());
    finish(&object)
}

/// A line with the time and one member.
pub(super) fn of<T: Encode + ?Sized>(what: &'static str, value: &T) -> String {
    let mut object = Object::default();
    object.put("at", &now());
    object.put(what, value);
    finish(&object)
}

/// The line for the end of a turn.
pub(super) fn end(outcome: &Result<v1::PromptResponse, CommandFailure>) -> String {
    match outcome {
        Ok(answer) => of("end", answer),
        Err(failure) => {
            let error = v1::Error::new(v1::Error::INTERNAL, failure.reason.clone());
            let mut object = Object::default();
            object.put("error", &error);
            of("end", &object)
        }
    }
}

fn finish(object: &Object<'_>) -> String {
    let mut line = json::to_string(object);
    line.push('\n');
    line
}

fn now() -> String {
    jiff::Timestamp::now().to_string()
}
