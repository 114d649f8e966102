//! Options of a run: prompts, timeouts and the working directory.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use super::test_case::CASE_TIMEOUT;
use super::{PromptKind, Selection};

/// Options of a run of the checker.
#[derive(Debug, Clone)]
pub struct Options {
    /// The prompts to send, by the behaviour that they trigger.
    pub prompts: BTreeMap<PromptKind, String>,
    /// How long the program may take to respond to a request.
    pub response_timeout: Duration,
    /// How long one test case may take.
    pub case_timeout: Duration,
    /// How many test cases run at the same time.
    pub parallel_cases: usize,
    /// The working directory of the sessions.
    pub folder: PathBuf,
    /// The command of an MCP server that logs the methods it receives. The path of the log file is appended to it.
    pub mcp: Option<Vec<String>>,
    /// The checks to run.
    pub selection: Selection,
}

/// Prompts that known agents understand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The agent of this workspace with its embedded model.
    Attache,
    /// The example `tour`.
    Tour,
    /// The agents of `interop/`.
    Interop,
    /// The products of `interop/`, with the model that runs there.
    Products,
    /// An agent with a language model.
    Model,
}

impl Options {
    /// Default options, whose only prompt is a greeting.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let greeting = (PromptKind::Text, "Say hello".to_owned());
        Options {
            prompts: BTreeMap::from([greeting]),
            response_timeout: Duration::from_secs(10),
            case_timeout: CASE_TIMEOUT,
            parallel_cases: 4,
            folder: folder.into(),
            mcp: None,
            selection: Selection::default(),
        }
    }

    /// Sets the prompts of a preset.
    #[must_use]
    pub fn preset(mut self, preset: Preset) -> Self {
        let prompts = preset.prompts().iter();
        let prompts = prompts.map(|(kind, text)| (*kind, (*text).to_owned()));
        self.prompts.extend(prompts);
        self
    }
}

impl Preset {
    fn prompts(self) -> &'static [(PromptKind, &'static str)] {
        match self {
            Preset::Attache => ATTACHE,
            Preset::Tour => TOUR,
            Preset::Interop => INTEROP,
            Preset::Products => PRODUCTS,
            Preset::Model => MODEL,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Preset::Attache => "attache",
            Preset::Tour => "tour",
            Preset::Interop => "interop",
            Preset::Products => "products",
            Preset::Model => "model",
        }
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [
            Preset::Attache,
            Preset::Tour,
            Preset::Interop,
            Preset::Products,
            Preset::Model,
        ];
        let found = all.into_iter().find(|preset| preset.name() == text);
        found.ok_or_else(|| "expected attache, tour, interop, products or model".to_owned())
    }
}

const ATTACHE: &[(PromptKind, &str)] = &[
    (PromptKind::Text, "hello"),
    (PromptKind::ToolCall, "read hello.txt"),
    (PromptKind::Permission, "run echo hello"),
    (PromptKind::Plan, "plan: look around; write it down"),
    (PromptKind::FsRead, "read hello.txt"),
    (PromptKind::FsWrite, "write note.txt with a note"),
    (PromptKind::Terminal, "run echo hello"),
    (PromptKind::LongTool, "run sleep 600"),
    (
        PromptKind::Elicitation,
        "ask 'Which colour?' options: red, blue",
    ),
];

const TOUR: &[(PromptKind, &str)] = &[
    (PromptKind::Text, "hello"),
    (PromptKind::Long, "/slow"),
    (PromptKind::ToolCall, "walk"),
    (PromptKind::Permission, "walk"),
    (PromptKind::Plan, "walk"),
    (PromptKind::Elicitation, "/form"),
];

const INTEROP: &[(PromptKind, &str)] = &[
    (PromptKind::Text, "hello"),
    (PromptKind::Long, "wait"),
    (PromptKind::ToolCall, "tool"),
    (PromptKind::Permission, "permission"),
    (PromptKind::Plan, "tool"),
    (PromptKind::FsRead, "read hello.txt"),
    (PromptKind::FsWrite, "write note.txt a note"),
    (PromptKind::Terminal, "terminal"),
];

const PRODUCTS: &[(PromptKind, &str)] = &[
    (PromptKind::Text, "hello"),
    (PromptKind::Long, "<<wait>>"),
    (PromptKind::ToolCall, "<<run echo hello>>"),
    (PromptKind::Permission, "<<run echo hello>>"),
    (PromptKind::LongTool, "<<run sleep 600>>"),
];

const MODEL: &[(PromptKind, &str)] = &[
    (PromptKind::Text, "Say hello in one word."),
    (
        PromptKind::Long,
        "Count from 1 to 2000 in words, one number a line.",
    ),
    (
        PromptKind::ToolCall,
        "Read the file hello.txt in the working directory and say what is in it.",
    ),
    (
        PromptKind::Permission,
        "Run the command `echo hello` in a shell.",
    ),
    (
        PromptKind::Plan,
        "Make a plan of three steps for tidying this directory with your planning tool, and do not carry it out.",
    ),
    (
        PromptKind::FsRead,
        "Read the file hello.txt in the working directory and say what is in it.",
    ),
    (
        PromptKind::FsWrite,
        "Write the text `a note` to the file note.txt in the working directory.",
    ),
    (
        PromptKind::Terminal,
        "Run the command `echo hello` in a shell.",
    ),
    (
        PromptKind::LongTool,
        "Run the command `sleep 600` in a shell and wait for it.",
    ),
];
