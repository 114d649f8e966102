//! The sentence that the user confirms before an answer is remembered.

use attache::v1;
use attache_host::permissions::{Action, Expiry, Scope};
use attache_text::plain::visible;

use super::PermissionDialog;
use super::choices::{ChoiceKind, ChoiceSource, PermissionChoice};

impl PermissionDialog {
    /// Describes what will be remembered: the action, where it applies and for how long.
    pub(super) fn confirmation_text(&self, choice: &PermissionChoice) -> String {
        let action = &self.prompt.action;
        let verb = match choice.kind {
            ChoiceKind::RejectLasting => "reject",
            _ => "allow",
        };
        match &choice.source {
            ChoiceSource::Own(scope) => {
                let what = match (&action.command, choice.kind) {
                    (Some(_), ChoiceKind::RejectLasting) => {
                        "this command, alone or as a part of a shell line,"
                    }
                    _ => subject(action),
                };
                let tool = match (&action.tool, choice.kind) {
                    (Some(_), ChoiceKind::AllowLasting) => " with this tool,",
                    _ => "",
                };
                let place = match scope {
                    Scope::Once | Scope::Session => "in this session",
                    Scope::Workspace => "in this workspace",
                    Scope::Always => "everywhere",
                };
                let expiry = match scope {
                    Scope::Once | Scope::Session => "until the session ends".to_owned(),
                    Scope::Workspace | Scope::Always => expiry_phrase(self.expiry()),
                };
                format!(
                    "Attaché will {verb} {what}{tool} without asking: for this agent, {place}, {expiry}."
                )
            }
            ChoiceSource::Agent(_) => {
                "The agent will remember this by its own rules. Attaché can't limit or undo it."
                    .to_owned()
            }
            ChoiceSource::Nobody => String::new(),
        }
    }

    /// The names that the sentence refers to, each with our label.
    pub(super) fn confirmation_names(
        &self,
        choice: &PermissionChoice,
    ) -> Vec<(&'static str, String)> {
        let action = &self.prompt.action;
        match &choice.source {
            ChoiceSource::Own(scope) => {
                let mut names = vec![("agent", visible(&action.agent).into_owned())];
                if *scope == Scope::Workspace {
                    let workspace = visible(&action.workspace.to_string_lossy()).into_owned();
                    names.push(("in", workspace));
                }
                names
            }
            ChoiceSource::Agent(name) => vec![("option", name.clone())],
            ChoiceSource::Nobody => Vec::new(),
        }
    }
}

/// The actions that a remembered decision covers.
fn subject(action: &Action) -> &'static str {
    use v1::ToolKind as Kind;
    let files = action.paths.len();
    match (&action.command, &action.kind) {
        (Some(_), _) => "exactly this command",
        (None, Kind::Edit) if files == 1 => "every edit of this file, whatever it writes,",
        (None, Kind::Edit) if files > 1 => "every edit of these files, whatever it writes,",
        (None, Kind::Delete | Kind::Move | Kind::Read | Kind::Search) if files == 1 => {
            "this action on this file"
        }
        (None, Kind::Delete | Kind::Move | Kind::Read | Kind::Search) if files > 1 => {
            "this action on these files"
        }
        _ => "this tool with exactly this input",
    }
}

/// An expiry in words.
pub(crate) fn expiry_phrase(expiry: Expiry) -> String {
    let Expiry::After(time) = expiry else {
        return "for good".to_owned();
    };
    let (hours, days) = (time.as_secs() / 3600, time.as_secs() / 86_400);
    match (days, hours) {
        (1, 24) => "for a day".to_owned(),
        (days, hours) if days > 0 && days * 24 == hours => format!("for {days} days"),
        (0, 1) if time.as_secs() == 3600 => "for an hour".to_owned(),
        (_, hours) if hours > 0 && hours * 3600 == time.as_secs() => format!("for {hours} hours"),
        _ => format!("for {expiry}"),
    }
}
