//! A temporary home directory for a program under test, so that its settings, permissions, logins and sessions do not
//! reach the user's own home directory.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use attache::process::Program;
use tempfile::TempDir;

/// A fresh home directory.
pub(super) struct FreshHome(TempDir);

impl FreshHome {
    pub(super) fn new() -> anyhow::Result<FreshHome> {
        let made = tempfile::Builder::new()
            .prefix("attache-check-home-")
            .tempdir();
        let home = FreshHome(made.context("a home directory for the program under test")?);
        for (_, folder) in XDG {
            std::fs::create_dir_all(home.path().join(folder))?;
        }
        Ok(home)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program with all variables that locate a user's files set to this directory.
    pub(super) fn apply_to(&self, program: Program) -> Program {
        let home = self.path();
        let mut program = program;
        // Without its variable, a tool uses the home directory.
        for name in RELOCATING_VARIABLES {
            program = program.env_remove(name);
        }
        for name in HOME {
            program = program.env(name, home);
        }
        for (name, folder) in XDG {
            program = program.env(name, home.join(folder));
        }
        for (name, folder) in toolchains() {
            program = program.env(name, folder);
        }
        program
    }
}

/// Variables for toolchains and download caches, which stay where they are: most programs would not start without them.
/// They do not affect what a program may do.
fn toolchains() -> Vec<(&'static str, PathBuf)> {
    let Some(home) = env::home_dir() else {
        return Vec::new();
    };
    let missing = TOOLCHAINS
        .iter()
        .filter(|(name, _)| env::var_os(name).is_none());
    let found = missing.map(|(name, folder)| (*name, home.join(folder)));
    found.filter(|(_, folder)| folder.is_dir()).collect()
}

const HOME: [&str; 2] = ["HOME", "USERPROFILE"];

const XDG: [(&str, &str); 7] = [
    ("APPDATA", "AppData/Roaming"),
    ("LOCALAPPDATA", "AppData/Local"),
    ("XDG_CACHE_HOME", ".cache"),
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_RUNTIME_DIR", ".run"),
    ("XDG_STATE_HOME", ".local/state"),
];

/// Variables that move the settings of agents and tools elsewhere, and the address of the keyring.
const RELOCATING_VARIABLES: &[&str] = &[
    "AIDER_CONFIG",
    "AMP_SETTINGS_FILE",
    "ATTACHE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CLINE_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "CRUSH_GLOBAL_CONFIG",
    "CRUSH_GLOBAL_DATA",
    "CURSOR_CONFIG_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "FACTORY_HOME",
    "GEMINI_CLI_HOME",
    "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
    "GEMINI_CONFIG_DIR",
    "GIT_CONFIG_GLOBAL",
    "GOOSE_CONFIG_DIR",
    "GOOSE_PATH_ROOT",
    "KIMI_SHARE_DIR",
    "KIRO_HOME",
    "OPENCODE_CONFIG",
    "OPENCODE_CONFIG_DIR",
    "OPENHANDS_CONFIG_DIR",
    "QWEN_CONFIG_DIR",
    "QWEN_HOME",
    "VIBE_HOME",
];

const TOOLCHAINS: &[(&str, &str)] = &[
    ("ASDF_DATA_DIR", ".asdf"),
    ("BUN_INSTALL", ".bun"),
    ("CARGO_HOME", ".cargo"),
    ("FNM_DIR", ".local/share/fnm"),
    ("MISE_DATA_DIR", ".local/share/mise"),
    ("NVM_DIR", ".nvm"),
    ("PYENV_ROOT", ".pyenv"),
    ("RUSTUP_HOME", ".rustup"),
    ("UV_CACHE_DIR", ".cache/uv"),
    ("UV_TOOL_DIR", ".local/share/uv/tools"),
    ("VOLTA_HOME", ".volta"),
    ("npm_config_cache", ".npm"),
];
