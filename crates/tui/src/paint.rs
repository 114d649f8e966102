//! Painting: pure functions from data to styled lines that are never wider than asked, and a view of a whole transcript
//! that lays out only what is visible.

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

/// What every painter needs besides the data.
#[derive(Debug, Clone)]
pub struct Appearance {
    /// Colours and signs.
    pub theme: Theme,
    /// Syntax highlighting of code.
    pub highlighter: Highlighter,
    /// The session's working directory. Paths inside it are shown relative to it.
    pub cwd: PathBuf,
    /// How diffs are laid out.
    pub diffs: DiffLayout,
}

impl Appearance {
    /// Creates an appearance for a session in this directory. Code is highlighted if the theme has colours.
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
