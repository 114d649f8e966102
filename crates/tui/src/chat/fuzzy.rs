//! Fuzzy search: finds texts by a few of their letters.

use nucleo_matcher::pattern::{CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// The indices of the matching texts, the best first. Without a pattern all texts match, in their original order.
pub(crate) fn best<'a>(
    pattern: &str,
    texts: impl Iterator<Item = &'a str>,
    count: usize,
) -> Vec<usize> {
    if pattern.is_empty() {
        return (0..texts.count()).take(count).collect();
    }
    let mut matcher = Matcher::new(Config::DEFAULT.match_paths());
    let pattern = Pattern::parse(pattern, CaseMatching::Smart, Normalization::Smart);
    let mut buffer = Vec::new();
    let scored = texts.enumerate().filter_map(|(index, text)| {
        let score = pattern.score(Utf32Str::new(text, &mut buffer), &mut matcher)?;
        Some((score, text.len(), index))
    });
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by_key(|(score, length, index)| (u32::MAX - score, *length, *index));
    let indices = scored.into_iter().map(|(_, _, index)| index);
    indices.take(count).collect()
}
