//! A ratatui backend that writes each cell at its own column, however wide the terminal draws a character.
//!
//! Terminals disagree about the width of combining marks, ligatures and emoji. In a row of ASCII and box-drawing
//! characters, only changed cells are written. Any other row that changes is cleared and rewritten, with a cursor move
//! behind each character of doubtful width: a character that is too wide is overwritten by the next one, one that is
//! too narrow leaves a blank, and nothing shifts. Nothing reaches the next row, because line wrap is off.

use std::io::{self, Write};

use crossterm::cursor::MoveTo;
use crossterm::queue;
use crossterm::terminal::{Clear, ClearType as Erase};
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Cell, CellWidth};
use ratatui::layout::{Position, Size};

/// A backend around another one, with a copy of the screen.
#[derive(Debug)]
pub(in crate::chat) struct FixedColumns<B> {
    inner: B,
    rows: Vec<ScreenRow>,
}

/// A row of the screen.
#[derive(Debug, Clone, Default)]
struct ScreenRow {
    cells: Vec<Cell>,
    /// Whether every cell had a certain width when the row was last written.
    is_certain: bool,
    /// Columns that have changed since then.
    changed: Vec<u16>,
}

impl<B: Backend<Error = io::Error> + Write> FixedColumns<B> {
    pub(in crate::chat) fn new(inner: B) -> FixedColumns<B> {
        FixedColumns {
            inner,
            rows: Vec::new(),
        }
    }

    fn set_cell(&mut self, x: u16, y: u16, cell: &Cell, width: u16) {
        let (column, row) = (usize::from(x), usize::from(y));
        if self.rows.len() <= row {
            self.rows.resize(row + 1, ScreenRow::new());
        }
        if let Some(row) = self.rows.get_mut(row) {
            let columns = usize::from(width).max(column + 1);
            if row.cells.len() < columns {
                row.cells.resize(columns, Cell::EMPTY);
            }
            row.cells[column].clone_from(cell);
            // Cells that a wide character covers are blank once it is gone.
            let covered = row.cells.iter_mut().skip(column + 1);
            let covered = covered.take(usize::from(cell.cell_width().saturating_sub(1)));
            covered.for_each(Cell::reset);
            row.changed.push(x);
        }
    }
}

impl ScreenRow {
    /// A blank row.
    fn new() -> ScreenRow {
        ScreenRow {
            is_certain: true,
            ..ScreenRow::default()
        }
    }

    /// Writes the changed cells.
    fn write<B>(&mut self, y: u16, to: &mut B) -> io::Result<()>
    where
        B: Backend<Error = io::Error> + Write,
    {
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return Ok(());
        }
        let was_certain = self.is_certain;
        self.is_certain = self.cells.iter().all(is_certain);
        if was_certain && self.is_certain {
            let cells = changed
                .iter()
                .map(|x| (*x, y, &self.cells[usize::from(*x)]));
            return to.draw(cells);
        }
        queue!(to, MoveTo(0, y), Clear(Erase::CurrentLine))?;
        let mut run = Vec::new();
        let (mut covered, mut before) = (0, None);
        for (x, cell) in (0..).zip(&self.cells) {
            if x < covered {
                continue;
            }
            covered = cell.cell_width().max(1).saturating_add(x);
            run.push((x, y, cell));
            if !is_certain(cell) {
                // The next run begins with a cursor move.
                to.draw(run.drain(..))?;
                // Some terminals draw a character that doesn't fit over the previous cell.
                if usize::from(covered) >= self.cells.len() {
                    run.extend(before);
                }
            }
            before = Some((x, y, cell)).filter(|_| is_certain(cell));
        }
        to.draw(run.into_iter())
    }
}

/// Whether every terminal draws this cell one column wide.
fn is_certain(cell: &Cell) -> bool {
    let mut chars = cell.symbol().chars();
    let is_certain = matches!(chars.next(), Some(' '..='~' | '\u{2500}'..='\u{257f}'));
    is_certain && chars.next().is_none()
}

impl<B: Backend<Error = io::Error> + Write> Backend for FixedColumns<B> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let width = self.inner.size()?.width;
        for (x, y, cell) in content {
            self.set_cell(x, y, cell, width);
        }
        for (y, row) in (0..).zip(&mut self.rows) {
            row.write(y, &mut self.inner)?;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.rows.clear();
        self.inner.clear_region(region)
    }

    fn size(&self) -> io::Result<Size> {
        self.inner.size()
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}
