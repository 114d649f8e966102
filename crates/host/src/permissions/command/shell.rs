//! Splits a line for a shell. `brush-parser` makes tokens of it; which of them begin a command is decided here, in one
//! pass and without recursion over the grammar, so that hostile nesting costs nothing. What shells read in different ways
//! makes the line undecided.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::word::{self, WordPiece, WordPieceWithSource};
use brush_parser::{ParserOptions, Token, TokenizerOptions, uncached_tokenize_str};

use super::line::{Redirection, ShellLine, ShellWord, SimpleCommand};
use super::variables::{self, Setting};
use super::wrappers::{self, Inner};
use super::{MAX_BYTES, word as literal};

/// Collects the simple commands of a line and of everything inside it.
#[derive(Default)]
pub(super) struct Scanner {
    found: ShellLine,
    depth: usize,
    /// Lines that are being read.
    lines: usize,
    /// Variables that are set anywhere.
    settings: Vec<Setting>,
    /// Whether the shell exports all that is set.
    exports_all: bool,
}

/// Where in a line the scanner is.
#[derive(Default)]
struct Position {
    current: SimpleCommand,
    /// `case` clauses that are open.
    cases: usize,
    /// Whether patterns of a `case` clause come next.
    in_pattern: bool,
    /// Whether some shells end a command here, and others do not.
    is_ambiguous: bool,
}

impl Scanner {
    pub(super) fn finish(mut self) -> ShellLine {
        self.found.variables = variables::seen_by_programs(&self.settings, self.exports_all);
        self.found
    }

    pub(super) fn doubt(&mut self, why: &'static str) {
        self.found.doubt.get_or_insert(why);
    }

    /// Splits a line that a shell would read.
    pub(super) fn line(&mut self, text: &str) {
        if self.depth >= MAX_DEPTH || self.found.parts.len() >= MAX_PARTS {
            return self.doubt("it is nested too deeply");
        }
        if text.len() > MAX_BYTES || substitutions(text) > MAX_SUBSTITUTIONS {
            return self.doubt("it is too long or has too many substitutions");
        }
        if text
            .chars()
            .any(|char| char.is_control() && !matches!(char, '\n' | '\t'))
        {
            return self.doubt("it contains control characters");
        }
        let Some(tokens) = tokens(text) else {
            return self.doubt("it is not a complete shell line");
        };
        self.depth += 1;
        self.lines += 1;
        let mut position = Position::default();
        let mut tokens = tokens.iter().peekable();
        let mut before: Option<&Token> = None;
        while let Some(token) = tokens.next() {
            match token {
                _ if position.in_pattern => self.pattern(&mut position, token),
                Token::Operator(operator, _) if is_redirection(operator) => {
                    let descriptor = before.filter(|word| is_descriptor(word, token));
                    if descriptor.is_some() {
                        position.current.words.pop();
                    }
                    self.redirection(&mut position, operator, &mut tokens);
                }
                Token::Operator(operator, _) => self.separator(&mut position, operator),
                Token::Word(text, _) => self.word(&mut position, text, &mut tokens),
            }
            before = Some(token);
        }
        self.simple(position.current);
        self.depth -= 1;
        self.lines -= 1;
    }

    /// Takes a simple command, with what it would run in turn.
    pub(super) fn simple(&mut self, command: SimpleCommand) {
        if command == SimpleCommand::default() {
            return;
        }
        if self.found.parts.len() >= MAX_PARTS {
            return self.doubt("it runs too many commands");
        }
        let settings = variables::set_by(&command);
        for (name, value) in &command.assignments {
            let is_set = settings.iter().any(|it| it.name == *name);
            match command.words.is_empty() {
                // The shell alone sees it, unless it has the name of one that counts elsewhere.
                true if variables::is_local_name(name) => {}
                _ if !is_set || variables::is_free(name, value) => {}
                _ => self.doubt("it sets variables that may change what runs"),
            }
        }
        self.settings.extend(settings);
        let inner = wrappers::inner(&command);
        let changes_shell = matches!(
            command.program().as_deref(),
            Some("set" | "setopt" | "shopt")
        );
        self.exports_all |= changes_shell && matches!(inner, Inner::Doubt(_));
        self.found.parts.push(SimpleCommand {
            is_inner: self.depth > 1,
            runs_others: !matches!(inner, Inner::Nothing),
            is_in_line: self.lines > 0,
            ..command
        });
        match inner {
            Inner::Nothing => {}
            Inner::Doubt(why) => self.doubt(why),
            Inner::Line(text) => self.line(&text),
            Inner::Commands(commands) => self.nested(commands),
            Inner::Guess(commands) => {
                self.doubt("one of its programs runs others");
                self.nested(commands);
            }
        }
    }

    fn nested(&mut self, commands: Vec<SimpleCommand>) {
        self.depth += 1;
        match self.depth < MAX_DEPTH {
            true => commands.into_iter().for_each(|it| self.simple(it)),
            false => self.doubt("it is nested too deeply"),
        }
        self.depth -= 1;
    }

    /// A variable that the whole line is given.
    pub(super) fn variable(&mut self, name: String, value: ShellWord) {
        if !variables::is_free(&name, &value) {
            self.doubt("it sets variables that may change what runs");
        }
        self.settings.push(Setting {
            name,
            value: Some(value),
            is_exported: true,
        });
    }

    fn separator(&mut self, position: &mut Position, operator: &str) {
        let is_open = operator == "(" && position.current != SimpleCommand::default();
        if is_open {
            self.doubt("it defines a function or an array");
        }
        self.simple(std::mem::take(&mut position.current));
        position.is_ambiguous = false;
        position.in_pattern = position.cases > 0 && matches!(operator, ";;" | ";&" | ";;&");
    }

    fn pattern(&mut self, position: &mut Position, token: &Token) {
        match token {
            Token::Operator(operator, _) if operator == ")" => position.in_pattern = false,
            Token::Word(text, _) if text == "esac" => {
                position.in_pattern = false;
                position.cases = position.cases.saturating_sub(1);
            }
            Token::Word(text, _) => drop(self.resolve(text)),
            Token::Operator(..) => {}
        }
    }

    fn word<'a>(
        &mut self,
        position: &mut Position,
        text: &str,
        tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a Token>>,
    ) {
        let is_first = position.current == SimpleCommand::default();
        if position.is_ambiguous {
            self.doubt("shells read `&>` in different ways");
        }
        match text {
            "if" | "then" | "elif" | "else" | "fi" | "while" | "until" | "do" | "done" | "{"
            | "}" | "!"
                if is_first => {}
            "time" if is_first => match tokens.peek() {
                Some(Token::Word(next, _)) if next.starts_with('-') => {
                    self.doubt("`time` has options");
                }
                _ => {}
            },
            "for" if is_first => self.for_clause(tokens),
            "case" if is_first => {
                if let Some(Token::Word(value, _)) = tokens.next() {
                    self.resolve(value);
                }
                tokens.next();
                position.cases += 1;
                position.in_pattern = true;
            }
            "esac" if is_first && position.cases > 0 => position.cases -= 1,
            "[[" if is_first => self.test(tokens),
            "select" | "function" | "coproc" | "foreach" | "repeat" | "end" | "nocorrect"
            | "noglob" | "-"
                if is_first =>
            {
                self.doubt("it uses a feature of one shell");
            }
            _ => match assigned(text) {
                Some((name, value)) if position.current.words.is_empty() => {
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

    fn for_clause<'a>(
        &mut self,
        tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a Token>>,
    ) {
        match tokens.next() {
            Some(Token::Word(name, _)) if variables::is_local_name(name) => {}
            Some(Token::Word(name, _)) => {
                self.settings.push(Setting::unknown(name, false));
                self.doubt("its loop sets a variable that may change what runs");
            }
            _ => self.doubt("its loop sets a variable that may change what runs"),
        }
        while let Some(Token::Word(text, _)) = tokens.peek() {
            // Without `in` the body follows.
            if text == "do" {
                break;
            }
            self.resolve(text);
            tokens.next();
        }
    }

    /// `[[ … ]]` runs nothing but what its words substitute.
    fn test<'a>(&mut self, tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a Token>>) {
        for token in tokens {
            match token {
                Token::Word(text, _) if text == "]]" => return,
                Token::Word(text, _) => drop(self.resolve(text)),
                // To a shell without `[[` a command follows.
                Token::Operator(..) => self.doubt("it uses a feature of one shell"),
            }
        }
        self.doubt("it is not a complete shell line");
    }

    fn redirection<'a>(
        &mut self,
        position: &mut Position,
        operator: &str,
        tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a Token>>,
    ) {
        let Some(Token::Word(text, _)) = tokens.next_if(|token| matches!(token, Token::Word(..)))
        else {
            return self.doubt("it substitutes a process for a file");
        };
        position.is_ambiguous |= operator.starts_with('&');
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
                    self.substituted(body);
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

    /// The word without its quotes. What it substitutes is looked at as well.
    fn resolve(&mut self, text: &str) -> ShellWord {
        match literal::literal(text) {
            Some(literal) => ShellWord::Literal(literal),
            None => {
                self.substituted(text);
                ShellWord::Undecided(text.to_owned())
            }
        }
    }

    /// Looks into the commands that a text substitutes.
    fn substituted(&mut self, text: &str) {
        if substitutions(text) == 0 {
            return;
        }
        let pieces = catch_unwind(|| word::parse(text, &ParserOptions::default()));
        match pieces {
            Ok(Ok(pieces)) => self.pieces(&pieces),
            _ => self.doubt("a substitution in it cannot be read"),
        }
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource]) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::CommandSubstitution(text) => self.line(text),
                WordPiece::BackquotedCommandSubstitution(text) if text.contains('\\') => {
                    self.doubt("a substitution in it cannot be read");
                }
                WordPiece::BackquotedCommandSubstitution(text) => self.line(text),
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => self.pieces(inner),
                WordPiece::ParameterExpansion(expansion) => {
                    if substitutions(&format!("{expansion:?}")) > 0 {
                        self.doubt("a substitution in it cannot be read");
                    }
                }
                WordPiece::ArithmeticExpression(expression) => {
                    if substitutions(&expression.value) > 0 {
                        self.doubt("a substitution in it cannot be read");
                    }
                }
                WordPiece::Text(_)
                | WordPiece::SingleQuotedText(_)
                | WordPiece::AnsiCQuotedText(_)
                | WordPiece::TildePrefix(_)
                | WordPiece::EscapeSequence(_) => {}
            }
        }
    }
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    // Without extended patterns `!(x)` is a command, as it is to most shells.
    let options = TokenizerOptions {
        enable_extended_globbing: false,
        ..TokenizerOptions::default()
    };
    let read = catch_unwind(AssertUnwindSafe(|| uncached_tokenize_str(text, &options)));
    read.ok()?.ok()
}

/// How many substitutions a text has at most, whatever is quoted.
fn substitutions(text: &str) -> usize {
    let bytes = text.as_bytes();
    let pairs = bytes.windows(2).filter(|pair| {
        matches!(
            pair,
            [b'$', b'(' | b'{' | b'['] | [b'<' | b'>' | b'=', b'(']
        )
    });
    pairs.count() + bytes.iter().filter(|byte| **byte == b'`').count()
}

fn is_redirection(operator: &str) -> bool {
    operator.contains(['<', '>'])
}

/// Whether a word is the number of a descriptor in front of a redirection: `2>`, and not `2 >`.
fn is_descriptor(word: &Token, operator: &Token) -> bool {
    let is_number = |text: &str| text.chars().all(|char| char.is_ascii_digit());
    match (word, operator) {
        (Token::Word(text, place), Token::Operator(_, behind)) => {
            is_number(text) && place.end.index == behind.start.index
        }
        _ => false,
    }
}

/// The name and value of `name=value`, also with `+=`. One of an array's elements has a name that is no variable's.
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

const MAX_DEPTH: usize = 6;
const MAX_PARTS: usize = 256;
/// The tokenizer recurses into each.
const MAX_SUBSTITUTIONS: usize = 16;
