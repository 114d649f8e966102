//! `attache sessions`.

use expect_test::expect;

use crate::{Machine, scripts};

/// A machine with two transcripts, of two agents with the same id.
fn kept() -> Machine {
    let machine = Machine::new();
    for agent in ["left", "right"] {
        let lines = [
            format!(r#"{{"attache":1,"agent":"{agent}","sessionId":"one","cwd":"/work","createdAt":"2026-01-01T00:00:00Z"}}"#),
            r#"{"at":"2026-01-01T00:00:01Z","prompt":[{"type":"text","text":"What is two and two?"}]}"#.to_owned(),
            format!(r#"{{"at":"2026-01-01T00:00:02Z","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"Four, says {agent}."}}}}}}"#),
            r#"{"at":"2026-01-01T00:00:03Z","end":{"stopReason":"end_turn"}}"#.to_owned(),
            r#"{"at":"2026-01-01T00:00:04Z","upda"#.to_owned(),
        ];
        machine.file(
            &format!("home/attache/data/sessions/{agent}.jsonl"),
            &lines.join("\n"),
        );
    }
    machine
}

#[test]
fn sessions_with_a_transcript_are_listed() {
    Machine::new().check(
        &["sessions", "list"],
        &expect![[r#"
        err: there are no sessions
        exit: 0
    "#]],
    );
    let output = kept().attache(&["sessions", "list", "--json"]);
    let sessions: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut told: Vec<String> = sessions
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            format!(
                "{} {} {} {} {}\n",
                it["sessionId"], it["agent"], it["cwd"], it["title"], it["source"]
            )
        })
        .collect();
    told.sort();
    expect![[r#"
        "one" "left" "/work" "What is two and two?" "transcript"
        "one" "right" "/work" "What is two and two?" "transcript"
    "#]]
    .assert_eq(&told.concat());
}

#[test]
fn an_id_that_an_agent_has_used_again() {
    let machine = kept();
    std::fs::rename(
        machine.path("home/attache/data/sessions/right.jsonl"),
        machine.path("home/attache/data/sessions/left-1.jsonl"),
    )
    .unwrap();
    let older = machine.path("home/attache/data/sessions/left-1.jsonl");
    let text = std::fs::read_to_string(&older).unwrap();
    let text = text.replace(r#""agent":"right""#, r#""agent":"left""#);
    let times = std::fs::FileTimes::new().set_modified(std::time::UNIX_EPOCH);
    std::fs::write(&older, text).unwrap();
    let file = std::fs::File::options().write(true).open(&older).unwrap();
    file.set_times(times).unwrap();
    let ids = String::from_utf8(machine.attache(&["sessions"]).stdout).unwrap();
    let ids: Vec<&str> = ids.lines().filter_map(|it| it.split(' ').next()).collect();
    assert_eq!(ids, ["ID", "one", "one~1"]);
    let shown = |id: &str| {
        let output = machine.attache(&["sessions", "show", id]);
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().last().map(str::to_owned)
    };
    assert_eq!(shown("one").as_deref(), Some("Four, says left."));
    assert_eq!(shown("one~1").as_deref(), Some("Four, says right."));
    machine.check(
        &["sessions", "show", "one~2"],
        &expect![[r#"
            err: there is no session `one~2`; `attache sessions list` lists the sessions
            exit: 4
        "#]],
    );
    machine.check(
        &["sessions", "delete", "one~1"],
        &expect![[r#"
            err: one~1: transcript deleted
            exit: 0
        "#]],
    );
    assert_eq!(shown("one").as_deref(), Some("Four, says left."));
    assert!(!older.exists());
}

#[test]
fn the_sessions_of_an_agent_all_pages() {
    let machine = Machine::new();
    machine.program("bin/agent", &scripts::librarian());
    machine.check(
        &["sessions", "list", "--", "agent"],
        &expect![[r#"
            ID   AGENT  CHANGED              DIRECTORY  TITLE
            one  agent                       /work      The ␛[31mfirst
            two  agent  2026-01-02 03:04:05  /work
            err: these are the agent's own sessions
            exit: 0
        "#]],
    );
}

#[test]
fn an_agent_that_cannot_list() {
    let machine = kept();
    machine.program("bin/left", &scripts::plain());
    let output = machine.attache(&["sessions", "list", "--json", "--", "left"]);
    let err = String::from_utf8(output.stderr).unwrap();
    expect![[r#"
        attache: the agent does not list its sessions
    "#]]
    .assert_eq(&err);
    let sessions: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(sessions.as_array().unwrap().len(), 1);
}

#[test]
fn a_session_is_shown_and_exported() {
    let machine = kept();
    machine.check(
        &["sessions", "show", "one"],
        &expect![[r#"
        err: several agents have a session `one`: left, right; name one with -a, or its command after --
        exit: 2
    "#]],
    );
    machine.program("bin/left", &scripts::plain());
    machine.check(
        &["sessions", "show", "one", "--", "left"],
        &expect![[r#"
            # Conversation

            ## You

            > What is two and two?

            ## Agent

            Four, says left.
            exit: 0
        "#]],
    );
    let file = machine.path("out.md");
    machine.check(
        &[
            "sessions",
            "export",
            "one",
            "-o",
            file.to_str().unwrap(),
            "--",
            "left",
        ],
        &expect![[r#"
            exit: 0
        "#]],
    );
    assert!(
        std::fs::read_to_string(file)
            .unwrap()
            .contains("Four, says left.")
    );
    let output = machine.attache(&[
        "sessions", "export", "one", "--format", "json", "--", "left",
    ]);
    let exported = serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap();
    assert!(exported.to_string().contains("Four, says left."));
}

#[test]
fn a_session_is_replayed_by_its_agent() {
    let machine = Machine::new();
    machine.program("bin/agent", &scripts::librarian());
    machine.check(
        &["sessions", "show", "one", "--", "agent"],
        &expect![[r#"
            # Conversation

            ## You

            > What is two and two?

            ## Agent

            Four.
            exit: 0
        "#]],
    );
}

#[test]
fn a_session_that_does_not_exist() {
    let machine = Machine::new();
    machine.program("bin/agent", &scripts::librarian());
    machine.program("bin/plain", &scripts::plain());
    machine.check(
        &["sessions", "show", "three"],
        &expect![[r#"
        err: there is no session `three`; `attache sessions list` lists the sessions
        exit: 4
    "#]],
    );
    machine.check(
        &["sessions", "export", "three", "--", "agent"],
        &expect![[r#"
            err: there is no session `three`; `attache sessions list` lists the sessions
            exit: 4
        "#]],
    );
    machine.check(
        &["sessions", "delete", "three", "--", "agent"],
        &expect![[r#"
            err: there is no session `three`; `attache sessions list` lists the sessions
            exit: 4
        "#]],
    );
    machine.check(
        &["sessions", "delete", "three", "--", "plain"],
        &expect![[r#"
            err: the agent cannot delete sessions; only the transcript is deleted
            err: there is no session `three`; `attache sessions list` lists the sessions
            exit: 4
        "#]],
    );
}

#[test]
fn a_session_is_deleted_with_the_agent_and_here() {
    let machine = kept();
    machine.program("bin/left", &scripts::librarian());
    machine.check(
        &["sessions", "delete", "one", "--", "left"],
        &expect![[r#"
            err: one: deleted from the agent, with its transcript
            exit: 0
        "#]],
    );
    assert!(
        !machine
            .path("home/attache/data/sessions/left.jsonl")
            .exists()
    );
    machine.check(
        &["sessions", "delete", "one"],
        &expect![[r#"
            err: one: transcript deleted
            exit: 0
        "#]],
    );
    assert!(
        !machine
            .path("home/attache/data/sessions/right.jsonl")
            .exists()
    );
}
