//! The dialog after the agent exits: how it ended, the last lines it wrote to standard error, and what to do next.

use attache_text::plain::{visible, visible_lines};
use crossterm::event::KeyEvent;

use super::answer_list::{AnswerList, ListOutcome};
use super::panel::{Panel, PanelTone};
use crate::paint::theme::{TextRole, Theme};

/// The dialog after the agent exits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentExitDialog {
    reason: String,
    stderr: Vec<String>,
    answers: AnswerList<ExitAnswer>,
}

/// The user's choice after the agent has exited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitAnswer {
    Restart,
    Copy,
    Quit,
}

impl AgentExitDialog {
    pub(crate) fn new(reason: String, stderr: Vec<String>) -> AgentExitDialog {
        AgentExitDialog {
            reason,
            stderr,
            answers: AnswerList::new([
                (
                    "Restart the agent and resume its sessions",
                    ExitAnswer::Restart,
                ),
                ("Copy this report", ExitAnswer::Copy),
                ("Quit", ExitAnswer::Quit),
            ]),
        }
    }

    pub(crate) fn key(&mut self, key: &KeyEvent) -> ListOutcome<ExitAnswer> {
        self.answers.key(key)
    }

    pub(crate) fn deselect(&mut self) {
        self.answers.deselect();
    }

    /// The text to copy: how the agent ended, and its standard error.
    pub(crate) fn report(&self) -> String {
        let mut report = self.reason.clone();
        for line in &self.stderr {
            report.push('\n');
            report.push_str(line);
        }
        report
    }

    pub(crate) fn panel(&self, theme: &Theme, width: u16) -> Panel {
        let inner = Panel::inner_width(width);
        let mut panel = Panel::new("The agent has exited");
        panel.tone = PanelTone::Bad;
        panel.quoted(&visible_lines(&self.reason), TextRole::Bad, theme, inner);
        if !self.stderr.is_empty() {
            panel.blank_line();
            let title = "Its last lines on standard error:";
            panel.text(title, theme.style(TextRole::Dim), inner);
            let skipped = self.stderr.len().saturating_sub(LINES);
            for line in self.stderr.iter().skip(skipped) {
                panel.quoted(&visible(line), TextRole::Quote, theme, inner);
            }
        }
        panel.blank_line();
        self.answers.draw(&mut panel, theme, inner);
        panel
    }
}

const LINES: usize = 12;
