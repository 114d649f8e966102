//! A login in the terminal before it runs: the program, its arguments and the variables that the agent adds.

use attache::process::plain::{visible, visible_command, visible_word};
use crossterm::event::{KeyCode, KeyEvent};

use super::answer_list::{AnswerList, Chosen};
use super::panel::{Panel, Tone};
use crate::desk::LoginCommand;
use crate::paint::theme::{Role, Theme};

/// A login that waits for the user's permission.
#[derive(Debug, Clone)]
pub(crate) struct LoginPrompt {
    pub(crate) command: LoginCommand,
    answers: AnswerList<Permit>,
}

/// What the user says to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permit {
    Run,
    Refuse,
}

impl LoginPrompt {
    pub(crate) fn new(command: LoginCommand) -> LoginPrompt {
        LoginPrompt {
            command,
            answers: AnswerList::new(vec![
                ("Run it in this terminal", Permit::Run),
                ("Not now", Permit::Refuse),
            ]),
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> Chosen<Permit> {
        match key.code {
            KeyCode::Tab => Chosen::Back,
            _ => self.answers.key(key),
        }
    }

    /// Whether all of it is on a screen of this size, beside what else has a place there.
    pub(crate) fn fits(&self, theme: &Theme, (columns, rows): (u16, u16)) -> bool {
        self.panel(theme, columns).height(columns) <= rows.saturating_sub(OTHERS)
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner(width);
        let mut panel = Panel::new("The agent wants to run a login in this terminal");
        panel.tone = Tone::Asking;
        let command = &self.command;
        let mut exactly = |label, shown: &str, role| {
            panel.labelled(label, shown, role, theme, inner);
        };
        exactly("command", &visible_command(&command.words), Role::Strong);
        exactly("in", &visible(&command.directory), Role::Text);
        for (name, value) in &command.variables {
            let variable = format!("{}={}", visible_word(name), visible_word(value.reveal()));
            exactly("with", &variable, Role::Warning);
        }
        panel.gap();
        self.answers.draw(&mut panel, theme, inner);
        panel
    }
}

/// Rows of the header, the transcript, the composer and the state.
const OTHERS: u16 = 8;
