//! Handles the events of watched programs: everything goes to the audit log, requests go to the user.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use attache_process::{Child, ExecEvent, ExecEvents, ExecRecord, ExecWatch};
use attache_schema::v1;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

use super::named_files::RememberedFile;
use super::pattern::{ExecPattern, remember_files};
use super::programs::{Programs, resolve};
use super::{ExecRules, variables_to_show};
use crate::audit::{Event, Log};

/// Watches the programs that an agent and its commands execute. Clones are the same watcher.
#[derive(Clone)]
pub struct Watcher(Arc<WatcherState>);

struct WatcherState {
    rules: ExecRules,
    agent: String,
    log: Log,
    memory: Mutex<FileMemory>,
    ask: Mutex<Option<Arc<AskUser>>>,
    fault: Mutex<Option<String>>,
    denials: Mutex<DenialLog>,
    /// How many programs are followed.
    followed: watch::Sender<usize>,
}

/// The files that programs of the rules have led to. Each command in a terminal has a judge of its own, which must know
/// those that were renamed before.
struct FileMemory {
    patterns: Vec<ExecPattern>,
    programs: Programs,
    next_lookup: Instant,
}

impl FileMemory {
    fn new(rules: &ExecRules) -> FileMemory {
        let commands = rules.rules.iter().flat_map(|rule| &rule.commands);
        let mut commands: Vec<&String> = commands.collect();
        commands.sort_unstable();
        commands.dedup();
        let patterns = commands.into_iter();
        FileMemory {
            patterns: patterns.filter_map(|it| ExecPattern::parse(it)).collect(),
            programs: Programs::on_path(),
            next_lookup: Instant::now(),
        }
    }

    /// The rules, with the files that their programs have led to so far.
    fn add_to(&mut self, rules: ExecRules) -> ExecRules {
        let now = Instant::now();
        let is_due = now >= self.next_lookup;
        let patterns = self.patterns.iter_mut();
        remember_files(patterns, is_due, &self.programs, &rules.directories);
        if is_due {
            self.next_lookup = now.checked_add(PAUSE).unwrap_or(now);
        }
        let known = self.patterns.iter().flat_map(ExecPattern::remembered_files);
        let mut remembered: Vec<RememberedFile> = known.collect();
        remembered.dedup();
        ExecRules {
            remembered,
            ..rules
        }
    }
}

/// A program that a rule kept from being executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecDenial {
    /// The program, with links followed.
    pub program: PathBuf,
    /// What the program is called, and its first arguments.
    pub args: Vec<String>,
    /// The rule that denied it.
    pub why: String,
}

/// Denials that were not reported yet. If the same rule denies a program again and again, only the first denial is
/// reported.
#[derive(Default)]
struct DenialLog {
    reported: HashSet<(PathBuf, String)>,
    new: Vec<ExecDenial>,
    count: u64,
}

type AskUser = dyn Fn(ExecRequest) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;

/// A program that waits for the user's permission to be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecRequest {
    /// The session whose terminal the program belongs to; `None` if the agent runs it directly.
    pub session: Option<v1::SessionId>,
    /// The program, with links followed.
    pub program: PathBuf,
    /// What the program is called, and its arguments, as read from the process.
    pub args: Vec<String>,
    /// How many more arguments there are than could be read.
    pub more: u32,
    /// The program's working directory.
    pub cwd: PathBuf,
    /// The names of the programs that its parent processes run, nearest first.
    pub parents: Vec<String>,
    /// The program's variables, as `NAME=value`, that may change what it does and that the agent or command was not
    /// started with.
    pub variables: Vec<String>,
    /// The rule that asks.
    pub why: String,
}

impl ExecRequest {
    /// The first word of the command as users and rules know it: the name it was called by, if that leads to the
    /// program on our `PATH`; otherwise the program's path. A process can call a program anything.
    pub fn command_word(&self) -> String {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let is_its_name = |word: &&String| {
            let found = resolve(word, &self.cwd, &path);
            found.as_deref() == Some(self.program.as_path())
        };
        let word = self.args.first().filter(is_its_name).cloned();
        word.unwrap_or_else(|| self.program.to_string_lossy().into_owned())
    }
}

impl Watcher {
    /// A watcher with these rules, for an agent with this name.
    pub fn new(rules: ExecRules, agent: &str, log: Log) -> Watcher {
        Watcher(Arc::new(WatcherState {
            memory: Mutex::new(FileMemory::new(&rules)),
            rules,
            agent: agent.to_owned(),
            log,
            ask: Mutex::default(),
            fault: Mutex::default(),
            denials: Mutex::default(),
            followed: watch::Sender::default(),
        }))
    }

    /// Sets how the user is asked. Until then, requests are denied. Dropping the future withdraws the request.
    pub fn ask_with<F>(&self, ask: impl Fn(ExecRequest) -> F + Send + Sync + 'static)
    where
        F: Future<Output = bool> + Send + 'static,
    {
        let ask =
            move |request| -> Pin<Box<dyn Future<Output = bool> + Send>> { Box::pin(ask(request)) };
        *lock(&self.0.ask) = Some(Arc::new(ask));
    }

    /// The rules.
    pub fn rules(&self) -> &ExecRules {
        &self.0.rules
    }

    /// What to start the agent with, in a directory.
    pub fn watch_in(&self, directory: &Path) -> ExecWatch {
        let rules = self.0.rules.clone().started_in(directory);
        lock(&self.0.memory).add_to(rules).watch()
    }

    /// What to start a command with that is already allowed, in a session's directory and with this `PATH`. The user is
    /// not asked about it again.
    pub(crate) fn watch_command(
        &self,
        words: &[String],
        cwd: &Path,
        path: &OsStr,
        workspace: &Path,
    ) -> ExecWatch {
        // The kernel reports directories without links.
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        let rules = self.0.rules.clone().started_in(workspace);
        let rules = lock(&self.0.memory).add_to(rules);
        rules
            .with_approved_command(words.to_vec(), cwd, path)
            .watch()
    }

    /// Handles what a program executes that was started with one of these watches, until it has ended. Needs a tokio
    /// runtime.
    pub fn follow(&self, child: &mut Child, session: Option<&v1::SessionId>) {
        if let Some(execs) = child.take_exec_events() {
            self.spawn(WatchedProgram::new(self.clone(), session.cloned()), execs);
        }
    }

    /// The same for a program that has the user's terminal: nobody can be asked, so requests are denied.
    pub fn follow_unattended(&self, child: &mut Child) {
        if let Some(execs) = child.take_exec_events() {
            let following = WatchedProgram {
                presence: UserPresence::Unattended,
                ..WatchedProgram::new(self.clone(), None)
            };
            self.spawn(following, execs);
        }
    }

    fn spawn(&self, following: WatchedProgram, execs: ExecEvents) {
        let watcher = self.clone();
        watcher.0.followed.send_modify(|count| *count += 1);
        tokio::spawn(async move {
            following.run(execs).await;
            watcher.0.followed.send_modify(|count| *count -= 1);
        });
    }

    /// How many programs were denied so far.
    pub fn denials_count(&self) -> u64 {
        lock(&self.0.denials).count
    }

    /// The programs that were denied since the last call, each once for a rule. At most a hundred are reported in all.
    pub fn take_denials(&self) -> Vec<ExecDenial> {
        std::mem::take(&mut lock(&self.0.denials).new)
    }

    /// Waits until every program that was followed has ended and everything that it executed is known.
    pub async fn ended(&self) {
        let mut followed = self.0.followed.subscribe();
        // The sender is ours, so this can't fail.
        followed.wait_for(|count| *count == 0).await.ok();
    }

    /// Returns a problem that the user should know about, once.
    pub fn fault(&self) -> Option<String> {
        lock(&self.0.fault).take()
    }
}

impl fmt::Debug for Watcher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Watcher")
            .field("rules", &self.0.rules)
            .finish_non_exhaustive()
    }
}

/// Whether the user can answer while the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UserPresence {
    Attended,
    Unattended,
}

/// One watched program.
struct WatchedProgram {
    watcher: Watcher,
    presence: UserPresence,
    session: Option<v1::SessionId>,
    requests: JoinSet<(u64, bool)>,
    open_requests: HashMap<u64, AbortHandle>,
}

impl WatchedProgram {
    fn new(watcher: Watcher, session: Option<v1::SessionId>) -> WatchedProgram {
        WatchedProgram {
            watcher,
            presence: UserPresence::Attended,
            session,
            requests: JoinSet::new(),
            open_requests: HashMap::new(),
        }
    }

    async fn run(mut self, mut execs: ExecEvents) {
        let answers = execs.answers();
        loop {
            tokio::select! {
                event = execs.next() => match event {
                    Some(event) => {
                        if let Some(unanswerable) = self.handle_event(event) {
                            answers.deny(unanswerable);
                        }
                    }
                    // Dropping `self` withdraws its requests.
                    None => return,
                },
                Some(answered) = self.requests.join_next() => {
                    // A withdrawn request has no answer.
                    if let Ok((id, is_allowed)) = answered {
                        self.open_requests.remove(&id);
                        match is_allowed {
                            true => answers.allow(id),
                            false => answers.deny(id),
                        }
                    }
                }
            }
        }
    }

    /// Handles an event. Returns the id of a request that nobody can answer.
    fn handle_event(&mut self, event: ExecEvent) -> Option<u64> {
        match event {
            ExecEvent::Ran(exec) => {
                let note = exec.loses_rights.then_some(LOSES_RIGHTS);
                self.log_exec(&exec, "ran", note);
            }
            ExecEvent::Denied { exec, why } => {
                self.log_exec(&exec, "denied", Some(&why));
                self.record_denial(&exec, &why);
            }
            ExecEvent::Killed { exec, why } => {
                self.log_exec(&exec, "killed", Some(&why));
                self.record_denial(&exec, &why);
                let program = exec.program.display();
                self.fault(format!(
                    "killed {program}, whose arguments or file were changed after they were judged: {why}"
                ));
            }
            ExecEvent::Ask { id, exec, why } => return self.ask(id, &exec, why),
            ExecEvent::Withdrawn { id } => {
                if let Some(open) = self.open_requests.remove(&id) {
                    open.abort();
                }
            }
            ExecEvent::Missed { count } => {
                self.fault(format!(
                    "the audit log is missing {count} executed programs: too many at once"
                ));
            }
            ExecEvent::AlreadyWatched => self.fault(ALREADY.to_owned()),
        }
        None
    }

    fn ask(&mut self, id: u64, exec: &ExecRecord, why: String) -> Option<u64> {
        self.log_exec(exec, "asked", Some(&why));
        let ask = lock(&self.watcher.0.ask).clone();
        let Some(ask) = ask.filter(|_| self.presence == UserPresence::Attended) else {
            self.record_denial(exec, &why);
            return Some(id);
        };
        let answer = ask(ExecRequest {
            session: self.session.clone(),
            program: exec.program.clone(),
            args: exec.args.iter().map(text).collect(),
            more: exec.more,
            cwd: exec.cwd.clone().unwrap_or_default(),
            parents: exec.parents.iter().map(text).collect(),
            variables: variables_to_show(&exec.variables),
            why,
        });
        let open = self.requests.spawn(async move { (id, answer.await) });
        self.open_requests.insert(id, open);
        None
    }

    fn log_exec(&self, exec: &ExecRecord, outcome: &'static str, reason: Option<&str>) {
        self.watcher.0.log.append(&Event::Executed {
            agent: &self.watcher.0.agent,
            session: self.session.as_ref().map(AsRef::as_ref),
            exec,
            outcome,
            reason,
        });
    }

    fn record_denial(&self, exec: &ExecRecord, why: &str) {
        let mut denials = lock(&self.watcher.0.denials);
        denials.count += 1;
        let subject = (exec.program.clone(), why.to_owned());
        if denials.reported.len() < MAX_REPORTED_DENIALS && denials.reported.insert(subject) {
            denials.new.push(ExecDenial {
                program: exec.program.clone(),
                args: exec
                    .args
                    .iter()
                    .take(MAX_REPORTED_WORDS)
                    .map(text)
                    .collect(),
                why: why.to_owned(),
            });
        }
    }

    fn fault(&self, fault: String) {
        *lock(&self.watcher.0.fault) = Some(fault);
    }
}

fn text(word: &OsString) -> String {
    word.to_string_lossy().into_owned()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The shortest time between two lookups of programs on `PATH`.
const PAUSE: Duration = Duration::from_secs(1);
/// Denials that are reported one by one.
const MAX_REPORTED_DENIALS: usize = 100;
/// Arguments of each denial.
const MAX_REPORTED_WORDS: usize = 16;
const LOSES_RIGHTS: &str =
    "without the rights of its owner: watched programs gain none; use --no-guard if you need that";
const ALREADY: &str = "command rules are not enforced when programs are executed: another supervisor already watches this process";
