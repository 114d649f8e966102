//! What stands where nothing has been said yet.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::chat::app::App;
use crate::chat::text;
use crate::paint::theme::TextRole;

impl App {
    /// Who it is, where it works, and how to begin.
    pub(super) fn draw_welcome(&self, area: Rect, frame: &mut Frame<'_>) {
        let theme = &self.settings.theme;
        let width = usize::from(area.width).saturating_sub(2);
        let info = self
            .agent
            .as_ref()
            .and_then(|agent| agent.agent_info.as_ref());
        let version = info
            .map(|info| text::line(&info.version))
            .unwrap_or_default();
        let cwd = text::line(&self.tab().cwd().to_string_lossy());
        let row = |key: &'static str, what: &'static str| {
            Line::from(vec![
                Span::styled(format!(" {key:<8}"), theme.style(TextRole::Strong)),
                Span::styled(
                    text::cut(what, width.saturating_sub(8)),
                    theme.style(TextRole::Dim),
                ),
            ])
        };
        let lines = vec![
            Line::default(),
            Line::from(vec![
                Span::styled(
                    format!(" {}", self.agent_name()),
                    theme.style(TextRole::Heading),
                ),
                Span::styled(format!(" {version}"), theme.style(TextRole::Dim)),
            ]),
            Line::raw(format!(
                " in {}",
                text::cut_front(&cwd, width.saturating_sub(3))
            )),
            Line::default(),
            row("Enter", "send what is written"),
            row("@  /", "mention a file, run a command of the agent"),
            row("Ctrl-P", "all commands"),
            row("?", "help"),
        ];
        frame.render_widget(Paragraph::new(lines), area);
    }
}
