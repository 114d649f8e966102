//! The changes of a request. They have to be read before they can be allowed.

use std::sync::Arc;

use attache::v1;
use attache_client::event::DiskComparison;
use attache_text::plain::visible;
use ratatui::text::Line;

use super::facts::LONGEST;
use super::{DiffBase, PermissionDialog};
use crate::chat::panel::Panel;
use crate::chat::quotation;
use crate::paint::Appearance;
use crate::paint::diff::{self, DiffLayout};
use crate::paint::theme::TextRole;

/// The inputs of a layout of changes: the width, the base of the diff, and whether the texts are side by side.
pub(super) type ChangesLayout = (u16, DiffBase, DiffLayout);

/// The changes, laid out at a width.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) layout: ChangesLayout,
    pub(super) rows: Vec<Line<'static>>,
    /// Whether there are more changes than can be shown.
    pub(super) are_too_long: bool,
    is_coloured: bool,
}

impl PermissionDialog {
    /// Lays out all changes. The layout is cached for each width and redone when colours arrive.
    pub(super) fn changes(&self, appearance: &Appearance, width: u16) -> Arc<Changes> {
        let layout = (width, self.diff_base, appearance.diffs);
        let mut last = self.changes.borrow_mut();
        let current = last
            .take()
            .filter(|it| it.layout == layout && it.is_coloured);
        let changes = current.unwrap_or_else(|| Arc::new(self.lay_out_changes(appearance, width)));
        Arc::clone(last.insert(changes))
    }

    fn lay_out_changes(&self, appearance: &Appearance, width: u16) -> Changes {
        let mut panel = Panel::new("");
        let mut left = LONGEST;
        let (mut are_too_long, mut is_coloured) = (false, true);
        for (change, found) in self.prompt.changes() {
            let against_disk;
            let shown = match (self.diff_base, found) {
                (DiffBase::Disk, Some(DiskComparison::Different(text))) => {
                    against_disk = compared_with(text, change);
                    &against_disk
                }
                _ => change,
            };
            let warning = appearance.theme.style(TextRole::Warning);
            if let Some(remark) = remark(found, change, self.diff_base) {
                panel.text(remark, warning, width);
            }
            if let Some(DiskComparison::Unknown(why)) = found {
                panel.labelled(
                    "because",
                    &visible(why),
                    TextRole::Warning,
                    &appearance.theme,
                    width,
                );
            }
            let diff = diff::whole(
                shown,
                appearance,
                width.saturating_sub(quotation::WIDTH),
                left,
            );
            is_coloured &= diff.painted.is_coloured;
            let rows = quotation::with_bar(diff.painted.lines, &appearance.theme);
            panel.lines.extend(rows);
            match diff.characters {
                Some(characters) => left -= characters,
                None => {
                    are_too_long = true;
                    panel.text(TOO_LONG, warning, width);
                }
            }
        }
        Changes {
            layout: (width, self.diff_base, appearance.diffs),
            rows: panel.lines,
            are_too_long,
            is_coloured,
        }
    }
}

/// The same change, from the text on the disk.
fn compared_with(text: &Option<String>, change: &v1::Diff) -> v1::Diff {
    let mut diff = change.clone();
    diff.old_text.clone_from(text);
    diff
}

/// A remark for the user if the change doesn't match the file on disk.
fn remark(
    found: Option<&DiskComparison>,
    change: &v1::Diff,
    diff_base: DiffBase,
) -> Option<&'static str> {
    let said = match (found?, diff_base) {
        (DiskComparison::AsShown, _) => return None,
        (DiskComparison::Different(Some(_)), DiffBase::Disk) => {
            "! Compared with the disk, as if the new text were the whole file."
        }
        (DiskComparison::Different(None), DiffBase::Disk) => {
            "! Compared with the disk: there is no such file."
        }
        (DiskComparison::Different(Some(_)), DiffBase::Agent) if change.old_text.is_none() => {
            "! The agent shows a new file, but the file exists on disk."
        }
        (DiskComparison::Different(Some(_)), DiffBase::Agent) => {
            "! The file on disk differs from what the agent shows."
        }
        (DiskComparison::Different(None), DiffBase::Agent) => {
            "! The agent shows an old text, but there is no file on disk."
        }
        (DiskComparison::Unknown(_), _) => "! Not compared with the disk.",
    };
    Some(said)
}

const TOO_LONG: &str = "! There are more changes than can be shown here, so you can't allow them.";
