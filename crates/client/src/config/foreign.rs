//! The agents that other editors have configured. Their files are only read.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::document::{Document, Node};
use super::error::Error;
use super::layer::{agent, setting};
use super::{Custom, Setting};

/// An editor that keeps agents in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Editor {
    /// Zed.
    Zed,
    /// The editors of JetBrains.
    JetBrains,
}

impl Editor {
    /// Its name, as in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Editor::Zed => "zed",
            Editor::JetBrains => "jetbrains",
        }
    }

    /// Its file.
    pub fn file(self, home: &Path) -> PathBuf {
        match self {
            Editor::Zed => home.join(".config/zed/settings.json"),
            Editor::JetBrains => home.join(".jetbrains/acp.json"),
        }
    }

    pub(super) fn agents(self, home: &Path) -> Result<Vec<Setting<Custom>>, Error> {
        let Some(document) = Document::open(&self.file(home))? else {
            return Ok(Vec::new());
        };
        document.read(|root| match root.get("agent_servers")? {
            Some(servers) => self.read(&servers),
            None => Ok(Vec::new()),
        })
    }

    fn read(self, servers: &Node<'_>) -> Result<Vec<Setting<Custom>>, Error> {
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

impl FromStr for Editor {
    type Err = String;

    fn from_str(name: &str) -> Result<Editor, String> {
        match name {
            "zed" => Ok(Editor::Zed),
            "jetbrains" => Ok(Editor::JetBrains),
            _ => Err(format!(
                "`{name}` is no editor that is known: zed, jetbrains"
            )),
        }
    }
}
