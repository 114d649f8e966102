//! The lists that can be chosen from.

use attache::v1;

use super::App;
use super::events::words;
use super::sessions::logins;
use crate::chat::keymap::{ACTIONS, UiAction};
use crate::chat::picker::{Picker, PickerChoice, PickerRow, RowMark};
use crate::chat::text;

impl App {
    pub(super) fn palette(&self) -> Picker {
        let entries = ACTIONS
            .iter()
            .filter(|entry| entry.action != UiAction::Palette && self.can(entry.action));
        let rows = entries.map(|entry| {
            let key = entry.key.map(|key| key.name()).unwrap_or_default();
            PickerRow::new(entry.name, key, PickerChoice::Do(entry.action))
        });
        Picker::new("Commands", rows.collect())
    }

    /// Whether a command can do anything now.
    fn can(&self, action: UiAction) -> bool {
        let tab = self.tab();
        let offered = self.capabilities();
        let sessions = &offered.session_capabilities;
        match action {
            UiAction::Sessions => sessions.list.is_some(),
            UiAction::Fork => sessions.fork.is_some() && tab.session().is_some(),
            UiAction::NextTab | UiAction::PreviousTab | UiAction::Tabs => self.tabs.len() > 1,
            UiAction::Modes | UiAction::NextMode => self.modes().is_some(),
            UiAction::Model => self.models().is_some(),
            UiAction::Options => self.options().is_some(),
            UiAction::Queue => self.queue().is_some(),
            UiAction::Cancel | UiAction::Steer => tab.turn.is_some(),
            UiAction::Plan => tab.transcript.plan().is_some(),
            UiAction::Login => self.logins().is_some(),
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

    pub(super) fn tab_list(&self) -> Picker {
        let rows = self.tabs.iter().enumerate().map(|(at, tab)| {
            let cwd = text::line(&tab.cwd().to_string_lossy());
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

    pub(super) fn modes(&self) -> Option<Picker> {
        let tab = self.tab();
        let modes = tab
            .modes
            .as_ref()
            .filter(|modes| !modes.available_modes.is_empty());
        let Some(modes) = modes else {
            let option = tab.option_of(&v1::SessionConfigOptionCategory::Mode)?;
            return self.values(&option.id);
        };
        let rows = modes.available_modes.iter().map(|mode| {
            let detail = mode.description.as_deref().map(text::line);
            let choice = PickerChoice::Mode(mode.id.clone());
            let mark = match mode.id == modes.current_mode_id {
                true => RowMark::Current,
                false => RowMark::None,
            };
            let row = PickerRow::new(text::line(&mode.name), detail.unwrap_or_default(), choice);
            PickerRow { mark, ..row }
        });
        Some(Picker::new("Mode", rows.collect()))
    }

    pub(super) fn models(&self) -> Option<Picker> {
        let option = self
            .tab()
            .option_of(&v1::SessionConfigOptionCategory::Model)?;
        self.values(&option.id)
    }

    pub(super) fn options(&self) -> Option<Picker> {
        let options = &self.tab().options;
        let rows = options.iter().filter_map(|option| {
            let choice = match &option.kind {
                v1::SessionConfigKind::Select(_) => PickerChoice::Option(option.id.clone()),
                v1::SessionConfigKind::Boolean(switch) => {
                    let value = v1::SessionConfigOptionValue::Boolean(!switch.current_value);
                    PickerChoice::Value(option.id.clone(), value)
                }
                v1::SessionConfigKind::Other(_) => return None,
            };
            let value = current(option);
            let detail = match option.description.as_deref() {
                Some(description) => format!("{value}  {}", text::line(description)),
                None => value,
            };
            Some(PickerRow::new(text::line(&option.name), detail, choice))
        });
        let rows: Vec<PickerRow> = rows.collect();
        (!rows.is_empty()).then(|| Picker::new("Options", rows))
    }

    /// The values of an option.
    pub(super) fn values(&self, id: &v1::SessionConfigId) -> Option<Picker> {
        let mut options = self.tab().options.iter();
        let option = options.find(|option| option.id == *id)?;
        let v1::SessionConfigKind::Select(select) = &option.kind else {
            return None;
        };
        let row = |choice: &v1::SessionConfigSelectOption, group: Option<&str>| {
            let value = v1::SessionConfigOptionValue::ValueId(choice.value.clone());
            let detail = choice.description.as_deref().map(text::line);
            PickerRow {
                label: text::line(&choice.name),
                detail: detail.unwrap_or_default(),
                group: group.map(text::line),
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
        };
        Some(Picker::new(text::line(&option.name), rows))
    }

    pub(super) fn queue(&self) -> Option<Picker> {
        let waiting = &self.tab().queued_prompts;
        let rows = waiting.iter().enumerate();
        let rows =
            rows.map(|(at, content)| PickerRow::new(words(content), "", PickerChoice::Unqueue(at)));
        let rows: Vec<PickerRow> = rows.collect();
        (!rows.is_empty()).then(|| Picker::new("Take back a prompt", rows))
    }

    pub(super) fn logins(&self) -> Option<Picker> {
        let ways = logins(&self.agent.as_ref()?.auth_methods);
        let row = |(id, name, detail)| PickerRow::new(name, detail, PickerChoice::Login(id));
        let rows: Vec<PickerRow> = ways.map(row).collect();
        (!rows.is_empty()).then(|| Picker::new("Log in", rows))
    }
}

/// The name of an option's present value.
pub(in crate::chat) fn current(option: &v1::SessionConfigOption) -> String {
    let select = match &option.kind {
        v1::SessionConfigKind::Boolean(switch) if switch.current_value => return "on".to_owned(),
        v1::SessionConfigKind::Boolean(_) => return "off".to_owned(),
        v1::SessionConfigKind::Other(_) => return String::new(),
        v1::SessionConfigKind::Select(select) => select,
    };
    let is_current = |choice: &&v1::SessionConfigSelectOption| choice.value == select.current_value;
    let choice = match &select.options {
        v1::SessionConfigSelectOptions::Ungrouped(choices) => choices.iter().find(is_current),
        v1::SessionConfigSelectOptions::Grouped(groups) => groups
            .iter()
            .flat_map(|group| &group.options)
            .find(is_current),
    };
    let name = choice.map_or(select.current_value.as_str(), |choice| &choice.name);
    text::line(name)
}
