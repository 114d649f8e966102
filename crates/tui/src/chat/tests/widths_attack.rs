//! Text whose width terminals disagree about: on any terminal, our own text stays at its columns, and no remains of the
//! other text are left behind.

mod emulator;

use attache::v1;
use attache_client::event::Event;
use attache_testkit::hostile::some_texts;
use attache_text::plain::visible_command;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::buffer::{Buffer, CellWidth};
use ratatui::layout::Size;

use super::test_ui::{TestUi, permission_prompt, test_ui};
use crate::chat::screen::backend::FixedColumns;
use crate::chat::screen::terminal::enter_alternate_screen;
use emulator::{Bytes, Columns, Emulator, Sized};

#[test]
fn nothing_shifts_or_remains_whatever_width_the_terminal_assumes() {
    for (columns, size) in [
        (Columns::Characters, (101, 34)),
        (Columns::Characters, (60, 20)),
        (Columns::Clusters, (60, 20)),
        (Columns::Double, (60, 20)),
    ] {
        let mut screen = Screen::new(columns, size);
        for (number, text) in (1..).zip(hostile_texts()) {
            screen.ui.update(plan(&text));
            screen.check(&text);
            let command = ["rm", "-rf", &text, "/home/ann"];
            let mut prompt = permission_prompt(number, &command, &text);
            prompt.options[0].name.clone_from(&text);
            screen
                .ui
                .event(Event::PermissionRequested(Box::new(prompt)));
            screen.check(&text);
            // The agent's text changes next to the open dialog.
            screen.ui.update(plan(&text.repeat(7)));
            screen.ui.agent_message(&text);
            screen.check(&text);
            screen.ui.update(plan("Clean up"));
            screen.check(&text);
            screen.ui.event(Event::PermissionWithdrawn(number));
            screen.check(&text);
        }
    }
}

#[test]
fn every_character_of_a_command_is_in_its_dialog() {
    for columns in [Columns::Characters, Columns::Clusters] {
        for text in hostile_texts() {
            if text.chars().count() > 200 {
                continue;
            }
            let mut screen = Screen::new(columns, (101, 60));
            let words = ["find", ".", "-name", &text, "-exec", "rm", "-r", "~", "+"];
            screen
                .ui
                .event(Event::PermissionRequested(Box::new(permission_prompt(
                    1, &words, "Find",
                ))));
            screen.check(&text);
            let shown: String = screen
                .dialog()
                .chars()
                .filter(|char| *char != ' ')
                .collect();
            let command = visible_command(words).replace(' ', "");
            // Of a joined emoji, only the first part is certain to be shown.
            let is_kept = |char: &char| {
                char.is_ascii() || columns == Columns::Characters && char.is_alphabetic()
            };
            let expected: String = command.chars().filter(is_kept).collect();
            let shown: String = shown.chars().filter(is_kept).collect();
            assert!(
                shown.contains(&expected),
                "{text:?} {columns:?}: {expected}\n{shown}"
            );
        }
    }
}

/// Our screen on a terminal that counts columns differently.
struct Screen {
    ui: TestUi,
    terminal: Terminal<FixedColumns<Sized>>,
    bytes: Bytes,
    emulator: Emulator,
}

impl Screen {
    fn new(columns: Columns, size: (u16, u16)) -> Screen {
        let mut bytes = Bytes::default();
        enter_alternate_screen(&mut bytes).unwrap();
        let backend = Sized {
            inner: CrosstermBackend::new(bytes.clone()),
            size: Size::new(size.0, size.1),
        };
        Screen {
            ui: test_ui().size(size.0, size.1),
            terminal: Terminal::new(FixedColumns::new(backend)).unwrap(),
            bytes,
            emulator: Emulator::new(columns, size),
        }
    }

    /// Draws, and compares the terminal with what was drawn.
    fn check(&mut self, text: &str) {
        let meant = self.ui.draw_on(&mut self.terminal);
        self.emulator.feed(&self.bytes.take());
        compare(&meant, &self.emulator, text);
    }

    /// The untrusted text in the dialog, as the terminal shows it.
    fn dialog(&self) -> String {
        let rows = self.emulator.rows.iter().map(|row| row.concat());
        let rows = rows.filter_map(|row| Some(row.split_once('┊')?.1.to_owned()));
        rows.map(|row| row.trim_end_matches(['│', ' ']).to_owned())
            .collect()
    }
}

fn compare(meant: &Buffer, shown: &Emulator, text: &str) {
    let area = meant.area;
    for y in 0..area.height {
        let mut x = 0;
        while x < area.width {
            let cell = &meant[(x, y)];
            let (symbol, width) = (cell.symbol(), cell.cell_width().max(1));
            let there = &shown.rows[usize::from(y)][usize::from(x)..usize::from(x + width)];
            let is_ours =
                symbol.is_ascii() || matches!(symbol, "┊" | "│" | "─" | "╭" | "╮" | "╰" | "╯");
            let is_there = match is_ours {
                true => there[0].starts_with(symbol),
                // At the edge, a character that does not fit may cover another one of its kind.
                false if x + width + 2 > area.width => true,
                // A character that does not fit is missing, with nothing in its place.
                false => there.iter().all(|cell| {
                    let first = cell.chars().next();
                    first.is_none_or(|char| char == ' ' || symbol.contains(char))
                }),
            };
            assert!(
                is_there,
                "{symbol:?} at {x},{y} is {there:?} for {text:?}:\n{}",
                shown
                    .rows
                    .iter()
                    .map(|row| row.concat() + "\n")
                    .collect::<String>()
            );
            x += width;
        }
    }
}

fn plan(text: &str) -> v1::Plan {
    let priority = v1::PlanEntryPriority::High;
    v1::Plan::new([v1::PlanEntry::new(
        text,
        priority,
        v1::PlanEntryStatus::InProgress,
    )])
}

/// Characters of disputed width: alone, repeated, and mixed with letters.
fn hostile_texts() -> Vec<String> {
    let mut texts = Vec::new();
    for piece in DISPUTED {
        texts.push(piece.to_string());
        texts.push(piece.repeat(40));
        texts.push(format!("a{piece}b").repeat(20));
    }
    for (first, second) in DISPUTED.iter().zip(DISPUTED.iter().skip(1)) {
        texts.push(format!("{first}{second}x{second}{first}").repeat(9));
    }
    // Long enough to reach every row below.
    texts.push(format!(
        "\u{995}{}│ command ┊ ls build",
        "\u{9be}".repeat(900)
    ));
    texts.push("\u{995}\u{9be}\u{9be}\u{9be}\u{9be}".repeat(15));
    texts.extend(some_texts().into_iter().step_by(5));
    texts
}

const DISPUTED: &[&str] = &[
    "\u{995}\u{9be}",
    "\u{995}\u{9be}\u{9be}\u{9be}\u{9be}",
    "\u{b95}\u{bbe}",
    "\u{915}\u{93e}",
    "\u{915}\u{93e}\u{93e}\u{93e}\u{93e}\u{93e}\u{93e}\u{93e}\u{93e}\u{93e}",
    "\u{600}/",
    "\u{600}\u{600}\u{600}h",
    "\u{6dd}",
    "\u{110bd}\u{11083}",
    "🇩🇪",
    "🇩",
    "\u{e01}\u{e33}",
    "\u{915}\u{94d}\u{937}",
    "\u{1100}\u{1100}\u{1100}",
    "\u{1100}\u{1161}\u{11a8}",
    "👩\u{200d}👩\u{200d}👧",
    "👍🏽",
    "❤\u{fe0f}",
    "1\u{fe0f}\u{20e3}",
    "ﷺ",
    "日",
    "é",
    "e\u{301}\u{302}",
    "…",
    "ｶﾞ",
];
