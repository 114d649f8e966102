//! One server of a session: its state, and requests to it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use attache::v1;
use rmcp::model::{ClientRequest, InputResponses, ServerResult};
use rmcp::service::{PeerRequestOptions, RequestHandle};
use rmcp::{Peer, RoleClient, ServiceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::{Notify, mpsc, watch};
use tokio::time::Instant;

use super::acp_transport::NotificationInbox;
use super::handler::Handler;
use super::identity::ServerIdentity;
use super::offerings::{Offerings, ServerNames};
use super::text::SecretMask;
use super::{Error, Progress, ServerContext, ServerEvent, ServerStatus, connect, environment};

/// One server of a session.
pub(super) struct Server {
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) config: v1::McpServer,
    pub(super) context: Arc<ServerContext>,
    pub(super) mask: SecretMask,
    events: mpsc::Sender<ServerEvent>,
    status: watch::Sender<ServerStatus>,
    live: Mutex<ConnectionState>,
    /// The number of announced changes that our lists include.
    listed: watch::Sender<u64>,
    /// Notified when a caller needs current lists.
    wanted: Notify,
    /// The server as the user configured it.
    identity: ServerIdentity,
}

/// State of a connection. The offerings outlive it, so that a tool call can report how its server ended.
#[derive(Default)]
struct ConnectionState {
    link: Option<ServerPeer>,
    inbox: Option<NotificationInbox>,
    offerings: Arc<Offerings>,
}

/// A connected server.
#[derive(Clone)]
pub(super) struct ServerPeer {
    pub(super) peer: Peer<RoleClient>,
    pub(super) handler: Handler,
}

impl Server {
    pub(super) fn new(
        name: String,
        slug: String,
        config: v1::McpServer,
        context: Arc<ServerContext>,
        events: mpsc::Sender<ServerEvent>,
    ) -> Server {
        Server {
            mask: SecretMask::of(&config).and(context.environment.values()),
            identity: ServerIdentity::configured(&config),
            name,
            slug,
            config,
            context,
            events,
            status: watch::Sender::new(ServerStatus::Connecting),
            live: Mutex::default(),
            listed: watch::Sender::new(0),
            wanted: Notify::new(),
        }
    }

    pub(super) fn names(&self) -> ServerNames<'_> {
        ServerNames {
            shown: &self.name,
            slug: &self.slug,
            identity: &self.identity,
        }
    }

    /// The identity of the server, including what it declared in the current connection.
    pub(super) fn identity(&self) -> ServerIdentity {
        let offerings = self.offerings();
        let declared = offerings.server.clone();
        declared.unwrap_or_else(|| self.identity.clone())
    }

    pub(super) fn status(&self) -> ServerStatus {
        self.status.borrow().clone()
    }

    pub(super) fn set(&self, status: ServerStatus) {
        if !matches!(status, ServerStatus::Ready { .. }) {
            self.with_live(|live| {
                live.link = None;
                live.inbox = None;
            });
        }
        self.status.send_replace(status);
    }

    /// Waits until the server is connected or has failed.
    pub(super) async fn settled(&self) {
        let mut status = self.status.subscribe();
        let settled = |status: &ServerStatus| !matches!(status, ServerStatus::Connecting);
        // We have the sender, so this cannot fail.
        status.wait_for(settled).await.ok();
    }

    pub(super) fn offerings(&self) -> Arc<Offerings> {
        self.with_live(|live| Arc::clone(&live.offerings))
    }

    /// Sets the new offerings, which include `changes` announced changes, and returns the previous ones.
    pub(super) fn set_offerings(&self, offerings: Arc<Offerings>, changes: u64) -> Arc<Offerings> {
        let before = self.with_live(|live| std::mem::replace(&mut live.offerings, offerings));
        self.listed.send_replace(changes);
        before
    }

    /// Waits until a caller needs current lists.
    pub(super) async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// Waits until the lists include every change that the server has announced.
    pub(super) async fn fresh(&self) -> Result<(), Error> {
        let Some(link) = self.with_live(|live| live.link.clone()) else {
            // Without a connection, the caller's own request reports the error.
            return Ok(());
        };
        let changes = link.handler.changes().count();
        let mut listed = self.listed.subscribe();
        if *listed.borrow() >= changes {
            return Ok(());
        }
        self.wanted.notify_one();
        let mut status = self.status.subscribe();
        let over = |status: &ServerStatus| !matches!(status, ServerStatus::Ready { .. });
        tokio::select! {
            _ = listed.wait_for(|listed| *listed >= changes) => Ok(()),
            _ = status.wait_for(over) => Ok(()),
            () = tokio::time::sleep(LISTING) => {
                Err(self.failure("it announced a change of its lists, but does not send them"))
            }
        }
    }

    pub(super) fn open(&self, link: ServerPeer) {
        self.with_live(|live| live.link = Some(link));
    }

    pub(super) fn listen(&self, inbox: NotificationInbox) {
        self.with_live(|live| live.inbox = Some(inbox));
    }

    /// Delivers a notification from the client if it is from this server.
    pub(super) fn deliver(&self, notification: &v1::MessageMcpNotification) -> bool {
        let inbox = self.with_live(|live| live.inbox.clone());
        inbox.is_some_and(|inbox| inbox.deliver(notification))
    }

    /// Fails the server without connecting.
    pub(super) fn refuse(&self, reason: String) {
        let server = self.name.clone();
        let event = ServerEvent::Failed {
            server,
            reason: reason.clone(),
        };
        self.events.try_send(event).ok();
        self.set(ServerStatus::Failed(reason));
    }

    pub(super) async fn tell(&self, event: ServerEvent) {
        // There may be no receiver.
        self.events.send(event).await.ok();
    }

    /// Sends a request and responds to the server's input requests until there is a result. Dropping the future cancels
    /// the request on the server.
    pub(super) async fn ask(
        &self,
        mut request: impl FnMut(Option<InputResponses>, Option<String>) -> ClientRequest + Send,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<ServerResult, Error> {
        let link = self.link()?;
        let (mut given, mut state) = (None, None);
        for _ in 0..ROUNDS {
            let pending = request(given.take(), state.take());
            match self.ask_once(&link, pending, progress).await? {
                ServerResult::InputRequiredResult(back) => {
                    let mut answers = InputResponses::new();
                    let wanted = back.input_requests.unwrap_or_default();
                    if wanted.len() > QUESTIONS {
                        return Err(self.failure("it asks too many questions at once"));
                    }
                    for (key, wanted) in wanted {
                        let answer = link.handler.answer(wanted).await;
                        answers.insert(key, answer.ok_or_else(|| self.failure(NOT_GIVEN))?);
                    }
                    given = (!answers.is_empty()).then_some(answers);
                    state = back.request_state;
                }
                result => return Ok(result),
            }
        }
        Err(self.failure("it keeps asking questions instead of responding"))
    }

    async fn ask_once(
        &self,
        link: &ServerPeer,
        request: ClientRequest,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<ServerResult, Error> {
        let mut status = self.status.subscribe();
        let over = |status: &ServerStatus| !matches!(status, ServerStatus::Ready { .. });
        let sending = link
            .peer
            .send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = tokio::select! {
            handle = sending => handle,
            _ = status.wait_for(over) => return Err(self.over()),
        };
        let handle = match handle {
            Ok(handle) => handle,
            Err(error) => return Err(self.lost(&error).await),
        };
        let (sender, mut steps) = mpsc::channel(STEPS);
        let _followed = link.handler.follow(handle.progress_token.clone(), sender);
        let mut pending = PendingRequest(Some(handle));
        let patience = self.context.patience;
        let mut silence = std::pin::pin!(tokio::time::sleep(patience));
        loop {
            tokio::select! {
                biased;
                answer = pending.answer() => return match answer {
                    Ok(result) => Ok(result),
                    Err(error) => Err(self.lost(&error).await),
                },
                Some(mut step) = steps.recv() => {
                    let values = self.context.environment.values();
                    step.message = step.message.map(|it| values.replace(&it).into_owned());
                    progress(step);
                    silence.as_mut().reset(Instant::now() + patience);
                }
                () = async { drop(status.wait_for(over).await) } => return Err(self.over()),
                () = &mut silence => {
                    if !link.handler.is_asking() {
                        let seconds = patience.as_secs();
                        return Err(self.failure(&format!("no answer and no progress for {seconds} s")));
                    }
                    silence.as_mut().reset(Instant::now() + patience);
                }
            }
        }
    }

    /// The error for a request that failed. If the connection has ended, the reason is known soon.
    async fn lost(&self, error: &ServiceError) -> Error {
        if matches!(error, ServiceError::TransportClosed) {
            let mut status = self.status.subscribe();
            let over = |status: &ServerStatus| !matches!(status, ServerStatus::Ready { .. });
            let known = tokio::time::timeout(SOON, status.wait_for(over)).await;
            if known.is_ok() {
                return self.over();
            }
        }
        self.failure(&connect::failed(error))
    }

    fn link(&self) -> Result<ServerPeer, Error> {
        let link = self.with_live(|live| live.link.clone());
        link.ok_or_else(|| self.over())
    }

    fn over(&self) -> Error {
        match self.status() {
            ServerStatus::Failed(reason) | ServerStatus::Ended(reason) => self.failure(&reason),
            ServerStatus::Connecting => self.failure("it is not connected yet"),
            ServerStatus::Ready { .. } => self.failure("it is being connected again"),
        }
    }

    /// Converts a result after removing the values of withheld environment variables.
    pub(super) fn cleared<T: Serialize + DeserializeOwned, U>(
        &self,
        result: T,
        said: impl FnOnce(T) -> U,
    ) -> Result<U, Error> {
        let values = self.context.environment.values();
        let result = environment::without_values(values, result);
        result
            .map(said)
            .ok_or_else(|| self.failure("its result is not what was asked for"))
    }

    /// An error of this server, without secrets.
    pub(super) fn failure(&self, reason: &str) -> Error {
        Error::Server {
            server: self.name.clone(),
            reason: self.mask.reason(reason),
        }
    }

    fn with_live<T>(&self, act: impl FnOnce(&mut ConnectionState) -> T) -> T {
        act(&mut self.live.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A pending request. Dropping it cancels the request on the server.
struct PendingRequest(Option<RequestHandle<RoleClient>>);

impl PendingRequest {
    async fn answer(&mut self) -> Result<ServerResult, ServiceError> {
        let Some(handle) = &mut self.0 else {
            return Err(ServiceError::TransportClosed);
        };
        let answer = (&mut handle.rx).await;
        self.0 = None;
        answer.map_err(|_| ServiceError::TransportClosed)?
    }
}

impl Drop for PendingRequest {
    fn drop(&mut self) {
        if let (Some(handle), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current())
        {
            runtime.spawn(handle.cancel(Some("no longer wanted".to_owned())));
        }
    }
}

const ROUNDS: usize = 10;
const QUESTIONS: usize = 8;
const STEPS: usize = 16;
/// How long a call waits for changed lists.
const LISTING: Duration = Duration::from_secs(25);
const SOON: Duration = Duration::from_secs(2);
const NOT_GIVEN: &str = "it requests something that is not supported, such as sampling";
