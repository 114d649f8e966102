//! The conversation with one agent: commands in, events out. It serves what the agent asks for in between.

mod clerk;
mod connection;
mod disk;
mod failure;
mod forms;
mod login;
mod opening;
mod owner;
mod permission;
mod serving;
mod sessions;
mod settings;
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
use attache::process::{Child, Ladder, Program};
use attache::{AgentHandle, ClientCall, v1};
use attache_host::Host;
use attache_host::exec::Watcher;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use crate::command::Command;
use crate::event::Event;
use clerk::Clerk;
use connection::Stage;
use forms::Forms;
use owner::Owner;
use permission::Pending;
use serving::Load;
use sessions::Sessions;
use wire::Garbage;

pub use login::LoginCommand;
pub use permission::ExecPrompts;
pub use setup::{Setup, Times, Way};

/// The conversation with one agent.
///
/// [`submit`](Self::submit) takes what a person wants and never waits; [`next`](Self::next) gives what has happened.
/// Everything is done inside `next`, so somebody has to await it, again and again:
///
/// ```no_run
/// # use attache_client::desk::{Desk, Setup};
/// # async fn keys() -> Option<attache_client::Command> { None }
/// # async fn hold(mut desk: Desk) {
/// loop {
///     tokio::select! {
///         event = desk.next() => println!("{event:?}"),
///         command = keys() => match command {
///             Some(command) => desk.submit(command),
///             None => break,
///         },
///     }
/// }
/// desk.stop().await;
/// # }
/// ```
///
/// What is commanded before the agent is ready waits until it is. Events come in the order of the wire: the end of a
/// turn after everything that it brought, the updates of a session after [`Event::Opened`]. A session that is loaded is
/// the exception: its history is told before the agent says that it is there. A question is judged first, beside
/// everything else, so that it may come behind what was told after it.
///
/// After [`Event::Gone`] only [`Command::Restart`] does anything. The sessions of before are then taken up with
/// `Load` or `Resume`; prompts that waited wait on.
pub struct Desk {
    setup: Setup,
    program: Option<Program>,
    stage: Stage,
    agent: Option<AgentHandle>,
    calls: Option<ClientCalls>,
    child: Option<Child>,
    hello: Option<v1::InitializeResponse>,
    sessions: Sessions,
    /// Permission requests that are under way.
    pending: Pending,
    forms: Forms,
    garbage: Garbage,
    /// What was commanded before the agent was ready.
    early: VecDeque<Command>,
    /// What we ask of the agent and what we wait for.
    work: FuturesUnordered<Work>,
    /// What the agent asks of the host.
    served: FuturesUnordered<Work>,
    /// How what runs beside the conversation does something with it.
    owner: Owner,
    orders: UnboundedReceiver<Then>,
    load: Load,
    clerk: Clerk,
    /// What has happened and was not taken yet.
    ready: VecDeque<Event>,
}

/// Something that takes time. It gives what is to be done then.
type Work = Pin<Box<dyn Future<Output = Then> + Send>>;
type Then = Box<dyn FnOnce(&mut Desk) + Send>;

/// What `next` has waited for.
enum Heard {
    Done(Then),
    Call(Option<ClientCall>),
    Terminal(v1::TerminalId),
    Garbage(Event),
}

impl Desk {
    /// Starts an agent. This does not wait for it: the first event tells whether it runs.
    pub fn start(program: Program, setup: Setup) -> Desk {
        let mut desk = Desk::new(setup);
        desk.answer_watcher();
        desk.program = Some(program.clone());
        desk.launch(program);
        desk
    }

    /// Talks to an agent that runs already. It cannot be restarted. Must be called within a tokio runtime.
    pub fn connect<R, W>(read: R, write: W, setup: Setup) -> Desk
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let mut desk = Desk::new(setup);
        desk.answer_watcher();
        desk.converse(read, write);
        desk
    }

    fn new(mut setup: Setup) -> Desk {
        let warnings = std::mem::take(&mut setup.warnings).into_iter();
        let (owner, orders) = Owner::new();
        Desk {
            ready: warnings.map(Event::Trouble).collect(),
            setup,
            program: None,
            stage: Stage::Starting,
            agent: None,
            calls: None,
            child: None,
            hello: None,
            sessions: Sessions::default(),
            pending: Pending::default(),
            forms: Forms::default(),
            garbage: Garbage::default(),
            early: VecDeque::new(),
            work: FuturesUnordered::new(),
            served: FuturesUnordered::new(),
            owner,
            orders,
            load: Load::default(),
            clerk: Clerk::default(),
        }
    }

    /// Takes what a person wants. What comes of it is an event.
    pub fn submit(&mut self, command: Command) {
        match (&self.stage, command) {
            (_, Command::Restart) => self.restart(),
            (
                _,
                Command::Answer {
                    prompt,
                    answer,
                    expiry,
                },
            ) => self.answer(prompt, answer, expiry),
            (_, Command::Forget { id }) => self.forget(id),
            (_, Command::Fill { form, action }) => self.fill(form, action),
            (Stage::Ready, command) if self.work.len() < MOST_WORK => self.carry_out(command),
            (Stage::Starting, command) if self.early.len() < MOST_EARLY => {
                self.early.push_back(command);
            }
            (Stage::Ready | Stage::Starting, command) => {
                self.fail(failure::too_much(name_of(&command)));
            }
            (Stage::Ending(_) | Stage::Gone, command) => {
                self.fail(failure::gone(name_of(&command)))
            }
        }
    }

    /// Waits for the next thing that happens. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Event {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return event;
            }
            let heard = self.hear().await;
            match heard {
                Heard::Done(then) => then(self),
                Heard::Call(Some(call)) => self.take(call),
                Heard::Call(None) => self.heard_all(),
                Heard::Terminal(terminal) => self.ready.push_back(Event::Terminal(terminal)),
                Heard::Garbage(event) => self.ready.push_back(event),
            }
            self.tell_faults();
        }
    }

    /// What we serve the agent with: the place to look at a terminal, or at permissions.
    pub fn host(&self) -> &Host {
        &self.setup.host
    }

    /// What the agent has said of itself; `None` before [`Event::Ready`] and after [`Event::Gone`].
    pub fn agent(&self) -> Option<&v1::InitializeResponse> {
        self.hello.as_ref()
    }

    /// Whether a turn of the session runs.
    pub fn is_busy(&self, session: &v1::SessionId) -> bool {
        self.sessions
            .get(session)
            .is_some_and(|it| it.turn.is_some())
    }

    /// How many lines of the agent were skipped since they are no messages.
    pub fn skipped(&self) -> u64 {
        self.garbage.count()
    }

    /// How many updates were dropped since they belong to no session that was opened here.
    pub fn strays(&self) -> u64 {
        self.sessions.strays()
    }

    /// The last line that the agent wrote to standard error, safe to show.
    pub fn last_words(&self) -> Option<String> {
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
        timeout(LAST_WORDS, self.clerk.done()).await.ok();
        let log = self.setup.host.log.clone();
        let written = tokio::task::spawn_blocking(move || log.flush(LAST_WORDS));
        // It does not panic, and a program that ends anyway need not be told.
        written.await.ok();
        // An agent that is being ended by a task of ours is ended at once.
        self.work.clear();
        if let Some(child) = self.child.take() {
            child.stop(Ladder::default()).await;
        }
    }

    /// Answers come first: the end of a turn must not fall behind what was said after it.
    async fn hear(&mut self) -> Heard {
        let terminals = &self.setup.host.terminals;
        let garbage = &self.garbage;
        let calls = &mut self.calls;
        let news = async {
            tokio::select! {
                call = next_call(calls) => Heard::Call(call),
                terminal = terminals.changed() => Heard::Terminal(terminal),
                event = garbage.next() => Heard::Garbage(event),
            }
        };
        tokio::select! {
            biased;
            // What was decided is said before a turn is cancelled.
            Some(then) = self.served.next() => Heard::Done(then),
            Some(then) = self.work.next() => Heard::Done(then),
            Some(then) = self.orders.recv() => Heard::Done(then),
            news = news => news,
        }
    }

    fn carry_out(&mut self, command: Command) {
        match command {
            Command::Open(opening) => self.open(opening),
            Command::Close(session) => self.close(session),
            Command::Delete(session) => self.delete(session),
            Command::List { cwd, cursor } => self.list(cwd, cursor),
            Command::Prompt { session, content } => self.prompt(session, content),
            Command::Steer { session, content } => self.steer(session, content),
            Command::Unqueue { session, index } => self.unqueue(&session, index),
            Command::Cancel(session) => self.cancel(&session),
            Command::SetMode { session, mode } => self.set_mode(session, mode),
            Command::SetOption {
                session,
                option,
                value,
            } => self.set_option(session, option, value),
            Command::Login(method) => self.login(method),
            Command::Logout => self.logout(),
            Command::Answer {
                prompt,
                answer,
                expiry,
            } => self.answer(prompt, answer, expiry),
            Command::Forget { id } => self.forget(id),
            Command::Fill { form, action } => self.fill(form, action),
            Command::Restart => self.restart(),
        }
    }

    fn take(&mut self, call: ClientCall) {
        match call {
            ClientCall::Session(told) => self.told(told),
            ClientCall::RequestPermission(request, reply) => self.asked(request, reply),
            ClientCall::CreateElicitation(request, reply) => self.elicited(request, reply),
            ClientCall::CompleteElicitation(told) => self.completed(told.elicitation_id),
            call => self.serve(call),
        }
    }

    /// Waits for something beside everything else.
    fn wait<F, T>(&mut self, work: F, then: impl FnOnce(&mut Desk, T) + Send + 'static)
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        self.work.push(before(work, then));
    }

    /// Does something for the agent beside everything else. It never keeps a person's command from its turn.
    fn attend(&mut self, service: impl Future<Output = ()> + Send + 'static) {
        self.served.push(before(service, |_, ()| {}));
    }

    fn tell_faults(&mut self) {
        let host = &self.setup.host;
        let faults = [
            host.permissions.fault(),
            host.log.fault().map(not_logged),
            self.setup.watcher.as_ref().and_then(Watcher::fault),
        ];
        for fault in faults.into_iter().flatten() {
            self.tell(Event::Trouble(fault));
        }
    }

    fn tell(&mut self, event: Event) {
        self.ready.push_back(event);
    }
}

fn before<F, T>(work: F, then: impl FnOnce(&mut Desk, T) + Send + 'static) -> Work
where
    F: Future<Output = T> + Send + 'static,
    T: Send + 'static,
{
    Box::pin(async move {
        let outcome = work.await;
        Box::new(move |desk: &mut Desk| then(desk, outcome)) as Then
    })
}

fn not_logged(why: String) -> String {
    format!("the audit log is not written: {why}")
}

async fn next_call(calls: &mut Option<ClientCalls>) -> Option<ClientCall> {
    match calls {
        Some(calls) => calls.next().await,
        None => pending().await,
    }
}

/// What a command asks of the agent, for messages.
fn name_of(command: &Command) -> &'static str {
    match command {
        Command::Open(opening) => opening::method(&opening.how),
        Command::Close(_) => "session/close",
        Command::Delete(_) => "session/delete",
        Command::List { .. } => "session/list",
        Command::Prompt { .. } | Command::Unqueue { .. } => "session/prompt",
        Command::Steer { .. } => turns::STEERING,
        Command::Cancel(_) => "session/cancel",
        Command::SetMode { .. } => "session/set_mode",
        Command::SetOption { .. } => "session/set_config_option",
        Command::Answer { .. } => "session/request_permission",
        Command::Forget { .. } => "permissions revoke",
        Command::Fill { .. } => "elicitation/create",
        Command::Login(_) => "authenticate",
        Command::Logout => "logout",
        Command::Restart => "initialize",
    }
}

impl fmt::Debug for Desk {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Desk")
            .field("setup", &self.setup)
            .field("stage", &self.stage)
            .finish_non_exhaustive()
    }
}

/// Calls of ours that are under way. Turns and questions have limits of their own.
const MOST_WORK: usize = 1024;
const MOST_EARLY: usize = 256;
/// For what was handed to the clerk.
const LAST_WORDS: Duration = Duration::from_secs(5);
const FLUSH: Duration = Duration::from_millis(500);
