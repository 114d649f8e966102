//! Compares the changes that an agent shows with the files on disk.

use std::time::Duration;

use attache::v1;
use attache_host::permissions::ComparedChange;
use attache_host::{FileOnDisk, Host};
use tokio::time::timeout;

/// The changes of a tool call as changes of the files on disk.
pub(super) async fn compare(
    host: &Host,
    session: v1::SessionId,
    changes: Vec<v1::Diff>,
) -> Vec<ComparedChange> {
    if changes.is_empty() {
        return Vec::new();
    }
    let paths = changes.iter().take(MOST_CHANGES);
    let paths = paths.map(|change| change.path.as_path().to_owned());
    let looks = timeout(PATIENCE, host.files_on_disk(&session, paths.collect()));
    let looks = looks.await.unwrap_or_else(|_| {
        let late = FileOnDisk::Unknown("the disk does not respond".to_owned());
        vec![late; changes.len().min(MOST_CHANGES)]
    });
    ComparedChange::compare(changes, &looks)
}

/// The changes of a tool call.
pub(super) fn changes(call: &v1::ToolCall) -> Vec<v1::Diff> {
    let diffs = call.content.iter().filter_map(|content| match content {
        v1::ToolCallContent::Diff(diff) => Some(diff.clone()),
        _ => None,
    });
    diffs.collect()
}

/// Maximum diffs that are compared with the disk.
const MOST_CHANGES: usize = 64;
const PATIENCE: Duration = Duration::from_secs(2);
