//! Parses the text after the name of a prompt into its arguments.

use serde_json::{Map, Value};

use super::Error;
use super::offerings::PromptArgument;

/// Splits text into the arguments of a prompt, in order: words, or parts in quotes. The last argument takes the rest.
pub(super) fn arguments(
    wanted: &[PromptArgument],
    words: &str,
) -> Result<Map<String, Value>, Error> {
    let mut given = Map::new();
    let mut rest = words.trim();
    for (index, argument) in wanted.iter().enumerate() {
        let is_last = index + 1 == wanted.len();
        let (value, after) = if is_last {
            (unquoted(rest), "")
        } else {
            first(rest)
        };
        rest = after.trim_start();
        if !value.is_empty() {
            given.insert(argument.name.clone(), value.into());
        } else if argument.required {
            return Err(Error::Input(format!(
                "the prompt requires the argument `{}`; type it after the prompt's name",
                super::text::one_line(&argument.name, NAME),
            )));
        }
    }
    Ok(given)
}

fn first(text: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote)
            && let Some((value, rest)) = inner.split_once(quote)
        {
            return (value, rest);
        }
    }
    text.split_once(char::is_whitespace).unwrap_or((text, ""))
}

fn unquoted(text: &str) -> &str {
    match first(text) {
        (value, "") => value,
        _ => text,
    }
}

const NAME: usize = 64;

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{PromptArgument, arguments};

    fn check(wanted: &[(&str, bool)], words: &str, expected: &Expect) {
        let wanted: Vec<_> = wanted
            .iter()
            .map(|(name, required)| PromptArgument {
                name: (*name).to_owned(),
                required: *required,
            })
            .collect();
        let given = arguments(&wanted, words);
        let text = given.map_or_else(
            |fault| fault.to_string(),
            |given| serde_json::Value::Object(given).to_string(),
        );
        expected.assert_eq(&text);
    }

    #[test]
    fn words_become_arguments_in_their_order() {
        let wanted = [("city", true), ("state", false)];
        check(&wanted, "Bern", &expect![[r#"{"city":"Bern"}"#]]);
        check(
            &wanted,
            " 'New York'  NY and more ",
            &expect![[r#"{"city":"New York","state":"NY and more"}"#]],
        );
        check(
            &wanted,
            "\"open NY",
            &expect![[r#"{"city":"\"open","state":"NY"}"#]],
        );
        check(
            &wanted,
            "  ",
            &expect!["the prompt requires the argument `city`; type it after the prompt's name"],
        );
        check(
            &[("all", true)],
            "the \"whole\" text",
            &expect![[r#"{"all":"the \"whole\" text"}"#]],
        );
        check(&[], "nothing wanted", &expect!["{}"]);
    }
}
