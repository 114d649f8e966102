//! Code in the words of interpreters: which words are code, and the files that the code names.
//!
//! Lists, slices and regular expressions look like patterns of files and are none, so a pattern counts only in code that
//! can expand one.

use super::line::ShellWord;
use super::options::CommandWord as _;
use super::{MAX_TOKENS, base_name, is_plain_char};

/// A text in code that may name files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum CodeText {
    /// A file of this name, whatever characters it contains.
    Name(String),
    /// The files that the text matches.
    Pattern(String),
}

/// Which arguments of an interpreter are code.
pub(super) fn code_words(program: &str, arguments: &[ShellWord]) -> Vec<bool> {
    let mut is_code = vec![false; arguments.len()];
    let name = base_name(program);
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.' || it == '-');
    let has_name = |names: &str| names.split(' ').any(|it| it == stem || it == name);
    let Some((_, letters)) = CODE_OPTIONS.iter().find(|(names, _)| has_name(names)) else {
        return is_code;
    };
    let (mut at, mut is_behind_option) = (0, false);
    while let Some(word) = arguments.get(at) {
        let text = match word {
            ShellWord::Literal(text) | ShellWord::Undecided(text) => text.as_str(),
        };
        let option = text.strip_prefix('-');
        let Some(option) = option.filter(|option| !option.is_empty()) else {
            // A word behind an option may be its value; any other one is the script.
            if !is_behind_option {
                break;
            }
            is_behind_option = false;
            at += 1;
            continue;
        };
        is_behind_option = true;
        let takes_code = match option.strip_prefix('-') {
            Some(long) => LONG_CODE_OPTIONS.contains(&long),
            None => option.ends_with(|it| letters.contains(it)),
        };
        // A letter among others, with the code behind it.
        let is_glued = match option.strip_prefix('-') {
            Some(long) => long
                .split_once('=')
                .is_some_and(|(long, _)| LONG_CODE_OPTIONS.contains(&long)),
            None => {
                option.contains(|it| letters.contains(it))
                    && !option.chars().all(|it| it.is_ascii_alphanumeric())
                    && word.literal().is_some()
            }
        };
        if is_glued {
            is_code[at] = true;
        } else if takes_code && at + 1 < arguments.len() {
            is_code[at + 1] = true;
            at += 1;
        }
        at += 1;
    }
    is_code
}

/// The files that code may name: its plain words, the texts between its quotes, and patterns if it can expand them.
pub(in super::super) fn texts_in(code: &str) -> Vec<CodeText> {
    let mut found = Vec::new();
    let words = words_of(code, is_plain_char);
    found.extend(words.map(|word| CodeText::Name(word.to_owned())));
    let quoted = code.split(['"', '\'', '`', '\n']);
    let quoted = quoted.filter(|text| !text.is_empty() && !text.chars().all(is_plain_char));
    found.extend(quoted.map(|text| CodeText::Name(text.to_owned())));
    if may_expand_patterns(code) {
        let is_in_pattern = |it: char| is_plain_char(it) || "*?[]{}!^~".contains(it);
        let patterns = words_of(code, is_in_pattern).flat_map(|word| {
            let parts = word
                .split([',', ':', '='])
                .filter(move |part| *part != word);
            std::iter::once(word).chain(parts)
        });
        let patterns = patterns.filter(|word| {
            let is_wild = word.contains(['*', '?', '[', '{']);
            is_wild && word.contains(|it: char| it.is_alphanumeric()) && is_balanced(word)
        });
        found.extend(patterns.map(|word| CodeText::Pattern(word.to_owned())));
    }
    found.truncate(MAX_TOKENS);
    found
}

/// Whether each bracket and brace has its partner. A part that was cut out of a pattern has not.
pub(in super::super) fn is_balanced(text: &str) -> bool {
    let mut open = Vec::new();
    for char in text.chars() {
        match char {
            '[' => open.push(']'),
            '{' => open.push('}'),
            // In brackets, the other characters mean nothing.
            ']' | '}' if open.pop() != Some(char) => return false,
            _ => {}
        }
    }
    open.is_empty()
}

/// The runs of such characters. `.rules` in `f(x).rules` is a member of an object, and no file.
fn words_of(code: &str, is_part: impl Fn(char) -> bool + Copy) -> impl Iterator<Item = &str> {
    let mut end = 0;
    code.split(move |it| !is_part(it))
        .map(move |word| {
            let start = end;
            end += word.len()
                + code[start + word.len()..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8);
            let before = code[..start].chars().next_back();
            let is_member = word.starts_with('.') && !word.contains('/');
            (word, is_member && matches!(before, Some(')' | ']')))
        })
        .filter(|(word, is_member)| !word.is_empty() && !is_member)
        .map(|(word, _)| word)
}

/// Whether code may make a list of files from a pattern, itself or by a shell.
fn may_expand_patterns(code: &str) -> bool {
    let operator = code.match_indices('<').any(|(at, _)| {
        let behind = &code[at + 1..];
        let is_word = behind.starts_with(|it: char| it.is_alphanumeric() || "*?[{~./".contains(it));
        is_word && behind.contains('>')
    });
    operator || EXPANDERS.iter().any(|name| code.contains(name))
}

/// Interpreters, and the letters of options whose value is code.
const CODE_OPTIONS: &[(&str, &str)] = &[
    ("python pypy ipython micropython jython guile", "c"),
    ("perl", "eE"),
    (
        "ruby jruby lua luajit texlua osascript rscript julia r elixir iex groovy raku",
        "e",
    ),
    ("node nodejs deno bun iojs", "ep"),
    ("php", "rBRE"),
    ("awk gawk mawk nawk sed gsed", "e"),
];

/// Long options whose value is code, without the dashes.
const LONG_CODE_OPTIONS: &[&str] = &[
    "eval",
    "print",
    "run",
    "expression",
    "source",
    "process-begin",
    "process-code",
    "process-end",
];

/// Words of languages that expand patterns or run commands.
const EXPANDERS: &[&str] = &[
    "glob",
    "fnmatch",
    "Dir[",
    "Dir.",
    "system",
    "exec",
    "popen",
    "spawn",
    "subprocess",
    "qx",
    "%x",
    "`",
    "shell",
    "child_process",
    "os.execute",
    "passthru",
    "getline",
    "| \"",
    "|\"",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn code_of(line: &str) -> Vec<String> {
        let mut words = line
            .split(' ')
            .map(|word| ShellWord::Literal(word.to_owned()));
        let program = words.next().unwrap().to_string();
        let arguments: Vec<ShellWord> = words.collect();
        let is_code = code_words(&program, &arguments);
        let words = arguments
            .iter()
            .zip(is_code)
            .filter(|(_, is_code)| *is_code);
        words
            .map(|(word, _)| word.literal().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn only_the_value_of_a_code_option_is_code() {
        for (line, code) in [
            ("python3 -c x[1:] a", &["x[1:]"][..]),
            ("python3.11 -Ic x", &["x"]),
            ("python3 -W ignore -c x", &["x"]),
            ("python3 s.py -c x", &[]),
            ("python3 s.py x[1:]", &[]),
            ("perl -ne x f", &["x"]),
            ("perl -i.bak -pe x f", &["x"]),
            ("perl -e x -e y", &["x", "y"]),
            ("node --eval x", &["x"]),
            ("node --print=x", &["--print=x"]),
            ("perl -e'x'", &["-e'x'"]),
            ("git -c x", &[]),
            ("ruby -rjson -e x", &["x"]),
            ("sed -n -e x f", &["x"]),
        ] {
            assert_eq!(code_of(line), code, "{line}");
        }
    }

    #[test]
    fn a_pattern_counts_in_code_that_can_expand_it() {
        let patterns = |code: &str| -> Vec<String> {
            let found = texts_in(code).into_iter();
            found
                .filter_map(|text| match text {
                    CodeText::Pattern(text) => Some(text),
                    CodeText::Name(_) => None,
                })
                .collect()
        };
        assert_eq!(patterns("glob('AGENTS*')"), ["AGENTS*"]);
        assert_eq!(patterns("os.system('rm *.md')"), ["*.md"]);
        assert_eq!(patterns("unlink <*.md>"), ["*.md"]);
        assert_eq!(patterns("glob('A{a,b}')"), ["A{a,b}"]);
        for code in [
            "x[1:]",
            "[a,b]",
            "re.sub('.*', '', s)",
            "a*b",
            "glob(x[1:])[a:]",
        ] {
            let found = patterns(code);
            let is_harmless = found.iter().all(|it| !it.contains('.') && is_balanced(it));
            assert!(is_harmless, "{code}: {found:?}");
        }
    }
}
