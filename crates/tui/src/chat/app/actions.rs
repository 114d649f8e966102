//! What the commands of the screen do.

use std::path::PathBuf;
use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, SessionStart};
use attache_client::export::{self, Terminals};
use crossterm::event::{KeyCode, KeyEvent};

use super::{App, Dialog, Export};
use crate::chat::editor::{Editor, Lines};
use crate::chat::effect::{Effect, Format, Mouse, Say, There};
use crate::chat::help::Help;
use crate::chat::keymap::Action;
use crate::chat::picker::{Awaits, Picker};
use crate::chat::search::Search;
use crate::chat::tab::PlanShown;
use crate::paint::diff::DiffLayout;
use crate::paint::{Fold, Tone};

impl App {
    pub(super) fn act(&mut self, action: Action, now: Instant) {
        match action {
            Action::Palette => self.dialog = Some(Dialog::Picker(self.palette())),
            Action::NewSession => self.open(self.opening(SessionStart::New), now),
            Action::Sessions => self.sessions(now),
            Action::Fork => self.fork(now),
            Action::CloseTab => self.close_tab_if_meant(now),
            Action::NextTab => self.active = (self.active + 1) % self.tabs.len(),
            Action::PreviousTab => {
                self.active = (self.active + self.tabs.len() - 1) % self.tabs.len();
            }
            Action::Tabs => self.dialog = Some(Dialog::Picker(self.tab_list())),
            Action::Modes => self.pick(self.modes(), "this session has no modes", now),
            Action::NextMode => self.next_mode(now),
            Action::Model => self.pick(self.models(), "this session has no choice of models", now),
            Action::Options => self.pick(self.options(), "this session has no options", now),
            Action::Attach => self.attach(now),
            Action::Steer => self.say(Say::Into, now),
            Action::Queue => self.pick(self.queue(), "no prompt waits", now),
            Action::Cancel => {
                self.cancel();
            }
            Action::Quit => self.quit(now),
            Action::Redraw => self.effects.push(Effect::Redraw),
            Action::Login => self.pick(self.logins(), "the agent offers no login", now),
            Action::Logout => self.logout(now),
            Action::Restart => self.restart(),
            Action::Mouse => self.toggle_mouse(now),
            Action::Answer => {
                if !self.enter_ask(now) {
                    let text =
                        "no request of the agent is on the screen, or it has only just appeared";
                    self.toast(Tone::Info, text, now);
                }
            }
            Action::Undo => self.undo_decision(now),
            Action::Help => self.dialog = Some(Dialog::Help(Help::default())),
            reading => self.act_on_transcript(reading, now),
        }
    }

    fn act_on_transcript(&mut self, action: Action, now: Instant) {
        match action {
            Action::Read => self.start_reading(),
            Action::Search => self.dialog = Some(Dialog::Search(Search::default())),
            Action::Plan => {
                let tab = self.tab_mut();
                if tab.transcript.plan().is_some() && tab.plan().is_none() {
                    (tab.done_plan, tab.plan) = (None, PlanShown::List);
                    return;
                }
                tab.plan = match tab.plan {
                    PlanShown::Line => PlanShown::List,
                    PlanShown::List => PlanShown::Nothing,
                    PlanShown::Nothing => PlanShown::Line,
                };
            }
            Action::FoldAll => {
                let tab = self.tab_mut();
                tab.unfolds = !tab.unfolds;
                match tab.unfolds {
                    true => tab.view.fold_all(Fold::Full),
                    false => tab.view.unfold_all(),
                }
            }
            Action::Diffs => self.next_diff_layout(now),
            Action::CopyAnswer => {
                let text = self.tab().transcript.text();
                self.copy(text, now);
            }
            Action::ExportMarkdown => self.ask_path(Format::Markdown),
            Action::ExportJson => self.ask_path(Format::Json),
            _ => {}
        }
    }

    fn pick(&mut self, picker: Option<Picker>, without: &str, now: Instant) {
        match picker {
            Some(picker) => self.dialog = Some(Dialog::Picker(picker)),
            None => self.toast(Tone::Info, without, now),
        }
    }

    fn sessions(&mut self, now: Instant) {
        if self.capabilities().session_capabilities.list.is_none() {
            return self.toast(Tone::Info, "this agent does not list its sessions", now);
        }
        self.dialog = Some(Dialog::Picker(Picker::awaiting(
            "Sessions",
            Awaits::Sessions,
        )));
        self.submit(Command::ListSessions {
            cwd: None,
            cursor: None,
        });
    }

    fn fork(&mut self, now: Instant) {
        if self.capabilities().session_capabilities.fork.is_none() {
            return self.toast(Tone::Info, "this agent does not fork sessions", now);
        }
        if let Some(session) = self.tab().session().cloned() {
            let mut opening = self.tab().opening.clone();
            opening.start = SessionStart::Fork(session);
            self.open(opening, now);
        }
    }

    fn next_mode(&mut self, now: Instant) {
        let tab = self.tab();
        let next = tab.modes.as_ref().and_then(|modes| {
            let list = &modes.available_modes;
            let at = list
                .iter()
                .position(|mode| mode.id == modes.current_mode_id);
            let at = at.map_or(0, |at| (at + 1) % list.len());
            list.get(at).map(|mode| mode.id.clone())
        });
        match (next, tab.session().cloned()) {
            (Some(mode), Some(session)) => self.submit(Command::SetMode { session, mode }),
            _ => self.act(Action::Modes, now),
        }
    }

    fn logout(&mut self, now: Instant) {
        match self.capabilities().auth.logout {
            Some(_) => self.submit(Command::Logout),
            None => self.toast(Tone::Info, "this agent has no logout", now),
        }
    }

    fn toggle_mouse(&mut self, now: Instant) {
        let (mouse, text) = match self.mouse {
            Mouse::Ours => (
                Mouse::Terminal,
                "the mouse selects text; PgUp and PgDn scroll",
            ),
            Mouse::Terminal => (Mouse::Ours, "the wheel scrolls; Shift selects text"),
        };
        self.mouse = mouse;
        self.effects.push(Effect::Mouse(mouse));
        self.toast(Tone::Info, text, now);
    }

    fn next_diff_layout(&mut self, now: Instant) {
        let appearance = self.tab_mut().view.appearance_mut();
        let (layout, name) = match appearance.diffs {
            DiffLayout::ByWidth => (DiffLayout::Unified, "diffs are unified"),
            DiffLayout::Unified => (DiffLayout::SideBySide, "diffs are side by side"),
            DiffLayout::SideBySide => (DiffLayout::ByWidth, "diffs go by the width"),
        };
        appearance.diffs = layout;
        self.toast(Tone::Info, name, now);
    }

    fn ask_path(&mut self, format: Format) {
        let ending = match format {
            Format::Markdown => "md",
            Format::Json => "json",
        };
        let name = self.tab().session().map(v1::SessionId::as_str);
        let is_plain = |char: &char| char.is_ascii_alphanumeric() || *char == '-';
        let name: String = name.unwrap_or("session").chars().filter(is_plain).collect();
        let name: String = name.chars().take(40).collect();
        self.dialog = Some(Dialog::Export(Export {
            name: Editor::with(&format!("attache-{name}.{ending}")),
            format,
            there: None,
        }));
    }

    /// The transcript as it is to be written to a file.
    pub(in crate::chat) fn export(&self, format: Format, terminal: Terminals<'_>) -> String {
        let transcript = &self.tab().transcript;
        match format {
            Format::Markdown => export::markdown_with(transcript, terminal),
            Format::Json => export::json_with(transcript, terminal),
        }
    }

    /// Keys of the line in which the name of an export is asked.
    pub(super) fn export_key(&mut self, key: &KeyEvent) {
        let cwd = self.tab().cwd().to_owned();
        let Some(Dialog::Export(export)) = &mut self.dialog else {
            return;
        };
        match key.code {
            KeyCode::Esc => self.dialog = None,
            KeyCode::Enter => {
                let format = export.format;
                let path = cwd.join(export.name.text().trim());
                // It stays open until the file is written: there may be one already.
                let there = match export.there.as_ref() == Some(&path) {
                    true => There::Goes,
                    false => There::Stays,
                };
                self.effects.push(Effect::Export {
                    path,
                    format,
                    there,
                });
            }
            _ => {
                export.name.key(key, Lines::One);
            }
        }
    }

    /// There is a file of that name: only another Enter writes over it.
    pub(super) fn ask_over(&mut self, path: PathBuf) {
        if let Some(Dialog::Export(export)) = &mut self.dialog {
            export.there = Some(path);
        }
    }
}
