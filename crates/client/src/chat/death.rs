//! The screen of an agent that has gone: how it ended, its last words, and one key to start it again.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::panel::{Panel, Tone};
use super::text;
use crate::paint::theme::{Role, Theme};

/// An agent that has gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Death {
    pub(crate) how: String,
    pub(crate) stderr: Vec<String>,
}

/// What a person wants after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum After {
    Restart,
    Copy,
    Quit,
    Nothing,
}

impl Death {
    pub(crate) fn key(key: &KeyEvent) -> After {
        if key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
        {
            return After::Nothing;
        }
        match key.code {
            KeyCode::Char('r') => After::Restart,
            KeyCode::Char('c') => After::Copy,
            KeyCode::Char('q') => After::Quit,
            _ => After::Nothing,
        }
    }

    /// What is worth telling others.
    pub(crate) fn report(&self) -> String {
        let mut report = self.how.clone();
        for line in &self.stderr {
            report.push('\n');
            report.push_str(line);
        }
        report
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner(width);
        let mut panel = Panel::new("The agent has gone");
        panel.tone = Tone::Bad;
        panel.text(&text::safe(&self.how), theme.style(Role::Bad), inner);
        if !self.stderr.is_empty() {
            panel.gap();
            let title = "Its last words on standard error:";
            panel.text(title, theme.style(Role::Dim), inner);
            let skipped = self.stderr.len().saturating_sub(LINES);
            for line in self.stderr.iter().skip(skipped) {
                panel.text(&text::line(line), theme.style(Role::Quote), inner);
            }
        }
        panel.keys = "r restart and resume · c copy · q quit".to_owned();
        panel
    }
}

const LINES: usize = 12;
