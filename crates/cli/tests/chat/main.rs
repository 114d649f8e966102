//! `attache chat` as the user sees it: the real program on a real terminal, which tmux provides. Without tmux the tests
//! report that and pass.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends here")]

mod agent;
mod pane;
mod replay;

use std::time::{Duration, Instant};

use expect_test::expect;

use pane::Pane;

/// Runs a test on a terminal of this size, if there is one.
fn on(columns: u16, rows: u16, test: impl FnOnce(&Pane)) {
    match Pane::open(columns, rows, &[]) {
        Some(pane) => {
            pane.wait_for("ready");
            test(&pane);
        }
        None => eprintln!("skipped: tmux is not installed"),
    }
}

#[test]
fn a_prompt_is_typed_and_answered() {
    on(60, 20, |pane| {
        pane.send("hello");
        pane.press("Enter");
        pane.wait_for("done in");
        pane.check(&expect![[r#"
            | shell · hello
            | › hello
            |
            | • Hello, world!
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |────────────────────────────────────────────────────────────
            |› ask for something · / commands · @ files · ? help
            | done in TIME
        "#]]);
    });
}

#[test]
fn a_request_is_answered_from_a_list() {
    on(100, 30, |pane| {
        pane.send("ask");
        pane.press("Enter");
        pane.wait_for("Tab to answer");
        pane.check(&expect![[r#"
            | shell · ask
            | › ask
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |╭ Run a command? ──────────────────────────────────────────────────────────────────────────────────╮
            |│ command ┊ rm -r 'old files'                                                                      │
            |│ in      ┊ DIR                                                                                    │
            |│ title   ┊ Tidy up                                                                                │
            |│   Allow once ┊ Go                                                                                │
            |│   Reject once ┊ Stop                                                                             │
            |│ Or let Attaché remember the answer:                                                              │
            |│   Allow, and don't ask again in this session                                                     │
            |│   Allow, and don't ask again in this workspace                                                   │
            |│   Allow, and don't ask again with this agent, anywhere                                           │
            |│   Reject, and don't ask again in this workspace                                                  │
            |│   Dismiss (cancel the request)                                                                   │
            |╰ Tab to answer ───────────────────────────────────────────────────────────────────────────────────╯
            |────────────────────────────────────────────────────────────────────────────────────────────────────
            |› type the next prompt; it is sent when the turn ends
            | ◐ waiting for you TIME
        "#]]);
        pane.choose("Allow once");
        pane.wait_for("the answer was yes");
    });
}

#[test]
fn keys_typed_before_a_prompt_appears_do_not_answer_it() {
    on(60, 20, |pane| {
        pane.send("ask");
        pane.press("Enter");
        pane.send("y");
        pane.wait_for("Run a command?");
        pane.wait_for("Alt-R to answer");
        assert!(
            !pane.screen().contains("the answer was"),
            "{}",
            pane.screen()
        );
        pane.choose("Reject once");
        pane.wait_for("the answer was no");
    });
}

#[test]
fn a_disk_that_does_not_answer_does_not_hold_up_the_screen() {
    on(60, 20, |pane| {
        pane.send("ask");
        pane.press("Enter");
        pane.wait_for("Tab to answer");
        let locks = ["permissions.lock", "audit/lock"].map(|name| pane.lock(name));
        pane.choose("with this agent");
        // Enter and text that arrive in one burst count as a paste.
        pane.confirm();
        let begun = Instant::now();
        pane.send("typed meanwhile");
        pane.wait_for("› typed meanwhile");
        // The program does not wait for a process that keeps a lock for longer.
        if begun.elapsed() < Duration::from_millis(1500) {
            let screen = pane.screen();
            assert!(!screen.contains("the answer was"), "{screen}");
        }
        drop(locks);
        pane.wait_for("the answer was yes");
    });
}

#[test]
fn the_command_to_continue_is_printed_on_exit() {
    on(200, 20, |pane| {
        pane.send("hello");
        pane.press("Enter");
        pane.wait_for("done in");
        pane.press("C-q");
        pane.wait_for("attache: to continue: attache chat --resume=s -- sh ");
        pane.wait_for("left with 0");
    });
}

#[test]
fn a_turn_is_cancelled() {
    on(60, 20, |pane| {
        pane.send("wait");
        pane.press("Enter");
        pane.wait_for("working");
        pane.press("Escape");
        pane.wait_for("cancelled");
        pane.wait_for("cancelled after");
    });
}

#[test]
fn the_window_is_made_smaller_and_larger() {
    on(200, 50, |pane| {
        pane.send("hello");
        pane.press("Enter");
        pane.wait_for("done in");
        pane.resize(60, 20);
        pane.wait_for_first_row("shell");
        pane.check(&expect![[r#"
            | shell · hello
            | › hello
            |
            | • Hello, world!
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |────────────────────────────────────────────────────────────
            |› ask for something · / commands · @ files · ? help
            | done in TIME
        "#]]);
        pane.resize(100, 30);
        pane.wait_for_row(&"─".repeat(100));
        pane.wait_for("Hello, world!");
    });
}

#[test]
fn text_is_pasted_and_not_run() {
    on(60, 20, |pane| {
        pane.paste("hello\nand more\n");
        pane.wait_for("and more");
        assert!(pane.screen().contains(" ready"), "{}", pane.screen());
    });
}

#[test]
fn an_agent_cannot_touch_the_terminal() {
    on(60, 20, |pane| {
        pane.send("evil");
        pane.press("Enter");
        pane.wait_for("done in");
        assert_ne!(pane.title(), "pwned");
        pane.check(&expect![[r#"
            | shell · evil
            | › evil
            |
            | • one�eno
            |   two
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |────────────────────────────────────────────────────────────
            |› ask for something · / commands · @ files · ? help
            | done in TIME
        "#]]);
    });
}

#[test]
fn an_agent_that_dies_is_restarted() {
    on(60, 20, |pane| {
        pane.send("die");
        pane.press("Enter");
        pane.wait_for("out of cheese");
        pane.wait_for("Tab to answer");
        pane.choose("Restart");
        pane.wait_for("ready");
        pane.send("hello");
        pane.press("Enter");
        pane.wait_for("Hello, world!");
    });
}

#[test]
fn a_command_is_seen_while_it_runs() {
    on(60, 20, |pane| {
        pane.send("run");
        pane.press("Enter");
        pane.wait_for("Tab to answer");
        pane.choose("Allow once");
        pane.wait_for("first line\n");
        assert!(!pane.screen().contains("last line"), "{}", pane.screen());
        pane.write_file("go");
        pane.wait_for("last line");
        pane.wait_for("done in");
    });
}

#[test]
fn a_login_has_the_terminal_and_gives_it_back() {
    let Some(pane) = Pane::open(60, 20, &[("WANTS_LOGIN", "1")]) else {
        eprintln!("skipped: tmux is not installed");
        return;
    };
    pane.wait_for("Log in here");
    pane.choose("Log in here");
    pane.wait_for("agent.sh login");
    pane.choose("Run it");
    pane.wait_for("who are you?");
    pane.send("ada");
    pane.press("Enter");
    pane.wait_for("ready");
    pane.send("hello");
    pane.press("Enter");
    pane.wait_for("Hello, world!");
}

#[test]
fn attack_a_login_in_the_terminal_runs_denied_programs_and_reads_denied_files() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name).to_str().unwrap().to_owned();
    std::fs::write(at("secret"), "the secret").unwrap();
    let policy = serde_json::json!({ "rules": [
        { "action": "deny", "command": "whoami", "id": "no-names" },
        { "action": "ask", "command": "id" },
        { "action": "deny", "path": at("secret") },
    ]});
    std::fs::write(at("policy"), policy.to_string()).unwrap();
    let (secret, seen) = (at("secret"), at("seen"));
    let login = format!(
        "if [ \"$1\" = login ]; then\n\
         whoami && echo denied >>{seen}; id && echo asked >>{seen}; cat {secret} >>{seen}\n\
         echo end >>{seen}; exit 0\nfi\n"
    );
    let variables = [
        ("WANTS_LOGIN", "1"),
        ("CHAT_ARGUMENTS", &format!("--policy={}", at("policy"))),
    ];
    let agent = format!("{login}{}", agent::AGENT);
    let Some(pane) = Pane::open_with(100, 24, &variables, &agent) else {
        eprintln!("skipped: tmux is not installed");
        return;
    };
    pane.wait_for("Log in here");
    pane.choose("Log in here");
    pane.wait_for("agent.sh login");
    pane.choose("Run it");
    pane.wait_for("The agent requires a login");
    let seen = std::fs::read_to_string(seen).unwrap();
    let reads = attache::process::namespace_support().map_or("the secret", |()| "");
    if attache::process::exec_support().is_available() {
        assert_eq!(seen, format!("{reads}end\n"));
    }
    let audit = pane.audit();
    assert!(audit.contains("  login  sh "), "{audit}");
    assert!(audit.contains("denied: policy rule `no-names`"), "{audit}");
}

#[test]
fn it_is_left_by_control_c_twice_and_the_terminal_is_as_before() {
    on(60, 20, |pane| {
        pane.press("C-c");
        pane.wait_for("press Ctrl-C again to quit");
        pane.press("C-c");
        pane.wait_for("left with 0");
        pane.check(&expect![[r#"
            |left with 0
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
            |
        "#]]);
    });
}

#[test]
fn a_signal_leaves_the_terminal_as_before() {
    on(60, 20, |pane| {
        pane.terminate();
        pane.wait_for("left with 0");
        assert!(!pane.screen().contains("ready"), "{}", pane.screen());
    });
}

#[test]
fn without_colour_nothing_is_coloured() {
    let Some(pane) = Pane::open(60, 20, &[("NO_COLOR", "1")]) else {
        eprintln!("skipped: tmux is not installed");
        return;
    };
    pane.wait_for("ready");
    pane.send("hello");
    pane.press("Enter");
    pane.wait_for("done in");
    let coded = pane.screen_with_codes();
    let is_colour = |code: &str| code.starts_with("38;") || code.starts_with("48;");
    let codes = coded
        .split('\u{1b}')
        .filter_map(|rest| rest.strip_prefix('['));
    let codes: Vec<&str> = codes.filter_map(|rest| rest.split('m').next()).collect();
    assert!(!codes.is_empty(), "bold is left");
    assert!(!codes.iter().any(|code| is_colour(code)), "{codes:?}");
}
