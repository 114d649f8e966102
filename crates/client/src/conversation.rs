//! The conversation with one agent: commands in, events out. It also serves the agent's requests.

mod connection;
mod disk;
mod disk_worker;
mod failure;
mod forms;
mod login;
mod permission;
mod serving;
mod session_lifecycle;
mod sessions;
mod setup;
#[cfg(test)]
mod tests;
mod turns;
mod wire;

use std::collections::VecDeque;
use std::fmt;
use std::future::pending;
use std::pin::Pin;
use std::time::Duration;

use attache::client::ClientCalls;
use attache::process::{Child, Program, StopTimeouts};
use attache::{AgentHandle, ClientCall, v1};
use attache_host::Host;
use attache_host::exec::Watcher;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::command::Command;
use crate::event::Event;
use connection::AgentStatus;
use disk_worker::DiskWorker;
use forms::Forms;
use permission::PendingRequests;
use serving::ServiceLimits;
use sessions::Sessions;
use wire::InvalidLines;

pub use login::LoginCommand;
pub use permission::ExecPrompts;
pub use setup::{LineDirection, Setup, Timeouts};

/// The conversation with one agent.
///
/// [`submit`](Self::submit) takes a command and never waits; [`next`](Self::next) returns the next event. All work is
/// done inside `next`, so await it in a loop:
///
/// ```no_run
/// # use attache_client::conversation::{Conversation, Setup};
/// # async fn keys() -> Option<attache_client::Command> { None }
/// # async fn hold(mut conversation: Conversation) {
/// loop {
///     tokio::select! {
///         event = conversation.next() => println!("{event:?}"),
///         command = keys() => match command {
///             Some(command) => conversation.submit(command),
///             None => break,
///         },
///     }
/// }
/// conversation.stop().await;
/// # }
/// ```
///
/// Commands wait until the agent is ready. Events come in the order of the wire: the end of a turn after all its updates,
/// the updates of a session after [`Event::SessionOpened`]. There are two exceptions. A loaded session replays its history
/// before it is open. A permission request is judged first, in parallel, so its prompt may come after later updates.
///
/// After [`Event::AgentExited`] only [`Command::Restart`] has an effect. Then continue earlier sessions with `Load` or
/// `Resume`; queued prompts stay queued.
pub struct Conversation {
    setup: Setup,
    program: Option<Program>,
    status: AgentStatus,
    agent: Option<AgentHandle>,
    calls: Option<ClientCalls>,
    child: Option<Child>,
    initialized: Option<v1::InitializeResponse>,
    sessions: Sessions,
    /// Permission requests that are under way.
    pending: PendingRequests,
    forms: Forms,
    invalid_lines: InvalidLines,
    /// Commands that wait until the agent is ready.
    early: VecDeque<Command>,
    /// Our requests to the agent, and timers.
    work: FuturesUnordered<Work>,
    /// The agent's requests to the host.
    served: FuturesUnordered<Work>,
    /// Gives concurrent work access to the conversation.
    handle: ConversationHandle,
    posted: UnboundedReceiver<Continuation>,
    limits: ServiceLimits,
    disk_worker: DiskWorker,
    /// Events that `next` has not returned yet.
    ready: VecDeque<Event>,
}

/// Concurrent work, which returns what to do with the conversation when the work is done.
type Work = Pin<Box<dyn Future<Output = Continuation> + Send>>;
type Continuation = Box<dyn FnOnce(&mut Conversation) + Send>;

/// The inputs that `next` waits for.
#[allow(
    clippy::large_enum_variant,
    reason = "an input is made once and moved a few times"
)]
enum Input {
    Done(Continuation),
    Call(Option<ClientCall>),
    Terminal(v1::TerminalId),
    InvalidLine(Event),
}

impl Conversation {
    /// Starts an agent without waiting for it: the first event says whether the agent runs.
    pub fn start(program: Program, setup: Setup) -> Conversation {
        let mut conversation = Conversation::new(setup);
        conversation.answer_watcher();
        conversation.program = Some(program.clone());
        conversation.launch(program);
        conversation
    }

    /// Connects to an agent that runs already. Such an agent cannot be restarted. Call this within a tokio runtime.
    pub fn connect<R, W>(read: R, write: W, setup: Setup) -> Conversation
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let mut conversation = Conversation::new(setup);
        conversation.answer_watcher();
        conversation.connect_streams(read, write);
        conversation
    }

    fn new(mut setup: Setup) -> Conversation {
        let warnings = std::mem::take(&mut setup.warnings).into_iter();
        let (handle, posted) = ConversationHandle::new();
        Conversation {
            ready: warnings.map(Event::Problem).collect(),
            setup,
            program: None,
            status: AgentStatus::Starting,
            agent: None,
            calls: None,
            child: None,
            initialized: None,
            sessions: Sessions::default(),
            pending: PendingRequests::default(),
            forms: Forms::default(),
            invalid_lines: InvalidLines::default(),
            early: VecDeque::new(),
            work: FuturesUnordered::new(),
            served: FuturesUnordered::new(),
            handle,
            posted,
            limits: ServiceLimits::default(),
            disk_worker: DiskWorker::default(),
        }
    }

    /// Takes a command of the user. Its result is an event.
    pub fn submit(&mut self, command: Command) {
        match (&self.status, command) {
            (_, Command::Restart) => self.restart(),
            (
                _,
                Command::AnswerPermission {
                    prompt,
                    answer,
                    expiry,
                },
            ) => self.answer_permission(prompt, answer, expiry),
            (_, Command::UndoDecision { id }) => self.undo_decision(id),
            (_, Command::AnswerForm { form, action }) => self.answer_form(form, action),
            (AgentStatus::Ready, command) if self.work.len() < MOST_WORK => self.execute(command),
            (AgentStatus::Starting, command) if self.early.len() < MOST_EARLY => {
                self.early.push_back(command);
            }
            (AgentStatus::Ready | AgentStatus::Starting, command) => {
                self.fail(failure::overloaded(method_name(&command)));
            }
            (AgentStatus::Ending(_) | AgentStatus::Gone, command) => {
                self.fail(failure::agent_exited(method_name(&command)))
            }
        }
    }

    /// Waits for the next event. Cancel-safe: dropping the future loses no event.
    pub async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return event;
            }
            let input = self.next_input().await;
            match input {
                Input::Done(then) => then(self),
                Input::Call(Some(call)) => self.handle_call(call),
                Input::Call(None) => self.calls_ended(),
                Input::Terminal(terminal) => self.ready.push_back(Event::TerminalChanged(terminal)),
                Input::InvalidLine(event) => self.ready.push_back(event),
            }
            self.emit_problems();
        }
    }

    /// The host that serves the agent. Gives access to terminals and permissions.
    pub fn host(&self) -> &Host {
        &self.setup.host
    }

    /// The agent's `initialize` response; `None` before [`Event::AgentReady`] and after [`Event::AgentExited`].
    pub fn agent(&self) -> Option<&v1::InitializeResponse> {
        self.initialized.as_ref()
    }

    /// Whether a turn is running in the session.
    pub fn is_busy(&self, session: &v1::SessionId) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|it| it.turn.is_some())
    }

    /// Number of lines from the agent that were skipped because they are not messages.
    pub fn invalid_lines(&self) -> u64 {
        self.invalid_lines.count()
    }

    /// Number of updates that were dropped because their session was not opened here.
    pub fn dropped_updates(&self) -> u64 {
        self.sessions.dropped()
    }

    /// The last line that the agent wrote to standard error, safe to show.
    pub fn last_stderr_line(&self) -> Option<String> {
        let stderr = self.child.as_ref()?.stderr().text();
        let mut lines = stderr.lines().rev().map(str::trim);
        lines.find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Ends the conversation: stops the agent's commands, then the agent, with a grace period.
    pub async fn stop(mut self) {
        if let Some(agent) = &self.agent {
            // An agent that does not read does not get the remaining messages.
            timeout(FLUSH, agent.flush()).await.ok();
            agent.close();
        }
        for session in self.sessions.ids() {
            self.setup.host.suspend(&session).await;
        }
        // Stores the user's decisions, unless the disk hangs.
        timeout(LAST_WORDS, self.disk_worker.finish()).await.ok();
        let log = self.setup.host.log.clone();
        let written = tokio::task::spawn_blocking(move || log.flush(LAST_WORDS));
        // The task does not panic, and nothing can be done about a log that cannot be written now.
        written.await.ok();
        // Drops a task that may be waiting for the agent to exit, so that the agent is stopped at once.
        self.work.clear();
        if let Some(child) = self.child.take() {
            child.stop(StopTimeouts::default()).await;
        }
    }

    /// Responses have priority: the end of a turn must come before later messages.
    async fn next_input(&mut self) -> Input {
        let terminals = &self.setup.host.terminals;
        let invalid_lines = &self.invalid_lines;
        let calls = &mut self.calls;
        let news = async {
            tokio::select! {
                call = next_call(calls) => Input::Call(call),
                terminal = terminals.changed() => Input::Terminal(terminal),
                event = invalid_lines.next() => Input::InvalidLine(event),
            }
        };
        tokio::select! {
            biased;
            // Permission decisions are reported before a turn is cancelled.
            Some(then) = self.served.next() => Input::Done(then),
            Some(then) = self.work.next() => Input::Done(then),
            Some(then) = self.posted.recv() => Input::Done(then),
            news = news => news,
        }
    }

    fn execute(&mut self, command: Command) {
        match command {
            Command::OpenSession(opening) => self.open_session(opening),
            Command::CloseSession(session) => self.close_session(session),
            Command::DeleteSession(session) => self.delete_session(session),
            Command::ListSessions { cwd, cursor } => self.list_sessions(cwd, cursor),
            Command::Prompt { session, content } => self.prompt(session, content),
            Command::Steer { session, content } => self.steer(session, content),
            Command::RemoveQueuedPrompt { session, index } => {
                self.remove_queued_prompt(&session, index)
            }
            Command::Cancel(session) => self.cancel(&session),
            Command::SetMode { session, mode } => self.set_mode(session, mode),
            Command::SetOption {
                session,
                option,
                value,
            } => self.set_option(session, option, value),
            Command::Login(method) => self.login(method),
            Command::Logout => self.logout(),
            Command::AnswerPermission {
                prompt,
                answer,
                expiry,
            } => self.answer_permission(prompt, answer, expiry),
            Command::UndoDecision { id } => self.undo_decision(id),
            Command::AnswerForm { form, action } => self.answer_form(form, action),
            Command::Restart => self.restart(),
        }
    }

    fn handle_call(&mut self, call: ClientCall) {
        match call {
            ClientCall::Session(told) => self.handle_update(told),
            ClientCall::RequestPermission(request, reply) => {
                self.handle_permission_request(request, reply)
            }
            ClientCall::CreateElicitation(request, reply) => {
                self.handle_elicitation(request, reply)
            }
            ClientCall::CompleteElicitation(told) => self.complete_elicitation(told.elicitation_id),
            call => self.serve(call),
        }
    }

    /// Runs work concurrently, then applies its result to the conversation.
    fn run_then<F, T>(&mut self, work: F, then: impl FnOnce(&mut Conversation, T) + Send + 'static)
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        self.work.push(with_continuation(work, then));
    }

    /// Serves a request of the agent concurrently. Does not count towards the limit of the user's commands.
    fn serve_beside(&mut self, service: impl Future<Output = ()> + Send + 'static) {
        self.served.push(with_continuation(service, |_, ()| {}));
    }

    fn emit_problems(&mut self) {
        let host = &self.setup.host;
        let faults = [
            host.permissions.fault(),
            host.log.fault().map(audit_log_problem),
            self.setup.watcher.as_ref().and_then(Watcher::fault),
        ];
        for fault in faults.into_iter().flatten() {
            self.emit(Event::Problem(fault));
        }
    }

    fn emit(&mut self, event: Event) {
        self.ready.push_back(event);
    }
}

/// Gives concurrent work access to the [`Conversation`], between two events. The conversation is not borrowed while the
/// work awaits something.
#[derive(Debug, Clone)]
struct ConversationHandle(UnboundedSender<Continuation>);

impl ConversationHandle {
    /// A handle, and the receiver of its continuations. The channel is unbounded, but each permission request waits for the
    /// continuation that it has sent, and sends one more when it ends.
    fn new() -> (ConversationHandle, UnboundedReceiver<Continuation>) {
        let (sender, receiver) = unbounded_channel();
        (ConversationHandle(sender), receiver)
    }

    /// Runs a function on the conversation and waits for its result; `None` if the conversation is gone. The function does
    /// not run if this future was dropped before.
    pub(super) async fn with<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Conversation) -> T + Send + 'static,
    ) -> Option<T> {
        let (done, outcome) = oneshot::channel();
        self.post(move |conversation| {
            if !done.is_closed() {
                // The waiting task is polled after this.
                done.send(act(conversation)).ok();
            }
        });
        outcome.await.ok()
    }

    /// Runs a function on the conversation later, without waiting. Does nothing if the conversation is gone.
    fn post(&self, act: impl FnOnce(&mut Conversation) + Send + 'static) {
        self.0.send(Box::new(act)).ok();
    }
}

fn with_continuation<F, T>(
    work: F,
    then: impl FnOnce(&mut Conversation, T) + Send + 'static,
) -> Work
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    Box::pin(async move {
        let outcome = work.await;
        Box::new(move |conversation: &mut Conversation| then(conversation, outcome)) as Continuation
    })
}

fn audit_log_problem(why: String) -> String {
    format!("the audit log cannot be written: {why}")
}

async fn next_call(calls: &mut Option<ClientCalls>) -> Option<ClientCall> {
    match calls {
        Some(calls) => calls.next().await,
        None => pending().await,
    }
}

/// The method that a command leads to, for error messages.
fn method_name(command: &Command) -> &'static str {
    match command {
        Command::OpenSession(opening) => session_lifecycle::method(&opening.start),
        Command::CloseSession(_) => "session/close",
        Command::DeleteSession(_) => "session/delete",
        Command::ListSessions { .. } => "session/list",
        Command::Prompt { .. } | Command::RemoveQueuedPrompt { .. } => "session/prompt",
        Command::Steer { .. } => turns::STEERING,
        Command::Cancel(_) => "session/cancel",
        Command::SetMode { .. } => "session/set_mode",
        Command::SetOption { .. } => "session/set_config_option",
        Command::AnswerPermission { .. } => "session/request_permission",
        Command::UndoDecision { .. } => "permissions revoke",
        Command::AnswerForm { .. } => "elicitation/create",
        Command::Login(_) => "authenticate",
        Command::Logout => "logout",
        Command::Restart => "initialize",
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Conversation")
            .field("setup", &self.setup)
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}

/// Maximum concurrent requests of ours. Turns and permission requests have their own limits.
const MOST_WORK: usize = 1024;
const MOST_EARLY: usize = 256;
/// How long `stop` waits for the disk worker and the audit log.
const LAST_WORDS: Duration = Duration::from_secs(5);
const FLUSH: Duration = Duration::from_millis(500);
