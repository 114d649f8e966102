//! Programs that are replaced after the user has seen the request and before they run.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use attache_host::permissions::{ChangeSinceAllowed, Expiry, Preset, Scope};
use serde_json::json;

use super::{Fixture, allow, reject};
use crate::command::{Command, PermissionAnswer};
use crate::event::Event;

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A turn in a directory with `deploy.sh`.
async fn fixture(dir: &Path, script: &str) -> Fixture {
    write(&dir.join("deploy.sh"), "#!/bin/sh\necho GOOD\n");
    let new = json!({ "cwd": dir, "mcpServers": [] });
    let script = format!(
        "-> initialize {{...}}\n<= {{\"protocolVersion\":1}}\n-> session/new {new}\n<= {{\"sessionId\":\"s\"}}\n\
         -> session/prompt @turn {{...}}\n{script}<= @turn {{\"stopReason\":\"end_turn\"}}\n"
    );
    let mut fixture = Fixture::with_preset(&script, Preset::Ask);
    fixture
        .conversation
        .submit(Command::OpenSession(crate::command::OpenRequest {
            start: crate::command::SessionStart::New,
            cwd: dir.to_owned(),
            additional: Vec::new(),
            mcp_servers: Vec::new(),
        }));
    fixture.until("opened").await;
    fixture.seen.clear();
    fixture.prompt("go");
    fixture
}

fn answer(fixture: &mut Fixture, prompt: u64, answer: PermissionAnswer) {
    fixture.conversation.submit(Command::AnswerPermission {
        prompt,
        answer,
        expiry: Expiry::Never,
    });
}

/// A line of the script that runs `deploy.sh`, by its name or through a shell.
fn run(command: &str) -> String {
    format!(
        "<- terminal/create {}\n",
        json!({ "sessionId": "s", "command": command })
    )
}

const REFUSED: &str = "!> {\"code\":-32600,\"data\":{\"kind\":\"permission_denied\"}, ...}\n";

fn overwrite(dir: &Path) {
    fs::write(dir.join("deploy.sh"), "#!/bin/sh\necho EVIL\n").unwrap();
}

fn move_over(dir: &Path) {
    write(&dir.join("evil"), "#!/bin/sh\necho EVIL\n");
    fs::rename(dir.join("evil"), dir.join("deploy.sh")).unwrap();
}

#[tokio::test]
async fn attack_a_program_that_was_replaced_while_its_request_waited_is_asked_about_again() {
    for replace in [overwrite, move_over] {
        for command in ["./deploy.sh", "sh deploy.sh", "true && ./deploy.sh | cat"] {
            let dir = tempfile::tempdir().unwrap();
            let dir = dir.path().canonicalize().unwrap();
            let mut fixture = fixture(&dir, &format!("{}{REFUSED}", run(command))).await;
            fixture.until("asked 1").await;
            replace(&dir);
            answer(&mut fixture, 1, allow(Scope::Once));
            fixture.until("notice: your answer does not count").await;
            fixture.until("asked 2").await;
            answer(&mut fixture, 2, reject(Scope::Once));
            fixture.until("ended").await;
            fixture.peer.finish().await.unwrap();
        }
    }
}

#[tokio::test]
async fn attack_a_yes_to_a_tool_call_does_not_cover_a_program_that_was_replaced_since() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let request = json!({
        "sessionId": "s",
        "toolCall": { "toolCallId": "a", "kind": "execute", "rawInput": { "command": "./deploy.sh" } },
        "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }],
    });
    let yes = json!({ "outcome": { "outcome": "selected", "optionId": "yes" } });
    let script = format!(
        "<- session/request_permission {request}\n=> {yes}\n{}{REFUSED}",
        run("./deploy.sh")
    );
    let script = script.replace("\n<- terminal", "\nquiet 200ms\n<- terminal");
    let mut fixture = fixture(&dir, &script).await;
    fixture.until("asked 1").await;
    answer(&mut fixture, 1, allow(Scope::Once));
    fixture.until("remembered").await;
    overwrite(&dir);
    // The agent did ask, so the dialog says what has changed since.
    let Event::PermissionRequested(prompt) = fixture.until("asked 2").await else {
        panic!("no request");
    };
    let changed = ChangeSinceAllowed::RunFiles(vec![dir.join("deploy.sh")]);
    assert_eq!(prompt.change, Some(changed));
    answer(&mut fixture, 2, reject(Scope::Once));
    fixture.until("ended").await;
    fixture.peer.finish().await.unwrap();
}
