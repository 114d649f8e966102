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
    /// Whether everything may be allowed.
    pub bypass: bool,
    models: Vec<Model>,
    commands: Vec<v1::AvailableCommand>,
}

#[derive(Debug, Clone, PartialEq)]
struct Model {
    value: String,
    name: String,
    description: String,
    efforts: Vec<String>,
}

impl Settings {
    /// From the answers to `initialize` and `get_settings`.
    pub fn of(offered: &Value, applied: &Value, bypass: bool) -> Settings {
        let applied = &applied["applied"];
        let models = list(&offered["models"]).map(Model::of).collect::<Vec<_>>();
        let model = applied["model"].as_str();
        let named = list(&offered["models"]).find(|it| it["resolvedModel"].as_str() == model);
        let model = named.and_then(|it| it["value"].as_str()).or(model);
        Settings {
            version: text(&offered["claude_code_version"]),
            mode: offered["current_permission_mode"]
                .as_str()
                .unwrap_or("default")
                .to_owned(),
            model: model.unwrap_or("default").to_owned(),
            effort: applied["effort"].as_str().map(str::to_owned),
            bypass,
            models,
            commands: commands(&offered["commands"]).available_commands,
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
        let models = self.models.iter().map(|model| {
            v1::SessionConfigSelectOption::new(model.value.as_str(), model.name.as_str())
                .description(model.description.as_str())
        });
        let mut models: Vec<_> = models.collect();
        if !models
            .iter()
            .any(|model| model.value.as_str() == self.model)
        {
            let own = v1::SessionConfigSelectOption::new(self.model.as_str(), self.model.as_str());
            models.push(own);
        }
        let model = select(MODEL, "Model", &self.model, models);
        options.push(model.category(v1::SessionConfigOptionCategory::Model));
        let has_level = |effort: &&String| self.efforts().any(|level| level == effort.as_str());
        if let Some(effort) = self.effort.as_ref().filter(has_level) {
            let levels = self.efforts();
            let levels = levels.map(|it| v1::SessionConfigSelectOption::new(it, it));
            let effort = select(EFFORT, "Effort", effort, levels.collect());
            options.push(effort.category(v1::SessionConfigOptionCategory::ThoughtLevel));
        }
        options
    }

    /// The request to the CLI that makes a choice; none if there is no such choice.
    pub fn choice(&self, option: &str, value: &str) -> Option<Value> {
        match option {
            MODE if self.has_mode(value) => Some(set_mode(value)),
            MODEL if self.models.iter().any(|model| model.value == value) => {
                Some(json!({ "subtype": "set_model", "model": value }))
            }
            EFFORT if self.efforts().any(|level| level == value) => {
                let settings = json!({ "effortLevel": value });
                Some(json!({ "subtype": "apply_flag_settings", "settings": settings }))
            }
            _ => None,
        }
    }

    /// What is chosen, by option.
    pub fn choices(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let effort = self.effort.as_deref().map(|effort| (EFFORT, effort));
        let chosen = [(MODE, self.mode.as_str()), (MODEL, self.model.as_str())];
        chosen.into_iter().chain(effort)
    }

    /// A choice has been made.
    pub fn chosen(&mut self, option: &str, value: &str) {
        match option {
            MODE => self.mode = value.to_owned(),
            MODEL => self.model = value.to_owned(),
            EFFORT => self.effort = Some(value.to_owned()),
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

    fn offered_modes(&self) -> impl Iterator<Item = ModeRow> {
        let bypass = self.bypass || self.mode == BYPASS;
        let modes = MODES.iter().copied();
        modes.filter(move |(id, ..)| *id != BYPASS || bypass)
    }

    fn efforts(&self) -> impl Iterator<Item = &str> {
        let model = self.models.iter().find(|model| model.value == self.model);
        let model = model.or(self.models.first());
        model
            .into_iter()
            .flat_map(|model| model.efforts.iter().map(String::as_str))
    }
}

/// The request to the CLI for another permission mode.
pub fn set_mode(mode: &str) -> Value {
    json!({ "subtype": "set_permission_mode", "mode": mode })
}

impl Model {
    fn of(model: &Value) -> Model {
        let efforts = list(&model["supportedEffortLevels"]);
        Model {
            value: text(&model["value"]),
            name: text(&model["displayName"]),
            description: text(&model["description"]),
            efforts: efforts
                .filter_map(|it| it.as_str().map(str::to_owned))
                .collect(),
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

/// Its name for programs, its name for people, what it is.
type ModeRow = (&'static str, &'static str, &'static str);

const MODES: &[ModeRow] = &[
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
        "Denies what is not allowed beforehand",
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
];
