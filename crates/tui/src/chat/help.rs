//! The help page that `?` opens.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::text::{Line, Span};

use super::keymap::ACTIONS;
use super::panel::{Panel, ScrollTarget};
use crate::paint::theme::{TextRole, Theme};

/// The help page and its scroll position.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Help {
    top: usize,
}

/// Whether a dialog is still open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialogState {
    Open,
    Closed,
}

impl Help {
    pub(crate) fn key(&mut self, key: &KeyEvent) -> DialogState {
        match key.code {
            KeyCode::Down | KeyCode::Char('j') => self.top += 1,
            KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top += 10,
            KeyCode::PageUp => self.top = self.top.saturating_sub(10),
            KeyCode::Esc | KeyCode::Char('q' | '?') | KeyCode::Enter => return DialogState::Closed,
            _ => {}
        }
        self.top = self
            .top
            .min(ACTIONS.len() + WRITING.len() + REQUESTS.len() + READING.len());
        DialogState::Open
    }

    pub(crate) fn panel(&self, theme: &Theme) -> Panel {
        let mut panel = Panel::new("Help");
        panel.scroll_target = ScrollTarget::From(self.top);
        panel.keys = "↑↓ scroll · Esc close".to_owned();
        section(&mut panel, theme, "Writing", WRITING);
        panel.blank_line();
        panel.lines.push(heading(theme, "Commands"));
        for entry in ACTIONS {
            let key = entry.key.map(|key| key.name()).unwrap_or_default();
            panel.lines.push(row(theme, &key, entry.name));
        }
        panel.blank_line();
        section(&mut panel, theme, "Agent requests (Tab)", REQUESTS);
        panel.blank_line();
        section(&mut panel, theme, "Transcript (Ctrl-R)", READING);
        panel
    }
}

fn section(panel: &mut Panel, theme: &Theme, title: &'static str, rows: &[(&str, &'static str)]) {
    panel.lines.push(heading(theme, title));
    for (key, what) in rows {
        panel.lines.push(row(theme, key, what));
    }
}

fn heading(theme: &Theme, title: &'static str) -> Line<'static> {
    Line::styled(title, theme.style(TextRole::Heading))
}

fn row(theme: &Theme, key: &str, what: &'static str) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{key:<14}"), theme.style(TextRole::Strong)),
        Span::styled(what, theme.style(TextRole::Text)),
    ])
}

const WRITING: &[(&str, &str)] = &[
    ("Enter", "send; queued while a turn is running"),
    ("Alt-Enter", "new line, also Ctrl-J"),
    ("/", "agent commands"),
    ("@", "mention a file"),
    ("↑ ↓", "earlier prompts"),
    ("Ctrl-Z  Alt-Z", "undo, redo"),
    ("Esc", "close what is open, then cancel the turn"),
    ("Ctrl-C", "clear, then cancel the turn; twice: quit"),
    ("PgUp PgDn", "scroll"),
    ("Tab", "to a request and back, while the composer is empty"),
];

const REQUESTS: &[(&str, &str)] = &[
    ("↑ ↓", "select an answer"),
    ("Enter", "choose it; remembered answers need another Enter"),
    (
        "PgUp PgDn",
        "scroll, as the wheel does; Home and End go to the ends",
    ),
    ("Alt-D", "all details"),
    ("← →", "how long to remember, when you confirm"),
    (
        "Esc",
        "back to the composer, as any letter; the request stays open",
    ),
];

const READING: &[(&str, &str)] = &[
    ("↑ ↓  k j", "select an entry"),
    ("[ ]", "previous or next prompt of yours"),
    ("Enter", "unfold or fold it"),
    ("c", "copy it"),
    ("d", "diffs side by side, unified, or by width"),
    ("g G", "go to the beginning, to the end"),
    ("/  n N", "search, next and previous match"),
    ("Esc", "back to the composer"),
];
