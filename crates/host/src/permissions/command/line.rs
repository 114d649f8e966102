//! A command as the simple commands that it consists of, as far as they are known before it runs.

use std::fmt;

use attache_text::shell::{self, is_plain};

use super::line_scanner::LineScanner;
use super::options::CommandWord;
use super::wrappers;

/// A command, split into the simple commands that it would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShellLine {
    /// The simple commands in order, including those in substitutions and those that wrappers run.
    pub parts: Vec<SimpleCommand>,
    /// Variables that the line sets for programs and that an agent may not set without asking.
    pub variables: Vec<(String, ShellWord)>,
    /// Why the line may run something that is not among the parts.
    pub doubt: Option<&'static str>,
}

/// A program with its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimpleCommand {
    /// Variables that are set for the program, or in the shell if the command has no program.
    pub assignments: Vec<(String, ShellWord)>,
    /// The program and its arguments.
    pub words: Vec<ShellWord>,
    /// Files that the command reads from or writes to, without copies of descriptors such as `2>&1`.
    pub redirections: Vec<Redirection>,
    /// Whether another part runs this command, such as `env` or a substitution.
    pub is_inner: bool,
    /// Whether the command runs other programs, so that its own words don't show everything.
    pub runs_others: bool,
    /// Whether the command is part of a line for a shell. A shell may still read the words of other commands.
    pub is_in_line: bool,
}

/// A word of a shell line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellWord {
    /// The word, without its quotes.
    Literal(String),
    /// A word that the shell expands, as it is written. It may become several words, or none.
    Undecided(String),
}

/// A file that a command reads from or writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Redirection {
    /// Whether the file is written.
    pub is_write: bool,
    /// The file.
    pub target: ShellWord,
}

impl Redirection {
    /// Text in the line itself, as standard input.
    pub(super) fn of_text() -> Redirection {
        Redirection {
            is_write: false,
            target: ShellWord::Literal("/dev/stdin".to_owned()),
        }
    }
}

impl ShellLine {
    /// Splits a command. Several words are executed as they are; a single word that is not plain is a line for a shell.
    pub fn of(command: &[String]) -> ShellLine {
        let mut scanner = LineScanner::default();
        match without_variables(command) {
            ([line], variables) if !is_plain(line) => {
                scanner.add_line(line);
                for (name, value) in variables {
                    scanner.add_variable(name, ShellWord::Literal(value));
                }
            }
            ([], _) => scanner.doubt("it does not say what it runs"),
            _ if command.len() > super::MAX_WORDS => scanner.doubt("it has too many words"),
            _ if !is_plain(&command[0]) => scanner.doubt("its program has no plain name"),
            _ if is_read_by_shell(&command[0]) && command.iter().all(|word| is_plain(word)) => {
                scanner.add_line(&command.join(" "));
            }
            _ => scanner.add_command(SimpleCommand {
                words: command.iter().cloned().map(ShellWord::Literal).collect(),
                ..SimpleCommand::default()
            }),
        }
        scanner.finish()
    }

    /// Whether the parts are everything the line runs, and each program among them is known.
    pub fn is_decidable(&self) -> bool {
        let has_program = |part: &SimpleCommand| match part.words.first() {
            Some(program) => program.literal().is_some(),
            None => true,
        };
        self.doubt.is_none() && self.parts.iter().all(has_program)
    }
}

/// Whether a word means something to a shell at the start of a line, even if everything after it is plain.
fn is_read_by_shell(word: &str) -> bool {
    let reserved = "if then elif else fi while until do done for case esac select function coproc time noglob nocorrect \
                    repeat foreach end -";
    word.contains('=') || reserved.split_ascii_whitespace().any(|it| it == word)
}

/// The command without its variables, and the variables: a shell line with variables is written as `env NAME=value
/// LINE`.
fn without_variables(command: &[String]) -> (&[String], Vec<(String, String)>) {
    let [env, rest @ .., _] = command else {
        return (command, Vec::new());
    };
    let variables: Option<Vec<_>> = rest.iter().map(|word| wrappers::assignment(word)).collect();
    match variables {
        Some(variables) if env == "env" && !variables.is_empty() => {
            (&command[command.len() - 1..], variables)
        }
        _ => (command, Vec::new()),
    }
}

impl SimpleCommand {
    /// Whether the command does nothing but run another part.
    pub(crate) fn is_transparent(&self) -> bool {
        // No other part shows the files that it opens.
        let mut files = self.redirections.iter();
        self.runs_others
            && wrappers::is_transparent(self)
            && files.all(|file| file.target.literal() == Some("/dev/null"))
    }

    /// The words, if all of them are known.
    pub(crate) fn literal_words(&self) -> Option<Vec<&str>> {
        self.words.iter().map(CommandWord::literal).collect()
    }

    /// Whether the words are executed as they are.
    pub(crate) fn is_exact(&self) -> bool {
        let mut words = self.words.iter();
        self.is_in_line || words.all(|word| word.literal().is_some_and(is_plain))
    }

    /// The program without its directory, in lower case; `None` if it is unknown.
    pub(crate) fn program(&self) -> Option<String> {
        self.words.first()?.literal().map(super::base_name)
    }
}

impl CommandWord for ShellWord {
    fn literal(&self) -> Option<&str> {
        match self {
            ShellWord::Literal(text) => Some(text),
            ShellWord::Undecided(_) => None,
        }
    }
}

impl fmt::Display for ShellWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShellWord::Undecided(text) => f.write_str(text),
            ShellWord::Literal(text) if is_plain(text) || text == "{}" => f.write_str(text),
            ShellWord::Literal(text) => f.write_str(&shell::single_quoted(text)),
        }
    }
}

impl fmt::Display for SimpleCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables = self.assignments.iter();
        let variables = variables.map(|(name, value)| format!("{name}={value}"));
        let words = self.words.iter().map(ShellWord::to_string);
        let files = self.redirections.iter().map(|file| match file.is_write {
            true => format!("> {}", file.target),
            false => format!("< {}", file.target),
        });
        let all: Vec<String> = variables.chain(words).chain(files).collect();
        f.write_str(&all.join(" "))
    }
}
