//! Commands that an agent runs in the client's custody. `docs/terminals.md` says what an agent and a person can rely
//! on. Nothing here is safe for a screen as it is: what a command writes is its own.

mod advice;
mod changes;
mod command;
mod environment;
mod error;
mod ring;
mod run;
mod shelf;
mod shown;
mod temporary;

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
use crate::sandbox::{self, Places, SandboxSupport};
use changes::Changes;
use ring::Ring;
use run::Order;
use shelf::{Shelf, Terminal};
use shown::Shown;

pub(crate) use command::may_be_line;
pub use command::{resolve_command, shown_command, shown_line};
pub use error::Error;

/// The terminals of all sessions. Clones are the same terminals; when the last one is dropped every command is killed.
#[derive(Clone)]
pub struct Terminals(Arc<Inner>);

/// What terminals may cost. What is over a limit is refused or dropped; no limit makes anybody wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalLimits {
    /// How many terminals a session may have until it releases some.
    pub per_session: usize,
    /// How many all sessions may have together.
    pub in_all: usize,
    /// How many bytes of output are kept when the agent does not say.
    pub output: usize,
    /// How many are kept at most, whatever the agent says.
    pub most_output: usize,
    /// How many released terminals people can still look at.
    pub released: usize,
    /// How many bytes of output they may hold together.
    pub released_output: usize,
    /// The size at which a file that a command writes ends it, where the system can do that.
    pub largest_file: u64,
}

/// What commands may touch.
#[derive(Debug, Clone, Default)]
pub enum Sandbox {
    /// Whatever the user may, except for what the policy denies.
    #[default]
    Off,
    /// They write only inside the roots, to a temporary directory of the session and to these places, and read everything
    /// but secrets. Where the system cannot do that, no command starts.
    On(Arc<Places>),
}

/// A terminal as a person sees it, also after its release.
#[derive(Debug, Clone, PartialEq)]
pub struct TerminalView {
    /// The command and its arguments; a line for the shell is one word.
    pub command: Vec<String>,
    /// The end of what it wrote, standard output and standard error as they came; not safe for a screen as it is.
    pub output: String,
    /// Whether the beginning of the output is gone.
    pub is_truncated: bool,
    /// How it ended; `None` while it runs.
    pub exit: Option<v1::TerminalExitStatus>,
    /// Whether the agent has released it.
    pub is_released: bool,
}

struct Inner {
    limits: TerminalLimits,
    sandbox: Sandbox,
    environment: ChildEnvironment,
    /// Sessions that were told which variables their commands lack; `None` where nobody is told.
    told: Option<Mutex<HashSet<v1::SessionId>>>,
    /// An id of an older run, which a stored conversation may name, must not be one of this run.
    run: u64,
    next: AtomicU64,
    shelf: Mutex<Shelf>,
    changes: Arc<Changes>,
    watcher: OnceLock<Watcher>,
}

impl Terminals {
    /// No terminals yet. Commands get what is on the list of our own environment, and are not told what they lack.
    pub fn new(limits: TerminalLimits, sandbox: Sandbox) -> Terminals {
        Terminals::made(limits, sandbox, ChildEnvironment::default(), None)
    }

    /// The same with another environment for commands. The first command of a session tells which variables it lacks:
    /// see [`notice`](Terminals::notice).
    pub fn with_environment(
        limits: TerminalLimits,
        sandbox: Sandbox,
        environment: ChildEnvironment,
    ) -> Terminals {
        Terminals::made(limits, sandbox, environment, Some(Mutex::default()))
    }

    fn made(
        limits: TerminalLimits,
        sandbox: Sandbox,
        environment: ChildEnvironment,
        told: Option<Mutex<HashSet<v1::SessionId>>>,
    ) -> Terminals {
        Terminals(Arc::new(Inner {
            limits,
            sandbox,
            environment,
            told,
            run: RandomState::new().build_hasher().finish(),
            next: AtomicU64::new(1),
            shelf: Mutex::default(),
            changes: Arc::default(),
            watcher: OnceLock::new(),
        }))
    }

    /// Has what commands execute judged from now on. The first call counts.
    pub fn watch_with(&self, watcher: Watcher) {
        self.0.watcher.get_or_init(|| watcher);
    }

    /// The environment of commands.
    pub fn environment(&self) -> &ChildEnvironment {
        &self.0.environment
    }

    /// A sentence on the variables that commands lack, once for each session; nothing if they lack none that looks
    /// wanted. The caller shows it to the user and the agent.
    pub fn notice(&self, session: &v1::SessionId) -> Option<String> {
        let notice = self.0.environment.notice()?;
        let mut told = self.0.told.as_ref()?.lock();
        let told = told.as_mut().ok()?;
        (told.len() < MOST_TOLD && told.insert(session.clone())).then_some(notice)
    }

    /// Starts a command inside the roots; one that is a whole line is [`resolve_command`] first. Needs a tokio runtime with I/O
    /// and time. Whether an agent may set the variables of the request is for permissions to decide.
    ///
    /// # Errors
    ///
    /// When the limit of terminals is reached, the working directory lies outside the roots, no program can be given a
    /// variable, or the command does not start.
    pub async fn create(
        &self,
        roots: &Roots,
        request: &v1::CreateTerminalRequest,
    ) -> Result<v1::TerminalId, Error> {
        self.create_resolved(roots, &resolve_command(request, roots.cwd()))
            .await
    }

    /// The same for a request that was [`resolve_command`] before: `command` is the program, whatever its name looks like.
    ///
    /// # Errors
    ///
    /// As with [`create`](Terminals::create).
    pub async fn create_resolved(
        &self,
        roots: &Roots,
        request: &v1::CreateTerminalRequest,
    ) -> Result<v1::TerminalId, Error> {
        let place = self.reserve(&request.session_id)?;
        warm_up(roots).await;
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
            started.map_err(|error| command::refusal(request, roots, error))?;
        if let Some(watcher) = watcher {
            watcher.follow(&mut child, Some(&request.session_id));
        }
        let (orders, taken) = watch::channel(Order::Run);
        let shown = self.shown(&place.id, request);
        let terminal = Terminal {
            shown: Arc::clone(&shown),
            orders,
        };
        shown.limited(limits, program.working_directory().to_owned());
        self.0.shelf().put(terminal)?;
        tokio::spawn(run::run(child, output, Arc::clone(&shown), taken));
        shown.note();
        Ok(place.id.clone())
    }

    /// What it has written so far, and how it ended if it has.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal.
    pub fn output(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<v1::TerminalOutputResponse, Error> {
        let shown = self.get(session, terminal)?;
        // In this order, or an end could be told with words that are not the last.
        let exit = shown.exit();
        let (output, is_truncated) = shown.text();
        let mut response = v1::TerminalOutputResponse::new(output, is_truncated);
        response.exit_status = exit;
        Ok(response)
    }

    /// Waits until the command has ended. Those it left behind may still run.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal.
    pub async fn wait(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<v1::TerminalExitStatus, Error> {
        let shown = self.get(session, terminal)?;
        let state = shown.reaches(|state| state.exit.is_some()).await;
        Ok(state.exit.unwrap_or_else(v1::TerminalExitStatus::new))
    }

    /// Ends the command and all that it started, and keeps the terminal: SIGTERM, two seconds later SIGKILL. Returns
    /// when they have ended, and at once if they have before. Whoever gives up waiting does not stop it.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal, or some of its processes could not be ended.
    pub async fn kill(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<(), Error> {
        let shown = {
            let shelf = self.0.shelf();
            let terminal = shelf.get(session, terminal)?;
            terminal.stop();
            Arc::clone(&terminal.shown)
        };
        match ended(&shown).await {
            0 => Ok(()),
            count => Err(Error::Survivors { count }),
        }
    }

    /// Ends the command as [`kill`](Terminals::kill) does, and gives the terminal up at once; people still see what it
    /// wrote, until newer ones take its place.
    ///
    /// # Errors
    ///
    /// When the session has no such terminal.
    pub async fn release(
        &self,
        session: &v1::SessionId,
        terminal: &v1::TerminalId,
    ) -> Result<(), Error> {
        let terminal = self.0.shelf().release(session, terminal, &self.0.limits)?;
        terminal.stop();
        terminal.shown.note();
        ended(&terminal.shown).await;
        Ok(())
    }

    /// Ends and forgets everything of a session, also a command that is just being started.
    pub async fn end_session(&self, session: &v1::SessionId) {
        let (terminals, temporary) = self.0.shelf().forget(session);
        for terminal in &terminals {
            terminal.stop();
        }
        for terminal in &terminals {
            ended(&terminal.shown).await;
        }
        if let Some(Ok(mut told)) = self.0.told.as_ref().map(Mutex::lock) {
            told.remove(session);
        }
        // It can hold very much, and is removed wherever this fails.
        tokio::task::spawn_blocking(|| drop(temporary)).await.ok();
    }

    /// A terminal as a person sees it.
    pub fn view(&self, terminal: &v1::TerminalId) -> Option<TerminalView> {
        let (shown, is_released) = {
            let shelf = self.0.shelf();
            let (shown, is_released) = shelf.find(terminal)?;
            (Arc::clone(shown), is_released)
        };
        let exit = shown.exit();
        let (output, is_truncated) = shown.text();
        Some(TerminalView {
            command: shown.command.clone(),
            output,
            is_truncated,
            exit,
            is_released,
        })
    }

    /// Waits until some terminal has changed since this was last asked, and names one. Changes of one terminal are
    /// merged, so that a flood of output is one change at a time, and the one that waits longest is named first. If
    /// several ask, each change goes to one of them. Cancel safe.
    pub async fn changed(&self) -> v1::TerminalId {
        self.0.changes.next().await.id.clone()
    }

    fn get(&self, session: &v1::SessionId, id: &v1::TerminalId) -> Result<Arc<Shown>, Error> {
        let shelf = self.0.shelf();
        Ok(Arc::clone(&shelf.get(session, id)?.shown))
    }

    fn reserve(&self, session: &v1::SessionId) -> Result<Place<'_>, Error> {
        let next = self.0.next.fetch_add(1, Ordering::Relaxed);
        let id = v1::TerminalId::from(format!("terminal-{:08x}-{next}", self.0.run >> 32));
        self.0
            .shelf()
            .reserve(id.clone(), session, &self.0.limits)?;
        let inner = &self.0;
        Ok(Place { inner, id })
    }

    /// Starts a program as the sandbox and the policy have it. What moves at that moment is looked at again.
    async fn start(
        &self,
        program: &Program,
        roots: &Roots,
        id: &v1::TerminalId,
    ) -> Result<(Started, sandbox::Limits), Error> {
        let mut tries = 0..MOST_TRIES;
        loop {
            let (terminals, roots) = (self.clone(), roots.clone());
            let (program, id) = (program.clone(), id.clone());
            // It looks at the disk.
            let confined = move || terminals.confined(program, &roots, &id);
            let confined = tokio::task::spawn_blocking(confined).await;
            let (program, limits) = confined.map_err(|_| Error::Ended)??;
            let started = program.spawn_captured().await;
            let has_moved = matches!(started, Err(process::Error::Moved { .. }));
            if !has_moved || tries.next().is_none() {
                return Ok((started, limits));
            }
        }
    }

    fn confined(
        &self,
        program: Program,
        roots: &Roots,
        id: &v1::TerminalId,
    ) -> Result<(Program, sandbox::Limits), Error> {
        let cwd = program.working_directory().to_owned();
        let (program, temporary, places) = match &self.0.sandbox {
            Sandbox::Off => (program, None, None),
            Sandbox::On(places) => {
                let temporary = self.0.shelf().temporary(id)?;
                let program = program.env("TMPDIR", &temporary);
                (program, Some(temporary), Some(&**places))
            }
        };
        let (confinement, rules, limits) =
            sandbox::confinement(places, roots, &cwd, temporary.as_deref())
                .map_err(Error::Confinement)?;
        let confinement = rules.apply(confinement).map_err(|reason| {
            let program = program.words().next().unwrap_or_default().into();
            Error::Start(process::Error::Sandbox { program, reason })
        })?;
        Ok((program.confine(confinement), limits))
    }

    fn shown(&self, id: &v1::TerminalId, request: &v1::CreateTerminalRequest) -> Arc<Shown> {
        let limits = &self.0.limits;
        let asked = request.output_byte_limit;
        let asked = asked.map_or(limits.output, |limit| {
            limit.try_into().unwrap_or(usize::MAX)
        });
        let values = self.0.environment.values();
        Shown::new(
            id.clone(),
            request.session_id.clone(),
            shown_command(request),
            Ring::new(asked.min(limits.most_output), values.stream()),
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
            in_all: 256,
            output: MIB,
            most_output: 2 * MIB,
            released: 64,
            released_output: 16 * MIB,
            largest_file: 8 << 30,
        }
    }
}

impl Sandbox {
    /// Writing is limited to the roots and a temporary directory of the session, and nothing is unreadable.
    pub fn roots_only() -> Sandbox {
        Sandbox::On(Arc::new(Places::none()))
    }

    /// How far this system can confine commands, to be told to the user beforehand.
    pub fn support() -> SandboxSupport {
        sandbox::support()
    }
}

/// What is denied is looked for where that may take its time, once for all commands of the session.
async fn warm_up(roots: &Roots) {
    let roots = roots.clone();
    let looked = tokio::task::spawn_blocking(move || roots.denied().is_empty());
    // Where it fails it is looked for when it is needed.
    looked.await.ok();
}

/// A place on the shelf while a command is started.
struct Place<'a> {
    inner: &'a Inner,
    id: v1::TerminalId,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.inner.shelf().give_up(&self.id);
    }
}

impl Inner {
    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until the command and all that it started have ended, and tells how many could not be.
async fn ended(shown: &Shown) -> u32 {
    let is_over = |state: &shown::State| state.exit.is_some() && state.survivors.is_some();
    shown.reaches(is_over).await.survivors.unwrap_or(0)
}

impl fmt::Debug for Terminals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (taken, released) = self.0.shelf().counts();
        out.debug_struct("Terminals")
            .field("limits", &self.0.limits)
            .field("sandbox", &self.0.sandbox)
            .field("taken", &taken)
            .field("released", &released)
            .finish_non_exhaustive()
    }
}

type Started = Result<(Child, Stdout), process::Error>;

/// Each time something that must stay hidden was moved meanwhile.
const MOST_TRIES: usize = 3;
const MIB: usize = 1024 * 1024;
/// Later sessions are not told.
const MOST_TOLD: usize = 10_000;
