//! Text typed or pasted while a request appears: it decides nothing, and all of it ends up in the composer.

use std::time::Duration;

use attache::v1;
use attache_client::command::Command;
use attache_client::conversation::LoginCommand;
use attache_client::event::{Event, HostRequest, ProgramStart, PromptSubject};

use super::random_input::form;
use super::test_ui::{TestUi, permission_prompt, test_ui};
use crate::chat::{Effect, Input};

/// A name and the event.
pub(super) type RequestCase = (&'static str, fn() -> Input);

/// The events that can appear while the user types.
pub(super) const REQUEST_CASES: &[RequestCase] = &[
    ("a permission request", || {
        event(Event::PermissionRequested(Box::new(permission_prompt(
            1,
            &["rm", "-r", "src"],
            "Tidy",
        ))))
    }),
    ("a request with many options", || {
        use v1::PermissionOptionKind as Kind;
        let mut prompt = permission_prompt(1, &["ls"], "List");
        let option = v1::PermissionOption::new;
        prompt.options.extend([
            option("always", "Always", Kind::AllowAlways),
            option("mode", "Switch to Code mode", Kind::AllowAlways),
        ]);
        event(Event::PermissionRequested(Box::new(prompt)))
    }),
    ("a command that the agent runs through us", || {
        let mut prompt = permission_prompt(1, &["make"], "");
        prompt.subject = PromptSubject::HostRequest(HostRequest::Run {
            command: vec!["make".to_owned()],
            cwd: None,
            env: Vec::new(),
        });
        event(Event::PermissionRequested(Box::new(prompt)))
    }),
    ("a program that is about to be executed", || {
        let mut prompt = permission_prompt(1, &["git", "push"], "");
        prompt.subject = PromptSubject::Exec(ProgramStart {
            program: "/usr/bin/git".into(),
            name: "git".to_owned(),
            argv: vec!["git".to_owned(), "push".to_owned()],
            cwd: "/code/project".into(),
            env: Vec::new(),
            parents: vec!["make".to_owned()],
            rule: "rule 1 asks".to_owned(),
        });
        event(Event::PermissionRequested(Box::new(prompt)))
    }),
    ("a form", || event(form("name"))),
    ("a form with a switch", || {
        let switch =
            v1::ElicitationPropertySchema::Boolean(v1::BooleanPropertySchema::new().default(false));
        let schema = v1::ElicitationSchema::new().properties([("ok", switch)]);
        let scope = v1::ElicitationSessionScope::new("s1");
        let request = v1::CreateElicitationRequest::new(
            "Sure?",
            v1::ElicitationScope::Session(scope),
            v1::ElicitationMode::Form(v1::ElicitationFormMode::new(schema)),
        );
        event(Event::FormRequested {
            form: 1,
            request: Box::new(request),
        })
    }),
    ("a page", || {
        let scope = v1::ElicitationSessionScope::new("s1");
        let mode = v1::ElicitationUrlMode::new("e1", "https://example.org/login");
        let request = v1::CreateElicitationRequest::new(
            "Log in",
            v1::ElicitationScope::Session(scope),
            v1::ElicitationMode::Url(mode),
        );
        event(Event::FormRequested {
            form: 7,
            request: Box::new(request),
        })
    }),
    ("a login", || {
        let method = v1::AuthMethodAgent::new("browser", "Log in with the browser");
        let other = v1::AuthMethodAgent::new("beta", "Log in with a key");
        event(Event::LoginRequired(vec![method.into(), other.into()]))
    }),
    ("a login in the terminal", || {
        Input::LoginDescribed(Box::new(LoginCommand {
            method: "tty".into(),
            words: vec!["agent".to_owned(), "--login".to_owned()],
            directory: "/w".to_owned(),
            variables: Vec::new(),
        }))
    }),
    ("the end of the agent", || {
        event(Event::AgentExited {
            reason: "the agent exited with 1".to_owned(),
            stderr: vec!["oops".to_owned()],
        })
    }),
];

fn event(event: Event) -> Input {
    Input::Event(Box::new(event))
}

/// One event of a timeline.
enum Step<'a> {
    Key(char),
    Paste(&'a str),
    Appear,
}

/// Plays a timeline, drawing as often as the real screen.
fn play(steps: Vec<(i64, Step<'_>)>, appear: fn() -> Input) -> TestUi {
    let mut steps = steps;
    steps.sort_by_key(|(at, _)| *at);
    let mut ui = test_ui();
    ui.take_effects();
    let mut now = steps.first().map_or(0, |(at, _)| *at);
    let mut drawn = i64::MIN;
    for (at, step) in steps {
        ui.wait(Duration::from_millis(u64::try_from(at - now).unwrap()));
        now = at;
        // A request that appears is drawn before the next key; otherwise a few drawings are enough.
        if now.saturating_sub(drawn) > 300 {
            ui.screen();
            drawn = now;
        }
        match step {
            Step::Key(char) => ui.press_unseen(&char.to_string()),
            Step::Paste(text) => ui.input(Input::Paste(text.to_owned())),
            Step::Appear => {
                ui.input(appear());
                ui.screen();
                drawn = now;
            }
        }
    }
    ui
}

/// Fails if anything was decided, or if a character is not in the composer.
fn check(mut ui: TestUi, text: &str, said: &str) {
    let decided = ui.take_effects().into_iter().find(|effect| {
        let is_quiet = matches!(effect, Effect::FindFiles(_));
        !is_quiet
    });
    assert_eq!(decided, None, "{said}");
    assert_eq!(ui.app.tab().composer.editor.text(), text, "{said}");
}

#[test]
fn typed_words_never_decide() {
    for (what, appear) in REQUEST_CASES {
        for (index, word) in WORDS.split_whitespace().enumerate() {
            // Typing begins between one second before the request appears and two seconds after it.
            let start = i64::try_from(index * 15).unwrap() % 3000 - 1000;
            let pace = [20, 90, 180, 320][index % 4];
            let keys = word.chars().zip(0..);
            let keys = keys.map(|(char, at)| (start + at * pace, Step::Key(char)));
            let steps = keys.chain([(0, Step::Appear)]).collect();
            let said = format!("{word} at {start} ms, {pace} ms apart, and {what} appears");
            check(play(steps, *appear), word, &said);
        }
    }
}

#[test]
fn pastes_never_decide_and_are_not_lost() {
    let pastes = [
        "y",
        "yes",
        "a",
        "always allow",
        "y\n",
        "\n",
        "1\n2\n3\n",
        "\t\n",
        "yes\ny\nallow\n",
        "  \n\n  y",
        "q",
        "r",
        "rm -rf ~ # no",
        "d v t",
        "Wörter und 日本語",
    ];
    for (what, appear) in REQUEST_CASES {
        for paste in pastes {
            for start in (-500..=2000).step_by(250) {
                let steps = vec![(start, Step::Paste(paste)), (0, Step::Appear)];
                let said = format!("{paste:?} at {start} ms, and {what} appears");
                // The composer treats a tab as text.
                check(play(steps, *appear), &paste.replace('\t', "    "), &said);
            }
        }
    }
}

#[test]
fn enter_sends_the_prompt_and_answers_nothing() {
    for (what, appear) in REQUEST_CASES {
        for (index, word) in WORDS.split_whitespace().enumerate().step_by(7) {
            let mut ui = test_ui();
            let at = index % (word.len() + 1);
            for (index, char) in word.chars().enumerate() {
                if index == at {
                    ui.input(appear());
                }
                ui.press(&char.to_string());
            }
            if at == word.len() {
                ui.input(appear());
            }
            ui.take_effects();
            ui.press("<Enter>");
            let sent: Vec<Command> = ui
                .take_effects()
                .into_iter()
                .map(|effect| match effect {
                    Effect::Submit(command) => command,
                    other => panic!("{word}, and {what} appears: {other:?}"),
                })
                .collect();
            let is_gone = what.contains("end of the agent");
            match &sent[..] {
                [Command::Prompt { content, .. }] if !is_gone => {
                    assert_eq!(content[0].as_text(), Some(word));
                }
                [] if is_gone => assert_eq!(ui.app.tab().composer.editor.text(), word),
                other => panic!("{word}, and {what} appears: {other:?}"),
            }
        }
    }
}

#[test]
fn navigation_keys_decide_nothing() {
    let keys = [
        "<Up><Enter>",
        "<Down><Enter>",
        "<Up><Up><Enter>",
        "<Left><Right><Enter>",
        "<Home><End><Enter>",
        "<BS><Del>",
        "<PgUp><PgDn><Enter>",
        "<Down><Down><Down><Enter><Enter>",
        "<A-Enter><C-j>",
        "<C-a><C-e><C-k><C-u>",
        "<Esc>",
        "<Enter><Enter><Enter>",
        "<C-y><C-z><A-z>",
    ];
    for (what, appear) in REQUEST_CASES {
        for keys in keys {
            let mut ui = test_ui();
            ui.input(appear());
            ui.wait(Duration::from_secs(1));
            ui.take_effects();
            ui.press(keys);
            let done = ui.take_effects();
            let is_harmless = |effect: &Effect| matches!(effect, Effect::Copy(_));
            assert!(
                done.iter().all(is_harmless),
                "{keys}, and {what} appears: {done:?}"
            );
        }
    }
}

/// 200 words: answers, words that people type to agents, and words that once answered requests by accident.
pub(super) const WORDS: &str = "actually wait stop sure yes no y n a s w N d t v r q c always never allow deny reject accept ok okay \
    question quit restart resume run retry undo yeah yep nope nah please thanks thank great nice good bad fine cool done \
    next again back cancel continue go going just now then also and but so why what when where who how which that this \
    these those there here add all any ask bug build call change check clean code commit compile copy create data debug \
    delete diff docs does draft edit error export file find first fix fmt format from function get git give help import \
    install into issue its keep last leave let line list log look main make merge method mode more move name need new not \
    note old only open or other out output path plan print prompt push read really refactor remove rename replace repo \
    review revert rust same save say search see send server session set should show simple skip some something source \
    start state status still style summary swap sync table take tell test tests text than the thing think time tool try \
    turn type unit update use used user value version view want warn was way we well were will with word work workspace \
    would write wrong you your yours zero zip";
