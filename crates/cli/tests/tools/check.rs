//! `attache check`, on our own products.

use std::process::Output;

use crate::{Machine, scripts};

#[test]
fn our_agent_conforms() {
    let machine = Machine::new();
    let us = us();
    let output = machine.attache(&["check", "agent", "--preset", "attache", "--", &us, "agent"]);
    nothing_to_blame(&output, 250);
}

#[test]
fn our_client_conforms() {
    let machine = Machine::new();
    let us = us();
    let cancel = format!("cancel={us} run --timeout 2 hello -- {{agent}}");
    let words = ["check", "client", "--command-for", &cancel, "--", &us];
    let output = machine.attache(&[&words[..], &["run", "--approve-all", "hello", "--"]].concat());
    nothing_to_blame(&output, 140);
}

#[test]
fn our_recorder_is_transparent() {
    let machine = Machine::new();
    let us = us();
    let output = machine.attache(&["check", "proxy", "--", &us, "trace", "-o", "t", "--"]);
    nothing_to_blame(&output, 46);
}

#[test]
fn a_command_that_is_no_agent_is_told() {
    let machine = Machine::new();
    let output = machine.attache(&["check", "agent", "--timeout", "2", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
}

/// An agent that keeps settings in its home directory and writes down which option was chosen. `options` are those of its
/// permission request.
fn keeper(machine: &Machine, options: &str) -> String {
    let log = machine.path("chosen").display().to_string();
    let answers = r#"
    *'"session/prompt"'*)
        printf '{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run"},"options":[OPTIONS]}}\n'
        read -r reply
        printf '%s\n' "$reply" >>LOG
        case "$reply" in *'"always"'*) echo "always_allow: shell" >>"$HOME/.agentrc" ;; esac
        answer '"result":{"stopReason":"end_turn"}' ;;"#;
    let answers = answers.replace("OPTIONS", options).replace("LOG", &log);
    let setup = r#"#!/bin/sh
for place in "$HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" "$XDG_RUNTIME_DIR" \
    "${CODEX_HOME:-$HOME/.codex}" "${CLAUDE_CONFIG_DIR:-$HOME/.claude}" "${GOOSE_PATH_ROOT:-$HOME/.goose}"
do
    mkdir -p "$place" && echo started >>"$place/.seen"
    echo "$place" >>LOG.places
done
"#;
    let setup = setup.replace("LOG", &log);
    let script = scripts::agent(r#""authMethods":[]"#, &answers);
    script.replacen("#!/bin/sh\n", &setup, 1)
}

/// Everything below a directory.
fn tree(folder: &std::path::Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        all.push(entry.path().display().to_string());
        all.extend(tree(&entry.path()));
    }
    all.sort();
    all
}

fn check_keeper(options: &str, home: &[&str]) -> (Machine, Output) {
    let machine = Machine::new();
    let script = keeper(&machine, options);
    machine.program("bin/keeper", &script);
    for folder in ["home/.codex", "home/.config", "home/.claude", "home/.cargo"] {
        std::fs::create_dir_all(machine.path(folder)).unwrap();
    }
    let words = [
        "check",
        "agent",
        "--timeout",
        "2",
        "--prompt-for",
        "permission=run",
        "--only",
        "agent.permission.allowed",
        "--only",
        "agent.permission.rejected",
    ];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_attache"));
    command.args(words).args(home).args(["--", "keeper"]);
    command.current_dir(machine.path("project"));
    command.env("HOME", machine.path("home"));
    command.env(
        "PATH",
        format!("{}:/usr/bin:/bin", machine.path("bin").display()),
    );
    command.env("XDG_CONFIG_HOME", machine.path("home/.config"));
    command.env("CODEX_HOME", machine.path("home/.codex"));
    command.env("CLAUDE_CONFIG_DIR", machine.path("home/.claude"));
    let output = command.output().unwrap();
    (machine, output)
}

#[test]
fn a_check_never_chooses_an_option_that_lasts() {
    let always = r#"{"optionId":"always","name":"Always","kind":"allow_always"}"#;
    let never = r#"{"optionId":"never","name":"Never","kind":"reject_always"}"#;
    let once = r#"{"optionId":"once","name":"Once","kind":"allow_once"}"#;
    let no = r#"{"optionId":"no","name":"No","kind":"reject_once"}"#;
    for (options, chosen) in [
        (vec![always], vec!["cancelled"]),
        (vec![always, never], vec!["cancelled"]),
        (vec![always, never, once, no], vec!["once", "no"]),
        (vec![never, no, always, once], vec!["once", "no"]),
    ] {
        let (machine, output) = check_keeper(&options.join(","), &[]);
        let log = std::fs::read_to_string(machine.path("chosen")).unwrap_or_default();
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(!log.contains("always") && !log.contains("never"), "{log}");
        for word in chosen {
            assert!(
                log.contains(&format!("\"{word}\"")),
                "{word}: {log}\n{shown}"
            );
        }
        assert!(!shown.contains("not carried out"), "{shown}");
    }
}

#[test]
fn a_check_leaves_the_home_directory_as_it_is() {
    let once = r#"{"optionId":"once","name":"Once","kind":"allow_once"}"#;
    let (machine, _) = check_keeper(once, &[]);
    let home = machine.path("home");
    let seen: Vec<String> = tree(&home)
        .into_iter()
        .map(|path| path.replace(&home.display().to_string(), "~"))
        .collect();
    assert_eq!(seen, ["~/.cargo", "~/.claude", "~/.codex", "~/.config"]);
    let places = std::fs::read_to_string(machine.path("chosen.places")).unwrap();
    let root = machine.path("home").display().to_string();
    for place in places.lines() {
        assert!(!place.starts_with(&root), "{place}");
        assert!(
            !std::path::Path::new(place).exists(),
            "{place} is left behind"
        );
    }
}

#[test]
fn the_real_home_is_used_when_it_is_wanted() {
    let once = r#"{"optionId":"once","name":"Once","kind":"allow_once"}"#;
    let (machine, _) = check_keeper(once, &["--home", "real"]);
    assert!(machine.path("home/.seen").exists());
}

#[test]
fn an_agent_that_wants_a_login_is_told_of_with_a_hint() {
    let machine = Machine::new();
    let login = r#"
    *'"session/new"'*) answer '"error":{"code":-32000,"message":"Authentication required"}' ;;"#;
    machine.program("bin/locked", &scripts::agent(r#""authMethods":[]"#, login));
    let words = [
        "check",
        "agent",
        "--timeout",
        "5",
        "--only",
        "agent.session.new",
        "--",
        "locked",
    ];
    let output = machine.attache(&words);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("the agent wants a login") && err.contains("--home real"),
        "{err}"
    );
}

fn us() -> String {
    env!("CARGO_BIN_EXE_attache").to_owned()
}

fn nothing_to_blame(output: &Output, least: usize) {
    let shown = String::from_utf8_lossy(&output.stdout);
    let last = shown.lines().rfind(|line| line.contains(" passed, "));
    let last = last.unwrap_or_default();
    let passed = last.split(' ').next().and_then(|count| count.parse().ok());
    assert!(
        passed.is_some_and(|passed: usize| passed >= least),
        "{shown}"
    );
    assert!(last.contains(" 0 failed, 0 warnings, "), "{shown}");
    assert_eq!(output.status.code(), Some(0), "{shown}");
}
