//! The choices for the word at the cursor, above what is written.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};

use crate::chat::app::App;
use crate::chat::text;
use crate::paint::theme::{Sign, TextRole};
use crate::paint::wrap;

impl App {
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
            let label = text::cut_front(&text::line(&choice.label), width.saturating_sub(4));
            let left = width.saturating_sub(wrap::width(&label) + 6);
            let detail = text::cut(&text::line(&choice.detail), left);
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

const ROWS: usize = 8;
