//! Builds and runs the `codec` benchmark, counts its instructions under valgrind unless `--quick` is given, and prints
//! tables. `crates/schema/benches/codec` says what is measured, and how.

mod table;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::Effort;
use crate::cargo;

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let counting = Counting::for_effort(effort);
    let codec = build(root)?;
    eprintln!("timing");
    let mut rows = timed(&codec)?;
    if let Counting::Done = counting {
        for row in &mut rows {
            eprintln!(
                "counting {} {} {}",
                row.direction, row.workload, row.contender
            );
            row.instructions = Some(instructions(&codec, row)?);
        }
    }
    print!("{}", table::all(&rows));
    if let Some(note) = counting.footnote() {
        println!("{note}");
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Counting {
    Done,
    Skipped,
    NoValgrind,
}

impl Counting {
    fn for_effort(effort: Effort) -> Self {
        match effort {
            Effort::Quick => Self::Skipped,
            Effort::Full if output(Command::new("valgrind").arg("--version")).is_ok() => Self::Done,
            Effort::Full => Self::NoValgrind,
        }
    }

    fn footnote(self) -> Option<&'static str> {
        match self {
            Self::Done => None,
            Self::Skipped => Some("instr/msg: skipped by --quick"),
            Self::NoValgrind => Some("instr/msg: valgrind is not installed"),
        }
    }
}

/// One line of a table.
struct BenchRow {
    direction: String,
    workload: String,
    contender: String,
    /// The number of messages after which the workload repeats.
    round: u32,
    figures: Figures,
    instructions: Option<f64>,
}

/// Measurements per message.
#[derive(Clone, Copy)]
struct Figures {
    bytes: f64,
    nanoseconds: f64,
    allocations: f64,
}

fn build(root: &Path) -> Result<PathBuf, String> {
    let mut bench = cargo::command(root);
    bench.args([
        "bench",
        "-p",
        "attache-schema",
        "--bench",
        "codec",
        "--",
        "--exe",
    ]);
    let path = output(&mut bench)?.stdout;
    Ok(PathBuf::from(path.trim_end()))
}

fn timed(codec: &Path) -> Result<Vec<BenchRow>, String> {
    let printed = output(Command::new(codec).arg("--bench"))?.stdout;
    let rows: Option<Vec<BenchRow>> = printed.lines().skip(1).map(row).collect();
    rows.ok_or_else(|| format!("{} printed no rows:\n{printed}", codec.display()))
}

fn row(line: &str) -> Option<BenchRow> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [
        direction,
        workload,
        contender,
        round,
        bytes,
        nanoseconds,
        allocations,
    ] = fields[..]
    else {
        return None;
    };
    let figures = Figures {
        bytes: bytes.parse().ok()?,
        nanoseconds: nanoseconds.parse().ok()?,
        allocations: allocations.parse().ok()?,
    };
    Some(BenchRow {
        direction: direction.into(),
        workload: workload.into(),
        contender: contender.into(),
        round: round.parse().ok()?,
        figures,
        instructions: None,
    })
}

/// Counts the instructions per message as the difference between n and 2n messages, which removes the cost of the
/// process itself.
fn instructions(codec: &Path, row: &BenchRow) -> Result<f64, String> {
    let n = row.round * COUNTED.div_ceil(row.round);
    let once = Callgrind::start(codec, row, n)?;
    let twice = Callgrind::start(codec, row, 2 * n)?;
    let difference = twice.collected()? - once.collected()?;
    Ok(difference / f64::from(n))
}

struct Callgrind(Child);

impl Callgrind {
    fn start(codec: &Path, row: &BenchRow, n: u32) -> Result<Self, String> {
        let mut valgrind = Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
        valgrind
            .arg(codec)
            .args(["--count", &row.direction, &row.contender, &row.workload]);
        valgrind.arg(n.to_string());
        start(valgrind.stderr(Stdio::piped())).map(Self)
    }

    fn collected(self) -> Result<f64, String> {
        let report = finish("valgrind", self.0)?.stderr;
        let collected = report
            .lines()
            .find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
        collected.ok_or_else(|| format!("valgrind counted nothing:\n{report}"))
    }
}

struct ProgramOutput {
    stdout: String,
    stderr: String,
}

fn output(command: &mut Command) -> Result<ProgramOutput, String> {
    let child = start(command)?;
    finish(&name(command), child)
}

fn start(command: &mut Command) -> Result<Child, String> {
    let spawned = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    spawned.map_err(|error| format!("can't start {}: {error}", name(command)))
}

fn finish(name: &str, child: Child) -> Result<ProgramOutput, String> {
    let ended = child
        .wait_with_output()
        .map_err(|error| format!("can't wait for {name}: {error}"))?;
    let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
    if !ended.status.success() {
        return Err(format!("{name} ended with {}\n{stderr}", ended.status));
    }
    Ok(ProgramOutput {
        stdout: String::from_utf8_lossy(&ended.stdout).into_owned(),
        stderr,
    })
}

fn name(command: &Command) -> String {
    command.get_program().display().to_string()
}

/// The fewest messages to count, rounded up to whole rounds.
const COUNTED: u32 = 2000;
