//! The project's file: whether it is trusted, what it would set, and which restrictions of changed projects stay in force.

use std::path::{Path, PathBuf};

use attache_host::permissions::Policy;

use super::document::Document;
use super::error::ConfigError;
use super::layer::Layer;
use super::named_files::NamedFiles;
use super::restrictions::ProjectRestrictions;
use super::trust::{self, TrustRecord, TrustRecords, TrustStatus, TrustStore, TrustedContents};
use super::{ConfigSources, Configuration, PROJECT_FILE, UntrustedProject};

/// A project's file in its current state.
struct ProjectFile {
    path: PathBuf,
    layer: Layer,
    named: NamedFiles,
    contents: TrustedContents,
    restrictions: ProjectRestrictions,
    /// Why the file is invalid.
    fault: Option<ConfigError>,
    /// Why trust cannot cover the named files.
    uncovered: Option<String>,
}

/// The result of looking for a project's file.
enum ProjectFileLookup {
    Missing,
    /// Another user may have written the file.
    Refused(String),
    Found(Box<ProjectFile>),
}

impl Configuration {
    /// Adds the project's file if it is trusted, and the restrictions of other trusted projects.
    pub(super) fn add_projects(
        &mut self,
        sources: &ConfigSources,
        user: &Layer,
    ) -> Result<(), ConfigError> {
        let records = sources.trust.read()?;
        if let Some(path) = &sources.project {
            let record = trust::record(&records, path);
            match ProjectFile::find(path, user)? {
                ProjectFileLookup::Missing => self.keep_gone(path, record, (&sources.trust, user)),
                ProjectFileLookup::Refused(fault) => {
                    self.keep_refused(path, &fault, record, (&sources.trust, user));
                    self.untrusted = Some(UntrustedProject::refused(path, fault));
                }
                ProjectFileLookup::Found(file) => {
                    self.add_project(*file, record, (&sources.trust, user))?
                }
            }
        }
        self.keep_above(sources, &records, user)
    }

    fn add_project(
        &mut self,
        file: ProjectFile,
        record: Option<&TrustRecord>,
        own: (&TrustStore, &Layer),
    ) -> Result<(), ConfigError> {
        self.protect(&file, record);
        let known = record.map_or(TrustStatus::Unknown, |record| record.status(&file.contents));
        if known == TrustStatus::Trusted && file.uncovered.is_none() {
            return self.trust(file, record, own.0);
        }
        let (has_changed, changed) = match known {
            TrustStatus::Changed(files) => (true, files),
            TrustStatus::Trusted => (true, Vec::new()),
            TrustStatus::Unknown => (false, Vec::new()),
        };
        if let Some(record) = record {
            let why = why(changed.first(), file.uncovered.as_deref());
            self.keep_changed(&file.path, why, record.restrictions(), own);
        }
        self.untrusted = Some(file.untrusted(has_changed, changed));
        Ok(())
    }

    fn trust(
        &mut self,
        mut file: ProjectFile,
        record: Option<&TrustRecord>,
        trust: &TrustStore,
    ) -> Result<(), ConfigError> {
        if let Some(error) = file.fault {
            return Err(error);
        }
        let is_stored = record.and_then(TrustRecord::restrictions) == Some(&file.restrictions)
            && file.restrictions.is_stored(trust);
        let policy = file.named.policy.as_deref();
        if !is_stored {
            // If this fails, the rules are lost once the file changes; that is reported then.
            trust
                .put(&file.path, &file.contents, &file.restrictions, policy)
                .ok();
        }
        self.policy_text = file.named.policy;
        self.project_policy = file.layer.policy.take();
        self.add(file.layer);
        Ok(())
    }

    /// Adds only the restrictions of trusted projects above the directory that are not its project: another project's file
    /// or a repository comes first, or their file is gone.
    fn keep_above(
        &mut self,
        sources: &ConfigSources,
        records: &TrustRecords,
        user: &Layer,
    ) -> Result<(), ConfigError> {
        let Some(directory) = &sources.directory else {
            return Ok(());
        };
        let real = directory
            .canonicalize()
            .unwrap_or_else(|_| directory.clone());
        let own = (&sources.trust, user);
        let folder_of = |path: &Path| path.parent()?.canonicalize().ok();
        let project = sources.project.as_deref().and_then(folder_of);
        for folder in real.ancestors() {
            let path = folder.join(PROJECT_FILE);
            let Some(record) = trust::record(records, &path) else {
                continue;
            };
            if project.as_deref() == Some(folder) {
                continue;
            }
            let file = match ProjectFile::find(&path, user)? {
                ProjectFileLookup::Missing => {
                    self.keep_gone(&path, Some(record), own);
                    continue;
                }
                ProjectFileLookup::Refused(fault) => {
                    self.keep_refused(&path, &fault, Some(record), own);
                    continue;
                }
                ProjectFileLookup::Found(file) => *file,
            };
            self.protect(&file, Some(record));
            match record.status(&file.contents) {
                TrustStatus::Trusted if file.uncovered.is_none() => {
                    let kept = match record.restrictions() {
                        Some(restrictions) => self.keep(&path, restrictions, own),
                        None => Err(NOT_STORED.to_owned()),
                    };
                    if kept.is_err() {
                        let policy = file.named.policy.as_deref();
                        let put = own.0.put(&path, &file.contents, &file.restrictions, policy);
                        put.ok();
                        let why = "is trusted".to_owned();
                        self.keep_lost(&path, why, &file.restrictions, own);
                    }
                }
                TrustStatus::Changed(files) => {
                    let why = why(files.first(), file.uncovered.as_deref());
                    self.keep_changed(&path, why, record.restrictions(), own);
                }
                TrustStatus::Trusted | TrustStatus::Unknown => {
                    let why = why(None, file.uncovered.as_deref());
                    self.keep_changed(&path, why, record.restrictions(), own);
                }
            }
        }
        Ok(())
    }

    /// Applies rules that were stored only now; reports a failure.
    fn keep_lost(
        &mut self,
        path: &Path,
        why: String,
        restrictions: &ProjectRestrictions,
        own: (&TrustStore, &Layer),
    ) {
        self.keep_changed(path, why, Some(restrictions), own);
        self.changed.pop_if(|changed| changed.has_rules.is_ok());
    }

    fn keep_gone(&mut self, path: &Path, record: Option<&TrustRecord>, own: (&TrustStore, &Layer)) {
        if let Some(record) = record {
            self.protect_recorded(record);
            self.keep_changed(path, "is gone".to_owned(), record.restrictions(), own);
        }
    }

    fn keep_refused(
        &mut self,
        path: &Path,
        fault: &str,
        record: Option<&TrustRecord>,
        own: (&TrustStore, &Layer),
    ) {
        if let Some(record) = record {
            self.protect_recorded(record);
            let why = format!("is refused ({fault})");
            self.keep_changed(path, why, record.restrictions(), own);
        }
    }

    /// Protects the files that decide what agents may do: the named files, whether they exist or not, and those that were
    /// named when the project was trusted.
    fn protect(&mut self, file: &ProjectFile, record: Option<&TrustRecord>) {
        self.named_files.extend(file.named.files.iter().cloned());
        self.named_files.extend(file.named.missing.iter().cloned());
        record.into_iter().for_each(|it| self.protect_recorded(it));
    }

    fn protect_recorded(&mut self, record: &TrustRecord) {
        let names = record.contents().names.into_keys();
        self.named_files.extend(names.map(PathBuf::from));
    }
}

impl ProjectFile {
    fn find(path: &Path, user: &Layer) -> Result<ProjectFileLookup, ConfigError> {
        let document = match Document::open(path) {
            Ok(Some(document)) => document,
            Ok(None) => return Ok(ProjectFileLookup::Missing),
            Err(ConfigError::Ownership(error)) => {
                return Ok(ProjectFileLookup::Refused(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        let (mut layer, fault) = match Layer::read(&document) {
            Ok(layer) => (layer.without_environment(), None),
            Err(error) => (Layer::default(), Some(error)),
        };
        layer.drop_sandbox();
        let (mut named, uncovered) = match NamedFiles::of(&layer, path) {
            Ok(named) => (named, None),
            Err(why) => (NamedFiles::default(), Some(why)),
        };
        layer.narrow(user, named.policy.as_deref());
        Ok(ProjectFileLookup::Found(Box::new(ProjectFile {
            path: path.to_owned(),
            contents: TrustedContents {
                digest: trust::digest(document.text()),
                names: std::mem::take(&mut named.states),
            },
            restrictions: ProjectRestrictions::of(&layer, named.policy.as_deref()),
            layer,
            named,
            fault,
            uncovered,
        })))
    }

    fn untrusted(mut self, has_changed: bool, changed: Vec<PathBuf>) -> UntrustedProject {
        let policy = self.layer.policy.take();
        // Reports an invalid policy before the file is trusted.
        let policy_fault = policy
            .as_ref()
            .and_then(|policy| Policy::load(&policy.value).err());
        let fault = self.fault.map(|error| error.to_string());
        let is_there = |path: &&PathBuf| self.contents.has(path);
        let names = self.named.files.iter().filter(is_there).cloned().collect();
        let mut alone = Configuration {
            project_policy: policy,
            ..Configuration::default()
        };
        alone.add(self.layer);
        UntrustedProject {
            path: self.path,
            has_changed,
            changed,
            names,
            below: self.named.below,
            not_covered: self.named.not_covered,
            is_refused: false,
            rows: alone.rows(),
            warnings: alone.warnings,
            fault: fault
                .or(self.uncovered)
                .or(policy_fault.map(|error| error.to_string())),
            contents: self.contents,
            restrictions: self.restrictions,
            policy_text: self.named.policy,
        }
    }
}

/// What has changed, as the end of a sentence that starts with the project's file.
fn why(changed: Option<&PathBuf>, uncovered: Option<&str>) -> String {
    match (changed, uncovered) {
        (_, Some(why)) => format!("cannot be covered by trust any more ({why})"),
        (Some(file), None) => format!(
            "names {}, which has changed since you trusted it",
            file.display()
        ),
        (None, None) => "has changed since you trusted it".to_owned(),
    }
}

const NOT_STORED: &str = "an earlier version of Attaché did not store them";
