//! Hostile text for tests of code that shows text to a user: pieces that control a terminal, hide, reorder, break lines or
//! imitate our own markers.

/// Each piece alone, and next to two others.
pub fn some_texts() -> Vec<String> {
    let mut texts = vec![
        "\x1b]; echo PWNED; echo \x07".to_owned(),
        "# a comment\nrm -rf ~".to_owned(),
    ];
    for (index, first) in PIECES.iter().enumerate() {
        let second = PIECES[(index * 7 + 3) % PIECES.len()];
        texts.push(format!("a{first}b"));
        texts.push(format!("{first}x{second}; rm -rf ~"));
        texts.push(format!("ls{second}{first}"));
    }
    texts
}

/// Each piece next to each other one, and thousands of longer texts, the same in each run.
pub fn texts() -> Vec<String> {
    let mut texts = some_texts();
    for first in PIECES {
        for second in PIECES {
            texts.push(format!("ls {first}{second} x"));
            texts.push(format!("{first}; rm -rf ~{second}"));
        }
    }
    let mut state: u64 = 0x5eed;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % below
    };
    for _ in 0..2000 {
        let count = next(12);
        let piece = |_| PIECES[usize::try_from(next(PIECES.len() as u64)).unwrap_or(0)];
        texts.push((0..count).map(piece).collect());
    }
    texts
}

/// Texts that imitate our own rows at a given width: blanks, letters or wide characters fill a row, so that `row` starts
/// the next one.
pub fn forged_rows(row: &str, width: usize) -> Vec<String> {
    let fill = |piece: &str, columns: usize| piece.repeat(columns.div_ceil(piece.chars().count()));
    let mut texts = vec![format!("a\n{row}"), format!("a\r\n{row}\u{2028}{row}")];
    for piece in FILL {
        for columns in [width.saturating_sub(1), width, 2 * width] {
            texts.push(format!("{}{row}", fill(piece, columns)));
        }
        // One of these starts the next row, wherever the first one ends.
        let step = row.chars().count() + 1;
        texts.push(format!("{row} {}{row}", fill(piece, step)).repeat(3));
    }
    texts
}

const FILL: &[&str] = &[
    " ", "x", "─", "│ ", "日", "\u{a0}", "\u{2800}", "\u{3164}", "\u{200b}", "e\u{301}", "👍🏽", "א",
    "x ", "”", "\t",
];

/// The pieces that the texts are made of.
pub const PIECES: &[&str] = &[
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\x1b]8;;http://a\x1b\\",
    "\x1b",
    "\u{9b}1A",
    "\u{9d}",
    "\x07",
    "\x08\x08",
    "\r",
    "\n",
    "\r\n",
    "\t",
    "\0",
    "\x7f",
    "\u{202e}",
    "\u{2066}",
    "\u{2069}",
    "\u{200f}",
    "\u{61c}",
    "\u{200b}",
    "\u{200d}",
    "\u{200c}",
    "\u{feff}",
    "\u{ad}",
    "\u{2028}",
    "\u{85}",
    "\u{a0}",
    "\u{3000}",
    "\u{2800}",
    "\u{3164}",
    "\u{fe0f}",
    "\u{e0041}",
    "\u{301}",
    "\u{1161}",
    "⏎",
    "␛",
    "⟦U+000A⟧",
    "'",
    "\"",
    "\\",
    " ",
    "   ",
    "$(id)",
    "`id`",
    "#",
    "echo",
    "  denied: ",
    "👩\u{200d}👧",
    "é",
    "日",
    "\u{fffe}",
    "\u{1bca0}",
    "“",
    "”",
    "\u{ff02}",
    "┊ ",
    "│",
    "╭─╮",
    "                                        ",
    "\u{2800}\u{2800}\u{2800}\u{2800}\u{2800}",
    "\u{202f}",
    "\u{180e}",
    "\u{2060}",
    "שלום",
    "لا",
    "👍🏽",
    "ﷺ",
    "‹x›",
    " → ",
    " = ",
];
