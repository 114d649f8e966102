//! `attache audit`.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use attache::v1;
use attache_host::audit::{AnswerReach, Event, Log, UserAnswer};
use attache_host::permissions::{Action, Reason, Scope};
use expect_test::{Expect, expect};

use crate::Machine;

/// A machine on which an agent requested an action, was denied, and did something else.
fn logged() -> Machine {
    let machine = Machine::new();
    let log = Log::open(&dir(&machine)).unwrap();
    let input =
        serde_json::json!({ "command": "curl -H 'Authorization: Bearer abc' \u{1b}]0;x\u{7}" });
    let call = v1::ToolCallUpdate::new("c")
        .kind(v1::ToolKind::Execute)
        .raw_input(input);
    let request = v1::RequestPermissionRequest::new("s1", call, Vec::<v1::PermissionOption>::new());
    let question = Action::from_request("claude", "/w".into(), &request, None);
    let command = ["npm".to_owned(), "test".to_owned()];
    for event in [
        Event::Started { agent: "claude" },
        Event::Asked(&question),
        Event::Decided {
            action: &question,
            is_allowed: Some(false),
            reason: &Reason::new("--approve-reads"),
            answer: None,
        },
        Event::Decided {
            action: &question,
            is_allowed: Some(true),
            reason: &Reason::new("the user"),
            answer: Some(UserAnswer {
                reach: AnswerReach::Scope(Scope::Workspace),
                expires: Some(UNIX_EPOCH + Duration::from_secs(4_000_000_000)),
                option: Some("Yes  always"),
                id: Some("7857d150"),
            }),
        },
        Event::Undone {
            id: "7857d150",
            agent: "claude",
            session: Some("s1"),
            subject: Some("execute npm test"),
            was_in_force: true,
        },
        Event::Read {
            agent: "claude",
            session: "s1",
            path: PathBuf::from("/w/a"),
            outcome: Ok(12),
        },
        Event::Wrote {
            agent: "claude",
            session: "s2",
            path: PathBuf::from("/w/b"),
            outcome: Err("it is protected".to_owned()),
        },
        Event::Ran {
            agent: "claude",
            session: "s2",
            command: &command,
            outcome: Ok("t1"),
        },
        Event::Ended {
            agent: "claude",
            session: "s2",
            terminal: "t1",
            outcome: "exit code 1".to_owned(),
        },
    ] {
        log.append(&event);
    }
    assert_eq!(log.fault(), None);
    machine
}

fn dir(machine: &Machine) -> PathBuf {
    machine.path("home/attache/data/audit")
}

/// With the times, which are never the same, as `TIME`.
fn check(machine: &Machine, arguments: &[&str], expected: &Expect) {
    let shown = machine.shown(&machine.attache(arguments));
    let lines = shown.lines().map(|line| match line.split_once("Z  ") {
        Some((_, rest)) => format!("TIME  {rest}\n"),
        None => format!("{line}\n"),
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn events_are_shown() {
    let machine = logged();
    check(
        &machine,
        &["audit"],
        &expect![[r#"
            TIME  claude  started
            TIME  claude/s1  asked  execute curl -H 'Authorization: Bearer ***' ␛]0;x␇
            TIME  claude/s1  decided  execute curl -H 'Authorization: Bearer ***' ␛]0;x␇  denied: --approve-reads
            TIME  claude/s1  decided  execute curl -H 'Authorization: Bearer ***' ␛]0;x␇  allowed: the user, for the workspace until 2096-10-02T07:06:40Z “Yes␠␠always” decision 7857d150
            TIME  claude/s1  undone  “execute npm test”  undone: decision 7857d150
            TIME  claude/s1  read  /w/a  12 bytes
            TIME  claude/s2  wrote  /w/b  failed: it is protected
            TIME  claude/s2  ran  npm test  t1
            TIME  claude/s2  ended  t1 exit code 1
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["audit", "--session", "s2", "--since", "1h"],
        &expect![[r#"
            TIME  claude/s2  wrote  /w/b  failed: it is protected
            TIME  claude/s2  ran  npm test  t1
            TIME  claude/s2  ended  t1 exit code 1
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["audit", "show", "--since", "2999-01-01"],
        &expect![[r#"
            err: no matching entries in the log
            exit: 0
        "#]],
    );
}

#[test]
fn json_lines_are_those_of_the_log() {
    let machine = logged();
    let output = machine.attache(&["audit", "--json"]);
    assert_eq!(
        output.stdout,
        fs::read(dir(&machine).join("000001.jsonl")).unwrap()
    );
}

#[test]
fn an_invalid_time_is_refused() {
    check(
        &Machine::new(),
        &["audit", "--since", "yesterday"],
        &expect![[r#"
            err: --since: `yesterday` is not a time; use `30m`, `2h`, `7d`, `2026-11-16` or `2026-11-16T08:00:00Z`
            exit: 2
        "#]],
    );
}

#[test]
fn nothing_was_logged() {
    let machine = Machine::new();
    check(
        &machine,
        &["audit"],
        &expect![[r#"
            err: no matching entries in the log
            exit: 0
        "#]],
    );
    check(
        &machine,
        &["audit", "verify"],
        &expect![[r#"
        intact: 0 lines in 0 files
        exit: 0
    "#]],
    );
    assert!(!dir(&machine).exists());
}

#[test]
fn a_log_is_verified() {
    let machine = logged();
    check(
        &machine,
        &["audit", "verify"],
        &expect![[r#"
            intact: 9 lines in 1 file
            exit: 0
        "#]],
    );
    let file = dir(&machine).join("000001.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("denied", "allowd")).unwrap();
    check(
        &machine,
        &["audit", "verify"],
        &expect![[r#"
        broken: ~/home/attache/data/audit/000001.jsonl:3: this line was changed
        exit: 1
    "#]],
    );
    check(
        &machine,
        &["audit", "verify", "--json"],
        &expect![[r#"
            {
              "lines": 2,
              "files": 1,
              "notes": [],
              "broken": "~/home/attache/data/audit/000001.jsonl:3: this line was changed"
            }
            exit: 1
        "#]],
    );
}
