//! The words in which permissions are spoken of.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::Policy;

/// What rules, remembered decisions and the preset say about an action.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The agent may do it.
    Allow(Reason),
    /// The agent may not do it.
    Deny(Reason),
    /// The user decides.
    Ask,
}

/// Why a verdict is what it is, for the user and for the audit log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    text: String,
    is_grant: bool,
}

impl Reason {
    /// A reason in words.
    pub fn new(text: impl Into<String>) -> Reason {
        Reason {
            text: text.into(),
            is_grant: false,
        }
    }

    /// The action was allowed before in this turn, and that [`Grant`](super::Grant) is used now.
    pub(super) fn used_grant() -> Reason {
        Reason {
            text: "allowed before in this turn".to_owned(),
            is_grant: true,
        }
    }

    /// Whether the action is allowed by a [`Grant`](super::Grant) that was used for it.
    pub fn is_grant(&self) -> bool {
        self.is_grant
    }

    /// The reason in words.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// How long and where a decision holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This question only.
    Once,
    /// Until the session ends.
    Session,
    /// In this workspace, also later.
    Workspace,
    /// Everywhere, with this agent.
    Always,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Scope::Once => "once",
            Scope::Session => "session",
            Scope::Workspace => "workspace",
            Scope::Always => "always",
        })
    }
}

/// What a person has decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Whether it may be done.
    pub is_allowed: bool,
    /// Where it holds.
    pub scope: Scope,
    /// How long it holds; `None` is for as long as the scope does.
    pub expires: Option<SystemTime>,
}

/// What happens with questions that no rule and no decision answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Reading is allowed, a person is asked about the rest.
    Ask,
    /// Reading is allowed, the rest is denied. Nobody is asked.
    ApproveReads,
    /// Everything is allowed that no rule denies. Nobody is asked.
    ApproveAll,
    /// Everything is denied. Nobody is asked, and neither rules nor decisions allow anything.
    DenyAll,
}

impl Preset {
    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Ask => "ask",
            Preset::ApproveReads => "approve-reads",
            Preset::ApproveAll => "approve-all",
            Preset::DenyAll => "deny-all",
        }
    }
}

/// What is enforced when an agent acts, beside the verdict on what it says it will do. Nothing by default: then an
/// action that cannot be decided before is asked about, or denied where nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Enforcement {
    /// Rules on commands are enforced at every exec of the agent and of everything that it starts.
    pub commands: bool,
    /// Rules that deny paths are enforced by the kernel for the agent and for everything that it starts. Of a rule with a
    /// wildcard that is true for the files that match at the start, so that such a rule stays in doubt.
    pub paths: bool,
}

/// What permissions are made of.
#[derive(Clone)]
#[non_exhaustive]
pub struct PermissionConfig {
    /// What happens with questions that nothing else answers.
    pub preset: Preset,
    /// What the preset comes from, for people; its flag unless told.
    pub preset_source: String,
    /// Whether a user can be asked. Only with [`Preset::Ask`] unless told.
    pub is_attended: bool,
    /// The file of decisions, outside every workspace; without it they are forgotten when the program ends.
    pub store: Option<PathBuf>,
    /// Rules that a person has written down.
    pub policy: Option<Policy>,
    /// What is enforced beside the verdict, until [`Permissions::enforce`](super::Permissions::enforce) says otherwise.
    pub enforcement: Enforcement,
    pub(super) clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

impl PermissionConfig {
    /// Only a preset: no rules, nothing remembered.
    pub fn new(preset: Preset) -> PermissionConfig {
        PermissionConfig {
            preset,
            preset_source: format!("--{}", preset.name()),
            is_attended: preset == Preset::Ask,
            store: None,
            policy: None,
            enforcement: Enforcement::default(),
            clock: Arc::new(SystemTime::now),
        }
    }

    /// Whether an action that needs an answer is shown to a user. With [`Preset::DenyAll`] it is denied.
    pub(super) fn can_ask(&self) -> bool {
        self.is_attended && self.preset != Preset::DenyAll
    }

    /// With another clock to see whether decisions have expired.
    #[must_use]
    pub fn clock(
        mut self,
        clock: impl Fn() -> SystemTime + Send + Sync + 'static,
    ) -> PermissionConfig {
        self.clock = Arc::new(clock);
        self
    }
}

impl fmt::Debug for PermissionConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermissionConfig")
            .field("preset", &self.preset)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// Something that a person should know: what was remembered could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreWarning(pub String);

impl fmt::Display for StoreWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
