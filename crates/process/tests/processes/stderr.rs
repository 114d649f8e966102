//! Standard error is always read, and only its end is kept.

use std::io::{self, Read};
use std::sync::{Arc, Mutex};

use attache_process::ExitStatus;
use libtest_mimic::Trial;

use super::agents::{ready, shell};
use super::{lone_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        lone_trial("stderr::the_end_of_a_flood_is_kept", flood),
        trial("stderr::a_flood_without_lines_is_cut", one_line),
        trial("stderr::lines_can_be_watched", watched),
        trial("stderr::lines_are_passed_to_a_closure", lines),
        trial("stderr::a_long_line_is_passed_in_parts", long_line),
        trial(
            "stderr::every_byte_reaches_a_pipe_of_the_caller",
            handed_over,
        ),
    ]
}

async fn flood() {
    let script = format!("yes 0123456789abcde | head -c {FLOOD} >&2; echo the end >&2; exit 7");
    let child = shell(&script).stderr_tail(4096).spawn().await.unwrap();
    let before = resident();
    let ending = child.wait().await;
    assert_eq!(ending.status, ExitStatus::Exited(7));
    assert_eq!(child.stderr().total(), FLOOD + 8);
    assert!(ending.stderr.len() <= 4096);
    assert!(ending.stderr.starts_with("0123456789abcde\n"));
    assert!(ending.stderr.ends_with("0123456789abcde\nthe end\n"));
    let grown = resident().saturating_sub(before);
    assert!(grown < 32 << 20, "grown by {grown} bytes");
}

async fn one_line() {
    let program = shell(r"head -c 1000000 /dev/zero | tr '\0' '\377' >&2");
    let child = program.spawn().await.unwrap();
    let ending = child.wait().await;
    assert_eq!(child.stderr().total(), 1_000_000);
    assert_eq!(ending.stderr, format!("{}…", "\u{fffd}".repeat(1000)));
}

async fn handed_over() {
    let program = shell(r"printf 'a\377\000b' >&2; exit 4");
    let (stdin, _kept) = io::pipe().unwrap();
    let (_kept_too, stdout) = io::pipe().unwrap();
    let (mut errors, stderr) = io::pipe().unwrap();
    let child = program.spawn_over(stdin, stdout, stderr).await.unwrap();
    let ending = child.wait().await;
    let mut said = Vec::new();
    errors.read_to_end(&mut said).unwrap();
    assert_eq!(said, b"a\xff\x00b");
    assert_eq!(
        (ending.status, ending.stderr.as_str()),
        (ExitStatus::Exited(4), "")
    );
}

/// Runs a script, and returns the lines of its standard error.
async fn lines_of(script: &str) -> Vec<String> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let program =
        shell(script).on_stderr_line(move |line| sink.lock().unwrap().push(line.to_owned()));
    let child = program.spawn().await.unwrap();
    let ending = child.wait().await;
    assert_eq!(ending.status, ExitStatus::Exited(0));
    let seen = seen.lock().unwrap();
    seen.clone()
}

async fn lines() {
    let seen = lines_of(r"printf 'one\n\033[31mtwo\033[0m\n\nlast' >&2").await;
    assert_eq!(seen, ["one", "two", "", "last"]);
}

async fn long_line() {
    let seen = lines_of(r"head -c 200000 /dev/zero | tr '\0' 'x' >&2; echo >&2").await;
    assert!(seen.len() > 1 && seen.iter().all(|line| line.starts_with('x')));
}

async fn watched() {
    let (mut child, _stdout) = ready(&shell("echo; head -n 1 >&2"), 1).await;
    let tail = child.stderr().clone();
    assert_eq!(tail.text(), "");
    let mut stdin = child.take_stdin().unwrap();
    tokio::io::AsyncWriteExt::write_all(&mut stdin, b"said\n")
        .await
        .unwrap();
    let mut seen = 0;
    while let Some(total) = tail.more(seen).await {
        seen = total;
    }
    assert_eq!((seen, tail.text().as_str()), (5, "said\n"));
}

fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

const FLOOD: u64 = 1 << 28;
