//! Checks the fields of a form against the agent's schema.
#![warn(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol grows: what is known is named, and only what is unknown is left to `_`"
)]

use attache::v1;
use attache_text::plain::visible;
use jiff::Timestamp;
use jiff::civil::Date;
use regex::RegexBuilder;

use super::field::{ChoiceBounds, Field, FieldChoices, FieldValue};

/// The value of a field, `None` if it is left empty, or what is wrong with it.
pub(super) fn field_value(field: &Field) -> Result<Option<v1::ElicitationContentValue>, String> {
    use v1::ElicitationContentValue as Content;
    let found = match &field.value {
        FieldValue::Text(editor, rules) => match editor.text() {
            "" => None,
            text => Some(Content::String(check_text(text, rules)?)),
        },
        FieldValue::Number(editor, rules) => match editor.text().trim() {
            "" => None,
            text => Some(Content::Number(number(text, rules)?)),
        },
        FieldValue::Integer(editor, rules) => match editor.text().trim() {
            "" => None,
            text => Some(Content::Integer(integer(text, rules)?)),
        },
        FieldValue::Boolean(on) => on.map(Content::Boolean),
        FieldValue::One(choices) => chosen_list(choices).pop().map(Content::String),
        FieldValue::Many(choices, bounds) => chosen_values(choices, *bounds, field.is_required)?,
        FieldValue::Unknown if field.is_required => {
            return Err("this kind of field can't be filled in here; decline the form".to_owned());
        }
        FieldValue::Unknown => None,
    };
    match found {
        None if field.is_required => Err("required".to_owned()),
        found => Ok(found),
    }
}

fn check_text(text: &str, rules: &v1::StringPropertySchema) -> Result<String, String> {
    let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
    if let Some(least) = rules.min_length.filter(|least| length < *least) {
        return Err(format!("at least {least} characters, not {length}"));
    }
    if let Some(most) = rules.max_length.filter(|most| length > *most) {
        return Err(format!("at most {most} characters, not {length}"));
    }
    if let Some(pattern) = &rules.pattern {
        check_pattern(text, pattern)?;
    }
    if let Some(format) = &rules.format {
        check_format(text, format)?;
    }
    Ok(text.to_owned())
}

/// Checks a text against a pattern. The agent has to check patterns that are too large or in another dialect of regular
/// expressions.
fn check_pattern(text: &str, pattern: &str) -> Result<(), String> {
    let regex = RegexBuilder::new(pattern).size_limit(REGEX).build();
    match regex {
        Ok(regex) if !regex.is_match(text) => {
            let pattern = visible(pattern);
            Err(format!("does not match the pattern {pattern}"))
        }
        _ => Ok(()),
    }
}

fn check_format(text: &str, format: &v1::StringFormat) -> Result<(), String> {
    let (fits, what) = match format {
        v1::StringFormat::Email => (
            is_mail_address(text),
            "an email address, such as ada@example.org",
        ),
        v1::StringFormat::Uri => (is_uri(text), "a URI, such as https://example.org"),
        v1::StringFormat::Date => (text.parse::<Date>().is_ok(), "a date, such as 2026-01-31"),
        v1::StringFormat::DateTime => (
            text.parse::<Timestamp>().is_ok(),
            "a date with a time, such as 2026-01-31T12:00:00Z",
        ),
        v1::StringFormat::Other(_) => (true, ""),
        _ => (true, ""),
    };
    if fits {
        return Ok(());
    }
    Err(format!("must be {what}"))
}

fn is_mail_address(text: &str) -> bool {
    let parts = text.rsplit_once('@');
    let is_plain = !text.contains(char::is_whitespace);
    is_plain && parts.is_some_and(|(name, host)| !name.is_empty() && !host.is_empty())
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    let is_letter = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
    scheme.starts_with(|char: char| char.is_ascii_alphabetic())
        && scheme.chars().all(is_letter)
        && !rest.is_empty()
        && !rest.contains(char::is_whitespace)
}

fn number(text: &str, rules: &v1::NumberPropertySchema) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let number = number.ok_or("must be a number")?;
    check_range(number, rules.minimum, rules.maximum)
}

fn integer(text: &str, rules: &v1::IntegerPropertySchema) -> Result<i64, String> {
    let number = text.parse::<i64>();
    let number = number.map_err(|_| "must be a whole number")?;
    check_range(number, rules.minimum, rules.maximum)
}

fn check_range<T: PartialOrd + std::fmt::Display>(
    number: T,
    least: Option<T>,
    most: Option<T>,
) -> Result<T, String> {
    match (least, most) {
        (Some(least), _) if number < least => Err(format!("at least {least}")),
        (_, Some(most)) if number > most => Err(format!("at most {most}")),
        _ => Ok(number),
    }
}

fn chosen_list(choices: &FieldChoices) -> Vec<String> {
    let chosen = choices.list.iter().filter(|choice| choice.is_chosen);
    chosen.map(|choice| choice.value.clone()).collect()
}

fn chosen_values(
    choices: &FieldChoices,
    bounds: ChoiceBounds,
    is_required: bool,
) -> Result<Option<v1::ElicitationContentValue>, String> {
    let chosen = chosen_list(choices);
    if chosen.is_empty() && !is_required {
        return Ok(None);
    }
    let count = u64::try_from(chosen.len()).unwrap_or(u64::MAX);
    if let Some(least) = bounds.least.filter(|least| count < *least) {
        return Err(format!("choose at least {least}"));
    }
    if let Some(most) = bounds.most.filter(|most| count > *most) {
        return Err(format!("choose at most {most}"));
    }
    Ok(Some(v1::ElicitationContentValue::StringArray(chosen)))
}

const REGEX: usize = 1024 * 1024;
