//! Plans: steps with ids in the draft, entries with priorities in the protocol.

use attache_rpc::json::{DecodeError, Object, ValueKind};

use super::{draft_meta, shape};
use crate::edit;

/// Reads the draft's `plan`. A step has no priority, so it gets `medium`.
pub(super) fn read(update: &mut Object<'_>) -> Result<(), DecodeError> {
    update.rename("steps", "entries");
    edit::parts(update, "entries", |step| {
        step.rename("description", "content");
        shape::fill(step, "priority", "\"medium\"");
        let status = edit::string(step, "status").unwrap_or_default();
        if !STATUSES.contains(&&*status) {
            edit::move_to_meta(step, &["status"])?;
            step.set("status", "\"pending\"");
        }
        edit::move_to_meta(step, &["id"])
    })?;
    edit::move_to_meta(update, &["planId"])
}

/// Writes an official `plan` for a draft client. A step without an id gets its position as id.
pub(super) fn write(update: &mut Object<'_>) -> Result<(), DecodeError> {
    let mut place = 0;
    edit::parts(update, "entries", |entry| {
        place += 1;
        let kept = draft_meta::take(entry)?;
        if kept.get("status").is_some() && entry.get("status") == Some("\"pending\"") {
            entry.take("status");
        }
        if entry.get("priority") == Some("\"medium\"") {
            entry.take("priority");
        }
        entry.rename("content", "description");
        kept.put_back(entry);
        shape::fill(entry, "id", edit::quoted(&format!("step_{place}")));
        Ok(())
    })?;
    update.rename("entries", "steps");
    edit::restore_from_meta(update)?;
    shape::fill(update, "planId", "\"plan\"");
    Ok(())
}

/// An official `plan_update` with entries, as a `plan` without an id.
pub(super) fn of_items(update: &mut Object<'_>) -> Result<bool, DecodeError> {
    if edit::kind(update, "plan") != Some(ValueKind::Object) {
        return Ok(false);
    }
    let text = update.get("plan").unwrap_or("{}").to_owned();
    let plan = Object::parse(&text)?;
    if edit::string(&plan, "type").as_deref() != Some("items") {
        return Ok(false);
    }
    update.take("plan");
    for name in ["planId", "entries"] {
        if let Some(json) = plan.get(name) {
            update.set(name, json.to_owned());
        }
    }
    Ok(true)
}

const STATUSES: [&str; 3] = ["pending", "in_progress", "completed"];
