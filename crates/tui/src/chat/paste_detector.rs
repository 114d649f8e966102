//! Detects pastes that arrive key by key, from terminals without bracketed paste: faster than anyone types.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Remembers when text was last typed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PasteDetector {
    last: Option<Instant>,
}

/// Whether a key was typed or is part of a paste.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPace {
    /// The user may have pressed the key.
    Alone,
    /// The key follows other text too closely: it is part of a paste and has no other meaning.
    Pasted,
}

impl PasteDetector {
    /// Records a key and returns whether it is part of a paste.
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

/// Whether a key types a character.
pub(crate) fn is_printable(key: &KeyEvent) -> bool {
    let command = KeyModifiers::CONTROL | KeyModifiers::ALT;
    matches!(key.code, KeyCode::Char(_)) && !key.modifiers.intersects(command)
}

/// The character that a key stands for in pasted text, if any.
pub(crate) fn pasted_text(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char('j') if key.modifiers == KeyModifiers::CONTROL => Some('\n'),
        KeyCode::Char(char) if is_printable(key) => Some(char),
        KeyCode::Enter if key.modifiers.is_empty() => Some('\n'),
        KeyCode::Tab if key.modifiers.is_empty() => Some('\t'),
        _ => None,
    }
}

/// Nobody presses two keys this quickly; held keys repeat more slowly.
const CLOSE: Duration = Duration::from_millis(25);
