//! Pastes that arrive key by key, from terminals that do not mark them: faster than anybody types.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// When text was last typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PasteDetector {
    last: Option<Instant>,
}

/// Whether a key is on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPace {
    /// A person may have pressed it.
    Alone,
    /// It follows text too closely: it is part of what is pasted, and means nothing else.
    Pasted,
}

impl PasteDetector {
    /// Notes a key and says whether it is part of a paste.
    pub(crate) fn classify(&mut self, key: &KeyEvent, now: Instant) -> KeyPace {
        let is_close = |last: Instant| now.saturating_duration_since(last) < CLOSE;
        let pace = match self.last.is_some_and(is_close) {
            true => KeyPace::Pasted,
            false => KeyPace::Alone,
        };
        if pasted_text(key).is_some() {
            self.last = Some(now);
        }
        pace
    }
}

/// A character that is typed as text.
pub(crate) fn is_printable(key: &KeyEvent) -> bool {
    let command = KeyModifiers::CONTROL | KeyModifiers::ALT;
    matches!(key.code, KeyCode::Char(_)) && !key.modifiers.intersects(command)
}

/// What a key stands for in a text, if it can be in one.
pub(crate) fn pasted_text(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => Some('\n'),
        KeyCode::Char(char) if is_printable(key) => Some(char),
        KeyCode::Enter if key.modifiers.is_empty() => Some('\n'),
        KeyCode::Tab if key.modifiers.is_empty() => Some('\t'),
        _ => None,
    }
}

/// Nobody presses two keys this close to each other; held keys repeat more slowly.
const CLOSE: Duration = Duration::from_millis(25);
