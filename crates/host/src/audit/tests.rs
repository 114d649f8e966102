//! Reading the log back, and detecting changes.

mod masks;
mod tampering;

use std::os::unix::fs::PermissionsExt as _;
use std::sync::Barrier;
use std::{fs, thread};

use attache_rpc::json;
use expect_test::{Expect, expect};

use super::log_files::file_numbers;
use super::*;
use crate::scratch::Scratch;

fn action() -> Action {
    let request = json::from_str(
        r#"{"sessionId":"s","options":[],"toolCall":{"toolCallId":"1","title":"Run \u001b[2J\u202etests","kind":"execute",
            "rawInput":{"command":"curl -H 'Authorization: Bearer abcdef' https://ann:pw@example.com"}}}"#,
    );
    Action::from_request("claude", "/w".into(), &request.unwrap(), None)
}

fn started(log: &Log, agent: &str) {
    log.append(&Event::Started { agent });
    assert_eq!(log.fault(), None);
}

/// The lines of all files, without the parts that always differ.
fn lines(dir: &Path) -> String {
    let entries = entries(dir).unwrap().map(Result::unwrap);
    let lines = entries.map(|mut entry| {
        for member in ["time", "prev", "hash"] {
            entry.fields.remove(member);
        }
        serde_json::Value::Object(entry.fields).to_string()
    });
    let lines = lines.collect::<Vec<_>>().join("\n");
    lines.replace('\u{202e}', "\\u202e")
}

fn check_verified(dir: &Path, expected: Expect) {
    let report = verify(dir).unwrap();
    let broken = report
        .broken
        .map_or("whole".to_owned(), |broken| broken.to_string());
    let shown = format!(
        "{} lines in {} files, {broken}\n{}",
        report.lines,
        report.files,
        report.notes.join("\n")
    );
    expected.assert_eq(&shown.trim_end().replace(&*dir.to_string_lossy(), "LOG"));
}

#[test]
fn every_event() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    let action = action();
    started(&log, "claude");
    log.append(&Event::Asked(&action));
    log.append(&Event::Decided {
        action: &action,
        is_allowed: Some(false),
        reason: &Reason::new("policy rule `no-curl`"),
        answer: None,
    });
    let (session, path) = ("s", PathBuf::from("/w/a"));
    log.append(&Event::Read {
        agent: "claude",
        session,
        path: path.clone(),
        outcome: Ok(12),
    });
    log.append(&Event::Wrote {
        agent: "claude",
        session,
        path,
        outcome: Err("it is protected".to_owned()),
    });
    let command = [
        "npm".to_owned(),
        "publish".to_owned(),
        "--token".to_owned(),
        "abc".to_owned(),
    ];
    log.append(&Event::Ran {
        agent: "claude",
        session,
        command: &command,
        outcome: Ok("t1"),
    });
    log.append(&Event::Ended {
        agent: "claude",
        session,
        terminal: "t1",
        outcome: "exit code 0".to_owned(),
    });
    let shown = lines(&dir).replace(&action.digest.to_string(), "DIGEST");
    expect![[r#"
        {"seq":1,"agent":"claude","event":"started"}
        {"seq":2,"command":["curl -H 'Authorization: Bearer ***' https://***@example.com"],"event":"asked","agent":"claude","session":"s","workspace":"/w","kind":"execute","title":"Run \u001b[2J\u202etests","digest":"DIGEST","paths":[]}
        {"seq":3,"because":"policy rule `no-curl`","event":"decided","agent":"claude","session":"s","workspace":"/w","kind":"execute","title":"Run \u001b[2J\u202etests","digest":"DIGEST","paths":[],"command":["curl -H 'Authorization: Bearer ***' https://***@example.com"],"outcome":"denied"}
        {"seq":4,"bytes":12,"event":"read","agent":"claude","session":"s","path":"/w/a"}
        {"seq":5,"error":"it is protected","event":"wrote","agent":"claude","session":"s","path":"/w/a"}
        {"seq":6,"terminal":"t1","event":"ran","agent":"claude","session":"s","command":["npm","publish","--token","***"]}
        {"seq":7,"how":"exit code 0","event":"ended","agent":"claude","session":"s","terminal":"t1"}"#]]
    .assert_eq(&shown);
    check_verified(&dir, expect!["7 lines in 1 files, whole"]);
    let text = fs::read_to_string(dir.join("000001.jsonl")).unwrap();
    assert!(
        text.contains(r"\u202e") && !text.contains('\u{202e}'),
        "{text}"
    );
}

#[test]
fn a_lock_kept_by_another_process_does_not_block_events() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    started(&log, "before");
    let lock = fs::File::open(dir.join("lock")).unwrap();
    lock.lock().unwrap();
    let begun = std::time::Instant::now();
    for _ in 0..20 {
        log.append(&Event::Started { agent: "missed" });
    }
    assert!(begun.elapsed().as_secs() < 3, "{:?}", begun.elapsed());
    assert!(
        log.fault()
            .is_some_and(|why| why.contains("is locked by another process"))
    );
    lock.unlock().unwrap();
    started(&log, "after");
    expect![[r#"
        {"seq":1,"agent":"before","event":"started"}
        {"seq":2,"events":20,"event":"missed"}
        {"seq":3,"agent":"after","event":"started"}"#]]
    .assert_eq(&lines(&dir));
    check_verified(
        &dir,
        expect![[r#"
        3 lines in 1 files, whole
        LOG/000001.jsonl:2: events before this line could not be written"#]],
    );
}

#[test]
fn only_the_owner_can_read_it() {
    let dir = Scratch::new();
    started(&Log::open(&dir.join("audit")).unwrap(), "a");
    for entry in fs::read_dir(dir.join("audit")).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(
            entry.metadata().unwrap().permissions().mode() & 0o777,
            0o600,
            "{entry:?}"
        );
    }
    assert_eq!(
        dir.join("audit").metadata().unwrap().permissions().mode() & 0o777,
        0o700
    );
}

#[test]
fn an_empty_log_is_whole() {
    let dir = Scratch::new();
    check_verified(&dir.join("nothing"), expect!["0 lines in 0 files, whole"]);
    Log::open(&dir).unwrap();
    check_verified(&dir, expect!["0 lines in 0 files, whole"]);
}

#[test]
fn the_chain_goes_on_across_files_and_programs() {
    let dir = Scratch::new();
    for number in 0..30 {
        started(
            &Log::limited(&dir, 1000, 1000).unwrap(),
            &number.to_string(),
        );
    }
    check_verified(&dir, expect!["30 lines in 6 files, whole"]);
}

#[test]
fn dropping_the_oldest_files_leaves_a_valid_log() {
    let dir = Scratch::new();
    for number in 0..60 {
        started(&Log::limited(&dir, 1000, 3).unwrap(), &number.to_string());
    }
    check_verified(
        &dir,
        expect![[r#"
        12 lines in 3 files, whole
        LOG/000013.jsonl: the 60 lines before this file were dropped because the log has a size limit"#]],
    );
    let first = file_numbers(&dir).unwrap()[0];
    let oldest = dir.join(format!("{first:06}.jsonl"));
    let text = fs::read_to_string(&oldest).unwrap();

    // Removing more is detected, and so is changing the file that records where the log begins.
    let (_, rest) = text.split_once('\n').unwrap();
    fs::write(&oldest, rest).unwrap();
    check_verified(
        &dir,
        expect![[r#"
        0 lines in 3 files, LOG/000013.jsonl:1: lines before this one were removed
        LOG/000013.jsonl: the 60 lines before this file were dropped because the log has a size limit"#]],
    );
    fs::write(&oldest, &text).unwrap();
    let base = fs::read_to_string(dir.join("base")).unwrap();
    fs::write(dir.join("base"), base.replacen(' ', "1 ", 1)).unwrap();
    check_verified(
        &dir,
        expect!["0 lines in 3 files, LOG/000013.jsonl:1: lines before this one were removed"],
    );
    fs::write(dir.join("base"), base).unwrap();

    // A writer was interrupted before it removed the file.
    fs::write(dir.join(format!("{:06}.jsonl", first - 1)), "left over").unwrap();
    assert_eq!(verify(&dir).unwrap().broken, None);
}

#[test]
fn many_programs_append_at_the_same_time() {
    const PROGRAMS: usize = 8;
    const EACH: usize = 100;
    let dir = Scratch::new();
    let start = Barrier::new(PROGRAMS);
    thread::scope(|scope| {
        for program in 0..PROGRAMS {
            let (dir, start) = (&dir, &start);
            scope.spawn(move || {
                let log = Log::limited(dir, 20_000, 1000).unwrap();
                start.wait();
                for _ in 0..EACH {
                    started(&log, &program.to_string());
                }
            });
        }
    });
    let report = verify(&dir).unwrap();
    assert_eq!(
        (report.lines, report.broken, report.notes),
        (800, None, Vec::new())
    );
}

#[test]
fn a_line_that_was_cut_by_a_crash_is_noted_and_the_log_goes_on() {
    let dir = Scratch::new();
    started(&Log::open(&dir).unwrap(), "one");
    let path = dir.join("000001.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    // The last byte is the first of a two-byte character.
    let torn = [&whole.as_bytes()[..39], &[0xc3]].concat();
    fs::write(&path, [whole.as_bytes(), &torn].concat()).unwrap();
    check_verified(
        &dir,
        expect![[r#"
        1 lines in 1 files, whole
        LOG/000001.jsonl:2: an incomplete line, left by an interrupted writer"#]],
    );
    started(&Log::open(&dir).unwrap(), "two");
    expect![[r#"
        {"seq":1,"agent":"one","event":"started"}
        {"seq":2,"bytes":40,"event":"torn"}
        {"seq":3,"agent":"two","event":"started"}"#]]
    .assert_eq(&lines(&dir));
    check_verified(
        &dir,
        expect![[r#"
        3 lines in 1 files, whole
        LOG/000001.jsonl:3: an incomplete line, left by an interrupted writer"#]],
    );
}

#[test]
fn a_line_whose_writer_was_killed_before_the_head_is_kept() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    started(&log, "one");
    let head = fs::read(dir.join("head")).unwrap();
    started(&log, "two");
    fs::write(dir.join("head"), head).unwrap();
    check_verified(
        &dir,
        expect![[r#"
        2 lines in 1 files, whole
        LOG/000001.jsonl:2: a line that the head file does not include yet, left by an interrupted writer"#]],
    );
    started(&Log::open(&dir).unwrap(), "three");
    check_verified(&dir, expect!["3 lines in 1 files, whole"]);
}

#[test]
fn a_log_that_cannot_be_written_says_so_once() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    started(&log, "one");
    let path = dir.join("000001.jsonl");
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    log.append(&Event::Started { agent: "two" });
    log.append(&Event::Started { agent: "three" });
    assert!(log.fault().unwrap().contains("000001.jsonl"));
    log.append(&Event::Started { agent: "four" });
    assert_eq!(log.fault(), None);
}

#[test]
fn a_directory_that_others_may_change_is_refused() {
    let dir = Scratch::new();
    fs::set_permissions(&*dir, fs::Permissions::from_mode(0o777)).unwrap();
    let error = Log::open(&dir)
        .unwrap_err()
        .to_string()
        .replace(&*dir.to_string_lossy(), "LOG");
    expect!["`LOG` can be changed by others; take their right to write away with `chmod go-w`"]
        .assert_eq(&error);
}

#[test]
fn a_background_log_does_not_block_and_loses_nothing() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap().in_background().unwrap();
    let lock = fs::File::open(dir.join("lock")).unwrap();
    lock.lock().unwrap();
    let begun = std::time::Instant::now();
    for _ in 0..1000 {
        started(&log, "agent");
    }
    assert!(begun.elapsed().as_millis() < 1000, "{:?}", begun.elapsed());
    lock.unlock().unwrap();
    drop(log);
    check_verified(&dir, expect!["1000 lines in 1 files, whole"]);
}

#[test]
fn settled_events_are_in_the_file() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap().in_background().unwrap();
    let lock = fs::File::open(dir.join("lock")).unwrap();
    lock.lock().unwrap();
    for _ in 0..100 {
        started(&log, "agent");
    }
    assert!(!log.is_settled());
    thread::scope(|scope| {
        let settled = scope.spawn(|| {
            log.settle();
            lines(&dir).lines().count()
        });
        lock.unlock().unwrap();
        assert_eq!(settled.join().unwrap(), 100);
    });
    assert!(log.is_settled());
}

#[test]
fn a_log_that_is_being_written_is_valid() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..2000 {
                log.append(&Event::Started { agent: "agent" });
            }
        });
        while !writer.is_finished() {
            assert_eq!(verify(&dir).unwrap().broken, None);
        }
    });
}

#[test]
fn a_background_log_counts_dropped_events() {
    let dir = Scratch::new();
    let log = Log::open(&dir).unwrap().in_background().unwrap();
    let lock = fs::File::open(dir.join("lock")).unwrap();
    lock.lock().unwrap();
    let long = "x".repeat(1024);
    for _ in 0..20_000 {
        log.append(&Event::Started { agent: &long });
    }
    assert!(log.fault().is_some());
    lock.unlock().unwrap();
    log.flush(Duration::from_secs(60));
    started(&log, "after");
    drop(log);
    let report = verify(&dir).unwrap();
    assert_eq!(report.broken, None);
    let missed = entries(&dir).unwrap().map(Result::unwrap);
    let missed = missed.filter(|entry| entry.event == "missed");
    let missed: u64 = missed
        .map(|entry| entry.fields["events"].as_u64().unwrap())
        .sum();
    let written = report.lines
        - entries(&dir)
            .unwrap()
            .filter(|it| it.as_ref().unwrap().event == "missed")
            .count() as u64;
    assert_eq!(written + missed, 20_001);
    assert!(missed > 0);
}
