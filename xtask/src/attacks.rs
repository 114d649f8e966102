//! `cargo xtask attacks [--all] [--seed N] [--binary FILE]`: runs generated command lines against random policies, with
//! the release binary and an agent that ignores denials. Fake programs, canary words in secrets and strace observe what
//! really happened, never our own code. `docs/attacks.md` explains what this proves.

mod agent;
mod batch;
mod lines;
mod policy;
mod random;
mod strace;
mod testbed;

use std::env;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use batch::{AttackSetup, Counts, Report, Runner};

use crate::interop::{self, child, install};

/// Runs this program as the agent of a run.
pub(crate) fn run_agent(script: &Path) -> Result<(), String> {
    agent::run(script)
}

pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let options = AttackOptions::from_arguments(arguments)?;
    let (binary, target) = match &options.binary {
        Some(binary) => {
            // The batches run in directories of their own.
            let binary = std::path::absolute(binary)
                .map_err(|error| format!("--binary {}: {error}", binary.display()))?;
            (binary, root.join("target"))
        }
        None => interop::build_binary(root)?,
    };
    let agent = env::current_exe()
        .map_err(|error| format!("can't find the path of this program: {error}"))?;
    let setup = AttackSetup {
        binary,
        agent,
        has_strace: install::is_installed("strace"),
        folder: target.join("attacks"),
    };
    child::empty(&setup.folder)
        .map_err(|error| format!("can't use {}: {error}", setup.folder.display()))?;
    let start = Instant::now();
    let report = run_batches(&setup, &options)?;
    print!("{}", table(&setup, &report));
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{} batches from seed {} in {seconds:.0} s",
        options.batches, options.seed
    );
    verdict(&report)
}

struct AttackOptions {
    batches: usize,
    seed: u64,
    binary: Option<PathBuf>,
    /// The preset for all batches, instead of each in turn.
    preset: Option<&'static str>,
    shows_idle: bool,
}

impl AttackOptions {
    fn from_arguments(arguments: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            batches: SOME,
            seed: SEED,
            binary: None,
            preset: None,
            shows_idle: false,
        };
        let mut rest = arguments;
        loop {
            rest = match rest {
                [] => return Ok(options),
                ["--all", rest @ ..] => {
                    options.batches = MANY;
                    options.shows_idle = true;
                    rest
                }
                ["--seed", seed, rest @ ..] => {
                    let seed = seed.parse();
                    options.seed = seed.map_err(|error| format!("--seed: {error}"))?;
                    rest
                }
                ["--batches", count, rest @ ..] => {
                    let count = count.parse();
                    options.batches = count.map_err(|error| format!("--batches: {error}"))?;
                    rest
                }
                ["--preset", preset, rest @ ..] => {
                    let known = policy::PRESETS.into_iter().find(|known| known == preset);
                    options.preset =
                        Some(known.ok_or(
                            "--preset takes a preset with its dashes, such as `--deny-all`",
                        )?);
                    rest
                }
                ["--binary", binary, rest @ ..] => {
                    options.binary = Some(binary.into());
                    rest
                }
                other => {
                    return Err(format!(
                        "unknown argument `{}`; attacks takes --all, --seed N, --batches N, --preset PRESET and --binary FILE",
                        other.join(" ")
                    ));
                }
            };
        }
    }
}

/// Runs the batches in parallel. Each batch has its own seed; the first one has the given seed.
fn run_batches(setup: &AttackSetup, options: &AttackOptions) -> Result<Report, String> {
    let next = AtomicUsize::new(0);
    let whole = Mutex::new(Ok(Report::default()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= options.batches {
                return;
            }
            let seed = options.seed + u64::try_from(number).unwrap_or(0);
            let turn = policy::PRESETS[number % policy::PRESETS.len()];
            let preset = options.preset.unwrap_or(turn);
            let report = batch::run(setup, number, seed, preset);
            let mut whole = whole
                .lock()
                .unwrap_or_else(|poisoned| poisoned.into_inner());
            add_report(&mut whole, report);
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let whole = whole.into_inner();
    let report = whole.unwrap_or_else(|poisoned| poisoned.into_inner())?;
    if options.shows_idle {
        for idle in &report.idle {
            eprintln!("no effect even without a policy: {idle}");
        }
    }
    Ok(report)
}

fn add_report(whole: &mut Result<Report, String>, part: Result<Report, String>) {
    let (Ok(whole), Ok(part)) = (whole.as_mut(), part.as_ref()) else {
        if let Err(error) = part {
            *whole = Err(error);
        }
        return;
    };
    for (key, counts) in &part.counts {
        let sum = whole.counts.entry(*key).or_default();
        *sum = Counts {
            lines: sum.lines + counts.lines,
            dangerous: sum.dangerous + counts.dangerous,
            through: sum.through + counts.through,
            free: sum.free + counts.free,
            free_ran: sum.free_ran + counts.free_ran,
            idle: sum.idle + counts.idle,
        };
    }
    whole.processes += part.processes;
    whole.faults.extend(part.faults.iter().cloned());
    whole.idle.extend(part.idle.iter().cloned());
}

fn table(setup: &AttackSetup, report: &Report) -> String {
    let mut text = format!(
        "{:<10}{:<17}{:>6}{:>8}{:>9}{:>6}{:>6}{:>6}\n",
        "runner", "preset", "lines", "denied", "through", "free", "ran", "idle"
    );
    for ((runner, preset), counts) in &report.counts {
        let runner = match runner {
            Runner::Terminal => "terminal",
            Runner::AgentItself => "agent",
            Runner::Request => "request",
            Runner::Builtin => "builtin",
        };
        let Counts {
            lines,
            dangerous,
            through,
            free,
            free_ran,
            idle,
        } = counts;
        text += &format!(
            "{runner:<10}{preset:<17}{lines:>6}{dangerous:>8}{through:>9}{free:>6}{free_ran:>6}{idle:>6}\n"
        );
    }
    let watched = match setup.has_strace {
        true => format!("{} processes watched", report.processes),
        false => "skipped: strace is not installed".to_owned(),
    };
    text += &format!("{:<10}{watched}\n", "strace");
    text
}

fn verdict(report: &Report) -> Result<(), String> {
    let (mut lines, mut dangerous, mut idle) = (0, 0, 0);
    for counts in report.counts.values() {
        lines += counts.lines;
        dangerous += counts.dangerous;
        idle += counts.idle;
    }
    if !report.faults.is_empty() {
        let mut text = format!("{} violations", report.faults.len());
        for fault in report.faults.iter().take(SHOWN) {
            write!(text, "\n\n{fault}").map_err(|error| error.to_string())?;
        }
        return Err(text);
    }
    // A check that can't fail proves nothing, so most lines must work when nothing is denied.
    if dangerous * 4 < lines || idle * 5 > lines {
        return Err(format!(
            "only {dangerous} of {lines} lines would do something denied, and {idle} do nothing without a policy: \
             the lines are broken, or tools are missing; `--all` lists the idle ones"
        ));
    }
    Ok(())
}

/// The number of batches by default, and with `--all`.
const SOME: usize = 48;
const MANY: usize = 300;
const SEED: u64 = 13;
/// The most violations that are printed.
const SHOWN: usize = 12;
