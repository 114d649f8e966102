//! The script among the words of a shell. Shells differ in which options have a value, in what a `+` does and in what
//! ends the options, and `sh` may be any of them: where two differ, both readings count.

use super::{FoundScripts, ScriptWord};

/// The scripts that a shell runs with these words.
pub(super) fn read(words: &[String]) -> FoundScripts<'_> {
    let mut found = FoundScripts::default();
    let mut state = OptionState::default();
    for (at, word) in words.iter().enumerate() {
        let is_option = word.starts_with(['-', '+']);
        if state.may_have_ended && is_option {
            found.programs.push(ScriptWord::PossibleScript(at));
        }
        if is_option && !state.has_ended {
            if FILE_OPTIONS.contains(&word.as_str()) && at + 1 < words.len() {
                found
                    .programs
                    .push(ScriptWord::Preloaded(&words[at + 1], at + 2));
            }
            state.read_option(word);
            continue;
        }
        if std::mem::take(&mut state.is_value) {
            continue;
        }
        if state.possible_values > 0 {
            state.possible_values -= 1;
            found.programs.push(ScriptWord::PossibleScript(at));
            continue;
        }
        match state.next_word() {
            WordMeaning::Script => found.programs.push(ScriptWord::Script(at)),
            WordMeaning::Doubtful => found.programs.push(ScriptWord::PossibleScript(at)),
            WordMeaning::Code => {}
        }
        return found;
    }
    found.is_open = true;
    found
}

/// The meaning of the options read so far.
#[derive(Default)]
struct OptionState {
    /// `-c` and `-s`, after which the first word is not a script.
    code: OptionSwitch,
    input: OptionSwitch,
    /// Whether the next word belongs to an option, unless it looks like one itself.
    is_value: bool,
    /// How many of the next words may belong to an option: letters in one word may have a value each.
    possible_values: usize,
    /// Whether the options have ended for some shell.
    may_have_ended: bool,
    /// Whether the options have ended for every shell.
    has_ended: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum OptionSwitch {
    #[default]
    Off,
    On,
    /// On or off, depending on the shell.
    Doubtful,
}

enum WordMeaning {
    Script,
    Doubtful,
    Code,
}

impl OptionState {
    fn read_option(&mut self, word: &str) {
        // A word after an option with a value may be the value, whatever it looks like.
        let is_value = std::mem::take(&mut self.is_value);
        let may_be_value = self.possible_values > 0 || is_value;
        // The word itself may be one of them.
        self.possible_values = self.possible_values.saturating_sub(1);
        if may_be_value {
            self.may_have_ended = true;
        }
        match word {
            "--" if may_be_value => {}
            "--" => self.has_ended = true,
            "-" | "+" => self.may_have_ended = true,
            _ if word.starts_with("--") => self.long(word),
            _ => {
                // The last letter takes the next word in every shell, others only in some.
                let (letters, is_value) = match word[1..].strip_suffix('o') {
                    Some(letters) => (letters, true),
                    None => (&word[1..], false),
                };
                let is_sure = word.starts_with('-') && !may_be_value;
                for letter in letters.chars() {
                    self.letter(letter, is_sure);
                }
                self.is_value = is_value && self.possible_values == 0;
                self.possible_values += usize::from(is_value);
            }
        }
    }

    fn letter(&mut self, letter: char, is_sure: bool) {
        // In some shells, the letters after one with a value are the value.
        let is_sure = is_sure && self.possible_values == 0;
        match letter {
            'c' => self.code.turn(is_sure),
            's' => self.input.turn(is_sure),
            // In zsh, no options follow.
            'b' | '-' => self.may_have_ended = true,
            _ if FLAGS.contains(letter) => {}
            _ => self.possible_values += 1,
        }
    }

    fn long(&mut self, word: &str) {
        match word.split_once('=') {
            Some(_) => {}
            None if LONG_FLAGS.contains(&word) => {}
            // `fish --command` is another family, but a link may be called `sh`.
            None if word == "--command" => self.code = OptionSwitch::Doubtful,
            None => self.possible_values += 1,
        }
        // `--shinstdin` and the like.
        if word.contains("stdin") {
            self.input = OptionSwitch::Doubtful;
        }
    }

    fn next_word(&self) -> WordMeaning {
        match (self.code, self.input) {
            (OptionSwitch::Off, OptionSwitch::Off) => WordMeaning::Script,
            (OptionSwitch::On, _) | (OptionSwitch::Off, OptionSwitch::On) => WordMeaning::Code,
            _ => WordMeaning::Doubtful,
        }
    }
}

impl OptionSwitch {
    fn turn(&mut self, is_sure: bool) {
        *self = match (*self, is_sure) {
            (OptionSwitch::Off | OptionSwitch::On, true) => OptionSwitch::On,
            _ => OptionSwitch::Doubtful,
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
/// Options whose value is a file that is also run. For bash one dash is enough.
const FILE_OPTIONS: &[&str] = &["--rcfile", "--init-file", "-rcfile", "-init-file"];
