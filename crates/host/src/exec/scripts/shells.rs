//! The script among the words of a shell. Shells differ in which options have a value, in what a `+` does and in what ends
//! the options, and `sh` may be any of them: where two differ, both readings count.

use super::{Found, Program};

/// What a shell runs with these words.
pub(super) fn read(words: &[String]) -> Found<'_> {
    let mut found = Found::default();
    let mut state = State::default();
    for (at, word) in words.iter().enumerate() {
        let is_option = word.starts_with(['-', '+']);
        if state.may_have_ended && is_option {
            found.programs.push(Program::Perhaps(at));
        }
        if is_option && !state.has_ended {
            if LOADED.contains(&word.as_str()) && at + 1 < words.len() {
                found.programs.push(Program::Loaded(&words[at + 1], at + 2));
            }
            state.take(word);
            continue;
        }
        if std::mem::take(&mut state.is_value) {
            continue;
        }
        if std::mem::take(&mut state.may_be_value) {
            found.programs.push(Program::Perhaps(at));
            continue;
        }
        match state.reading() {
            Reading::Script => found.programs.push(Program::Script(at)),
            Reading::Doubtful => found.programs.push(Program::Perhaps(at)),
            Reading::Code => {}
        }
        return found;
    }
    found.is_open = true;
    found
}

/// What the options so far mean.
#[derive(Default)]
struct State {
    /// `-c` and `-s`, after which the first word is no script.
    code: Switch,
    input: Switch,
    /// Whether the next word belongs to an option, unless it looks like one itself.
    is_value: bool,
    /// Whether it may.
    may_be_value: bool,
    /// Whether some shell takes no more options.
    may_have_ended: bool,
    /// Whether none does.
    has_ended: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Switch {
    #[default]
    Off,
    On,
    /// On or off, depending on the shell.
    Doubtful,
}

enum Reading {
    Script,
    Doubtful,
    Code,
}

impl State {
    fn take(&mut self, word: &str) {
        // A word behind an option with a value may be that, whatever it looks like.
        let is_value = std::mem::take(&mut self.is_value);
        let may_be_value = std::mem::take(&mut self.may_be_value) || is_value;
        if may_be_value {
            self.may_have_ended = true;
        }
        match word {
            "--" if may_be_value => {}
            "--" => self.has_ended = true,
            "-" | "+" => self.may_have_ended = true,
            _ if word.starts_with("--") => self.long(word),
            _ => {
                // The last letter takes the next word everywhere, others only in some shells.
                let (letters, is_value) = match word[1..].strip_suffix('o') {
                    Some(letters) => (letters, true),
                    None => (&word[1..], false),
                };
                let is_sure = word.starts_with('-') && !may_be_value;
                for letter in letters.chars() {
                    self.letter(letter, is_sure);
                }
                self.is_value = is_value && !self.may_be_value;
                self.may_be_value |= is_value;
            }
        }
    }

    fn letter(&mut self, letter: char, is_sure: bool) {
        // In some shells, the letters behind one with a value are the value.
        let is_sure = is_sure && !self.may_be_value;
        match letter {
            'c' => self.code.turn(is_sure),
            's' => self.input.turn(is_sure),
            // In zsh, no options follow.
            'b' | '-' => self.may_have_ended = true,
            _ if FLAGS.contains(letter) => {}
            _ => self.may_be_value = true,
        }
    }

    fn long(&mut self, word: &str) {
        match word.split_once('=') {
            Some(_) => {}
            None if LONG_FLAGS.contains(&word) => {}
            // `fish --command` is another family, but a link may be called `sh`.
            None if word == "--command" => self.code = Switch::Doubtful,
            None => self.may_be_value = true,
        }
        // `--shinstdin` and the like.
        if word.contains("stdin") {
            self.input = Switch::Doubtful;
        }
    }

    fn reading(&self) -> Reading {
        match (self.code, self.input) {
            (Switch::Off, Switch::Off) => Reading::Script,
            (Switch::On, _) | (Switch::Off, Switch::On) => Reading::Code,
            _ => Reading::Doubtful,
        }
    }
}

impl Switch {
    fn turn(&mut self, is_sure: bool) {
        *self = match (*self, is_sure) {
            (Switch::Off | Switch::On, true) => Switch::On,
            _ => Switch::Doubtful,
        };
    }
}

/// Letters that have no value in any shell.
const FLAGS: &str = "abefhiklmnprtuvxyBCDEFGHIPUVX";
const LONG_FLAGS: &[&str] = &[
    "--help",
    "--version",
    "--login",
    "--norc",
    "--noprofile",
    "--posix",
    "--verbose",
    "--restricted",
    "--noediting",
    "--debugger",
    "--debug",
    "--interactive",
    "--protected",
    "--wordexp",
    "--dump-strings",
    "--dump-po-strings",
    "--pretty-print",
    "--no-rcs",
    "--no-globalrcs",
];
/// Options whose value is a file that is run, too.
/// To bash one dash is enough.
const LOADED: &[&str] = &["--rcfile", "--init-file", "-rcfile", "-init-file"];
