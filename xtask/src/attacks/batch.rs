//! One policy and some lines. The lines run twice: without the policy, which shows what each of them really does, and with
//! it, which must keep all that is denied from happening and nothing else.

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
use super::stage::{FILES, PROGRAMS, Stage, canary};
use super::strace;

/// What every run needs.
pub(super) struct Tools {
    pub(super) binary: PathBuf,
    /// This program, which is also the agent.
    pub(super) agent: PathBuf,
    pub(super) has_strace: bool,
    /// Where runs are.
    pub(super) folder: PathBuf,
}

/// Who runs a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// The agent asks, and uses the client's terminal whatever the answer is.
    Terminal,
    /// The agent starts it and asks nobody.
    Own,
    /// The agent asks, and requests the file that the line is about.
    Request,
    /// Our own agent, with its tool `run`.
    Builtin,
}

/// What came of the lines of one way under one preset.
#[derive(Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) lines: usize,
    /// Lines that a rule or the preset denies and that do what they are after when there is no policy.
    pub(super) dangerous: usize,
    /// Of these, how many did it under the policy.
    pub(super) through: usize,
    /// Harmless and other lines that nothing denies and that ran without the policy, and how many ran with it.
    pub(super) free: usize,
    pub(super) free_ran: usize,
    /// Lines that do nothing even without a policy: a tool is missing, or the spelling is wrong.
    pub(super) idle: usize,
}

#[derive(Default)]
pub(super) struct Report {
    pub(super) counts: BTreeMap<(Way, &'static str), Counts>,
    pub(super) processes: usize,
    pub(super) faults: Vec<String>,
    /// Families of lines that did nothing without a policy.
    pub(super) idle: Vec<String>,
}

pub(super) fn run(
    tools: &Tools,
    number: usize,
    seed: u64,
    preset: &'static str,
) -> Result<Report, String> {
    let mut random = Random::new(seed);
    let policy = Policy::new(&mut random, preset);
    let folder = tools.folder.join(format!("batch-{number}"));
    let mut batch = Batch {
        tools,
        seed,
        policy,
        report: Report::default(),
        checks_strace: number == 0,
    };
    let fail = |error: io::Error| format!("cannot run attache in {}: {error}", folder.display());
    let (stage, steps) = steps(&folder, &mut random.clone(), &batch.policy)?;
    let before = batch.play(&stage, &steps, None).map_err(fail)?;
    if batch.checks_strace && tools.has_strace {
        batch.check_strace(&stage).map_err(fail)?;
    }
    let (stage, steps) = self::steps(&folder, &mut random, &batch.policy)?;
    let text = batch.policy.text(&stage);
    let after = batch.play(&stage, &steps, Some(&text)).map_err(fail)?;
    batch.judge(&stage, &steps, &before, &after);
    batch.judge_traces(&stage).map_err(fail)?;
    if batch.report.faults.is_empty() {
        fs::remove_dir_all(&folder).map_err(fail)?;
    }
    Ok(batch.report)
}

struct Step {
    line: Line,
    way: Way,
    words: Vec<String>,
    /// What the agent calls it. None of this may decide anything.
    kind: &'static str,
    tool: &'static str,
}

/// The same for the same random numbers.
fn steps(
    folder: &Path,
    random: &mut Random,
    policy: &Policy,
) -> Result<(Stage, Vec<Step>), String> {
    let stage = Stage::new(folder)?;
    let mut steps = Vec::new();
    for number in 0..LINES {
        let way = match random.below(10) {
            0 => Way::Builtin,
            1..=4 => Way::Own,
            5 => Way::Request,
            _ => Way::Terminal,
        };
        let line = lines::generate(&stage, random, number, policy, way)?;
        // Our own agent is given a line as one line of its prompt.
        let way = match way {
            Way::Builtin if line.text.contains('\n') => Way::Own,
            way => way,
        };
        let shell = ["bash", "-c", &line.text].map(str::to_owned).to_vec();
        let words = match way {
            Way::Terminal if random.once_in(3) => {
                vec![format!("bash -c {}", single_quoted(&line.text))]
            }
            _ => shell,
        };
        steps.push(Step {
            line,
            way,
            words,
            kind: random.pick(&["execute", "execute", "read", "edit", "think", "other"]),
            tool: random.pick(&["Bash", "Read", "Edit", "run", "mcp__x__y"]),
        });
    }
    Ok((stage, steps))
}

impl Step {
    /// What the agent needs to know.
    fn script(&self) -> serde_json::Value {
        let line = &self.line;
        let way = match self.way {
            Way::Terminal => "terminal",
            Way::Request => "request",
            Way::Own | Way::Builtin => "own",
        };
        let adds = match line.target {
            Target::Write(_) => Some(line.word()),
            _ => None,
        };
        json!({
            "name": line.name, "way": way, "words": self.words, "path": line.path, "adds": adds,
            "kind": self.kind, "tool": self.tool, "title": line.text,
        })
    }
}

/// What lines did, by their number.
#[derive(Default)]
struct Played {
    /// Those that did what they are after.
    did: BTreeSet<usize>,
    /// All that anybody printed, by line; the last is what `attache` printed.
    printed: Vec<String>,
    record: String,
    faults: Vec<String>,
}

struct Batch<'a> {
    tools: &'a Tools,
    seed: u64,
    policy: Policy,
    report: Report,
    /// Whether strace also watches the run without the policy, to show that it sees what it is to find.
    checks_strace: bool,
}

impl Batch<'_> {
    /// Runs all lines: those of the fake agent in one turn, those of our own agent in a turn each.
    fn play(&self, stage: &Stage, steps: &[Step], policy: Option<&str>) -> io::Result<Played> {
        let script = stage.run.join("script.json");
        let scripted = steps.iter().filter(|step| step.way != Way::Builtin);
        let scripted: Vec<_> = scripted.map(Step::script).collect();
        fs::write(&script, json!(scripted).to_string())?;
        let mut options: Vec<OsString> = vec!["run".into()];
        match policy {
            Some(policy) => {
                options.extend(["--policy", policy, self.policy.preset].map(OsString::from));
            }
            None => options.push("--approve-all".into()),
        }
        let mut words = match policy {
            _ if !self.tools.has_strace => Vec::new(),
            None if !self.checks_strace => Vec::new(),
            _ => strace::words(&stage.run.join("trace")),
        };
        words.push(self.tools.binary.clone().into());
        words.extend(options.iter().cloned());
        words.extend(["go", "--"].map(OsString::from));
        words.extend([self.tools.agent.clone().into(), "attacks".into()]);
        words.extend(["agent".into(), script.clone().into()]);
        let ended = stage.run(&words, LIMIT)?;
        let mut played = Played::default();
        if !ended.printed.contains(WENT_ON) {
            let how = format!(
                "the agent did not go on ({:?}): {}",
                ended.code, ended.printed
            );
            played.faults.push(how);
        }
        let outputs = script.with_extension("out");
        for (number, step) in steps.iter().enumerate() {
            let printed = match step.way {
                Way::Builtin => self.play_builtin(stage, &options, step)?,
                _ => fs::read(outputs.join(&step.line.name)).unwrap_or_default(),
            };
            let printed = String::from_utf8_lossy(&printed).into_owned();
            let did = match step.line.target {
                Target::Call { .. } => stage.ran(&step.line.name).exists(),
                Target::Read(file) => printed.contains(&canary(file)),
                Target::Write(file) => stage.content(file).contains(&step.line.word()),
                Target::Harmless => printed.contains(HARMLESS),
            };
            if did {
                played.did.insert(number);
            }
            played.printed.push(printed);
        }
        played.printed.push(ended.printed);
        played.record = stage.record();
        Ok(played)
    }

    fn play_builtin(
        &self,
        stage: &Stage,
        options: &[OsString],
        step: &Step,
    ) -> io::Result<Vec<u8>> {
        let mut words = vec![self.tools.binary.clone().into_os_string()];
        words.extend(options.iter().cloned());
        words.extend(["-a", "builtin", "--model", "embedded"].map(OsString::from));
        if step.line.text.len().is_multiple_of(2) {
            words.push("--no-terminal".into());
        }
        // Its shell is `sh`, which reads some spellings otherwise than bash does.
        let command = format!("bash -c {}", single_quoted(&step.line.text));
        words.push(format!("run {command}").into());
        let ended = stage.run(&words, LIMIT)?;
        // What is shown of the call is not what it printed.
        let printed = ended.printed.replace(&command, "");
        let printed = printed.replace(&step.line.text, "");
        Ok(printed.into_bytes())
    }

    fn judge(&mut self, stage: &Stage, steps: &[Step], before: &Played, after: &Played) {
        for fault in before.faults.iter().chain(&after.faults) {
            self.fault(stage, None, fault);
        }
        for (number, step) in steps.iter().enumerate() {
            self.judge_line(
                stage,
                step,
                before.did.contains(&number),
                after.did.contains(&number),
            );
            for file in FILES {
                let is_denied = self.policy.denies(Target::Read(file), step.way);
                if is_denied && after.printed[number].contains(&canary(file)) {
                    self.fault(stage, Some(step), &format!("{file} was read"));
                }
            }
        }
        for file in self.policy.hidden_files() {
            if after
                .printed
                .last()
                .is_some_and(|text| text.contains(&canary(file)))
            {
                self.fault(stage, None, &format!("attache printed {file}"));
            }
        }
        for call in after.record.lines() {
            let words: Vec<&str> = call.split(' ').collect();
            if self.denies(&words) {
                self.fault(
                    stage,
                    None,
                    &format!("a denied program noted that it ran: {call}"),
                );
            }
        }
        if let Some(file) = stage.changed_file(&self.policy.unchangeable_files()) {
            self.fault(stage, None, &format!("{file} was changed"));
        }
    }

    fn judge_line(&mut self, stage: &Stage, step: &Step, before: bool, after: bool) {
        let line = &step.line;
        let is_denied = self.policy.denies(line.target, step.way);
        let is_closed = match (line.target, step.way) {
            // Layers around a harmless line may be undecidable.
            (Target::Harmless, Way::Terminal | Way::Builtin) => line.family.contains('>'),
            // Ways to a file that lead through other processes are closed on purpose.
            (_, Way::Own) => line.text.contains("/proc/"),
            _ => false,
        };
        let is_free = !is_closed && self.policy.lets_run(line.target, step.way);
        let key = (step.way, self.policy.preset);
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
            self.fault(stage, Some(step), "a denied line did what it was after");
        } else if is_free && before && !after {
            self.fault(
                stage,
                Some(step),
                "nothing denies this line, and it did not run",
            );
        }
    }

    fn judge_traces(&mut self, stage: &Stage) -> io::Result<()> {
        if !self.tools.has_strace {
            return Ok(());
        }
        let seen = strace::read(&stage.run.join("trace"), &self.tools.binary)?;
        self.report.processes = seen.processes;
        if seen.lost > 0 {
            let lost = format!("strace lost {} processes", seen.lost);
            self.fault(stage, None, &lost);
        }
        for (path, words) in &seen.started {
            let name = Path::new(path).file_name().unwrap_or_default();
            let mut call = vec![name.to_str().unwrap_or_default()];
            call.extend(words.iter().skip(1).map(String::as_str));
            if self.denies(&call) {
                self.fault(
                    stage,
                    None,
                    &format!("strace saw a start of {path} {words:?}"),
                );
            }
        }
        let hidden = inodes(stage, &self.policy.hidden_files());
        for path in seen.opened.iter().filter(|path| is_one_of(&hidden, path)) {
            let what = format!("strace saw {} opened", path.display());
            self.fault(stage, None, &what);
        }
        let fixed = inodes(stage, &self.policy.unchangeable_files());
        let written = seen.opened_to_write.iter();
        for path in written.filter(|path| is_one_of(&fixed, path)) {
            let what = format!("strace saw {} opened to change it", path.display());
            self.fault(stage, None, &what);
        }
        Ok(())
    }

    /// Without a policy, strace must see fake programs start and secrets opened.
    fn check_strace(&mut self, stage: &Stage) -> io::Result<()> {
        let seen = strace::read(&stage.run.join("trace"), &self.tools.binary)?;
        let is_fake = |path: &str| PROGRAMS.iter().any(|name| Path::new(path).ends_with(name));
        if !seen.started.iter().any(|(path, _)| is_fake(path)) {
            self.fault(stage, None, "strace saw no fake program without a policy");
        }
        let secrets = inodes(stage, &FILES);
        if !seen.opened.iter().any(|path| is_one_of(&secrets, path)) {
            self.fault(stage, None, "strace saw no secret opened without a policy");
        }
        let mut written = seen.opened_to_write.iter();
        if !written.any(|path| is_one_of(&secrets, path)) {
            self.fault(stage, None, "strace saw no change without a policy");
        }
        Ok(())
    }

    /// Whether a call is denied: a program, and the first word that is not an option.
    fn denies(&self, call: &[&str]) -> bool {
        let word = call.iter().skip(1).find(|word| !word.starts_with('-'));
        let program = call.first().copied().unwrap_or_default();
        self.policy
            .denies_call(program, word.copied().unwrap_or_default())
    }

    /// Notes what is needed to see it again.
    fn fault(&mut self, stage: &Stage, step: Option<&Step>, what: &str) {
        let mut text = format!(
            "{what}\n  seed:   {}\n  policy: {} {}\n  files:  {}\n",
            self.seed,
            self.policy.preset,
            self.policy.text(stage),
            stage.run.display()
        );
        if let Some(step) = step {
            let way = match step.way {
                Way::Terminal => "in a terminal of the client",
                Way::Own => "by the agent itself",
                Way::Request => "as a request for a file",
                Way::Builtin => "by our own agent",
            };
            let (family, words) = (&step.line.family, &step.words);
            text += &format!(
                "  line:   {} ({family}), {way}\n          {words:?} {}\n",
                step.line.name, step.line.path
            );
        }
        self.report.faults.push(text);
    }
}

fn inodes(stage: &Stage, files: &[&str]) -> BTreeSet<u64> {
    let files = files
        .iter()
        .map(|file| fs::metadata(stage.project.join(file)));
    files.flatten().map(|file| file.ino()).collect()
}

fn is_one_of(inodes: &BTreeSet<u64>, path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| inodes.contains(&file.ino()))
}

/// Lines of a batch.
pub(super) const LINES: usize = 30;
/// How long one run of `attache` may take.
const LIMIT: Duration = Duration::from_secs(180);

const _: () = assert!(FILES.len() < 99, "every file has a word of its own");
