//! The vocabulary of permissions: a judge gives an [`Action`](super::Action) a [`Verdict`], and the user makes a
//! [`Decision`] with a [`Scope`].

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::Policy;

/// The result of judging an action by rules, remembered decisions and the preset.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// The action is allowed.
    Allow(Reason),
    /// The action is denied.
    Deny(Reason),
    /// The user decides.
    Ask,
}

/// The reason for a verdict, for the user and for the audit log.
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

/// The scope of a decision: where it applies, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This one request.
    Once,
    /// Until the session ends.
    Session,
    /// In this workspace, also in later sessions.
    Workspace,
    /// In every workspace, with this agent.
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

/// The user's decision on an action.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// Whether the action is allowed.
    pub is_allowed: bool,
    /// The scope of the decision.
    pub scope: Scope,
    /// When the decision expires; `None` if it lasts as long as its scope.
    pub expires: Option<SystemTime>,
}

/// When a remembered decision expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expiry {
    /// The decision lasts as long as its scope.
    #[default]
    Never,
    /// After this time the user is asked again.
    After(Duration),
}

/// The text is not a length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a duration such as `30m`, `8h` or `7d`, or `never`")]
#[non_exhaustive]
pub struct ExpiryError;

impl FromStr for Expiry {
    type Err = ExpiryError;

    fn from_str(text: &str) -> Result<Expiry, ExpiryError> {
        let text = text.trim();
        if text == "never" {
            return Ok(Expiry::Never);
        }
        let unit = text.chars().next_back().ok_or(ExpiryError)?;
        let (_, seconds) = UNITS
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or(ExpiryError)?;
        let count = &text[..text.len() - unit.len_utf8()];
        let count: u32 = count.parse().map_err(|_| ExpiryError)?;
        match Duration::from_secs(u64::from(count).saturating_mul(*seconds)) {
            Duration::ZERO => Err(ExpiryError),
            time if time > MAX_DURATION => Err(ExpiryError),
            time => Ok(Expiry::After(time)),
        }
    }
}

impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Expiry::After(time) = self else {
            return f.write_str("never");
        };
        let seconds = time.as_secs();
        let whole = |(_, unit): &&(char, u64)| seconds % unit == 0;
        match UNITS.iter().rev().find(whole) {
            Some((name, unit)) => write!(f, "{}{name}", seconds / unit),
            None => write!(f, "{seconds}s"),
        }
    }
}

/// The default verdicts, for actions that no rule and no remembered decision covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// Reading inside the workspace is allowed; the user is asked about everything else.
    Ask,
    /// Reading inside the workspace is allowed and everything else is denied. Nobody is asked.
    ApproveReads,
    /// Everything is allowed that no rule denies. Nobody is asked.
    ApproveAll,
    /// Everything is denied, whatever rules and decisions allow. Nobody is asked.
    DenyAll,
}

impl Preset {
    /// The name of the preset in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Ask => "ask",
            Preset::ApproveReads => "approve-reads",
            Preset::ApproveAll => "approve-all",
            Preset::DenyAll => "deny-all",
        }
    }
}

/// The rules that are enforced while an agent acts, in addition to the verdict on the action that it announces. None
/// are by default; the user is then asked about an action that can't be judged in advance, and it is denied where
/// nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Enforcement {
    /// Rules on commands are enforced whenever the agent, or anything it starts, executes a program.
    pub commands: bool,
    /// The kernel enforces rules that deny paths, for the agent and everything it starts. A rule with a wildcard covers
    /// only the files that match at the start, so such a rule stays uncertain.
    pub paths: bool,
}

/// The settings of [`Permissions`](super::Permissions).
#[derive(Clone)]
#[non_exhaustive]
pub struct PermissionConfig {
    /// The default verdicts, for actions that no rule and no remembered decision covers.
    pub preset: Preset,
    /// Where the preset comes from, for people. Its command-line flag by default.
    pub preset_source: String,
    /// Whether the user can be asked. By default only with [`Preset::Ask`].
    pub is_attended: bool,
    /// The file of decisions, outside every workspace. Without one, decisions are forgotten when the process ends.
    pub store: Option<PathBuf>,
    /// Rules that the user wrote.
    pub policy: Option<Policy>,
    /// The rules that are enforced in addition to the verdict, until
    /// [`Permissions::enforce`](super::Permissions::enforce) changes this.
    pub enforcement: Enforcement,
    pub(super) clock: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

impl PermissionConfig {
    /// Settings with a preset alone: no rules and nothing remembered.
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

    /// Whether the user is asked about an action that needs a decision. With [`Preset::DenyAll`] it is denied instead.
    pub(super) fn can_ask(&self) -> bool {
        self.is_attended && self.preset != Preset::DenyAll
    }

    /// Uses another clock to tell whether decisions have expired.
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

/// A warning to show to the user: remembered decisions could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoreWarning(pub String);

impl fmt::Display for StoreWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const UNITS: [(char, u64); 4] = [('s', 1), ('m', 60), ('h', 60 * 60), ('d', 24 * 60 * 60)];
/// A hundred years: more is a typing mistake.
const MAX_DURATION: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_as_people_write_them() {
        let shown = |text: &str| match text.parse::<Expiry>() {
            Ok(expiry) => expiry.to_string(),
            Err(_) => "no".to_owned(),
        };
        for (text, expected) in [
            ("30m", "30m"),
            ("8h", "8h"),
            ("90m", "90m"),
            ("24h", "1d"),
            ("7d", "7d"),
            ("never", "never"),
            ("0h", "no"),
            ("-1h", "no"),
            ("h", "no"),
            ("", "no"),
            ("8", "no"),
            ("8 h", "no"),
            ("5é", "no"),
            ("4000000000d", "no"),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }
}
