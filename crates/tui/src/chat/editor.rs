//! A text editor: cursor, words, undo. It does not draw.

use std::ops::Range;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use unicode_segmentation::UnicodeSegmentation;

use super::text;
use crate::paint::wrap;

/// Text with a cursor. The cursor is always between two grapheme clusters.
#[derive(Debug, Clone, Default)]
pub(crate) struct Editor {
    text: String,
    cursor: usize,
    before: Vec<Snapshot>,
    after: Vec<Snapshot>,
    is_typing: bool,
    column: Option<usize>,
}

/// Whether a text can have several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineMode {
    Single,
    Multi,
}

/// The effect of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditOutcome {
    /// The text has changed.
    Edited,
    /// The cursor has moved.
    Moved,
    /// The key has no meaning here.
    Ignored,
}

#[derive(Debug, Clone)]
struct Snapshot {
    text: String,
    cursor: usize,
}

impl Editor {
    pub(crate) fn with(text: &str) -> Editor {
        let mut editor = Editor::default();
        editor.set_text(text);
        editor
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn cursor(&self) -> usize {
        self.cursor
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Replaces the whole text as one undo step.
    pub(crate) fn set_text(&mut self, text: &str) {
        self.save_snapshot();
        self.text = clean(text);
        self.cursor = self.text.len();
    }

    /// Takes the text and clears the undo history.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(self).text
    }

    /// Inserts a text as one undo step. Returns the number of bytes left out because of the size limit.
    pub(crate) fn insert(&mut self, text: &str) -> usize {
        self.save_snapshot();
        let text = clean(text);
        let room = LIMIT.saturating_sub(self.text.len());
        let fits = text.floor_char_boundary(room.min(text.len()));
        self.text.insert_str(self.cursor, &text[..fits]);
        self.cursor += fits;
        text.len() - fits
    }

    /// Types a character. Consecutive characters are one undo step.
    pub(crate) fn type_char(&mut self, char: char) {
        let mut buffer = [0; 4];
        let is_run = self.is_typing && !char.is_whitespace();
        if is_run && self.text.len() < LIMIT {
            let text = clean(char.encode_utf8(&mut buffer));
            self.text.insert_str(self.cursor, &text);
            self.cursor += text.len();
        } else {
            self.insert(char.encode_utf8(&mut buffer));
        }
        self.is_typing = true;
        self.column = None;
    }

    /// Replaces a range as one undo step and puts the cursor behind it.
    pub(crate) fn replace(&mut self, range: Range<usize>, text: &str) {
        self.save_snapshot();
        let start = range.start;
        let text = clean(text);
        self.text.replace_range(range, &text);
        self.cursor = start + text.len();
    }

    pub(crate) fn remove(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.replace(range, "");
        }
    }

    pub(crate) fn undo(&mut self) {
        if let Some(snapshot) = self.before.pop() {
            self.after.push(self.snapshot());
            self.restore(snapshot);
        }
    }

    pub(crate) fn redo(&mut self) {
        if let Some(snapshot) = self.after.pop() {
            self.before.push(self.snapshot());
            self.restore(snapshot);
        }
    }

    /// The row and column of the cursor at a width.
    pub(crate) fn cursor_position(&self, width: usize) -> (usize, usize) {
        let rows = text::rows(&self.text, width);
        let row = self.row_in(&rows);
        (row, wrap::width(&self.text[rows[row].start..self.cursor]))
    }

    /// Moves one row up. Returns `false` on the first row.
    pub(crate) fn up(&mut self, width: usize) -> bool {
        let row = self.cursor_position(width).0;
        row > 0 && self.go_to_row(row - 1, width)
    }

    /// Moves one row down. Returns `false` on the last row.
    pub(crate) fn down(&mut self, width: usize) -> bool {
        let row = self.cursor_position(width).0;
        self.go_to_row(row + 1, width)
    }

    fn go_to_row(&mut self, row: usize, width: usize) -> bool {
        let rows = text::rows(&self.text, width);
        let Some(range) = rows.get(row) else {
            return false;
        };
        let wanted = self.column.unwrap_or_else(|| self.cursor_position(width).1);
        let is_last = rows.get(row + 1).is_none_or(|next| next.start > range.end);
        let mut column = 0;
        let mut cursor = range.start;
        for (index, grapheme) in self.text[range.clone()].grapheme_indices(true) {
            let end = range.start + index + grapheme.len();
            // The end of a wrapped row is the beginning of the next one.
            if column >= wanted || (!is_last && end == range.end) {
                break;
            }
            column += wrap::columns(grapheme);
            cursor = end;
        }
        self.move_to(cursor);
        self.column = Some(wanted);
        true
    }

    fn row_in(&self, rows: &[Range<usize>]) -> usize {
        let at = |row: &Range<usize>| row.start <= self.cursor;
        rows.iter().rposition(at).unwrap_or(0)
    }

    fn move_to(&mut self, cursor: usize) {
        self.cursor = cursor.min(self.text.len());
        self.is_typing = false;
        self.column = None;
    }

    fn left_of_cursor(&self) -> usize {
        let before = self.text[..self.cursor].grapheme_indices(true);
        before.map(|(index, _)| index).next_back().unwrap_or(0)
    }

    fn right_of_cursor(&self) -> usize {
        let next = self.text[self.cursor..].graphemes(true).next();
        self.cursor + next.map_or(0, str::len)
    }

    /// The start of the word to the left of the cursor.
    fn word_left(&self) -> usize {
        let words = self.text[..self.cursor].unicode_word_indices();
        words.map(|(index, _)| index).next_back().unwrap_or(0)
    }

    /// The end of the word to the right of the cursor.
    fn word_right(&self) -> usize {
        let mut words = self.text[self.cursor..].unicode_word_indices();
        let word = words.next();
        word.map_or(self.text.len(), |(index, word)| {
            self.cursor + index + word.len()
        })
    }

    fn line_start(&self) -> usize {
        let line_end = self.text[..self.cursor].rfind('\n');
        line_end.map_or(0, |index| index + 1)
    }

    fn line_end(&self) -> usize {
        let line_end = self.text[self.cursor..].find('\n');
        line_end.map_or(self.text.len(), |index| self.cursor + index)
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            text: self.text.clone(),
            cursor: self.cursor,
        }
    }

    fn save_snapshot(&mut self) {
        self.is_typing = false;
        self.column = None;
        self.after.clear();
        self.before.push(self.snapshot());
        let held = |list: &[Snapshot]| list.iter().map(|one| one.text.len()).sum::<usize>();
        while self.before.len() > STEPS || (self.before.len() > 1 && held(&self.before) > PAST) {
            self.before.remove(0);
        }
    }

    fn restore(&mut self, snapshot: Snapshot) {
        self.text = snapshot.text;
        self.move_to(snapshot.cursor);
    }
}

/// The keys of readline, and the arrow keys with their usual modifiers.
impl Editor {
    /// Handles a key. The caller handles Up and Down.
    pub(crate) fn key(&mut self, key: &KeyEvent, lines: LineMode) -> EditOutcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match (key.code, control, alt) {
            (KeyCode::Char(char), false, false) => self.type_char(char),
            (KeyCode::Enter, false, true) | (KeyCode::Char('j'), true, false)
                if lines == LineMode::Multi =>
            {
                self.type_char('\n');
            }
            (KeyCode::Backspace, true, _)
            | (KeyCode::Backspace, _, true)
            | (KeyCode::Char('w'), true, false) => self.remove(self.word_left()..self.cursor),
            (KeyCode::Backspace, ..) | (KeyCode::Char('h'), true, false) => {
                self.remove(self.left_of_cursor()..self.cursor);
            }
            (KeyCode::Delete, true, _) | (KeyCode::Char('d'), false, true) => {
                self.remove(self.cursor..self.word_right());
            }
            (KeyCode::Delete, ..) | (KeyCode::Char('d'), true, false) => {
                self.remove(self.cursor..self.right_of_cursor());
            }
            (KeyCode::Char('u'), true, false) => self.remove(self.line_start()..self.cursor),
            (KeyCode::Char('k'), true, false) => self.remove(self.cursor..self.line_end()),
            // Ctrl-_ arrives as Ctrl-7.
            (KeyCode::Char('z' | '_' | '7'), true, false) => self.undo(),
            (KeyCode::Char('z'), false, true) => self.redo(),
            _ => return self.motion(key.code, control, alt),
        }
        EditOutcome::Edited
    }

    fn motion(&mut self, code: KeyCode, control: bool, alt: bool) -> EditOutcome {
        let to = match (code, control, alt) {
            (KeyCode::Left, true, _) | (KeyCode::Left, _, true) => self.word_left(),
            (KeyCode::Char('b'), false, true) => self.word_left(),
            (KeyCode::Right, true, _) | (KeyCode::Right, _, true) => self.word_right(),
            (KeyCode::Char('f'), false, true) => self.word_right(),
            (KeyCode::Left, ..) => self.left_of_cursor(),
            (KeyCode::Right, ..) => self.right_of_cursor(),
            (KeyCode::Home, false, _) | (KeyCode::Char('a'), true, false) => self.line_start(),
            (KeyCode::End, false, _) | (KeyCode::Char('e'), true, false) => self.line_end(),
            _ => return EditOutcome::Ignored,
        };
        self.move_to(to);
        EditOutcome::Moved
    }
}

/// Removes control characters that would act on a terminal, and turns line ends into `\n`.
fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let text = text.replace('\t', "    ");
    let is_kept = |char: &char| *char == '\n' || !attache_text::plain::is_hidden(*char);
    text.chars().filter(is_kept).collect()
}

/// The longest text in bytes.
const LIMIT: usize = 128 * 1024;
/// The most undo steps, and the most bytes that they use.
const STEPS: usize = 200;
const PAST: usize = 4 * 1024 * 1024;
