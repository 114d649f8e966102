//! Paths as people want to see them: relative to where they work, and cut from the left.

use std::borrow::Cow;
use std::path::Path;

use attache::schema::FilePath;
use attache_text::plain::visible;
use unicode_segmentation::UnicodeSegmentation;

use super::wrap;

/// A path relative to the working directory, if it lies inside, and safe to show.
pub fn shown(path: &FilePath, cwd: &Path) -> String {
    let inside = path.as_path().strip_prefix(cwd).ok().and_then(Path::to_str);
    let text = inside
        .filter(|text| !text.is_empty())
        .unwrap_or(path.as_str());
    visible(text).into_owned()
}

/// The end of a path, which tells more than its beginning.
pub fn cut(path: &str, limit: usize) -> Cow<'_, str> {
    if wrap::width(path) <= limit {
        return Cow::Borrowed(path);
    }
    let mut used = 1;
    let fits = |grapheme: &&str| {
        used += wrap::width(grapheme);
        used <= limit
    };
    let kept = path.graphemes(true).rev().take_while(fits);
    let length: usize = kept.map(str::len).sum();
    match limit {
        0 => Cow::Borrowed(""),
        _ => Cow::Owned(format!("…{}", &path[path.len() - length..])),
    }
}
