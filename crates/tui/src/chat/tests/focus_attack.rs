//! Keys, clicks and pastes that could go into a request. A request is answered only by a user who moved into it after
//! it had been on the screen for a second, selected an answer and pressed Enter; and no letter is ever lost.

use std::time::Duration;

use attache_client::command::Command;

use super::test_ui::{TestUi, test_ui};
use super::typing_attack::{REQUEST_CASES, RequestCase, WORDS};
use crate::chat::{Effect, Input};

/// A screen with something that can be answered.
fn with(appear: fn() -> Input) -> TestUi {
    let mut ui = test_ui().size(60, 24);
    ui.screen();
    ui.input(appear());
    ui.screen();
    ui.take_effects();
    ui
}

fn millis(ui: &mut TestUi, time: u64) {
    ui.wait(Duration::from_millis(time));
}

/// Presses keys `pace` apart, the first one `delay` after the request has appeared.
fn type_at(ui: &mut TestUi, delay: u64, pace: u64, keys: &[&str]) {
    millis(ui, delay);
    for (at, key) in keys.iter().enumerate() {
        if at > 0 {
            millis(ui, pace);
        }
        ui.screen();
        ui.press_unseen(key);
    }
}

/// Types a word.
fn type_word(ui: &mut TestUi, word: &str, pace: u64) {
    ui.screen();
    for char in word.chars() {
        millis(ui, pace);
        ui.press_unseen(&char.to_string());
    }
}

/// The decisions, and the text that was typed or sent as a prompt.
fn outcome(ui: &mut TestUi) -> (Vec<Effect>, String) {
    let mut text = String::new();
    let mut decided = Vec::new();
    for effect in ui.take_effects() {
        match effect {
            Effect::Submit(Command::Prompt { content, .. }) => {
                text.extend(content.iter().filter_map(|block| block.as_text()));
            }
            Effect::FindFiles(_) => {}
            other => decided.push(other),
        }
    }
    text.push_str(ui.app.tab().composer.editor.text());
    (decided, text)
}

/// Fails if anything was decided or a word is missing.
fn check(ui: &mut TestUi, words: &[&str], said: &str) {
    let (decided, text) = outcome(ui);
    assert_eq!(decided, [], "{said}");
    for word in words {
        assert!(text.contains(word), "{said}: {word} is not in {text:?}");
    }
}

/// Every screen with its share of the words, each with a delay of up to two seconds and a typing pace.
fn cases() -> impl Iterator<Item = (RequestCase, &'static str, u64, u64)> {
    let screens = REQUEST_CASES.iter().enumerate();
    screens.flat_map(|(at, screen)| {
        let words = timed_words().skip(at).step_by(SHARE);
        words.map(move |(word, delay, pace)| (*screen, word, delay, pace))
    })
}

fn timed_words() -> impl Iterator<Item = (&'static str, u64, u64)> + Clone {
    let words = WORDS.split_whitespace().enumerate();
    words.map(|(index, word)| {
        let delay = u64::try_from(index * 37 % 2000).unwrap();
        (word, delay, [45, 90, 180, 400][index % 4])
    })
}

#[test]
fn tab_down_enter_answers_only_after_a_second_with_an_empty_composer() {
    let mut decisions = 0;
    for ((what, appear), word, delay, pace) in cases() {
        for (written, keys) in [
            (word, &["<Tab>", "<Down>", "<Enter>"][..]),
            (word, &["<Tab>", "<Tab>", "<Down>", "<Enter>"]),
            ("", &["<Tab>", "<Down>", "<Enter>"]),
            (word, &["<A-r>", "<Down>", "<Enter>"]),
        ] {
            let said = format!("{written} and {keys:?} at {delay} ms, {pace} apart, {what}");
            let mut ui = with(appear);
            ui.app.tab_mut().composer.editor.set_text(written);
            type_at(&mut ui, delay, pace, keys);
            let (decided, text) = outcome(&mut ui);
            assert!(text.contains(written), "{said}: {text}");
            if delay < 1000 || (keys[0] == "<Tab>" && !written.is_empty()) {
                assert_eq!(decided, [], "{said}");
            }
            decisions += decided.len();
        }
    }
    // Without this, the test would also pass if nothing could ever be answered.
    assert!(decisions > 80, "{decisions}");
}

#[test]
fn a_completion_and_the_transcript_keep_their_keys_for_a_second() {
    for &(what, appear) in REQUEST_CASES {
        for delay in (0..1000).step_by(180) {
            let mut ui = with(appear);
            type_at(&mut ui, delay, 0, &["<Tab>"]);
            assert!(!ui.app.request_has_keys(), "{what} at {delay}");
            for key in ["<Down>", "<Enter>"] {
                millis(&mut ui, 300);
                ui.screen();
                ui.press_unseen(key);
            }
            check(&mut ui, &[], &format!("{what}: reading at {delay}"));
        }
    }
}

#[test]
fn clicks_never_answer_and_typed_words_are_kept() {
    for &(what, appear) in REQUEST_CASES {
        let mut words = timed_words().cycle();
        for row in 0..24 {
            for clicks in [1, 3] {
                let (word, delay, pace) = words.next().unwrap();
                let said =
                    format!("{clicks} clicks at row {row} after {delay} ms, then {word}, {what}");
                let mut ui = with(appear);
                millis(&mut ui, delay);
                for _ in 0..clicks {
                    ui.screen();
                    ui.input(Input::Click(6, row));
                    millis(&mut ui, pace);
                }
                type_word(&mut ui, word, pace);
                type_at(&mut ui, pace, 0, &["<Enter>"]);
                check(&mut ui, &[word], &said);
            }
        }
    }
}

#[test]
fn one_click_or_a_double_click_selects_nothing() {
    let (_, appear) = REQUEST_CASES[0];
    for delay in [0, 500, 999, 1000, 3000] {
        for row in 0..24 {
            let mut ui = with(appear);
            millis(&mut ui, delay);
            for _ in 0..2 {
                ui.input(Input::Click(6, row));
                millis(&mut ui, 200);
                ui.screen();
            }
            type_at(&mut ui, 50, 0, &["<Enter>"]);
            check(&mut ui, &[], &format!("row {row} at {delay}"));
        }
    }
}

/// Where the focus is when a paste begins.
const PLACES: [(&str, &[&str]); 3] = [
    ("in the composer", &[]),
    ("in the request", &["<Tab>"]),
    ("at an answer", &["<Tab>", "<Down>"]),
];

#[test]
fn raw_pastes_with_tabs_and_newlines_are_text() {
    for ((what, appear), word, delay, _) in cases() {
        for (place, keys) in PLACES {
            let mut ui = with(appear);
            type_at(&mut ui, 1000 * (keys.len() as u64).min(1), 100, keys);
            millis(&mut ui, delay.max(30));
            ui.screen();
            let paste = PASTES[(what.len() + word.len()) % PASTES.len()].replace("WORD", word);
            for char in paste.chars() {
                ui.press_unseen(&raw(char));
                if char == 'b' {
                    ui.screen();
                    millis(&mut ui, 20);
                }
            }
            let said = format!("{paste:?} after {delay} ms, {place}, {what}");
            let is_in_field = what == "a form" && place == "at an answer";
            match is_in_field {
                true => check(&mut ui, &[], &said),
                false => check(&mut ui, &[word, "see"], &said),
            }
        }
    }
}

/// The key that a terminal without bracketed paste sends for a character.
fn raw(char: char) -> String {
    match char {
        '\n' => "<Enter>".to_owned(),
        '\t' => "<Tab>".to_owned(),
        '\u{b}' => "<C-j>".to_owned(),
        '⇣' => "<Down>".to_owned(),
        other => other.to_string(),
    }
}

const PASTES: [&str; 6] = [
    "see\tWORD\n",
    "def see():\n\tWORD = 1\n\ty = 2\n\n\n",
    "see\n\t⇣\n\t\t⇣⇣\nWORD\n",
    "y see WORD\t\t\t\t\t\n\n\n",
    "see\u{b}\t\u{b}WORD\n\t\n\t\n",
    "a b see\t⇣\n⇣\nWORD",
];

#[test]
fn bracketed_pastes_are_text_wherever_the_focus_is() {
    for ((what, appear), word, delay, pace) in cases() {
        for (place, keys) in PLACES {
            let mut ui = with(appear);
            type_at(&mut ui, 1000 * (keys.len() as u64).min(1), 100, keys);
            millis(&mut ui, delay);
            ui.screen();
            ui.input(Input::Paste(format!("see\t{word}\n\n")));
            type_at(&mut ui, pace, 0, &["<Enter>"]);
            let said = format!("{word} after {delay} ms, {place}, {what}");
            let is_in_field = what == "a form" && place == "at an answer";
            match is_in_field {
                true => check(&mut ui, &[], &said),
                false => check(&mut ui, &["see", word], &said),
            }
        }
    }
}

#[test]
fn letters_leave_a_request_from_anywhere_in_it() {
    for ((what, appear), word, _, pace) in cases() {
        // The confirmation step of a remembered answer, too.
        let lasting: &[&str] = &["<Tab>", "<Down>", "<Down>", "<Down>", "<Enter>"];
        let is_request =
            what.contains("request") || what.contains("program") || what.contains("command");
        let places = PLACES[1..].iter().map(|(_, keys)| *keys);
        for keys in places.chain(is_request.then_some(lasting)) {
            if what == "a form" && keys.len() > 1 {
                continue;
            }
            let mut ui = with(appear);
            type_at(&mut ui, 1000, 100, keys);
            assert!(ui.app.request_has_keys(), "{what} {keys:?}");
            type_word(&mut ui, word, pace);
            assert!(!ui.app.request_has_keys(), "{what} {keys:?}");
            // Nothing is selected when the user comes back.
            type_at(
                &mut ui,
                1000,
                100,
                &["<Tab>", "<Enter>", "<Enter>", "<Tab>"],
            );
            check(&mut ui, &[word], &format!("{word} after {keys:?}, {what}"));
        }
    }
}

#[test]
fn keys_for_a_request_that_has_vanished_do_nothing() {
    let (_, appear): RequestCase = REQUEST_CASES[0];
    for delay in (0..1000).step_by(75) {
        for key in ["<Enter>", "<Esc>", "x<BS><Esc>", "x<Enter>"] {
            let mut ui = with(appear);
            ui.start_turn("work");
            ui.app.tab_mut().composer.editor.set_text("draft");
            type_at(&mut ui, 1500, 100, &["<A-r>", "<Down>"]);
            millis(&mut ui, 100);
            ui.event(attache_client::event::Event::PermissionWithdrawn(1));
            millis(&mut ui, delay);
            ui.screen();
            ui.take_effects();
            ui.press_unseen(key);
            check(&mut ui, &["draft"], &format!("{key} after {delay}"));
        }
    }
}

/// Each screen gets one word in this many; other screens get the others.
const SHARE: usize = 7;
