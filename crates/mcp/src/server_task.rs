//! The task of one server: connects, fetches the lists, detects the end of the server, and stops it.

use std::sync::Arc;
use std::time::Duration;

use attache::process::{Child, StopTimeouts};
use rmcp::model::{ServerPeerInfo, SubscriptionFilter};
use rmcp::service::Subscription;
use rmcp::{Peer, RoleClient};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::connect::{self, Connection};
use super::offerings::Offerings;
use super::server::{Server, ServerPeer};
use super::{ServerEvent, ServerStatus};

/// The task of one server. Dropping this ends the server in the background.
pub(super) struct ServerTask {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl ServerTask {
    /// Starts the task. Must be called within a tokio runtime.
    pub(super) fn start(server: Arc<Server>) -> ServerTask {
        server.set(ServerStatus::Connecting);
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(run(server, stopped));
        ServerTask { stop, task }
    }

    /// Ends the server and waits until it has ended.
    pub(super) async fn close(self) {
        drop(self.stop);
        let abort = self.task.abort_handle();
        if tokio::time::timeout(GIVE_UP, self.task).await.is_err() {
            abort.abort();
        }
    }
}

async fn run(server: Arc<Server>, mut stop: oneshot::Receiver<()>) {
    let begun = tokio::select! {
        begun = begin(&server) => begun,
        _ = &mut stop => return server.set(ServerStatus::Ended(CLOSED.to_owned())),
    };
    match begun {
        Ok(connection) => serve_until_end(&server, connection, stop).await,
        Err(reason) => {
            let reason = server.mask.reason(&reason);
            server.set(ServerStatus::Failed(reason.clone()));
            let name = server.name.clone();
            let failed = ServerEvent::Failed {
                server: name,
                reason,
            };
            tokio::select! {
                () = server.tell(failed) => {}
                _ = stop => {}
            }
        }
    }
}

/// Serves a connection until the server ends or is to be ended.
async fn serve_until_end(server: &Server, connection: Connection, mut stop: oneshot::Receiver<()>) {
    let Connection {
        running,
        handler,
        child,
    } = connection;
    let peer = running.peer().clone();
    let link = ServerPeer { peer, handler };
    let cancel = running.cancellation_token();
    let mut waiting = std::pin::pin!(running.waiting());
    let watch = watch(server, &link, child.as_ref());
    let end = tokio::select! {
        _ = &mut waiting => EndCause::Connection,
        () = watch => EndCause::Process,
        _ = &mut stop => EndCause::Asked,
    };
    let reason = match (end, &child) {
        (EndCause::Asked, _) => CLOSED.to_owned(),
        (_, Some(child)) => connect::last_words(child, ENDED).await,
        (_, None) => ENDED.to_owned(),
    };
    let reason = server.mask.reason(&reason);
    server.set(ServerStatus::Ended(reason.clone()));
    cancel.cancel();
    let telling = async {
        if end != EndCause::Asked {
            let name = server.name.clone();
            let ended = ServerEvent::Ended {
                server: name,
                reason,
            };
            tokio::select! {
                () = server.tell(ended) => {}
                _ = stop => {}
            }
        }
    };
    let stopping = async {
        if let Some(child) = child {
            child.stop(StopTimeouts::default()).await;
        }
    };
    let leaving = async {
        if end != EndCause::Connection {
            tokio::time::timeout(LEAVE, waiting).await.ok();
        }
    };
    tokio::join!(telling, stopping, leaving);
}

/// What ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndCause {
    Connection,
    Process,
    Asked,
}

/// Connects and fetches the lists.
async fn begin(server: &Server) -> Result<Connection, String> {
    let deadline = Instant::now() + server.context.deadline;
    let connection = connect::connect(server, deadline).await?;
    let peer = connection.running.peer();
    let heard = connection.handler.changes().count();
    let listing = tokio::time::timeout_at(deadline, Offerings::fetch(peer, server.names()));
    let offerings = match listing.await {
        Ok(Ok(offerings)) => offerings,
        Ok(Err(error)) => return Err(unlisted(&connection, &connect::failed(&error)).await),
        Err(_) => return Err(unlisted(&connection, "it did not answer in time").await),
    };
    server.set_offerings(Arc::new(offerings), heard);
    server.open(ServerPeer {
        peer: peer.clone(),
        handler: connection.handler.clone(),
    });
    server.set(ready(server, peer));
    Ok(connection)
}

async fn unlisted(connection: &Connection, reason: &str) -> String {
    let reason = format!("its tools cannot be listed: {reason}");
    match &connection.child {
        Some(child) => connect::last_words(child, &reason).await,
        None => reason,
    }
}

fn ready(server: &Server, peer: &Peer<RoleClient>) -> ServerStatus {
    let offerings = server.offerings();
    let info = peer.peer_info();
    let version = info.as_deref().and_then(version);
    ServerStatus::Ready {
        tools: offerings.tools.len(),
        prompts: offerings.prompts.len(),
        resources: offerings.resources.len(),
        left_out: offerings.left_out,
        version: version.map(|version| server.mask.reason(&version)),
    }
}

fn version(info: &ServerPeerInfo) -> Option<String> {
    let program = info.server_info.as_ref()?;
    Some(format!("{} {}", program.name, program.version))
}

/// Announces that the server is ready and keeps its lists current, until its process ends.
async fn watch(server: &Server, link: &ServerPeer, child: Option<&Child>) {
    let gone = async {
        match child {
            Some(child) => connect::gone(child).await,
            None => std::future::pending().await,
        }
    };
    let mut gone = std::pin::pin!(gone);
    let begin = async {
        let name = server.name.clone();
        server.tell(ServerEvent::Ready { server: name }).await;
        let subscribing = tokio::time::timeout(PATIENCE, subscribe(&link.peer));
        subscribing.await.ok().flatten()
    };
    let mut news = tokio::select! {
        () = &mut gone => return,
        news = begin => news,
    };
    let mut rest = Instant::now();
    let mut dirty = false;
    loop {
        tokio::select! {
            () = &mut gone => return,
            () = link.handler.changes().next(), if !dirty => dirty = true,
            // Changes are counted where they arrive.
            told = next(&mut news), if news.is_some() => if told.is_none() {
                news = None;
            },
            // A call needs current lists, so end the pause now.
            () = server.wanted(), if dirty => rest = Instant::now(),
            () = tokio::time::sleep_until(rest), if dirty => {
                let listed = tokio::select! {
                    () = &mut gone => return,
                    listed = refresh(server, link) => listed,
                };
                dirty = !listed;
                rest = Instant::now() + if listed { REST } else { RETRY };
            }
        }
    }
}

/// Fetches all lists again and announces which have changed. Returns whether the server sent them.
async fn refresh(server: &Server, link: &ServerPeer) -> bool {
    let heard = link.handler.changes().count();
    let Ok(offerings) = Offerings::fetch(&link.peer, server.names()).await else {
        return false;
    };
    let offerings = Arc::new(offerings);
    let before = server.set_offerings(Arc::clone(&offerings), heard);
    server.set(ready(server, &link.peer));
    let name = || server.name.clone();
    if before.tools != offerings.tools {
        server
            .tell(ServerEvent::ToolsChanged { server: name() })
            .await;
    }
    if before.prompts != offerings.prompts {
        server
            .tell(ServerEvent::PromptsChanged { server: name() })
            .await;
    }
    if before.resources != offerings.resources {
        server
            .tell(ServerEvent::ResourcesChanged { server: name() })
            .await;
    }
    true
}

/// Subscribes to changes, which servers of the revision without a handshake require.
async fn subscribe(peer: &Peer<RoleClient>) -> Option<Subscription> {
    let info = peer.peer_info()?;
    if info.protocol_version.has_initialize() {
        return None;
    }
    let offers = &info.capabilities;
    let mut filter = SubscriptionFilter::new();
    filter.tools_list_changed = offers.tools.as_ref().and_then(|tools| tools.list_changed);
    filter.prompts_list_changed = offers
        .prompts
        .as_ref()
        .and_then(|prompts| prompts.list_changed);
    filter.resources_list_changed = offers.resources.as_ref().and_then(|all| all.list_changed);
    if filter == SubscriptionFilter::new() {
        return None;
    }
    peer.listen(filter).await.ok()
}

async fn next(news: &mut Option<Subscription>) -> Option<()> {
    match news {
        Some(news) => news.next().await.ok().flatten().map(drop),
        None => std::future::pending().await,
    }
}

const CLOSED: &str = "it was closed";
const ENDED: &str = "the connection has ended";
/// Minimum time between two fetches of the lists.
const REST: Duration = Duration::from_secs(1);
/// How soon fetching the lists is retried after a failure.
const RETRY: Duration = Duration::from_secs(5);
/// How long subscribing may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long closing a connection may take.
const LEAVE: Duration = Duration::from_secs(2);
/// Longer than all steps of stopping a process.
const GIVE_UP: Duration = Duration::from_secs(9);
