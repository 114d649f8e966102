//! Reads `tidy-allow.toml`: the current violations of each rule, and the reviewed exceptions.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::package::line_of;

#[derive(Default)]
pub(super) struct Allow {
    /// Path to number of lines.
    pub(super) files: BTreeMap<String, Entry<usize>>,
    /// `path::Type::function` to number of lines.
    pub(super) functions: BTreeMap<String, Entry<usize>>,
    /// Path to number of silent arms.
    pub(super) silent_arms: BTreeMap<String, Entry<usize>>,
    /// `crate::Type` to number of types with this name.
    pub(super) type_names: BTreeMap<String, Entry<usize>>,
    /// Path to reason.
    pub(super) unsafe_code: BTreeMap<String, Entry<String>>,
}

pub(super) struct Entry<T> {
    pub(super) line: usize,
    pub(super) value: T,
}

impl Allow {
    pub(super) const PATH: &str = "xtask/tidy-allow.toml";

    pub(super) fn parse(text: &str) -> Result<Allow, String> {
        let document = DeTable::parse(text)
            .map_err(|error| format!("{}: {error}", Allow::PATH))?
            .into_inner();
        let mut allow = Allow::default();
        for (name, entries) in &document {
            let line = line_of(text, name.span().start);
            let entries = entries
                .get_ref()
                .as_table()
                .ok_or_else(|| format!("{}:{line}: not a section", Allow::PATH))?;
            match name.get_ref().as_ref() {
                "files" => allow.files = read(text, entries, number)?,
                "functions" => allow.functions = read(text, entries, number)?,
                "silent_arms" => allow.silent_arms = read(text, entries, number)?,
                "type_names" => allow.type_names = read(text, entries, number)?,
                "unsafe" => allow.unsafe_code = read(text, entries, reason)?,
                other => return Err(format!("{}:{line}: no list `{other}`", Allow::PATH)),
            }
        }
        Ok(allow)
    }
}

fn read<T>(
    text: &str,
    entries: &DeTable<'_>,
    value_of: fn(&DeValue<'_>) -> Result<T, &'static str>,
) -> Result<BTreeMap<String, Entry<T>>, String> {
    entries
        .iter()
        .map(|(key, value)| {
            let line = line_of(text, key.span().start);
            let value = value_of(value.get_ref())
                .map_err(|expected| format!("{}:{line}: expected {expected}", Allow::PATH))?;
            Ok((key.get_ref().to_string(), Entry { line, value }))
        })
        .collect()
}

fn number(value: &DeValue<'_>) -> Result<usize, &'static str> {
    value
        .as_integer()
        .and_then(|integer| integer.as_str().parse().ok())
        .ok_or("a number")
}

fn reason(value: &DeValue<'_>) -> Result<String, &'static str> {
    value
        .as_str()
        .filter(|reason| !reason.trim().is_empty())
        .map(str::to_owned)
        .ok_or("a reason")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, message: &str) {
        assert_eq!(Allow::parse(text).err().as_deref(), Some(message));
    }

    #[test]
    fn an_exception_without_a_reason_is_an_error() {
        check(
            "[unsafe]\n\"a.rs\" = \"\"\n",
            "xtask/tidy-allow.toml:2: expected a reason",
        );
    }

    #[test]
    fn an_unknown_list_is_an_error() {
        check("[prints]\n", "xtask/tidy-allow.toml:1: no list `prints`");
    }
}
