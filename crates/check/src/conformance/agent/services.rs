//! Files and terminals of the client: used where they are offered, left alone where they are not.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::conformance::act::{Act, Later, Stop};
use crate::conformance::check::{must, observed};
use crate::conformance::desk::{Desk, Service};
use crate::conformance::json::{method, text};
use crate::conformance::scene::Scene;
use crate::conformance::stage::Answer;
use crate::conformance::{Check, PromptKind};

pub(super) const ACT: Act<Scene> = Act {
    name: "services",
    checks: CHECKS,
    play,
};

fn play(scene: &mut Scene) -> Later<'_, Result<(), Stop>> {
    Box::pin(async move {
        scene.open().await?;
        let mut used = files(scene).await?;
        used.extend(terminals(scene).await?);
        fenced(scene, &used).await
    })
}

type Heard = Vec<(usize, Value)>;

async fn turn(scene: &mut Scene, said: &str) -> Result<(Heard, Answer), Stop> {
    scene.revive().await?;
    let session = scene.session().await?;
    let from = scene.now();
    let answer = scene.prompt(&session, said).await;
    Ok((scene.heard(from), answer))
}

fn calls(heard: &[(usize, Value)], name: &str) -> Vec<usize> {
    let calls = heard.iter().filter(|(_, it)| method(it).starts_with(name));
    calls.map(|(entry, _)| *entry).collect()
}

/// Tries files; the prompts that brought it to use them.
async fn files(scene: &mut Scene) -> Result<Vec<PromptKind>, Stop> {
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
        let Some(said) = scene.said_for(kind) else {
            continue;
        };
        let (heard, answer) = turn(scene, &said).await?;
        let called = calls(&heard, name);
        if called.is_empty() {
            continue;
        }
        used.push(kind);
        let entries = [called, answer.entries()].concat();
        scene.judge(works, answer.went_well(), &entries);
        let inside = heard.iter().filter(|(_, it)| method(it) == name);
        let folder = scene.options.folder.clone();
        let strange = inside
            .filter(|(_, it)| !Path::new(text(it, "/params/path")).starts_with(&folder))
            .count();
        let inside = (strange == 0)
            .then_some(())
            .ok_or("a path is outside the roots".to_owned());
        scene.judge("agent.fs.inside", inside, &entries);
        if kind == PromptKind::FsWrite {
            take_back(&heard, &folder);
        }
        *service(scene.desk()?, kind) = Service::Fails;
        let (heard, answer) = turn(scene, &said).await?;
        let called = calls(&heard, name);
        if !called.is_empty() {
            let entries = [called, answer.entries()].concat();
            scene.judge(fails, answer.was_answered(), &entries);
        }
        *service(scene.desk()?, kind) = Service::Works;
    }
    Ok(used)
}

/// Removes what was written, so that an agent that looks first has something to write once more.
fn take_back(heard: &[(usize, Value)], folder: &Path) {
    let written = heard
        .iter()
        .filter(|(_, it)| method(it) == "fs/write_text_file");
    for (_, message) in written {
        let path = Path::new(text(message, "/params/path"));
        if path.parent() == Some(folder) {
            // One that was not written is not there.
            drop(fs::remove_file(path));
        }
    }
}

fn service(desk: &mut Desk, kind: PromptKind) -> &mut Service {
    match kind {
        PromptKind::FsWrite => &mut desk.writes,
        _ => &mut desk.reads,
    }
}

/// Tries terminals; the prompt, if it brought it to use one.
async fn terminals(scene: &mut Scene) -> Result<Option<PromptKind>, Stop> {
    let Some(said) = scene.said_for(PromptKind::Terminal) else {
        return Ok(None);
    };
    let (heard, answer) = turn(scene, &said).await?;
    let made = calls(&heard, "terminal/create");
    if made.is_empty() {
        return Ok(None);
    }
    let entries = [calls(&heard, "terminal/"), answer.entries()].concat();
    scene.judge("agent.terminal.turn-ends", answer.went_well(), &entries);
    let released = calls(&heard, "terminal/release").len() >= made.len();
    let released = released
        .then_some(())
        .ok_or("a terminal was not released".to_owned());
    scene.judge("agent.terminal.released", released, &entries);
    scene.judge("agent.terminal.own", own(&heard), &entries);
    scene.judge(
        "agent.terminal.not-after-release",
        in_life(&heard),
        &entries,
    );
    scene.desk()?.terminals = Service::Fails;
    let (heard, answer) = turn(scene, &said).await?;
    let called = calls(&heard, "terminal/");
    if !called.is_empty() {
        let entries = [called, answer.entries()].concat();
        scene.judge("agent.terminal.failure", answer.was_answered(), &entries);
    }
    Ok(Some(PromptKind::Terminal))
}

/// That only terminals are used that there are; ours are numbered.
fn own(heard: &[(usize, Value)]) -> Result<(), String> {
    let later = heard
        .iter()
        .filter(|(_, it)| method(it).starts_with("terminal/") && method(it) != "terminal/create");
    let strange = |it: &Value| !text(it, "/params/terminalId").starts_with("terminal-");
    match later.into_iter().any(|(_, it)| strange(it)) {
        true => Err("a terminal is used that was never created".to_owned()),
        false => Ok(()),
    }
}

fn in_life(heard: &[(usize, Value)]) -> Result<(), String> {
    let mut released: Vec<&str> = Vec::new();
    for (_, message) in heard
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

/// The same prompts with a client that offers nothing, of those that did what they were to do with one that does.
async fn fenced(scene: &mut Scene, used: &[PromptKind]) -> Result<(), Stop> {
    scene.greet_as(json!({})).await?;
    for (kind, name, fence) in [
        (PromptKind::FsRead, "fs/", "agent.fs.fenced-read"),
        (PromptKind::FsWrite, "fs/", "agent.fs.fenced-write"),
        (PromptKind::Terminal, "terminal/", "agent.terminal.fenced"),
    ] {
        let said = scene.said_for(kind).filter(|_| used.contains(&kind));
        let Some(said) = said else {
            continue;
        };
        if scene.stage()?.is_gone() {
            return Ok(());
        }
        let session = scene.session().await?;
        let from = scene.now();
        let answer = scene.prompt(&session, &said).await;
        let called = calls(&scene.heard(from), name);
        let quiet = called.is_empty().then_some(());
        let quiet = quiet.ok_or("it was called anyway".to_owned());
        scene.judge(fence, quiet, &[called, answer.entries()].concat());
        scene.was_answered("agent.fs.fenced-ends", &answer);
    }
    if let Some(said) = scene.said_for(PromptKind::Plan) {
        let session = scene.session().await?;
        scene.prompt(&session, &said).await;
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
    .prompt(PromptKind::FsRead),
    must(
        "agent.fs.read-failure",
        "97",
        "A turn ends when a file cannot be read.",
        "Handle the error response.",
    )
    .prompt(PromptKind::FsRead),
    must(
        "agent.fs.write",
        "97",
        "A turn that writes a file ends with a result.",
        "Continue when it is written.",
    )
    .prompt(PromptKind::FsWrite),
    must(
        "agent.fs.write-failure",
        "97",
        "A turn ends when a file cannot be written.",
        "Handle the error response.",
    )
    .prompt(PromptKind::FsWrite),
    observed(
        "agent.fs.inside",
        "69",
        "Files are read and written within the roots.",
        "Stay within cwd and the additional directories.",
    )
    .prompt(PromptKind::FsRead),
    must(
        "agent.terminal.turn-ends",
        "97",
        "A turn that runs a command ends with a result.",
        "Continue when it has ended.",
    )
    .prompt(PromptKind::Terminal),
    must(
        "agent.terminal.released",
        "137",
        "Every terminal is released.",
        "Release it when you have its output.",
    )
    .prompt(PromptKind::Terminal),
    must(
        "agent.terminal.own",
        "134",
        "Only created terminals are used.",
        "Use the terminalId of the response.",
    )
    .prompt(PromptKind::Terminal),
    must(
        "agent.terminal.not-after-release",
        "138",
        "No terminal is used after its release.",
        "Its id is invalid then.",
    )
    .prompt(PromptKind::Terminal),
    must(
        "agent.terminal.failure",
        "97",
        "A turn ends when no terminal can be created.",
        "Handle the error response.",
    )
    .prompt(PromptKind::Terminal),
    must(
        "agent.fs.fenced-read",
        "131",
        "A client without files gets no fs/read_text_file.",
        "Check fs.readTextFile first.",
    )
    .prompt(PromptKind::FsRead),
    must(
        "agent.fs.fenced-write",
        "131",
        "A client without files gets no fs/write_text_file.",
        "Check fs.writeTextFile first.",
    )
    .prompt(PromptKind::FsWrite),
    must(
        "agent.terminal.fenced",
        "134",
        "A client without terminals gets no terminal/create.",
        "Check terminal first.",
    )
    .prompt(PromptKind::Terminal),
    must(
        "agent.fs.fenced-ends",
        "34",
        "With a client that offers nothing, a turn ends.",
        "Continue without it, or refuse.",
    )
    .prompt(PromptKind::FsRead),
];
