//! Applies replacements to a text.

use super::Replacement;
use super::nearest::nearest;
use crate::tools::format;
use crate::tools::tool_error::ToolError;
use crate::tools::write::{has_only_crlf, with_crlf};

/// A text after its replacements.
#[derive(Debug)]
pub(super) struct EditedText {
    pub(super) text: String,
    /// How many passages were replaced.
    pub(super) count: usize,
}

/// A replacement that can't be applied. Nothing was replaced.
#[derive(Debug)]
pub(super) struct EditError {
    /// The number of the replacement, counted from 1.
    number: usize,
    of: usize,
    why: EditErrorKind,
}

#[derive(Debug)]
enum EditErrorKind {
    Empty,
    Same,
    NotFound { nearest: Option<String> },
    Ambiguous { lines: Vec<usize> },
    TooLarge,
}

/// Applies the replacements in order.
pub(super) fn apply(text: &str, edits: &[Replacement]) -> Result<EditedText, EditError> {
    let mut applied = EditedText {
        text: text.to_owned(),
        count: 0,
    };
    let has_crlf = has_only_crlf(text);
    let largest = text.len() + MOST_GROWTH;
    for (index, edit) in edits.iter().enumerate() {
        let replaced = match has_crlf {
            true => replace(
                &applied.text,
                &with_crlf(&edit.old),
                &with_crlf(&edit.new),
                edit.all,
                largest,
            ),
            false => replace(&applied.text, &edit.old, &edit.new, edit.all, largest),
        };
        let (text, count) = replaced.map_err(|why| EditError {
            number: index + 1,
            of: edits.len(),
            why,
        })?;
        applied.text = text;
        applied.count += count;
    }
    match applied.text == text {
        true => Err(EditError {
            number: edits.len(),
            of: edits.len(),
            why: EditErrorKind::Same,
        }),
        false => Ok(applied),
    }
}

fn replace(
    text: &str,
    old: &str,
    new: &str,
    all: bool,
    largest: usize,
) -> Result<(String, usize), EditErrorKind> {
    if old.is_empty() {
        return Err(EditErrorKind::Empty);
    }
    if old == new {
        return Err(EditErrorKind::Same);
    }
    let places: Vec<usize> = text.match_indices(old).map(|(place, _)| place).collect();
    match places.as_slice() {
        [] => Err(EditErrorKind::NotFound {
            nearest: nearest(text, old),
        }),
        [_, _, ..] if !all => {
            let mut line = 1;
            let mut from = 0;
            let lines = places.iter().take(MOST_LINES).map(|place| {
                line += text[from..*place].matches('\n').count();
                from = *place;
                line
            });
            Err(EditErrorKind::Ambiguous {
                lines: lines.collect(),
            })
        }
        places if grown(text, places.len(), old, new) > largest => Err(EditErrorKind::TooLarge),
        places => Ok((text.replace(old, new), places.len())),
    }
}

/// The maximum length of a text after all its occurrences are replaced.
fn grown(text: &str, places: usize, old: &str, new: &str) -> usize {
    let more = new.len().saturating_sub(old.len());
    text.len().saturating_add(places.saturating_mul(more))
}

impl EditError {
    /// The error for a file.
    pub(super) fn fault(self, path: &str) -> ToolError {
        let which = match self.of {
            1 => String::new(),
            of => format!(" of edit {} of {of}", self.number),
        };
        let nothing = "nothing was changed";
        match self.why {
            EditErrorKind::Empty => ToolError::new(
                "empty",
                format!(
                    "`old`{which} is empty; say which passage of `{path}` to replace, or use `write` for the whole file"
                ),
            ),
            EditErrorKind::Same => ToolError::new(
                "no_change",
                format!("`new`{which} leaves `{path}` as it is; {nothing}"),
            ),
            EditErrorKind::Ambiguous { lines } => {
                let more = if lines.len() == MOST_LINES {
                    ", …"
                } else {
                    ""
                };
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                let lines = lines.join(", ");
                ToolError::new(
                    "ambiguous",
                    format!(
                        "`old`{which} occurs in `{path}` more than once, at lines {lines}{more}; {nothing}. Add lines around it until it is unique, or set `all`"
                    ),
                )
            }
            EditErrorKind::TooLarge => ToolError::new(
                "too_large",
                format!(
                    "`new`{which} would make `{path}` more than 10 MiB longer; {nothing}. Use `run` for that"
                ),
            ),
            EditErrorKind::NotFound { nearest } => {
                let fault = ToolError::new(
                    "not_matched",
                    format!("`old`{which} does not occur in `{path}` exactly; {nothing}"),
                );
                match nearest {
                    Some(nearest) => {
                        fault.help(format::head(&nearest, format::MAX_RESULT / 2).to_owned())
                    }
                    None => fault.help("No passage is similar; read the file again.".to_owned()),
                }
            }
        }
    }
}

const MOST_LINES: usize = 10;
/// How many bytes a file may grow: a few edits that double the text would exhaust memory.
const MOST_GROWTH: usize = 10 * 1024 * 1024;
