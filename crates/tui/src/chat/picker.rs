//! A list to choose from, filtered by typing: used for the palette, modes, models, options, sessions, logins and files.

use attache::v1;
use attache_client::command::SessionStart;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::{Line, Span};

use super::completion::ListDirection;
use super::editor::{EditOutcome, Editor, LineMode};
use super::fuzzy;
use super::keymap::UiAction;
use super::panel::{Panel, ScrollTarget};
use super::text;
use crate::paint::theme::{Sign, TextRole, Theme};
use crate::paint::wrap;

/// A list to choose from.
#[derive(Debug, Clone)]
pub(crate) struct Picker {
    title: String,
    rows: Vec<PickerRow>,
    filter: Editor,
    /// The indices of the rows that match the filter.
    matching: Vec<usize>,
    selected: Option<usize>,
    pending: PendingRows,
    is_filled: bool,
}

/// The rows that a list still waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PendingRows {
    Nothing,
    Sessions,
    Files,
}

/// A row of a list; its texts are safe to show.
#[derive(Debug, Clone)]
pub(crate) struct PickerRow {
    pub(crate) label: String,
    pub(crate) detail: String,
    pub(crate) group: Option<String>,
    pub(crate) mark: RowMark,
    pub(crate) choice: PickerChoice,
}

/// Whether a row is the current setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowMark {
    None,
    Current,
}

/// What choosing a row does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PickerChoice {
    /// Run an action.
    Do(UiAction),
    /// Set a mode.
    Mode(v1::SessionModeId),
    /// Choose the value of an option next.
    Option(v1::SessionConfigId),
    /// Set an option to a value.
    Value(v1::SessionConfigId, v1::SessionConfigOptionValue),
    /// Choose what to do with a session next.
    Session(Box<v1::SessionInfo>),
    /// List the next page of sessions.
    MoreSessions(String),
    /// Open a session in this way.
    Open(SessionStart, Box<v1::SessionInfo>),
    /// Ask whether to delete a session.
    Delete(Box<v1::SessionInfo>),
    /// Delete a session, after confirmation.
    DeleteNow(v1::SessionId),
    /// Log in with a method.
    Login(v1::AuthMethodId),
    /// Remove a queued prompt.
    Unqueue(usize),
    /// Attach a file.
    Attach(String),
    /// Switch to a tab.
    Tab(usize),
    /// Do nothing.
    Nothing,
}

/// The effect of a key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PickerOutcome {
    /// The list is still open.
    Open,
    /// A row was chosen.
    Chosen(PickerChoice),
    /// The list was closed.
    Closed,
}

impl PickerRow {
    pub(crate) fn new(
        label: impl Into<String>,
        detail: impl Into<String>,
        choice: PickerChoice,
    ) -> PickerRow {
        PickerRow {
            label: label.into(),
            detail: detail.into(),
            group: None,
            mark: RowMark::None,
            choice,
        }
    }
}

impl Picker {
    pub(crate) fn new(title: impl Into<String>, rows: Vec<PickerRow>) -> Picker {
        let current = rows.iter().position(|row| row.mark == RowMark::Current);
        Picker {
            title: title.into(),
            matching: (0..rows.len()).collect(),
            rows,
            filter: Editor::default(),
            selected: Some(current.unwrap_or(0)),
            pending: PendingRows::Nothing,
            is_filled: true,
        }
    }

    /// Creates a list whose rows arrive later.
    pub(crate) fn pending(title: impl Into<String>, pending: PendingRows) -> Picker {
        Picker {
            pending,
            is_filled: false,
            ..Picker::new(title, Vec::new())
        }
    }

    pub(crate) fn is_pending(&self, what: PendingRows) -> bool {
        self.pending == what
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> PickerOutcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return PickerOutcome::Closed,
            KeyCode::Enter => {
                return match self.chosen() {
                    Some(choice) => PickerOutcome::Chosen(choice),
                    None => PickerOutcome::Open,
                };
            }
            KeyCode::Down | KeyCode::Tab => self.step(ListDirection::Next),
            KeyCode::Up | KeyCode::BackTab => self.step(ListDirection::Previous),
            KeyCode::Char('n') if control => self.step(ListDirection::Next),
            KeyCode::Char('p') if control => self.step(ListDirection::Previous),
            KeyCode::PageDown => {
                self.selected = Some((self.selected.unwrap_or(0) + PAGE).min(self.last_index()));
            }
            KeyCode::PageUp => {
                self.selected = Some(self.selected.unwrap_or(0).saturating_sub(PAGE));
            }
            _ => {
                if self.filter.key(key, LineMode::Single) == EditOutcome::Edited {
                    self.refilter();
                }
            }
        }
        PickerOutcome::Open
    }

    pub(crate) fn paste(&mut self, text: &str) {
        self.filter.insert(&text.replace(['\n', '\r'], " "));
        self.refilter();
    }

    /// Adds rows, for example the next page of a list. They replace the "more" row at the end.
    pub(crate) fn extend(&mut self, rows: Vec<PickerRow>) {
        if matches!(self.rows.last(), Some(row) if matches!(row.choice, PickerChoice::MoreSessions(_)))
        {
            self.rows.pop();
        }
        self.is_filled = true;
        let room = ROWS.saturating_sub(self.rows.len());
        self.rows.extend(rows.into_iter().take(room));
        let selected = self.selected;
        self.refilter();
        self.selected = selected.map(|selected| selected.min(self.last_index()));
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let width = usize::from(Panel::inner_width(width));
        let mut panel = Panel::new(self.title.clone());
        let prompt = format!("{} ", theme.sign(Sign::User));
        let column = wrap::width(&prompt) + self.filter.cursor_position(usize::MAX).1;
        panel.cursor = Some((column, 0));
        let typed = Span::styled(self.filter.text().to_owned(), theme.style(TextRole::Strong));
        let typed = match self.filter.is_empty() {
            true => Span::styled("type to filter", theme.style(TextRole::Dim)),
            false => typed,
        };
        panel.line(vec![Span::raw(prompt), typed]);
        let label_width = self.label_width(width);
        let mut group = None;
        for (at, &index) in self.matching.iter().enumerate() {
            let row = &self.rows[index];
            if row.group.is_some() && row.group != group {
                group.clone_from(&row.group);
                let name = group.clone().unwrap_or_default();
                let style = theme.style(TextRole::Heading);
                panel
                    .lines
                    .push(Line::styled(text::cut(&name, width), style));
            }
            if Some(at) == self.selected {
                panel.scroll_target = ScrollTarget::At(panel.lines.len());
            }
            panel
                .lines
                .push(row.line(Some(at) == self.selected, theme, label_width, width));
        }
        if self.matching.is_empty() {
            let style = theme.style(TextRole::Dim);
            let text = match (self.is_filled, self.typed_file()) {
                (false, _) => "searching…",
                (true, Some(_)) => "Enter attaches this path",
                (true, None) if self.rows.is_empty() => "empty",
                (true, None) => "no matches",
            };
            panel.lines.push(Line::styled(text, style));
        }
        panel.keys = "↑↓ select · Enter choose · Esc close".to_owned();
        panel
    }

    fn label_width(&self, width: usize) -> usize {
        let rows = self.matching.iter().map(|index| &self.rows[*index]);
        let widest = rows.map(|row| wrap::width(&row.label)).max().unwrap_or(0);
        match self.rows.iter().all(|row| row.detail.is_empty()) {
            true => width.saturating_sub(4),
            false => widest.min(width / 2),
        }
    }

    fn chosen(&self) -> Option<PickerChoice> {
        match self.selected.and_then(|at| self.matching.get(at)) {
            Some(index) => Some(self.rows.get(*index)?.choice.clone()),
            None => self.typed_file().map(PickerChoice::Attach),
        }
    }

    /// The typed path in a file picker, even if it is not in the list.
    fn typed_file(&self) -> Option<String> {
        let is_path = self.pending == PendingRows::Files && !self.filter.is_empty();
        is_path.then(|| self.filter.text().to_owned())
    }

    fn last_index(&self) -> usize {
        self.matching.len().saturating_sub(1)
    }

    fn step(&mut self, direction: ListDirection) {
        let count = self.matching.len().max(1);
        self.selected = Some(match (direction, self.selected) {
            (ListDirection::Next, None) => 0,
            (ListDirection::Next, Some(selected)) => (selected + 1) % count,
            (ListDirection::Previous, selected) => (selected.unwrap_or(0) + count - 1) % count,
        });
    }

    fn refilter(&mut self) {
        let texts: Vec<String> = self.rows.iter().map(PickerRow::search_text).collect();
        let texts = texts.iter().map(String::as_str);
        self.matching = fuzzy::best(self.filter.text(), texts, ROWS);
        self.selected = Some(0);
    }
}

impl PickerRow {
    fn search_text(&self) -> String {
        format!("{} {}", self.label, self.detail)
    }

    fn line(&self, is_selected: bool, theme: &Theme, label: usize, width: usize) -> Line<'static> {
        let cursor = match is_selected {
            true => theme.sign(Sign::Cursor),
            false => " ",
        };
        let mark = match self.mark {
            RowMark::Current => theme.sign(Sign::Done),
            RowMark::None => " ",
        };
        let name = text::cut(&self.label, label);
        let pad = " ".repeat(label.saturating_sub(wrap::width(&name)));
        let room = width.saturating_sub(label + 6);
        let detail = text::cut(&self.detail, room);
        let style = match is_selected {
            true => theme.style(TextRole::Selected),
            false => theme.style(TextRole::Text),
        };
        Line::from(vec![
            Span::styled(format!("{cursor}{mark} {name}{pad}"), style),
            Span::styled(format!("  {detail}"), theme.style(TextRole::Dim)),
        ])
    }
}

const ROWS: usize = 5000;
const PAGE: usize = 10;
