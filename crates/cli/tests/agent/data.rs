//! Data directories that cannot be used, are full, or are in use.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};
use serde_json::{Value, json};

use crate::peer::{Peer, load, prompt};

/// Compares the error of an agent that cannot start. `DIR` stands for the directory.
fn check_refused(prepare: impl FnOnce(&Path), expected: &Expect) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    prepare(&data);
    let script = script(dir.path(), "{\"turns\": []}");
    let mut command = unprivileged(&Peer::command(&data, &script));
    let output = command.stdin(Stdio::null()).output().unwrap();
    fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).unwrap();
    expected.assert_eq(&said.replace(&dir.path().display().to_string(), "DIR"));
}

#[test]
fn a_directory_that_is_a_file() {
    check_refused(
        |data| fs::write(data, "").unwrap(),
        &expect![[r#"
        attache: `DIR/data` cannot be used: File exists (os error 17)
    "#]],
    );
}

#[test]
fn a_directory_that_others_may_write_to() {
    let prepare = |data: &Path| {
        fs::create_dir(data).unwrap();
        fs::set_permissions(data, Permissions::from_mode(0o777)).unwrap();
    };
    check_refused(
        prepare,
        &expect![[r#"
        attache: `DIR/data` can be changed by others; take their right to write away with `chmod go-w`
    "#]],
    );
}

#[test]
fn a_directory_that_cannot_be_written_to() {
    let prepare = |data: &Path| {
        fs::create_dir(data).unwrap();
        fs::set_permissions(data, Permissions::from_mode(0o500)).unwrap();
    };
    check_refused(
        prepare,
        &expect![[r#"
        attache: `DIR/data/locks` cannot be used: Permission denied (os error 13)
    "#]],
    );
}

#[test]
fn a_file_that_is_no_database() {
    let prepare = |data: &Path| {
        fs::create_dir(data).unwrap();
        fs::set_permissions(data, Permissions::from_mode(0o700)).unwrap();
        fs::write(data.join("sessions.db"), "no database ".repeat(100)).unwrap();
        let database = data.join("sessions.db");
        fs::set_permissions(database, Permissions::from_mode(0o600)).unwrap();
    };
    check_refused(
        prepare,
        &expect![[r#"
        attache: the database of sessions is damaged: file is not a database; move it away, or restore it from a copy
    "#]],
    );
}

#[test]
fn without_room_a_turn_fails_and_with_room_it_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let long = json!({"repeat": true, "turns": [{"say": [{"text": "long ".repeat(20_000)}]}]});
    let script = script(dir.path(), &long.to_string());
    // A write past the limit is an error only where its signal is ignored, which a process inherits.
    let mut limited = Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; exec \"$@\"", "sh"]);
    let mut peer = Peer::of(wrapped(&mut limited, &Peer::command(&data, &script)));
    let session = peer.new_session(dir.path());

    limit(&peer, "600000");
    let mut answered = 0;
    let error = loop {
        let (_, answer) = peer.ask("session/prompt", prompt(&session, "more"));
        match answer {
            Ok(_) => answered += 1,
            Err(error) => break error,
        }
        assert!(answered < 100, "the limit has no effect");
    };
    assert!(answered > 0);
    assert_eq!(error["code"], -32603);
    let said = error["message"].as_str().unwrap();
    assert!(said.contains("disk") || said.contains("room"), "{said}");
    let (_, others) = peer.ask("session/list", json!({}));
    assert_eq!(others.unwrap()["sessions"].as_array().unwrap().len(), 1);

    limit(&peer, "unlimited");
    let (_, answer) = peer.ask("session/prompt", prompt(&session, "the last"));
    assert_eq!(answer.unwrap()["stopReason"], "end_turn");
    peer.kill();
    let mut peer = Peer::start(&data, &script);
    peer.initialize();
    let (updates, answer) = peer.ask("session/load", load(&session, dir.path()));
    answer.unwrap();
    assert_eq!(asked(&updates).first(), Some(&"more"));
    assert_eq!(asked(&updates).last(), Some(&"the last"));
    assert!(asked(&updates).len() > answered);
}

#[test]
fn a_session_that_another_agent_has_open() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let script = script(
        dir.path(),
        r#"{"repeat": true, "turns": [{"say": [{"text": "hi"}]}]}"#,
    );
    let mut first = Peer::start(&data, &script);
    let session = first.new_session(dir.path());
    let (_, answer) = first.ask("session/prompt", prompt(&session, "mine"));
    answer.unwrap();

    let mut second = Peer::start(&data, &script);
    second.initialize();
    for method in ["session/load", "session/resume", "session/delete"] {
        let (updates, answer) = second.ask(method, load(&session, dir.path()));
        assert_eq!(updates, Vec::<Value>::new());
        let error = answer.unwrap_err();
        let said = format!("in use by process {}", first.pid());
        assert!(error.to_string().contains(&said), "{method}: {error}");
    }
    let (_, answer) = first.ask("session/prompt", prompt(&session, "still mine"));
    answer.unwrap();
    first.kill();
    let (updates, answer) = second.ask("session/load", load(&session, dir.path()));
    answer.unwrap();
    assert_eq!(asked(&updates), ["mine", "still mine"]);
}

/// The prompts of a replay.
fn asked(updates: &[Value]) -> Vec<&str> {
    let prompts = updates
        .iter()
        .filter(|update| update["sessionUpdate"] == "user_message_chunk");
    prompts
        .filter_map(|update| update["content"]["text"].as_str())
        .collect()
}

fn script(dir: &Path, text: &str) -> PathBuf {
    let path = dir.join("script.json");
    fs::write(&path, text).unwrap();
    path
}

/// Limits the size of files.
fn limit(peer: &Peer, bytes: &str) {
    let mut command = Command::new("prlimit");
    command.args([
        "--pid",
        &peer.pid().to_string(),
        &format!("--fsize={bytes}:"),
    ]);
    assert!(command.status().unwrap().success());
}

/// The same command as an ordinary user, to whom file permissions apply.
fn unprivileged(command: &Command) -> Command {
    let mut other = match fs::metadata("/proc/self").unwrap().uid() {
        0 => Command::new("setpriv"),
        _ => Command::new("env"),
    };
    if other.get_program() == "setpriv" {
        other.arg("--bounding-set=-dac_override,-dac_read_search");
    }
    wrapped(&mut other, command);
    other
}

fn wrapped<'a>(wrapper: &'a mut Command, command: &Command) -> &'a mut Command {
    wrapper.arg(command.get_program()).args(command.get_args());
    let variables = command.get_envs();
    wrapper.envs(variables.filter_map(|(name, value)| Some((name, value?))))
}
