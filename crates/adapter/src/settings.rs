//! The settings that the CLI offers for a session: modes, models, effort and slash commands.

use attache::v1;
use serde_json::{Value, json};

/// The settings that a session offers, and their current values.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// The version of the CLI.
    pub version: String,
    /// The permission mode.
    pub mode: String,
    /// The model.
    pub model: String,
    /// The thinking effort.
    pub effort: Option<String>,
    /// Whether fast mode is on: faster answers at a higher price. `None` if the account doesn't have it. The CLI
    /// ignores settings files here, so it must be set in the session.
    pub fast: Option<bool>,
    /// Whether the mode that never asks is offered.
    pub bypass: bool,
    models: Vec<ModelChoice>,
    commands: Vec<v1::AvailableCommand>,
}

#[derive(Debug, Clone, PartialEq)]
struct ModelChoice {
    value: String,
    /// The full name, if it differs.
    resolved: Option<String>,
    name: String,
    description: String,
    efforts: Vec<String>,
    has_fast: bool,
    /// Whether the user configured the model, so that the CLI does not list it.
    is_custom: bool,
}

impl Settings {
    /// Reads the settings from the responses to `initialize` and `get_settings`.
    pub fn from_responses(offered: &Value, applied: &Value, bypass: bool) -> Settings {
        let mut settings = Settings {
            version: text(&offered["claude_code_version"]),
            mode: offered["current_permission_mode"]
                .as_str()
                .unwrap_or("default")
                .to_owned(),
            model: String::new(),
            effort: None,
            bypass,
            fast: fast(offered),
            models: list(&offered["models"])
                .filter_map(ModelChoice::from_value)
                .collect(),
            commands: commands(&offered["commands"]).available_commands,
        };
        settings.apply_settings(applied);
        if settings.model.is_empty() {
            settings.select_model("default");
        }
        settings
    }

    /// Updates the selection from a response to `get_settings`.
    pub fn apply_settings(&mut self, response: &Value) {
        let Some(applied) = response["applied"].as_object() else {
            return;
        };
        if let Some(model) = applied.get("model").and_then(Value::as_str) {
            self.select_model(model);
        }
        let effort = applied.get("effort").and_then(Value::as_str);
        self.effort = effort.map(str::to_owned);
    }

    /// Selects the model that the CLI reports. An equivalent selection stays, and an unlisted model is added to the
    /// choices.
    pub fn select_model(&mut self, model: &str) {
        if self.chosen_model().is_some_and(|it| it.matches(model)) {
            return;
        }
        match self.models.iter().find(|it| it.matches(model)) {
            Some(found) => self.model = found.value.clone(),
            None => {
                let efforts = self.models.first().map(|first| first.efforts.clone());
                self.models.push(ModelChoice {
                    value: model.to_owned(),
                    resolved: None,
                    name: model.to_owned(),
                    description: String::new(),
                    efforts: efforts.unwrap_or_default(),
                    has_fast: false,
                    is_custom: true,
                });
                self.model = model.to_owned();
            }
        }
    }

    /// Adds the unlisted models that a previous CLI has reported.
    pub fn keep_custom_models(&mut self, before: &Settings) {
        for model in before.models.iter().filter(|it| it.is_custom) {
            if !self.models.iter().any(|it| it.matches(&model.value)) {
                self.models.push(model.clone());
            }
        }
    }

    /// The modes and the current one.
    pub fn modes(&self) -> v1::SessionModeState {
        let modes = self
            .offered_modes()
            .map(|(id, name, what)| v1::SessionMode::new(id, name).description(what));
        v1::SessionModeState::new(self.mode.as_str(), modes)
    }

    /// Whether a mode is offered.
    pub fn has_mode(&self, mode: &str) -> bool {
        self.offered_modes().any(|(id, ..)| id == mode)
    }

    /// All config options with their values.
    pub fn options(&self) -> Vec<v1::SessionConfigOption> {
        let modes = self
            .offered_modes()
            .map(|(id, name, what)| v1::SessionConfigSelectOption::new(id, name).description(what));
        let mut options = vec![
            select(MODE, "Mode", &self.mode, modes.collect())
                .category(v1::SessionConfigOptionCategory::Mode),
        ];
        let models = self.models.iter().map(ModelChoice::option).collect();
        let model = select(MODEL, "Model", &self.model, models);
        options.push(model.category(v1::SessionConfigOptionCategory::Model));
        let has_level = |effort: &&String| self.efforts().any(|level| level == effort.as_str());
        if let Some(effort) = self.effort.as_ref().filter(has_level) {
            let levels = self.efforts();
            let levels = levels.map(|it| v1::SessionConfigSelectOption::new(it, it));
            let effort = select(EFFORT, "Effort", effort, levels.collect());
            options.push(effort.category(v1::SessionConfigOptionCategory::ThoughtLevel));
        }
        if let Some(fast) = self.fast.filter(|_| self.has_fast()) {
            let states = STATES.map(|(id, name)| v1::SessionConfigSelectOption::new(id, name));
            let fast = select(FAST, "Fast mode", state(fast), states.to_vec());
            options.push(fast.description("Answers faster, and costs more"));
        }
        options
    }

    /// The request that makes a choice; `None` if the choice is not offered.
    pub fn choice_request(&self, option: &str, value: &str) -> Option<Value> {
        match option {
            MODE if self.has_mode(value) => Some(set_mode_request(value)),
            MODEL if self.models.iter().any(|model| model.value == value) => {
                Some(json!({ "subtype": "set_model", "model": value }))
            }
            EFFORT if self.efforts().any(|level| level == value) => {
                let settings = json!({ "effortLevel": value });
                Some(json!({ "subtype": "apply_flag_settings", "settings": settings }))
            }
            FAST if self.has_fast() && self.fast.is_some() => {
                let (is_on, is_off) = (value == state(true), value == state(false));
                let settings = json!({ "fastMode": is_on });
                (is_on || is_off)
                    .then(|| json!({ "subtype": "apply_flag_settings", "settings": settings }))
            }
            _ => None,
        }
    }

    /// The current choices, by option.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let effort = self.effort.as_deref().map(|effort| (EFFORT, effort));
        let fast = self.fast.map(|fast| (FAST, state(fast)));
        let chosen = [(MODE, self.mode.as_str()), (MODEL, self.model.as_str())];
        chosen.into_iter().chain(effort).chain(fast)
    }

    /// Records a choice.
    pub fn set_choice(&mut self, option: &str, value: &str) {
        match option {
            MODE => self.mode = value.to_owned(),
            MODEL => self.model = value.to_owned(),
            EFFORT => self.effort = Some(value.to_owned()),
            FAST => self.fast = Some(value == state(true)),
            _ => {}
        }
    }

    /// The slash commands.
    pub fn commands(&self) -> v1::AvailableCommandsUpdate {
        v1::AvailableCommandsUpdate::new(self.commands.clone())
    }

    /// Whether the CLI offers a command.
    pub fn has_command(&self, name: &str) -> bool {
        self.commands.iter().any(|command| command.name == name)
    }

    /// The modes to offer. A mode that we do not know is included while it is the current one.
    fn offered_modes(&self) -> impl Iterator<Item = ModeRow<'_>> {
        let bypass = self.bypass || self.mode == BYPASS;
        let modes = MODES.iter().copied();
        let modes = modes.filter(move |(id, ..)| *id != BYPASS || bypass);
        let is_new = MODES.iter().all(|(id, ..)| *id != self.mode);
        let mode = self.mode.as_str();
        modes.chain(is_new.then_some((mode, mode, "A mode of the CLI")))
    }

    fn chosen_model(&self) -> Option<&ModelChoice> {
        self.models.iter().find(|model| model.value == self.model)
    }

    fn has_fast(&self) -> bool {
        self.chosen_model().is_some_and(|model| model.has_fast)
    }

    fn efforts(&self) -> impl Iterator<Item = &str> {
        self.chosen_model()
            .into_iter()
            .flat_map(|model| model.efforts.iter().map(String::as_str))
    }
}

/// The request for the current settings.
pub fn get_settings_request() -> Value {
    json!({ "subtype": "get_settings" })
}

/// The request to change the permission mode.
pub fn set_mode_request(mode: &str) -> Value {
    json!({ "subtype": "set_permission_mode", "mode": mode })
}

impl ModelChoice {
    fn from_value(model: &Value) -> Option<ModelChoice> {
        let value = model["value"].as_str().filter(|value| !value.is_empty())?;
        let efforts = list(&model["supportedEffortLevels"]);
        Some(ModelChoice {
            value: value.to_owned(),
            resolved: model["resolvedModel"].as_str().map(str::to_owned),
            name: text(&model["displayName"]),
            description: text(&model["description"]),
            efforts: efforts
                .filter_map(|it| it.as_str().map(str::to_owned))
                .collect(),
            has_fast: model["supportsFastMode"] == true,
            is_custom: false,
        })
    }

    fn matches(&self, model: &str) -> bool {
        self.value == model || self.resolved.as_deref() == Some(model)
    }

    fn option(&self) -> v1::SessionConfigSelectOption {
        let name = match self.name.is_empty() {
            true => self.value.as_str(),
            false => self.name.as_str(),
        };
        let choice = v1::SessionConfigSelectOption::new(self.value.as_str(), name);
        match self.description.is_empty() {
            true => choice,
            false => choice.description(self.description.as_str()),
        }
    }
}

/// The slash commands of the CLI, without those that need a terminal or that we provide ourselves.
pub fn commands(offered: &Value) -> v1::AvailableCommandsUpdate {
    v1::AvailableCommandsUpdate::new(list(offered).filter_map(command))
}

fn command(offered: &Value) -> Option<v1::AvailableCommand> {
    let name = offered["name"].as_str()?;
    if HIDDEN.contains(&name) || name.starts_with("__") {
        return None;
    }
    // The CLI's `server:prompt (MCP)` cannot be typed as a command.
    let name = match name.strip_suffix(" (MCP)") {
        Some(name) => format!("mcp:{name}"),
        None => name.to_owned(),
    };
    let command = v1::AvailableCommand::new(name, text(&offered["description"]));
    let hint = text(&offered["argumentHint"]);
    if hint.is_empty() {
        return Some(command);
    }
    let input = v1::UnstructuredCommandInput::new(hint);
    Some(command.input(v1::AvailableCommandInput::Unstructured(input)))
}

/// Whether the CLI reports that it has no login. If it reports nothing, it may have one.
pub fn is_logged_out(offered: &Value) -> bool {
    let account = &offered["account"];
    let has = |name: &str| !account[name].is_null() && account[name] != "none";
    account["apiProvider"] == "firstParty"
        && account["tokenSource"] == "none"
        && !has("apiKeySource")
        && !has("subscriptionType")
}

/// Whether fast mode is on; `None` if it is not available. A missing opt-in does not make it unavailable, because we
/// opt in when the user turns it on.
fn fast(offered: &Value) -> Option<bool> {
    let hindrance = offered["fast_mode_disabled_reason"].as_str();
    let is_there = hindrance.is_none_or(|reason| reason == "sdk_opt_in_required");
    let now = offered["fast_mode_state"].as_str().filter(|_| is_there);
    now.map(|now| now != state(false))
}

fn state(is_on: bool) -> &'static str {
    STATES[usize::from(is_on)].0
}

fn select(
    id: &str,
    name: &str,
    current: &str,
    choices: Vec<v1::SessionConfigSelectOption>,
) -> v1::SessionConfigOption {
    let choices = v1::SessionConfigSelectOptions::Ungrouped(choices);
    let select = v1::SessionConfigSelect::new(current, choices);
    v1::SessionConfigOption::new(id, name, v1::SessionConfigKind::Select(select))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The mode that never asks. The CLI offers it only if that was allowed when it started.
pub const BYPASS: &str = "bypassPermissions";
/// Id of the option for the permission mode.
pub const MODE: &str = "mode";
const MODEL: &str = "model";
const EFFORT: &str = "effort";
const FAST: &str = "fast";
const STATES: [(&str, &str); 2] = [("off", "Off"), ("on", "On")];

/// Id, title and description of a mode.
type ModeRow<'a> = (&'a str, &'a str, &'a str);

const MODES: &[ModeRow<'static>] = &[
    ("default", "Ask", "Asks before it changes or runs anything"),
    (
        "acceptEdits",
        "Accept edits",
        "Changes files without asking",
    ),
    ("plan", "Plan", "Changes nothing, and makes a plan"),
    (
        "dontAsk",
        "Do not ask",
        "Denies everything that is not allowed beforehand",
    ),
    ("auto", "Auto", "Asks only where it sees a risk"),
    (BYPASS, "Bypass permissions", "Never asks"),
];

const HIDDEN: &[&str] = &[
    "clear",
    "cost",
    "keybindings-help",
    "login",
    "logout",
    "output-style:new",
    "release-notes",
    "todos",
    "doctor",
    "color",
    "focus",
    "reload-plugins",
    "heapdump",
    "workflow-launch-exec",
    "agents",
    "auto-mode-setup",
    "fast",
];
