//! Side effects of expansions: `${x:=y}` and `$((x=1))` set variables, and arithmetic evaluates the values of variables
//! as expressions, which can run commands.

/// The variables of an arithmetic expression.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Arithmetic {
    /// The variables that the expression sets to numbers.
    pub(super) sets: Vec<String>,
    /// The variables whose values the expression evaluates as expressions.
    pub(super) reads: Vec<String>,
}

/// The variables of an arithmetic expression; `None` if it contains anything but names, numbers and operators.
pub(super) fn arithmetic(text: &str) -> Option<Arithmetic> {
    let mut found = Arithmetic::default();
    let mut at = 0;
    while let Some(next) = text.get(at..)?.chars().next() {
        if next.is_ascii_digit() {
            // `0x1f` and `16#1f`.
            at += length(text.get(at..)?, |char| is_name_char(char) || char == '#');
        } else if is_name_char(next) {
            let end = at + length(text.get(at..)?, is_name_char);
            let name = text.get(at..end)?.to_owned();
            match is_assigned(text.get(..at)?, text.get(end..)?)? {
                true => found.sets.push(name),
                false => found.reads.push(name),
            }
            at = end;
        } else if next == '$' {
            let (name, end) = plain_parameter(text.get(at + 1..)?)?;
            let (before, behind) = (text.get(..at)?, text.get(at + 1 + end..)?);
            let is_glued = before.ends_with(is_name_char)
                || behind.starts_with(|char| is_name_char(char) || "$[".contains(char));
            if is_glued || is_assigned(before, behind)? {
                return None;
            }
            found.reads.extend(name.map(str::to_owned));
            at += 1 + end;
        } else if next.is_ascii_whitespace() || "+-*/%<>=!&|^~?:(),[]".contains(next) {
            at += 1;
        } else {
            return None;
        }
    }
    Some(found)
}

/// The effect of `${…}`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Parameter<'a> {
    /// The expansion produces text, from the expression that it calculates and the word after the operator.
    Reads {
        arithmetic: Vec<&'a str>,
        word: &'a str,
    },
    /// The expansion sets a variable that is unset or empty.
    Sets { name: &'a str, word: &'a str },
}

/// The effect of the text between `${` and `}`; `None` if it may run code, or shells read it in different ways.
pub(super) fn parameter(text: &str) -> Option<Parameter<'_>> {
    let reads = |arithmetic, word| Some(Parameter::Reads { arithmetic, word });
    if let Some(names) = text.strip_prefix('!') {
        // Other forms take the value of a variable as a name.
        let name = ["[@]", "[*]", "@", "*"]
            .iter()
            .find_map(|end| names.strip_suffix(end))?;
        return name
            .chars()
            .all(is_name_char)
            .then_some(())
            .and_then(|()| reads(Vec::new(), ""));
    }
    let is_length = text.len() > 1 && text.starts_with('#');
    let text = text.strip_prefix('#').filter(|_| is_length).unwrap_or(text);
    let end = match text.chars().next()? {
        '@' | '*' | '#' | '?' | '-' | '$' | '!' => 1,
        _ => length(text, is_name_char),
    };
    let (name, mut rest) = text.split_at_checked(end).filter(|_| end > 0)?;
    let mut calculated = Vec::new();
    if let Some(behind) = rest.strip_prefix('[') {
        let (subscript, behind) = behind.split_once(']')?;
        if !matches!(subscript, "@" | "*") {
            calculated.push(subscript);
        }
        rest = behind;
    }
    let behind = |operators: &[&str]| operators.iter().find_map(|it| rest.strip_prefix(it));
    if rest.is_empty() {
        reads(calculated, "")
    } else if let Some(word) = behind(&[":=", "="]) {
        calculated
            .is_empty()
            .then_some(Parameter::Sets { name, word })
    } else if let Some(word) = behind(&[":-", ":+", ":?", "-", "+", "?", "#", "%", "/", "^", ","]) {
        reads(calculated, word)
    } else if let Some(range) = rest.strip_prefix(':') {
        calculated.push(range);
        reads(calculated, "")
    } else {
        // `@P` runs the substitutions in the value.
        let is_harmless = matches!(
            rest,
            "@Q" | "@E" | "@A" | "@a" | "@U" | "@u" | "@L" | "@K" | "@k"
        );
        is_harmless
            .then_some(())
            .and_then(|()| reads(calculated, ""))
    }
}

/// Whether the value of a variable is a number, whatever the shell makes of it.
pub(super) fn is_number(value: &str) -> bool {
    let is_digits = |text: &str| {
        !text.is_empty() && text.len() < 20 && text.chars().all(|char| char.is_ascii_digit())
    };
    let text = value.trim_matches('"');
    let inside = |start: &str, end: &str| text.strip_prefix(start)?.strip_suffix(end);
    let is_list = |text: &str| {
        text.chars()
            .all(|char| char.is_ascii_digit() || ".,".contains(char))
    };
    is_digits(text.strip_prefix('-').unwrap_or(text))
        || matches!(text, "$#" | "$?" | "$$" | "$!")
        || inside("$((", "))").is_some_and(|it| it == "…" || arithmetic(it).is_some())
        || inside("${#", "}").is_some_and(|it| it.chars().all(is_name_char))
        || inside("{", "}").is_some_and(is_list)
        || inside("$(seq ", ")")
            .is_some_and(|it| it.chars().all(|char| char.is_ascii_digit() || char == ' '))
}

/// Whether a text is the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|char: char| char.is_ascii_digit())
        && text.chars().all(is_name_char)
}

fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
}

fn length(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|char| !is_part(char)).unwrap_or(text.len())
}

/// Reads `$x`, `${x}`, `${#x}` or `$?` after the dollar sign: the variable whose text it produces, and where it ends.
/// The arguments of the shell are not variables.
fn plain_parameter(text: &str) -> Option<(Option<&str>, usize)> {
    if text.starts_with(['#', '?', '$', '!']) {
        return Some((None, 1));
    }
    if let Some(inner) = text.strip_prefix('{') {
        let (inner, _) = inner.split_once('}')?;
        let end = inner.len() + 2;
        let counted = inner
            .strip_prefix('#')
            .map(|it| it.strip_suffix("[@]").unwrap_or(it));
        return match counted {
            Some(name) => is_name(name).then_some((None, end)),
            None => is_name(inner).then_some((Some(inner), end)),
        };
    }
    let name = text.get(..length(text, is_name_char))?;
    is_name(name).then_some((Some(name), name.len()))
}

/// Whether the name between two texts is assigned to; `None` if its subscript is not closed.
fn is_assigned(before: &str, behind: &str) -> Option<bool> {
    let mut behind = behind.trim_start();
    if behind.starts_with('[') {
        let mut depth = 0_usize;
        let end = behind.find(|char| {
            match char {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        behind = behind.get(end + 1..)?.trim_start();
    }
    let before = before.trim_end();
    let steps = ["++", "--"];
    let operator = behind.trim_start_matches(['+', '-', '*', '/', '%', '&', '|', '^', '<', '>']);
    let is_comparison = matches!(behind.get(..2), Some("<=" | ">=")) || operator.starts_with("==");
    Some(
        steps
            .iter()
            .any(|step| before.ends_with(step) || behind.starts_with(step))
            || (operator.starts_with('=') && !is_comparison),
    )
}

#[cfg(test)]
mod tests {
    use super::{Arithmetic, arithmetic, is_number, parameter};

    fn check(text: &str, sets: &[&str], reads: &[&str]) {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let expected = Arithmetic {
            sets: owned(sets),
            reads: owned(reads),
        };
        assert_eq!(arithmetic(text), Some(expected), "{text}");
    }

    #[test]
    fn arithmetic_names_the_variables_that_it_sets() {
        check("1+2", &[], &[]);
        check("0xff + 16#ff", &[], &[]);
        check("i + $j * ${k} - ${#l} - $#", &[], &["i", "j", "k"]);
        check(
            "i == 3 && j <= k || l >= 2 || m != 1",
            &[],
            &["i", "j", "k", "l", "m"],
        );
        check(
            "i = 3, j += 2, k <<= 1, l **= 2",
            &["i", "j", "k", "l"],
            &[],
        );
        check(
            "i++, --j, a[k = 1] = 2, b[2]--",
            &["i", "j", "a", "k", "b"],
            &[],
        );
        for text in [
            "HO\"\"ME=1",
            "H$x=1",
            "$x=1",
            "$x[1]",
            "$1",
            "$@",
            "`x`",
            "$(x)",
            "a[1",
            "\\x",
            "'x'",
            "${x:=1}",
        ] {
            assert_eq!(arithmetic(text), None, "{text}");
        }
    }

    #[test]
    fn parameters_that_run_code_are_not_read() {
        for text in [
            "x", "#x", "x:-y", "x%.rs", "x/a/b", "a[@]", "!a[@]", "x:1:2", "x^^", "1", "@", "#",
            "?", "x@Q",
        ] {
            assert!(parameter(text).is_some(), "{text}");
        }
        for text in ["!x", "x@P", "(e)x", "a[$(x)]x", "", "=x", "^x", "x[1"] {
            assert_eq!(parameter(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_distinguished_from_expressions() {
        for text in [
            "1",
            "-5",
            "$((i+1))",
            "$#",
            "${#x}",
            "{1..5}",
            "$(seq 1 5)",
            "\"$((1))\"",
        ] {
            assert!(is_number(text), "{text}");
        }
        for text in [
            "",
            "x",
            "a[$(id)]",
            "$x",
            "$((a[$(id)]))",
            "$(id)",
            "1x",
            "{a,1}",
            "$(seq 1; id)",
            "$((1)) x $((2))",
        ] {
            assert!(!is_number(text), "{text}");
        }
    }
}
