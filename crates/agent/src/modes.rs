//! Modes: which kinds of calls the agent may make without asking.

use attache::v1;
use attache_host::permissions::{Reason, Verdict};
use serde::{Deserialize, Serialize};

use crate::tools::Effect;

/// A mode, which decides which kinds of calls need permission and which are denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Asks before every change, command and page.
    #[default]
    Ask,
    /// Changes files without asking; asks before commands and pages.
    Code,
    /// Reads and plans, but changes nothing.
    Architect,
}

impl Mode {
    pub(crate) const ALL: [Mode; 3] = [Mode::Ask, Mode::Code, Mode::Architect];

    pub(crate) fn id(self) -> &'static str {
        match self {
            Mode::Ask => "ask",
            Mode::Code => "code",
            Mode::Architect => "architect",
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Ask => "Ask",
            Mode::Code => "Code",
            Mode::Architect => "Architect",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Mode::Ask => "Asks before every change, command and page",
            Mode::Code => "Changes files without asking; asks before commands and pages",
            Mode::Architect => "Looks and plans; changes nothing",
        }
    }

    pub(crate) fn find(id: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.id() == id)
    }

    /// The verdict on a call with this effect. What an MCP server says about its own tools does not count.
    pub(crate) fn verdict(self, effect: Effect) -> Verdict {
        let reason = || Reason::new(format!("{} mode", self.name()));
        match (self, effect) {
            (_, Effect::Read) | (Mode::Code, Effect::Change) => Verdict::Allow(reason()),
            (Mode::Architect, Effect::Change | Effect::Execute | Effect::McpCall) => {
                Verdict::Deny(reason())
            }
            (
                _,
                Effect::Change
                | Effect::Execute
                | Effect::Fetch
                | Effect::McpRead
                | Effect::McpCall,
            ) => Verdict::Ask,
        }
    }

    /// The modes for the response that opens a session.
    pub(crate) fn state(self) -> v1::SessionModeState {
        let all = Mode::ALL.map(|mode| {
            v1::SessionMode::new(mode.id(), mode.name()).description(mode.description())
        });
        v1::SessionModeState::new(self.id(), all)
    }
}
