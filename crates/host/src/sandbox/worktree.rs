//! The paths that `git commit` writes in a working tree created with `git worktree`: its repository is elsewhere.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The paths in the repository that a commit writes, if the root is such a working tree. The repository must refer back
/// to the working tree, so that a forged `.git` file cannot open other paths.
pub(super) fn places(root: &Path) -> Vec<PathBuf> {
    repository(root).unwrap_or_default()
}

fn repository(root: &Path) -> Option<Vec<PathBuf>> {
    let file = root.join(".git");
    let text = line(&file)?;
    let own = std::fs::canonicalize(root.join(text.strip_prefix("gitdir: ")?)).ok()?;
    let named = std::fs::canonicalize(line(&own.join("gitdir"))?).ok()?;
    let common = std::fs::canonicalize(own.join(line(&own.join("commondir"))?)).ok()?;
    if named != std::fs::canonicalize(&file).ok()? || !own.starts_with(common.join("worktrees")) {
        return None;
    }
    let below = ["objects", "refs", "logs"].map(|name| common.join(name));
    Some(below.into_iter().chain([own]).collect())
}

/// The only line of a small regular file.
fn line(path: &Path) -> Option<String> {
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let file = File::open(path).ok()?;
    file.take(LONGEST).read_to_string(&mut text).ok()?;
    let text = text.trim_end_matches(['\n', '\r']);
    (!text.is_empty() && !text.contains('\n')).then(|| text.to_owned())
}

const LONGEST: u64 = 8 * 1024;
