//! What the agent may do when nobody is there to ask.

use attache::v1::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, SelectedPermissionOutcome,
    ToolKind,
};

use crate::arguments::Approval;

/// A rule for every question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    AllowReads,
    AllowAll,
    DenyAll,
}

/// An answer, and whether it is a refusal.
pub(super) struct Verdict {
    pub(super) outcome: RequestPermissionOutcome,
    pub(super) is_denied: bool,
}

impl Policy {
    pub(super) fn of(approval: &Approval) -> Self {
        match approval {
            Approval { deny_all: true, .. } => Policy::DenyAll,
            Approval {
                approve_all: true, ..
            } => Policy::AllowAll,
            _ => Policy::AllowReads,
        }
    }

    /// Decides by the kind of the tool and picks the option by its kind: names are what the agent wants us to read.
    pub(super) fn decide(self, kind: Option<&ToolKind>, options: &[PermissionOption]) -> Verdict {
        let reads = matches!(
            kind,
            Some(ToolKind::Read | ToolKind::Search | ToolKind::Think)
        );
        let is_denied = match self {
            Policy::AllowAll => false,
            Policy::AllowReads => !reads,
            Policy::DenyAll => true,
        };
        let wanted = if is_denied {
            [
                PermissionOptionKind::RejectOnce,
                PermissionOptionKind::RejectAlways,
            ]
        } else {
            [
                PermissionOptionKind::AllowOnce,
                PermissionOptionKind::AllowAlways,
            ]
        };
        let option = wanted.iter().find_map(|kind| option(options, kind));
        Verdict {
            is_denied: is_denied || option.is_none(),
            outcome: match option {
                Some(option) => SelectedPermissionOutcome::new(option.option_id.clone()).into(),
                None => RequestPermissionOutcome::Cancelled,
            },
        }
    }
}

fn option<'a>(
    options: &'a [PermissionOption],
    kind: &PermissionOptionKind,
) -> Option<&'a PermissionOption> {
    options.iter().find(|option| option.kind == *kind)
}
