//! Draws the header line: the tabs, or the agent, title and directory of the only session.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::{StatusPart, fit_parts};
use crate::chat::app::App;
use crate::chat::tab::{Activity, Tab};
use crate::chat::text;
use crate::paint::theme::{Sign, TextRole};

impl App {
    pub(super) fn draw_header(&self, area: Rect, frame: &mut Frame<'_>) {
        let line = match self.tabs.len() {
            1 => self.session_line(usize::from(area.width)),
            _ => self.tab_line(usize::from(area.width)),
        };
        frame.render_widget(Paragraph::new(line), area);
    }

    fn session_line(&self, width: usize) -> Line<'static> {
        let tab = self.tab();
        let cwd = text::safe_line(&tab.cwd().to_string_lossy());
        let parts = vec![
            StatusPart::new(self.agent_name(), TextRole::Strong, 3),
            StatusPart::new(text::cut(&tab.title(), width / 2), TextRole::Text, 2),
            StatusPart::new(text::cut_front(&cwd, width / 2), TextRole::Dim, 1),
        ];
        fit_parts(parts, width, &self.settings.theme)
    }

    /// All tabs if there is room, otherwise those around the active one.
    fn tab_line(&self, width: usize) -> Line<'static> {
        let theme = &self.settings.theme;
        let room = (width / self.tabs.len()).clamp(8, 30);
        let fit = (width / room).max(1);
        let first = self.active.saturating_sub(fit - 1).min(self.tabs.len() - 1);
        let mut spans = Vec::new();
        for (at, tab) in self.tabs.iter().enumerate().skip(first).take(fit) {
            let mark = self.mark(tab);
            let label = format!(" {}{mark} {} ", at + 1, tab.title());
            let role = match at == self.active {
                true => TextRole::Selected,
                false => TextRole::Dim,
            };
            let cut = text::cut(&label, room.saturating_sub(1));
            spans.push(Span::styled(cut, theme.style(role)));
            spans.push(Span::styled(
                theme.sign(Sign::Bar),
                theme.style(TextRole::Border),
            ));
        }
        Line::from(spans)
    }

    /// The state of a tab as one sign.
    fn mark(&self, tab: &Tab) -> &'static str {
        let has_request = tab
            .session()
            .is_some_and(|session| self.requests.has_request_of(session));
        match (has_request, tab.turn, tab.activity) {
            (true, ..) => "?",
            (false, Some(_), _) => self.settings.theme.sign(Sign::Running),
            (false, None, Activity::Unread) => self.settings.theme.sign(Sign::Bullet),
            (false, None, Activity::Read) => "",
        }
    }

    /// The agent's own name, or the configured name until the agent has sent one.
    pub(super) fn agent_name(&self) -> String {
        let info = self
            .agent
            .as_ref()
            .and_then(|agent| agent.agent_info.as_ref());
        match info {
            Some(info) => text::safe_line(info.title.as_deref().unwrap_or(&info.name)),
            None => text::safe_line(&self.settings.agent),
        }
    }
}
