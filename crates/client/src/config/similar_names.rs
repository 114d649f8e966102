//! Suggestions for misspelled names.

/// The names most similar to an unknown name, the most similar first; at most three.
pub(crate) fn similar_names<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Vec<&'a str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted = wanted.to_lowercase();
    let names = names.into_iter();
    let mut close: Vec<_> = names
        .filter_map(|name| Some((distance(&wanted, name)?, name)))
        .collect();
    close.sort();
    close.dedup();
    close.into_iter().map(|(_, name)| name).take(3).collect()
}

/// The edit distance between two names, if it is small or one contains the other.
fn distance(wanted: &str, name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    let distance = strsim::damerau_levenshtein(wanted, &name);
    // Two edits in a long word, one in a short word.
    let slips = if wanted.chars().count() > 4 { 2 } else { 1 };
    let is_part =
        wanted.len() > 2 && name.len() > 2 && (name.contains(wanted) || wanted.contains(&name));
    (distance <= slips || is_part).then_some(distance)
}

const LONGEST: usize = 64;
