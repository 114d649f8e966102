//! Parses coloured text from tmux: lines with escape sequences that set the style of the following text.

/// Text in one style.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Style {
    pub(super) colour: Option<Colour>,
    pub(super) ground: Option<Colour>,
    pub(super) bold: bool,
    pub(super) dim: bool,
    pub(super) italic: bool,
    pub(super) underline: bool,
    pub(super) reverse: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour(pub(super) u8, pub(super) u8, pub(super) u8);

pub(super) fn parse(screen: &str) -> Vec<Vec<Run>> {
    let mut style = Style::default();
    screen.lines().map(|line| runs(line, &mut style)).collect()
}

fn runs(line: &str, style: &mut Style) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut rest = line;
    while let Some((text, behind)) = rest.split_once("\u{1b}[") {
        push(&mut runs, text, *style);
        let end = behind
            .find(|char: char| char.is_ascii_alphabetic())
            .unwrap_or(behind.len());
        let (numbers, behind) = behind.split_at(end);
        if behind.starts_with('m') {
            set_style(style, numbers);
        }
        rest = behind.get(1..).unwrap_or_default();
    }
    push(&mut runs, rest, *style);
    runs
}

fn push(runs: &mut Vec<Run>, text: &str, style: Style) {
    if !text.is_empty() {
        let text = text.to_owned();
        runs.push(Run { text, style });
    }
}

fn set_style(style: &mut Style, numbers: &str) {
    let mut numbers = numbers
        .split([';', ':'])
        .map(|number| number.parse().unwrap_or(0_u8));
    while let Some(number) = numbers.next() {
        match number {
            0 => *style = Style::default(),
            1 => style.bold = true,
            2 => style.dim = true,
            3 => style.italic = true,
            4 => style.underline = true,
            7 => style.reverse = true,
            22 => (style.bold, style.dim) = (false, false),
            23 => style.italic = false,
            24 => style.underline = false,
            27 => style.reverse = false,
            30..=37 => style.colour = Some(palette_colour(number - 30)),
            38 => style.colour = extended_colour(&mut numbers),
            39 => style.colour = None,
            40..=47 => style.ground = Some(palette_colour(number - 40)),
            48 => style.ground = extended_colour(&mut numbers),
            49 => style.ground = None,
            90..=97 => style.colour = Some(palette_colour(number - 90 + 8)),
            100..=107 => style.ground = Some(palette_colour(number - 100 + 8)),
            _ => {}
        }
    }
}

fn extended_colour(numbers: &mut impl Iterator<Item = u8>) -> Option<Colour> {
    match numbers.next()? {
        2 => Some(Colour(numbers.next()?, numbers.next()?, numbers.next()?)),
        5 => Some(palette_colour(numbers.next()?)),
        _ => None,
    }
}

/// The 256-colour palette: 16 named colours, a 6×6×6 cube, and greys.
fn palette_colour(index: u8) -> Colour {
    match index {
        0..16 => NAMED[usize::from(index)],
        16..232 => {
            let step = |at: u8| if at == 0 { 0 } else { 55 + 40 * at };
            let index = index - 16;
            Colour(step(index / 36), step(index / 6 % 6), step(index % 6))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            Colour(grey, grey, grey)
        }
    }
}

const NAMED: [Colour; 16] = [
    Colour(40, 42, 54),
    Colour(224, 92, 92),
    Colour(98, 196, 120),
    Colour(226, 190, 104),
    Colour(110, 160, 240),
    Colour(198, 136, 230),
    Colour(96, 200, 210),
    Colour(214, 216, 222),
    Colour(120, 124, 138),
    Colour(255, 130, 130),
    Colour(130, 226, 150),
    Colour(250, 218, 140),
    Colour(150, 190, 255),
    Colour(222, 170, 250),
    Colour(140, 226, 236),
    Colour(250, 250, 252),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_lasts_until_it_is_changed() {
        let screen = "\u{1b}[1;31mred\u{1b}[22m thin\u{1b}[0m plain\nnext\u{1b}[38;2;1;2;3mx";
        let lines = parse(screen);
        let red = Some(NAMED[1]);
        let style = |colour, bold| Style {
            colour,
            bold,
            ..Style::default()
        };
        let run = |text: &str, style| Run {
            text: text.to_owned(),
            style,
        };
        let first = [
            run("red", style(red, true)),
            run(" thin", style(red, false)),
            run(" plain", Style::default()),
        ];
        assert_eq!(lines[0], first);
        assert_eq!(lines[1][1], run("x", style(Some(Colour(1, 2, 3)), false)));
    }
}
