//! Keys, clicks and pastes that could go into a request: it is answered only by a user who moved in after it had been on
//! the screen for a second, selected an answer and pressed Enter, and no letter is ever lost.

use std::time::Duration;

use attache_client::command::Command;

use super::stage::{Stage, stage};
use super::typing_attack::{APPEARANCES, Appearance, WORDS};
use crate::chat::{Effect, Input};

/// A screen of a session with something on it that can be answered.
fn with(appear: fn() -> Input) -> Stage {
    let mut stage = stage().size(60, 24);
    stage.screen();
    stage.input(appear());
    stage.screen();
    stage.done();
    stage
}

fn millis(stage: &mut Stage, time: u64) {
    stage.wait(Duration::from_millis(time));
}

/// Presses keys as far apart as `pace` says, the first one `delay` after what is on the screen has appeared.
fn type_at(stage: &mut Stage, delay: u64, pace: u64, keys: &[&str]) {
    millis(stage, delay);
    for (at, key) in keys.iter().enumerate() {
        if at > 0 {
            millis(stage, pace);
        }
        stage.screen();
        stage.press_unseen(key);
    }
}

/// Types a word.
fn type_word(stage: &mut Stage, word: &str, pace: u64) {
    stage.screen();
    for char in word.chars() {
        millis(stage, pace);
        stage.press_unseen(&char.to_string());
    }
}

/// What was decided, and the text that is written or was sent as a prompt.
fn outcome(stage: &mut Stage) -> (Vec<Effect>, String) {
    let mut text = String::new();
    let mut decided = Vec::new();
    for effect in stage.done() {
        match effect {
            Effect::Submit(Command::Prompt { content, .. }) => {
                text.extend(content.iter().filter_map(|block| block.as_text()));
            }
            Effect::FindFiles(_) => {}
            other => decided.push(other),
        }
    }
    text.push_str(stage.app.tab().composer.editor.text());
    (decided, text)
}

/// Fails if something was decided, or if one of the words is not there.
fn check(stage: &mut Stage, words: &[&str], said: &str) {
    let (decided, text) = outcome(stage);
    assert_eq!(decided, [], "{said}");
    for word in words {
        assert!(text.contains(word), "{said}: {word} is not in {text:?}");
    }
}

/// Every screen with its share of the words, each with a delay of up to two seconds and a pace of typing.
fn cases() -> impl Iterator<Item = (Appearance, &'static str, u64, u64)> {
    let screens = APPEARANCES.iter().enumerate();
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
fn tab_down_enter_answers_only_after_a_second_and_only_where_nothing_is_written() {
    let mut decisions = 0;
    for ((what, appear), word, delay, pace) in cases() {
        for (written, keys) in [
            (word, &["<Tab>", "<Down>", "<Enter>"][..]),
            (word, &["<Tab>", "<Tab>", "<Down>", "<Enter>"]),
            ("", &["<Tab>", "<Down>", "<Enter>"]),
            (word, &["<A-r>", "<Down>", "<Enter>"]),
        ] {
            let said = format!("{written} and {keys:?} at {delay} ms, {pace} apart, {what}");
            let mut stage = with(appear);
            stage.app.tab_mut().composer.editor.put(written);
            type_at(&mut stage, delay, pace, keys);
            let (decided, text) = outcome(&mut stage);
            assert!(text.contains(written), "{said}: {text}");
            if delay < 1000 || (keys[0] == "<Tab>" && !written.is_empty()) {
                assert_eq!(decided, [], "{said}");
            }
            decisions += decided.len();
        }
    }
    // The test would not notice anything if nothing could be answered at all.
    assert!(decisions > 80, "{decisions}");
}

#[test]
fn a_completion_and_the_transcript_keep_their_keys_for_a_second() {
    for &(what, appear) in APPEARANCES {
        for delay in (0..1000).step_by(180) {
            let mut stage = with(appear);
            type_at(&mut stage, delay, 0, &["<Tab>"]);
            assert!(!stage.app.ask_has_keys(), "{what} at {delay}");
            for key in ["<Down>", "<Enter>"] {
                millis(&mut stage, 300);
                stage.screen();
                stage.press_unseen(key);
            }
            check(&mut stage, &[], &format!("{what}: reading at {delay}"));
        }
    }
}

#[test]
fn no_click_answers_and_words_behind_it_are_kept() {
    for &(what, appear) in APPEARANCES {
        let mut words = timed_words().cycle();
        for row in 0..24 {
            for clicks in [1, 3] {
                let (word, delay, pace) = words.next().unwrap();
                let said =
                    format!("{clicks} clicks at row {row} after {delay} ms, then {word}, {what}");
                let mut stage = with(appear);
                millis(&mut stage, delay);
                for _ in 0..clicks {
                    stage.screen();
                    stage.input(Input::Click(6, row));
                    millis(&mut stage, pace);
                }
                type_word(&mut stage, word, pace);
                type_at(&mut stage, pace, 0, &["<Enter>"]);
                check(&mut stage, &[word], &said);
            }
        }
    }
}

#[test]
fn one_click_or_a_double_click_selects_nothing() {
    let (_, appear) = APPEARANCES[0];
    for delay in [0, 500, 999, 1000, 3000] {
        for row in 0..24 {
            let mut stage = with(appear);
            millis(&mut stage, delay);
            for _ in 0..2 {
                stage.input(Input::Click(6, row));
                millis(&mut stage, 200);
                stage.screen();
            }
            type_at(&mut stage, 50, 0, &["<Enter>"]);
            check(&mut stage, &[], &format!("row {row} at {delay}"));
        }
    }
}

/// Where the user is when a paste begins.
const PLACES: [(&str, &[&str]); 3] = [
    ("in the composer", &[]),
    ("in the request", &["<Tab>"]),
    ("at an answer", &["<Tab>", "<Down>"]),
];

#[test]
fn raw_pastes_with_tabs_and_newlines_are_text() {
    for ((what, appear), word, delay, _) in cases() {
        for (place, keys) in PLACES {
            let mut stage = with(appear);
            type_at(&mut stage, 1000 * (keys.len() as u64).min(1), 100, keys);
            millis(&mut stage, delay.max(30));
            stage.screen();
            let paste = PASTES[(what.len() + word.len()) % PASTES.len()].replace("WORD", word);
            for char in paste.chars() {
                stage.press_unseen(&raw(char));
                if char == 'b' {
                    stage.screen();
                    millis(&mut stage, 20);
                }
            }
            let said = format!("{paste:?} after {delay} ms, {place}, {what}");
            let is_in_field = what == "a form" && place == "at an answer";
            match is_in_field {
                true => check(&mut stage, &[], &said),
                false => check(&mut stage, &[word, "see"], &said),
            }
        }
    }
}

/// The key that a terminal sends for a character of a paste that it does not mark.
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
fn marked_pastes_are_text_wherever_the_user_is() {
    for ((what, appear), word, delay, pace) in cases() {
        for (place, keys) in PLACES {
            let mut stage = with(appear);
            type_at(&mut stage, 1000 * (keys.len() as u64).min(1), 100, keys);
            millis(&mut stage, delay);
            stage.screen();
            stage.input(Input::Paste(format!("see\t{word}\n\n")));
            type_at(&mut stage, pace, 0, &["<Enter>"]);
            let said = format!("{word} after {delay} ms, {place}, {what}");
            let is_in_field = what == "a form" && place == "at an answer";
            match is_in_field {
                true => check(&mut stage, &[], &said),
                false => check(&mut stage, &["see", word], &said),
            }
        }
    }
}

#[test]
fn letters_leave_a_request_from_wherever_the_user_is_in_it() {
    for ((what, appear), word, _, pace) in cases() {
        // The second step of a lasting answer, too.
        let lasting: &[&str] = &["<Tab>", "<Down>", "<Down>", "<Down>", "<Enter>"];
        let is_request =
            what.contains("request") || what.contains("program") || what.contains("command");
        let places = PLACES[1..].iter().map(|(_, keys)| *keys);
        for keys in places.chain(is_request.then_some(lasting)) {
            if what == "a form" && keys.len() > 1 {
                continue;
            }
            let mut stage = with(appear);
            type_at(&mut stage, 1000, 100, keys);
            assert!(stage.app.ask_has_keys(), "{what} {keys:?}");
            type_word(&mut stage, word, pace);
            assert!(!stage.app.ask_has_keys(), "{what} {keys:?}");
            // Nothing is selected when the user comes back.
            type_at(
                &mut stage,
                1000,
                100,
                &["<Tab>", "<Enter>", "<Enter>", "<Tab>"],
            );
            check(
                &mut stage,
                &[word],
                &format!("{word} after {keys:?}, {what}"),
            );
        }
    }
}

#[test]
fn keys_for_a_request_that_has_vanished_do_nothing() {
    let (_, appear): Appearance = APPEARANCES[0];
    for delay in (0..1000).step_by(75) {
        for key in ["<Enter>", "<Esc>", "x<BS><Esc>", "x<Enter>"] {
            let mut stage = with(appear);
            stage.begins("work");
            stage.app.tab_mut().composer.editor.put("draft");
            type_at(&mut stage, 1500, 100, &["<A-r>", "<Down>"]);
            millis(&mut stage, 100);
            stage.event(attache_client::event::Event::PermissionWithdrawn(1));
            millis(&mut stage, delay);
            stage.screen();
            stage.done();
            stage.press_unseen(key);
            check(&mut stage, &["draft"], &format!("{key} after {delay}"));
        }
    }
}

/// Each screen gets one word in so many; other screens get the others.
const SHARE: usize = 7;
