//! Paints the content of a paragraph: styled text, code, links.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::paint::theme::{Palette, TextRole};
use crate::paint::{Appearance, wrap};

/// The spans of a paragraph so far.
#[derive(Default)]
pub(super) struct Inline {
    spans: Vec<Span<'static>>,
    styles: Vec<Style>,
    links: Vec<Link>,
}

struct Link {
    to: String,
    /// The first span of its text.
    from: usize,
}

impl Inline {
    pub(super) fn push(&mut self, style: Style) {
        let around = self.style();
        self.styles.push(around.patch(style));
    }

    pub(super) fn pop(&mut self) {
        self.styles.pop();
    }

    pub(super) fn text(&mut self, text: &str) {
        self.add(text, self.style());
    }

    pub(super) fn raw(&mut self, text: &str, appearance: &Appearance) {
        let style = self.style().patch(appearance.theme.style(TextRole::Dim));
        self.add(text.strip_suffix('\n').unwrap_or(text), style);
        if text.ends_with('\n') {
            self.line_end();
        }
    }

    /// Without colours, backticks stay to mark code.
    pub(super) fn code(&mut self, text: &str, appearance: &Appearance) {
        let style = self.style().patch(appearance.theme.style(TextRole::Code));
        match appearance.theme.palette() {
            Palette::None => self.add(&format!("`{text}`"), style),
            Palette::Basic | Palette::Full => self.add(text, style),
        }
    }

    pub(super) fn line_end(&mut self) {
        self.add("\n", Style::new());
    }

    pub(super) fn link(&mut self, to: String, appearance: &Appearance) {
        self.push(appearance.theme.style(TextRole::Link));
        let from = self.spans.len();
        self.links.push(Link { to, from });
    }

    pub(super) fn image(&mut self, to: String, appearance: &Appearance) {
        self.link(to, appearance);
        self.add("image: ", self.style());
    }

    /// Adds the target behind the text of a link, unless the text is the target.
    pub(super) fn end_link(&mut self, appearance: &Appearance) {
        self.pop();
        let Some(Link { to, from }) = self.links.pop() else {
            return;
        };
        let spans = self.spans.get(from..).unwrap_or_default();
        let text: String = spans.iter().map(|span| span.content.as_ref()).collect();
        if text != to && format!("mailto:{text}") != to {
            let style = self.style().patch(appearance.theme.style(TextRole::Dim));
            self.add(&format!(" ({to})"), style);
        }
    }

    /// Returns the spans without trailing line ends.
    pub(super) fn take(&mut self) -> Vec<Span<'static>> {
        while self.spans.last().is_some_and(|span| span.content == "\n") {
            self.spans.pop();
        }
        std::mem::take(&mut self.spans)
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn add(&mut self, text: &str, style: Style) {
        if !text.is_empty() {
            let text = wrap::without_tabs(text).into_owned();
            self.spans.push(Span::styled(text, style));
        }
    }
}
