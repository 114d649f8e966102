//! The agents that other editors have configured. Their files are never written.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::document::{Document, Node};
use super::error::ConfigError;
use super::layer::{agent, setting};
use super::{ConfigSetting, ConfiguredAgent};

/// Another editor that configures agents in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ForeignEditor {
    /// Zed.
    Zed,
    /// The JetBrains IDEs.
    JetBrains,
}

impl ForeignEditor {
    /// The editor's name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            ForeignEditor::Zed => "zed",
            ForeignEditor::JetBrains => "jetbrains",
        }
    }

    /// The editor's file with agents.
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
            // An agent from the editor's registry has no command: only the editor knows where it is installed.
            if entry.get("command")?.is_none() {
                continue;
            }
            // The other keys are for the editor.
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
            _ => Err(format!("unknown editor `{name}`; use zed or jetbrains")),
        }
    }
}
