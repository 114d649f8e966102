//! The conversation with one agent: commands in, events out. It serves what the agent asks for in between.

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
/// [`submit`](Self::submit) takes what a person wants and never waits; [`next`](Self::next) gives what has happened.
/// Everything is done inside `next`, so somebody has to await it, again and again:
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
/// What is commanded before the agent is ready waits until it is. Events come in the order of the wire: the end of a
/// turn after everything that it brought, the updates of a session after [`Event::SessionOpened`]. A session that is loaded is
/// the exception: its history is told before the agent says that it is there. A question is judged first, beside
/// everything else, so that it may come behind what was told after it.
///
/// After [`Event::AgentExited`] only [`Command::Restart`] does anything. The sessions of before are then taken up with
/// `Load` or `Resume`; prompts that waited wait on.
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
    /// What was commanded before the agent was ready.
    early: VecDeque<Command>,
    /// What we ask of the agent and what we wait for.
    work: FuturesUnordered<Work>,
    /// What the agent asks of the host.
    served: FuturesUnordered<Work>,
    /// How what runs beside the conversation does something with it.
    handle: ConversationHandle,
    posted: UnboundedReceiver<Continuation>,
    limits: ServiceLimits,
    disk_worker: DiskWorker,
    /// What has happened and was not taken yet.
    ready: VecDeque<Event>,
}

/// Something that takes time. It gives what is to be done then.
type Work = Pin<Box<dyn Future<Output = Continuation> + Send>>;
type Continuation = Box<dyn FnOnce(&mut Conversation) + Send>;

/// What `next` has waited for.
enum Input {
    Done(Continuation),
    Call(Option<ClientCall>),
    Terminal(v1::TerminalId),
    InvalidLine(Event),
}

impl Conversation {
    /// Starts an agent. This does not wait for it: the first event tells whether it runs.
    pub fn start(program: Program, setup: Setup) -> Conversation {
        let mut conversation = Conversation::new(setup);
        conversation.answer_watcher();
        conversation.program = Some(program.clone());
        conversation.launch(program);
        conversation
    }

    /// Talks to an agent that runs already. It cannot be restarted. Must be called within a tokio runtime.
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

    /// Takes what a person wants. What comes of it is an event.
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

    /// Waits for the next thing that happens. Dropping the future loses nothing.
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

    /// What we serve the agent with: the place to look at a terminal, or at permissions.
    pub fn host(&self) -> &Host {
        &self.setup.host
    }

    /// What the agent has said of itself; `None` before [`Event::AgentReady`] and after [`Event::AgentExited`].
    pub fn agent(&self) -> Option<&v1::InitializeResponse> {
        self.initialized.as_ref()
    }

    /// Whether a turn of the session runs.
    pub fn is_busy(&self, session: &v1::SessionId) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|it| it.turn.is_some())
    }

    /// How many lines of the agent were skipped since they are no messages.
    pub fn invalid_lines(&self) -> u64 {
        self.invalid_lines.count()
    }

    /// How many updates were dropped since they belong to no session that was opened here.
    pub fn dropped_updates(&self) -> u64 {
        self.sessions.dropped()
    }

    /// The last line that the agent wrote to standard error, safe to show.
    pub fn last_stderr_line(&self) -> Option<String> {
        let stderr = self.child.as_ref()?.stderr().text();
        let mut lines = stderr.lines().rev().map(str::trim);
        lines.find(|line| !line.is_empty()).map(str::to_owned)
    }

    /// Ends the conversation: every command of the agent, then the agent, gently.
    pub async fn stop(mut self) {
        if let Some(agent) = &self.agent {
            // An agent that does not read need not hear the rest.
            timeout(FLUSH, agent.flush()).await.ok();
            agent.close();
        }
        for session in self.sessions.ids() {
            self.setup.host.suspend(&session).await;
        }
        // What a person has decided is remembered, unless the disk hangs.
        timeout(LAST_WORDS, self.disk_worker.finish()).await.ok();
        let log = self.setup.host.log.clone();
        let written = tokio::task::spawn_blocking(move || log.flush(LAST_WORDS));
        // It does not panic, and a program that ends anyway need not be told.
        written.await.ok();
        // An agent that is being ended by a task of ours is ended at once.
        self.work.clear();
        if let Some(child) = self.child.take() {
            child.stop(StopTimeouts::default()).await;
        }
    }

    /// Answers come first: the end of a turn must not fall behind what was said after it.
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
            // What was decided is said before a turn is cancelled.
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

    /// Waits for something beside everything else.
    fn run_then<F, T>(&mut self, work: F, then: impl FnOnce(&mut Conversation, T) + Send + 'static)
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        self.work.push(with_continuation(work, then));
    }

    /// Does something for the agent beside everything else. It never keeps a person's command from its turn.
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

/// A way to do something with a [`Conversation`] from anywhere. Nothing of it is borrowed while something is awaited.
#[derive(Debug, Clone)]
struct ConversationHandle(UnboundedSender<Continuation>);

impl ConversationHandle {
    /// The way, and where what is to be done arrives. It has no limit of its own: each permission request waits for what
    /// it has sent, and sends one thing more when it ends.
    fn new() -> (ConversationHandle, UnboundedReceiver<Continuation>) {
        let (sender, receiver) = unbounded_channel();
        (ConversationHandle(sender), receiver)
    }

    /// Does something with the conversation and waits for what comes of it; `None` if the conversation is gone. It is not done if nobody
    /// waits for it any more.
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

    /// Does something with the conversation, sooner or later. Of a conversation that is gone nothing is left to be done.
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
    format!("the audit log is not written: {why}")
}

async fn next_call(calls: &mut Option<ClientCalls>) -> Option<ClientCall> {
    match calls {
        Some(calls) => calls.next().await,
        None => pending().await,
    }
}

/// What a command asks of the agent, for messages.
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

/// Calls of ours that are under way. Turns and questions have limits of their own.
const MOST_WORK: usize = 1024;
const MOST_EARLY: usize = 256;
/// For what was handed to the disk_worker.
const LAST_WORDS: Duration = Duration::from_secs(5);
const FLUSH: Duration = Duration::from_millis(500);
