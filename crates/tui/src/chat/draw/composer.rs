//! Draws the composer below a rule, and the completions above it.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use crate::chat::app::{App, Focus};
use crate::chat::completion::input_hint;
use crate::chat::panel::KeyFocus;
use crate::chat::text;
use crate::paint::theme::{Sign, TextRole};
use crate::paint::wrap;

impl App {
    /// The number of rows the composer wants: a rule, the attachments, and the text up to a third of the screen.
    pub(super) fn composer_height(&self, screen: u16) -> u16 {
        let composer = &self.tab().composer;
        let rows = text::rows(composer.editor.text(), self.composer_width()).len();
        let rows = u16::try_from(rows)
            .unwrap_or(u16::MAX)
            .min((screen / 3).max(1));
        let attached = u16::from(!composer.attached.is_empty());
        1 + attached + rows
    }

    pub(super) fn draw_composer(&self, area: Rect, frame: &mut Frame<'_>, keys: KeyFocus) {
        let theme = &self.settings.theme;
        let rule = theme.sign(Sign::Rule).repeat(usize::from(area.width));
        let mut lines = vec![Line::styled(rule, theme.style(TextRole::Border))];
        lines.extend(self.attached_line(usize::from(area.width)));
        let first = u16::try_from(lines.len()).unwrap_or(1);
        let room = usize::from(area.height.saturating_sub(first)).max(1);
        let editor = &self.tab().composer.editor;
        let rows = text::rows(editor.text(), self.composer_width());
        let (row, column) = editor.cursor_position(self.composer_width());
        let top = (row + 1).saturating_sub(room);
        for (at, range) in rows.into_iter().enumerate().skip(top).take(room) {
            let sign = match at {
                0 => format!("{} ", theme.sign(Sign::User)),
                _ => "  ".to_owned(),
            };
            let mut spans = vec![
                Span::styled(sign, theme.style(TextRole::User)),
                Span::raw(editor.text()[range].to_owned()),
            ];
            spans.extend(self.placeholder(usize::from(area.width), keys));
            lines.push(Line::from(spans));
        }
        frame.render_widget(Paragraph::new(lines), area);
        if keys == KeyFocus::Elsewhere || self.focus == Focus::Transcript {
            return;
        }
        let column = u16::try_from(column + 2).unwrap_or(u16::MAX);
        let row = u16::try_from(row - top).unwrap_or(0);
        let x = area.x + column.min(area.width.saturating_sub(1));
        frame.set_cursor_position(Position::new(x, area.y + first + row));
    }

    fn attached_line(&self, width: usize) -> Option<Line<'static>> {
        let attached = &self.tab().composer.attached;
        if attached.is_empty() {
            return None;
        }
        let names = attached.iter().map(|path| {
            let name = path.file_name().unwrap_or(path.as_os_str());
            format!("[{}]", text::safe_line(&name.to_string_lossy()))
        });
        let names = names.collect::<Vec<_>>().join(" ");
        let text = text::cut(&format!("  attached {names}"), width);
        Some(Line::styled(
            text,
            self.settings.theme.style(TextRole::Link),
        ))
    }

    /// A hint shown while the composer is empty, or behind a command.
    fn placeholder(&self, width: usize, keys: KeyFocus) -> Option<Span<'static>> {
        let tab = self.tab();
        let written = tab.composer.editor.text();
        let text = match (self.focus, written) {
            (_, "") if keys == KeyFocus::Elsewhere => "",
            (Focus::Transcript, "") => "reading: ↑↓ select · Enter unfold · c copy · Esc back",
            (Focus::Composer, "") if tab.turn.is_some() => {
                "type the next prompt; it is sent when the turn ends"
            }
            (Focus::Composer, "") => "ask for something · / commands · @ files · ? help",
            _ => input_hint(written, tab.transcript.commands())?,
        };
        let room = width.saturating_sub(3 + wrap::width(written));
        let text = text::cut(&text::safe_line(text), room);
        Some(Span::styled(text, self.settings.theme.style(TextRole::Dim)))
    }

    /// Draws the choices for the word at the cursor, above the composer.
    pub(super) fn draw_completion(&self, composer: Rect, frame: &mut Frame<'_>) {
        let Some(completion) = &self.tab().composer.completion else {
            return;
        };
        let theme = &self.settings.theme;
        let room = usize::from(composer.y.saturating_sub(2)).min(ROWS);
        let count = completion.choices.len().min(room);
        let top = (completion.selected + 1).saturating_sub(count.max(1));
        let width = usize::from(composer.width);
        let shown = completion.choices.iter().enumerate().skip(top).take(count);
        let lines = shown.map(|(at, choice)| {
            let (cursor, role) = match at == completion.selected {
                true => (theme.sign(Sign::Cursor), TextRole::Selected),
                false => (" ", TextRole::Text),
            };
            let label = text::cut_front(&text::safe_line(&choice.label), width.saturating_sub(4));
            let left = width.saturating_sub(wrap::width(&label) + 6);
            let detail = text::cut(&text::safe_line(&choice.detail), left);
            let pad = " ".repeat(left.saturating_sub(wrap::width(&detail)));
            Line::from(vec![
                Span::styled(format!("{cursor} {label}"), theme.style(role)),
                Span::styled(format!("  {detail}{pad}"), theme.style(TextRole::Dim)),
            ])
        });
        let lines: Vec<Line<'_>> = lines.collect();
        let height = u16::try_from(lines.len()).unwrap_or(0);
        let area = Rect {
            y: composer.y - height,
            height,
            ..composer
        };
        frame.render_widget(Clear, area);
        frame.render_widget(Paragraph::new(lines), area);
    }
}

/// The most completions that are listed at once.
const ROWS: usize = 8;
