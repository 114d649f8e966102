//! What a lasting answer means, in a sentence that the user confirms.

use attache::process::plain::visible;
use attache::v1;
use attache_host::permissions::{Action, Scope, Term};

use super::PermissionDialog;
use super::choices::{Choice, ChoiceKind, Source};

impl PermissionDialog {
    /// What is going to be remembered: the action, the agent, where and how long.
    pub(super) fn sentence(&self, choice: &Choice) -> String {
        let action = &self.prompt.action;
        let verb = match choice.kind {
            ChoiceKind::RejectLasting => "reject",
            _ => "allow",
        };
        match &choice.source {
            Source::Own(scope) => {
                let what = subject(action);
                let agent = visible(&action.agent);
                let place = place(*scope, action);
                let term = match scope {
                    Scope::Once | Scope::Session => "until the session ends".to_owned(),
                    Scope::Workspace | Scope::Always => lasting(self.term()),
                };
                format!(
                    "Attaché will {verb} {what} without asking: for agent {agent}, {place}, {term}."
                )
            }
            Source::Agent(name) => format!(
                "The agent will remember this by rules of its own: “{name}”. Attaché cannot limit or undo it."
            ),
            Source::Nobody => String::new(),
        }
    }
}

/// What a remembered decision covers.
fn subject(action: &Action) -> &'static str {
    use v1::ToolKind as Kind;
    let files = action.paths.len();
    match (&action.command, &action.kind) {
        (Some(_), _) => "exactly this command",
        (None, Kind::Edit) if files == 1 => "every edit of this file, whatever it writes,",
        (None, Kind::Edit) if files > 1 => "every edit of these files, whatever it writes,",
        (None, Kind::Delete | Kind::Move | Kind::Read | Kind::Search) if files == 1 => {
            "this again, for this file,"
        }
        (None, Kind::Delete | Kind::Move | Kind::Read | Kind::Search) if files > 1 => {
            "this again, for these files,"
        }
        _ => "this tool with exactly this input",
    }
}

fn place(scope: Scope, action: &Action) -> String {
    match scope {
        Scope::Once | Scope::Session => "in this session".to_owned(),
        Scope::Workspace => format!("in {}", visible(&action.workspace.to_string_lossy())),
        Scope::Always => "everywhere".to_owned(),
    }
}

/// How long, in words.
pub(super) fn lasting(term: Term) -> String {
    let Term::For(time) = term else {
        return "for good".to_owned();
    };
    let (hours, days) = (time.as_secs() / 3600, time.as_secs() / 86_400);
    match (days, hours) {
        (1, 24) => "for a day".to_owned(),
        (days, hours) if days > 0 && days * 24 == hours => format!("for {days} days"),
        (0, 1) if time.as_secs() == 3600 => "for an hour".to_owned(),
        (_, hours) if hours > 0 && hours * 3600 == time.as_secs() => format!("for {hours} hours"),
        _ => format!("for {term}"),
    }
}
