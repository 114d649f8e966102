//! Reads the list entry of a transcript from the beginning and the end of its file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use attache::json::{self, Object};
use attache::v1;

use super::ArchivedSession;
use super::line::TranscriptLine;

/// The list entry of a file; `None` if the file is not a transcript.
pub(super) fn of(file: &Path) -> Option<ArchivedSession> {
    let mut opened = File::open(file).ok()?;
    let metadata = opened.metadata().ok()?;
    let mut start = Vec::new();
    Read::by_ref(&mut opened)
        .take(PART)
        .read_to_end(&mut start)
        .ok()?;
    let mut end = Vec::new();
    let from = metadata.len().saturating_sub(PART).max(PART);
    opened.seek(SeekFrom::Start(from)).ok()?;
    opened.take(PART).read_to_end(&mut end).ok()?;
    let head = start.split(|byte| *byte == b'\n').next()?;
    let head = Object::parse(std::str::from_utf8(head).ok()?).ok()?;
    let changed = jiff::Timestamp::try_from(metadata.modified().ok()?).ok()?;
    head.get("attache")?;
    Some(ArchivedSession {
        agent: text(&head, "agent")?,
        session: v1::SessionId::from(text(&head, "sessionId")?),
        cwd: PathBuf::from(text(&head, "cwd")?),
        title: title(&start, &end),
        created_at: text(&head, "createdAt")?,
        updated_at: changed.to_string(),
        file: file.to_owned(),
    })
}

fn text(head: &Object<'_>, name: &str) -> Option<String> {
    json::from_str(head.get(name)?).ok()
}

/// The last title that the agent gave, otherwise the beginning of the first prompt.
fn title(start: &[u8], end: &[u8]) -> Option<String> {
    let given = last_title(end).or_else(|| last_title(start));
    given.or_else(|| {
        let mut lines = start
            .split(|byte| *byte == b'\n')
            .filter_map(TranscriptLine::read);
        lines.find_map(|line| match line {
            TranscriptLine::Prompt(content) => beginning(&content),
            _ => None,
        })
    })
}

fn last_title(part: &[u8]) -> Option<String> {
    let lines = part.rsplit(|byte| *byte == b'\n');
    let mut candidates = lines.filter(|line| line.windows(SIGN.len()).any(|it| it == SIGN));
    candidates.find_map(|line| {
        let TranscriptLine::Update(update) = TranscriptLine::read(line)? else {
            return None;
        };
        // Another update may contain the same words.
        let v1::SessionUpdate::SessionInfoUpdate(info) = *update else {
            return None;
        };
        info.title.value().cloned()
    })
}

fn beginning(content: &[v1::ContentBlock]) -> Option<String> {
    let mut texts = content.iter().filter_map(|block| match block {
        v1::ContentBlock::Text(text) => text.text.lines().find(|line| !line.trim().is_empty()),
        _ => None,
    });
    let line = texts.next()?.trim();
    Some(line.chars().take(WIDTH).collect())
}

const PART: u64 = 128 * 1024;
const SIGN: &[u8] = b"\"session_info_update\"";
const WIDTH: usize = 80;
