//! What a project's file may say about permissions: it can deny and ask more than you do, and never allow more.

use std::path::Path;

use attache_host::permissions::{Expiry, Policy, Preset};

use super::layer::Layer;
use super::{ConfigSetting, ConfigWarning};

impl Layer {
    /// Drops what would widen what the user's own file allows, with a warning for each.
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
            // What is wrong in it is an error once it counts.
            && let Ok(rules) = Policy::parse(&policy.value.display().to_string(), text)
        {
            let allowing = rules.count_allowing();
            let place = Some(policy.place.clone());
            let what = match allowing {
                0 => return,
                1 => format!(
                    "1 rule of {} that allows does not count: {ONLY}",
                    name(&policy.value)
                ),
                count => format!(
                    "{count} rules of {} that allow do not count: {ONLY}",
                    name(&policy.value)
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

/// How much a preset lets an agent do.
pub(super) fn width(preset: Preset) -> u8 {
    match preset {
        Preset::DenyAll => 0,
        Preset::ApproveReads => 1,
        Preset::Ask => 2,
        Preset::ApproveAll => 3,
    }
}

pub(super) fn is_longer(this: Expiry, other: Expiry) -> bool {
    match (this, other) {
        (Expiry::Never, other) => other != Expiry::Never,
        (Expiry::After(_), Expiry::Never) => false,
        (Expiry::After(this), Expiry::After(other)) => this > other,
    }
}

fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

const ONLY: &str =
    "a project can deny and ask more than you do, but allow nothing; put it in your own file";
