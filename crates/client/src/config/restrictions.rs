//! A project's restrictions: a project can only deny and ask more than the user. The restrictions of a trusted project
//! stay in force after its file changes, so that nobody can remove rules by changing a file.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use attache_disk::private;
use attache_host::ownership;
use attache_host::permissions::{Expiry, Policy, Preset};
use serde::{Deserialize, Serialize};

use super::error::{ConfigError, SourceLocation};
use super::layer::Layer;
use super::trust::{TrustStore, digest};
use super::{ConfigSetting, ConfigWarning, Configuration};

/// The restrictions of a trusted project, stored with the trust. The policy's text is in a file of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProjectRestrictions {
    /// The policy's path and the digest of its text.
    policy: Option<(String, String)>,
    /// The preset's name.
    preset: Option<(String, Position)>,
    /// The expiry of decisions.
    expiry: Option<(String, Position)>,
}

/// The line and column of a value in the project's file.
type Position = (usize, usize);

/// The rules that a project had when it was trusted. Its allow rules do not apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPolicy {
    /// Our copy of the policy.
    pub file: PathBuf,
    /// The policy's path in the project.
    pub path: PathBuf,
    /// The project's file that named it.
    pub project: PathBuf,
    text: String,
}

/// A project that was trusted and has changed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedProject {
    /// The project's file.
    pub path: PathBuf,
    /// What has changed, as the end of a sentence that starts with the file.
    pub why: String,
    /// Whether its deny and ask rules are known and therefore in force; otherwise, why not.
    pub has_rules: Result<(), String>,
    /// Whether the project had restrictions.
    is_narrowing: bool,
}

impl ProjectRestrictions {
    /// The restrictions of a layer with the text of its policy.
    pub(super) fn of(layer: &Layer, policy: Option<&str>) -> ProjectRestrictions {
        let position = |place: &SourceLocation| (place.line, place.column);
        let text = policy.map(digest);
        let preset = layer.permissions.as_ref();
        let expiry = layer.expiry.as_ref();
        ProjectRestrictions {
            policy: layer.policy.as_ref().zip(text).map(|(policy, digest)| {
                let path = policy.value.to_string_lossy().into_owned();
                (path, digest)
            }),
            preset: preset.map(|it| (it.value.name().to_owned(), position(&it.place))),
            expiry: expiry.map(|it| (it.value.to_string(), position(&it.place))),
        }
    }

    /// The digest under which the policy is stored.
    pub(super) fn digest(&self) -> Option<&str> {
        self.policy.as_ref().map(|(_, digest)| digest.as_str())
    }

    /// Whether everything is stored that is needed after the project's file changes.
    pub(super) fn is_stored(&self, trust: &TrustStore) -> bool {
        self.policy(Path::new(""), trust).is_ok()
    }

    fn is_empty(&self) -> bool {
        *self == ProjectRestrictions::default()
    }

    /// The stored policy, if there was one.
    fn policy(&self, project: &Path, trust: &TrustStore) -> Result<Option<KeptPolicy>, String> {
        let Some((path, digest)) = &self.policy else {
            return Ok(None);
        };
        let file = trust.copy(digest);
        let text = ownership::read_text(&file, MAX_POLICY).map_err(|error| error.to_string());
        let text = text.map_err(|error| format!("our copy of {path} cannot be used: {error}"))?;
        if super::trust::digest(&text) != *digest {
            return Err(format!("our copy of {path} is damaged"));
        }
        let broken = |error| format!("our copy of {path} cannot be used: {error}");
        Policy::parse(path, &text).map_err(|error| broken(error.to_string()))?;
        Ok(Some(KeptPolicy {
            file,
            path: PathBuf::from(path),
            project: project.to_owned(),
            text,
        }))
    }

    fn preset(&self, project: &Path) -> Result<Option<ConfigSetting<Preset>>, String> {
        let Some((name, position)) = &self.preset else {
            return Ok(None);
        };
        let all = [
            Preset::DenyAll,
            Preset::ApproveReads,
            Preset::Ask,
            Preset::ApproveAll,
        ];
        let preset = all.into_iter().find(|preset| preset.name() == name);
        let preset = preset.ok_or("its preset is not known to this version")?;
        Ok(Some(setting(project, *position, preset)))
    }

    fn expiry(&self, project: &Path) -> Result<Option<ConfigSetting<Expiry>>, String> {
        let Some((term, position)) = &self.expiry else {
            return Ok(None);
        };
        let term = term.parse::<Expiry>();
        let term = term.map_err(|_| "its expiry is not known to this version")?;
        Ok(Some(setting(project, *position, term)))
    }
}

impl KeptPolicy {
    /// The rules, and their name for messages.
    pub(super) fn rules(
        &self,
    ) -> (
        Result<Policy, attache_host::permissions::PolicyError>,
        String,
    ) {
        let name = format!("{} as you trusted it", self.path.display());
        (Policy::parse(&name, &self.text), name)
    }
}

impl Configuration {
    /// Applies the restrictions that a project had when it was trusted.
    pub(super) fn keep(
        &mut self,
        project: &Path,
        restrictions: &ProjectRestrictions,
        (trust, user): (&TrustStore, &Layer),
    ) -> Result<(), String> {
        let (preset, expiry) = (restrictions.preset(project)?, restrictions.expiry(project)?);
        self.kept.extend(restrictions.policy(project, trust)?);
        // An existing value belongs to another project. The user's own value is added last.
        let own = self.permissions.as_ref().or(user.permissions.as_ref());
        let own = own.map_or(Preset::Ask, |own| own.value);
        self.permissions = match preset {
            Some(preset) if width(preset.value) < width(own) => Some(preset),
            _ => self.permissions.take(),
        };
        let own = self.expiry.as_ref().or(user.expiry.as_ref());
        let own = own.map_or(Expiry::Never, |own| own.value);
        self.expiry = match expiry {
            Some(expiry) if is_longer(own, expiry.value) => Some(expiry),
            _ => self.expiry.take(),
        };
        Ok(())
    }

    /// Reports a project that has changed since it was trusted, and applies its restrictions.
    pub(super) fn keep_changed(
        &mut self,
        project: &Path,
        why: String,
        restrictions: Option<&ProjectRestrictions>,
        own: (&TrustStore, &Layer),
    ) {
        let has_rules = match restrictions {
            Some(restrictions) => self.keep(project, restrictions, own),
            None => Err("an earlier version of Attaché did not store them".to_owned()),
        };
        self.changed.push(ChangedProject {
            path: project.to_owned(),
            why,
            is_narrowing: restrictions.is_none_or(|it| !it.is_empty()),
            has_rules,
        });
    }
}

impl Layer {
    /// Drops values that would allow more than the user's own file, with a warning for each.
    pub(super) fn narrow(&mut self, user: &Layer, policy: Option<&str>) {
        let own = user.permissions.as_ref();
        let own = own.map_or(Preset::Ask, |preset| preset.value);
        if let Some(preset) = self.permissions.take() {
            match width(preset.value) > width(own) {
                true => self.refuse(&preset, "`permissions`"),
                false => self.permissions = Some(preset),
            }
        }
        let own = user.expiry.as_ref().map(|expiry| expiry.value);
        if let Some(expiry) = self.expiry.take() {
            match own.is_some_and(|own| is_longer(expiry.value, own)) {
                true => self.refuse(&expiry, "`permissions.expiry`"),
                false => self.expiry = Some(expiry),
            }
        }
        if let (Some(policy), Some(text)) = (&self.policy, policy)
            // An invalid policy is an error once it applies.
            && let Ok(rules) = Policy::parse(&policy.value.display().to_string(), text)
        {
            let allowing = rules.count_allowing();
            let place = Some(policy.place.clone());
            let what = match allowing {
                0 => return,
                1 => format!(
                    "1 rule of {} that allows does not count: {ONLY}",
                    file_name(&policy.value)
                ),
                count => format!(
                    "{count} rules of {} that allow do not count: {ONLY}",
                    file_name(&policy.value)
                ),
            };
            self.warnings.push(ConfigWarning { place, what });
        }
    }

    fn refuse<T>(&mut self, setting: &ConfigSetting<T>, what: &str) {
        self.warnings.push(ConfigWarning {
            place: Some(setting.place.clone()),
            what: format!("{what} does not count: {ONLY}"),
        });
    }
}

impl TrustStore {
    /// The file for the text with this digest.
    pub(super) fn copy(&self, digest: &str) -> PathBuf {
        self.copies().join(format!("{digest}.json"))
    }

    /// Stores the text of a policy.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(super) fn store(&self, text: &str) -> Result<(), ConfigError> {
        let file = self.copy(&digest(text));
        let stored = ownership::read_text(&file, MAX_POLICY);
        if stored.is_ok_and(|stored| stored == text) {
            return Ok(());
        }
        let folder = self.copies();
        let made = match folder.is_dir() {
            true => Ok(()),
            false => private::create_dir_unchecked(&folder),
        };
        let written = made.and_then(|()| super::edit::write_whole(&file, text));
        written.map_err(|cause| ConfigError::Unwritable { path: file, cause })
    }

    /// Removes stored texts that are no longer needed.
    pub(super) fn remove_copies_except(&self, needed: &[String]) {
        let Ok(entries) = fs::read_dir(self.copies()) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let digest = name.strip_suffix(".json");
            if digest.is_some_and(|digest| !needed.iter().any(|it| it == digest)) {
                // A file that stays behind only takes up space.
                fs::remove_file(entry.path()).ok();
            }
        }
    }

    fn copies(&self) -> PathBuf {
        self.file().with_file_name(COPIES)
    }
}

impl fmt::Display for ChangedProject {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, why) = (self.path.display(), &self.why);
        let folder = self.path.parent().unwrap_or(Path::new(".")).display();
        match &self.has_rules {
            Ok(()) if self.is_narrowing => write!(
                out,
                "{path} {why}: what it denied and asked about when you trusted it is still in force, and nothing else in it counts"
            )?,
            Ok(()) => write!(out, "{path} {why}, so nothing in it counts")?,
            Err(lost) => write!(
                out,
                "{path} {why}, and what it denied and asked about when you trusted it is not known any more ({lost}), so none of its rules is in force"
            )?,
        }
        write!(
            out,
            "; in {folder}, `attache config` shows it, `attache config trust` trusts it as it is now, and `attache config trust --revoke` ends the trust"
        )
    }
}

/// Orders presets by how much they allow.
fn width(preset: Preset) -> u8 {
    match preset {
        Preset::DenyAll => 0,
        Preset::ApproveReads => 1,
        Preset::Ask => 2,
        Preset::ApproveAll => 3,
    }
}

fn is_longer(this: Expiry, other: Expiry) -> bool {
    match (this, other) {
        (Expiry::Never, other) => other != Expiry::Never,
        (Expiry::After(_), Expiry::Never) => false,
        (Expiry::After(this), Expiry::After(other)) => this > other,
    }
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn setting<T>(project: &Path, (line, column): Position, value: T) -> ConfigSetting<T> {
    let path = project.to_owned();
    let place = SourceLocation { path, line, column };
    ConfigSetting { value, place }
}

/// The directory for stored policies, beside the trust file.
const COPIES: &str = "trusted";
/// Maximum size of a policy.
const MAX_POLICY: u64 = 64 * 1024 * 1024;
const ONLY: &str =
    "a project can deny and ask more than you do, but allow nothing; put it in your own file";
