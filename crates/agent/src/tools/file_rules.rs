//! Applies the user's rules about files to every tool. A denied file is not read, searched, listed or changed, by
//! any of its names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use attache::schema::FilePath;
use attache::v1;
use attache_host::Roots;
use attache_host::files::{EntryKind, Files};
use attache_host::permissions::{Action, Permissions, Reason};

use super::format;
use super::tool_error::ToolError;

/// The user's rules about files, for one session.
#[derive(Debug, Clone, Default)]
pub struct FileRules(Option<PolicyRules>);

#[derive(Debug, Clone)]
struct PolicyRules {
    permissions: Permissions,
    agent: &'static str,
    session: v1::SessionId,
    workspace: PathBuf,
}

/// How a tool accesses a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileAccess {
    /// Reads it or shows that it exists.
    Read,
    /// Changes, removes or moves it. Its old text is shown too.
    Change,
}

/// Counts directory entries that were withheld, by rule.
#[derive(Debug, Default)]
pub(super) struct WithheldEntries(BTreeMap<String, usize>);

impl FileRules {
    /// The rules of a policy, for an agent's session with this working directory.
    pub fn new(
        permissions: Permissions,
        agent: &'static str,
        session: &v1::SessionId,
        workspace: &Path,
    ) -> FileRules {
        FileRules(Some(PolicyRules {
            permissions,
            agent,
            session: session.clone(),
            workspace: workspace.to_owned(),
        }))
    }

    /// The rule that denies a tool access to a file. A rule against reading denies everything; a rule against one kind of
    /// change denies all kinds.
    pub(super) fn denying(&self, tool: &str, access: FileAccess, path: &Path) -> Option<Reason> {
        let rules = self.0.as_ref()?;
        let kinds = match access {
            FileAccess::Read => &CHANGES[..LOOKS],
            FileAccess::Change => &CHANGES[..],
        };
        kinds.iter().find_map(|kind| {
            let action = rules.action(tool, kind, path);
            rules.permissions.denying_rule(&action)
        })
    }

    /// The rule that hides an entry from a tool that walks directories. Rules that ask count too, because the user can't be
    /// asked about each of many files.
    pub(super) fn withholding(&self, tool: &str, path: &Path) -> Option<Reason> {
        let denied = self.denying(tool, FileAccess::Read, path);
        denied.or_else(|| {
            let rules = self.0.as_ref()?;
            CHANGES[..LOOKS].iter().find_map(|kind| {
                let action = rules.action(tool, kind, path);
                rules.permissions.asking_rule(&action)
            })
        })
    }

    /// Fails if a rule denies the access.
    pub(super) fn check(
        &self,
        tool: &str,
        access: FileAccess,
        path: &Path,
        shown: &str,
    ) -> Result<(), ToolError> {
        match self.denying(tool, access, path) {
            None => Ok(()),
            Some(reason) => {
                let sentence = format!("`{shown}` may not be accessed: {reason} denies it");
                Err(ToolError::new("denied", sentence))
            }
        }
    }

    /// Fails if a directory to be moved contains something that a rule denies: the rule would not match it under its new
    /// path.
    pub(super) fn check_tree(
        &self,
        files: &Files,
        roots: &Roots,
        path: &Path,
    ) -> Result<(), ToolError> {
        if self.0.is_none() {
            return Ok(());
        }
        let refused = |why: String| Err(ToolError::new("denied", why));
        let mut left = vec![path.to_owned()];
        let mut count = 0;
        while let Some(directory) = left.pop() {
            let Ok(listed) = files.list(roots, &directory) else {
                return refused(format!(
                    "`{}` cannot be inspected, so it is not moved",
                    path.display()
                ));
            };
            count += listed.entries.len();
            if listed.is_cut || count > MOST_MOVED {
                let sentence = format!(
                    "`{}` has too many files to compare with the rules; move parts of it",
                    path.display()
                );
                return refused(sentence);
            }
            for entry in listed.entries {
                let below = directory.join(&entry.name);
                if let Some(reason) = self.denying("move", FileAccess::Change, &below) {
                    let sentence = format!(
                        "`{}` contains a file that may not be accessed: {reason} denies it",
                        path.display()
                    );
                    return refused(sentence);
                }
                if entry.kind == EntryKind::Directory {
                    left.push(below);
                }
            }
        }
        Ok(())
    }
}

impl PolicyRules {
    fn action(&self, tool: &str, kind: &v1::ToolKind, path: &Path) -> Action {
        let mut call = v1::ToolCallUpdate::new("rule")
            .name(tool)
            .kind(kind.clone());
        if let Ok(path) = FilePath::try_from(path.to_owned()) {
            call = call.locations([v1::ToolCallLocation::new(path)]);
        }
        let none: [v1::PermissionOption; 0] = [];
        let request = v1::RequestPermissionRequest::new(self.session.clone(), call, none);
        let mut action = Action::from_request(self.agent, self.workspace.clone(), &request, None);
        if action.paths.is_empty() {
            // A path that is not UTF-8 can't be in a message, but rules still apply.
            action.paths.push(path.to_owned());
        }
        action
    }
}

impl WithheldEntries {
    pub(super) fn note(&mut self, reason: &Reason) {
        *self.0.entry(reason.to_string()).or_default() += 1;
    }

    pub(super) fn note_rule(&mut self, rule: &str) {
        self.note(&Reason::new(format!("policy rule `{rule}`")));
    }

    pub(super) fn add(&mut self, other: WithheldEntries) {
        for (reason, count) in other.0 {
            *self.0.entry(reason).or_default() += count;
        }
    }

    /// The counts as notes for the model.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(reason, count)| {
            let entries = format::count(*count, "entry was", "entries were");
            format!("{entries} withheld by {reason}")
        })
    }
}

/// The kinds of access that a rule can name. The first [`LOOKS`] of them do not change files.
const CHANGES: [v1::ToolKind; 5] = [
    v1::ToolKind::Read,
    v1::ToolKind::Search,
    v1::ToolKind::Edit,
    v1::ToolKind::Delete,
    v1::ToolKind::Move,
];
const LOOKS: usize = 2;
const MOST_MOVED: usize = 100_000;
