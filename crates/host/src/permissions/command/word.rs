//! A word of a shell line without its quotes, if every shell reads it the same way.

/// The word that shells make of a text; `None` if that depends on variables, files or the shell, or is uncertain.
pub(super) fn literal(text: &str) -> Option<String> {
    // The program that is also called `test`, and what it compares with.
    if matches!(text, "[" | "=" | "==") {
        return Some(text.to_owned());
    }
    if text.starts_with(['~', '=']) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\'' => loop {
                match chars.next()? {
                    '\'' => break,
                    inner => out.push(inner),
                }
            },
            '"' => double_quoted(&mut chars, &mut out)?,
            '\\' => match chars.next()? {
                '\n' => {}
                escaped => out.push(escaped),
            },
            '$' if is_lone_dollar(chars.peek()) => out.push('$'),
            '{' if chars.peek() == Some(&'}') => out.push('{'),
            '$' | '`' | '*' | '?' | '[' | '{' | '(' | ')' => return None,
            '~' if out.ends_with(['=', ':']) => return None,
            '!' if recalls_history(chars.peek()) => return None,
            char if !char.is_ascii() => return None,
            char => out.push(char),
        }
    }
    Some(out)
}

fn double_quoted(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut String,
) -> Option<()> {
    loop {
        match chars.next()? {
            '"' => return Some(()),
            '\\' => match chars.next()? {
                '\n' => {}
                escaped @ ('$' | '`' | '"' | '\\') => out.push(escaped),
                other => out.extend(['\\', other]),
            },
            '$' if is_lone_dollar(chars.peek()) => out.push('$'),
            '$' | '`' => return None,
            '!' if recalls_history(chars.peek()) => return None,
            inner => out.push(inner),
        }
    }
}

/// Whether a dollar sign stands for itself.
fn is_lone_dollar(next: Option<&char>) -> bool {
    next.is_none_or(|next| matches!(next, ' ' | '/' | '.' | ',' | ':' | '%' | '+' | '='))
}

/// Whether an interactive shell would insert an earlier command here.
fn recalls_history(next: Option<&char>) -> bool {
    next.is_some_and(|next| {
        next.is_ascii_alphanumeric() || matches!(next, '!' | '?' | '-' | '#' | '$')
    })
}

#[cfg(test)]
mod tests {
    use super::literal;

    #[test]
    fn quotes_are_removed_where_nothing_else_can_be_meant() {
        for (text, expected) in [
            ("curl", Some("curl")),
            ("cu''rl", Some("curl")),
            (r#"c"ur"l"#, Some("curl")),
            (r"c\ur\l", Some("curl")),
            (r#""a b"'c d'e\ f"#, Some("a bc de f")),
            (r#""a\"b\$c\d""#, Some(r#"a"b$c\d"#)),
            ("'$x'", Some("$x")),
            ("{}", Some("{}")),
            ("a$", Some("a$")),
            ("Hello!", Some("Hello!")),
            ("$x", None),
            (r#""$x""#, None),
            ("`x`", None),
            ("$'x'", None),
            ("a*", None),
            ("[ab]", None),
            ("{a,b}", None),
            ("~/x", None),
            ("a=~/x", None),
            ("=ls", None),
            ("!!", None),
            ("'open", None),
            ("cürl", None),
        ] {
            assert_eq!(literal(text).as_deref(), expected, "{text}");
        }
    }
}
