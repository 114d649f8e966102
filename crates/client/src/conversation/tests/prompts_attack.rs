//! Agents that change, withdraw and forge requests while the user looks at them, and answers that come too late.

use attache_host::permissions::{Expiry, PermissionConfig, Permissions, Preset, Scope};
use serde_json::{Value, json};

use super::{BEGIN, Fixture, allow, choose, reject, session};
use crate::command::{Command, PermissionAnswer};
use crate::event::Event;

async fn fixture(permissions: Permissions, script: &str) -> Fixture {
    let script = format!(
        "-> initialize {{...}}\n<= {{\"protocolVersion\":1}}\n{BEGIN}-> session/prompt @turn {{...}}\n\
         {script}<= @turn {{\"stopReason\":\"end_turn\"}}\n"
    );
    let mut fixture = Fixture::with_permissions(&script, permissions);
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.seen.clear();
    fixture.prompt("go");
    fixture
}

async fn asking(script: &str) -> Fixture {
    fixture(Permissions::preset(Preset::Ask), script).await
}

fn answer(fixture: &mut Fixture, prompt: u64, answer: PermissionAnswer) {
    let expiry = Expiry::Never;
    fixture.conversation.submit(Command::AnswerPermission {
        prompt,
        answer,
        expiry,
    });
}

/// A request to run `command` as the tool call `a`.
fn request(label: &str, command: &str) -> String {
    let call = json!({ "toolCallId": "a", "title": "Run", "kind": "execute", "rawInput": { "command": command } });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": options() });
    format!("<- session/request_permission @{label} {params}\n")
}

fn options() -> Value {
    json!([
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ])
}

/// The tool call `a` becomes another one.
fn change(members: &Value) -> String {
    let mut update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "a" });
    for (name, value) in members.as_object().unwrap() {
        update[name] = value.clone();
    }
    let params = json!({ "sessionId": "s", "update": update });
    format!("<. session/update {params}\n")
}

fn selected(label: &str, option: &str) -> String {
    let outcome = json!({ "outcome": { "outcome": "selected", "optionId": option } });
    format!("=> @{label} {outcome}\n")
}

fn cancelled(label: &str) -> String {
    format!("=> @{label} {{\"outcome\":{{\"outcome\":\"cancelled\"}}}}\n")
}

/// Changes of a tool call that make it do something else, or look as if it did.
fn changes() -> Vec<Value> {
    vec![
        json!({ "rawInput": { "command": "rm -r /" } }),
        json!({ "rawInput": { "command": "ls", "cwd": "/etc" } }),
        json!({ "rawInput": { "command": "ls", "env": { "LD_PRELOAD": "x" } } }),
        json!({ "rawInput": null, "title": "Other" }),
        json!({ "title": "Something else" }),
        json!({ "kind": "read" }),
        json!({ "locations": [{ "path": "/etc/passwd" }] }),
        json!({ "content": [{ "type": "diff", "path": "/tmp/x", "newText": "x" }] }),
        json!({ "content": [{ "type": "content", "content": { "type": "text", "text": "trust me" } }] }),
    ]
}

#[tokio::test(start_paused = true)]
async fn attack_an_answer_to_what_was_shown_before_does_not_count() {
    for changed in changes() {
        let script = format!(
            "{}quiet 1s\n{}{}",
            request("ask", "ls"),
            change(&changed),
            selected("ask", "no")
        );
        let mut fixture = asking(&script).await;
        fixture.until("asked 1").await;
        fixture.until("withdrawn 1").await;
        // The user has seen the first prompt and answers it now.
        answer(&mut fixture, 1, allow(Scope::Always));
        fixture.until("asked 2").await;
        answer(&mut fixture, 1, allow(Scope::Once));
        answer(&mut fixture, 2, reject(Scope::Once));
        fixture.until("ended").await;
        assert!(
            !fixture.seen.contains("remembered"),
            "{changed} {}",
            fixture.seen
        );
        fixture.peer.finish().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn attack_a_change_before_the_prompt_is_what_the_prompt_shows() {
    for before in 1..=4 {
        let many: String = (0..before)
            .map(|at| change(&json!({ "rawInput": { "command": format!("rm {at}") } })))
            .collect();
        let script = format!("{}{many}{}", request("ask", "ls"), selected("ask", "no"));
        let mut fixture = asking(&script).await;
        let last = format!("rm {}", before - 1);
        loop {
            if let Event::PermissionRequested(prompt) = fixture.until("asked").await
                && prompt
                    .action
                    .command
                    .as_ref()
                    .is_some_and(|words| words.join(" ") == last)
            {
                answer(&mut fixture, prompt.id, reject(Scope::Once));
                break;
            }
        }
        fixture.until("ended").await;
        fixture.peer.finish().await.unwrap();
    }
}

#[tokio::test]
async fn attack_a_change_between_the_answer_and_the_agent_asks_anew() {
    let data = tempfile::tempdir().unwrap();
    let store = data.path().canonicalize().unwrap().join("permissions.json");
    let mut config = PermissionConfig::new(Preset::Ask);
    config.store = Some(store.clone());
    let (permissions, _) = Permissions::open(config);
    let changed = change(&json!({ "rawInput": { "command": "rm -r /" } }));
    let script = format!(
        "{}-> session/set_mode @mode {{...}}\n<= @mode {{}}\n{changed}{SAY}{}",
        request("ask", "ls"),
        selected("ask", "no")
    );
    let mut fixture = fixture(permissions, &script).await;
    fixture.until("asked 1").await;
    // The answer waits for the disk while the agent changes the tool call.
    let lock = std::fs::File::create(store.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    answer(&mut fixture, 1, allow(Scope::Always));
    let (session, mode) = (session(), "x".into());
    fixture
        .conversation
        .submit(Command::SetMode { session, mode });
    fixture.until("update s now").await;
    lock.unlock().unwrap();
    let Event::PermissionRequested(prompt) = fixture.until("asked 2").await else {
        unreachable!()
    };
    assert_eq!(prompt.action.command.unwrap().join(" "), "rm -r /");
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("ended").await;
    // The user's decision is remembered and reported.
    assert!(
        fixture
            .seen
            .contains("remembered ls (always), allowed: true"),
        "{}",
        fixture.seen
    );
    fixture.peer.finish().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attack_an_answer_after_a_withdrawal_decides_nothing() {
    let script = format!(
        "{}quiet 1s\n<. $/cancel_request {{\"requestId\":@first}}\n!> @first {{\"code\":-32800, ...}}\n{}{}",
        request("first", "ls"),
        request("second", "ls"),
        selected("second", "no")
    );
    let mut fixture = asking(&script).await;
    fixture.until("withdrawn 1").await;
    answer(&mut fixture, 1, allow(Scope::Always));
    fixture.until("asked 2").await;
    answer(&mut fixture, 1, allow(Scope::Session));
    answer(&mut fixture, 0, allow(Scope::Session));
    answer(&mut fixture, 3, allow(Scope::Session));
    answer(&mut fixture, 2, reject(Scope::Once));
    answer(&mut fixture, 2, allow(Scope::Always));
    fixture.until("ended").await;
    assert!(fixture.conversation.host().permissions.list().is_empty());
    fixture.peer.finish().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attack_an_answer_that_is_under_way_does_not_outlive_a_cancelled_turn() {
    let script = format!(
        "{}.> session/cancel {{...}}\n{}",
        request("ask", "ls"),
        cancelled("ask")
    );
    let mut fixture = asking(&script).await;
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    fixture.conversation.submit(Command::Cancel(session()));
    fixture.until("ended").await;
    fixture.peer.finish().await.unwrap();
}

/// The agent's response when the user chooses `option` of these.
async fn check_options(options: Value, option: &str, expected: &str, is_remembered: bool) {
    let call = json!({ "toolCallId": "a", "title": "Edit", "kind": "edit", "locations": [{ "path": "/tmp/x" }] });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
    let script = format!("<- session/request_permission @ask {params}\n{expected}");
    let mut fixture = asking(&script).await;
    let Event::PermissionRequested(prompt) = fixture.until("asked 1").await else {
        unreachable!()
    };
    let offered = options.as_array().unwrap();
    let shown: Vec<Value> = prompt.options.iter().map(|it| json!(it.name)).collect();
    let names: Vec<Value> = offered.iter().map(|it| it["name"].clone()).collect();
    assert_eq!(shown, names, "in the agent's order");
    answer(&mut fixture, 1, choose(option, Scope::Session));
    fixture.until("ended").await;
    assert_eq!(
        !fixture.conversation.host().permissions.list().is_empty(),
        is_remembered,
        "{options} {option}"
    );
    fixture.peer.finish().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn attack_options_that_cannot_be_told_apart_or_are_unknown_grant_nothing() {
    let option = |id: &str, kind: &str| json!({ "optionId": id, "name": format!("{kind} {id}"), "kind": kind });
    for (one, other) in [
        ("allow_once", "reject_once"),
        ("reject_once", "allow_always"),
        ("allow_once", "allow_once"),
        ("allow_always", "allow_forever"),
    ] {
        let twice = json!([
            option("x", one),
            option("x", other),
            option("y", "allow_once")
        ]);
        check_options(twice.clone(), "x", &cancelled("ask"), false).await;
        check_options(twice, "y", &selected("ask", "y"), true).await;
    }
    for id in ["", "yes ", "YES", "allow_once", "\u{0}", "nothing"] {
        check_options(
            json!([option("yes", "allow_once")]),
            id,
            &cancelled("ask"),
            false,
        )
        .await;
    }
    for kind in ["allow", "allow_forever", "ALLOW_ONCE", "reject", ""] {
        check_options(json!([option("x", kind)]), "x", &cancelled("ask"), false).await;
    }
    let many: Vec<Value> = (0..40)
        .map(|at| option(&format!("o{at}"), "allow_once"))
        .collect();
    check_options(json!(many), "o15", &selected("ask", "o15"), true).await;
    check_options(json!(many), "o16", &cancelled("ask"), false).await;
}

/// The user allows an action and undoes the decision; then the agent tries the action.
async fn check_undone(remember: Scope, was_used: bool) {
    let run = r#"<- terminal/create @LABEL {"sessionId":"s","command":"attache-no-such-program","cwd":"/attache-nowhere"}"#;
    let call = json!({ "toolCallId": "a", "title": "Run", "kind": "execute",
        "rawInput": { "command": ["attache-no-such-program"], "cwd": "/attache-nowhere" } });
    let params = json!({ "sessionId": "s", "toolCall": call, "options": options() });
    let used = match was_used {
        true => format!(
            "{}\n!> @used {{\"code\":-32602, ...}}\n",
            run.replace("LABEL", "used")
        ),
        false => String::new(),
    };
    let script = format!(
        "<- session/request_permission @ask {params}\n{}{used}{SAY}-> session/set_mode @mode {{...}}\n<= @mode {{}}\n{}\n\
         !> @undone {{\"code\":-32600, ...}}\n",
        selected("ask", "yes"),
        run.replace("LABEL", "undone")
    );
    let mut fixture = asking(&script).await;
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(remember));
    let Event::DecisionRemembered {
        id,
        scope,
        is_allowed,
        ..
    } = fixture.until("remembered").await
    else {
        unreachable!()
    };
    assert_eq!((scope, is_allowed), (remember, true));
    fixture.until("update s now").await;
    fixture.conversation.submit(Command::UndoDecision { id });
    let is_left = !was_used || remember != Scope::Once;
    fixture
        .until(&format!("forgotten, in force: {is_left}"))
        .await;
    let (session, mode) = (session(), "x".into());
    fixture
        .conversation
        .submit(Command::SetMode { session, mode });
    fixture.until("asked 2").await;
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("ended").await;
    assert!(fixture.conversation.host().permissions.list().is_empty());
    fixture.peer.finish().await.unwrap();
}

#[tokio::test]
async fn what_was_allowed_can_be_undone() {
    for remember in [Scope::Once, Scope::Session, Scope::Workspace, Scope::Always] {
        for was_used in [false, true] {
            check_undone(remember, was_used).await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn attack_nothing_is_forgotten_that_nobody_remembers() {
    let script = format!("{}{}", request("ask", "ls"), selected("ask", "no"));
    let mut fixture = asking(&script).await;
    fixture.until("asked 1").await;
    for id in ["", "once-1", "once-0", "00000000", "*"] {
        let id = id.to_owned();
        fixture.conversation.submit(Command::UndoDecision { id });
        fixture.until("forgotten, in force: false").await;
    }
    answer(&mut fixture, 1, reject(Scope::Once));
    fixture.until("ended").await;
    fixture.peer.finish().await.unwrap();
}

const SAY: &str = "<. session/update {\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"agent_message_chunk\",\
    \"content\":{\"type\":\"text\",\"text\":\"now\"}}}\n";
