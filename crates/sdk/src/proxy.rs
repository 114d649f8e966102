//! A proxy between a client and an agent: take each message from [`Proxy::next`], then forward, change, answer or drop it.

mod held;
mod injection;
mod lane;
mod message;
mod patch;
mod typed;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use attache_process::{self as process, Child, Program};
use attache_rpc::{Limits, NonJsonLines};
use attache_schema::call::ClientNotification;
use attache_schema::error;
use attache_transport::{self as transport, RelayInbox, RelayedMessage};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Duration, Instant, sleep_until, timeout};

use crate::session_index::{AgentSessionIndex, ClientSessionIndex};
use crate::{Options, Role};
use held::{HeldNotification, HeldRequest, HeldResponse, IN_ORDER, Place, ProxyLinks};
use lane::{Lane, SessionSource, session_key, session_named_in};

pub use injection::{ProxyAgent, ProxyClient};
pub use message::ProxyMessage;
#[cfg(test)]
pub(crate) use patch::patched;
pub use typed::{ProxyNotification, ProxyRequest, ProxyResponse};

/// Starts an agent and puts a proxy between it and the client on standard input and output. From then on both carry only
/// protocol messages; print to standard error instead. Call it once, within a tokio runtime.
pub async fn stdio(agent: &Program) -> Result<Proxy, StartError> {
    let client = transport::stdio().map_err(StartError::Stdio)?;
    let proxy = spawn(client, agent, Options::default()).await;
    proxy.map_err(StartError::Agent)
}

/// Starts an agent and puts a proxy between it and the client on any byte stream.
pub async fn spawn<R, W>(
    client: (R, W),
    agent: &Program,
    options: Options,
) -> Result<Proxy, process::Error>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (child, stdin, stdout) = agent.spawn_piped().await?;
    let mut proxy = connect(client, (stdout, stdin), options);
    proxy.child = Some(child);
    Ok(proxy)
}

/// Puts a proxy between a client and an agent on any byte streams: what the client and the agent write, and what they read.
/// Must be called within a tokio runtime.
///
/// [`Options::limits`] and [`Options::grace`] apply to both sides, [`Options::framing`] and [`Options::translator`] to the
/// agent's side. There is no time limit for a side that reads slowly, so [`Options::stall`] is not used.
pub fn connect<R, W, S, T>(client: (R, W), agent: (S, T), options: Options) -> Proxy
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
    S: AsyncRead + Send + Unpin + 'static,
    T: AsyncWrite + Send + Unpin + 'static,
{
    let call_prefix = format!(
        "attache-proxy-{:016x}-",
        RandomState::new().hash_one("proxy")
    );
    let limits = options.limits.clone();
    let to_client = transport::Options::default()
        .limits(options.limits.clone())
        .non_json_lines(NonJsonLines::Reject)
        .stall(Duration::MAX)
        .grace(options.grace)
        .session_index(AgentSessionIndex)
        .peer("client");
    let to_agent = transport::Options::default()
        .limits(options.limits)
        .framing(options.framing)
        .non_json_lines(NonJsonLines::Skip)
        .stall(Duration::MAX)
        .grace(options.grace)
        .session_index(ClientSessionIndex)
        .peer("agent")
        .translator(options.translator)
        .tap(options.tap);
    let (client_link, client) =
        transport::connect_relay(client.0, client.1, to_client, &call_prefix);
    let (agent_link, agent) = transport::connect_relay(agent.0, agent.1, to_agent, &call_prefix);
    let links = ProxyLinks {
        client: client_link,
        agent: agent_link,
        from_client: Lane::new(limits.inbound.max(1)),
        from_agent: Lane::new(limits.inbound.max(1)),
        unreadable: AtomicUsize::new(0),
        too_large: AtomicUsize::new(0),
        stray_responses: AtomicUsize::new(0),
    };
    Proxy {
        links: Arc::new(links),
        client: Source::new(Role::Client, client, &limits),
        agent: Source::new(Role::Agent, agent, &limits),
        turn: 0,
        grace: options.grace,
        client_left: None,
        child: None,
        end: None,
    }
}

/// A proxy between a client and an agent.
///
/// Messages keep their ids, and what you forward unchanged arrives byte for byte. A message that you have taken keeps its
/// place: if you move it into a task, later messages of its session in the same direction wait until the task has decided.
/// Cancellations are forwarded without you.
pub struct Proxy {
    links: Arc<ProxyLinks>,
    client: Source,
    agent: Source,
    /// Counts the messages taken, so that both sides get their turn.
    turn: usize,
    grace: Duration,
    /// The time at which the client had closed its side.
    client_left: Option<Instant>,
    child: Option<Child>,
    end: Option<Result<(), AgentGone>>,
}

/// Counters of messages that a proxy could not handle as asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ProxyCounts {
    /// Messages that were to be changed but could not be decoded, and were forwarded unchanged.
    pub unreadable: usize,
    /// Notifications that were dropped because they became longer than the limit.
    pub too_large: usize,
    /// Responses that were dropped because they belong to no open request.
    pub stray_responses: usize,
}

/// The agent has ended before the client has disconnected.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AgentGone {
    /// How the agent has ended.
    pub reason: String,
}

/// Why a proxy could not be started.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// Standard input and output cannot be used.
    Stdio(io::Error),
    /// The agent could not be started.
    Agent(process::Error),
}

/// The messages of one side.
struct Source {
    side: Role,
    inbox: RelayInbox,
    /// Bytes that may be forwarded before the other side is asked for room again.
    credit: usize,
    full_credit: usize,
}

/// What a proxy has waited for.
enum Wakeup {
    /// Messages, or room for them.
    Ready,
    ClientLeft,
    ClientDone,
    AgentGone,
}

impl Proxy {
    /// Waits for the next message of either side. Returns `None` when one side is gone and the other side has been told:
    /// when the agent has ended, the client gets everything that was sent before, then errors for its open requests. When
    /// the client has closed its side, the agent gets [`Options::grace`] to respond to open requests, and is stopped.
    ///
    /// While the receiver does not read, its messages are not taken, so that memory stays bounded. This method is cancel
    /// safe as long as it has not returned `None`.
    pub async fn next(&mut self) -> Option<ProxyMessage> {
        while self.end.is_none() {
            tokio::task::consume_budget().await;
            if let Some(message) = self.try_next() {
                return Some(message);
            }
            match self.wait().await {
                Wakeup::Ready => {}
                Wakeup::ClientLeft => self.client_left = Some(Instant::now()),
                Wakeup::ClientDone => self.end_after_client().await,
                Wakeup::AgentGone => self.end_after_agent().await,
            }
        }
        None
    }

    /// Sends requests and notifications of the proxy itself to the agent.
    pub fn agent(&self) -> ProxyAgent {
        ProxyAgent(self.links.agent.clone())
    }

    /// Sends requests and notifications of the proxy itself to the client.
    pub fn client(&self) -> ProxyClient {
        ProxyClient(self.links.client.clone())
    }

    /// Counters of messages that the proxy could not handle as asked.
    pub fn counts(&self) -> ProxyCounts {
        self.links.counts()
    }

    /// Ends the proxy, if it has not ended yet, and stops the agent. Fails if the agent has ended before the client has
    /// disconnected.
    pub async fn finish(mut self) -> Result<(), AgentGone> {
        if self.end.is_none() {
            self.end_after_client().await;
        }
        self.end.unwrap_or(Ok(()))
    }

    /// The next message, if one has arrived and its receiver has room.
    fn try_next(&mut self) -> Option<ProxyMessage> {
        self.turn = self.turn.wrapping_add(1);
        // A side that is silent most of the time is asked less often.
        let (first, second) = match self.turn.is_multiple_of(SHARE) {
            true => (&mut self.client, &mut self.agent),
            false => (&mut self.agent, &mut self.client),
        };
        first
            .try_next(&self.links)
            .or_else(|| second.try_next(&self.links))
    }

    async fn wait(&mut self) -> Wakeup {
        let links = &*self.links;
        let (client, agent) = (&mut self.client, &mut self.agent);
        let (to_agent, to_client) = (client.has_room(links), agent.has_room(links));
        let left = self.client_left;
        let until = left.map(|since| since + self.grace.min(LONG));
        tokio::select! {
            biased;
            _ = links.client.writing_ended() => Wakeup::ClientDone,
            is_open = client.inbox.readable(), if to_agent && left.is_none() => match is_open {
                true => Wakeup::Ready,
                false => Wakeup::ClientLeft,
            },
            is_open = agent.inbox.readable(), if to_client => match is_open {
                true => Wakeup::Ready,
                false => Wakeup::AgentGone,
            },
            () = links.client.all_answered(), if left.is_some() => Wakeup::ClientDone,
            () = sleep_until(until.unwrap_or_else(Instant::now)), if left.is_some() => Wakeup::ClientDone,
            () = links.room(Role::Client), if !to_agent => Wakeup::Ready,
            () = links.room(Role::Agent), if !to_client => Wakeup::Ready,
        }
    }

    /// The client has disconnected: what it has sent is still delivered, and the agent is stopped.
    async fn end_after_client(&mut self) {
        self.links.agent.close();
        self.links.client.close();
        tokio::join!(self.links.client.writing_ended(), self.stop_agent());
        self.end = Some(Ok(()));
    }

    /// The agent has ended: the client gets what waits in tasks of the program, then errors for its open requests.
    async fn end_after_agent(&mut self) {
        let exit = self.stop_agent().await;
        let reason = exit.unwrap_or_else(|| "it has closed the connection".to_owned());
        let gone = AgentGone { reason };
        let undecided = self.links.from_agent.empty();
        if timeout(self.grace.min(LONG), undecided).await.is_err() {
            // What the tasks have not decided on in time comes after the errors, or not at all.
        }
        self.links
            .client
            .fail_requests(IN_ORDER, &error::internal(&gone.to_string()));
        // Requests that arrive from now on get no response: the connection closes.
        self.links.client.close();
        self.links.client.writing_ended().await;
        self.end = Some(Err(gone));
    }

    /// Stops the agent, and says how it has ended if it is a child of this process.
    async fn stop_agent(&self) -> Option<String> {
        let exit = self.child.as_ref()?.stop(Default::default()).await;
        Some(exit.to_string())
    }
}

impl Source {
    fn new(side: Role, inbox: RelayInbox, limits: &Limits) -> Self {
        Source {
            side,
            inbox,
            credit: 0,
            full_credit: limits.outbound.clamp(1, CREDIT),
        }
    }

    fn has_room(&mut self, links: &ProxyLinks) -> bool {
        if self.credit == 0 && links.has_room(self.side) {
            self.credit = self.full_credit;
        }
        self.credit > 0
    }

    fn try_next(&mut self, links: &Arc<ProxyLinks>) -> Option<ProxyMessage> {
        while self.has_room(links) {
            let (message, size) = self.inbox.try_next()?;
            self.credit = self.credit.saturating_sub(size);
            let message = self.take(links, message, size);
            if message.is_some() {
                return message;
            }
        }
        None
    }

    /// Takes a message for the program, or deals with a message that the program does not decide on.
    fn take(
        &self,
        links: &Arc<ProxyLinks>,
        message: RelayedMessage,
        size: usize,
    ) -> Option<ProxyMessage> {
        let side = self.side;
        let lane = links.lane(side);
        match message {
            RelayedMessage::Request(id, call) => {
                let mut state = lane.lock();
                state.take_request(id.clone());
                let number = state.take(SessionSource::Call(call.clone()), size);
                drop(state);
                let place = Place::new(links, side, number, size);
                Some(ProxyMessage::of_request(HeldRequest::new(place, id, call)))
            }
            RelayedMessage::Notification(call) => {
                if side == Role::Client && ClientNotification::order(call.method()).cancels_session
                {
                    let session = call.params().and_then(session_named_in);
                    links.agent.cancel_requests(session_key(session.as_ref()));
                }
                let number = lane.lock().take(SessionSource::Call(call.clone()), size);
                let place = Place::new(links, side, number, size);
                Some(ProxyMessage::of_notification(HeldNotification::new(
                    place, call,
                )))
            }
            RelayedMessage::Cancellation(id, line) => {
                let mut state = lane.lock();
                if let Some(line) = state.cancel(&id, line) {
                    links.relay(side, line);
                }
                None
            }
            RelayedMessage::Response { id, outcome, line } => {
                let request = links.lane(other_side(side)).lock().forwarded.remove(&id);
                let Some(request) = request else {
                    links.stray_responses.fetch_add(1, Ordering::Relaxed);
                    return None;
                };
                let named = outcome
                    .as_ref()
                    .ok()
                    .and_then(|result| session_named_in(result.as_str()));
                let session = session_key(named.as_ref().or(request.session.as_ref()));
                let number = lane.lock().take(SessionSource::Known(session), size);
                let place = Place::new(links, side, number, size);
                let held = HeldResponse::new(place, id, request, outcome, line);
                Some(ProxyMessage::of_response(held))
            }
        }
    }
}

/// The side that gets what this side sends.
fn other_side(side: Role) -> Role {
    match side {
        Role::Client => Role::Agent,
        Role::Agent => Role::Client,
    }
}

impl fmt::Display for AgentGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the agent is gone: {}", self.reason)
    }
}

impl std::error::Error for AgentGone {}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Stdio(error) => write!(f, "standard input and output: {error}"),
            StartError::Agent(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxy").finish_non_exhaustive()
    }
}

/// Of this number of messages, one is taken from the client first, all others from the agent.
const SHARE: usize = 16;
/// Bytes that are forwarded without asking the receiver for room.
const CREDIT: usize = 64 << 10;
/// Upper bound for timeouts; larger values overflow `Instant`.
const LONG: Duration = Duration::from_secs(60 * 60 * 24 * 365);
