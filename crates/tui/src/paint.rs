//! How things look: pure functions from data to styled lines that are never wider than asked, and the view over a
//! whole transcript that lays out only what is visible.

pub mod code;
pub mod diff;
pub mod entry;
#[cfg(test)]
mod fixture;
pub mod markdown;
pub mod plan;
pub mod theme;
pub mod tool_call;
pub mod view;
pub mod wrap;

use std::path::{Path, PathBuf};

use attache::schema::FilePath;
use attache_text::plain::visible;

pub use entry::{Fold, Remark, Tone};
pub use theme::Theme;
pub use view::{Scroll, SelectionStep, TranscriptView, Viewport};

use code::Highlighter;
use diff::DiffLayout;

/// What every painter needs beside the data.
#[derive(Debug, Clone)]
pub struct Appearance {
    /// Colours and signs.
    pub theme: Theme,
    /// Colours of code.
    pub highlighter: Highlighter,
    /// The session's working directory; paths are shown relative to it.
    pub cwd: PathBuf,
    /// How diffs are laid out.
    pub diffs: DiffLayout,
}

impl Appearance {
    /// A brush of this theme for a session of this directory. Code is coloured if the theme has colours.
    pub fn new(theme: Theme, cwd: impl Into<PathBuf>) -> Appearance {
        let highlighter = match theme.palette() {
            theme::Palette::None => Highlighter::none(),
            theme::Palette::Basic | theme::Palette::Full => Highlighter::start(),
        };
        Appearance {
            theme,
            highlighter,
            cwd: cwd.into(),
            diffs: DiffLayout::ByWidth,
        }
    }
}

/// A path, safe to show: relative to the working directory if it lies inside.
pub fn relative_path(path: &FilePath, cwd: &Path) -> String {
    let inside = path.as_path().strip_prefix(cwd).ok().and_then(Path::to_str);
    let text = inside
        .filter(|text| !text.is_empty())
        .unwrap_or(path.as_str());
    visible(text).into_owned()
}
