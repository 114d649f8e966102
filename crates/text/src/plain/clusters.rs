//! Limits characters that are drawn as one, and separates those that some terminals draw in a column of their own.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Limits a text to four marks per character and sixteen characters drawn as one. Further characters are left out.
pub fn cap_clusters(text: &str) -> Cow<'_, str> {
    if text.is_ascii()
        || text
            .graphemes(true)
            .all(|cluster| kept_length(cluster) == cluster.len())
    {
        return Cow::Borrowed(text);
    }
    let clusters = text.graphemes(true);
    Cow::Owned(
        clusters
            .map(|cluster| &cluster[..kept_length(cluster)])
            .collect(),
    )
}

/// The number of bytes of a cluster that are kept.
fn kept_length(cluster: &str) -> usize {
    if cluster.len() <= 2 * MARKS {
        return cluster.len();
    }
    let mut marks = 0;
    for (index, (at, char)) in cluster.char_indices().enumerate() {
        marks = match char.width() {
            Some(0) => marks + 1,
            _ => 0,
        };
        if marks > MARKS || index >= JOINED {
            return at;
        }
    }
    cluster.len()
}

/// Lets `sign` write each character that a terminal could draw over the next one: a character that belongs to the previous
/// one, but has a column of its own on some terminals and none on others.
pub(super) fn split_clusters(text: String, sign: impl Fn(&mut String, char)) -> String {
    // Characters without a width are not drawn.
    let is_certain = |cluster: &str| {
        let columns: usize = cluster.chars().map(most_columns).sum();
        let width = cluster.width();
        width > 0 && (columns <= width || cluster.contains(is_emoji))
    };
    let is_whole = |cluster: &str| is_certain(cluster) && cluster.chars().count() <= JOINED;
    if text.is_ascii() || text.graphemes(true).all(is_whole) {
        return text;
    }
    let mut apart = String::with_capacity(text.len() + 16);
    for cluster in text.graphemes(true) {
        let is_certain = is_certain(cluster);
        for (at, char) in cluster.chars().enumerate() {
            match at == 0 && cluster.width() > 0 || is_certain && at < JOINED {
                true => apart.push(char),
                false => sign(&mut apart, char),
            }
        }
    }
    apart
}

/// The columns of a character on a terminal that joins no characters.
fn most_columns(char: char) -> usize {
    let width = char.width().unwrap_or(0);
    match is_spacing_mark(char) {
        true => width.max(1),
        false => width,
    }
}

/// Whether a character joins the next one, whatever the next one is.
pub(super) fn is_prefix(char: char) -> bool {
    matches!(
        char,
        '\u{600}'
            ..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}' | '\u{d4e}'
    ) || matches!(
        char,
        '\u{110bd}'
            | '\u{110cd}'
            | '\u{111c2}'
            | '\u{111c3}'
            | '\u{113d1}'
            | '\u{1193f}'
            | '\u{11941}'
    ) || matches!(
        char,
        '\u{11a3a}' | '\u{11a84}'..='\u{11a89}' | '\u{11d46}' | '\u{11f02}'
    )
}

/// Vowel signs and similar marks that extend a cluster (`Other_Grapheme_Extend`) although they have a width (`Mc`).
fn is_spacing_mark(char: char) -> bool {
    matches!(
        char,
        '\u{9be}'
            | '\u{9d7}'
            | '\u{b3e}'
            | '\u{b57}'
            | '\u{bbe}'
            | '\u{bd7}'
            | '\u{cc0}'
            | '\u{cc2}'
    ) || matches!(
        char,
        '\u{cc7}'
            | '\u{cc8}'
            | '\u{cca}'
            | '\u{ccb}'
            | '\u{cd5}'
            | '\u{cd6}'
            | '\u{d3e}'
            | '\u{d57}'
    ) || matches!(
        char,
        '\u{dcf}' | '\u{ddf}' | '\u{1715}' | '\u{1734}' | '\u{1b35}' | '\u{1b3b}' | '\u{1b3d}'
    ) || matches!(
        char,
        '\u{1b43}' | '\u{1b44}' | '\u{1baa}' | '\u{1bf2}' | '\u{1bf3}' | '\u{302e}' | '\u{302f}'
    ) || matches!(
        char,
        '\u{a8fa}'
            | '\u{a953}'
            | '\u{a9c0}'
            | '\u{111c0}'
            | '\u{11235}'
            | '\u{1133e}'
            | '\u{1134d}'
    ) || matches!(
        char,
        '\u{11357}' | '\u{113b8}' | '\u{113c2}' | '\u{113c5}' | '\u{113c7}'
            ..='\u{113c9}' | '\u{113cf}'
    ) || matches!(
        char,
        '\u{114b0}'
            | '\u{114bd}'
            | '\u{115af}'
            | '\u{116b6}'
            | '\u{11930}'
            | '\u{1193d}'
            | '\u{11f41}'
    ) || matches!(
        char,
        '\u{16ff0}' | '\u{16ff1}' | '\u{1d165}' | '\u{1d166}' | '\u{1d16d}'..='\u{1d172}'
    )
}

pub(super) fn is_emoji(char: char) -> bool {
    matches!(
        char,
        '\u{a9}' | '\u{ae}' | '\u{203c}'
            ..='\u{2bff}' | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}'
    ) || matches!(char, '\u{1f000}'..='\u{1faff}')
}

/// Maximum number of marks on one character.
pub(super) const MARKS: usize = 4;
/// Maximum number of characters drawn as one, which fits a row of any dialog.
const JOINED: usize = 16;

#[cfg(test)]
mod attack;
