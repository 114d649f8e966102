//! Checks that the ids in a list are unique.

use std::collections::HashSet;

use super::{Findings, MessagePath};

/// Reports items of a list whose member `member` repeats an earlier one.
pub(super) fn ids<'a>(
    ids: impl Iterator<Item = &'a str>,
    member: &'static str,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    for index in repeated(ids) {
        let message = "another item of the list has the same id; give each a unique id";
        found.add(rule!("B5"), &at.item(index).member(member), message);
    }
}

/// Positions of the ids that have occurred before.
pub(super) fn repeated<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut seen = HashSet::new();
    ids.enumerate()
        .filter_map(|(index, id)| (!seen.insert(id)).then_some(index))
        .collect()
}
