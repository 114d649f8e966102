//! What `attache trace` adds to a message: lines that `cat` sends back, with and without it in between.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Effort;

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.args(["build", "--release", "--package", "attache-cli"]);
    let built = build.current_dir(root).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("attache cannot be built".to_owned());
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
    let traced = || {
        let mut command = Command::new(target.join("release/attache"));
        let file = target.join("bench-trace.jsonl");
        command.arg("trace").arg("-o").arg(file).args(["--", "cat"]);
        command
    };
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..5 {
        without.push(streamed(&mut bare(), stream)?);
        with.push(streamed(&mut traced(), stream)?);
    }
    let each = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e6 / f64::from(stream)
    };
    let (without, with) = (each(without), each(with));
    println!("a message there and back, us          bare   traced    added");
    println!(
        "in a stream                       {without:>8.2} {with:>8.2} {:>8.2}",
        with - without
    );
    let (without, with) = (alone(&mut bare(), single)?, alone(&mut traced(), single)?);
    let added = with.saturating_sub(without);
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "alone, p50                        {:>8.2} {:>8.2} {:>8.2}",
        micros(without),
        micros(with),
        micros(added)
    );
    Ok(())
}

/// How long it takes until all of many lines have come back.
fn streamed(command: &mut Command, lines: u32) -> io::Result<Duration> {
    let (mut child, mut stdin, stdout) = start(command)?;
    let mut read = BufReader::with_capacity(1 << 16, stdout);
    // The start of the program is no part of it.
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
        .map_err(|_| io::Error::other("nothing could be sent"))??;
    child.wait()?;
    Ok(took)
}

/// How long one line takes, each sent when the one before is back.
fn alone(command: &mut Command, lines: usize) -> io::Result<Duration> {
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
    times.sort_unstable();
    Ok(times[times.len() / 2])
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
