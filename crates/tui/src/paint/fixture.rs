//! Shared by tests of painters: turns lines into text, with and without styles.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

use super::theme::{Background, Palette, SignSet};
use super::{Appearance, Theme, wrap};

pub(super) fn appearance(palette: Palette) -> Appearance {
    Appearance::new(
        Theme::new(palette, Background::Dark, SignSet::Unicode),
        "/project",
    )
}

/// The text of the lines, with `⏎` at the end of lines that end in spaces.
pub(super) fn text(lines: &[Line<'_>]) -> String {
    let shown = |line: &Line<'_>| {
        let text: String = line
            .spans
            .iter()
            .map(|span| span.content.as_ref())
            .collect();
        if text.ends_with(' ') {
            text + "⏎"
        } else {
            text
        }
    };
    lines.iter().map(shown).collect::<Vec<_>>().join("\n")
}

/// The text of the lines with styled parts in brackets: `[bi3:text]` is bold, italic and in colour 3.
pub(super) fn styled(lines: &[Line<'_>]) -> String {
    let mut all = String::new();
    for line in lines {
        for span in &line.spans {
            let style = notation(line.style.patch(span.style));
            if style.is_empty() {
                all += &span.content;
            } else {
                all += &format!("[{style}:{}]", span.content);
            }
        }
        all.push('\n');
    }
    all
}

pub(super) fn assert_fits(lines: &[Line<'_>], width: u16) {
    for line in lines {
        assert!(
            wrap::line_width(line) <= usize::from(width),
            "wider than {width}: {:?}",
            text(std::slice::from_ref(line))
        );
        assert!(!text(std::slice::from_ref(line)).contains(char::is_control));
    }
}

fn notation(style: Style) -> String {
    let letters = [
        (Modifier::BOLD, "b"),
        (Modifier::DIM, "d"),
        (Modifier::ITALIC, "i"),
        (Modifier::UNDERLINED, "u"),
        (Modifier::REVERSED, "r"),
        (Modifier::CROSSED_OUT, "s"),
    ];
    let has = |(modifier, letter): &(Modifier, &'static str)| {
        style.add_modifier.contains(*modifier).then_some(*letter)
    };
    let mut notation: String = letters.iter().filter_map(has).collect();
    notation += &style.fg.map(colour).unwrap_or_default();
    if let Some(ground) = style.bg {
        notation += &format!("/{}", colour(ground));
    }
    notation
}

fn colour(colour: Color) -> String {
    match colour {
        Color::Indexed(index) => index.to_string(),
        other => other.to_string().to_lowercase(),
    }
}
