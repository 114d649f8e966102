//! What a command's words tell before it runs. There is no shell grammar here: whatever a shell, an interpreter or a
//! program that runs others could read in another way than we do is opaque, and no pattern allows it.

mod programs;

use std::fmt;

/// How far a command can be understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Its words are what will run.
    Plain,
    /// Something will read it once more, but every word it names stands in the text.
    Opaque,
    /// It may name words that do not stand in the text.
    Unreadable,
}

/// How far a command can be understood.
pub(super) fn reading(words: &[String]) -> Reading {
    let bytes: usize = words.iter().map(String::len).sum();
    if words.is_empty() || words.len() > MAX_WORDS || bytes > MAX_BYTES {
        return Reading::Unreadable;
    }
    if words.iter().any(|word| hides_words(word)) {
        return Reading::Unreadable;
    }
    let program = base_name(&words[0]);
    if words.iter().all(|word| is_plain(word))
        && !words[0].contains('=')
        && !words[0].starts_with('-')
        && !programs::runs_others(&program)
        && !programs::is_told_to_run(&program, &words[1..])
    {
        return Reading::Plain;
    }
    if programs::reads_code(&program) || words.iter().any(|word| is_unfolding(word)) {
        return Reading::Unreadable;
    }
    Reading::Opaque
}

/// The words of a command given as one text: split where no shell would see more than spaces, else one word.
pub(super) fn words(text: &str) -> Vec<String> {
    let split: Vec<String> = text
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if !split.is_empty() && split.iter().all(|word| is_plain(word)) {
        return split;
    }
    vec![text.to_owned()]
}

/// Every word that stands anywhere in a command, for rules that deny.
pub(super) fn tokens(words: &[String]) -> Vec<&str> {
    let parts = words
        .iter()
        .flat_map(|word| word.split(|char| !is_plain_char(char)));
    parts
        .filter(|part| !part.is_empty())
        .take(MAX_TOKENS)
        .collect()
}

/// The name of a program without its directory, in small letters as some file systems have it.
pub(super) fn base_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.to_lowercase();
    name.strip_suffix(".exe")
        .map_or(name.clone(), str::to_owned)
}

/// Words that a command may begin with, as a person writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    words: Vec<String>,
    rest: Rest,
}

/// What may follow the words of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    /// `*`: words that are no options.
    Words,
    /// `**`: anything.
    Anything,
}

impl CommandPattern {
    /// Reads a pattern: words between spaces, the last of which may be `*` (more words, no options) or `**` (anything).
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<CommandPattern, String> {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let rest = match words.last().map(String::as_str) {
            Some("*") => Rest::Words,
            Some("**") => Rest::Anything,
            _ => Rest::Nothing,
        };
        if rest != Rest::Nothing {
            words.pop();
        }
        if words.is_empty() {
            return Err("a command starts with the name of a program".to_owned());
        }
        if let Some(word) = words.iter().find(|word| !is_plain(word)) {
            return Err(format!(
                "`{word}` means something to a shell; write plain words, and `*` only as the last one"
            ));
        }
        Ok(CommandPattern { words, rest })
    }

    /// The program, by which patterns are found.
    pub(super) fn program(&self) -> &str {
        &self.words[0]
    }

    /// Whether a command is this one, or begins like this and can be understood.
    pub(super) fn allows(&self, command: &[String], reading: Reading) -> bool {
        let Some(more) = command.strip_prefix(&*self.words) else {
            return false;
        };
        match self.rest {
            Rest::Nothing => more.is_empty(),
            _ if reading != Reading::Plain => false,
            Rest::Words => more.iter().all(|word| !word.starts_with(['-', '+'])),
            Rest::Anything => true,
        }
    }

    /// Whether these words stand at the start of some others. The program is compared without its directory.
    pub(super) fn denies(&self, tokens: &[&str]) -> bool {
        let Some((program, others)) = tokens.split_first() else {
            return false;
        };
        let Some((first, wanted)) = self.words.split_first() else {
            return false;
        };
        let is_program = if first.contains('/') {
            first == program
        } else {
            base_name(program) == base_name(first)
        };
        let starts = others.len() >= wanted.len() && wanted.iter().zip(others).all(|(a, b)| a == b);
        is_program && starts && (self.rest != Rest::Nothing || others.len() == wanted.len())
    }

    /// Whether these words stand anywhere among others, whatever follows: nobody knows where a command ends there.
    pub(super) fn denies_within(&self, tokens: &[&str]) -> bool {
        let open = CommandPattern {
            words: self.words.clone(),
            rest: Rest::Anything,
        };
        (0..tokens.len()).any(|start| open.denies(&tokens[start..]))
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))?;
        match self.rest {
            Rest::Nothing => Ok(()),
            Rest::Words => f.write_str(" *"),
            Rest::Anything => f.write_str(" **"),
        }
    }
}

/// No shell reads anything but itself in it.
fn is_plain(word: &str) -> bool {
    // `=ls` is the path of `ls` to some shells.
    !word.is_empty() && !word.starts_with('=') && word.chars().all(is_plain_char)
}

fn is_plain_char(char: char) -> bool {
    char.is_ascii_alphanumeric()
        || matches!(
            char,
            '-' | '_' | '.' | '/' | '=' | ':' | ',' | '@' | '%' | '+'
        )
}

/// Whether a word holds what a shell turns into other words, or what a person cannot see.
fn hides_words(word: &str) -> bool {
    let mut before = ' ';
    let mut chars = word.chars().peekable();
    while let Some(char) = chars.next() {
        let is_glued =
            is_plain_char(before) && chars.peek().is_some_and(|next| is_plain_char(*next));
        match char {
            '\'' | '"' if is_glued => return true,
            '$' | '`' | '\\' | '*' | '?' | '[' | '{' | '~' | '!' | '^' => return true,
            '\n' | '\t' => {}
            char if char.is_control() || !char.is_ascii() => return true,
            _ => {}
        }
        before = char;
    }
    false
}

/// Whether a token names a program that makes commands of text.
fn is_unfolding(word: &str) -> bool {
    let mut parts = word.split(|char| !is_plain_char(char));
    parts.any(|part| programs::reads_code(&base_name(part)))
}

/// More is not analysed.
const MAX_WORDS: usize = 4096;
const MAX_BYTES: usize = 64 * 1024;
pub(super) const MAX_TOKENS: usize = 4096;
