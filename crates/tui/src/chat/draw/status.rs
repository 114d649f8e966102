//! Draws the status line: the running turn, mode, model, usage and cost, or a toast.

use std::time::Instant;

use attache::transcript::CompactionEntry;
use attache::v1;
use attache_client::figures;
use attache_host::permissions::Preset;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Paragraph;

use super::{StatusPart, fit_parts};
use crate::chat::app::{AgentStatus, App, UndoOffer, current_value_name};
use crate::chat::tab::{TabStatus, TurnStatus};
use crate::chat::text;
use crate::paint::Tone;
use crate::paint::theme::{Sign, TextRole};

impl App {
    pub(super) fn draw_status(&self, area: Rect, frame: &mut Frame<'_>, now: Instant) {
        let width = usize::from(area.width);
        let mut parts = Vec::new();
        if let Some(toast) = &self.toast {
            let role = match toast.tone {
                Tone::Info => TextRole::Text,
                Tone::Good => TextRole::Good,
                Tone::Warning => TextRole::Warning,
                Tone::Bad => TextRole::Bad,
            };
            let undo = match toast.undo {
                UndoOffer::None => "",
                UndoOffer::Always => "Alt-U undo",
                UndoOffer::IfUnused => "Alt-U withdraw, unless used",
            };
            let room = width.saturating_sub(undo.len() + 7);
            let text = text::cut_counted(&toast.text, room);
            parts.push(StatusPart::new(text, role, 9));
            parts.push(StatusPart::new(undo, TextRole::Strong, 9));
        }
        parts.push(self.state(now));
        parts.push(self.entries_below());
        parts.push(self.preset_warning());
        parts.extend(self.settings_of_session());
        if self.tabs.len() > 1 {
            parts.push(StatusPart::new(self.agent_name(), TextRole::Dim, 1));
        }
        let line = fit_parts(parts, width, &self.settings.theme);
        frame.render_widget(Paragraph::new(line), area);
    }

    /// The current state of the session.
    fn state(&self, now: Instant) -> StatusPart {
        let tab = self.tab();
        let running = self.settings.theme.sign(Sign::Running);
        if self.agent_status == AgentStatus::Exited {
            return StatusPart::new("the agent has exited", TextRole::Bad, 8);
        }
        match (&tab.state, tab.turn) {
            (TabStatus::Failed(why), _) => {
                StatusPart::new(format!("no session: {why}"), TextRole::Bad, 8)
            }
            (TabStatus::Unauthenticated, _) => {
                StatusPart::new("not logged in", TextRole::Warning, 8)
            }
            (TabStatus::Opening, _) => {
                let what = match self.agent_status {
                    AgentStatus::Starting => "starting the agent",
                    AgentStatus::Restarting => "starting the agent again",
                    AgentStatus::Running | AgentStatus::Exited => "opening the session",
                };
                StatusPart::new(format!("{running} {what}"), TextRole::Running, 8)
            }
            (TabStatus::Open(_), Some(turn)) => {
                let elapsed = figures::elapsed(now.saturating_duration_since(turn.started));
                let text = match turn.status {
                    TurnStatus::Cancelling => format!("{running} cancelling {elapsed}"),
                    TurnStatus::Running if self.requests.first(tab.session()).is_some() => {
                        format!("{running} waiting for you {elapsed}")
                    }
                    TurnStatus::Running if self.is_compacting() => {
                        format!("{running} compacting {elapsed}")
                    }
                    TurnStatus::Running => format!("{running} working {elapsed}, Esc cancels"),
                };
                StatusPart::new(text, TextRole::Running, 8)
            }
            (TabStatus::Open(_), None) if self.is_compacting() => {
                StatusPart::new(format!("{running} compacting"), TextRole::Running, 8)
            }
            (TabStatus::Open(_), None) => match &tab.last_turn {
                None => StatusPart::new("ready", TextRole::Good, 7),
                Some((v1::StopReason::EndTurn, took)) => {
                    StatusPart::new(format!("done in {took}"), TextRole::Good, 7)
                }
                Some((v1::StopReason::Cancelled, took)) => {
                    StatusPart::new(format!("cancelled after {took}"), TextRole::Warning, 7)
                }
                Some((_, took)) => {
                    StatusPart::new(format!("stopped after {took}"), TextRole::Warning, 7)
                }
            },
        }
    }

    fn is_compacting(&self) -> bool {
        let is_running =
            |compaction: &CompactionEntry| compaction.status == v1::CompactionStatus::InProgress;
        self.tab().transcript.compaction().is_some_and(is_running)
    }

    /// A warning if the preset decides requests without asking.
    fn preset_warning(&self) -> StatusPart {
        match self.settings.preset {
            Preset::Ask => StatusPart::new("", TextRole::Dim, 0),
            Preset::ApproveReads => {
                StatusPart::new("only reading is allowed", TextRole::Warning, 6)
            }
            Preset::ApproveAll => StatusPart::new("everything is allowed", TextRole::Warning, 6),
            Preset::DenyAll => StatusPart::new("nothing is allowed", TextRole::Warning, 6),
        }
    }

    /// The number of new entries below the visible part.
    fn entries_below(&self) -> StatusPart {
        let position = self.tab().view.position();
        match (position.is_following, position.below) {
            (true, _) | (false, 0) => StatusPart::new("", TextRole::Dim, 0),
            (false, below) => {
                StatusPart::new(format!("{below} below, Ctrl-End"), TextRole::Warning, 6)
            }
        }
    }

    /// Mode, model, the other options, and the usage.
    fn settings_of_session(&self) -> Vec<StatusPart> {
        let tab = self.tab();
        let mode = tab.modes.as_ref().map(|modes| {
            let mut list = modes.available_modes.iter();
            let mode = list.find(|mode| mode.id == modes.current_mode_id);
            mode.map_or_else(
                || modes.current_mode_id.to_string(),
                |mode| mode.name.clone(),
            )
        });
        let mut parts = vec![StatusPart::new(
            mode.unwrap_or_default(),
            TextRole::Heading,
            5,
        )];
        for option in &tab.options {
            use v1::SessionConfigOptionCategory as Category;
            let (weight, text) = match &option.category {
                Some(Category::Mode) if tab.modes.is_some() => continue,
                Some(Category::Mode) => (5, current_value_name(option)),
                Some(Category::Model) => (4, current_value_name(option)),
                _ => (
                    2,
                    format!("{}: {}", option.name, current_value_name(option)),
                ),
            };
            parts.push(StatusPart::new(text, TextRole::Dim, weight));
        }
        let usage = tab.transcript.usage().map(figures::usage);
        parts.push(StatusPart::new(usage.unwrap_or_default(), TextRole::Dim, 3));
        parts
    }
}
