//! The facts that the user has to see before anything can be allowed: the program with its arguments, directory and
//! variables; the files; or the tool and its input.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

use attache::v1;
use attache_client::event::{HostRequest, PermissionPrompt, ProgramStart, PromptSubject};
use attache_host::permissions::{Action, ChangeSinceAllowed, Protection};
use attache_text::plain::{visible, visible_command, visible_word, visible_words};

use super::file_moves;
use crate::paint::theme::TextRole;

/// One fact that the user has to see. Its text is safe to show.
#[derive(Debug, Clone)]
pub(super) struct Fact {
    pub(super) words: FactLabel,
    pub(super) text: String,
    pub(super) role: TextRole,
    /// The part that stays on the screen when there is not room for all facts.
    pub(super) head: Option<(FactLabel, String)>,
    /// The number of characters left out because the text is too long.
    pub(super) missing: usize,
}

/// Whether a text is our own or quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FactLabel {
    Ours,
    /// Quoted text under our own label.
    Theirs(Cow<'static, str>),
}

impl Fact {
    fn pinned(label: &'static str, text: String, role: TextRole) -> Fact {
        let words = FactLabel::Theirs(label.into());
        Fact {
            head: Some((words.clone(), text.clone())),
            words,
            text,
            role,
            missing: 0,
        }
    }

    fn scrolled(label: impl Into<Cow<'static, str>>, text: String, role: TextRole) -> Fact {
        Fact {
            words: FactLabel::Theirs(label.into()),
            text,
            role,
            head: None,
            missing: 0,
        }
    }

    /// Our own remark.
    fn remark(text: impl Into<String>) -> Fact {
        Fact {
            words: FactLabel::Ours,
            text: text.into(),
            role: TextRole::Warning,
            head: None,
            missing: 0,
        }
    }

    /// Our own remark, which stays on the screen.
    fn pinned_remark(text: impl Into<String>) -> Fact {
        let text = text.into();
        Fact {
            head: Some((FactLabel::Ours, text.clone())),
            ..Fact::remark(text)
        }
    }

    /// Whether the whole fact stays on the screen.
    pub(super) fn is_pinned(&self) -> bool {
        let head = self.head.as_ref();
        head.is_some_and(|(words, head)| *words == self.words && *head == self.text)
    }

    /// The same fact, for the scrolled part.
    fn unpinned(self) -> Fact {
        Fact { head: None, ..self }
    }
}

/// The facts that the user has to see.
pub(super) fn collect(prompt: &PermissionPrompt) -> Vec<Fact> {
    let action = &prompt.action;
    let mut facts: Vec<Fact> = Vec::new();
    let directory = match &prompt.subject {
        PromptSubject::HostRequest(HostRequest::Run { command, cwd, env }) => {
            facts.push(command_fact(command));
            facts.extend(env.iter().map(variable_fact));
            let directory = cwd.as_deref().unwrap_or(&action.workspace);
            Some(directory.to_owned())
        }
        PromptSubject::Exec(exec) => {
            facts.push(program_fact(exec));
            facts.extend(exec.other_name().map(|called| {
                let called = visible_word(called).into_owned();
                Fact::pinned("called", called, TextRole::Warning)
            }));
            let path = shown_path(&exec.program);
            facts.push(Fact::pinned("binary", path, TextRole::Strong));
            facts.extend(exec.env.iter().map(variable_fact));
            Some(exec.cwd.clone())
        }
        _ => action.command.as_ref().map(|command| {
            facts.push(command_fact(command));
            let directory = action.directory.as_deref().unwrap_or(Path::new(""));
            action.workspace.join(directory).components().collect()
        }),
    };
    shell_parts(&mut facts, prompt);
    if let Some(directory) = &directory {
        path_fact(&mut facts, "in", shown_path(directory), directory, action);
    }
    file_facts(&mut facts, prompt, directory.as_deref());
    let mut tool = tool_facts(prompt);
    match facts.is_empty() {
        true => whole_input_facts(&mut tool, prompt),
        false => input_facts(&mut facts, prompt),
    }
    facts.splice(..0, tool);
    change_facts(&mut facts, prompt);
    content_fact(&mut facts, prompt);
    warning_facts(&mut facts, prompt);
    for fact in &mut facts {
        shorten(fact, LONGEST);
    }
    facts
}

/// Whether a fact is too long to be shown completely.
pub(super) fn are_too_long(facts: &[Fact]) -> bool {
    facts.iter().any(|fact| fact.missing > 0)
}

/// A program that is about to start: never a shell line, so each word is quoted.
fn program_fact(exec: &ProgramStart) -> Fact {
    let head = visible_word(&exec.name).into_owned();
    Fact {
        head: Some((FactLabel::Theirs("program".into()), head)),
        ..Fact::pinned("command", visible_words(exec.command()), TextRole::Strong)
    }
}

fn command_fact(words: &[String]) -> Fact {
    let text = visible_command(words);
    let first = words.first().map(String::as_str).unwrap_or_default();
    // A shell line is a single word: its first part is the program.
    let head = match words.len() {
        1 => visible(first.split_whitespace().next().unwrap_or(first)),
        _ => visible_word(first),
    };
    Fact {
        head: Some((FactLabel::Theirs("program".into()), head.into_owned())),
        ..Fact::pinned("command", text, TextRole::Strong)
    }
}

/// The commands of a shell line that has several.
fn shell_parts(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let parts = match is_shell_line(prompt) {
        true => prompt.action.parts(),
        false => Vec::new(),
    };
    if parts.len() < 2 {
        return;
    }
    for (at, part) in parts.iter().take(MOST_PARTS).enumerate() {
        let label = format!("part {}", at + 1);
        facts.push(Fact::scrolled(
            label,
            visible(part).into_owned(),
            TextRole::Text,
        ));
    }
    if let Some(more @ 1..) = parts.len().checked_sub(MOST_PARTS) {
        let text = format!("{more} more parts; the line above shows all");
        facts.push(Fact::remark(text));
    }
    if parts.iter().any(|part| part.contains('‹')) {
        facts.push(Fact::remark(
            "! The shell fills in the text in ‹ › when the line runs.",
        ));
    }
}

/// Whether a prompt is about a shell line, which is a single word. A program that is about to start is not a shell line.
pub(super) fn is_shell_line(prompt: &PermissionPrompt) -> bool {
    match (&prompt.subject, prompt.action.command.as_deref()) {
        (PromptSubject::Exec(_), _) => false,
        (_, Some([line])) => *visible_word(line) != **line,
        _ => false,
    }
}

fn variable_fact(variable: &v1::EnvVariable) -> Fact {
    let name = visible_word(&variable.name);
    let value = visible_word(variable.value.reveal());
    Fact::scrolled("with", format!("{name}={value}"), TextRole::Warning)
}

/// A path that stays on the screen, with a remark if it is outside the workspace.
fn path_fact(
    facts: &mut Vec<Fact>,
    label: &'static str,
    shown: String,
    path: &Path,
    action: &Action,
) {
    let is_inside = is_inside(&action.workspace, path);
    let role = match is_inside {
        true => TextRole::Text,
        false => TextRole::Warning,
    };
    facts.push(Fact::pinned(label, shown, role));
    link_target(facts, path, action);
}

/// The target of a path that is a link, and remarks if path or target are outside the workspace, or if this one of
/// several files is protected.
fn link_target(facts: &mut Vec<Fact>, path: &Path, action: &Action) {
    if !is_inside(&action.workspace, path) {
        facts.push(Fact::pinned_remark(OUTSIDE));
    }
    let Some(file) = action.resolved_file(path) else {
        return;
    };
    if let Some(there) = &file.leads_to {
        facts.push(Fact::pinned(
            "link to",
            shown_path(there),
            TextRole::Warning,
        ));
        if !file.is_inside {
            facts.push(Fact::pinned_remark(OUTSIDE));
        }
    }
    if file.protection.is_some() && action.paths.len() > 1 {
        facts.push(Fact::pinned_remark("! Protected"));
    }
}

fn file_facts(facts: &mut Vec<Fact>, prompt: &PermissionPrompt, directory: Option<&Path>) {
    let action = &prompt.action;
    let paths = action.paths.iter();
    let mut paths: Vec<&PathBuf> = paths
        .filter(|path| Some(action.workspace.join(path).as_path()) != directory)
        .collect();
    let moves = file_moves::find(prompt, &paths);
    for moved in &moves {
        move_ends(facts, "From", &moved.from, action);
        move_ends(facts, "To", &moved.to, action);
    }
    let is_moved = |path: &PathBuf| {
        let mut moves = moves.iter();
        moves.any(|it| it.from.contains(path) || it.to.contains(path))
    };
    paths.retain(|path| !is_moved(path));
    if paths.len() <= PINNED {
        for path in paths {
            path_fact(facts, "file", shown_path(path), path, action);
        }
        return;
    }
    facts.push(Fact {
        role: TextRole::Strong,
        ..Fact::pinned_remark(format!("{} files", paths.len()))
    });
    for path in paths {
        facts.push(Fact::scrolled("file", shown_path(path), TextRole::Strong));
        let mut remarks = Vec::new();
        link_target(&mut remarks, path, action);
        facts.extend(remarks.into_iter().map(Fact::unpinned));
    }
}

/// The sources or destinations of a move as full paths. The first one stays on the screen.
fn move_ends(facts: &mut Vec<Fact>, label: &'static str, paths: &[PathBuf], action: &Action) {
    for (at, path) in paths.iter().enumerate() {
        let whole = normalize(&action.workspace.join(path));
        let mut rows = Vec::new();
        path_fact(&mut rows, label, shown_path(&whole), path, action);
        facts.extend(rows.into_iter().map(|fact| match at {
            0 => fact,
            _ => fact.unpinned(),
        }));
    }
}

/// The names of the tool, which can make a command or a file mean something else.
fn tool_facts(prompt: &PermissionPrompt) -> Vec<Fact> {
    let action = &prompt.action;
    let names = action.tool.iter().chain(&action.other_tools);
    let names = names.map(|tool| {
        let role = match action.is_mcp_tool() {
            true => TextRole::Warning,
            false => TextRole::Strong,
        };
        Fact::pinned("tool", visible_word(tool).into_owned(), role)
    });
    let remark = "! A tool of an MCP server: the server decides what it does, and where.";
    let remark = action.is_mcp_tool().then(|| Fact::pinned_remark(remark));
    names.chain(remark).collect()
}

/// The input of a tool call without command and files: otherwise only the agent's own words would be shown.
fn whole_input_facts(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    if facts.is_empty() {
        facts.push(Fact::pinned_remark("A tool without a name"));
    }
    let input = prompt.tool_call().and_then(|call| call.raw_input.as_ref());
    facts.push(match input {
        Some(raw) => Fact::scrolled("input", visible(raw.as_str()).into_owned(), TextRole::Text),
        None => Fact::pinned_remark("Input not shown"),
    });
}

/// The input of a tool besides the command, the directory, the files and the content that are already shown.
fn input_facts(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let other = prompt.other_input();
    if other.is_empty() {
        return;
    }
    facts.push(Fact {
        role: TextRole::Text,
        ..Fact::remark("Also in the input:")
    });
    let mut room = LONGEST;
    for (at, (name, value)) in other.iter().enumerate() {
        let value = visible(value);
        let text = match name.as_str() {
            "" => value.into_owned(),
            name => format!("{} = {value}", visible_word(name)),
        };
        let mut fact = Fact::scrolled("input", text, TextRole::Text);
        room = shorten(&mut fact, room);
        let is_cut = fact.missing > 0;
        facts.push(fact);
        if is_cut {
            let left_out = other.len() - at - 1;
            let text = format!("! {left_out} more members of the input can't be shown here");
            facts.extend((left_out > 0).then(|| Fact::remark(text)));
            return;
        }
    }
}

/// What is not as it was when the same was allowed.
fn change_facts(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let said = match &prompt.change {
        None => return,
        Some(ChangeSinceAllowed::RunFiles(_)) => {
            "! A file that it runs has changed since this command was allowed."
        }
        Some(ChangeSinceAllowed::File) => "! The file has changed since this change was allowed.",
        Some(ChangeSinceAllowed::Content) => {
            "! This is not the change that was allowed: the agent writes another text."
        }
        Some(ChangeSinceAllowed::Target) => {
            "! The path leads to a file that was not named when this was allowed."
        }
    };
    facts.push(Fact::pinned_remark(said));
    if let Some(ChangeSinceAllowed::RunFiles(files)) = &prompt.change {
        facts.extend(
            files
                .iter()
                .map(|file| Fact::scrolled("changed", shown_path(file), TextRole::Warning)),
        );
    }
}

/// How much content of the agent is shown only with the details.
fn content_fact(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let call = prompt.tool_call().into_iter();
    let (mut lines, mut others) = (0, 0);
    for content in call.flat_map(|call| &call.content) {
        match content {
            v1::ToolCallContent::Diff(_) => {}
            v1::ToolCallContent::Content(content) => match content.content.as_text() {
                Some(text) => lines += text.lines().count(),
                None => others += 1,
            },
            _ => others += 1,
        }
    }
    let counted = |count: usize, one: &str, more: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {more}"),
    };
    let text = match (lines, others) {
        (0, 0) => return,
        (lines, 0) => counted(lines, "line of text", "lines of text"),
        (0, others) => counted(others, "attachment", "attachments"),
        (lines, others) => format!(
            "{} and {}",
            counted(lines, "line of text", "lines of text"),
            counted(others, "attachment", "attachments")
        ),
    };
    facts.push(Fact {
        role: TextRole::Text,
        ..Fact::remark(format!(
            "With {text} from the agent: see all details (Alt-D)"
        ))
    });
}

fn warning_facts(facts: &mut Vec<Fact>, prompt: &PermissionPrompt) {
    let action = &prompt.action;
    let names = prompt.options.iter().map(|option| option.name.as_str());
    let texts = facts.iter().map(|fact| fact.text.as_str());
    let is_turned = texts
        .chain(names)
        .any(|text| text.contains(is_right_to_left));
    let mut warn = |text: &str| facts.push(Fact::remark(text));
    if action.is_protected() {
        warn(protection_warning(action));
    }
    if action.is_ambiguous {
        warn("! The input has the same member twice, so it is unclear which one counts.");
    }
    if !prompt.content_is_shown() {
        let whose = match prompt.other_input().is_empty() {
            true => "Content not shown",
            false => "The agent may write other content than shown above",
        };
        let files = match action.paths.len() {
            0 | 1 => "this file",
            _ => "each of these files",
        };
        let text = format!("! {whose}: allowing permits one write of any content to {files}.");
        warn(&text);
    }
    if is_shell_line(prompt) {
        warn("! A shell line can run several commands.");
    }
    if is_turned {
        warn("! Right-to-left text: your terminal may show the words in another order.");
    }
}

/// Whether a character is written from right to left.
fn is_right_to_left(char: char) -> bool {
    matches!(
        char,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
    ) || matches!(char, '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// Why this change needs permission each time.
fn protection_warning(action: &Action) -> &'static str {
    let files = action.on_disk.as_deref();
    match files.and_then(|files| files.protections().next()) {
        Some(Protection::Directory) => {
            "! This directory contains protected files, or would afterwards. You can allow it only once."
        }
        Some(Protection::HardLink) => {
            "! The file has another name (a hard link), which may be protected. You can allow it only once."
        }
        Some(Protection::Unknown) => {
            "! Attaché can't tell what this would change. You can allow it only once."
        }
        Some(Protection::File) if action.command.is_some() => {
            "! Changes a protected file, which can grant rights later. You can allow it only once."
        }
        _ => "! Protected file: a change here can grant rights later. You can allow it only once.",
    }
}

/// Shortens a text that is too long to lay out, and returns how many more characters there is room for. The text is
/// already safe to show, and stays safe.
fn shorten(fact: &mut Fact, most: usize) -> usize {
    if fact.missing > 0 {
        return 0;
    }
    let Some((end, _)) = fact.text.char_indices().nth(most) else {
        return most - fact.text.chars().count();
    };
    fact.missing = fact.text[end..].chars().count();
    fact.text.truncate(end);
    let missing = fact.missing;
    fact.text += &format!("… {missing} more characters can't be shown here");
    0
}

/// A path as text, quoted if it would not show where it begins and ends.
fn shown_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    let has_clear_ends = text.trim() == text && !text.starts_with('\'');
    match has_clear_ends {
        true => visible(&text).into_owned(),
        false => visible_word(&text).into_owned(),
    }
}

fn is_inside(workspace: &Path, path: &Path) -> bool {
    normalize(&workspace.join(path)).starts_with(normalize(workspace))
}

pub(super) fn normalize(path: &Path) -> PathBuf {
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

/// The most files that stay on the screen when there is not room for everything.
const PINNED: usize = 3;
const OUTSIDE: &str = "! Outside the workspace";
/// The most parts of a shell line that are listed.
const MOST_PARTS: usize = 32;
/// The most characters of one fact, of a tool's whole input, and of all changes. Anything longer can't be allowed here.
pub(super) const LONGEST: usize = 128 * 1024;
