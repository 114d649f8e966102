//! A box at the bottom of the screen, which every dialog is drawn as.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

use super::{quotation, text};
use crate::paint::theme::{SignSet, TextRole, Theme};
use crate::paint::wrap;

/// A box with lines. If there is not room for all of them, it scrolls to the important ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lines: Vec<Line<'static>>,
    /// The available keys, always visible below the lines.
    pub(crate) keys: String,
    pub(crate) scroll_target: ScrollTarget,
    /// The first visible line after the user has scrolled.
    pub(crate) scrolled: Option<usize>,
    /// How many lines, from the first on, have to be read before anything can be accepted. `None` means all.
    pub(crate) to_read: Option<usize>,
    /// How many of those lines have not been on the screen.
    pub(crate) unread: usize,
    pub(crate) scrolling: Scrolling,
    /// The column and line of the cursor.
    pub(crate) cursor: Option<(usize, usize)>,
    pub(crate) tone: PanelTone,
}

/// Which lines to show if there is not room for all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScrollTarget {
    /// The lines from this one on.
    From(usize),
    /// Any lines that include this one.
    At(usize),
}

/// The lines of a box that are on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VisibleRows {
    pub(crate) top: usize,
    pub(crate) rows: usize,
}

/// Whether keys currently scroll the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Scrolling {
    #[default]
    No,
    ByPages,
}

/// Whether keys go to this part of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyFocus {
    Here,
    Elsewhere,
}

/// How much a box stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PanelTone {
    #[default]
    Quiet,
    Asking,
    Bad,
}

impl Default for ScrollTarget {
    fn default() -> ScrollTarget {
        ScrollTarget::From(0)
    }
}

impl Panel {
    pub(crate) fn new(title: impl Into<String>) -> Panel {
        Panel {
            title: title.into(),
            ..Panel::default()
        }
    }

    /// Adds a text, broken to the width.
    pub(crate) fn text(&mut self, content: &str, style: Style, width: u16) {
        for row in text::wrap_lines(content, usize::from(width)) {
            self.lines.push(Line::styled(row, style));
        }
    }

    /// Adds untrusted text under our own label. The text is safe to show and has no line ends.
    pub(crate) fn labelled(
        &mut self,
        label: &str,
        shown: &str,
        role: TextRole,
        theme: &Theme,
        width: u16,
    ) {
        let (style, width) = (theme.style(role), usize::from(width));
        let rows = quotation::labelled(label, shown, style, theme, width);
        self.lines.extend(rows);
    }

    /// Adds lines of untrusted text that is safe to show.
    pub(crate) fn quoted(&mut self, shown: &str, role: TextRole, theme: &Theme, width: u16) {
        let rows = quotation::lines(shown, theme.style(role), theme, usize::from(width));
        self.lines.extend(rows);
    }

    /// Adds a line of spans.
    pub(crate) fn line(&mut self, spans: Vec<Span<'static>>) {
        self.lines.push(Line::from(spans));
    }

    pub(crate) fn blank_line(&mut self) {
        self.lines.push(Line::default());
    }

    /// The width of the lines in a box of this width.
    pub(crate) fn inner_width(width: u16) -> u16 {
        width.saturating_sub(4).max(1)
    }

    /// The height the box wants at a width.
    pub(crate) fn height(&self, width: u16) -> u16 {
        let lines = self.lines.len() + self.key_rows(width).len() + 2;
        u16::try_from(lines).unwrap_or(u16::MAX)
    }

    pub(crate) fn draw(&self, area: Rect, frame: &mut Frame<'_>, theme: &Theme) -> VisibleRows {
        let style = theme.style(match self.tone {
            PanelTone::Quiet => TextRole::Border,
            PanelTone::Asking => TextRole::Warning,
            PanelTone::Bad => TextRole::Bad,
        });
        frame.render_widget(Clear, area);
        let mut block = bordered_block(&self.title, area, style, theme);
        let inside = Rect {
            x: area.x + 2,
            y: area.y + 1,
            width: area.width.saturating_sub(4),
            height: area.height.saturating_sub(2),
        };
        let mut keys = self.key_rows(area.width);
        keys.truncate(usize::from(inside.height / 2));
        let key_count = u16::try_from(keys.len()).unwrap_or(u16::MAX);
        let room = inside.height.saturating_sub(key_count);
        let hidden = self.lines.len().saturating_sub(room.into());
        if hidden > 0 && self.tone != PanelTone::Quiet {
            let said = match (self.unread, hidden) {
                (0, 1) => "1 line does not fit".to_owned(),
                (0, hidden) => format!("{hidden} lines do not fit"),
                (1, _) => "1 line to read first".to_owned(),
                (unread, _) => format!("{unread} lines to read first"),
            };
            block = block.title_bottom(match self.scrolling {
                Scrolling::No => format!(" {said} "),
                Scrolling::ByPages => format!(" {said}: PgUp PgDn "),
            });
        }
        frame.render_widget(block, area);
        let body = Rect {
            height: room,
            ..inside
        };
        let window = self.draw_body(body, frame);
        let foot = Rect {
            y: inside.y + room,
            height: inside.height - room,
            ..inside
        };
        let keys: Vec<Line<'_>> = keys.into_iter().map(Line::from).collect();
        let keys = Paragraph::new(keys).style(theme.style(TextRole::Dim));
        frame.render_widget(keys, foot);
        window
    }

    fn draw_body(&self, area: Rect, frame: &mut Frame<'_>) -> VisibleRows {
        let room = usize::from(area.height);
        let last_top = self.lines.len().saturating_sub(room);
        let top = match (self.scrolled, self.scroll_target) {
            (Some(top), _) | (None, ScrollTarget::From(top)) => top.min(last_top),
            (None, ScrollTarget::At(row)) => (row + 1).saturating_sub(room.max(1)),
        };
        let window = VisibleRows { top, rows: room };
        let shown = self.lines.iter().skip(top).take(room).cloned();
        frame.render_widget(Paragraph::new(shown.collect::<Vec<_>>()), area);
        let Some((column, row)) = self.cursor else {
            return window;
        };
        let row = row.checked_sub(top).and_then(|row| u16::try_from(row).ok());
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        if let Some(row) = row.filter(|row| *row < area.height) {
            let x = area.x + column.min(area.width.saturating_sub(1));
            frame.set_cursor_position(Position::new(x, area.y + row));
        }
        window
    }

    /// The keys in rows, broken only between keys.
    fn key_rows(&self, width: u16) -> Vec<String> {
        let width = usize::from(Self::inner_width(width));
        let mut rows: Vec<String> = Vec::new();
        for key in self.keys.split(" · ").filter(|key| !key.is_empty()) {
            match rows.last_mut() {
                Some(row) if wrap::width(row) + 3 + wrap::width(key) <= width => {
                    row.push_str(" · ");
                    row.push_str(key);
                }
                _ => rows.push(text::cut(key, width)),
            }
        }
        rows
    }
}

/// The border of a box, with its title.
pub(super) fn bordered_block(
    title: &str,
    area: Rect,
    style: Style,
    theme: &Theme,
) -> Block<'static> {
    let title = text::cut(title, usize::from(area.width.saturating_sub(4)));
    let title = Span::styled(
        format!(" {title} "),
        style.patch(theme.style(TextRole::Strong)),
    );
    let block = Block::bordered().border_style(style).title(title);
    match theme.sign_set() {
        SignSet::Unicode => block.border_type(BorderType::Rounded),
        SignSet::Ascii => block.border_set(ASCII),
    }
}

const ASCII: ratatui::symbols::border::Set<'static> = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
