//! Hard links to files that a rule asks about: by their other names no rule knows them.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::{Access, DeniedPaths, FileId, LinkedFile, is_about, links};

/// A file with a name that no rule asks about, while a rule asks about another name of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskRuleAlias {
    /// The rule's id.
    pub(crate) rule: String,
    /// The other name; `None` if there was too much to search.
    pub(crate) other: Option<PathBuf>,
    id: FileId,
}

impl DeniedPaths {
    /// Finds out whether these rules, which ask, are about an open file by another name than `path`. A file that can't
    /// be identified counts as one.
    pub(crate) fn ask_rule_alias(&self, file: &File, path: &Path) -> Option<AskRuleAlias> {
        if self.is_empty() || self.check_path(path, Access::Read).is_err() {
            return None;
        }
        let first = || {
            self.rules
                .iter()
                .find(|it| is_about(it.reach, Access::Read))
        };
        let unknown = |id| {
            first().map(|rule| AskRuleAlias {
                rule: rule.id.clone(),
                other: None,
                id,
            })
        };
        let Ok(metadata) = file.metadata() else {
            return unknown(FileId::UNKNOWN);
        };
        if metadata.is_dir() || links(&metadata) < 2 {
            return None;
        }
        let id = FileId::of(&metadata);
        let linked = self.linked_files(&metadata);
        let same = |(one, _, reach, _): &&LinkedFile| *one == id && is_about(*reach, Access::Read);
        match linked.files.iter().find(same) {
            Some((_, rule, _, other)) => Some(AskRuleAlias {
                rule: rule.clone(),
                other: Some(other.clone()),
                id,
            }),
            None if linked.is_cut => unknown(id),
            None => None,
        }
    }
}
