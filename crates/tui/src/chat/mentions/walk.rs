//! Finds the files that can be mentioned.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ignore::WalkBuilder;

/// The files below some directories, without those that version control ignores. Those of the first directory are
/// relative to it. Blocks; ends after a number of files or some seconds, whichever comes first.
pub(crate) fn walk(roots: &[PathBuf]) -> Vec<String> {
    let Some((first, more)) = roots.split_first() else {
        return Vec::new();
    };
    let mut walk = WalkBuilder::new(first);
    for root in more {
        walk.add(root);
    }
    walk.hidden(false)
        .require_git(false)
        .filter_entry(|entry| entry.file_name() != ".git");
    let until = Instant::now() + TIME;
    let entries = walk.build().take_while(|_| Instant::now() < until);
    let files = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let names = files.filter_map(|entry| shown(entry.path(), first));
    let mut names: Vec<String> = names.take(FILES).collect();
    names.sort();
    names
}

/// Names that could not be typed or shown as they are would only mislead.
fn shown(path: &Path, first: &Path) -> Option<String> {
    let path = path.strip_prefix(first).unwrap_or(path);
    let name = path.to_str()?;
    let is_plain = !name.contains('"') && !name.contains(attache_text::plain::is_hidden);
    is_plain.then(|| name.to_owned())
}

const FILES: usize = 50_000;
const TIME: Duration = Duration::from_secs(5);
