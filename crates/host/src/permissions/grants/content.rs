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
    /// The content now; `None` if the file does not exist, or its content is not shown.
    pub old: Option<&'a str>,
    /// The content after the change.
    pub new: &'a str,
}

impl ShownChange {
    /// Whether this is the change that was shown, and the file still has the content it was shown with.
    pub(super) fn is(&self, change: WholeFileChange<'_>) -> bool {
        self.has_new(change) && self.old == change.old.map(digest)
    }

    /// Whether this is the content that was shown, whatever the file has now.
    pub(super) fn has_new(&self, change: WholeFileChange<'_>) -> bool {
        self.new == digest(change.new)
    }
}

impl ShownContent {
    /// The files after the changes. `on_disk` is the content of each changed file when the user saw the change; a
    /// change without one, because there were too many, allows nothing to be written.
    pub fn of(changes: &[v1::Diff], on_disk: &[FileOnDisk]) -> ShownContent {
        if changes.is_empty() {
            return ShownContent::None;
        }
        let mut files: Vec<(PathBuf, Option<ShownChange>)> = Vec::new();
        for (at, change) in changes.iter().enumerate() {
            let path = change.path.as_path();
            if files.iter().any(|(known, _)| known == path) {
                continue;
            }
            let parts: Vec<&v1::Diff> = changes[at..]
                .iter()
                .filter(|it| it.path.as_path() == path)
                .collect();
            let change = on_disk.get(at).and_then(|file| {
                Some(ShownChange {
                    new: digest(&result(file, &parts)?),
                    old: match file {
                        FileOnDisk::Text(text) => Some(digest(text)),
                        FileOnDisk::Missing | FileOnDisk::Unknown(_) => None,
                    },
                })
            });
            files.push((path.to_owned(), change));
        }
        ShownContent::Files(files)
    }
}

/// The digest of a file's whole content.
fn digest(content: &str) -> Digest {
    Digest(*blake3::hash(content.as_bytes()).as_bytes())
}

/// The whole content of a file after its changes, if it is certain.
///
/// Agents show a whole file or the part that changes. A part has to occur in the file exactly once. If the old text
/// does not occur at all, the user was warned about that, and the new text is the whole content.
fn result(file: &FileOnDisk, parts: &[&v1::Diff]) -> Option<String> {
    let mut text = match file {
        FileOnDisk::Text(text) => Some(text.clone()),
        FileOnDisk::Missing => None,
        FileOnDisk::Unknown(_) => return None,
    };
    if parts.len() > MAX_PARTS {
        return None;
    }
    for part in parts {
        let old = part.old_text.as_deref().filter(|old| !old.is_empty());
        text = Some(match (&text, old) {
            (None, None) => part.new_text.clone(),
            (Some(text), Some(old)) if text == old => part.new_text.clone(),
            (Some(text), Some(old)) if text.contains(old) => replaced(text, old, &part.new_text)?,
            (Some(text), Some(old)) if is_part_but_for_line_ends(old, text) => return None,
            _ if parts.len() == 1 => part.new_text.clone(),
            _ => return None,
        });
    }
    text
}

/// The text with a part replaced that occurs in it exactly once.
fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let at = text.find(old)?;
    // The next occurrence may begin inside this one.
    let behind = text[at..].chars().next().map_or(0, char::len_utf8);
    let is_only = !text[at + behind..].contains(old);
    is_only.then(|| format!("{}{new}{}", &text[..at], &text[at + old.len()..]))
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

    fn check(there: Option<&str>, changes: &[(Option<&str>, &str)], expected: Option<&str>) {
        let file = there.map_or(FileOnDisk::Missing, |text| {
            FileOnDisk::Text(text.to_owned())
        });
        let diffs = changes.iter().map(|(old, new)| {
            let mut diff = v1::Diff::new("/w/a", *new);
            diff.old_text = old.map(str::to_owned);
            diff
        });
        let diffs: Vec<v1::Diff> = diffs.collect();
        let parts: Vec<&v1::Diff> = diffs.iter().collect();
        let found = result(&file, &parts);
        assert_eq!(found.as_deref(), expected, "{there:?} {changes:?}");
    }

    #[test]
    fn shown_changes_make_one_content_or_none() {
        check(None, &[(None, "new")], Some("new"));
        check(None, &[(Some(""), "new")], Some("new"));
        check(Some("one\ntwo\n"), &[(Some("one\ntwo\n"), "x")], Some("x"));
        check(Some("one\ntwo\n"), &[(Some("two"), "2")], Some("one\n2\n"));
        // A part never stands for the whole file.
        check(Some("a a"), &[(Some("a"), "b")], None);
        check(Some("aaa"), &[(Some("aa"), "b")], None);
        check(Some("a\r\nb\r\nc"), &[(Some("a\nb\n"), "x")], None);
        // The user was warned that the file has other content.
        check(Some("precious"), &[(None, "new")], Some("new"));
        check(Some("precious"), &[(Some("old"), "new")], Some("new"));
        check(None, &[(Some("old"), "new")], Some("new"));
        // Several parts, in order.
        let two = [(Some("one"), "1"), (Some("two"), "2")];
        check(Some("one two"), &two, Some("1 2"));
        check(Some("one"), &two, None);
        check(Some("one"), &[(Some("one"), "1"), (None, "2")], None);
    }
}
