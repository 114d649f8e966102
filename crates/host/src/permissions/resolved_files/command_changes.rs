//! Protected files that a command would change: those that its words and redirections name, as the shell would expand
//! them and as the disk is now. Uncertain ones are left out.

use std::path::{Path, PathBuf};

use attache_schema::v1;

use super::super::Action;
use super::super::action::{alternatives, is_pattern, reaches_protected};
use super::super::command::changes::{ChangedFile, FileChange, changed_files};
use super::super::command::code::{CodeText, is_balanced, texts_in};
use super::super::command::line::{ShellLine, ShellWord, SimpleCommand};
use super::super::command::options::CommandWord as _;
use super::super::path_views::word_values;
use super::super::pattern_files::PatternFiles;
use super::{PathLookups, Protection, ResolvedFiles};
use crate::protected_files;
use crate::protected_names::is_protected;

/// Why the user is asked about a command each time: the protection of each file that it would change.
pub(super) fn protections(
    action: &Action,
    line: &ShellLine,
    also: &[PathBuf],
    lookups: &PathLookups,
) -> Vec<Protection> {
    let changes: Vec<Vec<ChangedFile>> = line.parts.iter().map(changed_files).collect();
    if changes.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let mut look = CommandInspection {
        action,
        also,
        lookups,
        variables: ShellVariables::of(line),
        bases: Vec::new(),
        room: MAX_LOOKS,
    };
    look.bases = look.directories(line);
    let mut found: Vec<Protection> = changes.iter().flat_map(|part| look.part(part)).collect();
    found.dedup();
    found
}

struct CommandInspection<'a> {
    action: &'a Action,
    also: &'a [PathBuf],
    lookups: &'a PathLookups,
    variables: ShellVariables<'a>,
    /// The directories that the command may work in.
    bases: Vec<PathBuf>,
    /// How many more files of unknown programs may be inspected.
    room: usize,
}

impl CommandInspection<'_> {
    /// The session's directory, the one that the command starts in, and those that the line changes to.
    fn directories(&self, line: &ShellLine) -> Vec<PathBuf> {
        let workspace = &self.action.workspace;
        let start = self.action.directory.as_ref();
        let mut bases = vec![start.map_or(workspace.clone(), |dir| workspace.join(dir))];
        for part in &line.parts {
            for word in destinations(part) {
                let texts = self.variables.expand(word);
                let texts = texts.iter().filter(|text| !text.contains(UNKNOWN));
                let joined = texts.flat_map(|text| bases.iter().map(move |base| base.join(text)));
                let joined: Vec<PathBuf> = joined.collect();
                bases.extend(joined);
                bases.dedup();
                bases.truncate(MAX_DIRECTORIES);
            }
        }
        bases
    }

    fn part(&mut self, files: &[ChangedFile]) -> Vec<Protection> {
        let mut found = Vec::new();
        for change in [
            FileChange::Possible,
            FileChange::Code,
            FileChange::Into,
            FileChange::Write,
            FileChange::Remove,
            FileChange::Move,
        ] {
            let words = files.iter().filter(|file| file.change == change);
            let mut paths: Vec<PathBuf> = Vec::new();
            for file in words {
                if change == FileChange::Code {
                    found.extend(self.code(&file.word, &mut paths));
                    continue;
                }
                for text in self.texts(&file.word, change) {
                    if change == FileChange::Into && !self.is_in_directory(&text) {
                        continue;
                    }
                    if self.names_protected(&text, change) {
                        found.push(Protection::File);
                    } else if !text.contains(UNKNOWN) {
                        paths.extend(self.paths(&text, change));
                    }
                }
            }
            found.extend(self.on_disk(paths, change));
        }
        found
    }

    /// Looks at what code names: whether something protected is among it, and what has to be looked up.
    fn code(&mut self, word: &ShellWord, paths: &mut Vec<PathBuf>) -> Option<Protection> {
        let mut codes = self.variables.expand(word);
        if let ShellWord::Undecided(text) = word {
            codes.extend(self.variables.expanded(text, MAX_DEPTH));
        }
        codes.dedup();
        for code in codes {
            for text in texts_in(&code) {
                let (text, change) = match text {
                    CodeText::Name(text) => (text, FileChange::Code),
                    CodeText::Pattern(text) => (text, FileChange::Possible),
                };
                if self.names_protected(&text, change) {
                    return Some(Protection::File);
                }
                if !text.contains(UNKNOWN) {
                    paths.extend(self.paths(&text, change));
                }
            }
        }
        None
    }

    /// The texts that the shell may expand a word to.
    fn texts(&self, word: &ShellWord, change: FileChange) -> Vec<String> {
        let texts = self.variables.expand(word);
        match change {
            // Its options may have a file as their value.
            FileChange::Possible => {
                let values = texts.iter().flat_map(|text| {
                    let values = word_values(text).into_iter();
                    // `x[1` of `x[1:]` is not a pattern.
                    values.filter(move |value| value == text || !is_cut_out(value))
                });
                values.map(str::to_owned).collect()
            }
            FileChange::Code
            | FileChange::Into
            | FileChange::Write
            | FileChange::Remove
            | FileChange::Move => texts,
        }
    }

    fn is_in_directory(&self, text: &str) -> bool {
        let directory = Path::new(text).parent().unwrap_or(Path::new(""));
        self.bases.iter().any(|base| base.join(directory).is_dir())
    }

    /// Whether a name on the path is protected anywhere, so the rest does not matter.
    fn names_protected(&self, text: &str, change: FileChange) -> bool {
        let path = Path::new(text);
        if is_protected(&self.action.workspace_relative(path)) {
            return true;
        }
        // A pattern that the program expands itself.
        change == FileChange::Possible && {
            let name = text.rsplit('/').next().unwrap_or(text);
            let is_wild = is_pattern(name) && !name.trim_matches('*').is_empty();
            is_wild && !text.contains(' ') && reaches_protected(name)
        }
    }

    fn paths(&mut self, text: &str, change: FileChange) -> Vec<PathBuf> {
        if is_stream(text) {
            return Vec::new();
        }
        if matches!(change, FileChange::Possible | FileChange::Code) {
            match self.room.checked_sub(self.bases.len()) {
                Some(left) => self.room = left,
                None => return Vec::new(),
            }
        }
        if change == FileChange::Code || !is_pattern(text) {
            return self.bases.iter().map(|base| base.join(text)).collect();
        }
        // A shell matches only what exists, and hidden files only if the pattern names the dot.
        let text = text.replace("**", "*");
        let hides = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with('.') && !text.rsplit('/').next().unwrap_or_default().starts_with('.')
        };
        let found = PatternFiles::of(&self.bases, std::slice::from_ref(&text));
        found
            .paths
            .into_iter()
            .filter(|path| !hides(path))
            .collect()
    }

    fn on_disk(&self, paths: Vec<PathBuf>, change: FileChange) -> Vec<Protection> {
        if paths.is_empty() {
            return Vec::new();
        }
        let is_move = change == FileChange::Move;
        let action = Action {
            kind: match is_move {
                true => v1::ToolKind::Move,
                false => v1::ToolKind::Edit,
            },
            command: None,
            names_destination: false,
            on_disk: None,
            paths,
            ..self.action.clone()
        };
        let files = ResolvedFiles::of(&action, None, self.also, self.lookups);
        let counts = |protection: &Protection| match (protection, change) {
            (Protection::File | Protection::Directory, _) => true,
            (Protection::HardLink, change) => {
                matches!(change, FileChange::Write | FileChange::Into)
            }
            (Protection::Unknown, change) => {
                !matches!(change, FileChange::Possible | FileChange::Code)
            }
        };
        let of_files = files.files.iter().filter_map(|file| file.protection);
        let mut found: Vec<Protection> = of_files.filter(counts).collect();
        if files.is_cut && !matches!(change, FileChange::Possible | FileChange::Code) {
            found.push(Protection::Unknown);
        }
        if change == FileChange::Remove {
            let below = action.paths.iter().any(|path| self.has_protected(path));
            found.extend(below.then_some(Protection::Directory));
        }
        found
    }

    /// Whether something protected lies directly in a directory that is removed, or is a file that the configuration
    /// names.
    fn has_protected(&self, directory: &Path) -> bool {
        let resolved = self.lookups.resolve(directory);
        if resolved.metadata.is_none_or(|it| !it.is_dir()) {
            return false;
        }
        let mut entries = resolved.path.read_dir().into_iter().flatten().flatten();
        protected_files::is_around_protected(&resolved.path)
            || entries.any(|entry| is_protected(Path::new(&entry.file_name())))
    }
}

/// Variables with known values: those that the line sets, and those of the user.
struct ShellVariables<'a>(Vec<(&'a str, &'a ShellWord)>);

impl<'a> ShellVariables<'a> {
    fn of(line: &'a ShellLine) -> ShellVariables<'a> {
        let set = line.parts.iter().flat_map(|part| &part.assignments);
        let set = set.map(|(name, value)| (name.as_str(), value));
        let exported = line.variables.iter();
        let exported = exported.map(|(name, value)| (name.as_str(), value));
        ShellVariables(set.chain(exported).collect())
    }

    /// The texts that a shell may expand a word to. [`UNKNOWN`] stands for uncertain text.
    fn expand(&self, word: &ShellWord) -> Vec<String> {
        match word {
            ShellWord::Literal(text) => vec![text.clone()],
            ShellWord::Undecided(text) => {
                let mut all = self.expanded(text, MAX_DEPTH);
                all = all
                    .iter()
                    .flat_map(|text| alternatives(text).unwrap_or_else(|| vec![text.clone()]))
                    .collect();
                all.truncate(MAX_TEXTS);
                all
            }
        }
    }

    fn expanded(&self, text: &str, depth: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut push = |values: &[String]| {
            let joined = all
                .iter()
                .flat_map(|start| values.iter().map(move |value| format!("{start}{value}")));
            all = joined.take(MAX_TEXTS).collect();
        };
        let mut chars = text.chars().peekable();
        if text == "~" || text.starts_with("~/") {
            chars.next();
            push(&self.values("HOME", depth));
        } else if text.starts_with("~+") {
            chars.nth(1);
            push(&[".".to_owned()]);
        }
        let mut is_single = false;
        let mut is_double = false;
        while let Some(char) = chars.next() {
            match char {
                '\'' if !is_double => is_single = !is_single,
                '"' if !is_single => is_double = !is_double,
                char if is_single => push(&[char.to_string()]),
                '\\' => push(
                    &chars
                        .next()
                        .map(|it| vec![it.to_string()])
                        .unwrap_or_default(),
                ),
                '$' => {
                    let is_braced = chars.peek() == Some(&'{');
                    let is_command = chars.peek() == Some(&'(');
                    if is_command {
                        chars.next();
                        skip_group(&mut chars);
                        push(&[UNKNOWN.to_string()]);
                        continue;
                    }
                    if is_braced {
                        chars.next();
                    }
                    let mut name = String::new();
                    while let Some(next) =
                        chars.next_if(|it| it.is_ascii_alphanumeric() || *it == '_')
                    {
                        name.push(next);
                    }
                    let is_plain = !is_braced || chars.peek() == Some(&'}');
                    if is_braced {
                        while chars.next().is_some_and(|it| it != '}') {}
                    }
                    match is_plain && !name.is_empty() {
                        true => push(&self.values(&name, depth)),
                        false => push(&[UNKNOWN.to_string()]),
                    }
                }
                '`' => {
                    while chars.next().is_some_and(|it| it != '`') {}
                    push(&[UNKNOWN.to_string()]);
                }
                char => push(&[char.to_string()]),
            }
        }
        all
    }

    fn values(&self, name: &str, depth: usize) -> Vec<String> {
        let unknown = vec![UNKNOWN.to_string()];
        let Some(depth) = depth.checked_sub(1) else {
            return unknown;
        };
        let set = self.0.iter().filter(|(it, _)| *it == name);
        let mut values: Vec<String> = set
            .flat_map(|(_, value)| match value {
                ShellWord::Literal(text) => vec![text.clone()],
                ShellWord::Undecided(text) => self.expanded(text, depth),
            })
            .collect();
        match name {
            // Each directory that it may work in is inspected anyway.
            "PWD" => values.push(".".to_owned()),
            _ if values.is_empty() => values.extend(std::env::var(name)),
            _ => {}
        }
        match values.is_empty() {
            true => unknown,
            false => values,
        }
    }
}

fn skip_group(chars: &mut impl Iterator<Item = char>) {
    let mut depth = 1_usize;
    for char in chars.by_ref() {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// The directories that a part changes to, or tells its program to work in.
fn destinations(part: &SimpleCommand) -> Vec<&ShellWord> {
    let words = part.words.iter().skip(1);
    match part.program().as_deref() {
        Some("cd" | "pushd") => words
            .filter(|word| !word.literal().is_some_and(|text| text.starts_with('-')))
            .take(1)
            .collect(),
        _ => {
            let mut words = words;
            let mut found = Vec::new();
            while let Some(word) = words.next() {
                let is_option = matches!(
                    word.literal(),
                    Some("-C" | "--directory" | "--chdir" | "--prefix")
                );
                found.extend(is_option.then(|| words.next()).flatten());
            }
            found
        }
    }
}

/// Whether a part of a word is the beginning or the end of a pattern that was cut in two.
fn is_cut_out(part: &str) -> bool {
    is_pattern(part) && !is_balanced(part)
}

/// Whether the path is a stream of the process itself, or a device that stores nothing.
fn is_stream(text: &str) -> bool {
    let Some(name) = text.strip_prefix("/dev/") else {
        return false;
    };
    let is_descriptor = |text: &str| text.chars().all(|char| char.is_ascii_digit());
    matches!(
        name,
        "null" | "zero" | "full" | "stdin" | "stdout" | "stderr" | "tty"
    ) || name.strip_prefix("fd/").is_some_and(is_descriptor)
}

/// Stands for text that is uncertain.
const UNKNOWN: char = '\u{fffd}';
const MAX_DEPTH: usize = 4;
const MAX_TEXTS: usize = 16;
const MAX_DIRECTORIES: usize = 16;
const MAX_LOOKS: usize = 256;
