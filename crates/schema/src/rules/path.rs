//! Checks that paths are absolute and that line numbers start at 1.

use super::{Findings, MessagePath, Rule};
use crate::FilePath;

/// Checks a path by the general rule.
pub(super) fn absolute(path: &FilePath, at: &MessagePath<'_>, found: &mut Findings) {
    absolute_by(rule!("13"), path, at, found);
}

/// Checks a path by a rule of its own.
pub(super) fn absolute_by(
    rule: &'static Rule,
    path: &FilePath,
    at: &MessagePath<'_>,
    found: &mut Findings,
) {
    if path.as_str().is_empty() {
        found.add(rule, at, "the path is empty; send the absolute path");
    } else if !path.is_absolute() {
        found.add(rule, at, "the path is relative; send the absolute path");
    }
}

/// Checks several paths by the general rule.
pub(super) fn all_absolute(paths: &[FilePath], at: &MessagePath<'_>, found: &mut Findings) {
    for (index, path) in paths.iter().enumerate() {
        absolute(path, &at.item(index), found);
    }
}

/// Checks a line number.
pub(super) fn line(line: Option<u32>, at: &MessagePath<'_>, found: &mut Findings) {
    if line == Some(0) {
        found.add(rule!("14"), at, "there is no line 0; the first line is 1");
    }
}
