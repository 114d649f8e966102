//! Requests that change while the user sees them, and their entries in the audit log. No agent gets a request answered
//! without the user, and every request in the log has an outcome.

use std::path::Path;

use attache_host::audit::{Log, LogEntry, entries, verify};
use attache_host::permissions::{Expiry, PermissionConfig, Permissions, Policy, Preset, Scope};
use attache_host::terminals::Terminals;
use attache_host::{Host, files::Files};
use attache_testkit::scripted_agent;
use serde_json::Value;

use super::{BEGIN, Fixture, allow, choose, reject};
use crate::command::{Command, PermissionAnswer};
use crate::conversation::{Conversation, Setup};
use crate::event::Event;

const OPTIONS: &str = r#""options":[{"optionId":"yes","name":"Sure","kind":"allow_once"},{"optionId":"ever","name":"Whatever","kind":"allow_always"},{"optionId":"no","name":"Never","kind":"reject_once"}]"#;

/// A turn in which the agent follows the script, with a log in a directory.
fn fixture(script: &str, permissions: Permissions, dir: &Path) -> Fixture {
    let script = format!(
        "-> initialize {{...}}\n<= {{\"protocolVersion\":1}}\n{BEGIN}-> session/prompt @turn {{...}}\n{}\n\
         {}\n",
        script.replace("OPTIONS", OPTIONS),
        match script.contains("<= @turn") {
            true => "",
            false => r#"<= @turn {"stopReason":"end_turn"}"#,
        }
    );
    let ((read, write), peer) = scripted_agent(&script).unwrap();
    let (files, terminals) = (Files::default(), Terminals::default());
    let host = Host::new(files, terminals, permissions, Log::open(dir).unwrap());
    let conversation = Conversation::connect(read, write, Setup::new("scripted", host));
    let seen = String::new();
    Fixture {
        conversation,
        peer,
        seen,
    }
}

async fn begin(fixture: &mut Fixture) {
    fixture.open_new_session();
    fixture.until("opened").await;
    fixture.prompt("go");
}

fn answer(fixture: &mut Fixture, prompt: u64, answer: PermissionAnswer, expiry: Expiry) {
    fixture.conversation.submit(Command::AnswerPermission {
        prompt,
        answer,
        expiry,
    });
}

/// Ends the turn. Fails if the agent's input differs from its script.
async fn finish(fixture: Fixture) -> String {
    let stop = fixture.conversation.stop();
    let (trace, ()) = tokio::join!(fixture.peer.finish(), stop);
    if let Err(why) = trace {
        panic!("{why}\n{}", fixture.seen);
    }
    fixture.seen
}

fn field<'a>(entry: &'a LogEntry, name: &str) -> &'a str {
    entry.fields.get(name).and_then(Value::as_str).unwrap_or("")
}

/// The log's entries about requests. Every request has an end for the same action.
fn records(dir: &Path) -> Vec<String> {
    assert!(verify(dir).unwrap().broken.is_none());
    let entries: Vec<LogEntry> = entries(dir).unwrap().map(Result::unwrap).collect();
    let mut open: Vec<&str> = Vec::new();
    let mut records = Vec::new();
    for entry in &entries {
        let digest = field(entry, "digest");
        match entry.event.as_str() {
            "asked" => open.push(digest),
            "decided" => open.retain(|it| *it != digest),
            "undone" => {}
            _ => continue,
        }
        let words = ["title", "outcome", "because", "scope", "option"];
        let words = words.map(|name| field(entry, name));
        let words = words.iter().filter(|word| !word.is_empty());
        let words: Vec<&str> = words.copied().collect();
        records.push(format!("{} {}", entry.event, words.join(" | ")));
    }
    assert!(open.is_empty(), "{records:#?}");
    records
}

fn ruled(policy: &str) -> Permissions {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.policy = Some(Policy::parse("policy", policy).unwrap());
    Permissions::open(config).0
}

const CHANGING: &str = r#"
    <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"q","title":"List","kind":"execute","rawInput":{"command":"ls"}}}
    <- session/request_permission {"sessionId":"s","toolCall":{"toolCallId":"q"},OPTIONS}
    quiet 1s
    <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"q","title":"Remove","rawInput":{"command":"rm -rf /"}}}
    quiet 1s
    <. session/update {"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"q","title":"Read","kind":"KIND","rawInput":INPUT,"locations":[{"path":"/tmp/b.rs"}]}}
    => {"outcome":{"outcome":"selected","optionId":"no"}}
"#;

#[tokio::test(start_paused = true)]
async fn attack_a_request_that_was_shown_is_not_allowed_by_anybody_else_after_it_changed() {
    let allows = r#"{"rules":[{"action":"allow","command":"ls"}]}"#;
    let changes = [
        ("read", r#"{"path":"/tmp/b.rs"}"#, r#"{"rules":[]}"#),
        ("search", r#"{"path":"/tmp/b.rs"}"#, r#"{"rules":[]}"#),
        (
            "execute",
            r#"{"command":"pwd"}"#,
            &allows.replace("ls", "pwd"),
        ),
    ];
    for (kind, input, policy) in changes {
        let dir = tempfile::tempdir().unwrap();
        let script = CHANGING.replace("KIND", kind).replace("INPUT", input);
        let mut fixture = fixture(&script, ruled(policy), dir.path());
        begin(&mut fixture).await;
        fixture.until("asked 3").await;
        answer(&mut fixture, 3, reject(Scope::Once), Expiry::Never);
        fixture.until("ended").await;
        let seen = finish(fixture).await;
        assert!(!seen.contains("decided"), "{kind}: {seen}");
        let said = records(dir.path());
        assert_eq!(said.len(), 6, "{kind}: {said:#?}");
        assert_eq!(
            said[1],
            "decided List | cancelled | the tool call has changed"
        );
        assert_eq!(
            said[3],
            "decided Remove | cancelled | the tool call has changed"
        );
        assert_eq!(said[5], "decided Read | denied | the user | once | Never");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_changes_into_something_denied_is_denied() {
    let dir = tempfile::tempdir().unwrap();
    let script = CHANGING
        .replace("KIND", "read")
        .replace("INPUT", r#"{"path":"/tmp/b.rs"}"#);
    let denies = r#"{"rules":[{"action":"deny","path":"/tmp/b.rs"}]}"#;
    let mut fixture = fixture(&script, ruled(denies), dir.path());
    begin(&mut fixture).await;
    fixture.until("ended").await;
    let seen = finish(fixture).await;
    assert!(seen.contains("decided, allowed: false"), "{seen}");
    let said = records(dir.path());
    assert!(said[5].starts_with("decided Read | denied"), "{said:#?}");
}

#[tokio::test(start_paused = true)]
async fn the_log_tells_answers_of_every_scope_apart() {
    let request = |id: &str, outcome: &str| {
        format!(
            "<- session/request_permission {{\"sessionId\":\"s\",\"toolCall\":{{\"toolCallId\":\"{id}\",\"title\":\"{id}\",\
             \"kind\":\"execute\",\"rawInput\":{{\"command\":\"make {id}\"}}}},OPTIONS}}\n=> {outcome}\n"
        )
    };
    let selected =
        |id: &str| format!(r#"{{"outcome":{{"outcome":"selected","optionId":"{id}"}}}}"#);
    let hour = Expiry::After(std::time::Duration::from_secs(3600));
    let answers = [
        ("a", "yes", allow(Scope::Once), Expiry::Never),
        ("b", "yes", allow(Scope::Session), Expiry::Never),
        ("c", "yes", allow(Scope::Workspace), hour),
        ("d", "yes", allow(Scope::Always), Expiry::Never),
        ("e", "ever", choose("ever", Scope::Once), Expiry::Never),
        ("f", "no", reject(Scope::Once), Expiry::Never),
    ];
    let mut script: String = answers
        .iter()
        .map(|(id, option, ..)| request(id, &selected(option)))
        .collect();
    script += &request("g", r#"{"outcome":{"outcome":"cancelled"}}"#);
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = fixture(&script, Permissions::preset(Preset::Ask), dir.path());
    begin(&mut fixture).await;
    let mut remembered = Vec::new();
    let mut rest = answers.into_iter();
    loop {
        match fixture.until("").await {
            Event::PermissionRequested(prompt) => {
                let next = rest.next();
                let (_, _, said, expiry) =
                    next.unwrap_or(("g", "", PermissionAnswer::Dismiss, Expiry::Never));
                answer(&mut fixture, prompt.id, said, expiry);
            }
            Event::DecisionRemembered { id, .. } => remembered.push(id),
            Event::TurnEnded { .. } => break,
            _ => {}
        }
    }
    assert_eq!(remembered.len(), 4, "{}", fixture.seen);
    // The permission for one use ended with its turn.
    for id in [&remembered[0], &remembered[2]] {
        fixture
            .conversation
            .submit(Command::UndoDecision { id: id.clone() });
        fixture.until("forgotten").await;
    }
    finish(fixture).await;
    let said = records(dir.path());
    let ends: Vec<&String> = said.iter().filter(|it| !it.starts_with("asked")).collect();
    assert_eq!(
        ends,
        [
            "decided a | allowed | the user | once | Sure",
            "decided b | allowed | the user | session | Sure",
            "decided c | allowed | the user | workspace | Sure",
            "decided d | allowed | the user | always | Sure",
            "decided e | allowed | the user | agent | Whatever",
            "decided f | denied | the user | once | Never",
            "decided g | cancelled | the user dismissed the request",
            "undone too late",
            "undone undone",
        ]
    );
    let entries: Vec<LogEntry> = entries(dir.path()).unwrap().map(Result::unwrap).collect();
    let decided = |title: &str| {
        let mut all = entries.iter();
        all.find(|it| it.event == "decided" && field(it, "title") == title)
            .unwrap()
    };
    assert!(field(decided("c"), "expires").ends_with('Z'));
    assert_eq!(field(decided("b"), "expires"), "");
    assert_eq!(field(decided("b"), "decision"), remembered[1]);
    let undone = entries.iter().rfind(|it| it.event == "undone").unwrap();
    assert_eq!(field(undone, "decision"), remembered[2]);
    assert!(field(undone, "what").contains("make c"), "{undone:?}");
}

#[tokio::test(start_paused = true)]
async fn a_request_without_an_answer_says_who_ended_it() {
    let request = r#"<- session/request_permission @ask {"sessionId":"s","toolCall":{"toolCallId":"q","title":"List","kind":"execute","rawInput":{"command":"ls"}},OPTIONS}"#;
    let cancelled = r#"=> @ask {"outcome":{"outcome":"cancelled"}}"#;
    let end = r#"<= @turn {"stopReason":"end_turn"}"#;
    let withdraw = r#"<. $/cancel_request {"requestId":@ask}"#;
    let ends = [
        (
            format!("{withdraw}\n!> @ask {{\"code\":-32800, ...}}\n{end}"),
            "the agent withdrew the request",
        ),
        (format!("{end}\n{cancelled}"), "the turn ended"),
    ];
    for (how, why) in ends {
        let dir = tempfile::tempdir().unwrap();
        let script = format!("{request}\nquiet 1s\n{how}");
        let mut fixture = fixture(&script, Permissions::preset(Preset::Ask), dir.path());
        begin(&mut fixture).await;
        fixture.until("ended").await;
        drop(fixture);
        let said = records(dir.path());
        assert_eq!(said[1], format!("decided List | cancelled | {why}"));
    }
    let dir = tempfile::tempdir().unwrap();
    let script = format!(
        "{request}\n-> session/cancel {{...}}\n=> @ask {{\"outcome\":{{\"outcome\":\"cancelled\"}}}}\n"
    );
    let mut fixture = fixture(&script, Permissions::preset(Preset::Ask), dir.path());
    begin(&mut fixture).await;
    fixture.until("asked").await;
    fixture.conversation.submit(Command::Cancel("s".into()));
    fixture.until("withdrawn").await;
    drop(fixture);
    let said = records(dir.path());
    assert_eq!(said[1], "decided List | cancelled | the turn was cancelled");
}

#[tokio::test]
async fn attack_what_is_refused_anyway_asks_nobody() {
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    let base = folder.path().canonicalize().unwrap();
    let base = base.to_str().unwrap();
    std::os::unix::fs::symlink("/etc/hostname", format!("{base}/link")).unwrap();
    std::fs::create_dir(format!("{base}/directory")).unwrap();
    std::fs::write(format!("{base}/one"), "x").unwrap();
    std::fs::hard_link(format!("{base}/one"), format!("{base}/two")).unwrap();
    let paths = ["link", "directory", "two", "one/below"].map(|name| format!("{base}/{name}"));
    let outside = [
        "/etc/attache-test".to_owned(),
        format!("{base}/../../etc/attache-test"),
    ];
    let mut script = String::new();
    for path in paths.iter().chain(&outside) {
        script += &format!(
            "<- fs/write_text_file {{\"sessionId\":\"s\",\"path\":\"{path}\",\"content\":\"over\"}}\n!> {{...}}\n"
        );
    }
    for path in outside.iter().chain([&paths[0]]) {
        script += &format!(
            "<- fs/read_text_file {{\"sessionId\":\"s\",\"path\":\"{path}\"}}\n!> {{...}}\n"
        );
    }
    let dir = tempfile::tempdir().unwrap();
    let mut fixture = fixture(&script, Permissions::preset(Preset::Ask), dir.path());
    begin(&mut fixture).await;
    fixture.until("ended").await;
    let seen = finish(fixture).await;
    assert!(!seen.contains("asked"), "{seen}");
    assert_eq!(records(dir.path()), [""; 0]);
    assert_eq!(std::fs::read_to_string(format!("{base}/one")).unwrap(), "x");
}
