//! The agents that other editors have configured. Their files are only read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::document::{Document, Node};
use super::error::ConfigError;
use super::layer::{agent, setting};
use super::{ConfigSetting, ConfiguredAgent};

/// An editor that keeps agents in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForeignEditor {
    /// Zed.
    Zed,
    /// The editors of JetBrains.
    JetBrains,
}

impl ForeignEditor {
    /// Its name, as in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            ForeignEditor::Zed => "zed",
            ForeignEditor::JetBrains => "jetbrains",
        }
    }

    /// Its file.
    pub fn file(self, home: &Path) -> PathBuf {
        match self {
            ForeignEditor::Zed => home.join(".config/zed/settings.json"),
            ForeignEditor::JetBrains => home.join(".jetbrains/acp.json"),
        }
    }

    pub(super) fn agents(
        self,
        home: &Path,
    ) -> Result<Vec<ConfigSetting<ConfiguredAgent>>, ConfigError> {
        let Some(document) = Document::open(&self.file(home))? else {
            return Ok(Vec::new());
        };
        document.read(|root| match root.get("agent_servers")? {
            Some(servers) => self.read(&servers),
            None => Ok(Vec::new()),
        })
    }

    fn read(self, servers: &Node<'_>) -> Result<Vec<ConfigSetting<ConfiguredAgent>>, ConfigError> {
        let mut agents = Vec::new();
        for (name, entry) in servers.members()? {
            // One from the editor's own registry is installed where only the editor knows.
            if entry.get("command")?.is_none() {
                continue;
            }
            // What else the editor says there is for itself.
            let mut ignored = Vec::new();
            let mut agent = agent(name, &entry, &mut ignored)?;
            agent.editor = Some(self);
            agents.push(setting(&entry, agent));
        }
        Ok(agents)
    }
}

impl FromStr for ForeignEditor {
    type Err = String;

    fn from_str(name: &str) -> Result<ForeignEditor, String> {
        match name {
            "zed" => Ok(ForeignEditor::Zed),
            "jetbrains" => Ok(ForeignEditor::JetBrains),
            _ => Err(format!(
                "`{name}` is no editor that is known: zed, jetbrains"
            )),
        }
    }
}
