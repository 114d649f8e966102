//! The definition of a check: its id, rule, severity and texts, and the condition under which it can be judged.

use std::fmt;
use std::str::FromStr;

use attache_schema::rules::{Level, Rule};

/// A behaviour that can be judged from the messages of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// The id, such as `agent.cancel.mid-text`. The word in the middle is the group.
    pub id: &'static str,
    /// The number of the protocol rule that the check comes from; `None` if the table of rules does not contain it.
    pub rule: Option<&'static str>,
    /// The severity.
    pub level: Level,
    /// The expected behaviour.
    pub text: &'static str,
    /// Advice for when the check fails.
    pub hint: &'static str,
    /// The condition under which the check can be judged.
    pub need: Need,
}

/// The condition under which a check can be judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// None: every conversation exercises the check.
    Nothing,
    /// The program advertises this capability.
    Capability(&'static str),
    /// The program does not advertise this capability.
    NoCapability(&'static str),
    /// A prompt of this kind is configured and has its effect.
    Prompt(PromptKind),
    /// This occurs in a conversation.
    Occurrence(&'static str),
    /// The command line makes the client do this.
    Command(&'static str),
}

/// The behaviour that a prompt triggers in the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PromptKind {
    /// Answer with text.
    Text,
    /// Answer with text that takes long enough to be cancelled.
    Long,
    /// Call a tool.
    ToolCall,
    /// Send a permission request.
    Permission,
    /// Send a plan.
    Plan,
    /// Read a file through the client.
    FsRead,
    /// Write a file through the client.
    FsWrite,
    /// Run a command in a terminal of the client.
    Terminal,
    /// Run a command that does not end by itself in a terminal of the client.
    LongTool,
    /// Send an elicitation.
    Elicitation,
}

impl Check {
    /// The group, such as `cancel`.
    pub fn group(&self) -> &'static str {
        self.id.split('.').nth(1).unwrap_or(self.id)
    }

    /// The protocol rule that the check comes from.
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

/// A check for behaviour of the official implementations that the protocol does not require.
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
    /// All kinds of prompts.
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

    /// The name on the command line.
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
