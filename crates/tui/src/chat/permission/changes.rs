//! The changes of a request. They have to be read before they can be allowed.

use std::sync::Arc;

use attache_host::permissions::DiskComparison;
use attache_text::plain::visible;
use ratatui::text::Line;

use super::PermissionDialog;
use super::facts::LONGEST;
use crate::chat::panel::Panel;
use crate::chat::quotation;
use crate::paint::Appearance;
use crate::paint::diff::{self, DiffLayout};
use crate::paint::theme::TextRole;

/// The inputs of a layout of changes: the width, and whether the texts are side by side.
pub(super) type ChangesLayout = (u16, DiffLayout);

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
        let layout = (width, appearance.diffs);
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
            let warning = appearance.theme.style(TextRole::Warning);
            if let Some(remark) = remark(found) {
                panel.text(remark, warning, width);
            }
            if let DiskComparison::Unknown(why) | DiskComparison::Replaced(why) = found {
                panel.labelled(
                    "because",
                    &visible(why),
                    TextRole::Warning,
                    &appearance.theme,
                    width,
                );
            }
            let diff = diff::whole(
                change,
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
            layout: (width, appearance.diffs),
            rows: panel.lines,
            are_too_long,
            is_coloured,
        }
    }
}

/// Our remark on a diff of the agent that does not apply to the file on disk. Nothing is written without another request.
fn remark(found: &DiskComparison) -> Option<&'static str> {
    Some(match found {
        DiskComparison::Applies => return None,
        DiskComparison::NotFound => {
            "! The file doesn't contain this old text. To write the file, the agent has to ask again."
        }
        DiskComparison::Ambiguous => {
            "! The file contains this old text more than once. To write the file, the agent has to ask again."
        }
        DiskComparison::OtherLineEndings => {
            "! The line endings in the file are different. To write the file, the agent has to ask again."
        }
        DiskComparison::NoFile => {
            "! There is no such file on disk. To write it, the agent has to ask again."
        }
        DiskComparison::Unknown(_) => {
            "! Not compared with the disk. To write the file, the agent has to ask again."
        }
        DiskComparison::Replaced(_) => {
            "! The file exists, and its content can't be shown. All of it is replaced."
        }
    })
}

const TOO_LONG: &str = "! There are more changes than can be shown here, so you can't allow them.";
