//! The keys of an editor: those of readline, and those of everything with arrow keys.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::Editor;

/// Whether a text can have several lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineMode {
    Single,
    Multi,
}

/// What became of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditOutcome {
    /// The text has changed.
    Edited,
    /// The cursor has moved.
    Moved,
    /// The key means nothing here.
    Ignored,
}

impl Editor {
    /// Takes a key; [`Handled::No`] if it means nothing to an editor. Up and down are the caller's.
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
