//! Turns modes, models and options that the user names into commands.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use attache::v1;

use crate::command::Command;
use attache_text::plain;

/// A mode, model or option to set in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionSetting {
    /// The mode, by its id or name.
    Mode(String),
    /// The model, by its id or name.
    Model(String),
    /// An option by its id, and its value by its id or name.
    Option(String, String),
}

/// The modes and options that a session offers.
#[derive(Debug, Clone, Default)]
pub struct SettingChoices {
    /// The modes, if the session has any.
    pub modes: Option<v1::SessionModeState>,
    /// The options.
    pub options: Vec<v1::SessionConfigOption>,
}

/// The session has no such mode, model, option or value. The text is safe to show.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct UnknownSetting(String);

impl SessionSetting {
    /// The command that sets this in a session with these choices.
    ///
    /// # Errors
    ///
    /// When the session has no such mode, model, option or value; the error lists the possible ones.
    pub fn command(
        &self,
        session: &v1::SessionId,
        choices: &SettingChoices,
    ) -> Result<Command, UnknownSetting> {
        match self {
            SessionSetting::Mode(mode) => {
                let category = v1::SessionConfigOptionCategory::Mode;
                match choices.of_category(&category) {
                    Some(option) => choose(session, option, mode),
                    None => set_mode(session, choices.modes.as_ref(), mode),
                }
            }
            SessionSetting::Model(model) => {
                let category = v1::SessionConfigOptionCategory::Model;
                let option = choices.of_category(&category);
                match option.or_else(|| choices.of_id("model")) {
                    Some(option) => choose(session, option, model),
                    None => Err(none(
                        "the agent does not offer a choice of models; omit --model".to_owned(),
                    )),
                }
            }
            SessionSetting::Option(key, value) => match choices.of_id(key) {
                Some(option) => choose(session, option, value),
                None => {
                    let ids = choices.options.iter().map(|option| option.id.as_str());
                    Err(none(format!("there is no option `{key}`; {}", listed(ids))))
                }
            },
        }
    }
}

impl SettingChoices {
    fn of_category(
        &self,
        category: &v1::SessionConfigOptionCategory,
    ) -> Option<&v1::SessionConfigOption> {
        let mut options = self.options.iter();
        options.find(|option| option.category.as_ref() == Some(category))
    }

    fn of_id(&self, id: &str) -> Option<&v1::SessionConfigOption> {
        self.options.iter().find(|option| option.id.as_str() == id)
    }
}

fn set_mode(
    session: &v1::SessionId,
    modes: Option<&v1::SessionModeState>,
    wanted: &str,
) -> Result<Command, UnknownSetting> {
    let Some(modes) = modes else {
        return Err(none("the agent has no modes; omit --mode".to_owned()));
    };
    let mut known = modes.available_modes.iter();
    let found = known.find(|mode| is_meant(wanted, mode.id.as_str(), &mode.name));
    let Some(mode) = found else {
        let ids = modes.available_modes.iter().map(|mode| mode.id.as_str());
        return Err(none(format!(
            "there is no mode `{wanted}`; {}",
            listed(ids)
        )));
    };
    Ok(Command::SetMode {
        session: session.clone(),
        mode: mode.id.clone(),
    })
}

fn choose(
    session: &v1::SessionId,
    option: &v1::SessionConfigOption,
    wanted: &str,
) -> Result<Command, UnknownSetting> {
    let value = match &option.kind {
        v1::SessionConfigKind::Boolean(_) => match wanted {
            "true" | "on" | "yes" => v1::SessionConfigOptionValue::Boolean(true),
            "false" | "off" | "no" => v1::SessionConfigOptionValue::Boolean(false),
            _ => {
                return Err(none(format!(
                    "the option `{}` must be `true` or `false`",
                    option.id
                )));
            }
        },
        v1::SessionConfigKind::Select(select) => {
            let choices = flat(&select.options);
            let mut known = choices.iter();
            let found = known.find(|choice| is_meant(wanted, choice.value.as_str(), &choice.name));
            let Some(choice) = found else {
                let values = choices.iter().map(|choice| choice.value.as_str());
                let (id, listed) = (option.id.as_str(), listed(values));
                return Err(none(format!(
                    "the option `{id}` has no value `{wanted}`; {listed}"
                )));
            };
            v1::SessionConfigOptionValue::ValueId(choice.value.clone())
        }
        v1::SessionConfigKind::Other(_) => return Err(unknown_kind(option)),
        _ => return Err(unknown_kind(option)),
    };
    Ok(Command::SetOption {
        session: session.clone(),
        option: option.id.clone(),
        value,
    })
}

fn unknown_kind(option: &v1::SessionConfigOption) -> UnknownSetting {
    none(format!(
        "the option `{}` has a type that this version of Attaché does not know",
        option.id
    ))
}

fn flat(options: &v1::SessionConfigSelectOptions) -> Vec<&v1::SessionConfigSelectOption> {
    match options {
        v1::SessionConfigSelectOptions::Ungrouped(choices) => choices.iter().collect(),
        v1::SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the user means this choice: by its id, or by its display name.
fn is_meant(wanted: &str, id: &str, name: &str) -> bool {
    wanted == id || wanted.eq_ignore_ascii_case(name)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| plain::line(name).into_owned()).collect();
    match names.is_empty() {
        true => "there are none".to_owned(),
        false => format!("there are {}", names.join(", ")),
    }
}

/// Makes the text safe to show, because ids come from the agent.
fn none(why: String) -> UnknownSetting {
    UnknownSetting(plain::line(&why).into_owned())
}
