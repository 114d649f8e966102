//! Pickers: what each list offers, and what choosing a row does.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use std::time::Instant;

use attache::v1;
use attache_client::command::{Command, OpenRequest, SessionStart};

use super::events::content_line;
use super::sessions::login_choices;
use super::{App, Dialog};
use crate::chat::effect::Effect;
use crate::chat::keymap::{ACTIONS, UiAction};
use crate::chat::picker::{PendingRows, Picker, PickerChoice, PickerRow, RowMark};
use crate::chat::text;
use crate::paint::Tone;

impl App {
    pub(super) fn command_palette(&self) -> Picker {
        let entries = ACTIONS
            .iter()
            .filter(|entry| entry.action != UiAction::Palette && self.is_available(entry.action));
        let rows = entries.map(|entry| {
            let key = entry.key.map(|key| key.name()).unwrap_or_default();
            PickerRow::new(entry.name, key, PickerChoice::Do(entry.action))
        });
        Picker::new("Commands", rows.collect())
    }

    /// Whether a command is useful right now.
    fn is_available(&self, action: UiAction) -> bool {
        let tab = self.tab();
        let offered = self.capabilities();
        let sessions = &offered.session_capabilities;
        match action {
            UiAction::Sessions => sessions.list.is_some(),
            UiAction::Fork => sessions.fork.is_some() && tab.session().is_some(),
            UiAction::NextTab | UiAction::PreviousTab | UiAction::Tabs => self.tabs.len() > 1,
            UiAction::Modes | UiAction::NextMode => self.mode_picker().is_some(),
            UiAction::Model => self.model_picker().is_some(),
            UiAction::Options => self.option_picker().is_some(),
            UiAction::Queue => self.queue_picker().is_some(),
            UiAction::Cancel | UiAction::Steer => tab.turn.is_some(),
            UiAction::Plan => tab.transcript.plan().is_some(),
            UiAction::Login => self.login_picker().is_some(),
            UiAction::Logout => offered.auth.logout.is_some(),
            UiAction::Palette
            | UiAction::NewSession
            | UiAction::CloseTab
            | UiAction::Attach
            | UiAction::GoToRequest
            | UiAction::Undo
            | UiAction::ReadTranscript
            | UiAction::Search
            | UiAction::FoldAll
            | UiAction::Diffs
            | UiAction::CopyAnswer
            | UiAction::ExportMarkdown
            | UiAction::ExportJson
            | UiAction::Restart
            | UiAction::Mouse
            | UiAction::Redraw
            | UiAction::Help
            | UiAction::Quit => true,
        }
    }

    pub(super) fn tab_picker(&self) -> Picker {
        let rows = self.tabs.iter().enumerate().map(|(at, tab)| {
            let cwd = text::safe_line(&tab.cwd().to_string_lossy());
            let label = format!("{} {}", at + 1, tab.title());
            let mark = match at == self.active {
                true => RowMark::Current,
                false => RowMark::None,
            };
            let row = PickerRow::new(label, cwd, PickerChoice::Tab(at));
            PickerRow { mark, ..row }
        });
        Picker::new("Tabs", rows.collect())
    }

    pub(super) fn mode_picker(&self) -> Option<Picker> {
        let tab = self.tab();
        let modes = tab
            .modes
            .as_ref()
            .filter(|modes| !modes.available_modes.is_empty());
        let Some(modes) = modes else {
            let option = tab.option_of(&v1::SessionConfigOptionCategory::Mode)?;
            return self.value_picker(&option.id);
        };
        let rows = modes.available_modes.iter().map(|mode| {
            let detail = mode.description.as_deref().map(text::safe_line);
            let choice = PickerChoice::Mode(mode.id.clone());
            let mark = match mode.id == modes.current_mode_id {
                true => RowMark::Current,
                false => RowMark::None,
            };
            let row = PickerRow::new(
                text::safe_line(&mode.name),
                detail.unwrap_or_default(),
                choice,
            );
            PickerRow { mark, ..row }
        });
        Some(Picker::new("Mode", rows.collect()))
    }

    pub(super) fn model_picker(&self) -> Option<Picker> {
        let option = self
            .tab()
            .option_of(&v1::SessionConfigOptionCategory::Model)?;
        self.value_picker(&option.id)
    }

    pub(super) fn option_picker(&self) -> Option<Picker> {
        let options = &self.tab().options;
        let rows = options.iter().filter_map(|option| {
            let choice = match &option.kind {
                v1::SessionConfigKind::Select(_) => PickerChoice::Option(option.id.clone()),
                v1::SessionConfigKind::Boolean(switch) => {
                    let value = v1::SessionConfigOptionValue::Boolean(!switch.current_value);
                    PickerChoice::Value(option.id.clone(), value)
                }
                v1::SessionConfigKind::Other(_) => return None,
                _ => return None,
            };
            let value = current_value_name(option);
            let detail = match option.description.as_deref() {
                Some(description) => format!("{value}  {}", text::safe_line(description)),
                None => value,
            };
            Some(PickerRow::new(
                text::safe_line(&option.name),
                detail,
                choice,
            ))
        });
        let rows: Vec<PickerRow> = rows.collect();
        (!rows.is_empty()).then(|| Picker::new("Options", rows))
    }

    /// A picker with the values of an option.
    pub(super) fn value_picker(&self, id: &v1::SessionConfigId) -> Option<Picker> {
        let mut options = self.tab().options.iter();
        let option = options.find(|option| option.id == *id)?;
        let v1::SessionConfigKind::Select(select) = &option.kind else {
            return None;
        };
        let row = |choice: &v1::SessionConfigSelectOption, group: Option<&str>| {
            let value = v1::SessionConfigOptionValue::ValueId(choice.value.clone());
            let detail = choice.description.as_deref().map(text::safe_line);
            PickerRow {
                label: text::safe_line(&choice.name),
                detail: detail.unwrap_or_default(),
                group: group.map(text::safe_line),
                mark: match choice.value == select.current_value {
                    true => RowMark::Current,
                    false => RowMark::None,
                },
                choice: PickerChoice::Value(option.id.clone(), value),
            }
        };
        let rows: Vec<PickerRow> = match &select.options {
            v1::SessionConfigSelectOptions::Ungrouped(choices) => {
                let ungrouped = choices.iter().map(|choice| row(choice, Default::default()));
                ungrouped.collect()
            }
            v1::SessionConfigSelectOptions::Grouped(groups) => {
                let of = |group: &v1::SessionConfigSelectGroup| -> Vec<PickerRow> {
                    let choices = group.options.iter();
                    choices
                        .map(|choice| row(choice, Some(&group.name)))
                        .collect()
                };
                groups.iter().flat_map(of).collect()
            }
            _ => Vec::new(),
        };
        Some(Picker::new(text::safe_line(&option.name), rows))
    }

    pub(super) fn queue_picker(&self) -> Option<Picker> {
        let waiting = &self.tab().queued_prompts;
        let rows = waiting.iter().enumerate();
        let rows = rows.map(|(at, content)| {
            PickerRow::new(content_line(content), "", PickerChoice::Unqueue(at))
        });
        let rows: Vec<PickerRow> = rows.collect();
        (!rows.is_empty()).then(|| Picker::new("Withdraw a queued prompt", rows))
    }

    pub(super) fn login_picker(&self) -> Option<Picker> {
        let ways = login_choices(&self.agent.as_ref()?.auth_methods);
        let row = |(id, name, detail)| PickerRow::new(name, detail, PickerChoice::Login(id));
        let rows: Vec<PickerRow> = ways.map(row).collect();
        (!rows.is_empty()).then(|| Picker::new("Log in", rows))
    }
}

impl App {
    pub(super) fn choose(&mut self, choice: PickerChoice, now: Instant) {
        let session = self.tab().session().cloned();
        match (choice, session) {
            (PickerChoice::Do(action), _) => self.run_action(action, now),
            (PickerChoice::Tab(at), _) => self.active = at.min(self.tabs.len() - 1),
            (PickerChoice::Mode(mode), Some(session)) => {
                self.submit(Command::SetMode { session, mode });
            }
            (PickerChoice::Option(id), _) => {
                self.dialog = self.value_picker(&id).map(Dialog::Picker)
            }
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
            (PickerChoice::Open(start, info), _) => {
                self.open_session(self.open_request_for(start, &info), now)
            }
            (PickerChoice::Delete(info), _) => {
                let title = format!("Delete “{}” permanently?", session_title(&info));
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
                self.toast(Tone::Info, "the session is still opening", now);
            }
        }
    }

    pub(super) fn more_sessions(&mut self, cursor: String) {
        self.submit(Command::ListSessions {
            cwd: None,
            cursor: Some(cursor),
        });
    }

    /// Shows a page of listed sessions, if the session picker is still open.
    pub(super) fn sessions_listed(&mut self, page: v1::ListSessionsResponse) {
        if self.open_latest(&page) {
            return;
        }
        let Some(Dialog::Picker(picker)) = &mut self.dialog else {
            return;
        };
        if !picker.is_pending(PendingRows::Sessions) {
            return;
        }
        let rows = page.sessions.into_iter().map(|info| {
            let when = info.updated_at.as_deref().map(readable_time);
            let cwd = text::safe_line(info.cwd.as_str());
            let detail = format!("{}  {cwd}", when.unwrap_or_default());
            PickerRow::new(
                session_title(&info),
                detail,
                PickerChoice::Session(Box::new(info)),
            )
        });
        let more = page
            .next_cursor
            .map(|cursor| PickerRow::new("more sessions", "", PickerChoice::MoreSessions(cursor)));
        picker.extend(rows.chain(more).collect());
    }

    /// The actions for a session that the agent's capabilities allow.
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
                "a separate copy",
                of(SessionStart::Fork(id())),
            ));
        }
        if sessions.delete.is_some() {
            let delete = PickerChoice::Delete(Box::new(info.clone()));
            rows.push(PickerRow::new("delete", "permanently", delete));
        }
        if rows.is_empty() {
            rows.push(PickerRow::new(
                "this agent can only list its sessions",
                "",
                PickerChoice::Nothing,
            ));
        }
        Picker::new(session_title(info), rows)
    }

    fn open_request_for(&self, start: SessionStart, info: &v1::SessionInfo) -> OpenRequest {
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

    /// Removes a queued prompt. The text goes back into the composer if that is empty.
    fn unqueue(&mut self, session: v1::SessionId, index: usize) {
        let tab = self.tab_mut();
        let text = tab
            .queued_prompts
            .get(index)
            .map(|content| content_line(content));
        if let Some(text) = text.filter(|_| tab.composer.is_empty()) {
            tab.composer.editor.set_text(&text);
        }
        self.submit(Command::RemoveQueuedPrompt { session, index });
    }

    /// Opens the file picker and starts the search for files.
    pub(super) fn attach(&mut self, now: Instant) {
        self.dialog = Some(Dialog::Picker(Picker::pending(
            "Attach a file",
            PendingRows::Files,
        )));
        self.find_files(now);
    }

    pub(super) fn attach_files(&mut self) {
        if let Some(Dialog::Picker(picker)) = &mut self.dialog
            && picker.is_pending(PendingRows::Files)
        {
            let rows = self.files.iter();
            let rows = rows.map(|file| {
                PickerRow::new(
                    text::safe_line(file),
                    "",
                    PickerChoice::Attach(file.clone()),
                )
            });
            picker.extend(rows.collect());
        }
    }
}

/// The name of an option's current value.
pub(in crate::chat) fn current_value_name(option: &v1::SessionConfigOption) -> String {
    let select = match &option.kind {
        v1::SessionConfigKind::Boolean(switch) if switch.current_value => return "on".to_owned(),
        v1::SessionConfigKind::Boolean(_) => return "off".to_owned(),
        v1::SessionConfigKind::Select(select) => select,
        v1::SessionConfigKind::Other(_) => return String::new(),
        _ => return String::new(),
    };
    let is_current = |choice: &&v1::SessionConfigSelectOption| choice.value == select.current_value;
    let choice = match &select.options {
        v1::SessionConfigSelectOptions::Ungrouped(choices) => choices.iter().find(is_current),
        v1::SessionConfigSelectOptions::Grouped(groups) => groups
            .iter()
            .flat_map(|group| &group.options)
            .find(is_current),
        _ => None,
    };
    let name = choice.map_or(select.current_value.as_str(), |choice| &choice.name);
    text::safe_line(name)
}

fn session_title(info: &v1::SessionInfo) -> String {
    let title = info.title.as_deref().filter(|title| !title.is_empty());
    text::safe_line(title.unwrap_or(info.session_id.as_str()))
}

/// Shortens an ISO 8601 time in UTC to seconds. Any other text is shown unchanged.
fn readable_time(told: &str) -> String {
    let told = text::safe_line(told);
    let parts = told
        .split_once('T')
        .filter(|(_, time)| time.ends_with('Z'))
        .and_then(|(day, time)| Some((day, time.get(..8)?)));
    match parts {
        Some((day, time)) => format!("{day} {time}"),
        None => told,
    }
}
