//! Commands that an agent runs in the client's custody. `docs/terminals.md` says what agents and users can rely on. The
//! output of commands is not sanitised for display.

mod advice;
mod command;
mod error;
mod output_buffer;
mod record;
mod runner;
mod table;
mod temporary_directory;

use std::collections::HashSet;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use attache_process::{self as process, Child, Program, Stdout};
use attache_schema::v1;
use tokio::sync::watch;

use crate::Roots;
use crate::environment::ChildEnvironment;
use crate::exec::Watcher;
use crate::sandbox::{self, SandboxPlaces, SandboxSupport};
use output_buffer::OutputBuffer;
use record::{ChangeQueue, TerminalRecord};
use runner::DesiredState;
use table::{Terminal, TerminalTable};

pub(crate) use command::may_be_line;
pub use command::{resolve_command, shown_command, shown_line};
pub use error::TerminalError;

/// The terminals of all sessions. Clones share them; dropping the last clone kills every command.
#[derive(Clone)]
pub struct Terminals(Arc<TerminalsState>);

/// Limits for terminals. Whatever exceeds a limit is refused or dropped; no limit makes a caller wait.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalLimits {
    /// Maximum number of terminals per session, until the session releases some.
    pub per_session: usize,
    /// Maximum number of terminals in all sessions together.
    pub all_sessions: usize,
    /// Bytes of output kept per terminal if the agent sets no limit.
    pub output: usize,
    /// Maximum bytes of output kept per terminal, whatever the agent asks for.
    pub max_output: usize,
    /// Number of released terminals that users can still view.
    pub released: usize,
    /// Maximum bytes of output of all released terminals together.
    pub released_output: usize,
    /// Maximum size of a file that a command writes, where the system supports such a limit. A larger file ends the
    /// command.
    pub largest_file: u64,
}

/// The sandbox for commands.
#[derive(Debug, Clone, Default)]
pub enum Sandbox {
    /// Commands may access whatever the user may, except for paths that the policy denies.
    #[default]
    Off,
    /// Commands write only inside the roots, a temporary directory per session and these paths, and read everything but
    /// secrets. If the system cannot enforce this, no command starts.
    On(Arc<SandboxPlaces>),
}

/// A terminal as users see it, even after its release.
#[derive(Debug, Clone, PartialEq)]
pub struct TerminalView {
    /// The command and its arguments; a line for the shell is a single word.
    pub command: Vec<String>,
    /// The end of the combined standard output and standard error; not sanitised for display.
    pub output: String,
    /// Whether the beginning of the output was dropped.
    pub is_truncated: bool,
    /// How the command ended; `None` while it runs.
    pub exit: Option<v1::TerminalExitStatus>,
    /// Whether the agent has released the terminal.
    pub is_released: bool,
}

struct TerminalsState {
    limits: TerminalLimits,
    sandbox: Sandbox,
    environment: ChildEnvironment,
    /// Sessions whose users were notified which variables commands do not get; `None` if nobody is notified.
    notified_sessions: Option<Mutex<HashSet<v1::SessionId>>>,
    /// Distinguishes terminal ids of this run from those of earlier runs, which a stored conversation may contain.
    run: u64,
    next: AtomicU64,
    table: Mutex<TerminalTable>,
    changes: Arc<ChangeQueue>,
    watcher: OnceLock<Watcher>,
}

impl Terminals {
    /// Creates terminals whose commands get the default environment, without notices about withheld variables.
    pub fn new(limits: TerminalLimits, sandbox: Sandbox) -> Terminals {
        Terminals::build(limits, sandbox, ChildEnvironment::default(), None)
    }

    /// Creates terminals with another environment for commands. The first command of a session causes a notice about
    /// withheld variables: see [`notice`](Terminals::notice).
    pub fn with_environment(
        limits: TerminalLimits,
        sandbox: Sandbox,
        environment: ChildEnvironment,
    ) -> Terminals {
        Terminals::build(limits, sandbox, environment, Some(Mutex::default()))
    }

    fn build(
        limits: TerminalLimits,
        sandbox: Sandbox,
        environment: ChildEnvironment,
        notified_sessions: Option<Mutex<HashSet<v1::SessionId>>>,
    ) -> Terminals {
        Terminals(Arc::new(TerminalsState {
            limits,
            sandbox,
            environment,
            notified_sessions,
            run: RandomState::new().build_hasher().finish(),
            next: AtomicU64::new(1),
            table: Mutex::default(),
            changes: Arc::default(),
            watcher: OnceLock::new(),
        }))
    }

    /// Judges the programs that commands execute from now on. Only the first call has an effect.
    pub fn watch_with(&self, watcher: Watcher) {
        self.0.watcher.get_or_init(|| watcher);
    }

    /// The environment of commands.
    pub fn environment(&self) -> &ChildEnvironment {
        &self.0.environment
    }

    /// A sentence about the variables that commands do not get, once per session; `None` if no command is likely to
    /// need one. The caller shows it to the user and the agent.
    pub fn notice(&self, session: &v1::SessionId) -> Option<String> {
        let notice = self.0.environment.notice()?;
        let mut notified_sessions = self.0.notified_sessions.as_ref()?.lock();
        let notified_sessions = notified_sessions.as_mut().ok()?;
        (notified_sessions.len() < MOST_NOTIFIED && notified_sessions.insert(session.clone()))
            .then_some(notice)
    }

    /// Starts a command inside the roots. A whole command line is resolved with [`resolve_command`] first. Needs a
    /// tokio runtime with I/O and time. Permissions decide beforehand whether the agent may set the request's
    /// variables.
    ///
    /// # Errors
    ///
    /// When the limit of terminals is reached, the working directory is outside the roots, a variable is not valid, or
    /// the command does not start.
    pub async fn create(
        &self,
        roots: &Roots,
        request: &v1::CreateTerminalRequest,
    ) -> Result<v1::TerminalId, TerminalError> {
        self.create_resolved(roots, &resolve_command(request, roots.cwd()))
            .await
    }

    /// Starts a command of a request that was resolved with [`resolve_command`]: `command` is the program, whatever its
    /// name looks like.
    ///
    /// # Errors
    ///
    /// See [`create`](Terminals::create).
    pub async fn create_resolved(
        &self,
        roots: &Roots,
        request: &v1::CreateTerminalRequest,
    ) -> Result<v1::TerminalId, TerminalError> {
        let place = self.reserve(&request.session_id)?;
        find_denied_paths(roots).await;
        let program = command::program(roots, request, &self.0.environment)?;
        let program = program.largest_file(self.0.limits.largest_file);
        let watcher = self.0.watcher.get();
        let program = match watcher {
            Some(watcher) => {
                let cwd = request.cwd.as_ref().map_or(roots.cwd(), AsRef::as_ref);
                let words = [std::slice::from_ref(&request.command), &request.args].concat();
                let path = program.variable("PATH").unwrap_or_default();
                program.watch(watcher.watch_command(&words, cwd, &path, roots.cwd()))
            }
            None => program,
        };
        let (started, limits) = self.start(&program, roots, &place.id).await?;
        let (mut child, output) =
            started.map_err(|error| command::start_error(request, roots, error))?;
        if let Some(watcher) = watcher {
            watcher.follow(&mut child, Some(&request.session_id));
        }
        let (desired, desired_state) = watch::channel(DesiredState::Running);
        let record = self.record(&place.id, request);
        let terminal = Terminal {
            record: Arc::clone(&record),
            desired,
        };
        record.set_limits(limits, program.working_directory().to_owned());
        self.0.table().insert(terminal)?;
        tokio::spawn(runner::run(
            child,
            output,
            Arc::clone(&record),
            desired_state,
        ));
        record.mark_changed();
        Ok(place.id.clone())
    }

    /// The output so far, and how the command ended if it has.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal.
    pub fn output(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<v1::TerminalOutputResponse, TerminalError> {
        let record = self.get(session, terminal)?;
        // Read the exit first, otherwise it could be returned with incomplete output.
        let exit = record.exit();
        let (output, is_truncated) = record.text();
        let mut response = v1::TerminalOutputResponse::new(output, is_truncated);
        response.exit_status = exit;
        Ok(response)
    }

    /// Waits until the command has ended. Processes that it left behind may still run.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal.
    pub async fn wait(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<v1::TerminalExitStatus, TerminalError> {
        let record = self.get(session, terminal)?;
        let state = record.wait_until(|state| state.exit.is_some()).await;
        Ok(state.exit.unwrap_or_else(v1::TerminalExitStatus::new))
    }

    /// Ends the command and all its processes, and keeps the terminal: SIGTERM, then SIGKILL after two seconds. Returns
    /// when they have ended. Dropping the future does not stop the kill.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal, or some processes could not be ended.
    pub async fn kill(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<(), TerminalError> {
        let record = {
            let table = self.0.table();
            let terminal = table.get(session, terminal)?;
            terminal.stop();
            Arc::clone(&terminal.record)
        };
        match wait_for_end(&record).await {
            0 => Ok(()),
            count => Err(TerminalError::Survivors { count }),
        }
    }

    /// Ends the command like [`kill`](Terminals::kill), and gives up the terminal at once. Users can still view its
    /// output until newer terminals replace it.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal.
    pub async fn release(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<(), TerminalError> {
        let terminal = self.0.table().release(session, terminal, &self.0.limits)?;
        terminal.stop();
        terminal.record.mark_changed();
        wait_for_end(&terminal.record).await;
        Ok(())
    }

    /// Ends all commands of a session and forgets them, including a command that is just starting.
    pub async fn end_session(&self, session: &v1::SessionId) {
        let (terminals, temporary) = self.0.table().remove_session(session);
        for terminal in &terminals {
            terminal.stop();
        }
        for terminal in &terminals {
            wait_for_end(&terminal.record).await;
        }
        if let Some(Ok(mut notified_sessions)) = self.0.notified_sessions.as_ref().map(Mutex::lock)
        {
            notified_sessions.remove(session);
        }
        // The directory can be large, and if this fails it is removed on drop.
        tokio::task::spawn_blocking(|| drop(temporary)).await.ok();
    }

    /// A terminal as users see it.
    pub fn view(&self, terminal: &v1::TerminalId) -> Option<TerminalView> {
        let (record, is_released) = {
            let table = self.0.table();
            let (record, is_released) = table.find(terminal)?;
            (Arc::clone(record), is_released)
        };
        let exit = record.exit();
        let (output, is_truncated) = record.text();
        Some(TerminalView {
            command: record.command.clone(),
            output,
            is_truncated,
            exit,
            is_released,
        })
    }

    /// Waits until a terminal has changed since the last call, and returns its id. Changes of one terminal are merged,
    /// and the terminal that has waited longest comes first. With several callers, each change goes to one of them.
    /// Cancel safe.
    pub async fn changed(&self) -> v1::TerminalId {
        self.0.changes.next().await.id.clone()
    }

    fn get(
        &self,
        session: &v1::SessionId,
        id: &v1::TerminalId,
    ) -> Result<Arc<TerminalRecord>, TerminalError> {
        let table = self.0.table();
        Ok(Arc::clone(&table.get(session, id)?.record))
    }

    fn reserve(&self, session: &v1::SessionId) -> Result<TerminalReservation<'_>, TerminalError> {
        let next = self.0.next.fetch_add(1, Ordering::Relaxed);
        let id = v1::TerminalId::from(format!("terminal-{:08x}-{next}", self.0.run >> 32));
        self.0
            .table()
            .reserve(id.clone(), session, &self.0.limits)?;
        let inner = &self.0;
        Ok(TerminalReservation { inner, id })
    }

    /// Starts a program under the sandbox and the policy. Retries if a protected path is moved at that moment.
    async fn start(
        &self,
        program: &Program,
        roots: &Roots,
        id: &v1::TerminalId,
    ) -> Result<(SpawnResult, sandbox::SandboxLimits), TerminalError> {
        let mut tries = 0..MOST_TRIES;
        loop {
            let (terminals, roots) = (self.clone(), roots.clone());
            let (program, id) = (program.clone(), id.clone());
            // This reads the disk.
            let confined = move || terminals.confine(program, &roots, &id);
            let confined = tokio::task::spawn_blocking(confined).await;
            let (program, limits) = confined.map_err(|_| TerminalError::Ended)??;
            let started = program.spawn_captured().await;
            let has_moved = matches!(started, Err(process::Error::Moved { .. }));
            if !has_moved || tries.next().is_none() {
                return Ok((started, limits));
            }
        }
    }

    fn confine(
        &self,
        program: Program,
        roots: &Roots,
        id: &v1::TerminalId,
    ) -> Result<(Program, sandbox::SandboxLimits), TerminalError> {
        let cwd = program.working_directory().to_owned();
        let (program, temporary, places) = match &self.0.sandbox {
            Sandbox::Off => (program, None, None),
            Sandbox::On(places) => {
                let temporary = self.0.table().temporary(id)?;
                let program = program.env("TMPDIR", &temporary);
                (program, Some(temporary), Some(&**places))
            }
        };
        let (confinement, rules, limits) =
            sandbox::confinement(places, roots, &cwd, temporary.as_deref())
                .map_err(TerminalError::Confinement)?;
        let confinement = rules.apply(confinement).map_err(|reason| {
            let program = program.words().next().unwrap_or_default().into();
            TerminalError::Start(process::Error::Sandbox { program, reason })
        })?;
        Ok((program.confine(confinement), limits))
    }

    fn record(
        &self,
        id: &v1::TerminalId,
        request: &v1::CreateTerminalRequest,
    ) -> Arc<TerminalRecord> {
        let limits = &self.0.limits;
        let asked = request.output_byte_limit;
        let asked = asked.map_or(limits.output, |limit| {
            limit.try_into().unwrap_or(usize::MAX)
        });
        let values = self.0.environment.values();
        TerminalRecord::new(
            id.clone(),
            request.session_id.clone(),
            shown_command(request),
            OutputBuffer::new(asked.min(limits.max_output), values.stream()),
            Arc::clone(&self.0.changes),
        )
    }
}

impl Default for Terminals {
    fn default() -> Terminals {
        Terminals::new(TerminalLimits::default(), Sandbox::default())
    }
}

impl Default for TerminalLimits {
    fn default() -> TerminalLimits {
        TerminalLimits {
            per_session: 32,
            all_sessions: 256,
            output: MIB,
            max_output: 2 * MIB,
            released: 64,
            released_output: 16 * MIB,
            largest_file: 8 << 30,
        }
    }
}

impl TerminalLimits {
    /// Sets [`per_session`](TerminalLimits#structfield.per_session).
    #[must_use]
    pub fn per_session(mut self, value: usize) -> Self {
        self.per_session = value;
        self
    }

    /// Sets [`all_sessions`](TerminalLimits#structfield.all_sessions).
    #[must_use]
    pub fn all_sessions(mut self, value: usize) -> Self {
        self.all_sessions = value;
        self
    }

    /// Sets [`output`](TerminalLimits#structfield.output).
    #[must_use]
    pub fn output(mut self, value: usize) -> Self {
        self.output = value;
        self
    }

    /// Sets [`max_output`](TerminalLimits#structfield.max_output).
    #[must_use]
    pub fn max_output(mut self, value: usize) -> Self {
        self.max_output = value;
        self
    }

    /// Sets [`released`](TerminalLimits#structfield.released).
    #[must_use]
    pub fn released(mut self, value: usize) -> Self {
        self.released = value;
        self
    }

    /// Sets [`released_output`](TerminalLimits#structfield.released_output).
    #[must_use]
    pub fn released_output(mut self, value: usize) -> Self {
        self.released_output = value;
        self
    }

    /// Sets [`largest_file`](TerminalLimits#structfield.largest_file).
    #[must_use]
    pub fn largest_file(mut self, value: u64) -> Self {
        self.largest_file = value;
        self
    }
}

impl Sandbox {
    /// Commands write only inside the roots and a temporary directory per session; everything is readable.
    pub fn roots_only() -> Sandbox {
        Sandbox::On(Arc::new(SandboxPlaces::none()))
    }

    /// How well this system can confine commands, to inform the user beforehand.
    pub fn support() -> SandboxSupport {
        sandbox::support()
    }
}

/// Searches for denied paths on a thread for blocking work, once for all commands of the session.
async fn find_denied_paths(roots: &Roots) {
    let roots = roots.clone();
    let looked = tokio::task::spawn_blocking(move || roots.denied().is_empty());
    // If this fails, the search happens when the paths are needed.
    looked.await.ok();
}

/// Reserves a terminal while its command starts.
struct TerminalReservation<'a> {
    inner: &'a TerminalsState,
    id: v1::TerminalId,
}

impl Drop for TerminalReservation<'_> {
    fn drop(&mut self) {
        self.inner.table().cancel_reservation(&self.id);
    }
}

impl TerminalsState {
    fn table(&self) -> MutexGuard<'_, TerminalTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until the command and all its processes have ended, and returns how many could not be ended.
async fn wait_for_end(record: &TerminalRecord) -> u32 {
    let is_over = |state: &record::CommandState| state.exit.is_some() && state.survivors.is_some();
    record.wait_until(is_over).await.survivors.unwrap_or(0)
}

impl fmt::Debug for Terminals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (active, released) = self.0.table().counts();
        out.debug_struct("Terminals")
            .field("limits", &self.0.limits)
            .field("sandbox", &self.0.sandbox)
            .field("active", &active)
            .field("released", &released)
            .finish_non_exhaustive()
    }
}

type SpawnResult = Result<(Child, Stdout), process::Error>;

/// Each retry means that a hidden path was moved meanwhile.
const MOST_TRIES: usize = 3;
const MIB: usize = 1024 * 1024;
/// Further sessions are not notified.
const MOST_NOTIFIED: usize = 10_000;
