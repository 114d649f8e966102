//! Selects checks by patterns of their ids, in which `*` stands for any text.

/// Selects the checks whose id matches one of its patterns. Without patterns it selects all checks.
#[derive(Debug, Clone, Default)]
pub struct Selection(Vec<String>);

impl Selection {
    /// A selection of the checks that match at least one pattern.
    pub fn new(patterns: impl IntoIterator<Item = String>) -> Self {
        Selection(patterns.into_iter().collect())
    }

    /// Whether the check with this id is selected.
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
