//! Agents that show one action and do another. Only the action that the user saw and allowed is carried out, once.

mod generated;

use attache::v1;
use attache_host::permissions::{Expiry, PermissionConfig, Permissions, Policy, Preset, Scope};
use serde_json::{Value, json};

use super::{BEGIN, Fixture, allow, reject};
use crate::command::Command;
use crate::event::{Event, HostRequest, PromptSubject};

/// A turn that an agent plays, line by line, in a session in `/tmp`.
struct Turn {
    script: String,
    steps: usize,
}

impl Turn {
    fn new() -> Turn {
        Turn {
            script: format!(
                "-> initialize {{...}}\n<= {{\"protocolVersion\":1}}\n{BEGIN}-> session/prompt @turn {{...}}\n"
            ),
            steps: 0,
        }
    }

    /// The agent asks for permission and gets this option. The title tells the user of the test what to answer.
    fn request(&mut self, mut call: Value, option: &str) {
        self.steps += 1;
        call["title"] = json!(format!("{option} {}", self.steps));
        if call.get("toolCallId").is_none() {
            call["toolCallId"] = json!(format!("call-{}", self.steps));
        }
        let params = json!({ "sessionId": "s", "toolCall": call, "options": [
            { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
            { "optionId": "no", "name": "No", "kind": "reject_once" },
        ] });
        self.line("<- session/request_permission", &params);
        let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
        self.script
            .push_str(&format!("=> @{} {outcome}\n", self.steps));
    }

    /// The agent writes a file; the client permits or rejects that.
    fn write(&mut self, path: &str, content: &str, is_permitted: bool) {
        self.steps += 1;
        let params = json!({ "sessionId": "s", "path": path, "content": content });
        self.line("<- fs/write_text_file", &params);
        self.script.push_str(&match is_permitted {
            true => format!("=> @{} {{}}\n", self.steps),
            false => format!("!> @{} {DENIED}\n", self.steps),
        });
    }

    /// The agent reads a file; the client permits or rejects that.
    fn read(&mut self, path: &str, is_permitted: bool) {
        self.steps += 1;
        self.line(
            "<- fs/read_text_file",
            &json!({ "sessionId": "s", "path": path }),
        );
        self.script.push_str(&match is_permitted {
            true => format!("=> @{} {{...}}\n", self.steps),
            false => format!("!> @{} {DENIED}\n", self.steps),
        });
    }

    /// The agent runs a command in a directory that does not exist; the client permits or rejects that.
    fn run(&mut self, params: &Value, is_permitted: bool) {
        self.steps += 1;
        let mut params = params.clone();
        params["sessionId"] = json!("s");
        self.line("<- terminal/create", &params);
        let answer = if is_permitted { NOWHERE } else { DENIED };
        self.script
            .push_str(&format!("!> @{} {answer}\n", self.steps));
    }

    fn line(&mut self, method: &str, params: &Value) {
        self.script
            .push_str(&format!("{method} @{} {params}\n", self.steps));
    }

    /// Plays the turn. Actions without a permission request are rejected. The outcome must match the script.
    async fn play(self) -> Vec<String> {
        self.play_with(Permissions::preset(Preset::Ask)).await
    }

    async fn play_with(mut self, permissions: Permissions) -> Vec<String> {
        self.script
            .push_str("<= @turn {\"stopReason\":\"end_turn\"}\n");
        let mut fixture = Fixture::with_permissions(&self.script, permissions);
        fixture.open_new_session();
        fixture.until("opened").await;
        fixture.prompt("go");
        let mut asked = Vec::new();
        loop {
            match fixture.until("").await {
                Event::PermissionRequested(prompt) => {
                    let title = prompt.action.title.clone();
                    let answer = match &prompt.subject {
                        PromptSubject::ToolCall(_) if title.starts_with("yes") => {
                            allow(Scope::Once)
                        }
                        _ => reject(Scope::Once),
                    };
                    fixture.conversation.submit(Command::AnswerPermission {
                        prompt: prompt.id,
                        answer,
                        expiry: Expiry::Never,
                    });
                    asked.push(match &prompt.change {
                        Some(change) => format!("{title}: {change:?}"),
                        None => title,
                    });
                }
                Event::TurnEnded { .. } => break,
                _ => {}
            }
        }
        let stop = fixture.conversation.stop();
        let (trace, ()) = tokio::join!(fixture.peer.finish(), stop);
        if let Err(why) = trace {
            panic!("{why}\n{}\n{}", self.script, fixture.seen);
        }
        asked
    }
}

fn folder() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let path = folder.path().canonicalize().unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

fn diff(path: &str, old: Option<&str>, new: &str) -> Value {
    json!({ "type": "diff", "path": path, "oldText": old, "newText": new })
}

#[tokio::test]
async fn attack_a_change_that_was_shown_is_written_once_and_nothing_else_is() {
    let (_folder, base) = folder();
    let file = format!("{base}/file");
    let mut turn = Turn::new();
    turn.request(
        json!({ "kind": "edit", "content": [diff(&file, None, "A")] }),
        "yes",
    );
    for other in ["B", "A\n", "a", "", "AA", "A\u{200b}"] {
        turn.write(&file, other, false);
    }
    turn.write(&format!("{base}/other"), "A", false);
    turn.write(&format!("{base}/FILE"), "A", false);
    turn.write(&file, "A", true);
    turn.write(&file, "A", false);
    turn.write(&file, "B", false);
    let asked = turn.play().await;
    // It did ask, for another text; and once that is written, it did not.
    let told = asked
        .iter()
        .map(|it| it.split_once(": ").map(|(_, told)| told));
    let expected = [&[None; 1][..], &[Some("Content"); 6], &[None; 4]].concat();
    assert_eq!(told.collect::<Vec<_>>(), expected);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "A");
}

/// The symptom: the agent showed one line of a file, which it does not contain, and could replace the whole file.
#[tokio::test]
async fn attack_a_diff_that_does_not_apply_to_the_file_permits_no_write() {
    for there in [
        "chapter\n".repeat(500),
        "recieve\n".repeat(2),
        "recieve\r\nx\r\n".into(),
    ] {
        let (_folder, base) = folder();
        let file = format!("{base}/file");
        std::fs::write(&file, &there).unwrap();
        let mut turn = Turn::new();
        let old = match there.contains('\r') {
            true => "recieve\nx\n",
            false => "recieve\n",
        };
        let call = json!({ "kind": "edit", "content": [diff(&file, Some(old), "receive\n")] });
        turn.request(call, "yes");
        turn.write(&file, "receive\n", false);
        turn.play().await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), there);
    }
}

#[tokio::test]
async fn attack_a_change_is_not_written_to_a_file_that_changed_after_the_yes() {
    for old in [None, Some("old")] {
        let (_folder, base) = folder();
        let file = format!("{base}/file");
        if let Some(old) = old {
            std::fs::write(&file, old).unwrap();
        }
        let mut turn = Turn::new();
        for new in ["A", "B"] {
            let call = json!({ "kind": "edit", "content": [diff(&file, old, new)] });
            turn.request(call, "yes");
        }
        turn.write(&file, "B", true);
        turn.write(&file, "A", false);
        let asked = turn.play().await;
        // The change is the one that was allowed, but the file is another.
        assert!(asked.last().unwrap().ends_with(": File"), "{asked:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "B");
    }
}

#[tokio::test]
async fn attack_a_request_without_content_permits_one_write_to_each_file() {
    for kind in ["edit", "move"] {
        let (_folder, base) = folder();
        let (one, two) = (format!("{base}/one"), format!("{base}/two"));
        let locations = json!([{ "path": one }, { "path": two }]);
        let mut turn = Turn::new();
        turn.request(json!({ "kind": kind, "locations": locations }), "yes");
        turn.write(&one, "first", true);
        turn.write(&one, "second", false);
        turn.write(&format!("{base}/three"), "x", false);
        turn.write(&two, "third", true);
        turn.write(&two, "fourth", false);
        turn.play().await;
        assert_eq!(std::fs::read_to_string(&one).unwrap(), "first");
        assert_eq!(std::fs::read_to_string(&two).unwrap(), "third");
    }
}

/// One rule allows one kind of tool, another rule asks about all others. Every action of another kind needs a prompt.
#[tokio::test]
async fn attack_a_kind_that_a_rule_allows_leads_past_no_rule_that_asks() {
    let kinds = v1::ToolKind::KNOWN;
    // A rule that allows this one names commands.
    for kind in kinds.iter().filter(|kind| **kind != "execute") {
        let (_folder, base) = folder();
        let file = format!("{base}/file");
        std::fs::write(&file, "old").unwrap();
        let others: Vec<&&str> = kinds.iter().filter(|it| *it != kind).collect();
        let policy = json!({ "rules": [
            { "action": "allow", "agent": "scripted", "kind": kind, "path": file },
            { "action": "ask", "kind": others },
        ] });
        let mut config = PermissionConfig::new(Preset::Ask);
        config.policy = Some(Policy::parse("policy.json", &policy.to_string()).unwrap());
        let mut turn = Turn::new();
        let call = json!({ "kind": kind, "locations": [{ "path": file }] });
        turn.request(call, "yes");
        turn.write(&file, "new", *kind == "edit");
        turn.read(&file, *kind == "read");
        turn.run(
            &json!({ "command": "attache-no-such-program", "cwd": "/attache-nowhere" }),
            false,
        );
        let asked = turn.play_with(Permissions::open(config).0).await;
        let by_user = asked.iter().find(|title| title.starts_with("yes"));
        assert_eq!(by_user, None, "the rule allows {kind}");
    }
}

#[tokio::test]
async fn attack_only_a_tool_that_says_it_edits_may_write() {
    let kinds = "read search think fetch delete execute switch_mode other edit2 Edit write";
    for kind in kinds.split(' ').map(Some).chain([None]) {
        let (_folder, base) = folder();
        let file = format!("{base}/file");
        for shown in [json!({}), json!({ "content": [diff(&file, None, "A")] })] {
            let mut call = shown;
            call["locations"] = json!([{ "path": file }]);
            call["rawInput"] = json!({ "path": file, "content": "A", "x": 1 });
            if let Some(kind) = kind {
                call["kind"] = json!(kind);
            }
            let mut turn = Turn::new();
            turn.request(call, "yes");
            turn.write(&file, "A", false);
            turn.play().await;
        }
        assert!(!std::fs::exists(&file).unwrap(), "{kind:?}");
    }
}

#[tokio::test]
async fn attack_a_link_that_appears_after_the_answer_leads_nowhere() {
    let (_folder, base) = folder();
    std::fs::write(format!("{base}/secret"), "secret").unwrap();
    std::os::unix::fs::symlink("secret", format!("{base}/file")).unwrap();
    let file = format!("{base}/file");
    let mut turn = Turn::new();
    turn.request(
        json!({ "kind": "edit", "locations": [{ "path": file }] }),
        "yes",
    );
    turn.write(&file, "x", false);
    turn.play().await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "secret");
}

#[tokio::test]
async fn attack_a_file_that_changed_since_it_was_shown_is_asked_about() {
    let (_folder, base) = folder();
    let (file, text) = (format!("{base}/file"), "one\ntwo\nthree\n");
    std::fs::write(&file, text).unwrap();
    let mut turn = Turn::new();
    turn.request(
        json!({ "kind": "edit", "content": [diff(&file, Some("one\n"), "1\n")] }),
        "yes",
    );
    turn.request(
        json!({ "kind": "edit", "locations": [{ "path": file }] }),
        "yes",
    );
    turn.write(&file, "other\none\n", true);
    // The shown change would have made `1 two three`. The file has changed since.
    turn.write(&file, "other\n1\n", false);
    turn.play().await;
}

/// Commands that an agent runs instead of the one that the user has seen.
fn commands() -> Vec<Value> {
    let shown = || json!({ "command": "attache-no-such-program", "args": ["a", "b"], "cwd": CWD });
    let mut commands = Vec::new();
    let arguments = [
        json!([]),
        json!(["a"]),
        json!(["a b"]),
        json!(["b", "a"]),
        json!(["a", "b", "c"]),
        json!(["a", "b", ""]),
        json!(["a", "b", "--help"]),
        json!(["a", "b\n"]),
        json!(["-c", "a", "b"]),
        json!(["a", "b", ";", "id"]),
    ];
    commands.extend(arguments.map(|args| {
        let mut other = shown();
        other["args"] = args;
        other
    }));
    let programs = [
        "attache-no-such-program2",
        "./attache-no-such-program",
        "/attache-no-such-program",
        "env",
    ];
    commands.extend(programs.map(|program| {
        let mut other = shown();
        other["command"] = json!(program);
        other
    }));
    let places = [
        "/attache-nowhere",
        "/attache-nowhere/here/there",
        "/attache-nowhere/here/../here",
        "/",
    ];
    commands.extend(places.map(|cwd| {
        let mut other = shown();
        other["cwd"] = json!(cwd);
        other
    }));
    let variables = "LD_PRELOAD PATH GIT_DIR GIT_SSH_COMMAND TAR_OPTIONS NODE_OPTIONS BASH_ENV PYTHONPATH RUSTC_WRAPPER \
        MAKEFLAGS HOME LESSOPEN PERL5OPT http_proxy IFS A";
    commands.extend(variables.split_whitespace().flat_map(|name| {
        ["/tmp/evil", ""].map(|value| {
            let mut other = shown();
            other["env"] = json!([{ "name": name, "value": value }]);
            other
        })
    }));
    let wrapped = [
        ("sh", json!(["-c", "attache-no-such-program a b"])),
        ("bash", json!(["-c", "attache-no-such-program a b"])),
        ("bash", json!(["-lc", "attache-no-such-program a b"])),
        ("/bin/bash", json!(["-c", "attache-no-such-program a b"])),
        ("env", json!(["attache-no-such-program", "a", "b"])),
        ("env", json!(["CI=1", "attache-no-such-program", "a", "b"])),
        ("timeout", json!(["5", "attache-no-such-program", "a", "b"])),
    ];
    commands.extend(wrapped.map(|(program, args)| {
        let mut other = shown();
        other["command"] = json!(program);
        other["args"] = args;
        other
    }));
    let lines = [
        "attache-no-such-program a b; id",
        "attache-no-such-program a b #",
        "X=1 attache-no-such-program a b",
    ];
    commands.extend(lines.map(|line| {
        let mut other = shown();
        other["command"] = json!("sh");
        other["args"] = json!(["-c", line]);
        other
    }));
    commands
}

#[tokio::test]
async fn attack_a_command_runs_once_as_it_was_shown() {
    let shown = [
        json!({ "command": ["attache-no-such-program", "a", "b"], "cwd": CWD }),
        json!({ "command": "attache-no-such-program a b", "cwd": CWD }),
        json!({ "command": "attache-no-such-program", "args": ["a", "b"], "workdir": CWD }),
    ];
    let same = json!({ "command": "attache-no-such-program", "args": ["a", "b"], "cwd": CWD });
    for input in shown {
        let mut turn = Turn::new();
        turn.request(json!({ "kind": "execute", "rawInput": input }), "yes");
        for other in commands() {
            turn.run(&other, false);
        }
        turn.run(&same, true);
        turn.run(&same, false);
        turn.play().await;
    }
}

#[tokio::test]
async fn attack_a_directory_that_was_named_as_a_file_is_no_directory_to_run_in() {
    let mut turn = Turn::new();
    let input = json!({ "command": ["attache-no-such-program"] });
    let call = json!({ "kind": "execute", "rawInput": input, "locations": [{ "path": CWD }] });
    turn.request(call, "yes");
    turn.run(
        &json!({ "command": "attache-no-such-program", "cwd": CWD }),
        false,
    );
    turn.play().await;
}

#[tokio::test]
async fn attack_no_id_of_a_tool_call_makes_it_ours() {
    for id in [
        "attache:deed",
        "",
        "attache:",
        "0",
        "attache:deed\u{0}",
        "host",
        "null",
    ] {
        let (_folder, base) = folder();
        let file = format!("{base}/file");
        let mut turn = Turn::new();
        let call = json!({ "toolCallId": id, "kind": "edit", "content": [diff(&file, None, "A")] });
        turn.request(call, "yes");
        // It was a tool call, so it grants what it showed, like any other.
        turn.write(&file, "B", false);
        turn.write(&file, "A", true);
        turn.write(&file, "A", false);
        let asked = turn.play().await;
        assert_eq!(asked.len(), 3, "{id}");
    }
}

#[tokio::test]
async fn attack_what_is_told_of_any_tool_call_does_not_reach_what_is_done_through_us() {
    for id in ["attache:deed", "", "1"] {
        let update = |title: &str| {
            let call = json!({ "sessionUpdate": "tool_call", "toolCallId": id, "title": title, "kind": "read" });
            let params = json!({ "sessionId": "s", "update": call });
            format!("<. session/update {params}\n")
        };
        let mut turn = Turn::new();
        turn.script.push_str(&update("Read a poem"));
        turn.steps += 1;
        turn.line(
            "<- terminal/create",
            &json!({ "sessionId": "s", "command": "make" }),
        );
        turn.script.push_str("quiet 1s\n");
        turn.script.push_str(&update("Read another poem"));
        turn.script.push_str(&format!(
            "!> @1 {DENIED}\n<= @turn {{\"stopReason\":\"end_turn\"}}\n"
        ));
        let mut fixture = Fixture::with_permissions(&turn.script, Permissions::preset(Preset::Ask));
        fixture.open_new_session();
        fixture.until("opened").await;
        fixture.prompt("go");
        let Event::PermissionRequested(prompt) = fixture.until("asked").await else {
            unreachable!()
        };
        assert!(
            matches!(&prompt.subject, PromptSubject::HostRequest(HostRequest::Run { command, .. }) if command == &["make"])
        );
        fixture.until("update s tool Read another poem").await;
        let (answer, expiry) = (reject(Scope::Once), Expiry::Never);
        fixture.conversation.submit(Command::AnswerPermission {
            prompt: prompt.id,
            answer,
            expiry,
        });
        fixture.until("ended").await;
        assert!(!fixture.seen.contains("withdrawn"), "{}", fixture.seen);
    }
}

const CWD: &str = "/attache-nowhere/here";
const DENIED: &str = r#"{"code":-32600,"data":{"kind":"permission_denied"}, ...}"#;
const NOWHERE: &str = r#"{"code":-32602, ...}"#;
