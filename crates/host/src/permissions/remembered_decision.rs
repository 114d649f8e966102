//! Decisions that are remembered, and what each of them covers.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use attache_disk::private::identity;
use attache_schema::v1;
use attache_text::secret::mask_words;
use serde::{Deserialize, Serialize};

use super::command::pattern::CommandPattern;
use super::denied_action::DeniedAction;
use super::facts::ActionFacts;
use super::path_pattern::PathPattern;
use super::resolved_files::ResolvedFiles;
use super::rules::{Rule, Rules, is_about_files};
use super::{Action, Decision, Reason, Scope};

/// A decision of the user that is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RememberedDecision {
    /// The id, for [`Permissions::revoke`](super::Permissions::revoke).
    pub id: String,
    /// The agent that the decision is about.
    pub agent: String,
    /// The workspace that the decision covers; `None` for every workspace.
    pub workspace: Option<WorkspaceId>,
    /// The session that the decision covers; `None` for every session.
    pub session: Option<String>,
    /// The kind of tool.
    pub kind: String,
    /// The name of the tool, where the agent gave one.
    pub tool: Option<String>,
    /// The actions that the decision covers.
    #[serde(rename = "what")]
    pub subject: DecisionSubject,
    /// The actions that the decision covers, in words for the user.
    #[serde(rename = "shown")]
    pub summary: String,
    /// Whether the decision allows the actions.
    pub is_allowed: bool,
    /// The scope of the decision.
    pub scope: Scope,
    /// When the user decided, in seconds since 1970.
    #[serde(rename = "decided")]
    pub decided_at: u64,
    /// When the decision expires, in seconds since 1970; `None` if it lasts as long as its scope.
    pub expires: Option<u64>,
    /// For a denial: the command or files, denied under every kind and name of tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denied: Option<DeniedAction>,
}

/// The actions that a remembered decision covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecisionSubject {
    /// Exactly the action that was decided on, by its digest.
    Exactly(String),
    /// Commands that fit a pattern the user chose.
    Commands(String),
    /// Files that fit a pattern the user chose.
    Files(String),
}

/// A pattern that the user chose instead of exactly one action.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ActionPattern {
    /// Commands that begin with the same words.
    Commands(CommandPattern),
    /// Files.
    Files(PathPattern),
}

/// The identity of a workspace directory. It stays the same when the directory is reached by another path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct WorkspaceId {
    /// The path of the directory when it was last seen.
    pub path: PathBuf,
    device: u64,
    inode: u64,
    /// When the directory was created, if the file system records that: inode numbers are reused.
    born: Option<u64>,
}

impl WorkspaceId {
    /// Identifies the directory that is at a path now.
    pub(super) fn at(path: &Path) -> WorkspaceId {
        let metadata = path.metadata().ok();
        let metadata = metadata.as_ref();
        let born = metadata.and_then(|metadata| metadata.created().ok());
        let born = born.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (device, inode) = metadata.map_or((0, 0), identity);
        WorkspaceId {
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            device,
            inode,
            born: born.and_then(|time| u64::try_from(time.as_nanos()).ok()),
        }
    }

    pub(super) fn is(&self, other: &WorkspaceId) -> bool {
        let is_same =
            (self.device, self.inode, self.born) == (other.device, other.inode, other.born);
        is_same && (self.born.is_some() || self.path == other.path)
    }
}

impl RememberedDecision {
    pub(super) fn new(
        action: &Action,
        decision: &Decision,
        subject: DecisionSubject,
        now: SystemTime,
    ) -> RememberedDecision {
        let session =
            (decision.scope == Scope::Session).then(|| action.session.as_str().to_owned());
        let workspace =
            (decision.scope != Scope::Always).then(|| WorkspaceId::at(&action.workspace));
        let mut remembered = RememberedDecision {
            id: String::new(),
            agent: action.agent.clone(),
            workspace,
            session,
            kind: action.kind.as_str().to_owned(),
            tool: action.tool.clone(),
            summary: summary(action, &subject),
            subject,
            is_allowed: decision.is_allowed,
            scope: decision.scope,
            decided_at: seconds(now),
            expires: decision.expires.map(seconds),
            denied: DeniedAction::of(action).filter(|_| !decision.is_allowed),
        };
        remembered.id = remembered.new_id(now);
        remembered
    }

    /// Why the decision allows less than it did in earlier versions, and what to do about it.
    pub fn problem(&self) -> Option<&'static str> {
        let kind = v1::ToolKind::from(self.kind.as_str());
        match &self.subject {
            _ if !self.is_allowed => None,
            DecisionSubject::Files(_) if !is_about_files(&kind) => Some(
                "covers nothing any more: a pattern of files covers only tools that name the files they touch; revoke it",
            ),
            DecisionSubject::Commands(text) => CommandPattern::parse(text)
                .ok()
                .filter(CommandPattern::covers_nothing)
                .map(|_| "covers nothing: this program runs others; revoke it and name those"),
            DecisionSubject::Files(_) | DecisionSubject::Exactly(_) => None,
        }
    }

    /// The decision as the reason of a verdict.
    pub(super) fn reason(&self) -> Reason {
        Reason::new(format!("remembered decision {} ({})", self.id, self.scope))
    }

    /// Whether the decision applies to an action at this time.
    pub(super) fn applies_to(
        &self,
        facts: &ActionFacts<'_>,
        workspace: &WorkspaceId,
        now: u64,
    ) -> bool {
        let action = facts.action;
        self.agent == action.agent
            && self.expires.is_none_or(|expires| now < expires)
            && !self.is_from_the_future(now)
            && self
                .session
                .as_deref()
                .is_none_or(|session| session == action.session.as_str())
            && self
                .workspace
                .as_ref()
                .is_none_or(|known| known.is(workspace))
            && (self.covers(facts) || self.still_denies(facts))
    }

    /// Whether the decision covers the same actions as another decision, and so replaces it.
    pub(super) fn replaces(&self, other: &RememberedDecision) -> bool {
        let key = |it: &RememberedDecision| {
            (
                it.agent.clone(),
                it.session.clone(),
                it.kind.clone(),
                it.tool.clone(),
                it.subject.clone(),
            )
        };
        let is_there = match (&self.workspace, &other.workspace) {
            (Some(own), Some(other)) => own.is(other),
            (own, other) => own.is_none() && other.is_none(),
        };
        key(self) == key(other) && self.scope == other.scope && is_there
    }

    pub(super) fn has_expired(&self, now: u64) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether the clock was set back, which would make a permission that expires last longer than the user wanted.
    fn is_from_the_future(&self, now: u64) -> bool {
        let is_limited = self.is_allowed && self.expires.is_some();
        is_limited && now.saturating_add(CLOCK_STEPS) < self.decided_at
    }

    /// Whether the decision denies the same command or the same files, even if the agent gives the tool another name.
    fn still_denies(&self, facts: &ActionFacts<'_>) -> bool {
        let denied = self.denied.as_ref();
        !self.is_allowed && denied.is_some_and(|denied| denied.covers(facts))
    }

    /// Whether the action is among those covered. To be allowed by a pattern, all of it has to be understood; to be
    /// denied, only a part.
    fn covers(&self, facts: &ActionFacts<'_>) -> bool {
        let action = facts.action;
        let is_tool = self.kind == action.kind.as_str() && self.tool == action.tool;
        let mut rule = Rule::named(self.id.clone());
        match &self.subject {
            DecisionSubject::Exactly(digest) => {
                return is_tool && *digest == bound(action, facts.on_disk());
            }
            DecisionSubject::Commands(text) => rule.commands.extend(CommandPattern::parse(text)),
            DecisionSubject::Files(text) => rule.paths.extend(PathPattern::parse(text)),
        }
        if rule.commands.is_empty() && rule.paths.is_empty() {
            return false;
        }
        let mut rules = Rules::default();
        rules.add(rule);
        match self.is_allowed {
            true => is_tool && rules.allowing(facts).is_some(),
            false => {
                let is_about = |denied: &DeniedAction| denied.is_about(action);
                (is_tool || self.denied.as_ref().is_some_and(is_about))
                    && rules.catching(facts).is_some()
            }
        }
    }

    fn new_id(&self, now: SystemTime) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        let nanos = now
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_nanos();
        let hash = blake3::hash(format!("{nanos} {text}").as_bytes());
        hash.to_hex()[..ID_LENGTH].to_owned()
    }
}

/// The digest that a decision is bound to. A decision on a class of actions is about no file.
pub(super) fn bound(action: &Action, files: &ResolvedFiles) -> String {
    let subject = action.subject.to_string();
    match action.is_class {
        true => subject,
        false => files.bind(&subject),
    }
}

pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

impl From<&ActionPattern> for DecisionSubject {
    fn from(pattern: &ActionPattern) -> DecisionSubject {
        match pattern {
            ActionPattern::Commands(pattern) => DecisionSubject::Commands(pattern.to_string()),
            ActionPattern::Files(pattern) => DecisionSubject::Files(pattern.to_string()),
        }
    }
}

fn summary(action: &Action, subject: &DecisionSubject) -> String {
    let text = match subject {
        DecisionSubject::Commands(text) | DecisionSubject::Files(text) => text.clone(),
        DecisionSubject::Exactly(_) => match (&action.command, action.paths.as_slice()) {
            (Some(words), _) => mask_words(words).join(" "),
            (None, []) => mask_words(std::slice::from_ref(&action.title)).join(" "),
            (None, paths) => {
                let paths = paths.iter().map(|path| path.to_string_lossy());
                paths.collect::<Vec<_>>().join(" ")
            }
        },
    };
    match text.char_indices().nth(MAX_SUMMARY) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Clocks are corrected by seconds all the time.
const CLOCK_STEPS: u64 = 60;
const ID_LENGTH: usize = 8;
const MAX_SUMMARY: usize = 200;
