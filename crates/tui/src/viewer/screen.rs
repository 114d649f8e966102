//! The state of the viewer, and its keys.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use attache_recording::{
    IndexProgress, Record, RecordContent, RecordFilter, RecordIndex, RecordRow, RecordedStream,
    ViolationIndex, pretty_json,
};
use attache_text::plain;
use attache_text::plain::visible;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// The viewer as a value. Drawing does not change it.
pub(super) struct Viewer {
    pub(super) path: PathBuf,
    index: RecordIndex,
    pub(super) violations: ViolationIndex,
    pub(super) progress: IndexProgress,
    /// The first visible row and the selected row, counted among the filtered rows.
    pub(super) top: u64,
    pub(super) selected: u64,
    pub(super) rows: Vec<(u64, u64, RecordRow)>,
    pub(super) detail: Vec<String>,
    /// The record that `detail` belongs to.
    detail_record: Option<u64>,
    pub(super) scroll: usize,
    pub(super) focus: ViewerPane,
    pub(super) prompt: Option<FilterPrompt>,
    pub(super) shows_help: bool,
    pub(super) layout: PaneLayout,
    pub(super) follow_mode: FollowMode,
    message: Option<String>,
}

/// Whether the viewer follows a growing recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FollowMode {
    Off,
    /// The last row stays selected.
    Following,
    /// The recording grows, but the selection stays.
    Paused,
}

/// The pane that gets the arrow keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ViewerPane {
    List,
    Detail,
}

/// The filter that is being typed.
pub(super) struct FilterPrompt {
    pub(super) field: FilterField,
    pub(super) text: String,
}

/// The property that a filter matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FilterField {
    Text,
    Method,
    Session,
}

/// The number of lines of the two panes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PaneLayout {
    pub(super) list: u16,
    pub(super) detail: u16,
    pub(super) is_side_by_side: bool,
}

impl Viewer {
    pub(super) fn open(path: &Path, filter: RecordFilter) -> io::Result<Viewer> {
        let (index, violations) = (
            RecordIndex::open(path, filter)?,
            ViolationIndex::open(path)?,
        );
        Ok(Viewer::new(path, index, violations, FollowMode::Off))
    }

    /// Opens a recording that is still being written, at its end.
    pub(super) fn follow(path: &Path, filter: RecordFilter) -> io::Result<Viewer> {
        let (index, violations) = (
            RecordIndex::follow(path, filter)?,
            ViolationIndex::follow(path)?,
        );
        Ok(Viewer::new(path, index, violations, FollowMode::Following))
    }

    fn new(
        path: &Path,
        index: RecordIndex,
        violations: ViolationIndex,
        follow_mode: FollowMode,
    ) -> Viewer {
        Viewer {
            path: path.to_owned(),
            index,
            violations,
            progress: IndexProgress::default(),
            top: 0,
            selected: 0,
            rows: Vec::new(),
            detail: Vec::new(),
            detail_record: None,
            scroll: 0,
            focus: ViewerPane::List,
            prompt: None,
            shows_help: false,
            layout: PaneLayout::default(),
            follow_mode,
            message: None,
        }
    }

    pub(super) fn resize(&mut self, width: u16, height: u16) {
        let panes = height.saturating_sub(FRAME);
        let is_side_by_side = width >= WIDE;
        let list = if is_side_by_side {
            panes
        } else {
            panes * 3 / 5
        };
        let detail = if is_side_by_side { panes } else { panes - list };
        self.layout = PaneLayout {
            list,
            detail,
            is_side_by_side,
        };
    }

    /// Updates the rows from the part of the file that has been read.
    pub(super) fn refresh(&mut self) -> io::Result<()> {
        self.progress = self.index.progress();
        if self.follow_mode == FollowMode::Following {
            self.selected = self.progress.shown.saturating_sub(1);
        }
        let height = u64::from(self.layout.list.max(1));
        if self.selected < self.top {
            self.top = self.selected;
        } else if self.selected >= self.top + height {
            self.top = self.selected + 1 - height;
        }
        let page = self.index.page(self.top, usize::from(self.layout.list))?;
        self.rows = page.rows;
        let last = self.top + (self.rows.len() as u64).saturating_sub(1);
        self.selected = self.selected.min(last.max(self.top));
        self.load_detail()
    }

    /// Lays out the selected record.
    fn load_detail(&mut self) -> io::Result<()> {
        let Some((number, offset, _)) = self.current() else {
            self.detail.clear();
            self.detail_record = None;
            return Ok(());
        };
        let (number, offset) = (*number, *offset);
        if self.detail_record == Some(number) && self.violations.of(number).is_empty() {
            return Ok(());
        }
        if self.detail_record != Some(number) {
            self.scroll = 0;
        }
        let record = self.index.record(offset)?;
        self.detail = record
            .map(|record| record_lines(&record))
            .unwrap_or_default();
        let violations = self.violations.of(number);
        let violations = violations.iter().map(|text| format!("! {}", visible(text)));
        self.detail.splice(0..0, violations);
        self.detail_record = Some(number);
        Ok(())
    }

    pub(super) fn current(&self) -> Option<&(u64, u64, RecordRow)> {
        let place = usize::try_from(self.selected - self.top).ok()?;
        self.rows.get(place)
    }

    pub(super) fn filter(&self) -> &RecordFilter {
        self.index.filter()
    }

    pub(super) fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }

    /// Whether the screen changes only after input.
    pub(super) fn is_settled(&self) -> bool {
        self.follow_mode == FollowMode::Off && self.progress.done && self.violations.count().1
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> io::Result<ControlFlow<()>> {
        self.message = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Ok(ControlFlow::Break(()));
        }
        if self.shows_help {
            self.shows_help = false;
            return Ok(ControlFlow::Continue(()));
        }
        if let Some(prompt) = self.prompt.take() {
            self.prompt_key(prompt, key.code)?;
            return Ok(ControlFlow::Continue(()));
        }
        let page = u64::from(self.layout.list.saturating_sub(1).max(1));
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Ok(ControlFlow::Break(())),
            KeyCode::Char('?') => self.shows_help = true,
            KeyCode::Tab | KeyCode::Enter => {
                self.focus = match self.focus {
                    ViewerPane::List => ViewerPane::Detail,
                    ViewerPane::Detail => ViewerPane::List,
                }
            }
            KeyCode::Down | KeyCode::Char('j') => self.down(1),
            KeyCode::Up | KeyCode::Char('k') => self.up(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.down(page),
            KeyCode::PageUp => self.up(page),
            KeyCode::Home | KeyCode::Char('g') => self.up(u64::MAX),
            KeyCode::End | KeyCode::Char('G') => self.down(u64::MAX),
            KeyCode::Char('/') => self.open_prompt(FilterField::Text),
            KeyCode::Char('m') => self.open_prompt(FilterField::Method),
            KeyCode::Char('S') => self.open_prompt(FilterField::Session),
            KeyCode::Char('s') => self.toggle_session_filter()?,
            KeyCode::Char('d') => self.next_stream()?,
            KeyCode::Char('c') => self.set_filter(RecordFilter::default())?,
            KeyCode::Char('v') => self.next_violation()?,
            _ => {}
        }
        Ok(ControlFlow::Continue(()))
    }

    fn down(&mut self, lines: u64) {
        match self.focus {
            ViewerPane::List => {
                let last = self.progress.shown.max(self.top + self.rows.len() as u64);
                let last = last.saturating_sub(1);
                self.selected = self.selected.saturating_add(lines).min(last);
                if self.follow_mode == FollowMode::Paused && self.selected == last {
                    self.follow_mode = FollowMode::Following;
                }
            }
            ViewerPane::Detail => {
                let last = self
                    .detail
                    .len()
                    .saturating_sub(usize::from(self.layout.detail));
                let lines = usize::try_from(lines).unwrap_or(usize::MAX);
                self.scroll = self.scroll.saturating_add(lines).min(last);
            }
        }
    }

    fn up(&mut self, lines: u64) {
        match self.focus {
            ViewerPane::List => {
                self.selected = self.selected.saturating_sub(lines);
                self.pause_following();
            }
            ViewerPane::Detail => {
                let lines = usize::try_from(lines).unwrap_or(usize::MAX);
                self.scroll = self.scroll.saturating_sub(lines);
            }
        }
    }

    fn pause_following(&mut self) {
        if self.follow_mode == FollowMode::Following {
            self.follow_mode = FollowMode::Paused;
        }
    }

    fn open_prompt(&mut self, field: FilterField) {
        let filter = self.filter();
        let text = match field {
            FilterField::Text => filter.text.clone(),
            FilterField::Method => filter.method.clone(),
            FilterField::Session => filter.session.clone(),
        };
        let text = text.unwrap_or_default();
        self.prompt = Some(FilterPrompt { field, text });
    }

    fn prompt_key(&mut self, mut prompt: FilterPrompt, key: KeyCode) -> io::Result<()> {
        match key {
            KeyCode::Esc => return Ok(()),
            KeyCode::Enter => {
                let mut filter = self.filter().clone();
                let text = Some(prompt.text).filter(|text| !text.is_empty());
                match prompt.field {
                    FilterField::Text => filter.text = text,
                    FilterField::Method => filter.method = text,
                    FilterField::Session => filter.session = text,
                }
                return self.set_filter(filter);
            }
            KeyCode::Backspace => drop(prompt.text.pop()),
            KeyCode::Char(char) => prompt.text.push(char),
            _ => {}
        }
        self.prompt = Some(prompt);
        Ok(())
    }

    fn toggle_session_filter(&mut self) -> io::Result<()> {
        let session = self.current().and_then(|(_, _, row)| row.session.clone());
        let mut filter = self.filter().clone();
        filter.session = match filter.session {
            Some(_) => None,
            None => session.map(|session| session.to_string()),
        };
        self.set_filter(filter)
    }

    fn next_stream(&mut self) -> io::Result<()> {
        let mut filter = self.filter().clone();
        filter.stream = match filter.stream {
            None => Some(RecordedStream::Client),
            Some(RecordedStream::Client) => Some(RecordedStream::Agent),
            Some(RecordedStream::Agent) => Some(RecordedStream::Errors),
            Some(RecordedStream::Errors) => None,
        };
        self.set_filter(filter)
    }

    fn set_filter(&mut self, filter: RecordFilter) -> io::Result<()> {
        if filter != *self.filter() {
            self.index = match self.follow_mode {
                FollowMode::Off => RecordIndex::open(&self.path, filter)?,
                FollowMode::Following | FollowMode::Paused => {
                    RecordIndex::follow(&self.path, filter)?
                }
            };
            (self.top, self.selected) = (0, 0);
            self.detail_record = None;
        }
        Ok(())
    }

    fn next_violation(&mut self) -> io::Result<()> {
        let from = self.current().map(|(number, ..)| *number);
        let next = match from {
            Some(0) if self.violations.has(0) => self.violations.after(0),
            Some(number) => self.violations.after(number),
            None => self.violations.after(0),
        };
        match next {
            Some(number) => {
                self.set_filter(RecordFilter::default())?;
                self.pause_following();
                self.selected = number;
                self.top = number.saturating_sub(u64::from(self.layout.list / 2));
            }
            None => self.message = Some("no further violation".to_owned()),
        }
        Ok(())
    }
}

/// The lines of a record: pretty JSON, or its text.
fn record_lines(record: &Record) -> Vec<String> {
    let mut lines = vec![record.time.clone()];
    match &record.content {
        RecordContent::Line(_, said) => {
            if let Some(cut) = said.cut {
                lines.push(format!("only the beginning of {cut} bytes was recorded"));
            }
            let words = String::from_utf8_lossy(&said.bytes);
            let long = words.len() > LONGEST;
            let end = words.floor_char_boundary(words.len().min(LONGEST));
            let shown = match long {
                true => None,
                false => pretty_json(&words),
            };
            let shown = shown.unwrap_or_else(|| words[..end].to_owned());
            lines.extend(plain::lines(&shown).lines().map(str::to_owned));
            if long {
                lines.push(format!("… and {} more bytes", words.len() - end));
            }
        }
        RecordContent::Header(header) => {
            lines.push(format!("recording of {}", visible(&header.agent)));
            lines.push(format!("secrets redacted: {}", header.redacted));
        }
        RecordContent::Lost(_, loss) => lines.push(format!("could not be recorded: {loss}")),
        RecordContent::Closed(_) => lines.push("the stream has ended".to_owned()),
        RecordContent::End(how) => lines.push(visible(how).into_owned()),
    }
    lines
}

/// The lines outside the panes: title, column heads, separator, keys.
const FRAME: u16 = 4;
/// From this width on, the detail is beside the list.
const WIDE: u16 = 120;
/// The most bytes of a message that are shown.
const LONGEST: usize = 256 << 10;
