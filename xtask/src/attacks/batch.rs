//! A batch: one policy and some lines. The lines run twice: first without the policy, to see what each of them really
//! does, then with it. The policy must prevent everything that is denied and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_text::shell::single_quoted;
use serde_json::json;

use super::agent::WENT_ON;
use super::lines::{self, HARMLESS, Line, Target};
use super::policy::Policy;
use super::random::Random;
use super::strace;
use super::testbed::{FILES, PROGRAMS, Testbed, canary};

/// What every run needs.
pub(super) struct AttackSetup {
    pub(super) binary: PathBuf,
    /// The path of this program, which is also the agent.
    pub(super) agent: PathBuf,
    pub(super) has_strace: bool,
    /// The directory of all runs.
    pub(super) folder: PathBuf,
}

/// Who runs a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Runner {
    /// The agent asks, and uses the client's terminal whatever the response is.
    Terminal,
    /// The agent starts the line itself without asking.
    AgentItself,
    /// The agent asks, and requests the file that the line targets.
    Request,
    /// Our own agent, with its tool `run`.
    Builtin,
}

/// The results of one runner under one preset.
#[derive(Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) lines: usize,
    /// Lines that a rule or the preset denies and that reach their target without a policy.
    pub(super) dangerous: usize,
    /// The number of these that reached their target under the policy.
    pub(super) through: usize,
    /// Lines that nothing denies and that ran without the policy, and how many of them ran with it.
    pub(super) free: usize,
    pub(super) free_ran: usize,
    /// Lines that have no effect even without a policy: a tool is missing, or the spelling is wrong.
    pub(super) idle: usize,
}

#[derive(Default)]
pub(super) struct Report {
    pub(super) counts: BTreeMap<(Runner, &'static str), Counts>,
    pub(super) processes: usize,
    pub(super) faults: Vec<String>,
    /// The lines without any effect, each with its family.
    pub(super) idle: Vec<String>,
}

pub(super) fn run(
    setup: &AttackSetup,
    number: usize,
    seed: u64,
    preset: &'static str,
) -> Result<Report, String> {
    let mut random = Random::new(seed);
    let policy = Policy::new(&mut random, preset);
    let folder = setup.folder.join(format!("batch-{number}"));
    let mut batch = Batch {
        setup,
        seed,
        policy,
        report: Report::default(),
        checks_strace: number == 0,
    };
    let fail = |error: io::Error| format!("can't run attache in {}: {error}", folder.display());
    let (testbed, steps) = steps(&folder, &mut random.clone(), &batch.policy)?;
    let before = batch.run_lines(&testbed, &steps, None).map_err(fail)?;
    if batch.checks_strace && setup.has_strace {
        batch.check_strace(&testbed).map_err(fail)?;
    }
    let (testbed, steps) = self::steps(&folder, &mut random, &batch.policy)?;
    let text = batch.policy.text(&testbed);
    let after = batch
        .run_lines(&testbed, &steps, Some(&text))
        .map_err(fail)?;
    batch.judge(&testbed, &steps, &before, &after);
    batch.judge_traces(&testbed).map_err(fail)?;
    if batch.report.faults.is_empty() {
        fs::remove_dir_all(&folder).map_err(fail)?;
    }
    Ok(batch.report)
}

struct AttackStep {
    line: Line,
    runner: Runner,
    words: Vec<String>,
    /// The kind and tool name that the agent claims. Neither may decide anything.
    kind: &'static str,
    tool: &'static str,
}

/// Creates the testbed and the lines. The same random numbers give the same result.
fn steps(
    folder: &Path,
    random: &mut Random,
    policy: &Policy,
) -> Result<(Testbed, Vec<AttackStep>), String> {
    let testbed = Testbed::new(folder)?;
    let mut steps = Vec::new();
    for number in 0..LINES {
        let runner = match random.below(10) {
            0 => Runner::Builtin,
            1..=4 => Runner::AgentItself,
            5 => Runner::Request,
            _ => Runner::Terminal,
        };
        let line = lines::generate(&testbed, random, number, policy, runner)?;
        // Our own agent gets the line as one line of its prompt.
        let runner = match runner {
            Runner::Builtin if line.text.contains('\n') => Runner::AgentItself,
            runner => runner,
        };
        let shell = ["bash", "-c", &line.text].map(str::to_owned).to_vec();
        let words = match runner {
            Runner::Terminal if random.once_in(3) => {
                vec![format!("bash -c {}", single_quoted(&line.text))]
            }
            _ => shell,
        };
        steps.push(AttackStep {
            line,
            runner,
            words,
            kind: random.pick(&["execute", "execute", "read", "edit", "think", "other"]),
            tool: random.pick(&["Bash", "Read", "Edit", "run", "mcp__x__y"]),
        });
    }
    Ok((testbed, steps))
}

impl AttackStep {
    /// The step as JSON for the scripted agent.
    fn script(&self) -> serde_json::Value {
        let line = &self.line;
        let runner = match self.runner {
            Runner::Terminal => "terminal",
            Runner::Request => "request",
            Runner::AgentItself | Runner::Builtin => "own",
        };
        let adds = match line.target {
            Target::Write(_) => Some(line.word()),
            _ => None,
        };
        json!({
            "name": line.name, "way": runner, "words": self.words, "path": line.path, "adds": adds,
            "kind": self.kind, "tool": self.tool, "title": line.text,
        })
    }
}

/// What the lines of a run did, by their number.
#[derive(Default)]
struct RunEffects {
    /// The lines that reached their target.
    did: BTreeSet<usize>,
    /// The output of each line; the last entry is the output of `attache`.
    printed: Vec<String>,
    record: String,
    faults: Vec<String>,
}

struct Batch<'a> {
    setup: &'a AttackSetup,
    seed: u64,
    policy: Policy,
    report: Report,
    /// Whether strace also watches the run without the policy, to show that it sees what it should find.
    checks_strace: bool,
}

impl Batch<'_> {
    /// Runs all lines: those of the scripted agent in one turn, those of our own agent in one turn each.
    fn run_lines(
        &self,
        testbed: &Testbed,
        steps: &[AttackStep],
        policy: Option<&str>,
    ) -> io::Result<RunEffects> {
        let script = testbed.run.join("script.json");
        let scripted = steps.iter().filter(|step| step.runner != Runner::Builtin);
        let scripted: Vec<_> = scripted.map(AttackStep::script).collect();
        fs::write(&script, json!(scripted).to_string())?;
        let mut options: Vec<OsString> = vec!["run".into()];
        match policy {
            Some(policy) => {
                options.extend(["--policy", policy, self.policy.preset].map(OsString::from));
            }
            None => options.push("--approve-all".into()),
        }
        let mut words = match policy {
            _ if !self.setup.has_strace => Vec::new(),
            None if !self.checks_strace => Vec::new(),
            _ => strace::command_words(&testbed.run.join("trace")),
        };
        words.push(self.setup.binary.clone().into());
        words.extend(options.iter().cloned());
        words.extend(["go", "--"].map(OsString::from));
        words.extend([self.setup.agent.clone().into(), "attacks".into()]);
        words.extend(["agent".into(), script.clone().into()]);
        let ended = testbed.run(&words, LIMIT)?;
        let mut effects = RunEffects::default();
        if !ended.printed.contains(WENT_ON) {
            let how = format!(
                "the agent did not finish ({:?}): {}",
                ended.code, ended.printed
            );
            effects.faults.push(how);
        }
        let outputs = script.with_extension("out");
        for (number, step) in steps.iter().enumerate() {
            let printed = match step.runner {
                Runner::Builtin => self.run_builtin(testbed, &options, step)?,
                _ => fs::read(outputs.join(&step.line.name)).unwrap_or_default(),
            };
            let printed = String::from_utf8_lossy(&printed).into_owned();
            let did = match step.line.target {
                Target::Call { .. } => testbed.marker_file(&step.line.name).exists(),
                Target::Read(file) => printed.contains(&canary(file)),
                Target::Write(file) => testbed.content(file).contains(&step.line.word()),
                Target::Harmless => printed.contains(HARMLESS),
            };
            if did {
                effects.did.insert(number);
            }
            effects.printed.push(printed);
        }
        effects.printed.push(ended.printed);
        effects.record = testbed.record();
        Ok(effects)
    }

    fn run_builtin(
        &self,
        testbed: &Testbed,
        options: &[OsString],
        step: &AttackStep,
    ) -> io::Result<Vec<u8>> {
        let mut words = vec![self.setup.binary.clone().into_os_string()];
        words.extend(options.iter().cloned());
        words.extend(["-a", "builtin", "--model", "embedded"].map(OsString::from));
        if step.line.text.len().is_multiple_of(2) {
            words.push("--no-terminal".into());
        }
        // The agent's shell is `sh`, which reads some spellings differently than bash.
        let command = format!("bash -c {}", single_quoted(&step.line.text));
        words.push(format!("run {command}").into());
        let ended = testbed.run(&words, LIMIT)?;
        // The displayed command is not part of its output.
        let printed = ended.printed.replace(&command, "");
        let printed = printed.replace(&step.line.text, "");
        Ok(printed.into_bytes())
    }

    fn judge(
        &mut self,
        testbed: &Testbed,
        steps: &[AttackStep],
        before: &RunEffects,
        after: &RunEffects,
    ) {
        for fault in before.faults.iter().chain(&after.faults) {
            self.fault(testbed, None, fault);
        }
        for (number, step) in steps.iter().enumerate() {
            self.judge_line(
                testbed,
                step,
                before.did.contains(&number),
                after.did.contains(&number),
            );
            for file in FILES {
                let is_denied = self.policy.denies(Target::Read(file), step.runner);
                if is_denied && after.printed[number].contains(&canary(file)) {
                    self.fault(testbed, Some(step), &format!("{file} was read"));
                }
            }
        }
        for file in self.policy.hidden_files() {
            if after
                .printed
                .last()
                .is_some_and(|text| text.contains(&canary(file)))
            {
                self.fault(testbed, None, &format!("attache printed {file}"));
            }
        }
        for call in after.record.lines() {
            let words: Vec<&str> = call.split(' ').collect();
            if self.denies(&words) {
                self.fault(
                    testbed,
                    None,
                    &format!("a denied program recorded that it ran: {call}"),
                );
            }
        }
        if let Some(file) = testbed.changed_file(&self.policy.unchangeable_files()) {
            self.fault(testbed, None, &format!("{file} was changed"));
        }
    }

    fn judge_line(&mut self, testbed: &Testbed, step: &AttackStep, before: bool, after: bool) {
        let line = &step.line;
        let is_denied = self.policy.denies(line.target, step.runner);
        let is_closed = match (line.target, step.runner) {
            // Layers around a harmless line may be undecidable.
            (Target::Harmless, Runner::Terminal | Runner::Builtin) => line.family.contains('>'),
            // Paths to a file through other processes are closed on purpose.
            (_, Runner::AgentItself) => line.text.contains("/proc/"),
            _ => false,
        };
        let is_free = !is_closed && self.policy.must_allow(line.target, step.runner);
        let key = (step.runner, self.policy.preset);
        let counts = self.report.counts.entry(key).or_default();
        counts.lines += 1;
        if !before {
            counts.idle += 1;
            self.report
                .idle
                .push(format!("{}: {} {}", line.family, line.text, line.path));
        }
        if is_denied {
            counts.dangerous += usize::from(before);
            counts.through += usize::from(after);
        } else if is_free && before {
            counts.free += 1;
            counts.free_ran += usize::from(after);
        }
        if is_denied && after {
            self.fault(testbed, Some(step), "a denied line reached its target");
        } else if is_free && before && !after {
            self.fault(
                testbed,
                Some(step),
                "nothing denies this line, but it did not run",
            );
        }
    }

    fn judge_traces(&mut self, testbed: &Testbed) -> io::Result<()> {
        if !self.setup.has_strace {
            return Ok(());
        }
        let seen = strace::read_traces(&testbed.run.join("trace"), &self.setup.binary)?;
        self.report.processes = seen.processes;
        if seen.lost > 0 {
            let lost = format!("strace lost {} processes", seen.lost);
            self.fault(testbed, None, &lost);
        }
        for (path, words) in &seen.started {
            let name = Path::new(path).file_name().unwrap_or_default();
            let mut call = vec![name.to_str().unwrap_or_default()];
            call.extend(words.iter().skip(1).map(String::as_str));
            if self.denies(&call) {
                self.fault(
                    testbed,
                    None,
                    &format!("strace saw a start of {path} {words:?}"),
                );
            }
        }
        let hidden = inodes(testbed, &self.policy.hidden_files());
        for path in seen.opened.iter().filter(|path| is_one_of(&hidden, path)) {
            let what = format!("strace saw {} opened", path.display());
            self.fault(testbed, None, &what);
        }
        let fixed = inodes(testbed, &self.policy.unchangeable_files());
        let written = seen.opened_to_write.iter();
        for path in written.filter(|path| is_one_of(&fixed, path)) {
            let what = format!("strace saw {} opened for writing", path.display());
            self.fault(testbed, None, &what);
        }
        Ok(())
    }

    /// Without a policy, strace must see fake programs start and secrets opened.
    fn check_strace(&mut self, testbed: &Testbed) -> io::Result<()> {
        let seen = strace::read_traces(&testbed.run.join("trace"), &self.setup.binary)?;
        let is_fake = |path: &str| PROGRAMS.iter().any(|name| Path::new(path).ends_with(name));
        if !seen.started.iter().any(|(path, _)| is_fake(path)) {
            self.fault(testbed, None, "strace saw no fake program without a policy");
        }
        let secrets = inodes(testbed, &FILES);
        if !seen.opened.iter().any(|path| is_one_of(&secrets, path)) {
            self.fault(
                testbed,
                None,
                "strace saw no secret opened without a policy",
            );
        }
        let mut written = seen.opened_to_write.iter();
        if !written.any(|path| is_one_of(&secrets, path)) {
            self.fault(testbed, None, "strace saw no change without a policy");
        }
        Ok(())
    }

    /// Whether a call is denied, judged by its program and the first word that is not an option.
    fn denies(&self, call: &[&str]) -> bool {
        let word = call.iter().skip(1).find(|word| !word.starts_with('-'));
        let program = call.first().copied().unwrap_or_default();
        self.policy
            .denies_call(program, word.copied().unwrap_or_default())
    }

    /// Records a violation with everything needed to reproduce it.
    fn fault(&mut self, testbed: &Testbed, step: Option<&AttackStep>, what: &str) {
        let mut text = format!(
            "{what}\n  seed:   {}\n  policy: {} {}\n  files:  {}\n",
            self.seed,
            self.policy.preset,
            self.policy.text(testbed),
            testbed.run.display()
        );
        if let Some(step) = step {
            let runner = match step.runner {
                Runner::Terminal => "in a terminal of the client",
                Runner::AgentItself => "by the agent itself",
                Runner::Request => "as a request for a file",
                Runner::Builtin => "by our own agent",
            };
            let (family, words) = (&step.line.family, &step.words);
            text += &format!(
                "  line:   {} ({family}), {runner}\n          {words:?} {}\n",
                step.line.name, step.line.path
            );
        }
        self.report.faults.push(text);
    }
}

fn inodes(testbed: &Testbed, files: &[&str]) -> BTreeSet<u64> {
    let files = files
        .iter()
        .map(|file| fs::metadata(testbed.project.join(file)));
    files.flatten().map(|file| file.ino()).collect()
}

fn is_one_of(inodes: &BTreeSet<u64>, path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| inodes.contains(&file.ino()))
}

/// The number of lines of a batch.
pub(super) const LINES: usize = 30;
/// The time limit of one run of `attache`.
const LIMIT: Duration = Duration::from_secs(180);

const _: () = assert!(FILES.len() < 99, "every file has its own canary");
