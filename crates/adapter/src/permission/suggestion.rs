//! Decides which lasting permissions that the CLI suggests (`permission_suggestions`) are offered, and names them.
//!
//! A suggestion is offered only if every part of it is understood, so that its name describes its whole effect. The
//! response to the CLI contains exactly what was shown, not the original suggestion.

use attache_text::plain::visible;
use serde_json::{Value, json};

use crate::frames::CanUseTool;

/// A suggestion that can be offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suggestion {
    change: Change,
    destination: Destination,
}

/// The CLI's suggestions: those to offer to the user, and those that cannot be shown.
#[derive(Debug, Default)]
pub(super) struct Suggestions {
    /// In the CLI's order, without repetitions.
    pub(super) offered: Vec<Suggestion>,
    /// Number of grants that are not offered because their text is too long or because there are too many.
    pub(super) hidden: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Change {
    Rules(Vec<Rule>),
    Directories(Vec<String>),
    Mode(Mode),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    tool: String,
    content: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Destination {
    Session,
    LocalSettings,
    ProjectSettings,
    UserSettings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    AcceptEdits,
    Auto,
    Default,
    DontAsk,
    Plan,
}

impl Suggestions {
    /// The lasting permissions to offer, all of which the CLI suggests.
    pub(super) fn of(question: &CanUseTool) -> Suggestions {
        let mut sorted = Suggestions::default();
        if question.once_only || question.needs_user {
            return sorted;
        }
        for suggestion in question.suggestions.iter().filter_map(Suggestion::read) {
            if sorted.offered.contains(&suggestion) {
                continue;
            }
            let fits = sorted.offered.len() < MAX_OFFERED && suggestion.length() <= MAX_NAME;
            match fits {
                true => sorted.offered.push(suggestion),
                false => sorted.hidden += 1,
            }
        }
        sorted
    }
}

impl Suggestion {
    /// Reads a suggestion; `None` if it allows nothing, or if any part of it is unknown.
    fn read(suggestion: &Value) -> Option<Suggestion> {
        let (change, members) = match suggestion["type"].as_str()? {
            "addRules" if suggestion["behavior"] == "allow" => (
                Change::Rules(all(&suggestion["rules"], Rule::read)?),
                &["rules", "behavior"][..],
            ),
            "addDirectories" => (
                Change::Directories(all(&suggestion["directories"], words)?),
                &["directories"][..],
            ),
            "setMode" => (
                Change::Mode(Mode::read(suggestion["mode"].as_str()?)?),
                &["mode"][..],
            ),
            _ => return None,
        };
        if !has_only(suggestion, &[members, &["type", "destination"]].concat()) {
            return None;
        }
        let destination = Destination::read(suggestion["destination"].as_str()?)?;
        Some(Suggestion {
            change,
            destination,
        })
    }

    /// The suggestion as the CLI reads it.
    pub(super) fn to_update(&self) -> Value {
        let destination = self.destination.id();
        match &self.change {
            Change::Rules(rules) => {
                let rules: Vec<Value> = rules.iter().map(Rule::to_value).collect();
                json!({ "type": "addRules", "rules": rules, "behavior": "allow", "destination": destination })
            }
            Change::Directories(directories) => {
                json!({ "type": "addDirectories", "directories": directories, "destination": destination })
            }
            Change::Mode(mode) => {
                json!({ "type": "setMode", "mode": mode.id(), "destination": destination })
            }
        }
    }

    /// The name of the option: the effect of choosing it, and where the CLI stores it.
    pub(super) fn name(&self) -> String {
        let place = self.destination.words();
        match &self.change {
            Change::Rules(rules) => {
                let rules: Vec<String> = rules.iter().map(Rule::name).collect();
                format!("Always allow {} {place}", rules.join(", "))
            }
            Change::Directories(directories) => {
                let directories: Vec<_> = directories.iter().map(|it| visible(it)).collect();
                format!("Let Claude work in {} {place}", directories.join(", "))
            }
            Change::Mode(mode) => format!("{} {place}", mode.words()),
        }
    }

    /// Bytes of text that came from the CLI.
    fn length(&self) -> usize {
        match &self.change {
            Change::Rules(rules) => rules.iter().map(Rule::length).sum(),
            Change::Directories(directories) => directories.iter().map(String::len).sum(),
            Change::Mode(_) => 0,
        }
    }
}

impl Rule {
    fn read(rule: &Value) -> Option<Rule> {
        if !has_only(rule, &["toolName", "ruleContent"]) {
            return None;
        }
        let content = match &rule["ruleContent"] {
            Value::Null => None,
            content => Some(content.as_str()?.to_owned()),
        };
        Some(Rule {
            tool: words(&rule["toolName"])?,
            content,
        })
    }

    fn to_value(&self) -> Value {
        match &self.content {
            Some(content) => json!({ "toolName": self.tool, "ruleContent": content }),
            None => json!({ "toolName": self.tool }),
        }
    }

    /// The rule as the CLI writes it. A rule with no or empty content covers every use of its tool, so the name says
    /// that.
    fn name(&self) -> String {
        let tool = visible(&self.tool);
        let content = self.content.as_ref();
        match content.filter(|content| !content.trim().is_empty()) {
            Some(content) => format!("{tool}({})", visible(content)),
            None => format!("{tool} (whatever it is given)"),
        }
    }

    fn length(&self) -> usize {
        self.tool.len() + self.content.as_ref().map_or(0, String::len)
    }
}

impl Destination {
    fn read(id: &str) -> Option<Destination> {
        use Destination::{LocalSettings, ProjectSettings, Session, UserSettings};
        let known = [Session, LocalSettings, ProjectSettings, UserSettings];
        known.into_iter().find(|it| it.id() == id)
    }

    fn id(self) -> &'static str {
        match self {
            Destination::Session => "session",
            Destination::LocalSettings => "localSettings",
            Destination::ProjectSettings => "projectSettings",
            Destination::UserSettings => "userSettings",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Destination::Session => "for this session",
            Destination::LocalSettings => {
                "in this project's local settings (.claude/settings.local.json)"
            }
            Destination::ProjectSettings => "in this project's settings (.claude/settings.json)",
            Destination::UserSettings => {
                "in your user settings, for every project (~/.claude/settings.json)"
            }
        }
    }
}

impl Mode {
    /// Leaves out `bypassPermissions` on purpose: users should choose it as a mode, not in a hurry.
    fn read(id: &str) -> Option<Mode> {
        use Mode::{AcceptEdits, Auto, Default, DontAsk, Plan};
        let known = [AcceptEdits, Auto, Default, DontAsk, Plan];
        known.into_iter().find(|it| it.id() == id)
    }

    fn id(self) -> &'static str {
        match self {
            Mode::AcceptEdits => "acceptEdits",
            Mode::Auto => "auto",
            Mode::Default => "default",
            Mode::DontAsk => "dontAsk",
            Mode::Plan => "plan",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Mode::AcceptEdits => "Accept all edits (mode acceptEdits)",
            Mode::Auto => "Let Claude decide when to ask (mode auto)",
            Mode::Default => "Ask before edits and commands (mode default)",
            Mode::DontAsk => {
                "Deny everything that is not allowed yet, without asking (mode dontAsk)"
            }
            Mode::Plan => "Plan only, change nothing (mode plan)",
        }
    }
}

/// Reads every item of a list; `None` if the list is empty or an item cannot be read.
fn all<T>(list: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    let list = list.as_array().filter(|list| !list.is_empty())?;
    list.iter().map(read).collect()
}

/// Whether a value is an object with only these members. An unknown member could change what the suggestion means.
fn has_only(value: &Value, members: &[&str]) -> bool {
    let object = value.as_object();
    object.is_some_and(|object| object.keys().all(|key| members.contains(&key.as_str())))
}

fn words(value: &Value) -> Option<String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty())?;
    Some(text.to_owned())
}

/// Clients look at the first 16 options; two of them are ours.
const MAX_OFFERED: usize = 12;
/// Longest text of a suggestion in bytes. A longer one is not offered, because no dialog could show all of it.
const MAX_NAME: usize = 2000;
