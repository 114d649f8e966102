//! A policy: rules that the user wrote, read from JSON. Errors name the place in the file.

mod document;
mod warnings;

use std::path::Path;

use attache_schema::v1;

use super::command::pattern::CommandPattern;
use super::path_pattern::PathPattern;
use super::rules::{Rule, Rules};
use crate::ownership::{self, ReadError};
pub use document::PolicyError;
use document::PolicyNode;
pub use warnings::PolicyWarning;

/// Rules that the user wrote.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    pub(super) deny: Rules,
    pub(super) ask: Rules,
    pub(super) allow: Rules,
    /// Rules that ask about what no rule allows.
    pub(super) escalate: Rules,
    pub(super) default: Option<RuleAction>,
}

/// The effect of a rule on the actions that it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleAction {
    /// The action is allowed.
    Allow,
    /// The user is asked. Without a user, the action is denied.
    Ask,
    /// The action is denied.
    Deny,
}

impl Policy {
    /// Reads a policy: JSON in which comments and trailing commas are allowed. `name` appears in errors.
    ///
    /// # Errors
    ///
    /// When the text is not a policy; the error says what is wrong, and where.
    pub fn parse(name: &str, text: &str) -> Result<Policy, PolicyError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = document::without_comments(text);
        let node = PolicyNode::document(name, &text);
        let mut policy = Policy::default();
        for (member, value) in node.members(MEMBERS)? {
            match &*member {
                "rules" => policy.add_rules(&value)?,
                "default" => policy.set_default(&value, ACTIONS)?,
                "defaultAction" => policy.set_default(&value, ACPX_ACTIONS)?,
                "autoDeny" => policy.deny.add_words(&value)?,
                "autoApprove" => policy.allow.add_words(&value)?,
                "escalate" => policy.escalate.add_words(&value)?,
                _ => {}
            }
        }
        Ok(policy)
    }

    /// Reads a policy file.
    ///
    /// # Errors
    ///
    /// When the file can't be read or is not a policy; the error says what is wrong, and where.
    pub fn load(path: &Path) -> Result<Policy, PolicyError> {
        let name = path.display().to_string();
        let text = ownership::read_text(path, MAX_FILE).map_err(|error| match error {
            ReadError::Io(error) => PolicyError::whole(&name, &format!("cannot be read: {error}")),
            ReadError::Refused(error) => PolicyError::whole(&name, error.why()),
        })?;
        Policy::parse(&name, &text)
    }

    /// Reads a policy from a command-line argument: either JSON or the name of a file.
    ///
    /// # Errors
    ///
    /// See [`load`](Policy::load).
    pub fn from_argument(argument: &str) -> Result<Policy, PolicyError> {
        match argument.trim_start().starts_with('{') {
            true => Policy::parse("--policy", argument),
            false => Policy::load(Path::new(argument)),
        }
    }

    /// This policy, with the rules of another one that deny or ask added. Rules of the other policy that allow are
    /// ignored. `name` is the other policy's name, for people.
    #[must_use]
    pub fn narrowed_by(mut self, other: Policy, name: &str) -> Policy {
        for (own, other) in [
            (&mut self.deny, other.deny),
            (&mut self.ask, other.ask),
            (&mut self.escalate, other.escalate),
        ] {
            for rule in other.iter() {
                own.add(Rule {
                    id: format!("{} of {name}", rule.id),
                    ..rule.clone()
                });
            }
        }
        self.default = match (self.default, other.default) {
            (Some(RuleAction::Deny), _) | (_, Some(RuleAction::Deny)) => Some(RuleAction::Deny),
            (Some(RuleAction::Ask), _) | (_, Some(RuleAction::Ask)) => Some(RuleAction::Ask),
            (own, Some(RuleAction::Allow) | None) => own,
        };
        self
    }

    /// How many rules allow something, counting a default.
    pub fn count_allowing(&self) -> usize {
        self.allow.iter().count() + usize::from(self.default == Some(RuleAction::Allow))
    }

    fn add_rules(&mut self, list: &PolicyNode<'_>) -> Result<(), PolicyError> {
        for node in list.items()? {
            let (action, rule) = rule(&node)?;
            match action {
                RuleAction::Allow => self.allow.add(rule),
                RuleAction::Ask => self.ask.add(rule),
                RuleAction::Deny => self.deny.add(rule),
            }
        }
        Ok(())
    }

    fn set_default(
        &mut self,
        node: &PolicyNode<'_>,
        actions: &[(&str, RuleAction)],
    ) -> Result<(), PolicyError> {
        if self.default.is_some() {
            return Err(
                node.error("there is a default already; keep one of `default` and `defaultAction`")
            );
        }
        self.default = Some(action(node, actions)?);
        Ok(())
    }
}

impl Rules {
    fn add_words(&mut self, list: &PolicyNode<'_>) -> Result<(), PolicyError> {
        for node in list.strings()? {
            let (word, place) = (node.string()?, node.field_path());
            self.add(Rule {
                words: vec![word.to_lowercase()],
                ..Rule::named(place)
            });
        }
        Ok(())
    }
}

fn rule(node: &PolicyNode<'_>) -> Result<(RuleAction, Rule), PolicyError> {
    let mut rule = Rule::named(node.field_path());
    let mut given = None;
    for (member, value) in node.members(RULE_MEMBERS)? {
        match &*member {
            "action" => given = Some(action(&value, ACTIONS)?),
            "id" => rule.id = value.string()?,
            "reason" => rule.reason = Some(value.string()?),
            "agent" => rule.agents = each(&value, |node| node.string())?,
            "kind" => rule.kinds = each(&value, kind)?,
            "tool" => rule.tools = each(&value, |node| node.string())?,
            "command" => rule.commands = each(&value, command)?,
            "path" => rule.paths = each(&value, path)?,
            _ => {}
        }
    }
    let Some(action) = given else {
        return Err(node.error("`action` is missing; use `allow`, `ask` or `deny`"));
    };
    let runs = rule.kinds.contains(&v1::ToolKind::Execute);
    if action == RuleAction::Allow && runs && !rule.paths.is_empty() && rule.commands.is_empty() {
        return Err(
            node.error("a path does not say what a command does; name the commands with `command`")
        );
    }
    Ok((action, rule))
}

/// One value or a list of them. An empty list is an error: it would look like a rule for everything.
fn each<T>(
    node: &PolicyNode<'_>,
    read: impl Fn(&PolicyNode<'_>) -> Result<T, PolicyError>,
) -> Result<Vec<T>, PolicyError> {
    let values = node.strings()?;
    if values.is_empty() {
        return Err(node.error("the list is empty; name something, or leave it out for everything"));
    }
    values.iter().map(read).collect()
}

fn action(
    node: &PolicyNode<'_>,
    actions: &[(&str, RuleAction)],
) -> Result<RuleAction, PolicyError> {
    let given = node.string()?;
    let names: Vec<&str> = actions.iter().map(|(name, _)| *name).collect();
    let found = actions.iter().find(|(name, _)| *name == given);
    found
        .map(|(_, action)| *action)
        .ok_or_else(|| node.no_such("action", &given, &names))
}

fn kind(node: &PolicyNode<'_>) -> Result<v1::ToolKind, PolicyError> {
    let given = node.string()?;
    let kind = v1::ToolKind::from(given.as_str());
    match kind.is_known() {
        true => Ok(kind),
        false => Err(node.no_such("tool kind", &given, v1::ToolKind::KNOWN)),
    }
}

fn command(node: &PolicyNode<'_>) -> Result<CommandPattern, PolicyError> {
    CommandPattern::parse(&node.string()?).map_err(|problem| node.error(&problem))
}

fn path(node: &PolicyNode<'_>) -> Result<PathPattern, PolicyError> {
    PathPattern::parse(&node.string()?).map_err(|problem| node.error(&problem))
}

const MAX_FILE: u64 = 64 * 1024 * 1024;
const MEMBERS: &[&str] = &[
    "rules",
    "default",
    "autoDeny",
    "autoApprove",
    "escalate",
    "defaultAction",
    "version",
    "$schema",
];
const RULE_MEMBERS: &[&str] = &[
    "action", "id", "reason", "agent", "kind", "tool", "command", "path",
];
const ACTIONS: &[(&str, RuleAction)] = &[
    ("allow", RuleAction::Allow),
    ("ask", RuleAction::Ask),
    ("deny", RuleAction::Deny),
];
const ACPX_ACTIONS: &[(&str, RuleAction)] = &[
    ("approve", RuleAction::Allow),
    ("escalate", RuleAction::Ask),
    ("deny", RuleAction::Deny),
];
