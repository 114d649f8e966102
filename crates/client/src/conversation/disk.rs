//! Compares the changes that an agent shows with the files on disk.

use std::time::Duration;

use attache::v1;
use attache_host::permissions::ShownContent;
use attache_host::{FileOnDisk, Host};
use tokio::time::timeout;

use crate::event::DiskComparison;

/// Compares the changes of a tool call with the disk, in order, and computes the resulting files.
pub(super) async fn compare(
    host: &Host,
    session: v1::SessionId,
    changes: Vec<v1::Diff>,
) -> (Vec<DiskComparison>, ShownContent) {
    if changes.is_empty() {
        return (Vec::new(), ShownContent::None);
    }
    let paths = changes.iter().take(MOST_FILES);
    let paths = paths.map(|change| change.path.as_path().to_owned());
    let looks = timeout(PATIENCE, host.files_on_disk(&session, paths.collect()));
    let looks = looks.await.unwrap_or_else(|_| {
        let late = FileOnDisk::Unknown("the disk does not respond".to_owned());
        vec![late; changes.len().min(MOST_FILES)]
    });
    let content = ShownContent::of(&changes, &looks);
    let found = changes.iter().zip(looks);
    let disk = found.map(|(change, look)| on_disk(change, look)).collect();
    (disk, content)
}

/// The changes of a tool call.
pub(super) fn changes(call: &v1::ToolCall) -> Vec<v1::Diff> {
    let diffs = call.content.iter().filter_map(|content| match content {
        v1::ToolCallContent::Diff(diff) => Some(diff.clone()),
        _ => None,
    });
    diffs.collect()
}

/// Compares one change. Agents show a whole file, or only the part that changes.
fn on_disk(change: &v1::Diff, look: FileOnDisk) -> DiskComparison {
    match (change.old_text.as_deref(), look) {
        (None | Some(""), FileOnDisk::Missing) => DiskComparison::AsShown,
        (Some(shown), FileOnDisk::Text(text)) if is_part(shown, &text) => DiskComparison::AsShown,
        (_, FileOnDisk::Text(text)) => DiskComparison::Different(Some(text)),
        (Some(_), FileOnDisk::Missing) => DiskComparison::Different(None),
        (_, FileOnDisk::Unknown(why)) => DiskComparison::Unknown(why),
    }
}

/// Whether the file contains the old text. Ignores differences in line endings.
fn is_part(shown: &str, text: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n");
    match shown {
        "" => text.is_empty(),
        shown => text.contains(shown) || plain(text).contains(&plain(shown)),
    }
}

const MOST_FILES: usize = 64;
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shown: Option<&str>, there: Option<&str>, expected: &str) {
        let mut change = v1::Diff::new("/w/a", "new");
        change.old_text = shown.map(str::to_owned);
        let look = there.map_or(FileOnDisk::Missing, |text| {
            FileOnDisk::Text(text.to_owned())
        });
        let found = match on_disk(&change, look) {
            DiskComparison::AsShown => "as shown",
            DiskComparison::Different(Some(_)) => "otherwise",
            DiskComparison::Different(None) => "gone",
            DiskComparison::Unknown(_) => "unknown",
        };
        assert_eq!(found, expected, "{shown:?} {there:?}");
    }

    #[test]
    fn what_is_shown_is_the_file_or_a_part_of_it() {
        check(Some("a\nb\n"), Some("a\nb\n"), "as shown");
        check(Some("b"), Some("a\nb\n"), "as shown");
        check(Some("a\nb\n"), Some("a\r\nb\r\n"), "as shown");
        check(Some("a\nb\n"), Some("a\nc\n"), "otherwise");
        check(Some("a"), None, "gone");
        check(None, None, "as shown");
        check(Some(""), None, "as shown");
        check(Some(""), Some(""), "as shown");
        check(None, Some("precious"), "otherwise");
        check(Some(""), Some("precious"), "otherwise");
    }
}
