//! Which checks are made: patterns with `*` for any text.

/// Patterns of which a check's id must fit one; without any, all checks are made.
#[derive(Debug, Clone, Default)]
pub struct Selection(Vec<String>);

impl Selection {
    /// Those that fit one of these.
    pub fn new(patterns: impl IntoIterator<Item = String>) -> Self {
        Selection(patterns.into_iter().collect())
    }

    /// Whether a check is made.
    pub fn takes(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| fits(pattern, id))
    }
}

fn fits(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => text.strip_prefix(start).is_some_and(|text| {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.into_iter().any(|at| fits(rest, &text[at..]))
        }),
    }
}
