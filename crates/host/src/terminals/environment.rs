//! The variables that an agent sets for a command: whether a program can be given them. Which of them the user is asked
//! about is `permissions` to decide.

use std::collections::HashSet;

use attache_schema::v1;

use super::Error;

/// The variables, if a program can be given all of them.
pub(super) fn checked(variables: &[v1::EnvVariable]) -> Result<Vec<(&str, &str)>, Error> {
    let mut seen = HashSet::new();
    let mut checked = Vec::new();
    for variable in variables {
        let (name, value) = (variable.name.as_str(), variable.value.reveal());
        let refuse = |reason| Err(Error::variable(name, reason));
        if name.is_empty() || name.contains(['=', '\0']) {
            return refuse("a name cannot be empty, nor hold `=` or NUL");
        }
        if value.contains('\0') {
            return refuse("its value holds NUL");
        }
        if value.len() > LONGEST {
            return refuse("its value is longer than 128 KiB");
        }
        if !seen.insert(name) {
            return refuse("it is set twice");
        }
        checked.push((name, value));
    }
    Ok(checked)
}

/// What the kernel takes for one variable.
const LONGEST: usize = 128 * 1024;

#[cfg(test)]
mod tests {
    use attache_schema::v1;
    use expect_test::{Expect, expect};

    use super::checked;

    fn check(variables: &[(&str, &str)], expected: &Expect) {
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| v1::EnvVariable::new(*name, *value))
            .collect();
        let shown = match checked(&variables) {
            Ok(kept) => format!("{kept:?}"),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn ordinary_variables_are_set() {
        check(
            &[("CI", "1"), ("EMPTY", ""), ("ümlaut", "ä b")],
            &expect![[r#"[("CI", "1"), ("EMPTY", ""), ("ümlaut", "ä b")]"#]],
        );
    }

    #[test]
    fn names_that_are_none_are_refused() {
        check(
            &[("", "1")],
            &expect![
                "environment variable `` is refused: a name cannot be empty, nor hold `=` or NUL"
            ],
        );
        check(
            &[("A=B", "1")],
            &expect![
                "environment variable `A=B` is refused: a name cannot be empty, nor hold `=` or NUL"
            ],
        );
        check(
            &[("A\0B", "1")],
            &expect![[
                r#"environment variable `A\0B` is refused: a name cannot be empty, nor hold `=` or NUL"#
            ]],
        );
        check(
            &[("A", "s3cret\0")],
            &expect!["environment variable `A` is refused: its value holds NUL"],
        );
        check(
            &[("A", &"s3cret".repeat(30_000))],
            &expect!["environment variable `A` is refused: its value is longer than 128 KiB"],
        );
        check(
            &[("A", "1"), ("B", "1"), ("A", "1")],
            &expect!["environment variable `A` is refused: it is set twice"],
        );
    }
}
