//! Characters that pile up, or whose width differs between terminals, never cover the next character.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::{cap_clusters, is_emoji, most_columns};
use crate::plain::{strip, visible};

#[test]
fn no_character_covers_the_one_behind_it_where_a_user_decides() {
    let is_ideograph =
        |char: &char| matches!(char, '\u{3400}'..='\u{9fff}' | '\u{ac10}'..='\u{d790}');
    let is_private = |char: &char| matches!(char, '\u{e000}'..='\u{f8ff}');
    let chars = ('\0'..'\u{20000}').filter(|char| !is_ideograph(char) && !is_private(char));
    for char in chars.chain('\u{e0000}'..='\u{e0fff}') {
        for text in [
            format!("a{char}b"),
            format!("\u{995}{char}{char}b"),
            format!("{char}b"),
        ] {
            let shown = visible(&text);
            assert!(
                shown.graphemes(true).any(|cluster| cluster == "b"),
                "{text:?}: {shown}"
            );
            for cluster in shown.graphemes(true) {
                let columns: usize = cluster.chars().map(most_columns).sum();
                let is_covered = columns > cluster.width() && !cluster.contains(is_emoji);
                assert!(!is_covered && cluster.width() > 0, "{text:?}: {shown}");
            }
        }
    }
}

#[test]
fn marks_do_not_pile_up() {
    for mark in ["\u{301}", "\u{9be}", "\u{20dd}", "\u{93e}", "\u{1100}"] {
        for text in [format!("a{}", mark.repeat(900)), mark.repeat(900)] {
            for shown in [
                cap_clusters(&text).into_owned(),
                strip(&text),
                visible(&text).into_owned(),
            ] {
                let longest = shown.graphemes(true).map(|it| it.chars().count()).max();
                assert!(longest <= Some(16), "{shown}");
            }
        }
    }
    assert_eq!(
        cap_clusters(&format!("e{}x", "\u{301}".repeat(9))),
        format!("e{}x", "\u{301}".repeat(4))
    );
}

#[test]
fn what_people_write_stays() {
    for text in [
        "é e\u{301} naïve",
        "👩\u{200d}👩\u{200d}👧\u{200d}👦 🇩🇪 👍🏽 1\u{fe0f}\u{20e3}",
        "日本語 ｶﾞ \u{1112}\u{1161}\u{11ab}",
        "\u{915}\u{94d}\u{937}\u{94d}\u{92e}\u{94d}\u{92f}\u{93e} \u{995}\u{9be} \u{e01}\u{e33}",
    ] {
        assert_eq!(cap_clusters(text), text);
    }
    assert_eq!(visible("\u{995}\u{9be}"), "\u{995}⟦U+09BE⟧");
    assert_eq!(visible("\u{600}h"), "⟦U+0600⟧h");
    assert_eq!(visible("\u{915}\u{93e} ｶﾞ"), "\u{915}\u{93e} ｶﾞ");
}
