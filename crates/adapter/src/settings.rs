//! What can be chosen in a session: modes, models, effort and commands, as the CLI offers them.

use attache::v1;
use serde_json::{Value, json};

/// What a session offers, and what is chosen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Settings {
    /// The version of the CLI.
    pub version: String,
    /// The permission mode.
    pub mode: String,
    /// The model.
    pub model: String,
    /// How hard the model thinks.
    pub effort: Option<String>,
    /// Whether the model answers faster and costs more; none where the account has no such thing. Settings files have
    /// no say in it: the CLI wants to be asked in the session.
    pub fast: Option<bool>,
    /// Whether everything may be allowed.
    pub bypass: bool,
    models: Vec<ModelChoice>,
    commands: Vec<v1::AvailableCommand>,
}

#[derive(Debug, Clone, PartialEq)]
struct ModelChoice {
    value: String,
    /// Its full name, if that is another.
    resolved: Option<String>,
    name: String,
    description: String,
    efforts: Vec<String>,
    has_fast: bool,
    /// Whether it is of the user's own, and not among those that the CLI offers.
    is_custom: bool,
}

impl Settings {
    /// From the answers to `initialize` and `get_settings`.
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

    /// What is set now, from an answer to `get_settings`.
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

    /// The CLI uses this model. The choice stays if it means the same, and a model of the user's own becomes a choice.
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

    /// Offers the models of the user's own that another CLI has used.
    pub fn keep_custom_models(&mut self, before: &Settings) {
        for model in before.models.iter().filter(|it| it.is_custom) {
            if !self.models.iter().any(|it| it.matches(&model.value)) {
                self.models.push(model.clone());
            }
        }
    }

    /// The modes and the present one.
    pub fn modes(&self) -> v1::SessionModeState {
        let modes = self
            .offered_modes()
            .map(|(id, name, what)| v1::SessionMode::new(id, name).description(what));
        v1::SessionModeState::new(self.mode.as_str(), modes)
    }

    /// Whether there is such a mode.
    pub fn has_mode(&self, mode: &str) -> bool {
        self.offered_modes().any(|(id, ..)| id == mode)
    }

    /// Everything that can be chosen.
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

    /// The request to the CLI that makes a choice; none if there is no such choice.
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

    /// What is chosen, by option.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let effort = self.effort.as_deref().map(|effort| (EFFORT, effort));
        let fast = self.fast.map(|fast| (FAST, state(fast)));
        let chosen = [(MODE, self.mode.as_str()), (MODEL, self.model.as_str())];
        chosen.into_iter().chain(effort).chain(fast)
    }

    /// A choice has been made.
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

    /// A mode that is newer than we are is offered while it is the present one.
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

/// The request to the CLI for what is set.
pub fn get_settings_request() -> Value {
    json!({ "subtype": "get_settings" })
}

/// The request to the CLI for another permission mode.
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

/// The slash commands of the CLI, but for those that need a terminal or are ours to do.
pub fn commands(offered: &Value) -> v1::AvailableCommandsUpdate {
    v1::AvailableCommandsUpdate::new(list(offered).filter_map(command))
}

fn command(offered: &Value) -> Option<v1::AvailableCommand> {
    let name = offered["name"].as_str()?;
    if HIDDEN.contains(&name) || name.starts_with("__") {
        return None;
    }
    // `server:prompt (MCP)`, which nobody can type.
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

/// Whether the CLI says that it has nothing to log in with. One that says nothing may have.
pub fn is_logged_out(offered: &Value) -> bool {
    let account = &offered["account"];
    let has = |name: &str| !account[name].is_null() && account[name] != "none";
    account["apiProvider"] == "firstParty"
        && account["tokenSource"] == "none"
        && !has("apiKeySource")
        && !has("subscriptionType")
}

/// Whether the answers come fast, where they can. That nobody has asked for it yet is no hindrance.
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

/// Not the name of an option, but of a choice that has to be allowed at the start of the CLI.
pub const BYPASS: &str = "bypassPermissions";
/// The option for the permission mode.
pub const MODE: &str = "mode";
const MODEL: &str = "model";
const EFFORT: &str = "effort";
const FAST: &str = "fast";
const STATES: [(&str, &str); 2] = [("off", "Off"), ("on", "On")];

/// Its name for programs, its name for people, what it is.
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
