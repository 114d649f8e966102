//! What has changed since an action was allowed that a grant no longer covers.

use std::path::PathBuf;

use super::{
    Grant, GrantCoverage, WholeFileChange, WritableContent, is_of_files, is_run, runs_same_files,
};
use crate::permissions::Action;

/// Why permission that was given in this turn does not cover what the agent does now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeSinceAllowed {
    /// The command is the one that was allowed, but files that it runs are not what they were.
    RunFiles(Vec<PathBuf>),
    /// The file has changed since the change to it was allowed.
    File,
    /// The agent writes another text than the one that was allowed.
    Content,
    /// The path leads to a file that was not named when this was allowed.
    Target,
}

impl Grant {
    /// What has changed since the grant was given, if it is for the same command or file but does not cover the action.
    pub(in crate::permissions) fn change_since(
        &self,
        action: &Action,
        written: Option<WholeFileChange<'_>>,
    ) -> Option<ChangeSinceAllowed> {
        match &self.coverage {
            GrantCoverage::Run if is_run(&self.action, action) => {
                let is_replaced =
                    self.is_same_place(action) && !runs_same_files(&self.action, action);
                is_replaced.then(|| ChangeSinceAllowed::RunFiles(self.changed_run_files(action)))
            }
            GrantCoverage::Files { reads, writes } if is_of_files(&self.action, action) => {
                let files: Vec<PathBuf> = action.whole_paths().collect();
                let file = files.first()?;
                let write = writes.iter().find(|(path, _)| path == file);
                let is_left = match written {
                    Some(_) => write.is_some(),
                    None => reads.contains(file),
                };
                if !is_left {
                    return None;
                }
                if !self.is_same_place(action) {
                    return Some(ChangeSinceAllowed::Target);
                }
                match (write, written) {
                    (Some((_, WritableContent::Exactly(shown))), Some(change)) => {
                        Some(match shown.has_new(change) {
                            true => ChangeSinceAllowed::File,
                            false => ChangeSinceAllowed::Content,
                        })
                    }
                    _ => None,
                }
            }
            GrantCoverage::Run | GrantCoverage::Files { .. } | GrantCoverage::Remembered => None,
        }
    }

    /// The files that the command would run and that are not what they were.
    fn changed_run_files(&self, action: &Action) -> Vec<PathBuf> {
        let both = self.action.on_disk.as_ref().zip(action.on_disk.as_ref());
        both.map_or_else(Vec::new, |(before, now)| before.changed_run_files(now))
    }
}
