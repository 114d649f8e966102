//! Entries of a plan.

use super::{Findings, MessagePath};
use crate::v1::{PlanEntry, PlanUpdateContent};

pub(super) fn entries(entries: &[PlanEntry], at: &MessagePath<'_>, found: &mut Findings) {
    for (index, entry) in entries.iter().enumerate() {
        let at = at.item(index);
        if !entry.priority.is_known() {
            let message = "the priority is not defined; use high, medium or low";
            found.add(rule!("B3"), &at.member("priority"), message);
        }
        if !entry.status.is_known() {
            let message = "the status is not defined; use pending, in_progress or completed";
            found.add(rule!("B3"), &at.member("status"), message);
        }
    }
}

/// A plan with an id.
pub(super) fn content(plan: &PlanUpdateContent, at: &MessagePath<'_>, found: &mut Findings) {
    match plan {
        PlanUpdateContent::Items(plan) => entries(&plan.entries, &at.member("entries"), found),
        PlanUpdateContent::File(_) | PlanUpdateContent::Markdown(_) => {}
        PlanUpdateContent::Other(_) => {
            let message = "the plan's type is not defined; use items, file or markdown";
            found.add(rule!("B3"), &at.member("type"), message);
        }
    }
}
