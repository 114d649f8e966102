//! Splits a line for a shell. `brush-parser` makes tokens of it; which of them begin a command is decided here, in one
//! pass and without recursion over the grammar, so that hostile nesting costs nothing. Whatever shells read in
//! different ways makes the line undecided.

mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::{Token, TokenizerOptions, uncached_tokenize_str};

use super::MAX_BYTES;
use super::expansion;
use super::line::{Redirection, ShellLine, ShellWord, SimpleCommand};
use super::variables::{self, VariableSetting};
use super::wrappers::{self, InnerCommands};
use words::substitutions;

/// Collects the simple commands of a line and of everything inside it.
#[derive(Default)]
pub(super) struct LineScanner {
    found: ShellLine,
    depth: usize,
    /// How many lines are being read.
    lines: usize,
    /// Variables that are set anywhere.
    settings: Vec<VariableSetting>,
    /// Variables that are set if the shell reads assignments after a program.
    behind: Vec<VariableSetting>,
    /// Variables whose values arithmetic evaluates as expressions.
    calculated: Vec<String>,
    /// Whether the shell may export everything that is set, and read assignments anywhere.
    is_changed: bool,
}

type Tokens<'a> = std::iter::Peekable<std::slice::Iter<'a, Token>>;

/// Where in a line the scanner is.
#[derive(Default)]
struct LinePosition {
    current: SimpleCommand,
    /// Open `case` clauses.
    cases: usize,
    /// Whether patterns of a `case` clause come next.
    in_pattern: bool,
    /// Whether some shells end a command here, and others do not.
    is_ambiguous: bool,
    /// Whether the command has redirections, of files or descriptors.
    is_redirected: bool,
    /// Whether a loop, a group or the like has just ended, so that redirections belong to it.
    is_behind_compound: bool,
}

impl LineScanner {
    pub(super) fn finish(mut self) -> ShellLine {
        let is_expression = |setting: &VariableSetting| match &setting.value {
            Some(ShellWord::Literal(text) | ShellWord::Undecided(text)) => {
                self.calculated.contains(&setting.name) && !expansion::is_number(text)
            }
            None => false,
        };
        if self.settings.iter().any(is_expression) {
            self.mark_unreadable("it calculates with a value that may be code");
        }
        if self.is_changed {
            self.settings.append(&mut self.behind);
        }
        self.found.variables = variables::seen_by_programs(&self.settings, self.is_changed);
        self.found
    }

    /// Records that the line may run anything, and set any variable for it.
    fn mark_unreadable(&mut self, why: &'static str) {
        self.settings
            .push(VariableSetting::unknown("shell line", true));
        self.doubt(why);
    }

    pub(super) fn doubt(&mut self, why: &'static str) {
        self.found.doubt.get_or_insert(why);
    }

    /// Splits a line that a shell would read.
    pub(super) fn add_line(&mut self, text: &str) {
        if self.depth >= MAX_DEPTH || self.found.parts.len() >= MAX_PARTS {
            return self.mark_unreadable("it is nested too deeply");
        }
        if text.len() > MAX_BYTES || substitutions(text) > MAX_SUBSTITUTIONS {
            return self.mark_unreadable("it is too long or has too many substitutions");
        }
        if text
            .chars()
            .any(|char| char.is_control() && !matches!(char, '\n' | '\t'))
        {
            return self.mark_unreadable("it contains control characters");
        }
        let Some(tokens) = tokens(text) else {
            return self.mark_unreadable("it is not a complete shell line");
        };
        self.depth += 1;
        self.lines += 1;
        let mut position = LinePosition::default();
        let mut tokens = tokens.iter().peekable();
        let mut before: Option<&Token> = None;
        while let Some(token) = tokens.next() {
            match token {
                _ if position.in_pattern => self.pattern(&mut position, token),
                Token::Operator(operator, _) if is_redirection(operator) => {
                    let descriptor = before.filter(|word| is_descriptor(word, token));
                    if let Some(Token::Word(descriptor, _)) = descriptor {
                        position.current.words.pop();
                        self.descriptor(descriptor);
                    }
                    self.redirection(&mut position, operator, &mut tokens);
                }
                Token::Operator(operator, place) => {
                    if is_twice(token, tokens.peek().copied()) {
                        self.arithmetic_command(text.chars().skip(place.start.index).collect());
                    }
                    let is_open =
                        matches!(before, Some(Token::Operator(before, _)) if before == "(");
                    if is_open && operator == ")" {
                        self.doubt("it defines a function or an array");
                    }
                    self.separator(&mut position, operator);
                }
                Token::Word(text, _) => self.word(&mut position, text, &mut tokens),
            }
            before = Some(token);
        }
        self.end_of_command(&mut position);
        self.depth -= 1;
        self.lines -= 1;
    }

    /// Adds a simple command, with what it would run in turn.
    pub(super) fn add_command(&mut self, command: SimpleCommand) {
        if command == SimpleCommand::default() {
            return;
        }
        if self.found.parts.len() >= MAX_PARTS {
            return self.mark_unreadable("it runs too many commands");
        }
        let settings = variables::set_by(&command);
        for (name, value) in &command.assignments {
            let is_set = settings.iter().any(|it| it.name == *name);
            match command.words.is_empty() {
                // Only the shell sees it, unless it has the name of one that counts elsewhere.
                true if variables::is_local_name(name) => {}
                _ if !is_set || variables::is_free(name, value) => {}
                _ => self.doubt("it sets variables that may change what runs"),
            }
        }
        self.settings.extend(settings);
        let inner = wrappers::inner(&command);
        if !matches!(inner, InnerCommands::Line(_) | InnerCommands::Changed(..)) {
            self.behind.extend(variables::set_behind(&command));
        }
        let changes_shell = matches!(
            command.program().as_deref(),
            Some("set" | "setopt" | "unsetopt" | "shopt" | "emulate")
        );
        self.is_changed |= changes_shell && matches!(inner, InnerCommands::Doubt(_));
        self.found.parts.push(SimpleCommand {
            is_inner: self.depth > 1,
            runs_others: !matches!(inner, InnerCommands::Nothing),
            is_in_line: self.lines > 0,
            ..command
        });
        match inner {
            InnerCommands::Nothing => {}
            InnerCommands::Doubt(why) => self.doubt(why),
            InnerCommands::Line(text) => self.add_line(&text),
            InnerCommands::Changed(lines, why) => {
                self.doubt(why);
                self.is_changed = true;
                lines.iter().for_each(|text| self.add_line(text));
            }
            InnerCommands::Known(commands) => self.add_inner_commands(commands),
            InnerCommands::Guess(commands) => {
                self.doubt("one of its programs runs others");
                self.add_inner_commands(commands);
            }
        }
    }

    fn add_inner_commands(&mut self, commands: Vec<SimpleCommand>) {
        self.depth += 1;
        match self.depth < MAX_DEPTH {
            true => commands.into_iter().for_each(|it| self.add_command(it)),
            false => self.mark_unreadable("it is nested too deeply"),
        }
        self.depth -= 1;
    }

    /// Adds a variable that is set for the whole line.
    pub(super) fn add_variable(&mut self, name: String, value: ShellWord) {
        if !variables::is_free(&name, &value) {
            self.doubt("it sets variables that may change what runs");
        }
        self.settings.push(VariableSetting {
            name,
            value: Some(value),
            is_exported: true,
        });
    }

    fn separator(&mut self, position: &mut LinePosition, operator: &str) {
        let is_open = operator == "(" && position.current != SimpleCommand::default();
        if is_open {
            self.doubt("it defines a function or an array");
        }
        self.end_of_command(position);
        position.is_ambiguous = false;
        position.is_behind_compound = operator == ")";
        position.in_pattern = position.cases > 0 && matches!(operator, ";;" | ";&" | ";;&");
    }

    fn end_of_command(&mut self, position: &mut LinePosition) {
        let command = std::mem::take(&mut position.current);
        let is_redirected = std::mem::take(&mut position.is_redirected);
        let is_behind_compound = std::mem::take(&mut position.is_behind_compound);
        let has_words = !command.words.is_empty() || !command.assignments.is_empty();
        if is_redirected && !is_behind_compound && !has_words {
            self.doubt("zsh runs a program for a redirection without one");
        }
        self.add_command(command);
    }

    fn pattern(&mut self, position: &mut LinePosition, token: &Token) {
        match token {
            Token::Operator(operator, _) if operator == ")" => position.in_pattern = false,
            Token::Word(text, _) if text == "esac" => {
                position.in_pattern = false;
                position.is_behind_compound = true;
                position.cases = position.cases.saturating_sub(1);
            }
            Token::Word(text, _) => drop(self.resolve(text)),
            Token::Operator(..) => {}
        }
    }

    fn word(&mut self, position: &mut LinePosition, text: &str, tokens: &mut Tokens<'_>) {
        let is_first = position.current == SimpleCommand::default();
        if position.is_ambiguous {
            self.doubt("shells read `&>` in different ways");
        }
        match text {
            "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "{" | "!" if is_first => {}
            "fi" | "done" | "}" if is_first => position.is_behind_compound = true,
            "time" if is_first => {
                let is_option =
                    |token: &&Token| matches!(token, Token::Word(next, _) if next.starts_with('-'));
                while tokens.next_if(is_option).is_some() {
                    self.doubt("`time` has options");
                }
            }
            "for" if is_first => self.for_clause(tokens),
            "select" if is_first => {
                self.doubt("it uses a feature of one shell");
                self.for_clause(tokens);
            }
            // Commands follow their names.
            "function" | "repeat" | "coproc" if is_first => {
                self.doubt("it uses a feature of one shell");
                self.name_in_front(text, tokens);
            }
            "case" if is_first => {
                if let Some(Token::Word(value, _)) = tokens.next() {
                    self.resolve(value);
                }
                tokens.next();
                position.cases += 1;
                position.in_pattern = true;
            }
            "esac" if is_first && position.cases > 0 => {
                position.is_behind_compound = true;
                position.cases -= 1;
            }
            "[[" if is_first => {
                position.is_behind_compound = true;
                self.test(tokens);
            }
            "foreach" | "end" | "nocorrect" | "noglob" | "-" if is_first => {
                self.doubt("it uses a feature of one shell");
            }
            _ => match assigned(text) {
                Some((name, value)) if position.current.words.is_empty() => {
                    if let Some((_, subscript)) = text.split_once('[')
                        && name.contains('[')
                    {
                        self.subscript(subscript);
                    }
                    let value = self.resolve(value);
                    position.current.assignments.push((name.to_owned(), value));
                }
                _ => {
                    let word = self.resolve(text);
                    position.current.words.push(word);
                }
            },
        }
    }

    fn for_clause(&mut self, tokens: &mut Tokens<'_>) {
        const UNSAFE: &str = "its loop sets a variable that may change what runs";
        let name = match tokens.next_if(|token| matches!(token, Token::Word(..))) {
            Some(Token::Word(name, _)) => name,
            _ => return self.doubt(UNSAFE),
        };
        if !variables::is_local_name(name) {
            self.doubt(UNSAFE);
        }
        let mut is_number = true;
        while let Some(Token::Word(text, _)) = tokens.peek() {
            // Without `in` the body follows.
            if text == "do" {
                break;
            }
            is_number &= text == "in" || expansion::is_number(text);
            self.resolve(text);
            tokens.next();
        }
        if matches!(tokens.peek(), Some(Token::Operator(operator, _)) if operator == "(") {
            self.doubt("it uses a feature of one shell");
        }
        self.settings.push(match is_number {
            true => VariableSetting::number(name.clone()),
            false => VariableSetting::unknown(name, false),
        });
    }

    /// Skips the name of a function or process, or the count of `repeat`, which are in front of a command.
    fn name_in_front(&mut self, keyword: &str, tokens: &mut Tokens<'_>) {
        if keyword == "coproc" {
            let mut ahead = tokens.clone().take(2);
            let (name, next) = (ahead.next(), ahead.next());
            let is_command = match next {
                Some(Token::Word(next, _)) => !COMPOUND.contains(&next.as_str()),
                Some(Token::Operator(next, _)) => next != "(",
                None => true,
            };
            self.settings
                .push(VariableSetting::unknown("COPROC", false));
            match name {
                Some(Token::Word(name, _)) if !is_command => {
                    self.settings.push(VariableSetting::unknown(name, false));
                    let process = format!("{name}_PID");
                    self.settings
                        .push(VariableSetting::unknown(&process, false));
                }
                _ => return,
            }
        }
        if let Some(Token::Word(name, _)) = tokens.next_if(|token| matches!(token, Token::Word(..)))
        {
            self.resolve(name);
        }
    }

    /// `[[ … ]]` runs nothing but what its words substitute or calculate.
    fn test(&mut self, tokens: &mut Tokens<'_>) {
        let mut words = Vec::new();
        for token in tokens {
            match token {
                Token::Word(text, _) if text == "]]" => return self.comparison(&words),
                Token::Word(text, _) => {
                    self.resolve(text);
                    words.push(text.as_str());
                }
                // In a shell without `[[` a command follows.
                Token::Operator(..) => self.doubt("it uses a feature of one shell"),
            }
        }
        self.mark_unreadable("it is not a complete shell line");
    }

    fn redirection(
        &mut self,
        position: &mut LinePosition,
        operator: &str,
        tokens: &mut Tokens<'_>,
    ) {
        let Some(Token::Word(text, _)) = tokens.next_if(|token| matches!(token, Token::Word(..)))
        else {
            return self.doubt("it substitutes a process for a file");
        };
        position.is_ambiguous |= operator.starts_with('&');
        position.is_redirected = true;
        match operator {
            "<<" | "<<-" => {
                let body = tokens.next();
                tokens.next();
                let is_quoted = text.contains(['\'', '"', '\\']);
                position.current.redirections.push(Redirection::of_text());
                if let Some(Token::Word(body, _)) = body
                    && !is_quoted
                    && body.contains(['$', '`'])
                {
                    self.substituted_in_text(body);
                }
            }
            "<<<" => {
                self.resolve(text);
                position.current.redirections.push(Redirection::of_text());
            }
            ">&" | "<&"
                if text
                    .chars()
                    .all(|char| char.is_ascii_digit() || char == '-') => {}
            _ => {
                let target = self.resolve(text);
                let is_write = operator != "<" && operator != "<&";
                position
                    .current
                    .redirections
                    .push(Redirection { is_write, target });
            }
        }
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    // Without extended patterns `!(x)` is a command, as in most shells.
    let options = TokenizerOptions {
        enable_extended_globbing: false,
        ..TokenizerOptions::default()
    };
    let read = catch_unwind(AssertUnwindSafe(|| uncached_tokenize_str(text, &options)));
    read.ok()?.ok()
}

/// Whether an operator is the first of `((`.
fn is_twice(token: &Token, next: Option<&Token>) -> bool {
    match (token, next) {
        (Token::Operator(first, place), Some(Token::Operator(second, behind))) => {
            first == "(" && second == "(" && place.end.index == behind.start.index
        }
        _ => false,
    }
}

fn is_redirection(operator: &str) -> bool {
    operator.contains(['<', '>'])
}

/// Whether a word is the descriptor in front of a redirection: `2>` or `{fd}>`, but not `2 >`.
fn is_descriptor(word: &Token, operator: &Token) -> bool {
    let is_number = |text: &str| {
        text.chars().all(|char| char.is_ascii_digit())
            || (text.len() > 2 && text.starts_with('{') && text.ends_with('}'))
    };
    match (word, operator) {
        (Token::Word(text, place), Token::Operator(_, behind)) => {
            is_number(text) && place.end.index == behind.start.index
        }
        _ => false,
    }
}

/// The name and value of `name=value` or `name+=value`. The name of an array element is not a variable's name.
fn assigned(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    let plain = name.split('[').next().unwrap_or(name);
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let begins = plain
        .chars()
        .next()
        .is_some_and(|char| !char.is_ascii_digit());
    (begins && plain.chars().all(is_name)).then_some((name, value))
}

/// Words that begin a compound command.
const COMPOUND: [&str; 9] = [
    "{", "[[", "if", "while", "until", "for", "case", "select", "((",
];
const MAX_DEPTH: usize = 6;
const MAX_PARTS: usize = 256;
/// The tokenizer recurses into each.
const MAX_SUBSTITUTIONS: usize = 16;
