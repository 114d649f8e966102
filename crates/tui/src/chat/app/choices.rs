//! What follows from a choice in a list.

use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, OpenRequest, SessionStart};

use super::events::words;
use super::{App, Dialog};
use crate::chat::effect::Effect;
use crate::chat::picker::{PendingRows, Picker, PickerChoice, PickerRow};
use crate::chat::text;
use crate::paint::Tone;

impl App {
    pub(super) fn choose(&mut self, choice: PickerChoice, now: Instant) {
        let session = self.tab().session().cloned();
        match (choice, session) {
            (PickerChoice::Do(action), _) => self.run_action(action, now),
            (PickerChoice::Tab(at), _) => self.active = at.min(self.tabs.len() - 1),
            (PickerChoice::Mode(mode), Some(session)) => {
                self.submit(Command::SetMode { session, mode });
            }
            (PickerChoice::Option(id), _) => self.dialog = self.values(&id).map(Dialog::Picker),
            (PickerChoice::Value(option, value), Some(session)) => {
                self.submit(Command::SetOption {
                    session,
                    option,
                    value,
                })
            }
            (PickerChoice::Session(info), _) => {
                self.dialog = Some(Dialog::Picker(self.session_actions(&info)))
            }
            (PickerChoice::MoreSessions(cursor), _) => self.more_sessions(cursor),
            (PickerChoice::Open(start, info), _) => self.open(self.opening_of(start, &info), now),
            (PickerChoice::Delete(info), _) => {
                let title = format!("Delete “{}” for good?", title(&info));
                let rows = vec![
                    PickerRow::new("no", "", PickerChoice::Nothing),
                    PickerRow::new(
                        "yes, delete it",
                        "",
                        PickerChoice::DeleteNow(info.session_id),
                    ),
                ];
                self.dialog = Some(Dialog::Picker(Picker::new(title, rows)));
            }
            (PickerChoice::DeleteNow(session), _) => self.submit(Command::DeleteSession(session)),
            (PickerChoice::Login(method), _) => self.login(method, now),
            (PickerChoice::Unqueue(index), Some(session)) => self.unqueue(session, index),
            (PickerChoice::Attach(path), _) => self.tab_mut().composer.attached.push(path.into()),
            (PickerChoice::Nothing, _) => {}
            (PickerChoice::Mode(_) | PickerChoice::Value(..) | PickerChoice::Unqueue(_), None) => {
                self.toast(Tone::Info, "the session is not there yet", now);
            }
        }
    }

    pub(super) fn more_sessions(&mut self, cursor: String) {
        self.submit(Command::ListSessions {
            cwd: None,
            cursor: Some(cursor),
        });
    }

    /// A page of sessions has come; it is shown if the list is still open.
    pub(super) fn sessions_listed(&mut self, page: v1::ListSessionsResponse) {
        if self.open_latest(&page) {
            return;
        }
        let Some(Dialog::Picker(picker)) = &mut self.dialog else {
            return;
        };
        if !picker.awaits(PendingRows::Sessions) {
            return;
        }
        let rows = page.sessions.into_iter().map(|info| {
            let when = info.updated_at.as_deref().map(moment);
            let cwd = text::line(info.cwd.as_str());
            let detail = format!("{}  {cwd}", when.unwrap_or_default());
            PickerRow::new(title(&info), detail, PickerChoice::Session(Box::new(info)))
        });
        let more = page
            .next_cursor
            .map(|cursor| PickerRow::new("more sessions", "", PickerChoice::MoreSessions(cursor)));
        picker.extend(rows.chain(more).collect());
    }

    /// What can be done with a session, by what the agent offers.
    fn session_actions(&self, info: &v1::SessionInfo) -> Picker {
        let can = self.capabilities();
        let sessions = &can.session_capabilities;
        let id = || info.session_id.clone();
        let of = |start: SessionStart| PickerChoice::Open(start, Box::new(info.clone()));
        let mut rows = Vec::new();
        if can.load_session {
            rows.push(PickerRow::new(
                "load",
                "with its history",
                of(SessionStart::Load(id())),
            ));
        }
        if sessions.resume.is_some() {
            rows.push(PickerRow::new(
                "resume",
                "without its history",
                of(SessionStart::Resume(id())),
            ));
        }
        if sessions.fork.is_some() {
            rows.push(PickerRow::new(
                "fork",
                "a copy that goes its own way",
                of(SessionStart::Fork(id())),
            ));
        }
        if sessions.delete.is_some() {
            let delete = PickerChoice::Delete(Box::new(info.clone()));
            rows.push(PickerRow::new("delete", "for good", delete));
        }
        if rows.is_empty() {
            rows.push(PickerRow::new(
                "this agent only lists its sessions",
                "",
                PickerChoice::Nothing,
            ));
        }
        Picker::new(title(info), rows)
    }

    fn opening_of(&self, start: SessionStart, info: &v1::SessionInfo) -> OpenRequest {
        let additional = info.additional_directories.iter();
        OpenRequest {
            start,
            cwd: info.cwd.as_path().to_owned(),
            additional: additional.map(|path| path.as_path().to_owned()).collect(),
            mcp_servers: self.settings.opening.mcp_servers.clone(),
        }
    }

    fn login(&mut self, method: v1::AuthMethodId, now: Instant) {
        let methods = self.agent.iter().flat_map(|agent| &agent.auth_methods);
        let is_terminal = |known: &v1::AuthMethod| matches!(known, v1::AuthMethod::Terminal(it) if it.id == method);
        if methods.into_iter().any(is_terminal) {
            self.effects.push(Effect::DescribeLogin(method));
        } else {
            self.toast(Tone::Info, "logging in", now);
            self.submit(Command::Login(method));
        }
    }

    /// Takes a prompt back, into the composer if nothing is being written there.
    fn unqueue(&mut self, session: v1::SessionId, index: usize) {
        let tab = self.tab_mut();
        let text = tab.queued_prompts.get(index).map(|content| words(content));
        if let Some(text) = text.filter(|_| tab.composer.is_empty()) {
            tab.composer.editor.set_text(&text);
        }
        self.submit(Command::RemoveQueuedPrompt { session, index });
    }

    /// Lists the files to attach, once they are found.
    pub(super) fn attach(&mut self, now: Instant) {
        self.dialog = Some(Dialog::Picker(Picker::awaiting(
            "Attach a file",
            PendingRows::Files,
        )));
        self.find_files(now);
    }

    pub(super) fn attach_files(&mut self) {
        if let Some(Dialog::Picker(picker)) = &mut self.dialog
            && picker.awaits(PendingRows::Files)
        {
            let rows = self.files.iter();
            let rows = rows.map(|file| {
                PickerRow::new(text::line(file), "", PickerChoice::Attach(file.clone()))
            });
            picker.extend(rows.collect());
        }
    }
}

fn title(info: &v1::SessionInfo) -> String {
    let title = info.title.as_deref().filter(|title| !title.is_empty());
    text::line(title.unwrap_or(info.session_id.as_str()))
}

/// A time of ISO 8601 in UTC to the second, as people read it; whatever else an agent writes as it is.
fn moment(told: &str) -> String {
    let told = text::line(told);
    let parts = told
        .split_once('T')
        .filter(|(_, time)| time.ends_with('Z'))
        .and_then(|(day, time)| Some((day, time.get(..8)?)));
    match parts {
        Some((day, time)) => format!("{day} {time}"),
        None => told,
    }
}
