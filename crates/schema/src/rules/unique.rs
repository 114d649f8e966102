//! No two of a list have the same id.

use std::collections::HashSet;

use super::{Findings, MessagePath};

/// The members named `member` of a list's items differ.
pub(super) fn ids<'a>(
    ids: impl Iterator<Item = &'a str>,
    member: &'static str,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    for index in repeated(ids) {
        let message = "another one of the list has the same id; give each its own";
        found.add(rule!("B5"), &at.item(index).member(member), message);
    }
}

/// The positions of what has come before.
pub(super) fn repeated<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut seen = HashSet::new();
    ids.enumerate()
        .filter_map(|(index, id)| (!seen.insert(id)).then_some(index))
        .collect()
}
