//! Draws the screen, from top to bottom: tabs, transcript, plan, queued prompts, a dialog, the composer, the status
//! line.

mod composer;
mod header;
mod layout;
mod status;

use std::time::Instant;

use attache_client::export::TerminalLookup;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::app::{AgentStatus, App, Dialog, RequestPanel};
use super::effect::ExportFormat;
use super::panel::{KeyFocus, Panel};
use super::request_queue::RequestDialog;
use super::tab::{PlanView, Tab, TabStatus};
use super::text;
use crate::paint::theme::{SignSet, TextRole, Theme};
use crate::paint::{Viewport, plan, wrap};
use layout::{PartHeights, ScreenLayout};

/// What drawing needs besides the state of the app.
pub struct DrawContext<'a> {
    /// Looks up the terminals of the host.
    pub terminal: TerminalLookup<'a>,
    /// The current time.
    pub now: Instant,
}

impl std::fmt::Debug for DrawContext<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("DrawContext")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl App {
    /// Draws the whole screen.
    pub fn draw(&mut self, frame: &mut Frame<'_>, context: &DrawContext<'_>) {
        let area = frame.area();
        self.size = (area.width, area.height);
        self.request_area = None;
        let drawn = self.requests.hide();
        if area.width < LEAST.0 || area.height < LEAST.1 {
            let text = format!("needs {}x{}", LEAST.0, LEAST.1);
            frame.render_widget(Paragraph::new(text), area);
            return;
        }
        let theme = self.settings.theme;
        let dialog = self.dialog_panel(area.width);
        let request = match dialog {
            Some(_) => None,
            None => self.request_panel(area.width),
        };
        let (panel, least) = match (&dialog, &request) {
            (Some(panel), _) => (panel.height(area.width), 0),
            (None, Some(RequestPanel::Panel(panel))) => {
                let height = panel.height(area.width);
                (height, height.min(ASK))
            }
            (None, Some(RequestPanel::Permission(page))) => {
                let most = area
                    .height
                    .saturating_sub(1 + self.composer_height(area.height));
                (page.height(), page.min_height(most))
            }
            (None, None) => (0, 0),
        };
        let plan = plan_lines(self.tab(), area);
        let waiting = self.waiting_lines(area.width);
        let heights = PartHeights {
            plan: plan.len(),
            waiting: waiting.len(),
            panel,
            panel_least: least,
            composer: self.composer_height(area.height),
        };
        let layout = ScreenLayout::new(area, &heights);
        self.draw_header(layout.header, frame);
        let tab = self.tab_mut();
        let viewport = Viewport {
            transcript: &tab.transcript,
            terminal: context.terminal,
            now: context.now,
        };
        tab.view
            .draw(&viewport, layout.transcript, frame.buffer_mut());
        if self.is_empty_session() {
            self.draw_welcome(layout.transcript, frame);
        }
        frame.render_widget(Paragraph::new(plan), indent(layout.plan));
        frame.render_widget(Paragraph::new(waiting), layout.waiting);
        let keys = match self.dialog.is_some() || self.request_has_keys() {
            true => KeyFocus::Elsewhere,
            false => KeyFocus::Here,
        };
        self.draw_composer(layout.composer, frame, keys);
        self.draw_completion(layout.composer, frame);
        // Drawing the transcript counts the search matches.
        let dialog = match self.dialog {
            Some(Dialog::Search(_)) => self.dialog_panel(area.width),
            _ => dialog,
        };
        if let Some(panel) = dialog {
            panel.draw(layout.panel, frame, &theme);
        }
        if let Some(request) = request {
            self.draw_request(request, layout.panel, frame);
            self.requests.show(drawn, context.now);
        }
        self.draw_status(layout.status, frame, context.now);
        if theme.sign_set() == SignSet::Ascii {
            replace_signs_with_ascii(frame.buffer_mut());
        }
    }

    /// Draws the agent's request and records which part of it is visible.
    fn draw_request(&mut self, panel: RequestPanel, area: Rect, frame: &mut Frame<'_>) {
        let (theme, size) = (self.settings.theme, self.size);
        self.request_area = Some(area);
        let session = self.tab().session().cloned();
        let request = self.requests.first_mut(session.as_ref());
        match panel {
            RequestPanel::Panel(panel) => {
                let window = panel.draw(area, frame, &theme);
                if let Some(request) = request {
                    request.coverage.set_drawn(panel, window, size);
                }
            }
            RequestPanel::Permission(page) => {
                let drawn = page.draw(area, frame, &theme, size);
                if let Some(RequestDialog::Permission(dialog)) =
                    request.map(|request| &mut request.dialog)
                {
                    dialog.set_drawn(drawn);
                }
            }
        }
    }

    /// Whether the transcript of the tab is empty.
    fn is_empty_session(&self) -> bool {
        let tab = self.tab();
        let has_failed = matches!(tab.state, TabStatus::Failed(_));
        tab.transcript.entries().len() == 0
            && !has_failed
            && self.agent_status != AgentStatus::Exited
    }

    /// Draws the agent's name, the working directory and how to begin.
    fn draw_welcome(&self, area: Rect, frame: &mut Frame<'_>) {
        let theme = &self.settings.theme;
        let width = usize::from(area.width).saturating_sub(2);
        let info = self
            .agent
            .as_ref()
            .and_then(|agent| agent.agent_info.as_ref());
        let version = info
            .map(|info| text::safe_line(&info.version))
            .unwrap_or_default();
        let cwd = text::safe_line(&self.tab().cwd().to_string_lossy());
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
            row("Enter", "send your prompt"),
            row("@  /", "mention a file, run an agent command"),
            row("Ctrl-P", "all commands"),
            row("?", "help"),
        ];
        frame.render_widget(Paragraph::new(lines), area);
    }

    fn dialog_panel(&self, width: u16) -> Option<Panel> {
        let theme = &self.settings.theme;
        Some(match self.dialog.as_ref()? {
            Dialog::Picker(picker) => picker.panel(theme, width),
            Dialog::Help(help) => help.panel(theme),
            Dialog::Search(search) => search.panel(&self.tab().view, theme),
            Dialog::Export(export) => {
                let editor = &export.name;
                let title = match export.format {
                    ExportFormat::Markdown => "Export as Markdown to",
                    ExportFormat::Json => "Export as JSON to",
                };
                let mut panel = Panel::new(title);
                panel.cursor = Some((editor.cursor_position(usize::MAX).1, 0));
                panel.line(vec![Span::raw(editor.text().to_owned())]);
                let path = self.tab().cwd().join(editor.text().trim());
                panel.keys = match export.existing.as_ref() == Some(&path) {
                    true => {
                        let said = "! This file already exists.".to_owned();
                        panel.line(vec![Span::styled(said, theme.style(TextRole::Warning))]);
                        "Enter again to overwrite · or type another name · Esc close".to_owned()
                    }
                    false => "Enter write · Esc close".to_owned(),
                };
                panel
            }
        })
    }

    /// The queued prompts, the next one first.
    fn waiting_lines(&self, width: u16) -> Vec<Line<'static>> {
        let theme = &self.settings.theme;
        let tab = self.tab();
        let all = tab.unsent_prompts.iter().chain(&tab.queued_prompts);
        let count = tab.unsent_prompts.len() + tab.queued_prompts.len();
        let shown = all.take(WAITING).enumerate().map(|(at, content)| {
            let more = match (at + 1 == WAITING, count.saturating_sub(WAITING)) {
                (true, more) if more > 0 => format!(" (and {more} more)"),
                _ => String::new(),
            };
            let room = usize::from(width).saturating_sub(8 + more.len());
            let said = text::cut(&super::app::content_line(content), room);
            Line::styled(format!(" next: {said}{more}"), theme.style(TextRole::Dim))
        });
        shown.collect()
    }
}

/// Replaces our own signs with ASCII, for terminals that show only that. Other text stays unchanged.
fn replace_signs_with_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let sign = match cell.symbol() {
            "·" => "-",
            "↑" => "^",
            "↓" => "v",
            "…" => "~",
            "“" | "”" => "\"",
            "•" => "*",
            "┊" => ":",
            "–" => "-",
            _ => continue,
        };
        cell.set_symbol(sign);
    }
}

fn indent(area: Rect) -> Rect {
    Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(1),
        ..area
    }
}

/// The plan: one line, or all entries up to a third of the screen.
fn plan_lines(tab: &Tab, area: Rect) -> Vec<Line<'static>> {
    let appearance = tab.view.appearance();
    let width = area.width.saturating_sub(2);
    let mut lines = match (tab.plan, tab.plan()) {
        (PlanView::Hidden, _) => return Vec::new(),
        (PlanView::Summary, Some(plan)) if !plan.entries.is_empty() => {
            vec![plan::summary(plan, appearance, width)]
        }
        (PlanView::List, Some(plan)) => plan::lines(plan, appearance, width),
        _ => Vec::new(),
    };
    if tab.plan == PlanView::List {
        for more in tab.transcript.plans() {
            lines.extend(plan::lines_of(more, appearance, width));
        }
    }
    lines.truncate(usize::from(area.height / 3).max(1));
    lines
}

/// Joins parts into a line, leaving out the least important ones until the line fits.
fn fit_parts(parts: Vec<StatusPart>, width: usize, theme: &Theme) -> Line<'static> {
    let mut parts = parts;
    parts.retain(|part| !part.text.is_empty());
    let used = |parts: &[StatusPart]| -> usize {
        parts.iter().map(|part| wrap::width(&part.text) + 3).sum()
    };
    while used(&parts) > width && parts.len() > 1 {
        let least = parts.iter().enumerate().min_by_key(|(_, part)| part.weight);
        let at = least.map_or(0, |(at, _)| at);
        parts.remove(at);
    }
    let mut spans = vec![Span::raw(" ")];
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            spans.push(Span::styled(" · ", theme.style(TextRole::Dim)));
        }
        let text = text::cut(&part.text, width.saturating_sub(2));
        spans.push(Span::styled(text, theme.style(part.role)));
    }
    Line::from(spans)
}

/// A part of the header or status line.
struct StatusPart {
    text: String,
    role: TextRole,
    /// How important the part is; the least important one is left out first.
    weight: u8,
}

impl StatusPart {
    fn new(text: impl Into<String>, role: TextRole, weight: u8) -> StatusPart {
        let text = text::safe_line(&text.into());
        StatusPart { text, role, weight }
    }
}

const LEAST: (u16, u16) = (24, 8);
/// The fewest rows in which a request can be scrolled.
const ASK: u16 = 7;
const WAITING: usize = 3;
