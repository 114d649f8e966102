//! Logins that the agent asks for: the list of login methods, and the program of a terminal login, shown with its
//! arguments and variables before it runs.

use attache::v1;
use attache_client::conversation::LoginCommand;
use attache_text::plain::{visible, visible_command, visible_lines, visible_word};
use crossterm::event::KeyEvent;

use super::answer_list::{AnswerLabel, AnswerList, ListOutcome};
use super::panel::{Panel, PanelTone};
use super::text;
use crate::paint::theme::{TextRole, Theme};

/// The list of login methods; the answer `None` means "not now".
#[derive(Debug, Clone)]
pub(crate) struct LoginList {
    answers: AnswerList<Option<v1::AuthMethodId>>,
    /// The agent's message, safe to show.
    message: Option<String>,
    /// The number of methods that can't be chosen here.
    left_out: usize,
}

impl LoginList {
    pub(crate) fn new(methods: &[v1::AuthMethod], message: Option<&str>) -> LoginList {
        let offered: Vec<_> = super::app::login_choices(methods).collect();
        // If two methods have one id, the agent can't tell which one is meant.
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
            message: message.map(|message| {
                visible_lines(&text::first_chars(message.trim(), MESSAGE)).into_owned()
            }),
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
        let mut panel = Panel::new("The agent requires a login");
        panel.tone = PanelTone::Asking;
        let inner = Panel::inner_width(width);
        if let Some(message) = &self.message {
            panel.quoted(message, TextRole::Quote, theme, inner);
            panel.blank_line();
        }
        if self.left_out > 0 {
            let ways = match self.left_out {
                1 => "1 login method".to_owned(),
                more => format!("{more} login methods"),
            };
            let text = format!(
                "{ways} can't be used here: Attaché doesn't know the kind, or the id is not unique."
            );
            panel.text(&text, theme.style(TextRole::Warning), inner);
        }
        self.answers.draw(&mut panel, theme, inner);
        panel
    }
}

/// The program of a terminal login, waiting for the user's permission.
#[derive(Debug, Clone)]
pub(crate) struct LoginPrompt {
    pub(crate) command: LoginCommand,
    answers: AnswerList<LoginAnswer>,
}

/// The user's answer.
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
        let mut panel = Panel::new("The agent wants to run a login program in this terminal");
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

/// The most characters of the agent's message that are shown.
const MESSAGE: usize = 2000;
