//! The words of a line: what they substitute, calculate and set.

use std::panic::catch_unwind;

use brush_parser::ParserOptions;
use brush_parser::word::{self, WordPiece, WordPieceWithSource};

use super::super::expansion::{self, Parameter};
use super::super::line::ShellWord;
use super::super::variables::{self, VariableSetting};
use super::super::word as literal;
use super::LineScanner;
use attache_text::shell::is_plain;

impl LineScanner {
    /// The word without its quotes. Also analyses what it substitutes.
    pub(super) fn resolve(&mut self, text: &str) -> ShellWord {
        match literal::literal(text) {
            Some(literal) => ShellWord::Literal(literal),
            None => {
                self.substituted(text);
                ShellWord::Undecided(text.to_owned())
            }
        }
    }

    /// Analyses the commands that a text substitutes.
    pub(super) fn substituted(&mut self, text: &str) {
        if substitutions(text) == 0 {
            return;
        }
        let pieces = catch_unwind(|| word::parse(text, &ParserOptions::default()));
        match pieces {
            // An old spelling of `$((`.
            _ if text.contains("$[") => self.mark_unreadable("a substitution in it cannot be read"),
            Ok(Ok(pieces)) => self.pieces(text, &pieces),
            _ => self.mark_unreadable("a substitution in it cannot be read"),
        }
    }

    /// Analyses a text in which quotes are ordinary characters.
    pub(super) fn substituted_in_text(&mut self, text: &str) {
        let quotes = ['\'', '"'];
        let runs_commands = text.contains('`') || text.replace("$((", "").contains("$(");
        match text.contains(quotes) && substitutions(text) > 0 {
            // Inside a command they are quotes.
            true if runs_commands => {
                self.substituted(text);
                self.substituted(&text.replace(quotes, " "));
                self.mark_unreadable("a substitution in it cannot be read");
            }
            true => self.substituted(&text.replace(quotes, " ")),
            false => self.substituted(text),
        }
    }

    pub(super) fn pieces(&mut self, text: &str, pieces: &[WordPieceWithSource]) {
        for piece in pieces {
            match &piece.piece {
                WordPiece::CommandSubstitution(text) => self.add_line(text),
                WordPiece::BackquotedCommandSubstitution(text) if text.contains('\\') => {
                    self.mark_unreadable("a substitution in it cannot be read");
                }
                WordPiece::BackquotedCommandSubstitution(text) => self.add_line(text),
                WordPiece::DoubleQuotedSequence(inner)
                | WordPiece::GettextDoubleQuotedSequence(inner) => self.pieces(text, inner),
                WordPiece::ParameterExpansion(_) => {
                    match text.get(piece.start_index..piece.end_index) {
                        Some(written) => self.parameter(written),
                        None => self.mark_unreadable("a substitution in it cannot be read"),
                    }
                }
                WordPiece::ArithmeticExpression(expression) => self.arithmetic(&expression.value),
                WordPiece::Text(_)
                | WordPiece::SingleQuotedText(_)
                | WordPiece::AnsiCQuotedText(_)
                | WordPiece::TildePrefix(_)
                | WordPiece::EscapeSequence(_) => {}
            }
        }
    }

    /// Analyses `$x` or `${…}`, as it is written.
    pub(super) fn parameter(&mut self, written: &str) {
        let Some(inside) = written.strip_prefix("${") else {
            return;
        };
        let inside = inside.strip_suffix('}').and_then(expansion::parameter);
        let word = match inside {
            None => return self.mark_unreadable("a substitution in it cannot be read"),
            Some(Parameter::Sets { name, word }) => {
                let value = match is_plain(word) {
                    true => ShellWord::Literal(word.to_owned()),
                    false => ShellWord::Undecided(word.to_owned()),
                };
                self.add_setting(VariableSetting {
                    name: name.to_owned(),
                    value: Some(value),
                    is_exported: false,
                });
                word
            }
            Some(Parameter::Reads { arithmetic, word }) => {
                arithmetic.into_iter().for_each(|it| self.arithmetic(it));
                word
            }
        };
        if substitutions(word) > 0 {
            self.doubt("a substitution in it cannot be read");
            self.substituted_in_text(word);
        }
    }

    pub(super) fn comparison(&mut self, words: &[&str]) {
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).copied().unwrap_or_default();
            match *word {
                "-v" | "-R" if !expansion::is_name(next) => {
                    self.mark_unreadable("it calculates with a value that may be code");
                }
                "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                    let before = at.checked_sub(1).and_then(|at| words.get(at));
                    for operand in [before.copied().unwrap_or_default(), next] {
                        let inside = operand
                            .strip_prefix('"')
                            .and_then(|it| it.strip_suffix('"'));
                        let operand = inside.unwrap_or(operand);
                        // It has been analysed as a word.
                        if !expansion::is_number(operand) {
                            self.arithmetic(operand);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Some shells store a number in the variable of `{name}` before a redirection; for others it is a program.
    pub(super) fn descriptor(&mut self, text: &str) {
        let Some(name) = text.strip_prefix('{').and_then(|it| it.strip_suffix('}')) else {
            return;
        };
        match expansion::is_name(name) {
            true => self.add_setting(VariableSetting::number(name.to_owned())),
            false => self.mark_unreadable("its descriptor has no plain name"),
        }
        self.doubt("it uses a feature of one shell");
    }

    /// Analyses what is between brackets.
    pub(super) fn subscript(&mut self, text: &str) {
        match text.split_once(']') {
            Some((subscript, _)) => self.arithmetic(subscript),
            None => self.mark_unreadable("it calculates with a value that may be code"),
        }
    }

    /// Analyses `((…))` and `for ((…))`, from there to the end of the line. Commands in parentheses are analysed as
    /// commands.
    pub(super) fn arithmetic_command(&mut self, text: String) {
        let mut depth = 0_usize;
        let end = text.find(|char| {
            match char {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        });
        let inside = end.and_then(|end| text[..end].strip_prefix("((")?.strip_suffix(')'));
        self.doubt("it uses a feature of one shell");
        if let Some(inside) = inside {
            self.arithmetic(&inside.replace(';', ","));
        }
    }

    /// Analyses an arithmetic expression.
    pub(super) fn arithmetic(&mut self, text: &str) {
        match expansion::arithmetic(text) {
            Some(found) => self.add_arithmetic(found),
            None => self.mark_unreadable("it calculates with a value that may be code"),
        }
    }

    pub(super) fn add_arithmetic(&mut self, found: expansion::Arithmetic) {
        self.calculated.extend(found.reads);
        for name in found.sets {
            // `x += 1` reads it as well.
            self.calculated.push(name.clone());
            self.add_setting(VariableSetting::number(name));
        }
    }

    /// Records a variable that an expansion sets in the shell.
    pub(super) fn add_setting(&mut self, setting: VariableSetting) {
        let is_free = match &setting.value {
            Some(value) => variables::is_free(&setting.name, value),
            None => true,
        };
        if !is_free && !variables::is_local_name(&setting.name) {
            self.doubt("it sets variables that may change what runs");
        }
        self.settings.push(setting);
    }
}

/// How many substitutions a text has at most, however it is quoted.
pub(super) fn substitutions(text: &str) -> usize {
    let bytes = text.as_bytes();
    let pairs = bytes.windows(2).filter(|pair| {
        matches!(
            pair,
            [b'$', b'(' | b'{' | b'['] | [b'<' | b'>' | b'=', b'(']
        )
    });
    pairs.count() + bytes.iter().filter(|byte| **byte == b'`').count()
}
