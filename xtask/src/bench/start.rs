//! Measures what the binary adds to an agent: the same turn over bare pipes and with `attache run`, and the time of
//! `attache --version`. The agent is our own one of `interop/README.md`.

use std::env;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::Effort;
use crate::cargo;

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let programs = build(root)?;
    let times = match effort {
        Effort::Full => 200,
        Effort::Quick => 20,
    };
    let mut bare = Vec::new();
    let mut ours = Vec::new();
    let mut version = Vec::new();
    for _ in 0..times {
        bare.push(timed(|| turn(&programs.agent))?);
        ours.push(timed(|| {
            let mut run = programs.attache();
            run.args(["run", "--format", "quiet", "stream 1", "--"]);
            finish(run.arg(&programs.agent))
        })?);
        version.push(timed(|| finish(programs.attache().arg("--version")))?);
    }
    let (bare, ours) = (Times::new(bare), Times::new(ours));
    println!("one turn of an agent, ms         p50     p99");
    println!("over bare pipes              {bare}");
    println!("by `attache run`             {ours}");
    let added = ours.median.saturating_sub(bare.median);
    println!("added                        {:>7.2}", milliseconds(added));
    println!("\n`attache --version`          {}", Times::new(version));
    Ok(())
}

struct Programs {
    attache: PathBuf,
    agent: PathBuf,
    home: PathBuf,
}

impl Programs {
    fn attache(&self) -> Command {
        let mut attache = Command::new(&self.attache);
        attache.env("ATTACHE_HOME", &self.home);
        attache
    }
}

fn build(root: &Path) -> Result<Programs, String> {
    let builds: [&[&str]; 2] = [
        &["build", "--release", "--package", "attache-cli"],
        &[
            "build",
            "--release",
            "--package",
            "attache",
            "--example",
            "interop_agent",
        ],
    ];
    for words in builds {
        let mut build = cargo::command(root);
        finish_loudly(build.args(words)).map_err(|error| error.to_string())?;
    }
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    Ok(Programs {
        attache: target.join("release/attache"),
        agent: target.join("release/examples/interop_agent"),
        home: target.join("bench-home"),
    })
}

/// Builds the binary and returns its path.
pub(super) fn attache(root: &Path) -> Result<PathBuf, String> {
    build(root).map(|programs| programs.attache)
}

/// Drives the same turn as `attache run`, over bare pipes.
fn turn(agent: &Path) -> io::Result<()> {
    let mut child = Command::new(agent)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let mut lines = BufReader::new(output).lines();
    for call in CALLS {
        writeln!(input, "{call}")?;
        for line in lines.by_ref() {
            if line?.contains("\"result\"") {
                break;
            }
        }
    }
    drop(input);
    child.wait()?;
    Ok(())
}

fn timed(work: impl FnOnce() -> io::Result<()>) -> Result<Duration, String> {
    let start = Instant::now();
    work().map_err(|error| error.to_string())?;
    Ok(start.elapsed())
}

fn finish(command: &mut Command) -> io::Result<()> {
    finish_loudly(command.stdin(Stdio::null()).stdout(Stdio::null()))
}

fn finish_loudly(command: &mut Command) -> io::Result<()> {
    match command.status()? {
        status if status.success() => Ok(()),
        status => Err(io::Error::other(format!("the command ended with {status}"))),
    }
}

struct Times {
    median: Duration,
    slow: Duration,
}

impl Times {
    fn new(mut times: Vec<Duration>) -> Times {
        times.sort_unstable();
        let at = |part: usize| times.get(times.len() * part / 100).copied();
        Times {
            median: at(50).unwrap_or_default(),
            slow: at(99).unwrap_or_default(),
        }
    }
}

impl std::fmt::Display for Times {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (median, slow) = (milliseconds(self.median), milliseconds(self.slow));
        write!(f, "{median:>7.2} {slow:>7.2}")
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

const CALLS: [&str; 3] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/tmp","mcpServers":[]}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"stream 1"}]}}"#,
];
