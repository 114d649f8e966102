//! Logins that the agent wants: the ways to choose from, and a program in the terminal before it runs, with its arguments
//! and the variables that the agent adds.

use attache::v1;
use attache_client::conversation::LoginCommand;
use attache_text::plain::{visible, visible_command, visible_lines, visible_word};
use crossterm::event::KeyEvent;

use super::answer_list::{AnswerLabel, AnswerList, ListOutcome};
use super::panel::{Panel, PanelTone};
use crate::paint::theme::{TextRole, Theme};

/// The ways to log in; `None` is not now.
#[derive(Debug, Clone)]
pub(crate) struct LoginList {
    answers: AnswerList<Option<v1::AuthMethodId>>,
    /// What the agent says about it, safe to show.
    message: Option<String>,
    /// Ways that cannot be chosen here.
    left_out: usize,
}

impl LoginList {
    pub(crate) fn new(methods: &[v1::AuthMethod], message: Option<&str>) -> LoginList {
        let offered: Vec<_> = super::app::login_choices(methods).collect();
        // Of two with one id nobody can tell which one the agent takes.
        let is_one = |id: &v1::AuthMethodId| offered.iter().filter(|it| it.0 == *id).count() == 1;
        let ways = offered.iter().filter(|(id, ..)| is_one(id));
        let ways = ways.map(|(id, name, detail)| {
            let name = match detail.is_empty() {
                true => name.clone(),
                false => format!("{name}  {detail}"),
            };
            (AnswerLabel::Theirs(name), Some(id.clone()))
        });
        let ways: Vec<_> = ways.collect();
        let left_out = methods.len() - ways.len();
        let not_now = (AnswerLabel::Ours("Not now"), None);
        LoginList {
            answers: AnswerList::new(ways.into_iter().chain([not_now])),
            message: message.map(shortened),
            left_out,
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> ListOutcome<Option<v1::AuthMethodId>> {
        self.answers.key(key)
    }

    pub(crate) fn deselect(&mut self) {
        self.answers.deselect();
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let mut panel = Panel::new("The agent wants a login");
        panel.tone = PanelTone::Asking;
        let inner = Panel::inner_width(width);
        if let Some(message) = &self.message {
            panel.quoted(message, TextRole::Quote, theme, inner);
            panel.blank_line();
        }
        if self.left_out > 0 {
            let ways = match self.left_out {
                1 => "1 way to log in".to_owned(),
                more => format!("{more} ways to log in"),
            };
            let text = format!(
                "{ways} cannot be chosen here: of a kind that Attaché does not know, or with the id of another."
            );
            panel.text(&text, theme.style(TextRole::Warning), inner);
        }
        self.answers.draw(&mut panel, theme, inner);
        panel
    }
}

/// A message of the agent, safe to show and not without end.
fn shortened(message: &str) -> String {
    let message = message.trim();
    match message.char_indices().nth(MESSAGE) {
        None => visible_lines(message).into_owned(),
        Some((end, _)) => format!("{}…", visible_lines(&message[..end])),
    }
}

/// A login that waits for the user's permission.
#[derive(Debug, Clone)]
pub(crate) struct LoginPrompt {
    pub(crate) command: LoginCommand,
    answers: AnswerList<LoginAnswer>,
}

/// What the user says to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoginAnswer {
    Run,
    Refuse,
}

impl LoginPrompt {
    pub(crate) fn new(command: LoginCommand) -> LoginPrompt {
        LoginPrompt {
            command,
            answers: AnswerList::new([
                ("Run it in this terminal", LoginAnswer::Run),
                ("Not now", LoginAnswer::Refuse),
            ]),
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> ListOutcome<LoginAnswer> {
        self.answers.key(key)
    }

    pub(crate) fn deselect(&mut self) {
        self.answers.deselect();
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner_width(width);
        let mut panel = Panel::new("The agent wants to run a login in this terminal");
        panel.tone = PanelTone::Asking;
        let command = &self.command;
        let mut exactly = |label, shown: &str, role| {
            panel.labelled(label, shown, role, theme, inner);
        };
        exactly(
            "command",
            &visible_command(&command.words),
            TextRole::Strong,
        );
        exactly("in", &visible(&command.directory), TextRole::Text);
        for (name, value) in &command.variables {
            let variable = format!("{}={}", visible_word(name), visible_word(value.reveal()));
            exactly("with", &variable, TextRole::Warning);
        }
        panel.blank_line();
        self.answers.draw(&mut panel, theme, inner);
        panel
    }
}

/// Characters of what the agent says when it wants a login.
const MESSAGE: usize = 2000;
