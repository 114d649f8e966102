//! Draws a screen as an SVG image.

use std::fmt::Write as _;

use attache_text::markup::escape;

use super::ansi::{Colour, Run, Style};

/// Draws lines of text in a window with this many columns and rows.
pub(super) fn draw(lines: &[Vec<Run>], (columns, rows): (u16, u16)) -> String {
    let (width, height) = (
        pixels(columns.into(), CELL) + 2.0 * EDGE,
        pixels(rows.into(), LINE) + 2.0 * EDGE,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"ui-monospace, \
         Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{}\"/>\n",
        hex_colour(GROUND)
    );
    for (row, runs) in lines.iter().enumerate().take(rows.into()) {
        let mut column = 0;
        for run in runs {
            write_run(&mut out, run, column, row);
            column += run.text.chars().map(width_of).sum::<usize>();
        }
    }
    out.push_str("</svg>\n");
    out
}

fn write_run(out: &mut String, run: &Run, column: usize, row: usize) {
    let (x, y) = (EDGE + pixels(column, CELL), EDGE + pixels(row, LINE));
    let (colour, ground) = colours(run.style);
    let cells = run.text.chars().map(width_of).sum::<usize>();
    let length = pixels(cells, CELL);
    if ground != GROUND {
        let fill = hex_colour(ground);
        // Writing to a `String` can't fail.
        writeln!(
            out,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{length}\" height=\"{LINE}\" fill=\"{fill}\"/>"
        )
        .unwrap_or_default();
    }
    if run.text.trim().is_empty() {
        return;
    }
    let mut more = String::new();
    for (is_set, attribute) in [
        (run.style.bold, " font-weight=\"bold\""),
        (run.style.italic, " font-style=\"italic\""),
        (run.style.underline, " text-decoration=\"underline\""),
        (run.style.dim, " opacity=\"0.6\""),
    ] {
        if is_set {
            more.push_str(attribute);
        }
    }
    let (fill, base, text) = (hex_colour(colour), y + BASE, escape(&run.text));
    writeln!(
        out,
        "<text x=\"{x}\" y=\"{base}\" textLength=\"{length}\" xml:space=\"preserve\" fill=\"{fill}\"{more}>{text}</text>"
    )
    .unwrap_or_default();
}

fn colours(style: Style) -> (Colour, Colour) {
    let colour = style.colour.unwrap_or(TEXT);
    let ground = style.ground.unwrap_or(GROUND);
    if style.reverse {
        (ground, colour)
    } else {
        (colour, ground)
    }
}

/// The number of cells of a character, for the characters in these pictures.
fn width_of(char: char) -> usize {
    if matches!(char, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{1f300}'..='\u{1faff}')
    {
        2
    } else {
        1
    }
}

fn pixels(cells: usize, size: f64) -> f64 {
    f64::from(u32::try_from(cells).unwrap_or(u32::MAX)) * size
}

fn hex_colour(Colour(red, green, blue): Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

const CELL: f64 = 8.4;
const LINE: f64 = 18.0;
const BASE: f64 = 13.5;
const EDGE: f64 = 14.0;
const GROUND: Colour = Colour(24, 25, 33);
const TEXT: Colour = Colour(214, 216, 222);

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::ansi::parse;
    use super::draw;

    #[test]
    fn text_is_drawn_in_its_cell_with_its_colour() {
        let drawn = draw(&parse("ab \u{1b}[1;32m<ok>"), (10, 2));
        expect![[r##"
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 112 64" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">
            <rect width="112" height="64" rx="8" fill="#181921"/>
            <text x="14" y="27.5" textLength="25.200000000000003" xml:space="preserve" fill="#d6d8de">ab </text>
            <text x="39.2" y="27.5" textLength="33.6" xml:space="preserve" fill="#62c478" font-weight="bold">&lt;ok&gt;</text>
            </svg>
        "##]].assert_eq(&drawn);
    }
}
