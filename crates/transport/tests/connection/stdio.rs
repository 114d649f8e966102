//! Standard input and output of a separate process, connected to pipes, sockets and files.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl};

use crate::support::{request, response};

/// The example `echo`, which `cargo test` builds beside the tests.
fn echo() -> Command {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples/echo");
    assert!(path.exists(), "build it first: cargo build --examples");
    let mut command = Command::new(path);
    command.stderr(Stdio::piped());
    command
}

/// Waits for the end of the process, and returns its standard error.
fn ended(mut child: Child) -> String {
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "the process does not end"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success());
    let mut printed = String::new();
    child.stderr.unwrap().read_to_string(&mut printed).unwrap();
    printed
}

fn read_exact(mut from: impl Read, expected: &str) {
    let mut got = vec![0; expected.len()];
    from.read_exact(&mut got).unwrap();
    assert_eq!(String::from_utf8(got).unwrap(), expected);
}

fn rest(mut from: impl Read) -> String {
    let mut rest = String::new();
    from.read_to_string(&mut rest).unwrap();
    rest
}

fn is_nonblocking(fd: impl AsFd) -> bool {
    fcntl_getfl(fd).unwrap().contains(OFlags::NONBLOCK)
}

const PRINTED: &str = "m was called\ndone\n";

#[test]
fn stdio_works_over_blocking_pipes_shared_with_the_parent() {
    let (their_input, mut to_them) = std::io::pipe().unwrap();
    let (from_them, their_output) = std::io::pipe().unwrap();
    let (kept_input, kept_output) = (
        their_input.try_clone().unwrap(),
        their_output.try_clone().unwrap(),
    );
    let child = echo()
        .stdin(their_input)
        .stdout(their_output)
        .spawn()
        .unwrap();
    to_them.write_all(request(1, "m").as_bytes()).unwrap();
    read_exact(&from_them, &response(1));
    let flags = [
        is_nonblocking(&kept_input),
        is_nonblocking(&kept_output),
        is_nonblocking(&to_them),
        is_nonblocking(&from_them),
    ];
    assert_eq!(flags, [false; 4]);
    drop((to_them, kept_output));
    assert_eq!(ended(child), PRINTED);
    assert_eq!(rest(from_them), "");
}

#[test]
fn stdio_works_over_one_socket_for_input_and_output() {
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let input = OwnedFd::from(theirs.try_clone().unwrap());
    let child = echo()
        .stdin(input)
        .stdout(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    ours.write_all(request(1, "m").as_bytes()).unwrap();
    read_exact(&ours, &response(1));
    assert!(!is_nonblocking(&ours));
    ours.shutdown(std::net::Shutdown::Write).unwrap();
    assert_eq!(ended(child), PRINTED);
    assert_eq!(rest(ours), "");
}

#[test]
fn stdio_works_over_files() {
    let folder = std::env::temp_dir().join(format!("attache-stdio-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (input, output) = (folder.join("input"), folder.join("output"));
    std::fs::write(&input, format!("skipped\n{}", request(1, "m"))).unwrap();
    let mut opened = File::open(&input).unwrap();
    read_exact(&opened, "skipped\n");
    opened.flush().unwrap();
    let child = echo()
        .stdin(opened)
        .stdout(File::create(&output).unwrap())
        .spawn()
        .unwrap();
    assert_eq!(ended(child), PRINTED);
    assert_eq!(std::fs::read_to_string(&output).unwrap(), response(1));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn empty_standard_input_ends_at_once() {
    let child = echo()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert_eq!(ended(child), "done\n");
}

#[test]
fn stdio_works_with_dev_null_as_output() {
    let mut child = echo()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(request(1, "m").as_bytes()).unwrap();
    drop(input);
    assert_eq!(ended(child), PRINTED);
}

#[test]
fn a_closed_output_does_not_hang_the_program() {
    let (input, mut to_them) = std::io::pipe().unwrap();
    let (from_them, output) = std::io::pipe().unwrap();
    drop(from_them);
    let child = echo().stdin(input).stdout(output).spawn().unwrap();
    to_them.write_all(request(1, "m").as_bytes()).unwrap();
    drop(to_them);
    assert_eq!(ended(child), PRINTED);
}

#[test]
fn a_gibibyte_without_a_line_break_uses_no_more_memory_than_the_limit() {
    let (input, mut to_them) = std::io::pipe().unwrap();
    let (from_them, output) = std::io::pipe().unwrap();
    let child = echo().stdin(input).stdout(output).spawn().unwrap();
    to_them.write_all(request(1, "m").as_bytes()).unwrap();
    read_exact(&from_them, &response(1));
    let before = peak_memory(&child);
    let block = vec![b'x'; 1 << 20];
    for _ in 0..1024 {
        to_them.write_all(&block).unwrap();
    }
    let after_line = format!("\n{}", request(2, "m"));
    to_them.write_all(after_line.as_bytes()).unwrap();
    drop(to_them);
    let grown = peak_memory(&child) - before;
    let said = rest(from_them);
    assert!(
        said.contains("frame_too_large") && said.ends_with(&response(2)),
        "{said}"
    );
    assert!(grown < 17 << 20, "it took {grown} bytes more");
    assert_eq!(ended(child), "m was called\nm was called\ndone\n");
}

/// The peak memory of a process, in bytes.
fn peak_memory(child: &Child) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    let kibibytes: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kibibytes << 10
}
