//! A terminal emulator with its own rules for the width of characters.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthChar;

/// How a terminal measures the width of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Columns {
    /// Each character separately, as `wcwidth` does: vowel signs and format characters take a column.
    Characters,
    /// Each grapheme cluster takes one column.
    Clusters,
    /// Each character outside ASCII takes two columns, except box-drawing characters.
    Double,
}

/// A terminal and its screen.
#[derive(Debug)]
pub(super) struct Emulator {
    columns: Columns,
    size: (usize, usize),
    /// The cells; a cell behind a wide character is empty.
    pub(super) rows: Vec<Vec<String>>,
    cursor: (usize, usize),
    /// The last column that was written, for combining marks.
    last: Option<usize>,
    wraps: bool,
}

impl Emulator {
    pub(super) fn new(columns: Columns, size: (u16, u16)) -> Emulator {
        let size = (usize::from(size.0), usize::from(size.1));
        Emulator {
            columns,
            size,
            rows: vec![vec![" ".to_owned(); size.0]; size.1],
            cursor: (0, 0),
            last: None,
            wraps: true,
        }
    }

    /// Processes bytes written to the terminal.
    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let text = std::str::from_utf8(bytes).unwrap();
        for (index, part) in text.split("\u{1b}[").enumerate() {
            let written = match index {
                0 => part,
                _ => {
                    let end = part.find(|char| matches!(char, '@'..='~')).unwrap();
                    self.obey(&part[..=end]);
                    &part[end + 1..]
                }
            };
            self.write(written);
        }
    }

    fn obey(&mut self, sequence: &str) {
        match sequence {
            "?7l" => self.wraps = false,
            "?7h" => self.wraps = true,
            "2J" => self
                .rows
                .iter_mut()
                .for_each(|row| row.fill(" ".to_owned())),
            "2K" => self.rows[self.cursor.1].fill(" ".to_owned()),
            _ if sequence.ends_with('H') => {
                let (row, column) = sequence[..sequence.len() - 1].split_once(';').unwrap();
                let at = |text: &str, most: usize| (text.parse::<usize>().unwrap() - 1).min(most);
                self.cursor = (at(column, self.size.0 - 1), at(row, self.size.1 - 1));
                self.last = self.cursor.0.checked_sub(1);
            }
            _ => assert!(
                sequence.ends_with('m') || sequence.starts_with('?'),
                "{sequence}"
            ),
        }
    }

    fn write(&mut self, text: &str) {
        for cluster in text.graphemes(true) {
            match self.columns {
                Columns::Clusters => self.put(cluster, 1),
                Columns::Characters | Columns::Double => {
                    for char in cluster.chars() {
                        self.put(&char.to_string(), self.width(char));
                    }
                }
            }
        }
    }

    fn width(&self, char: char) -> usize {
        let width = char.width().unwrap();
        match self.columns {
            _ if matches!(char, ' '..='~' | '\u{2500}'..='\u{257f}') => 1,
            Columns::Double => 2,
            // Spacing marks and prefix characters, among the characters of the tests.
            _ if matches!(char, '\u{9be}' | '\u{bbe}' | '\u{600}' | '\u{110bd}') => 1,
            _ => width,
        }
    }

    fn put(&mut self, symbol: &str, width: usize) {
        let (columns, lines) = self.size;
        if width == 0 {
            if let Some(last) = self.last {
                self.rows[self.cursor.1][last].push_str(symbol);
            }
            return;
        }
        if self.cursor.0 + width > columns {
            self.cursor = match self.wraps {
                true => (0, (self.cursor.1 + 1).min(lines - 1)),
                false => (columns - width, self.cursor.1),
            };
        }
        let (x, y) = self.cursor;
        let row = &mut self.rows[y];
        // The remaining half of a wide character is blank.
        let start = row[..=x].iter().rposition(|cell| !cell.is_empty());
        row[start.unwrap_or(0)..x].fill_with(|| " ".to_owned());
        for cell in row[x + width..]
            .iter_mut()
            .take_while(|cell| cell.is_empty())
        {
            " ".clone_into(cell);
        }
        symbol.clone_into(&mut row[x]);
        row[x + 1..x + width].fill_with(String::new);
        self.cursor.0 = x + width;
        self.last = Some(x);
    }
}

/// Keeps written bytes until they are taken.
#[derive(Debug, Clone, Default)]
pub(super) struct Bytes(Rc<RefCell<Vec<u8>>>);

impl Bytes {
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A backend of fixed size that does not query the real terminal.
#[derive(Debug)]
pub(super) struct Sized {
    pub(super) inner: CrosstermBackend<Bytes>,
    pub(super) size: Size,
}

impl Write for Sized {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Backend for Sized {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, cells: I) -> io::Result<()> {
        self.inner.draw(cells)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(Position::ORIGIN)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
