//! Files that a prompt names with `@`: how they are written, found in the text, and sent.

mod load;
mod walk;

pub use load::Attachment;
pub(crate) use load::load;
pub(crate) use walk::walk;

/// A mention that is being typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnfinishedMention {
    /// Where its `@` stands.
    pub(crate) start: usize,
    /// The name so far.
    pub(crate) name: String,
}

/// The mention at the end of a text, if it ends in one that is not finished.
pub(crate) fn open_at_end(text: &str) -> Option<UnfinishedMention> {
    let mut open = None;
    for (start, at) in starts(text) {
        let name = &text[at..];
        let is_open = match name.strip_prefix('"') {
            Some(quoted) => !quoted.contains('"'),
            None => !name.contains(char::is_whitespace),
        };
        if is_open {
            let name = name.strip_prefix('"').unwrap_or(name).to_owned();
            open = Some(UnfinishedMention { start, name });
        }
    }
    open
}

/// The names of all mentions in a text. Whether there are such files is for [`load`] to say.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (_, at) in starts(text) {
        let rest = &text[at..];
        let name = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split('"').next(),
            None => rest.split(char::is_whitespace).next(),
        };
        let name = name.unwrap_or_default();
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// How a path is mentioned.
pub(crate) fn written(path: &str) -> String {
    if path.contains(char::is_whitespace) {
        format!("@\"{path}\"")
    } else {
        format!("@{path}")
    }
}

/// Where mentions begin: the `@` and what follows it. One inside a word is part of the word, as in an address.
fn starts(text: &str) -> impl Iterator<Item = (usize, usize)> {
    text.match_indices('@').filter_map(|(index, _)| {
        let before = text[..index].chars().next_back();
        let is_start = before.is_none_or(|char| char.is_whitespace() || "([{,;".contains(char));
        is_start.then_some((index, index + 1))
    })
}
