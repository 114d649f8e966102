//! The last line: what runs, the mode, the model, usage and cost, or a short message.

use std::time::Instant;

use attache::transcript::Compaction;
use attache::v1;
use attache_client::figures;
use attache_host::permissions::Preset;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Paragraph;

use super::{Piece, fitting};
use crate::chat::app::{App, Life, Undo, current};
use crate::chat::tab::{Stage, State};
use crate::chat::text;
use crate::paint::Tone;
use crate::paint::theme::{Sign, TextRole};

impl App {
    pub(super) fn draw_status(&self, area: Rect, frame: &mut Frame<'_>, now: Instant) {
        let width = usize::from(area.width);
        let mut pieces = Vec::new();
        if let Some(toast) = &self.toast {
            let role = match toast.tone {
                Tone::Info => TextRole::Text,
                Tone::Good => TextRole::Good,
                Tone::Warning => TextRole::Warning,
                Tone::Bad => TextRole::Bad,
            };
            let undo = match toast.undo {
                Undo::No => "",
                Undo::Offered => "Alt-U undo",
                Undo::IfUnused => "Alt-U withdraw if unused",
            };
            let room = width.saturating_sub(undo.len() + 7);
            let text = text::cut_counted(&toast.text, room);
            pieces.push(Piece::new(text, role, 9));
            pieces.push(Piece::new(undo, TextRole::Strong, 9));
        }
        pieces.push(self.state(now));
        pieces.push(self.below());
        pieces.push(self.unasked());
        pieces.extend(self.settings_of_session());
        if self.tabs.len() > 1 {
            pieces.push(Piece::new(self.agent_name(), TextRole::Dim, 1));
        }
        let line = fitting(pieces, width, &self.settings.theme);
        frame.render_widget(Paragraph::new(line), area);
    }

    /// What happens now.
    fn state(&self, now: Instant) -> Piece {
        let tab = self.tab();
        let running = self.settings.theme.sign(Sign::Running);
        if self.life == Life::Gone {
            return Piece::new("the agent has gone", TextRole::Bad, 8);
        }
        match (&tab.state, tab.turn) {
            (State::Failed(why), _) => Piece::new(format!("no session: {why}"), TextRole::Bad, 8),
            (State::Unauthenticated, _) => Piece::new("not logged in", TextRole::Warning, 8),
            (State::Opening, _) => {
                let what = match self.life {
                    Life::Starting => "starting the agent",
                    Life::Restarting => "starting the agent again",
                    Life::Running | Life::Gone => "opening the session",
                };
                Piece::new(format!("{running} {what}"), TextRole::Running, 8)
            }
            (State::Open(_), Some(turn)) => {
                let elapsed = figures::elapsed(now.saturating_duration_since(turn.began));
                let text = match turn.stage {
                    Stage::Cancelling => format!("{running} cancelling {elapsed}"),
                    Stage::Running if self.asks.first(tab.session()).is_some() => {
                        format!("{running} waiting for you {elapsed}")
                    }
                    Stage::Running if self.is_compacting() => {
                        format!("{running} compacting {elapsed}")
                    }
                    Stage::Running => format!("{running} working {elapsed}, Esc cancels"),
                };
                Piece::new(text, TextRole::Running, 8)
            }
            (State::Open(_), None) if self.is_compacting() => {
                Piece::new(format!("{running} compacting"), TextRole::Running, 8)
            }
            (State::Open(_), None) => match &tab.last_turn {
                None => Piece::new("ready", TextRole::Good, 7),
                Some((v1::StopReason::EndTurn, took)) => {
                    Piece::new(format!("done in {took}"), TextRole::Good, 7)
                }
                Some((v1::StopReason::Cancelled, took)) => {
                    Piece::new(format!("cancelled after {took}"), TextRole::Warning, 7)
                }
                Some((_, took)) => {
                    Piece::new(format!("stopped after {took}"), TextRole::Warning, 7)
                }
            },
        }
    }

    fn is_compacting(&self) -> bool {
        let is_running =
            |compaction: &Compaction| compaction.status == v1::CompactionStatus::InProgress;
        self.tab().transcript.compaction().is_some_and(is_running)
    }

    /// Whether nobody is asked.
    fn unasked(&self) -> Piece {
        match self.settings.preset {
            Preset::Ask => Piece::new("", TextRole::Dim, 0),
            Preset::ApproveReads => Piece::new("only reading is allowed", TextRole::Warning, 6),
            Preset::ApproveAll => Piece::new("everything is allowed", TextRole::Warning, 6),
            Preset::DenyAll => Piece::new("nothing is allowed", TextRole::Warning, 6),
        }
    }

    /// What has come while one looks further up.
    fn below(&self) -> Piece {
        let position = self.tab().view.position();
        match (position.is_following, position.below) {
            (true, _) | (false, 0) => Piece::new("", TextRole::Dim, 0),
            (false, below) => Piece::new(format!("{below} below, Ctrl-End"), TextRole::Warning, 6),
        }
    }

    /// Mode, model, the other options, and what it has cost.
    fn settings_of_session(&self) -> Vec<Piece> {
        let tab = self.tab();
        let mode = tab.modes.as_ref().map(|modes| {
            let mut list = modes.available_modes.iter();
            let mode = list.find(|mode| mode.id == modes.current_mode_id);
            mode.map_or_else(
                || modes.current_mode_id.to_string(),
                |mode| mode.name.clone(),
            )
        });
        let mut pieces = vec![Piece::new(mode.unwrap_or_default(), TextRole::Heading, 5)];
        for option in &tab.options {
            use v1::SessionConfigOptionCategory as Category;
            let (weight, text) = match &option.category {
                Some(Category::Mode) if tab.modes.is_some() => continue,
                Some(Category::Mode) => (5, current(option)),
                Some(Category::Model) => (4, current(option)),
                _ => (2, format!("{}: {}", option.name, current(option))),
            };
            pieces.push(Piece::new(text, TextRole::Dim, weight));
        }
        let usage = tab.transcript.usage().map(figures::usage);
        pieces.push(Piece::new(usage.unwrap_or_default(), TextRole::Dim, 3));
        pieces
    }
}
