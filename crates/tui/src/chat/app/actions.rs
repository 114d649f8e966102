//! What each command of the UI does.

use std::path::PathBuf;
use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, SessionStart};
use attache_client::export::{self, TerminalLookup};
use crossterm::event::{KeyCode, KeyEvent};

use super::{App, Dialog, ExportDialog};
use crate::chat::editor::{Editor, LineMode};
use crate::chat::effect::{Effect, ExistingFile, ExportFormat, MouseCapture, SendMode};
use crate::chat::help::Help;
use crate::chat::keymap::UiAction;
use crate::chat::picker::{PendingRows, Picker};
use crate::chat::search::SearchDialog;
use crate::chat::tab::PlanView;
use crate::paint::diff::DiffLayout;
use crate::paint::{Fold, Tone};

impl App {
    pub(super) fn run_action(&mut self, action: UiAction, now: Instant) {
        match action {
            UiAction::Palette => self.dialog = Some(Dialog::Picker(self.command_palette())),
            UiAction::NewSession => self.open_session(self.open_request(SessionStart::New), now),
            UiAction::Sessions => self.open_session_list(now),
            UiAction::Fork => self.fork_session(now),
            UiAction::CloseTab => self.confirm_close_tab(now),
            UiAction::NextTab => self.active = (self.active + 1) % self.tabs.len(),
            UiAction::PreviousTab => {
                self.active = (self.active + self.tabs.len() - 1) % self.tabs.len();
            }
            UiAction::Tabs => self.dialog = Some(Dialog::Picker(self.tab_picker())),
            UiAction::Modes => {
                self.open_picker(self.mode_picker(), "this session has no modes", now)
            }
            UiAction::NextMode => self.next_mode(now),
            UiAction::Model => self.open_picker(
                self.model_picker(),
                "this session has no choice of models",
                now,
            ),
            UiAction::Options => {
                self.open_picker(self.option_picker(), "this session has no options", now)
            }
            UiAction::Attach => self.attach(now),
            UiAction::Steer => self.send_prompt(SendMode::Steer, now),
            UiAction::Queue => self.open_picker(self.queue_picker(), "no prompt is queued", now),
            UiAction::Cancel => {
                self.cancel();
            }
            UiAction::Quit => self.quit(now),
            UiAction::Redraw => self.effects.push(Effect::Redraw),
            UiAction::Login => {
                self.open_picker(self.login_picker(), "the agent offers no login", now)
            }
            UiAction::Logout => self.logout(now),
            UiAction::Restart => self.restart(),
            UiAction::Mouse => self.toggle_mouse(now),
            UiAction::GoToRequest => {
                if !self.enter_request(now) {
                    let text = "no agent request is on the screen, or it has only just appeared";
                    self.toast(Tone::Info, text, now);
                }
            }
            UiAction::Undo => self.undo_decision(now),
            UiAction::Help => self.dialog = Some(Dialog::Help(Help::default())),
            UiAction::ReadTranscript => self.focus_transcript(),
            UiAction::Search => self.dialog = Some(Dialog::Search(SearchDialog::default())),
            UiAction::Plan => self.cycle_plan(),
            UiAction::FoldAll => self.toggle_folds(),
            UiAction::Diffs => self.next_diff_layout(now),
            UiAction::CopyAnswer => {
                let text = self.tab().transcript.text();
                self.copy(text, now);
            }
            UiAction::ExportMarkdown => self.open_export(ExportFormat::Markdown),
            UiAction::ExportJson => self.open_export(ExportFormat::Json),
        }
    }

    fn cycle_plan(&mut self) {
        let tab = self.tab_mut();
        if tab.transcript.plan().is_some() && tab.plan().is_none() {
            (tab.done_plan, tab.plan) = (None, PlanView::List);
            return;
        }
        tab.plan = match tab.plan {
            PlanView::Summary => PlanView::List,
            PlanView::List => PlanView::Hidden,
            PlanView::Hidden => PlanView::Summary,
        };
    }

    fn toggle_folds(&mut self) {
        let tab = self.tab_mut();
        tab.unfolds = !tab.unfolds;
        match tab.unfolds {
            true => tab.view.fold_all(Fold::Full),
            false => tab.view.unfold_all(),
        }
    }

    fn open_picker(&mut self, picker: Option<Picker>, without: &str, now: Instant) {
        match picker {
            Some(picker) => self.dialog = Some(Dialog::Picker(picker)),
            None => self.toast(Tone::Info, without, now),
        }
    }

    fn open_session_list(&mut self, now: Instant) {
        if self.capabilities().session_capabilities.list.is_none() {
            return self.toast(Tone::Info, "this agent can't list its sessions", now);
        }
        self.dialog = Some(Dialog::Picker(Picker::pending(
            "Sessions",
            PendingRows::Sessions,
        )));
        self.submit(Command::ListSessions {
            cwd: None,
            cursor: None,
        });
    }

    fn fork_session(&mut self, now: Instant) {
        if self.capabilities().session_capabilities.fork.is_none() {
            return self.toast(Tone::Info, "this agent can't fork sessions", now);
        }
        if let Some(session) = self.tab().session().cloned() {
            let mut opening = self.tab().opening.clone();
            opening.start = SessionStart::Fork(session);
            self.open_session(opening, now);
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
            _ => self.run_action(UiAction::Modes, now),
        }
    }

    fn logout(&mut self, now: Instant) {
        match self.capabilities().auth.logout {
            Some(_) => self.submit(Command::Logout),
            None => self.toast(Tone::Info, "this agent doesn't support logging out", now),
        }
    }

    fn toggle_mouse(&mut self, now: Instant) {
        let (mouse, text) = match self.mouse {
            MouseCapture::On => (
                MouseCapture::Off,
                "the mouse selects text; scroll with PgUp and PgDn",
            ),
            MouseCapture::Off => (
                MouseCapture::On,
                "the wheel scrolls; hold Shift to select text",
            ),
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
            DiffLayout::SideBySide => (
                DiffLayout::ByWidth,
                "diffs are side by side on wide screens",
            ),
        };
        appearance.diffs = layout;
        self.toast(Tone::Info, name, now);
    }

    fn open_export(&mut self, format: ExportFormat) {
        let ending = match format {
            ExportFormat::Markdown => "md",
            ExportFormat::Json => "json",
        };
        let name = self.tab().session().map(v1::SessionId::as_str);
        let is_plain = |char: &char| char.is_ascii_alphanumeric() || *char == '-';
        let name: String = name.unwrap_or("session").chars().filter(is_plain).collect();
        let name: String = name.chars().take(40).collect();
        self.dialog = Some(Dialog::Export(ExportDialog {
            name: Editor::with(&format!("attache-{name}.{ending}")),
            format,
            existing: None,
        }));
    }

    /// Renders the transcript for an export.
    pub(in crate::chat) fn export(
        &self,
        format: ExportFormat,
        terminal: TerminalLookup<'_>,
    ) -> String {
        let transcript = &self.tab().transcript;
        match format {
            ExportFormat::Markdown => export::markdown_with(transcript, terminal),
            ExportFormat::Json => export::json_with(transcript, terminal),
        }
    }

    /// Handles a key in the export dialog.
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
                // The dialog stays open until the file is written, because the file may already exist.
                let existing = match export.existing.as_ref() == Some(&path) {
                    true => ExistingFile::Overwrite,
                    false => ExistingFile::Keep,
                };
                self.effects.push(Effect::Export {
                    path,
                    format,
                    existing,
                });
            }
            _ => {
                export.name.key(key, LineMode::Single);
            }
        }
    }

    /// Asks whether to overwrite the existing file. Only another Enter overwrites it.
    pub(super) fn confirm_overwrite(&mut self, path: PathBuf) {
        if let Some(Dialog::Export(export)) = &mut self.dialog {
            export.existing = Some(path);
        }
    }
}
