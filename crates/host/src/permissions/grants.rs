//! Grants: permissions that last for one turn. Each covers the action that was shown, and is used up by carrying it
//! out.

mod change;
mod content;

use std::path::{Path, PathBuf};

use attache_schema::v1;
use attache_text::shell::is_plain;

use super::{Action, paths};
pub use change::ChangeSinceAllowed;
pub use content::{
    ComparedChange, ContentBefore, DiskComparison, ShownChange, ShownContent, WholeFileChange,
};

/// Permission, given in a turn for an action that was shown, for the requests that the agent then sends to carry it
/// out.
///
/// It covers the command that was shown, in its directory and with its variables; or the files that were named, with
/// the content that was shown. Each of them can be used once, unless the user's decision is remembered for longer.
#[derive(Debug, Clone)]
pub struct Grant {
    action: Action,
    pub(super) id: String,
    coverage: GrantCoverage,
}

/// Who gave a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantedBy {
    /// The user, who saw the request. The permission covers what was shown.
    User,
    /// A rule, a remembered decision or the preset. The permission covers what the kind of the action says, and no
    /// other effect.
    Rule,
}

/// The requests that a grant covers.
#[derive(Debug, Clone)]
enum GrantCoverage {
    /// One run of the command.
    Run,
    /// One read of each file, and one write of each file that may be written.
    Files {
        reads: Vec<PathBuf>,
        writes: Vec<(PathBuf, WritableContent)>,
    },
    /// Any number of uses in the turn, while the decision with the grant's id is remembered.
    Remembered,
}

/// The content that may be written to a file.
#[derive(Debug, Clone)]
enum WritableContent {
    /// The content that was shown.
    Exactly(ShownChange),
    /// Any content: none was shown.
    Any,
}

impl Grant {
    /// A grant for what was shown, each part of it once. `None` if it covers nothing that an agent can ask of us.
    pub fn for_shown_action(
        action: &Action,
        content: &ShownContent,
        by: GrantedBy,
    ) -> Option<Grant> {
        let coverage = match &action.command {
            Some(_) => GrantCoverage::Run,
            None => {
                let named: Vec<PathBuf> = action.whole_paths().collect();
                if named.len() > MAX_FILES {
                    return None;
                }
                let (may_read, may_write) = match by {
                    GrantedBy::User => (true, can_write(action)),
                    GrantedBy::Rule => (
                        action.kind == v1::ToolKind::Read,
                        action.kind == v1::ToolKind::Edit,
                    ),
                };
                let writes = match may_write {
                    true => writes(action, content, &named),
                    false => Vec::new(),
                };
                let reads = if may_read { named } else { Vec::new() };
                if reads.is_empty() && writes.is_empty() {
                    return None;
                }
                GrantCoverage::Files { reads, writes }
            }
        };
        Some(Grant {
            action: action.clone(),
            id: String::new(),
            coverage,
        })
    }

    /// A grant by the remembered decision with this id: the command as often as it is run, and any content for the
    /// files.
    pub fn for_remembered_decision(action: &Action, id: &str) -> Grant {
        Grant {
            action: action.clone(),
            id: id.to_owned(),
            coverage: GrantCoverage::Remembered,
        }
    }

    pub(super) fn action(&self) -> &Action {
        &self.action
    }

    pub(super) fn is_remembered(&self) -> bool {
        matches!(self.coverage, GrantCoverage::Remembered)
    }

    /// Uses the grant for an action, and returns whether it covers the action. `written` is the content that a file
    /// would get.
    pub(super) fn use_for(
        &mut self,
        action: &Action,
        written: Option<WholeFileChange<'_>>,
    ) -> bool {
        if !self.is_same_place(action) {
            return false;
        }
        let files: Vec<PathBuf> = action.whole_paths().collect();
        match &mut self.coverage {
            GrantCoverage::Run => {
                is_run(&self.action, action) && runs_same_files(&self.action, action)
            }
            GrantCoverage::Remembered => {
                is_run(&self.action, action)
                    || (is_of_files(&self.action, action)
                        && (written.is_none() || can_write(&self.action)))
            }
            GrantCoverage::Files { .. } if !is_of_files(&self.action, action) => false,
            GrantCoverage::Files { reads, .. } if written.is_none() => {
                remove_covered(reads, &files, |path| path)
            }
            GrantCoverage::Files { writes, .. } => {
                let fits = |content: &WritableContent| match content {
                    WritableContent::Exactly(shown) => {
                        written.is_some_and(|change| shown.is(change))
                    }
                    WritableContent::Any => true,
                };
                let first = writes.iter().find(|(path, _)| files.first() == Some(path));
                first.is_some_and(|(_, content)| fits(content))
                    && remove_covered(writes, &files, |(path, _)| path)
            }
        }
    }

    /// Whether the grant has ended, because everything it is for was done.
    pub(super) fn is_used_up(&self) -> bool {
        match &self.coverage {
            GrantCoverage::Run => true,
            GrantCoverage::Files { writes, .. } if can_write(&self.action) => writes.is_empty(),
            GrantCoverage::Files { reads, .. } => reads.is_empty(),
            GrantCoverage::Remembered => false,
        }
    }

    /// Whether the grant and another action are about the same command or file.
    pub(super) fn is_about(&self, other: &Action) -> bool {
        match (&self.action.command, &other.command) {
            (Some(granted), Some(words)) => granted == words || is_same_command(granted, words),
            (None, None) => {
                let named: Vec<PathBuf> = self.action.whole_paths().collect();
                other.whole_paths().any(|path| named.contains(&path))
            }
            _ => false,
        }
    }

    /// Whether agent, session, directory and files are those of the grant. A file that was not named, such as one that
    /// a link leads to now, is not covered.
    fn is_same_place(&self, action: &Action) -> bool {
        let named: Vec<PathBuf> = self.action.whole_paths().collect();
        self.action.agent == action.agent
            && self.action.session == action.session
            && self.action.whole_directory() == action.whole_directory()
            && action.whole_paths().all(|path| named.contains(&path))
    }
}

impl Action {
    /// The files by their absolute paths, where they mean what they say.
    fn whole_paths(&self) -> impl Iterator<Item = PathBuf> {
        self.paths.iter().map(|path| self.whole(path))
    }

    /// The directory that the command runs in.
    fn whole_directory(&self) -> Option<PathBuf> {
        let directory = self.directory.as_deref().unwrap_or(Path::new(""));
        self.command.is_some().then(|| self.whole(directory))
    }

    fn whole(&self, path: &Path) -> PathBuf {
        match paths::is_straight(path) {
            true => self.workspace.join(path).components().collect(),
            false => path.to_owned(),
        }
    }
}

/// The files that may be written once, each with its content. Where some content is shown, no other file may be
/// written.
fn writes(
    action: &Action,
    content: &ShownContent,
    named: &[PathBuf],
) -> Vec<(PathBuf, WritableContent)> {
    match content {
        ShownContent::None => {
            let named = named.iter().cloned();
            named.map(|path| (path, WritableContent::Any)).collect()
        }
        ShownContent::Files(files) => {
            let known = files.iter().filter_map(|(path, change)| {
                let change = (*change)?;
                Some((action.whole(path), WritableContent::Exactly(change)))
            });
            known.collect()
        }
    }
}

/// Whether the tool says that it changes files. An agent may call anything `other`.
fn can_write(action: &Action) -> bool {
    matches!(action.kind, v1::ToolKind::Edit | v1::ToolKind::Move)
}

fn is_run(granted: &Action, action: &Action) -> bool {
    match (&granted.command, &action.command) {
        (Some(shown), Some(words)) => is_same_command(shown, words),
        _ => false,
    }
}

/// Whether the programs and scripts are those that were shown, as far as the disk was inspected.
fn runs_same_files(granted: &Action, action: &Action) -> bool {
    let both = granted.on_disk.as_ref().zip(action.on_disk.as_ref());
    both.is_none_or(|(shown, now)| shown.runs_same_files(now))
}

fn is_of_files(granted: &Action, action: &Action) -> bool {
    granted.command.is_none() && action.command.is_none() && !action.paths.is_empty()
}

/// Removes the entry for the first of the files, and those for its other names. Returns whether there was one.
fn remove_covered<T>(left: &mut Vec<T>, files: &[PathBuf], path: impl Fn(&T) -> &PathBuf) -> bool {
    let is_there = left.iter().any(|it| files.first() == Some(path(it)));
    if is_there {
        left.retain(|it| !files.contains(path(it)));
    }
    is_there
}

/// Whether a command is the one that was granted. A line that was shown stays one word when a shell of ours runs it; a
/// line of plain words may also run as these words, which is how we run it.
fn is_same_command(granted: &[String], words: &[String]) -> bool {
    match granted {
        _ if granted == words => true,
        [line] => {
            let mut shown = line.split(' ').filter(|word| !word.is_empty()).peekable();
            let sets_variable = shown.peek().is_none_or(|first| first.contains('='));
            !sets_variable && shown.clone().all(is_plain) && shown.eq(words)
        }
        _ => false,
    }
}

/// A request that names more files grants nothing: what the agent does then is asked about.
const MAX_FILES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::is_same_command;

    #[test]
    fn permission_for_one_command_does_not_cover_another() {
        let cases: [(&[&str], &[&str], bool); 22] = [
            (&["npm", "test"], &["npm", "test"], true),
            (&["npm test"], &["npm", "test"], true),
            (&["a && b"], &["a && b"], true),
            (&["a && b"], &["a", "&&", "b"], false),
            (&["npm test"], &["npm", "test", "--fix"], false),
            (&["A=1 make"], &["A=1", "make"], false),
            (&["echo a;"], &["echo", "a;"], false),
            (&["a\tb"], &["a", "b"], false),
            // Another program runs the command: other profiles, other variables, another search path.
            (
                &["a | b"],
                &["env", "PAGER=cat", "sh", "-c", "a | b"],
                false,
            ),
            (&["a | b"], &["env", "PAGER=cat", "a | b"], false),
            (&["npm test"], &["bash", "-lc", "npm test"], false),
            (&["npm test"], &["bash", "-c", "npm test"], false),
            (&["npm test"], &["sh", "-c", "npm test"], false),
            (&["npm test"], &["env", "npm", "test"], false),
            (&["npm", "test"], &["/bin/sh", "-c", "npm test"], false),
            (&["npm", "test"], &["npm test"], false),
            (&["npm", "test"], &["env", "CI=1", "npm", "test"], false),
            (&["a && b"], &["sh", "-c", "a && b"], false),
            (&["echo", "x; rm y"], &["sh", "-c", "echo x; rm y"], false),
            (&["npm test"], &["perl", "-c", "npm test"], false),
            (&["npm test"], &["/tmp/sh", "-c", "npm test"], false),
            (&["A=1", "make"], &["sh", "-c", "A=1 make"], false),
        ];
        let owned = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        for (granted, words, expected) in cases {
            let found = is_same_command(&owned(granted), &owned(words));
            assert_eq!(found, expected, "{granted:?} {words:?}");
        }
    }
}
