//! Logins that the agent wants: the ways to choose from, and a program in the terminal before it runs, with its arguments
//! and the variables that the agent adds.

use attache::process::plain::{visible, visible_command, visible_word};
use attache::v1;
use crossterm::event::KeyEvent;

use super::answer_list::{AnswerList, Chosen, Words};
use super::panel::{Panel, Tone};
use crate::desk::LoginCommand;
use crate::paint::theme::{Role, Theme};

/// The ways to log in; `None` is not now.
#[derive(Debug, Clone)]
pub(crate) struct LoginList(AnswerList<Option<v1::AuthMethodId>>);

impl LoginList {
    pub(crate) fn new(methods: &[v1::AuthMethod]) -> LoginList {
        let ways = super::app::logins(methods).map(|(id, name, detail)| {
            let name = match detail.is_empty() {
                true => name,
                false => format!("{name}  {detail}"),
            };
            (Words::Theirs(name), Some(id))
        });
        LoginList(AnswerList::new(
            ways.chain([(Words::Ours("Not now"), None)]),
        ))
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> Chosen<Option<v1::AuthMethodId>> {
        self.0.key(key)
    }

    pub(crate) fn deselect(&mut self) {
        self.0.deselect();
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let mut panel = Panel::new("The agent wants a login");
        panel.tone = Tone::Asking;
        self.0.draw(&mut panel, theme, Panel::inner(width));
        panel
    }
}

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
            answers: AnswerList::new([
                ("Run it in this terminal", Permit::Run),
                ("Not now", Permit::Refuse),
            ]),
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> Chosen<Permit> {
        self.answers.key(key)
    }

    pub(crate) fn deselect(&mut self) {
        self.answers.deselect();
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
