//! Modes: how freely the agent acts.

use attache::v1;
use serde::{Deserialize, Serialize};

/// How freely the agent acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Asks before every change, command and page.
    #[default]
    Ask,
    /// Changes files without asking; asks before commands and pages.
    Code,
    /// Looks and plans; changes nothing.
    Architect,
}

/// What a call would do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Looks at what is inside the roots, or does nothing.
    Look,
    /// Changes files inside the roots.
    Change,
    /// Runs a command.
    Execute,
    /// Reaches out to the network.
    Reach,
    /// Whatever an MCP server does, which says of itself that it only looks.
    ForeignLook,
    /// Whatever an MCP server does.
    Foreign,
}

/// What a mode has to say to a deed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Free,
    Ask,
    Refuse,
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

    /// What the mode says to a deed.
    pub(crate) fn verdict(self, deed: Deed) -> Verdict {
        match (self, deed) {
            (_, Deed::Look) | (Mode::Code, Deed::Change) => Verdict::Free,
            (Mode::Architect, Deed::Change | Deed::Execute | Deed::Foreign) => Verdict::Refuse,
            (_, Deed::Change | Deed::Execute | Deed::Reach | Deed::ForeignLook | Deed::Foreign) => {
                Verdict::Ask
            }
        }
    }

    /// The modes as a session's answer tells them.
    pub(crate) fn state(self) -> v1::SessionModeState {
        let all = Mode::ALL.map(|mode| {
            v1::SessionMode::new(mode.id(), mode.name()).description(mode.description())
        });
        v1::SessionModeState::new(self.id(), all)
    }
}
