//! The sandbox for commands in the user's file.

use std::path::PathBuf;

use attache::process::{NestedMounts, Network};
use attache_host::sandbox::SandboxSettings;
use serde_json::{Value, json};

use super::document::Node;
use super::error::{ConfigError, ConfigWarning};
use super::layer::unknown_key;
use crate::agents::resolve_program;

/// The sandbox for commands, as configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SandboxConfig {
    /// Whether commands run in a sandbox.
    pub mode: SandboxMode,
    /// The paths and network that the sandbox allows.
    pub settings: SandboxSettings,
    /// Whether agents can mount file systems, for their own sandbox, while a policy denies paths.
    pub nested: NestedMounts,
}

/// Whether commands run in a sandbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SandboxMode {
    /// If the system supports it. Otherwise commands run without a sandbox, and the user is warned.
    #[default]
    On,
    /// Always: if the system has no sandbox, no agent starts.
    Required,
    /// Never.
    Off,
}

pub(super) fn read(
    node: &Node<'_>,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<SandboxConfig, ConfigError> {
    let mut sandbox = SandboxConfig::default();
    if !node.is_object() {
        sandbox.mode = mode(node)?;
        return Ok(sandbox);
    }
    for (key, node) in node.members()? {
        match key {
            "mode" => sandbox.mode = mode(&node)?,
            "write" => sandbox.settings.write = paths(&node)?,
            "read" => sandbox.settings.read = paths(&node)?,
            "hide" => sandbox.settings.hide = paths(&node)?,
            "network" => sandbox.settings.network = network(&node)?,
            "nested" => sandbox.nested = nested(&node)?,
            unknown => warnings.push(unknown_key(unknown, &node, KEYS)),
        }
    }
    Ok(sandbox)
}

fn mode(node: &Node<'_>) -> Result<SandboxMode, ConfigError> {
    match node.string()? {
        "on" => Ok(SandboxMode::On),
        "required" => Ok(SandboxMode::Required),
        "off" => Ok(SandboxMode::Off),
        _ => Err(node.wrong("wants `on`, `required` or `off`")),
    }
}

fn network(node: &Node<'_>) -> Result<Network, ConfigError> {
    match node.string()? {
        "shared" => Ok(Network::Shared),
        "loopback" => Ok(Network::Loopback),
        _ => Err(node.wrong("wants `shared`, or `loopback` for no network but a loopback device")),
    }
}

fn nested(node: &Node<'_>) -> Result<NestedMounts, ConfigError> {
    match node.string()? {
        "refused" => Ok(NestedMounts::Refused),
        "allowed" => Ok(NestedMounts::Allowed),
        _ => Err(node.wrong("wants `refused`, or `allowed` for agents that need a sandbox of their own though it can then reach denied paths")),
    }
}

fn paths(node: &Node<'_>) -> Result<Vec<PathBuf>, ConfigError> {
    let items = node.items()?;
    let path = |item: &Node<'_>| {
        let path = resolve_program(item.document().path(), item.string()?);
        match path.is_absolute() && path.parent().is_some() {
            true => Ok(path),
            false => Err(item.wrong("wants an absolute path, or one that starts with `~/`")),
        }
    };
    items.iter().map(path).collect()
}

impl SandboxConfig {
    /// The values under their keys, for display.
    pub(super) fn values(&self) -> Vec<(&'static str, Value)> {
        let mode = match self.mode {
            SandboxMode::On => "on",
            SandboxMode::Required => "required",
            SandboxMode::Off => "off",
        };
        let network = match self.settings.network {
            Network::Shared => "shared",
            Network::Loopback => "loopback",
        };
        let mut values = vec![
            ("sandbox.mode", json!(mode)),
            ("sandbox.network", json!(network)),
        ];
        if self.nested == NestedMounts::Allowed {
            values.push(("sandbox.nested", json!("allowed")));
        }
        let settings = &self.settings;
        for (key, paths) in [
            ("sandbox.write", &settings.write),
            ("sandbox.read", &settings.read),
            ("sandbox.hide", &settings.hide),
        ] {
            if !paths.is_empty() {
                let paths: Vec<_> = paths.iter().map(|path| path.to_string_lossy()).collect();
                values.push((key, json!(paths)));
            }
        }
        values
    }
}

pub(super) const KEYS: &[&str] = &["mode", "write", "read", "hide", "network", "nested"];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::document::Document;
    use super::super::layer::Layer;
    use super::*;

    fn read(text: &str) -> Result<SandboxConfig, String> {
        let document = Document::of(Path::new("/home/ann/config.json"), text.to_owned());
        let layer = Layer::read(&document).map_err(|error| error.to_string())?;
        Ok(layer.sandbox.map(|it| it.value).unwrap_or_default())
    }

    #[test]
    fn a_mode_alone_or_places() {
        assert_eq!(read(r#"{"sandbox":"off"}"#).unwrap().mode, SandboxMode::Off);
        let text = r#"{"sandbox":{"mode":"required","write":["/srv/x"],"network":"loopback"}}"#;
        let sandbox = read(text).unwrap();
        assert_eq!(sandbox.mode, SandboxMode::Required);
        assert_eq!(sandbox.settings.write, [PathBuf::from("/srv/x")]);
        assert_eq!(sandbox.settings.network, Network::Loopback);
        assert_eq!(sandbox.nested, NestedMounts::Refused);
        let sandbox = read(r#"{"sandbox":{"nested":"allowed"}}"#).unwrap();
        assert_eq!(sandbox.nested, NestedMounts::Allowed);
    }

    #[test]
    fn what_would_open_everything_is_refused() {
        for text in [
            r#"{"sandbox":"maybe"}"#,
            r#"{"sandbox":{"write":["/"]}}"#,
            r#"{"sandbox":{"write":["relative"]}}"#,
            r#"{"sandbox":{"write":"/srv"}}"#,
            r#"{"sandbox":{"network":"none"}}"#,
            r#"{"sandbox":{"nested":true}}"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_project_cannot_set_the_sandbox() {
        let text = r#"{"sandbox":{"mode":"off"}}"#.to_owned();
        let document = Document::of(Path::new("/project/.attache.json"), text);
        let mut layer = Layer::read(&document).unwrap();
        layer.drop_sandbox();
        assert!(layer.sandbox.is_none());
        assert_eq!(layer.warnings.len(), 1);
    }
}
