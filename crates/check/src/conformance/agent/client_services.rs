//! Files and terminals of the client: the agent may use them only if the client advertises them.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::conformance::agent_test::AgentTest;
use crate::conformance::check::{must, observed};
use crate::conformance::fake_editor::{FakeEditor, ServiceState};
use crate::conformance::json::{method, text};
use crate::conformance::peer_test::NumberedMessages;
use crate::conformance::test_case::{AbortReason, BoxFuture, TestCase};
use crate::conformance::test_connection::CallResult;
use crate::conformance::{Check, PromptKind};

pub(super) const CASE: TestCase<AgentTest> = TestCase {
    name: "client-services",
    checks: CHECKS,
    run,
};

fn run(test: &mut AgentTest) -> BoxFuture<'_, Result<(), AbortReason>> {
    Box::pin(async move {
        test.open().await?;
        let mut used = files(test).await?;
        used.extend(terminals(test).await?);
        without_capabilities(test, &used).await
    })
}

async fn turn(
    test: &mut AgentTest,
    prompt: &str,
) -> Result<(NumberedMessages, CallResult), AbortReason> {
    test.restart_if_gone().await?;
    let session = test.new_session().await?;
    let from = test.entry_count();
    let answer = test.prompt(&session, prompt).await;
    Ok((test.messages_since(from), answer))
}

fn calls(messages: &[(usize, Value)], name: &str) -> Vec<usize> {
    let calls = messages
        .iter()
        .filter(|(_, it)| method(it).starts_with(name));
    calls.map(|(entry, _)| *entry).collect()
}

/// Tests file requests. Returns the kinds of prompts that made the agent send them.
async fn files(test: &mut AgentTest) -> Result<Vec<PromptKind>, AbortReason> {
    let mut used = Vec::new();
    for (kind, name, works, fails) in [
        (
            PromptKind::FsRead,
            "fs/read_text_file",
            "agent.fs.read",
            "agent.fs.read-failure",
        ),
        (
            PromptKind::FsWrite,
            "fs/write_text_file",
            "agent.fs.write",
            "agent.fs.write-failure",
        ),
    ] {
        let Some(prompt) = test.prompt_text(kind) else {
            continue;
        };
        let (messages, answer) = turn(test, &prompt).await?;
        let called = calls(&messages, name);
        if called.is_empty() {
            continue;
        }
        used.push(kind);
        let entries = [called, answer.entries()].concat();
        test.judge(works, answer.expect_result(), &entries);
        let inside = messages.iter().filter(|(_, it)| method(it) == name);
        let folder = test.options.folder.clone();
        let strange = inside
            .filter(|(_, it)| !Path::new(text(it, "/params/path")).starts_with(&folder))
            .count();
        let inside = (strange == 0)
            .then_some(())
            .ok_or("a path is outside the roots".to_owned());
        test.judge("agent.fs.inside", inside, &entries);
        if kind == PromptKind::FsWrite {
            remove_written_files(&messages, &folder);
        }
        *service(test.editor()?, kind) = ServiceState::Fails;
        let (messages, answer) = turn(test, &prompt).await?;
        let called = calls(&messages, name);
        if !called.is_empty() {
            let entries = [called, answer.entries()].concat();
            test.judge(fails, answer.expect_response(), &entries);
        }
        *service(test.editor()?, kind) = ServiceState::Works;
    }
    Ok(used)
}

/// Removes written files. An agent that compares the text first would otherwise not write it a second time.
fn remove_written_files(messages: &[(usize, Value)], folder: &Path) {
    let written = messages
        .iter()
        .filter(|(_, it)| method(it) == "fs/write_text_file");
    for (_, message) in written {
        let path = Path::new(text(message, "/params/path"));
        if path.parent() == Some(folder) {
            // Fails if the file was never written.
            drop(fs::remove_file(path));
        }
    }
}

fn service(editor: &mut FakeEditor, kind: PromptKind) -> &mut ServiceState {
    match kind {
        PromptKind::FsWrite => &mut editor.writes,
        _ => &mut editor.reads,
    }
}

/// Tests terminals. Returns the kind of the prompt if it made the agent create one.
async fn terminals(test: &mut AgentTest) -> Result<Option<PromptKind>, AbortReason> {
    let Some(prompt) = test.prompt_text(PromptKind::Terminal) else {
        return Ok(None);
    };
    let (messages, answer) = turn(test, &prompt).await?;
    let created = calls(&messages, "terminal/create");
    if created.is_empty() {
        return Ok(None);
    }
    let entries = [calls(&messages, "terminal/"), answer.entries()].concat();
    test.judge("agent.terminal.turn-ends", answer.expect_result(), &entries);
    let released = calls(&messages, "terminal/release").len() >= created.len();
    let released = released
        .then_some(())
        .ok_or("a terminal was not released".to_owned());
    test.judge("agent.terminal.released", released, &entries);
    test.judge(
        "agent.terminal.own",
        only_created_terminals(&messages),
        &entries,
    );
    test.judge(
        "agent.terminal.not-after-release",
        none_after_release(&messages),
        &entries,
    );
    test.editor()?.terminals = ServiceState::Fails;
    let (messages, answer) = turn(test, &prompt).await?;
    let called = calls(&messages, "terminal/");
    if !called.is_empty() {
        let entries = [called, answer.entries()].concat();
        test.judge("agent.terminal.failure", answer.expect_response(), &entries);
    }
    Ok(Some(PromptKind::Terminal))
}

/// Fails if a request names a terminal that was not created. The checker numbers its terminals.
fn only_created_terminals(messages: &[(usize, Value)]) -> Result<(), String> {
    let later = messages
        .iter()
        .filter(|(_, it)| method(it).starts_with("terminal/") && method(it) != "terminal/create");
    let strange = |it: &Value| !text(it, "/params/terminalId").starts_with("terminal-");
    match later.into_iter().any(|(_, it)| strange(it)) {
        true => Err("a terminal is used that was never created".to_owned()),
        false => Ok(()),
    }
}

fn none_after_release(messages: &[(usize, Value)]) -> Result<(), String> {
    let mut released: Vec<&str> = Vec::new();
    for (_, message) in messages
        .iter()
        .filter(|(_, it)| method(it).starts_with("terminal/"))
    {
        let id = text(message, "/params/terminalId");
        if released.contains(&id) {
            return Err("a terminal is used after its release".to_owned());
        }
        if method(message) == "terminal/release" {
            released.push(id);
        }
    }
    Ok(())
}

/// Repeats the prompts that had an effect, with a client that advertises no capabilities.
async fn without_capabilities(
    test: &mut AgentTest,
    used: &[PromptKind],
) -> Result<(), AbortReason> {
    test.initialize_with(json!({})).await?;
    for (kind, name, fence) in [
        (PromptKind::FsRead, "fs/", "agent.fs.fenced-read"),
        (PromptKind::FsWrite, "fs/", "agent.fs.fenced-write"),
        (PromptKind::Terminal, "terminal/", "agent.terminal.fenced"),
    ] {
        let prompt = test.prompt_text(kind).filter(|_| used.contains(&kind));
        let Some(prompt) = prompt else {
            continue;
        };
        if test.connection()?.is_closed() {
            return Ok(());
        }
        let session = test.new_session().await?;
        let from = test.entry_count();
        let answer = test.prompt(&session, &prompt).await;
        let called = calls(&test.messages_since(from), name);
        let quiet = called.is_empty().then_some(());
        let quiet = quiet.ok_or("it was called anyway".to_owned());
        test.judge(fence, quiet, &[called, answer.entries()].concat());
        test.judge_response("agent.fs.fenced-ends", &answer);
    }
    if let Some(prompt) = test.prompt_text(PromptKind::Plan) {
        let session = test.new_session().await?;
        test.prompt(&session, &prompt).await;
    }
    Ok(())
}

const CHECKS: &[Check] = &[
    must(
        "agent.fs.read",
        "97",
        "A turn that reads a file ends with a result.",
        "Continue with the content.",
    )
    .when_prompted(PromptKind::FsRead),
    must(
        "agent.fs.read-failure",
        "97",
        "A turn ends when a file cannot be read.",
        "Handle the error response.",
    )
    .when_prompted(PromptKind::FsRead),
    must(
        "agent.fs.write",
        "97",
        "A turn that writes a file ends with a result.",
        "Continue when it is written.",
    )
    .when_prompted(PromptKind::FsWrite),
    must(
        "agent.fs.write-failure",
        "97",
        "A turn ends when a file cannot be written.",
        "Handle the error response.",
    )
    .when_prompted(PromptKind::FsWrite),
    observed(
        "agent.fs.inside",
        "69",
        "Files are read and written within the roots.",
        "Stay within cwd and the additional directories.",
    )
    .when_prompted(PromptKind::FsRead),
    must(
        "agent.terminal.turn-ends",
        "97",
        "A turn that runs a command ends with a result.",
        "Continue when it has ended.",
    )
    .when_prompted(PromptKind::Terminal),
    must(
        "agent.terminal.released",
        "137",
        "Every terminal is released.",
        "Release it when you have its output.",
    )
    .when_prompted(PromptKind::Terminal),
    must(
        "agent.terminal.own",
        "134",
        "Only created terminals are used.",
        "Use the terminalId of the response.",
    )
    .when_prompted(PromptKind::Terminal),
    must(
        "agent.terminal.not-after-release",
        "138",
        "No terminal is used after its release.",
        "Its id is invalid then.",
    )
    .when_prompted(PromptKind::Terminal),
    must(
        "agent.terminal.failure",
        "97",
        "A turn ends when no terminal can be created.",
        "Handle the error response.",
    )
    .when_prompted(PromptKind::Terminal),
    must(
        "agent.fs.fenced-read",
        "131",
        "A client without files gets no fs/read_text_file.",
        "Check fs.readTextFile first.",
    )
    .when_prompted(PromptKind::FsRead),
    must(
        "agent.fs.fenced-write",
        "131",
        "A client without files gets no fs/write_text_file.",
        "Check fs.writeTextFile first.",
    )
    .when_prompted(PromptKind::FsWrite),
    must(
        "agent.terminal.fenced",
        "134",
        "A client without terminals gets no terminal/create.",
        "Check terminal first.",
    )
    .when_prompted(PromptKind::Terminal),
    must(
        "agent.fs.fenced-ends",
        "34",
        "With a client that offers nothing, a turn ends.",
        "Continue without it, or refuse.",
    )
    .when_prompted(PromptKind::FsRead),
];
