//! The system prompt: the agent's role, its directories, and the instructions of the project and of MCP servers.

use std::path::Path;

use attache_host::Roots;
use attache_host::files::Files;

use crate::modes::Mode;
use crate::settings::{Instructions, Settings};

/// The system prompt.
pub(crate) fn instructions(settings: &Settings, roots: &Roots, notes: &str) -> String {
    let own = match &settings.instructions {
        Some(Instructions { text, alone: true }) => return format!("{text}\n{notes}"),
        Some(Instructions { text, alone: false }) => format!("\n{text}\n"),
        None => String::new(),
    };
    let places: Vec<_> = roots
        .paths()
        .map(|path| format!("- {}", path.display()))
        .collect();
    let mode = mode(settings.mode);
    format!(
        "{WHO}\n\n{mode}\n\nThe working directory comes first; nothing outside these directories can be touched:\n{}\n{own}{notes}",
        places.join("\n")
    )
}

/// The project's instructions for agents, from files in its roots that no rule withholds. Blocking.
pub(crate) fn project_notes(
    files: &Files,
    roots: &Roots,
    is_open: &dyn Fn(&Path) -> bool,
) -> String {
    let mut notes = String::new();
    for root in roots.paths() {
        // Only the first: a CLAUDE.md beside an AGENTS.md mostly says the same or points to it.
        let found = NAMES
            .iter()
            .map(|name| root.join(name))
            .filter(|path| is_open(path))
            .find_map(|path| read(files, roots, &path));
        if let Some((name, text)) = found {
            notes.push_str(&format!(
                "\n<project-instructions file=\"{name}\">\n{text}\n</project-instructions>\n"
            ));
        }
    }
    notes
}

/// The instructions of MCP servers, each in an element that names the server, because their text is not trusted.
pub(crate) fn server_notes(said: &[(String, String)]) -> String {
    let notes = said.iter().map(|(name, text)| {
        let name = name.replace('"', "'");
        format!("\n<mcp-server name=\"{name}\">\n{text}\n</mcp-server>\n")
    });
    notes.collect()
}

fn read(files: &Files, roots: &Roots, path: &Path) -> Option<(String, String)> {
    let text = files.read(roots, path, None, None).ok()?;
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let end = text.floor_char_boundary(MOST_NOTES);
    Some((path.display().to_string(), text[..end].to_owned()))
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Ask => {
            "Mode: ask. The user is asked before each change, command and page. What the user rejects is not done."
        }
        Mode::Code => {
            "Mode: code. You may change files at once; the user is asked before commands and pages."
        }
        Mode::Architect => {
            "Mode: architect. Look and plan; you cannot change anything or run a command. When the plan is ready, call `mode` to ask the user to continue."
        }
    }
}

const WHO: &str = "You are Attaché's coding agent. You work in a user's project through tools, and what you do is shown in their editor.
Find things out before you claim them. Prefer the smallest change that does the job, in the style of the code around it. After a change, check it where that can be done.
Keep a plan with `plan` when a task has several steps, and update it as you go. Use `ask` when only the user can decide.
A tool that fails says why: mend the call rather than repeating it. Say plainly what you did, what you did not do, and what failed.";
const NAMES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
const MOST_NOTES: usize = 32 * 1024;
