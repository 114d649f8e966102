//! Transcripts are recorded and read.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use attache::transcript::{EntryKind, MessageKind};
use attache::{Transcript, v1};
use expect_test::expect;

use super::{Archive, Recorder};
use crate::command::{OpenRequest, SessionStart};
use crate::event::{CommandFailure, Event, FailureKind, OpenedSession};

struct Disk {
    folder: tempfile::TempDir,
    archive: Archive,
}

impl Disk {
    fn new() -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::at(folder.path().join("sessions"));
        Disk { folder, archive }
    }

    fn record(&self, events: &[Event]) {
        let mut recorder = self.archive.recorder("agent");
        events.iter().for_each(|event| recorder.record(event));
        recorder.finish();
    }

    fn read(&self, session: &str) -> String {
        let record = self.archive.open("agent", &session.into());
        record.map_or("nothing".to_owned(), |record| {
            shown(&record.transcript().unwrap())
        })
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.folder.path().join("sessions"));
        files.map_or(Vec::new(), |files| {
            files.map(|file| file.unwrap().path()).collect()
        })
    }
}

fn shown(transcript: &Transcript) -> String {
    let entry = |item: &EntryKind| match item {
        EntryKind::Message(message) if message.kind == MessageKind::User => {
            format!("user: {}", message.text())
        }
        EntryKind::Message(message) => format!("agent: {}", message.text()),
        EntryKind::TurnEnd(end) => format!("end: {:?}", end.outcome),
        other => format!("{other:?}"),
    };
    let entries: Vec<String> = transcript.entries().map(|it| entry(it.kind())).collect();
    entries.join("\n")
}

fn opened(session: &str, start: SessionStart) -> Event {
    Event::SessionOpened(Box::new(OpenedSession {
        session: session.into(),
        request: OpenRequest {
            start,
            cwd: PathBuf::from("/work"),
            additional: Vec::new(),
            mcp_servers: Vec::new(),
        },
        modes: None,
        options: Vec::new(),
    }))
}

fn asks(session: &str, text: &str) -> Event {
    Event::TurnStarted {
        session: session.into(),
        content: vec![text.into()],
    }
}

fn says(session: &str, text: &str) -> Event {
    let chunk = v1::SessionUpdate::AgentMessageChunk(v1::ContentChunk::new(text));
    Event::Update(Box::new(v1::SessionNotification::new(session, chunk)))
}

fn hears(session: &str, text: &str) -> Event {
    let chunk = v1::SessionUpdate::UserMessageChunk(v1::ContentChunk::new(text));
    Event::Update(Box::new(v1::SessionNotification::new(session, chunk)))
}

fn ends(session: &str) -> Event {
    Event::TurnEnded {
        session: session.into(),
        outcome: Ok(v1::PromptResponse::new(v1::StopReason::EndTurn)),
    }
}

fn turn(session: &str, prompt: &str, answer: &str) -> Vec<Event> {
    vec![asks(session, prompt), says(session, answer), ends(session)]
}

fn all(parts: Vec<Vec<Event>>) -> Vec<Event> {
    parts.into_iter().flatten().collect()
}

#[test]
fn a_recorded_conversation_can_be_read() {
    let disk = Disk::new();
    let failed = Event::TurnEnded {
        session: "s".into(),
        outcome: Err(CommandFailure {
            operation: "session/prompt".to_owned(),
            reason: "out of luck".to_owned(),
            kind: FailureKind::Refused,
        }),
    };
    let again = vec![asks("s", "again"), failed];
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "hi", "hello"),
        again,
    ]));
    expect![[r#"
        user: hi
        agent: hello
        end: Stopped(EndTurn)
        user: again
        end: Failed(Error { code: -32603, message: "out of luck", data: None })"#]]
    .assert_eq(&disk.read("s"));
    let [record] = &disk.archive.list().unwrap()[..] else {
        panic!("one session");
    };
    assert_eq!(record.title.as_deref(), Some("hi"));
    assert_eq!(record.cwd, PathBuf::from("/work"));
    assert_eq!(
        disk.archive.find("s").unwrap(),
        std::slice::from_ref(record)
    );
    disk.archive.delete(record).unwrap();
    assert!(disk.archive.list().unwrap().is_empty());
}

#[test]
fn a_session_that_is_resumed_goes_on_where_it_ended() {
    let disk = Disk::new();
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "one", "1"),
    ]));
    let early = vec![
        says("s", "early"),
        opened("s", SessionStart::Resume("s".into())),
    ];
    disk.record(&all(vec![early, turn("s", "two", "2")]));
    expect![[r#"
        user: one
        agent: 1
        end: Stopped(EndTurn)
        agent: early
        user: two
        agent: 2
        end: Stopped(EndTurn)"#]]
    .assert_eq(&disk.read("s"));
}

#[test]
fn a_replayed_session_is_not_recorded_twice() {
    let disk = Disk::new();
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "one", "1"),
    ]));
    let told = vec![
        hears("s", "one"),
        says("s", "1"),
        opened("s", SessionStart::Load("s".into())),
    ];
    disk.record(&all(vec![told.clone(), turn("s", "two", "2")]));
    let expected = expect![[r#"
        user: one
        agent: 1
        user: two
        agent: 2
        end: Stopped(EndTurn)"#]];
    expected.assert_eq(&disk.read("s"));
    let gone = Event::AgentExited {
        reason: "killed".to_owned(),
        stderr: Vec::new(),
    };
    let first = all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "zero", "0"),
        vec![gone],
    ]);
    let disk = Disk::new();
    disk.record(&all(vec![first, told, turn("s", "two", "2")]));
    expected.assert_eq(&disk.read("s"));
    assert_eq!(disk.files().len(), 1);
}

#[test]
fn a_new_session_of_an_id_that_was_used_before_does_not_replace_it() {
    let disk = Disk::new();
    for (prompt, answer) in [("one", "1"), ("two", "2"), ("three", "3")] {
        let new = vec![opened("s", SessionStart::New)];
        disk.record(&all(vec![new, turn("s", prompt, answer)]));
    }
    assert!(disk.read("s").contains("user: three"));
    assert_eq!(disk.files().len(), 3);
}

#[test]
fn a_session_that_is_opened_again_while_it_is_open_goes_on() {
    let disk = Disk::new();
    let again = vec![opened("s", SessionStart::Resume("s".into()))];
    let first = all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "one", "1"),
    ]);
    disk.record(&all(vec![first, again, turn("s", "two", "2")]));
    let told = disk.read("s");
    assert!(
        told.contains("user: one") && told.contains("user: two"),
        "{told}"
    );
}

#[test]
fn a_load_that_fails_leaves_what_was_kept() {
    let disk = Disk::new();
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "one", "1"),
    ]));
    disk.record(&[hears("s", "on"), says("s", "half")]);
    expect![[r#"
        user: one
        agent: 1
        end: Stopped(EndTurn)"#]]
    .assert_eq(&disk.read("s"));
    assert_eq!(disk.files().len(), 1);
}

#[test]
fn a_line_that_was_cut_off_and_one_of_the_future_are_stepped_over() {
    let disk = Disk::new();
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "one", "1"),
    ]));
    let file = disk.files().pop().unwrap();
    let mut kept = fs::OpenOptions::new().append(true).open(&file).unwrap();
    kept.write_all(b"{\"at\":\"2030\",\"hologram\":{}}\n{\"at\":\"2026\",\"upd")
        .unwrap();
    disk.record(&all(vec![
        vec![opened("s", SessionStart::Resume("s".into()))],
        turn("s", "two", "2"),
    ]));
    expect![[r#"
        user: one
        agent: 1
        end: Stopped(EndTurn)
        user: two
        agent: 2
        end: Stopped(EndTurn)"#]]
    .assert_eq(&disk.read("s"));
    assert!(fs::read_to_string(&file).unwrap().contains("hologram"));
}

#[test]
fn no_id_of_an_agent_names_a_file() {
    let disk = Disk::new();
    for id in [
        "../../escape",
        "/etc/passwd",
        "",
        ".",
        "a\0b",
        "\u{202e}x",
        &"long".repeat(10_000),
    ] {
        disk.record(&all(vec![
            vec![opened(id, SessionStart::New)],
            turn(id, "hi", "hello"),
        ]));
        assert!(disk.read(id).contains("hello"), "{id:?}");
    }
    assert_eq!(disk.files().len(), 7);
    let names = disk
        .files()
        .into_iter()
        .map(|file| file.file_name().unwrap().len());
    assert!(
        names
            .into_iter()
            .all(|length| length == 64 + ".jsonl".len())
    );
}

#[test]
fn a_session_without_messages_leaves_no_transcript() {
    let disk = Disk::new();
    let commands = v1::SessionUpdate::AvailableCommandsUpdate(v1::AvailableCommandsUpdate::new([]));
    let told = v1::SessionNotification::new("s", commands);
    disk.record(&[
        opened("s", SessionStart::New),
        Event::Update(Box::new(told)),
    ]);
    assert_eq!(disk.files().len(), 0);
    let gone = Event::AgentExited {
        reason: "it exited".to_owned(),
        stderr: Vec::new(),
    };
    disk.record(&[opened("s", SessionStart::New), gone]);
    assert_eq!(disk.files().len(), 0);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_transcripts() {
    use std::os::unix::fs::PermissionsExt;
    let disk = Disk::new();
    disk.record(&[opened("s", SessionStart::New), asks("s", "hi")]);
    let mode = |path: &PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&disk.files()[0]), 0o600);
    assert_eq!(mode(&disk.folder.path().join("sessions")), 0o700);
}

#[test]
fn a_title_that_the_agent_gives_is_listed() {
    let disk = Disk::new();
    let title = v1::SessionInfoUpdate::new().title("Greetings".to_owned());
    let told = Event::Update(Box::new(v1::SessionNotification::new(
        "s",
        v1::SessionUpdate::SessionInfoUpdate(title),
    )));
    let long = turn("s", "go on", &"x".repeat(1_000_000));
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "hi", "hello"),
        vec![told],
        long,
    ]));
    assert_eq!(
        disk.archive.list().unwrap()[0].title.as_deref(),
        Some("Greetings")
    );
}

#[test]
fn a_deleted_session_is_gone_here_too() {
    let disk = Disk::new();
    let gone = vec![Event::SessionDeleted("s".into())];
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "hi", "hello"),
        gone,
    ]));
    assert_eq!(disk.read("s"), "nothing");
}

#[test]
fn sessions_that_nobody_opens_cost_little() {
    let disk = Disk::new();
    let strangers = (0..5_000).map(|number| says(&format!("stranger {number}"), "psst"));
    let ours = all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "hi", "hello"),
    ]);
    disk.record(&all(vec![strangers.collect(), ours]));
    assert!(disk.read("s").contains("hello"));
    assert_eq!(disk.files().len(), 1);
}

#[test]
fn lines_beyond_the_queue_limit_are_dropped_and_counted() {
    let disk = Disk::new();
    let huge = vec![
        opened("s", SessionStart::New),
        says("s", &"x".repeat(65 << 20)),
    ];
    disk.record(&all(vec![huge, turn("s", "hi", "hello")]));
    let text = fs::read_to_string(&disk.files()[0]).unwrap();
    assert!(text.contains(r#""lost":1}"#) && text.len() < 1000, "{text}");
    assert!(disk.read("s").starts_with("user: hi"));
}

#[test]
fn a_flood_is_kept_whole() {
    let disk = Disk::new();
    let flood = (0..20_000).map(|number| says("s", &format!("{number},")));
    disk.record(&all(vec![
        vec![opened("s", SessionStart::New)],
        flood.collect(),
    ]));
    let told = disk.read("s");
    assert!(told.starts_with("agent: 0,1,2,") && told.ends_with("19998,19999,"));
}

#[test]
fn a_disk_that_cannot_be_written_does_not_stop_the_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let mut recorder: Recorder = Archive::at(file.join("sessions")).recorder("agent");
    for event in all(vec![
        vec![opened("s", SessionStart::New)],
        turn("s", "hi", "hello"),
    ]) {
        recorder.record(&event);
    }
    recorder.finish();
}

#[tokio::test]
async fn output_of_commands_is_in_the_transcript() {
    let disk = Disk::new();
    let place = tempfile::tempdir().unwrap();
    let roots = attache_host::Roots::open(place.path(), &[]).unwrap();
    let terminals = attache_host::terminals::Terminals::default();
    let mut recorder = disk.archive.recorder("agent").terminals(terminals.clone());
    recorder.record(&opened("s", SessionStart::New));
    let run = |script: &str| {
        let args = ["-c".to_owned(), script.to_owned()];
        v1::CreateTerminalRequest::new("s", "sh").args(args)
    };
    let named = |id: &v1::TerminalId| {
        let content = v1::ToolCallContent::Terminal(v1::Terminal::new(id.clone()));
        let call = v1::ToolCall::new(id.as_str(), "Run").content([content]);
        let told = v1::SessionNotification::new("s", v1::SessionUpdate::ToolCall(call));
        Event::Update(Box::new(told))
    };
    let ended = terminals
        .create(&roots, &run("echo one; exit 3"))
        .await
        .unwrap();
    terminals.wait(&"s".into(), &ended).await.unwrap();
    recorder.record(&named(&ended));
    let later = terminals.create(&roots, &run("echo two")).await.unwrap();
    recorder.record(&named(&later));
    terminals.wait(&"s".into(), &later).await.unwrap();
    recorder.record(&Event::TerminalChanged(later.clone()));
    let running = terminals
        .create(&roots, &run("echo three; read x"))
        .await
        .unwrap();
    recorder.record(&named(&running));
    terminals.end_session(&"s".into()).await;
    recorder.finish();

    let record = disk.archive.open("agent", &"s".into()).unwrap();
    let (transcript, views) = record.read().unwrap();
    assert_eq!(transcript.entries().count(), 3);
    let wrote = |id: &v1::TerminalId| views[id].output.trim().to_owned();
    assert_eq!(
        (wrote(&ended), wrote(&later)),
        ("one".to_owned(), "two".to_owned())
    );
    assert_eq!(views[&ended].exit.as_ref().unwrap().exit_code, Some(3));
    assert_eq!(views[&ended].command, ["sh", "-c", "echo one; exit 3"]);
}
