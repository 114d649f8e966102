//! What the user has to see before anything can be granted: the program with its arguments, directory and variables, the
//! files, or the tool and what it is given.

use std::path::{Component, Path, PathBuf};

use attache::process::plain::{visible, visible_command, visible_word};
use attache::v1;
use attache_host::permissions::{Action, Protection};

use crate::event::{HostRequest, PermissionPrompt, PromptSubject};
use crate::paint::theme::Role;

/// One thing that the user has to see. Its text is safe to show.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) text: String,
    pub(super) role: Role,
    /// What of it stays on the screen when there is not room for all facts at once.
    pub(super) head: Option<String>,
    /// Characters that are not in the text because there are too many.
    pub(super) missing: usize,
}

impl Fact {
    fn whole(text: String, role: Role) -> Fact {
        Fact {
            head: Some(text.clone()),
            text,
            role,
            missing: 0,
        }
    }

    fn scrolled(text: String, role: Role) -> Fact {
        Fact {
            text,
            role,
            head: None,
            missing: 0,
        }
    }
}

/// What the user has to see.
pub(super) fn of(prompt: &PermissionPrompt) -> Vec<Fact> {
    let mut facts = Vec::new();
    let action = &prompt.action;
    let directory = match &prompt.subject {
        PromptSubject::HostRequest(HostRequest::Run { command, cwd, env }) => {
            facts.push(program(command));
            facts.extend(env.iter().map(variable));
            let directory = cwd.as_deref().unwrap_or(&action.workspace);
            Some(directory.to_owned())
        }
        PromptSubject::Exec(exec) => {
            facts.push(program(&exec.argv));
            let path = visible(&exec.program.to_string_lossy()).into_owned();
            facts.push(Fact::whole(format!("program {path}"), Role::Strong));
            Some(exec.cwd.clone())
        }
        _ => action.command.as_ref().map(|command| {
            facts.push(program(command));
            let directory = action.directory.as_deref().unwrap_or(Path::new(""));
            action.workspace.join(directory).components().collect()
        }),
    };
    parts(&mut facts, action);
    if let Some(directory) = &directory {
        facts.push(place(directory, action));
    }
    let shown = directory.as_deref();
    files(&mut facts, action, shown);
    if facts.is_empty() || action.is_ambiguous {
        tool(&mut facts, prompt);
    }
    warnings(&mut facts, prompt);
    for fact in &mut facts {
        shorten(fact);
    }
    facts
}

/// Whether more is asked for than can be shown.
pub(super) fn are_too_long(facts: &[Fact]) -> bool {
    facts.iter().any(|fact| fact.missing > 0)
}

fn program(words: &[String]) -> Fact {
    let text = visible_command(words);
    let first = words.first().map(String::as_str).unwrap_or_default();
    // A text that a shell reads is one word: its first part is the program.
    let head = match words.len() {
        1 => visible(first.split_whitespace().next().unwrap_or(first)),
        _ => visible_word(first),
    };
    Fact {
        head: Some(head.into_owned()),
        ..Fact::whole(text, Role::Strong)
    }
}

/// The commands of a line for a shell that has several.
fn parts(facts: &mut Vec<Fact>, action: &Action) {
    let parts = match is_shell_line(action.command.as_deref().unwrap_or_default()) {
        true => action.parts(),
        false => Vec::new(),
    };
    if parts.len() < 2 {
        return;
    }
    for (at, part) in parts.iter().take(MOST_PARTS).enumerate() {
        let text = format!("part {}: {}", at + 1, visible(part));
        facts.push(Fact::scrolled(text, Role::Text));
    }
    if let Some(more @ 1..) = parts.len().checked_sub(MOST_PARTS) {
        let text = format!("{more} more parts, which the line above shows");
        facts.push(Fact::scrolled(text, Role::Warning));
    }
    if parts.iter().any(|part| part.contains('‹')) {
        let text = "! What stands in ‹ › is known only when the line runs.".to_owned();
        facts.push(Fact::scrolled(text, Role::Warning));
    }
}

/// A text that a shell reads is one word.
pub(super) fn is_shell_line(words: &[String]) -> bool {
    matches!(words, [line] if *visible_word(line) != **line)
}

fn variable(variable: &v1::EnvVariable) -> Fact {
    let name = visible_word(&variable.name);
    let value = visible_word(variable.value.reveal());
    Fact::scrolled(format!("with {name}={value}"), Role::Warning)
}

fn place(directory: &Path, action: &Action) -> Fact {
    let shown = visible(&directory.to_string_lossy()).into_owned();
    let remark = remark(&action.workspace, directory);
    match remark {
        "" => Fact::whole(format!("in {shown}"), Role::Text),
        remark => Fact::whole(format!("in {shown} {remark}"), Role::Warning),
    }
}

fn files(facts: &mut Vec<Fact>, action: &Action, directory: Option<&Path>) {
    let paths = action.paths.iter();
    let paths: Vec<&PathBuf> = paths
        .filter(|path| Some(action.workspace.join(path).as_path()) != directory)
        .collect();
    let is_many = paths.len() > PINNED;
    if is_many {
        facts.push(Fact::whole(format!("{} files", paths.len()), Role::Strong));
    }
    for path in paths {
        let shown = visible(&path.to_string_lossy()).into_owned();
        let (mut text, mut role) = match remark(&action.workspace, path) {
            "" => (shown, Role::Strong),
            remark => (format!("{shown} {remark}"), Role::Warning),
        };
        let file = action.file_on_disk(path);
        if let Some((file, there)) = file.and_then(|file| Some((file, file.leads_to.as_ref()?))) {
            let there = visible(&there.to_string_lossy()).into_owned();
            let remark = if file.is_inside {
                ""
            } else {
                " (outside the workspace)"
            };
            text += &format!(" → leads to {there}{remark}");
            role = Role::Warning;
        }
        facts.push(match is_many {
            true => Fact::scrolled(text, role),
            false => Fact::whole(text, role),
        });
    }
}

/// What a tool is given that names neither a command nor a file: else there would be nothing but the agent's words.
fn tool(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let name = match &prompt.action.tool {
        Some(tool) => format!("tool {}", visible_word(tool)),
        None => "a tool without a name".to_owned(),
    };
    facts.push(Fact::whole(name, Role::Strong));
    let input = prompt.tool_call().and_then(|call| call.raw_input.as_ref());
    match input {
        Some(raw) => facts.push(Fact::scrolled(visible_input(raw.as_str()), Role::Text)),
        None => facts.push(Fact::whole("input not shown".to_owned(), Role::Warning)),
    }
}

fn visible_input(input: &str) -> String {
    format!("input {}", visible(input))
}

fn warnings(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let action = &prompt.action;
    let mut warn = |text: &str| facts.push(Fact::scrolled(text.to_owned(), Role::Warning));
    if action.is_protected() {
        warn(protection(action));
    }
    if action.is_ambiguous {
        warn("! The input has a member twice: it cannot be told which one the agent means.");
    }
    if !prompt.content_is_shown() {
        warn(
            "! Content not shown: allowing permits one write to each file above, whatever is written.",
        );
    }
    if is_shell_line(action.command.as_deref().unwrap_or_default()) {
        warn("! A line for a shell: it can run several commands.");
    }
}

/// Why a change is asked about each time.
fn protection(action: &Action) -> &'static str {
    let files = action
        .paths
        .iter()
        .filter_map(|path| action.file_on_disk(path));
    match files.filter_map(|file| file.protection).next() {
        Some(Protection::Directory) => {
            "! Protected files lie in this directory, or would. Permission lasts for one use."
        }
        Some(Protection::HardLink) => {
            "! The file has another name (a hard link), which may be protected. Permission lasts for one use."
        }
        Some(Protection::Unknown) => {
            "! It cannot be told what this would change. Permission lasts for one use."
        }
        _ => {
            "! Protected file: a change here can grant rights later. Permission lasts for one use."
        }
    }
}

/// Cuts a text that is too long to be laid out. It is visible already, and a cut between characters keeps it so.
fn shorten(fact: &mut Fact) {
    if let Some((end, _)) = fact.text.char_indices().nth(LONGEST) {
        fact.missing = fact.text[end..].chars().count();
        fact.text.truncate(end);
        let missing = fact.missing;
        fact.text += &format!("… {missing} more characters cannot be shown here");
    }
}

/// What is special about where a path lies.
fn remark(workspace: &Path, path: &Path) -> &'static str {
    match straight(&workspace.join(path)).starts_with(straight(workspace)) {
        true => "",
        false => "(outside the workspace)",
    }
}

fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                straight.pop();
            }
            other => straight.push(other),
        }
    }
    straight
}

/// How many files stay on the screen when there is not room for everything.
const PINNED: usize = 3;
/// Parts of a line that are shown one by one.
const MOST_PARTS: usize = 32;
/// Characters of one fact. Nothing longer can be granted here.
const LONGEST: usize = 128 * 1024;
