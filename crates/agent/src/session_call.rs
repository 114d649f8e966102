//! Tools that affect only the session: plan, think, ask and mode; and reading a resource of an MCP server.

use attache::v1;
use attache_model::ToolSpec;
use serde::Deserialize;
use serde_json::json;

use crate::modes::Mode;

/// A call of a tool that affects only the session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SessionCall {
    Plan(Vec<v1::PlanEntry>),
    Think(String),
    Ask {
        question: String,
        options: Vec<String>,
    },
    Mode {
        mode: Mode,
        reason: String,
    },
    /// Reads a resource of an MCP server, by its URI.
    Resource(String),
}

/// The specifications of these tools for the model.
pub(crate) fn specs() -> [ToolSpec; 4] {
    [plan_spec(), think_spec(), ask_spec(), mode_spec()]
}

/// The specification of the tool that reads resources, if MCP servers have any.
pub(crate) fn resource_spec(resources: &[v1::ResourceLink]) -> Option<ToolSpec> {
    if resources.is_empty() {
        return None;
    }
    let listed = resources.iter().take(MOST_LISTED);
    let listed: Vec<_> = listed
        .map(|link| format!("{} <{}>", link.name, link.uri))
        .collect();
    let description = format!(
        "Reads a resource of an MCP server by its address. There are: {}",
        listed.join("; ")
    );
    Some(one_text(RESOURCE, &description, "uri"))
}

/// Parses a call. `None` if the name is not one of these tools. The error is for the model.
pub(crate) fn parse(name: &str, input: &str) -> Option<Result<SessionCall, String>> {
    Some(match name {
        PLAN => read(input).and_then(|PlanInput { entries }| plan(entries)),
        THINK => read(input).map(|ThinkInput { thought }| SessionCall::Think(thought)),
        ASK => read(input).and_then(|AskInput { question, options }| match question.trim() {
            "" => Err("`question` is empty".to_owned()),
            _ => Ok(SessionCall::Ask { question, options }),
        }),
        MODE => read(input).and_then(|ModeInput { mode, reason }| match Mode::find(&mode) {
            Some(mode) => Ok(SessionCall::Mode { mode, reason }),
            None => Err("`mode` is one of ask, code, architect".to_owned()),
        }),
        RESOURCE => read(input).and_then(|ResourceInput { uri }| match uri.trim() {
            "" => Err("`uri` is empty".to_owned()),
            _ => Ok(SessionCall::Resource(uri)),
        }),
        _ => return None,
    })
}

/// The kind of a tool, if it is one of these.
pub(crate) fn kind_of(name: &str) -> Option<v1::ToolKind> {
    match name {
        PLAN | THINK => Some(v1::ToolKind::Think),
        ASK => Some(v1::ToolKind::Other),
        MODE => Some(v1::ToolKind::SwitchMode),
        RESOURCE => Some(v1::ToolKind::Other),
        _ => None,
    }
}

impl SessionCall {
    pub(crate) fn title(&self) -> String {
        match self {
            SessionCall::Plan(entries) => {
                let done = |entry: &&v1::PlanEntry| entry.status == v1::PlanEntryStatus::Completed;
                format!(
                    "Plan: {} of {} done",
                    entries.iter().filter(done).count(),
                    entries.len()
                )
            }
            SessionCall::Think(_) => "Think".to_owned(),
            SessionCall::Ask { .. } => "Ask a question".to_owned(),
            SessionCall::Mode { mode, .. } => format!("Switch to {} mode", mode.name()),
            SessionCall::Resource(uri) => format!("Read {uri}"),
        }
    }
}

fn read<'a, T: Deserialize<'a>>(input: &'a str) -> Result<T, String> {
    let input = if input.trim().is_empty() { "{}" } else { input };
    serde_json::from_str(input).map_err(|fault| match fault.classify() {
        // serde's own message would repeat what the model wrote.
        serde_json::error::Category::Data => format!(
            "the input does not fit the tool's schema (line {}, column {})",
            fault.line(),
            fault.column()
        ),
        _ => format!(
            "the input is not valid JSON (line {}, column {})",
            fault.line(),
            fault.column()
        ),
    })
}

fn plan(entries: Vec<PlanEntryInput>) -> Result<SessionCall, String> {
    if entries.len() > MOST_ENTRIES {
        return Err(format!("a plan has at most {MOST_ENTRIES} entries"));
    }
    let entries = entries.into_iter().map(|entry| {
        v1::PlanEntry::new(
            entry.content,
            v1::PlanEntryPriority::from(entry.priority),
            v1::PlanEntryStatus::from(entry.status),
        )
    });
    Ok(SessionCall::Plan(entries.collect()))
}

#[derive(Deserialize)]
struct PlanInput {
    entries: Vec<PlanEntryInput>,
}

#[derive(Deserialize)]
struct PlanEntryInput {
    content: String,
    #[serde(default)]
    status: PlanStatusInput,
    #[serde(default)]
    priority: PlanPriorityInput,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum PlanStatusInput {
    #[default]
    Pending,
    InProgress,
    Completed,
}

impl From<PlanStatusInput> for v1::PlanEntryStatus {
    fn from(status: PlanStatusInput) -> Self {
        match status {
            PlanStatusInput::Pending => v1::PlanEntryStatus::Pending,
            PlanStatusInput::InProgress => v1::PlanEntryStatus::InProgress,
            PlanStatusInput::Completed => v1::PlanEntryStatus::Completed,
        }
    }
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "snake_case")]
enum PlanPriorityInput {
    High,
    #[default]
    Medium,
    Low,
}

impl From<PlanPriorityInput> for v1::PlanEntryPriority {
    fn from(priority: PlanPriorityInput) -> Self {
        match priority {
            PlanPriorityInput::High => v1::PlanEntryPriority::High,
            PlanPriorityInput::Medium => v1::PlanEntryPriority::Medium,
            PlanPriorityInput::Low => v1::PlanEntryPriority::Low,
        }
    }
}

#[derive(Deserialize)]
struct ThinkInput {
    #[serde(default)]
    thought: String,
}

#[derive(Deserialize)]
struct AskInput {
    question: String,
    #[serde(default)]
    options: Vec<String>,
}

#[derive(Deserialize)]
struct ResourceInput {
    uri: String,
}

#[derive(Deserialize)]
struct ModeInput {
    mode: String,
    #[serde(default)]
    reason: String,
}

fn plan_spec() -> ToolSpec {
    ToolSpec {
        name: PLAN.to_owned(),
        description: "Shows the user the plan and its progress. Always send the whole plan: it replaces the previous one.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "entries": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "content": { "type": "string", "description": "The step, in a few words" },
                            "status": { "enum": ["pending", "in_progress", "completed"] },
                            "priority": { "enum": ["high", "medium", "low"] }
                        },
                        "required": ["content", "status"]
                    }
                }
            },
            "required": ["entries"],
            "additionalProperties": false
        }),
    }
}

fn think_spec() -> ToolSpec {
    one_text(
        THINK,
        "Writes down a thought. It changes nothing and finds nothing out; use it to think about what the tools returned.",
        "thought",
    )
}

fn ask_spec() -> ToolSpec {
    ToolSpec {
        name: ASK.to_owned(),
        description: "Asks the user something that only they can decide, and waits for the answer. Never ask for secrets.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "question": { "type": "string" },
                "options": { "type": "array", "items": { "type": "string" }, "description": "Answers to choose from; leave out for a free answer" }
            },
            "required": ["question"],
            "additionalProperties": false
        }),
    }
}

fn mode_spec() -> ToolSpec {
    ToolSpec {
        name: MODE.to_owned(),
        description: "Asks to work in another mode: `architect` looks and plans only, `ask` asks before each change, `code` changes files at once.".to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "mode": { "enum": ["ask", "code", "architect"] },
                "reason": { "type": "string", "description": "Shown to the user; when a plan is ready, the plan in Markdown" }
            },
            "required": ["mode"],
            "additionalProperties": false
        }),
    }
}

fn one_text(name: &str, description: &str, member: &str) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        schema: json!({
            "type": "object",
            "properties": { member: { "type": "string" } },
            "required": [member],
            "additionalProperties": false
        }),
    }
}

const PLAN: &str = "plan";
const THINK: &str = "think";
const ASK: &str = "ask";
const MODE: &str = "mode";
const RESOURCE: &str = "resource";
const MOST_ENTRIES: usize = 200;
const MOST_LISTED: usize = 50;
