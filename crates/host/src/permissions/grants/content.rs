//! The file contents that a tool call shows, as digests of whole files.

use std::path::PathBuf;

use attache_schema::v1;

use crate::FileOnDisk;
use crate::permissions::Digest;

/// The file contents that a tool call shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownContent {
    /// No content is shown.
    None,
    /// For each file with a change that is shown, the change of its whole content; `None` if the result is not certain.
    Files(Vec<(PathBuf, Option<ShownChange>)>),
}

/// A change of a file that a permission request shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedChange {
    /// The change of the whole file, if the agent's diffs apply to it; otherwise a diff of the agent.
    pub diff: v1::Diff,
    /// Whether the agent's diffs apply to the file on disk.
    pub disk: DiskComparison,
}

/// Whether the diffs that an agent shows for a file apply to the file on disk. If not, it is uncertain what the agent
/// will write, so nothing may be written without another request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskComparison {
    /// They apply, and have one result.
    Applies,
    /// The file does not contain an old text.
    NotFound,
    /// The file contains an old text more than once.
    Ambiguous,
    /// The file contains an old text, but with other line endings.
    OtherLineEndings,
    /// The agent shows an old text, but there is no file.
    NoFile,
    /// The file could not be compared, and why.
    Unknown(String),
    /// A request to write replaces a file whose content cannot be shown, and why.
    Replaced(String),
}

/// A change of a file's whole content, as digests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownChange {
    /// The content before; `None` if the file did not exist.
    pub old: Option<Digest>,
    /// The content after the change.
    pub new: Digest,
}

/// A change of a file's whole content that is about to be written.
#[derive(Debug, Clone, Copy)]
pub struct WholeFileChange<'a> {
    /// The content now.
    pub old: ContentBefore<'a>,
    /// The content after the change.
    pub new: &'a str,
}

/// The content of a file that is about to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentBefore<'a> {
    /// There is no file.
    Missing,
    /// A text file.
    Text(&'a str),
    /// There is a file, but its content is not known here.
    Unknown,
}

impl<'a> From<Option<&'a str>> for ContentBefore<'a> {
    /// The content of a file; `None` if there is no file.
    fn from(text: Option<&'a str>) -> Self {
        text.map_or(ContentBefore::Missing, ContentBefore::Text)
    }
}

impl ShownChange {
    /// Whether this is the change that was shown, and the file still has the content it was shown with.
    pub(super) fn is(&self, change: WholeFileChange<'_>) -> bool {
        let is_unchanged = match change.old {
            ContentBefore::Missing => self.old.is_none(),
            ContentBefore::Text(text) => self.old == Some(digest(text)),
            ContentBefore::Unknown => false,
        };
        is_unchanged && self.has_new(change)
    }

    /// Whether this is the content that was shown, whatever the file has now.
    pub(super) fn has_new(&self, change: WholeFileChange<'_>) -> bool {
        self.new == digest(change.new)
    }
}

impl ComparedChange {
    /// The changes that a tool call shows, as changes of the files on disk. `on_disk` is the content of the file of each
    /// diff; a diff without one, because there were too many, is not compared.
    ///
    /// Where the diffs of a file apply to it, they become one diff of the whole file. Otherwise they stay as the agent
    /// sent them.
    pub fn compare(diffs: Vec<v1::Diff>, on_disk: &[FileOnDisk]) -> Vec<ComparedChange> {
        let mut files: Vec<(Vec<v1::Diff>, Option<&FileOnDisk>)> = Vec::new();
        for (at, diff) in diffs.into_iter().enumerate() {
            let is_same = |(known, _): &&mut (Vec<v1::Diff>, _)| known[0].path == diff.path;
            match files.iter_mut().find(is_same) {
                Some((parts, _)) => parts.push(diff),
                None => files.push((vec![diff], on_disk.get(at))),
            }
        }
        let compared = files.into_iter().flat_map(|(parts, file)| {
            let not_compared = FileOnDisk::Unknown("there are too many changes".to_owned());
            compare_file(parts, file.unwrap_or(&not_compared))
        });
        compared.collect()
    }
}

/// The changes of one file.
fn compare_file(mut parts: Vec<v1::Diff>, file: &FileOnDisk) -> Vec<ComparedChange> {
    let disk = match result(file, &parts) {
        Ok(new) => {
            parts.truncate(1);
            for whole in &mut parts {
                whole.new_text.clone_from(&new);
                whole.old_text = match file {
                    FileOnDisk::Text(text) => Some(text.clone()),
                    FileOnDisk::Missing | FileOnDisk::Unknown(_) => None,
                };
            }
            DiskComparison::Applies
        }
        Err(why) => why,
    };
    let change = |diff| ComparedChange {
        diff,
        disk: disk.clone(),
    };
    parts.into_iter().map(change).collect()
}

impl ShownContent {
    /// The content that may be written after these changes were shown.
    pub fn of(changes: &[ComparedChange]) -> ShownContent {
        if changes.is_empty() {
            return ShownContent::None;
        }
        let files = changes.iter().map(|change| {
            let shown = (change.disk == DiskComparison::Applies).then(|| ShownChange {
                old: change.diff.old_text.as_deref().map(digest),
                new: digest(&change.diff.new_text),
            });
            (change.diff.path.as_path().to_owned(), shown)
        });
        ShownContent::Files(files.collect())
    }
}

/// The digest of a file's whole content.
fn digest(content: &str) -> Digest {
    Digest(*blake3::hash(content.as_bytes()).as_bytes())
}

/// The whole content of a file after its changes, or why it is not certain.
///
/// Agents show a whole file or the part that changes. A part has to occur in the file exactly once. Without an old text,
/// the new text is the whole content.
fn result(file: &FileOnDisk, parts: &[v1::Diff]) -> Result<String, DiskComparison> {
    let mut text = match file {
        FileOnDisk::Text(text) => Some(text.clone()),
        FileOnDisk::Missing => None,
        FileOnDisk::Unknown(why) => return Err(DiskComparison::Unknown(why.clone())),
    };
    if parts.len() > MAX_PARTS {
        let why = "the file has too many changes";
        return Err(DiskComparison::Unknown(why.to_owned()));
    }
    for part in parts {
        let old = part.old_text.as_deref().filter(|old| !old.is_empty());
        text = Some(match (&text, old) {
            (Some(text), Some(old)) if text == old => part.new_text.clone(),
            (Some(text), Some(old)) => replaced(text, old, &part.new_text)?,
            (None, Some(_)) => return Err(DiskComparison::NoFile),
            (Some(_), None) if parts.len() > 1 => return Err(DiskComparison::NotFound),
            (Some(_) | None, None) => part.new_text.clone(),
        });
    }
    Ok(text.unwrap_or_default())
}

/// The text with a part replaced that occurs in it exactly once.
fn replaced(text: &str, old: &str, new: &str) -> Result<String, DiskComparison> {
    let Some(at) = text.find(old) else {
        return Err(match is_part_but_for_line_ends(old, text) {
            true => DiskComparison::OtherLineEndings,
            false => DiskComparison::NotFound,
        });
    };
    // The next occurrence may begin inside this one.
    let behind = text[at..].chars().next().map_or(0, char::len_utf8);
    match text[at + behind..].contains(old) {
        true => Err(DiskComparison::Ambiguous),
        false => Ok(format!("{}{new}{}", &text[..at], &text[at + old.len()..])),
    }
}

fn is_part_but_for_line_ends(old: &str, text: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n");
    plain(text).contains(&plain(old))
}

/// A change with more parts is asked about when it is written.
const MAX_PARTS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(
        there: Option<&str>,
        changes: &[(Option<&str>, &str)],
        expected: Result<&str, DiskComparison>,
    ) {
        let file = there.map_or(FileOnDisk::Missing, |text| {
            FileOnDisk::Text(text.to_owned())
        });
        let diffs = changes.iter().map(|(old, new)| {
            let mut diff = v1::Diff::new("/w/a", *new);
            diff.old_text = old.map(str::to_owned);
            diff
        });
        let diffs: Vec<v1::Diff> = diffs.collect();
        let files = vec![file; diffs.len()];
        let found = ComparedChange::compare(diffs.clone(), &files);
        let content = ShownContent::of(&found);
        let ShownContent::Files(granted) = content else {
            unreachable!()
        };
        match expected {
            Ok(new) => {
                // The dialog shows the change of the whole file, and nothing else.
                assert_eq!(found.len(), 1, "{there:?} {changes:?}");
                assert_eq!(found[0].disk, DiskComparison::Applies);
                assert_eq!(found[0].diff.old_text.as_deref(), there);
                assert_eq!(found[0].diff.new_text, new);
                let old = there.map(digest);
                let new = digest(new);
                assert_eq!(granted[0].1, Some(ShownChange { old, new }));
            }
            Err(why) => {
                let shown: Vec<v1::Diff> = found.iter().map(|it| it.diff.clone()).collect();
                assert_eq!(shown, diffs);
                assert!(found.iter().all(|it| it.disk == why), "{found:?}");
                assert!(granted.iter().all(|(_, change)| change.is_none()));
            }
        }
    }

    #[test]
    fn shown_changes_make_one_content_or_none() {
        use DiskComparison::{Ambiguous, NoFile, NotFound, OtherLineEndings};
        check(None, &[(None, "new")], Ok("new"));
        check(None, &[(Some(""), "new")], Ok("new"));
        check(Some("one\ntwo\n"), &[(Some("one\ntwo\n"), "x")], Ok("x"));
        check(Some("one\ntwo\n"), &[(Some("two"), "2")], Ok("one\n2\n"));
        // A part never stands for the whole file.
        check(Some("a a"), &[(Some("a"), "b")], Err(Ambiguous));
        check(Some("aaa"), &[(Some("aa"), "b")], Err(Ambiguous));
        check(
            Some("a\r\nb\r\nc"),
            &[(Some("a\nb\n"), "x")],
            Err(OtherLineEndings),
        );
        check(Some("precious"), &[(Some("old"), "new")], Err(NotFound));
        check(None, &[(Some("old"), "new")], Err(NoFile));
        // Without an old text it replaces the file, which is shown.
        check(Some("precious"), &[(None, "new")], Ok("new"));
        check(Some("precious"), &[(Some(""), "new")], Ok("new"));
        // Several parts, in order.
        let two = [(Some("one"), "1"), (Some("two"), "2")];
        check(Some("one two"), &two, Ok("1 2"));
        check(Some("one"), &two, Err(NotFound));
        check(
            Some("one"),
            &[(Some("one"), "1"), (None, "2")],
            Err(NotFound),
        );
    }
}
