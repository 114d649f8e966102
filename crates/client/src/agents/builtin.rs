//! The well-known agents, under the names that other tools use too.

use std::path::PathBuf;

use super::{Agent, AgentSource};

pub(super) fn agents() -> impl Iterator<Item = Agent> {
    own()
        .into_iter()
        .flatten()
        .chain(KNOWN_AGENTS.iter().map(KnownAgent::agent))
}

/// Attaché's own agents, which run this program; `None` if the path of this program is unknown.
fn own() -> Option<[Agent; 2]> {
    let command = std::env::current_exe().ok()?;
    let agent = |name: &str, word: &str| Agent {
        name: name.to_owned(),
        source: AgentSource::Own,
        command: command.clone(),
        args: vec![word.to_owned()],
        env: Vec::new(),
        needs: None,
        install: None,
        login: None,
    };
    let builtin = Agent {
        login: Some(
            "none is needed; for a language model set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST",
        ),
        ..agent(OWN, "agent")
    };
    let claude = Agent {
        needs: Some("claude"),
        install: Some("npm i -g @anthropic-ai/claude-code"),
        login: Some("run `claude` and type /login, or set ANTHROPIC_API_KEY"),
        ..agent("claude", "claude")
    };
    Some([builtin, claude])
}

struct KnownAgent {
    name: &'static str,
    words: &'static [&'static str],
    install: &'static str,
    login: &'static str,
}

impl KnownAgent {
    fn agent(&self) -> Agent {
        let (program, args) = self.words.split_first().unwrap_or((&self.name, &[]));
        Agent {
            name: self.name.to_owned(),
            source: AgentSource::Builtin,
            command: PathBuf::from(program),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: Vec::new(),
            needs: None,
            install: Some(self.install),
            login: Some(self.login),
        }
    }
}

pub(super) const OWN: &str = "builtin";
const KNOWN_AGENTS: &[KnownAgent] = &[
    KnownAgent {
        name: "cline",
        words: &["cline", "--acp"],
        install: "npm i -g cline",
        login: "run `cline` once",
    },
    KnownAgent {
        name: "codex",
        words: &["codex-acp"],
        install: "npm i -g @agentclientprotocol/codex-acp",
        login: "run `codex login`, or set OPENAI_API_KEY",
    },
    KnownAgent {
        name: "copilot",
        words: &["copilot", "--acp"],
        install: "npm i -g @github/copilot",
        login: "run `copilot` and type /login",
    },
    KnownAgent {
        name: "cursor",
        words: &["cursor-agent", "acp"],
        install: "see https://cursor.com/cli",
        login: "run `cursor-agent login`",
    },
    KnownAgent {
        name: "gemini",
        words: &["gemini", "--acp"],
        install: "npm i -g @google/gemini-cli",
        login: "run `gemini` once, or set GEMINI_API_KEY",
    },
    KnownAgent {
        name: "goose",
        words: &["goose", "acp"],
        install: "see https://github.com/block/goose",
        login: "run `goose configure`",
    },
    KnownAgent {
        name: "opencode",
        words: &["opencode", "acp"],
        install: "npm i -g opencode-ai",
        login: "run `opencode auth login`",
    },
    KnownAgent {
        name: "qwen",
        words: &["qwen", "--acp"],
        install: "npm i -g @qwen-code/qwen-code",
        login: "run `qwen` once, or set OPENAI_API_KEY",
    },
    KnownAgent {
        name: "vibe",
        words: &["vibe-acp"],
        install: "uv tool install mistral-vibe",
        login: "run `vibe` once, or set MISTRAL_API_KEY",
    },
];
