//! Shell lines in the commands of a project's file: the files that they name, and words that may name files unknown before
//! the line runs.

use attache_host::permissions::{ShellLine, ShellWord, SimpleCommand};

/// The words of a command's shell lines that may name files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShellLineFiles {
    /// Words without quotes, also relative to directories that the line enters.
    pub(super) known: Vec<String>,
    /// Words with variables, wildcards or substitutions, as written.
    pub(super) unknown: Vec<String>,
}

impl ShellLineFiles {
    /// Reads the shell lines in a command: those of `sh -c`, also after `env` and similar programs.
    pub(super) fn of(command: &[String]) -> ShellLineFiles {
        // A program without arguments has no shell line.
        if command.len() < 2 {
            return ShellLineFiles::default();
        }
        let line = ShellLine::of(command);
        let mut words = ShellLineFiles::default();
        let mut entered = Vec::new();
        for part in line.parts.iter().filter(|part| part.is_in_line) {
            let directory = entered_by(part);
            // Entering a directory reads nothing.
            if directory.is_none() {
                words.add_part(part, &entered);
            }
            if let Some(directory) = directory {
                let before = entered
                    .last()
                    .map(|it: &String| format!("{it}/{directory}"));
                entered.push(directory);
                entered.extend(before);
            }
        }
        let is_unreadable = line.variables.iter().any(|(name, _)| name == UNREADABLE);
        if let Some(why) = line.doubt.filter(|_| is_unreadable) {
            words.unknown.push(format!("a shell line ({why})"));
        }
        words.unknown.sort();
        words.unknown.dedup();
        words
    }

    fn add_part(&mut self, part: &SimpleCommand, entered: &[String]) {
        let targets = part.redirections.iter().map(|file| &file.target);
        let values = part.assignments.iter().map(|(_, value)| value);
        for word in part.words.iter().chain(targets).chain(values) {
            match word {
                ShellWord::Literal(word) if word == "." && is_first(word, part) => {}
                ShellWord::Literal(word) => {
                    let from_there = entered.iter().map(|it| format!("{it}/{word}"));
                    self.known.extend(from_there);
                    self.known.push(word.clone());
                }
                ShellWord::Undecided(word) => self.unknown.push(format!("`{word}`")),
            }
        }
    }
}

/// Whether a command begins with this word.
fn is_first(word: &str, part: &SimpleCommand) -> bool {
    matches!(part.words.first(), Some(ShellWord::Literal(first)) if first == word)
}

/// The directory that a command enters.
fn entered_by(part: &SimpleCommand) -> Option<String> {
    let literal = |word: &ShellWord| match word {
        ShellWord::Literal(word) => Some(word.clone()),
        ShellWord::Undecided(_) => None,
    };
    let program = part.words.first().and_then(literal)?;
    let mut arguments = part.words.iter().skip(1).filter_map(literal);
    let is_entering = matches!(&*program, "cd" | "pushd");
    arguments.find(|word| is_entering && !word.starts_with('-'))
}

/// The variable name by which the parser marks a line that it cannot read.
const UNREADABLE: &str = "shell line";
