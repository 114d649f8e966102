//! Measures what `attache trace` adds to a message: lines that `cat` sends back, with and without `attache trace` in
//! between.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Effort;
use crate::cargo;

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let mut build = cargo::command(root);
    build.args(["build", "--release", "--package", "attache-cli"]);
    let built = build.status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("building attache failed".to_owned());
    }
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let (stream, single) = match effort {
        Effort::Full => (500_000, 20_000),
        Effort::Quick => (50_000, 2_000),
    };
    measure(&target, stream, single).map_err(|error| format!("trace: {error}"))
}

fn measure(target: &Path, stream: u32, single: usize) -> io::Result<()> {
    let bare = || Command::new("cat");
    // Two more programs in the path that do nothing but forward.
    let passed = || {
        let mut command = Command::new("sh");
        command.args(["-c", "cat | cat | cat"]);
        command
    };
    let traced = || {
        let mut command = Command::new(target.join("release/attache"));
        let file = target.join("bench-trace.jsonl");
        command.arg("trace").arg("-o").arg(file).args(["--", "cat"]);
        command
    };
    println!("a message there and back, us          bare   passed   traced    added");
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..5 {
        times[0].push(time_stream(&mut bare(), stream)?);
        times[1].push(time_stream(&mut passed(), stream)?);
        times[2].push(time_stream(&mut traced(), stream)?);
    }
    let each = |times: Vec<Duration>| median(times) / stream;
    row("in a stream", times.map(each));
    let lone = || {
        Ok::<_, io::Error>([
            time_single(&mut bare(), single)?,
            time_single(&mut passed(), single)?,
            time_single(&mut traced(), single)?,
        ])
    };
    row("alone, on all processors", lone()?);
    row("alone, on one processor", pinned(lone)?);
    Ok(())
}

fn row(name: &str, times: [Duration; 3]) {
    let [bare, passed, traced] = times.map(|time| time.as_secs_f64() * 1e6);
    let added = traced - bare;
    println!("{name:<32}  {bare:>8.2} {passed:>8.2} {traced:>8.2} {added:>8.2}");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Runs `work` with this thread, and every process it starts, on one processor.
#[cfg(target_os = "linux")]
fn pinned<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let before = sched_getaffinity(None)?;
    let mut one = CpuSet::new();
    one.set(usize::from(!before.is_set(0)));
    sched_setaffinity(None, &one)?;
    let done = work();
    sched_setaffinity(None, &before)?;
    done
}

#[cfg(not(target_os = "linux"))]
fn pinned<T>(_: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The time until all lines have come back.
fn time_stream(command: &mut Command, lines: u32) -> io::Result<Duration> {
    let (mut child, mut stdin, stdout) = start(command)?;
    let mut read = BufReader::with_capacity(1 << 16, stdout);
    // The start of the program is not measured.
    echo(&mut stdin, &mut read)?;
    let start = Instant::now();
    let sending = thread::spawn(move || -> io::Result<()> {
        let block = LINE.repeat(100);
        (0..lines / 100).try_for_each(|_| stdin.write_all(block.as_bytes()))
    });
    let mut left = u64::from(lines) * LINE.len() as u64;
    while left > 0 {
        let count = read.fill_buf()?.len();
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        read.consume(count);
        left -= count as u64;
    }
    let took = start.elapsed();
    sending
        .join()
        .map_err(|_| io::Error::other("sending the lines failed"))??;
    child.wait()?;
    Ok(took)
}

/// The median time of one line, each sent when the previous one is back.
fn time_single(command: &mut Command, lines: usize) -> io::Result<Duration> {
    let (mut child, mut stdin, stdout) = start(command)?;
    let mut read = BufReader::new(stdout);
    let mut times = Vec::with_capacity(lines);
    for _ in 0..lines {
        let start = Instant::now();
        echo(&mut stdin, &mut read)?;
        times.push(start.elapsed());
    }
    drop(stdin);
    child.wait()?;
    Ok(median(times))
}

fn start(command: &mut Command) -> io::Result<(Child, ChildStdin, ChildStdout)> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (stdin, stdout) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((child, stdin, stdout))
}

fn echo(stdin: &mut ChildStdin, read: &mut impl BufRead) -> io::Result<()> {
    stdin.write_all(LINE.as_bytes())?;
    let mut back = String::new();
    read.read_line(&mut back)?;
    Ok(())
}

const LINE: &str = concat!(
    r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":"#,
    r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words of a model"}}}}"#,
    "\n"
);
