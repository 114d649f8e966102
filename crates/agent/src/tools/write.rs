//! `write`: replaces a file's text. Also the part that all tools which change text share: the change is shown first,
//! and it is made only if the file still has the text that was shown.

use std::path::PathBuf;

use attache::schema::FilePath;
use attache::v1;
use attache_model::Input;
use serde_json::json;

use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::{Workplace, format, location};
use crate::ToolOutcome;

/// Writes a file whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Write {
    /// The file.
    pub path: String,
    /// Its new text.
    pub content: String,
}

/// A prepared change of a file.
#[derive(Debug)]
pub(super) struct PreparedChange {
    pub(super) path: PathBuf,
    pub(super) shown: String,
    /// The text before the change; `None` for a new file.
    pub(super) old: Option<String>,
    pub(super) new: String,
    /// The first line that differs, counted from 1.
    pub(super) line: u32,
    /// The result for the model.
    pub(super) done: String,
}

impl Write {
    pub(super) fn of(mut members: InputObject) -> Result<Write, InvalidInput> {
        Ok(Write {
            path: members.word("path")?,
            content: members.text("content")?,
        })
    }

    pub(super) async fn prepare(self, workplace: &Workplace) -> Result<PreparedChange, ToolError> {
        let path = workplace.resolve_for_writing("write", &self.path).await?;
        let shown = workplace.shown(&path);
        let old = workplace.old_text(&path).await?;
        let new = match &old {
            Some(old) => in_the_manner_of(old, &self.content),
            None => self.content,
        };
        if old.as_ref() == Some(&new) {
            let sentence = format!("`{shown}` already has exactly this text; nothing was written");
            return Err(ToolError::new("no_change", sentence));
        }
        let lines = format::count(new.lines().count(), "line", "lines");
        let verb = if old.is_some() { "Replaced" } else { "Made" };
        Ok(PreparedChange {
            done: format!("{verb} `{shown}`: {lines}."),
            line: first_difference(old.as_deref().unwrap_or_default(), &new),
            path,
            shown,
            old,
            new,
        })
    }
}

impl PreparedChange {
    /// The change for the user: both texts, or the differing parts with some context if the texts are long.
    pub(super) fn content(&self) -> Vec<v1::ToolCallContent> {
        let Ok(path) = FilePath::try_from(self.path.clone()) else {
            return Vec::new();
        };
        let old = self.old.as_deref();
        let is_long = self.new.len() + old.map_or(0, str::len) > MOST_SHOWN;
        let (old, new) = match old {
            Some(old) if is_long => {
                let (old, new) = middles(old, &self.new);
                (Some(old), new)
            }
            old => (old, self.new.as_str()),
        };
        if new.len() + old.map_or(0, str::len) > MOST_SHOWN {
            let note = format!(
                "`{}`: {} bytes become {}, too large to show",
                self.shown,
                self.old.as_deref().map_or(0, str::len),
                self.new.len()
            );
            return vec![v1::ContentBlock::from(note).into()];
        }
        let mut diff = v1::Diff::new(path, new);
        diff.old_text = old.map(str::to_owned);
        vec![v1::ToolCallContent::Diff(diff)]
    }

    pub(super) fn locations(&self) -> Vec<v1::ToolCallLocation> {
        let location = location(&self.path).map(|location| location.line(self.line));
        location.into_iter().collect()
    }

    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let old = self.old.as_deref();
        workplace.replace(&self.path, old, &self.new).await?;
        Ok(ToolOutcome {
            content: self.content(),
            locations: self.locations(),
            raw: Some(json!({
                "created": self.old.is_none(),
                "bytes": self.new.len(),
                "line": self.line,
            })),
            for_model: vec![Input::Text(self.done)],
            failed: false,
        })
    }
}

/// Models write LF and no byte order mark. A file with CRLF everywhere, or with a mark, keeps them.
pub(super) fn in_the_manner_of(old: &str, new: &str) -> String {
    let mut text = match has_only_crlf(old) {
        true => with_crlf(new),
        false => new.to_owned(),
    };
    if old.starts_with(MARK) && !text.starts_with(MARK) {
        text.insert(0, MARK);
    }
    text
}

pub(super) fn has_only_crlf(text: &str) -> bool {
    let ends = text.matches('\n').count();
    ends > 0 && ends == text.matches("\r\n").count()
}

pub(super) fn with_crlf(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\n', "\r\n")
}

/// The first line that differs, counted from 1.
pub(super) fn first_difference(old: &str, new: &str) -> u32 {
    let same = old.lines().zip(new.lines());
    let same = same.take_while(|(old, new)| old == new).count();
    u32::try_from(same + 1).unwrap_or(u32::MAX)
}

/// The differing middle parts of two texts, with a few of the common lines around them.
fn middles<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let same = |lines: &mut dyn Iterator<Item = (&str, &str)>| {
        let lines = lines.take_while(|(old, new)| old == new);
        lines.map(|(line, _)| line.len()).collect::<Vec<_>>()
    };
    let before = same(&mut old.split_inclusive('\n').zip(new.split_inclusive('\n')));
    let start: usize = before.iter().rev().skip(AROUND).sum();
    let (old, new) = (&old[start..], &new[start..]);
    let kept: usize = before.iter().rev().take(AROUND).sum();
    let (old_rest, new_rest) = (&old[kept..], &new[kept..]);
    let mut from_end = old_rest
        .split_inclusive('\n')
        .rev()
        .zip(new_rest.split_inclusive('\n').rev());
    let after = same(&mut from_end);
    let end: usize = after.iter().rev().skip(AROUND).sum();
    (&old[..old.len() - end], &new[..new.len() - end])
}

const MOST_SHOWN: usize = 256 * 1024;
const AROUND: usize = 3;
const MARK: char = '\u{feff}';
