//! Tool calls and their updates: checks that do not need earlier messages.

use super::{Findings, Level, MessagePath, content, path};
use crate::v1::{self, ToolCallContent, ToolCallLocation};

/// Checks the first report of a tool call.
pub(super) fn report(call: &v1::ToolCall, at: &MessagePath<'_>, found: &mut Findings) {
    title(Some(&call.title), at, found);
    known(Some(&call.kind), Some(&call.status), at, found);
    contents(&call.content, at, found);
    locations(&call.locations, at, found);
}

/// Checks an update of a tool call.
pub(super) fn change(call: &v1::ToolCallUpdate, at: &MessagePath<'_>, found: &mut Findings) {
    title(call.title.as_deref(), at, found);
    known(call.kind.as_ref(), call.status.as_ref(), at, found);
    contents(call.content.as_deref().unwrap_or(&[]), at, found);
    locations(call.locations.as_deref().unwrap_or(&[]), at, found);
}

fn title(title: Option<&str>, at: &MessagePath<'_>, found: &mut Findings) {
    if title.is_some_and(|title| title.trim().is_empty()) {
        let message = "the title is empty; say what the call does";
        found.add(rule!("B4"), &at.member("title"), message);
    }
}

/// Reports an unknown kind or status at a low level: readers treat the kind as `other` and ignore the status.
fn known(
    kind: Option<&v1::ToolKind>,
    status: Option<&v1::ToolCallStatus>,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if kind.is_some_and(|kind| !kind.is_known()) {
        let message = "the kind is not defined and counts as other; use a defined one";
        found.hint(rule!("B3"), Level::Observed, &at.member("kind"), message);
    }
    if status.is_some_and(|status| !status.is_known()) {
        let message = "the status is not defined; use pending, in_progress, completed or failed";
        found.hint(rule!("B3"), Level::Observed, &at.member("status"), message);
    }
}

fn contents(contents: &[ToolCallContent], at: &MessagePath<'_>, found: &mut Findings) {
    let at = at.member("content");
    for (index, item) in contents.iter().enumerate() {
        let at = at.item(index);
        match item {
            ToolCallContent::Content(item) => {
                content::known(&item.content, &at.member("content"), found);
            }
            ToolCallContent::Diff(diff) => path::absolute(&diff.path, &at.member("path"), found),
            ToolCallContent::Terminal(_) => {}
            ToolCallContent::Other(_) => {
                let message = "the content's type is not defined; use content, diff or terminal";
                found.add(rule!("B3"), &at.member("type"), message);
            }
        }
    }
}

fn locations(locations: &[ToolCallLocation], at: &MessagePath<'_>, found: &mut Findings) {
    let at = at.member("locations");
    for (index, location) in locations.iter().enumerate() {
        let at = at.item(index);
        path::absolute(&location.path, &at.member("path"), found);
        path::line(location.line, &at.member("line"), found);
    }
}
