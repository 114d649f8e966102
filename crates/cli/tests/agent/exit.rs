//! However the agent ends, it ends within seconds and leaves no process behind, and the session shows what was
//! interrupted.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::peer::{Peer, PeerOutput, allowed, load, prompt, soon};

#[test]
fn hung_up_on_in_the_middle_of_a_command() {
    check("hung-up", |peer| {
        peer.hang_up();
        assert_eq!(peer.end().code(), Some(0));
    });
}

#[test]
fn told_to_end_in_the_middle_of_a_command() {
    check("told", |peer| {
        let pid = peer.pid().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.unwrap().success());
        assert_eq!(peer.end().code(), Some(0));
    });
}

#[test]
fn killed_in_the_middle_of_a_command() {
    check("killed", Peer::kill);
}

fn check(name: &str, end: impl FnOnce(&mut Peer)) {
    let dir = tempfile::tempdir().unwrap();
    let (data, script) = (dir.path().join("data"), dir.path().join("script.json"));
    fs::write(&script, SCRIPT).unwrap();
    let mark = format!("{name}-{}", std::process::id());
    let config = data.with_extension("home").join("config");
    fs::create_dir_all(&config).unwrap();
    let passes = format!(r#"{{"environment":{{"pass":["{MARK}"]}}}}"#);
    fs::write(config.join("config.json"), passes).unwrap();
    let mut peer = Peer::of(Peer::command(&data, &script).env(MARK, &mark));
    let session = peer.new_session(dir.path());
    peer.request("session/prompt", prompt(&session, "sleep"));
    allow_until_both_run(&mut peer);
    soon("the sleepers start", || sleepers(&mark) == 4);

    end(&mut peer);
    soon("everything is gone", || marked(&mark).is_empty());
    calls_have_failed(&data, &script, &session, dir.path());
}

/// One command in the background, one in the foreground.
fn allow_until_both_run(peer: &mut Peer) {
    let deadline = Instant::now() + Duration::from_secs(20);
    let mut running = 0;
    while running < 2 {
        match peer.next(deadline) {
            PeerOutput::Message(_, message)
                if message["method"] == "session/request_permission" =>
            {
                peer.answer(&message["id"], allowed());
            }
            PeerOutput::Message(_, message) => {
                let status = &message["params"]["update"]["status"];
                running += usize::from(status == "in_progress");
            }
            PeerOutput::Late | PeerOutput::End => panic!("the commands do not start"),
        }
    }
}

fn calls_have_failed(data: &Path, script: &Path, session: &str, cwd: &Path) {
    let mut peer = Peer::start(data, script);
    peer.initialize();
    let (updates, answer) = peer.ask("session/load", load(session, cwd));
    answer.unwrap();
    let mut ends: Vec<&str> = updates
        .iter()
        .filter_map(|update| update["status"].as_str())
        .filter(|status| ["completed", "failed"].contains(status))
        .collect();
    ends.sort_unstable();
    assert_eq!(ends, ["completed", "failed"]);
}

fn sleepers(mark: &str) -> usize {
    let is_sleep = |process: &&String| *process == "sleep";
    marked(mark).iter().filter(is_sleep).count()
}

/// The names of the processes that carry a mark.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let carries = |path: &Path| {
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        environment
            .split(|byte| *byte == 0)
            .any(|one| one == wanted)
    };
    let processes = fs::read_dir("/proc").unwrap();
    let paths = processes.filter_map(|process| Some(process.ok()?.path()));
    let names = paths.filter(|path| carries(path)).map(|path| {
        let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
        name.trim().to_owned()
    });
    names.collect()
}

const MARK: &str = "ATTACHE_TEST_MARK";
const SCRIPT: &str = r#"{"turns": [{"say": [
    {"call": {"name": "run", "input": {"command": "nohup sleep 1000", "background": true}}},
    {"call": {"name": "run", "input": {"command": "setsid sleep 1000 & (setsid sleep 1000 &); sleep 1000"}}}
]}]}"#;
