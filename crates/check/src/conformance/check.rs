//! A check as data.

use std::fmt;
use std::str::FromStr;

use attache_schema::rules::{Level, Rule};

/// Something that can be seen from outside and is right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// Its name, such as `agent.cancel.mid-text`. The word in the middle is its group.
    pub id: &'static str,
    /// The number of the rule it comes from, for those that the table of rules has.
    pub rule: Option<&'static str>,
    /// How much it weighs.
    pub level: Level,
    /// What must be seen.
    pub text: &'static str,
    /// What to do when it is not.
    pub hint: &'static str,
    /// What it takes to be seen at all.
    pub need: Need,
}

/// What it takes to exercise a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Nothing but the conversation.
    Nothing,
    /// That this is advertised.
    Capability(&'static str),
    /// That this is not advertised.
    NoCapability(&'static str),
    /// A prompt that makes the agent do this.
    Prompt(PromptKind),
    /// That this occurs.
    Occurrence(&'static str),
    /// A command line that makes the client do this.
    Command(&'static str),
}

/// What a prompt is to make the agent do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PromptKind {
    /// Say something.
    Text,
    /// Say something that takes long, so that it can be cancelled.
    Long,
    /// Use a tool.
    ToolCall,
    /// Ask for permission.
    Permission,
    /// Make a plan.
    Plan,
    /// Read a file through the client.
    FsRead,
    /// Write a file through the client.
    FsWrite,
    /// Run a command in a terminal of the client.
    Terminal,
    /// Run a command that does not end by itself in a terminal of the client.
    LongTool,
    /// Ask the person something.
    Elicitation,
}

impl Check {
    /// The group, such as `cancel`.
    pub fn group(&self) -> &'static str {
        self.id.split('.').nth(1).unwrap_or(self.id)
    }

    /// The rule it comes from.
    pub fn rule(&self) -> Option<&'static Rule> {
        Rule::find(self.rule?)
    }

    pub(crate) const fn needs(mut self, need: Need) -> Check {
        self.need = need;
        self
    }

    pub(crate) const fn when_prompted(self, kind: PromptKind) -> Check {
        self.needs(Need::Prompt(kind))
    }

    pub(crate) const fn when_advertised(self, capability: &'static str) -> Check {
        self.needs(Need::Capability(capability))
    }

    pub(crate) const fn when_seen(self, what: &'static str) -> Check {
        self.needs(Need::Occurrence(what))
    }
}

pub(crate) const fn must(
    id: &'static str,
    rule: &'static str,
    text: &'static str,
    hint: &'static str,
) -> Check {
    check(id, rule, Level::Must, text, hint)
}

pub(crate) const fn should(
    id: &'static str,
    rule: &'static str,
    text: &'static str,
    hint: &'static str,
) -> Check {
    check(id, rule, Level::Should, text, hint)
}

/// What the official implementations do, without a word of duty.
pub(crate) const fn observed(
    id: &'static str,
    rule: &'static str,
    text: &'static str,
    hint: &'static str,
) -> Check {
    check(id, rule, Level::Observed, text, hint)
}

const fn check(
    id: &'static str,
    rule: &'static str,
    level: Level,
    text: &'static str,
    hint: &'static str,
) -> Check {
    let rule = if rule.is_empty() { None } else { Some(rule) };
    Check {
        id,
        rule,
        level,
        text,
        hint,
        need: Need::Nothing,
    }
}

impl PromptKind {
    /// All of them.
    pub const ALL: [PromptKind; 10] = [
        PromptKind::Text,
        PromptKind::Long,
        PromptKind::ToolCall,
        PromptKind::Permission,
        PromptKind::Plan,
        PromptKind::FsRead,
        PromptKind::FsWrite,
        PromptKind::Terminal,
        PromptKind::LongTool,
        PromptKind::Elicitation,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            PromptKind::Text => "text",
            PromptKind::Long => "long",
            PromptKind::ToolCall => "tool-call",
            PromptKind::Permission => "permission",
            PromptKind::Plan => "plan",
            PromptKind::FsRead => "fs-read",
            PromptKind::FsWrite => "fs-write",
            PromptKind::Terminal => "terminal",
            PromptKind::LongTool => "long-tool",
            PromptKind::Elicitation => "elicitation",
        }
    }
}

impl FromStr for PromptKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = PromptKind::ALL.into_iter().find(|kind| kind.name() == text);
        found.ok_or_else(|| {
            let names: Vec<_> = PromptKind::ALL.iter().map(|kind| kind.name()).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Need::Nothing => f.write_str("the conversation ended before this check"),
            Need::Capability(name) => write!(f, "{name} is not advertised"),
            Need::NoCapability(name) => write!(f, "{name} is advertised"),
            Need::Prompt(kind) => {
                let name = kind.name();
                write!(f, "not seen; use --prompt-for {name}=\"…\" to provoke it")
            }
            Need::Occurrence(what) => write!(f, "{what} did not occur"),
            Need::Command(name) => {
                write!(
                    f,
                    "no command makes the client do it; use --command-for {name}=\"…\""
                )
            }
        }
    }
}
