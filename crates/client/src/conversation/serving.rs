//! Serves the agent's requests for permissions, files and terminals, all concurrently.

use std::sync::Arc;

use attache::json::{self, Encode};
use attache::schema::error;
use attache::{AgentHandle, ClientCall, Error, Reply, v1};
use attache_host::permissions::Action;
use attache_host::{Host, terminals};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::permission::{PermissionOutcome, RequestSource};
use super::{Conversation, ConversationHandle};
use crate::event::{Event, HostRequest};

impl Conversation {
    /// `session/request_permission`
    pub(super) fn handle_permission_request(
        &mut self,
        request: v1::RequestPermissionRequest,
        reply: Reply<v1::RequestPermissionResponse>,
    ) {
        let session = request.session_id.clone();
        if self.sessions.get(&session).is_none() {
            return reply.fail(error::session_not_found(&session));
        }
        let bytes = json::to_string(&request).len();
        if self.sessions.is_cancelling(&session) || !self.pending.has_room(bytes) {
            let cancelled = PermissionOutcome::cancelled().answer;
            return reply.ok(v1::RequestPermissionResponse::new(cancelled));
        }
        let permission = self.request_permission(&session, RequestSource::ToolCall(request), bytes);
        self.serve_beside(async move {
            tokio::select! {
                biased;
                outcome = permission.decide() => {
                    reply.ok(v1::RequestPermissionResponse::new(outcome.answer));
                }
                () = reply.cancelled() => {}
            }
        });
    }

    /// Serves a file or terminal request. The connection limits how many run at the same time.
    pub(super) fn serve(&mut self, call: ClientCall) {
        let host = self.setup.host.clone();
        let service = HostService {
            conversation: self.handle.clone(),
            host: host.clone(),
            responses: self.responses(),
        };
        match call {
            ClientCall::ReadTextFile(request, reply) => {
                self.serve_beside(service.read(request, reply))
            }
            ClientCall::WriteTextFile(request, reply) => match self.room_for(&request.content) {
                Some(room) => self.serve_beside(service.write(request, reply, room)),
                None => reply.fail(error::internal(TOO_MUCH)),
            },
            ClientCall::CreateTerminal(request, reply) => {
                self.serve_beside(service.run(request, reply))
            }
            ClientCall::TerminalOutput(request, reply) => self.serve_beside(async move {
                let output = async move { host.terminal_output(&request) };
                service.responses.respond(reply, output).await;
            }),
            call => self.serve_beside(serve_terminal_request(host, call)),
        }
    }

    fn responses(&self) -> LargeResponseQueue {
        LargeResponseQueue {
            slots: Arc::clone(&self.limits.answers),
            agent: self.agent.clone(),
        }
    }

    /// Reserves memory for a text to write until the permit is dropped; `None` if too much is reserved.
    fn room_for(&self, content: &str) -> Option<OwnedSemaphorePermit> {
        let room = u32::try_from(content.len() / 1024).unwrap_or(u32::MAX);
        let writes = Arc::clone(&self.limits.writes);
        writes.try_acquire_many_owned(room.max(1)).ok()
    }
}

/// Serves one request for a file or command: resolves it, asks for permission, then carries it out.
struct HostService {
    conversation: ConversationHandle,
    host: Host,
    responses: LargeResponseQueue,
}

impl HostService {
    async fn read(self, request: v1::ReadTextFileRequest, reply: Reply<v1::ReadTextFileResponse>) {
        let place = self.host.inspect_read(&request).await;
        if place.is_refused {
            return reply.with(self.host.read_text_file(&request).await);
        }
        let (asked, judged) = (request.clone(), place.clone());
        let permitted = self.permit(&reply, &request.session_id, move |agent, workspace| {
            let path = asked.path.as_path().to_owned();
            let action = Action::from_read_request(agent, workspace, &asked, &judged);
            (HostRequest::Read { path }, action)
        });
        match permitted.await {
            Some(Ok(())) => {
                let host = self.host;
                let read = async move { host.read_inspected(&request, &place).await };
                self.responses.respond(reply, read).await;
            }
            Some(Err(error)) => reply.fail(error),
            None => {}
        }
    }

    async fn write(
        self,
        request: v1::WriteTextFileRequest,
        reply: Reply<v1::WriteTextFileResponse>,
        _room: OwnedSemaphorePermit,
    ) {
        let place = self.host.inspect_write(&request).await;
        // The host refuses this path, whatever the user answers.
        if place.is_refused {
            return reply.with(self.host.write_text_file(request).await);
        }
        let asked = request.clone();
        let permitted = self.permit(&reply, &request.session_id, move |agent, workspace| {
            let (action, change) = Action::from_write_request(agent, workspace, &asked, &place);
            (HostRequest::Write { change }, action)
        });
        match permitted.await {
            Some(Ok(())) => reply.with(self.host.write_text_file(request).await),
            Some(Err(error)) => reply.fail(error),
            None => {}
        }
    }

    async fn run(
        self,
        request: v1::CreateTerminalRequest,
        reply: Reply<v1::CreateTerminalResponse>,
    ) {
        let request = self.host.resolve_command(request).await;
        let asked = request.clone();
        let permitted = self.permit(&reply, &request.session_id, move |agent, workspace| {
            let action = Action::from_terminal_request(agent, workspace, &asked);
            (running(&asked), action)
        });
        match permitted.await {
            Some(Ok(())) => {
                let created = self.host.create_terminal(&request).await;
                let notice = created.as_ref().ok();
                let notice = notice.and_then(|it| self.host.notice(&it.terminal_id));
                reply.with(created);
                if let Some(notice) = notice {
                    let tell =
                        |conversation: &mut Conversation| conversation.emit(Event::Notice(notice));
                    self.conversation.with(tell).await;
                }
            }
            Some(Err(error)) => reply.fail(error),
            None => {}
        }
    }

    /// Whether a host request is permitted. `None` if the agent cancelled the request.
    async fn permit<T: Encode>(
        &self,
        reply: &Reply<T>,
        session: &v1::SessionId,
        act: impl FnOnce(&str, std::path::PathBuf) -> (HostRequest, Action) + Send + 'static,
    ) -> Option<Result<(), Error>> {
        let session = session.clone();
        let begin = move |conversation: &mut Conversation| {
            let Some(open) = conversation.sessions.get(&session) else {
                return Err(error::session_not_found(&session));
            };
            let (request, action) = act(&conversation.setup.agent, open.cwd.clone());
            // The text to write has its own limit.
            let bytes = 0;
            let source = RequestSource::HostRequest(Arc::new(request), action);
            Ok(conversation.request_permission(&session, source, bytes))
        };
        let permission = match self.conversation.with(begin).await? {
            Ok(permission) => permission,
            Err(error) => return Some(Err(error)),
        };
        tokio::select! {
            biased;
            outcome = permission.decide() => Some(match outcome.is_allowed {
                true => Ok(()),
                false => Err(refusal(&outcome)),
            }),
            () = reply.cancelled() => None,
        }
    }
}

fn running(request: &v1::CreateTerminalRequest) -> HostRequest {
    HostRequest::Run {
        command: terminals::shown_command(request),
        cwd: request.cwd.as_ref().map(|cwd| cwd.as_path().to_owned()),
        env: request.env.clone(),
    }
}

fn refusal(outcome: &PermissionOutcome) -> Error {
    let why = format!("not allowed ({})", outcome.reason);
    error::invalid_request("permission_denied", &why)
}

/// Limits on memory for the agent's requests.
#[derive(Debug)]
pub(super) struct ServiceLimits {
    /// Large responses that the agent has not read yet.
    answers: Arc<Semaphore>,
    /// Texts to write, in KiB.
    writes: Arc<Semaphore>,
}

impl Default for ServiceLimits {
    fn default() -> ServiceLimits {
        ServiceLimits {
            answers: Arc::new(Semaphore::new(ANSWERS)),
            writes: Arc::new(Semaphore::new(WRITES)),
        }
    }
}

/// Sends responses that may be large. While many are unread, the next one is not computed.
struct LargeResponseQueue {
    slots: Arc<Semaphore>,
    agent: Option<AgentHandle>,
}

impl LargeResponseQueue {
    async fn respond<T: Encode + 'static>(
        self,
        reply: Reply<T>,
        act: impl Future<Output = Result<T, Error>>,
    ) {
        let place = self.slots.acquire().await;
        reply.with(act.await);
        if let Some(agent) = &self.agent {
            agent.flush().await;
        }
        drop(place);
    }
}

/// Serves requests to a running terminal. Stops waiting when the agent cancels its request.
async fn serve_terminal_request(host: Host, call: ClientCall) {
    match call {
        ClientCall::WaitForTerminalExit(request, reply) => tokio::select! {
            exit = host.wait_for_terminal_exit(&request) => reply.with(exit),
            () = reply.cancelled() => {}
        },
        ClientCall::KillTerminal(request, reply) => {
            reply.with(host.kill_terminal(&request).await);
        }
        ClientCall::ReleaseTerminal(request, reply) => {
            reply.with(host.release_terminal(&request).await);
        }
        other => other.refuse(),
    }
}

const ANSWERS: usize = 16;
/// 64 MiB.
const WRITES: usize = 64 * 1024;
const TOO_MUCH: &str = "too much is being written at the same time; wait for responses";

#[cfg(test)]
mod tests {
    use attache_host::Host;
    use attache_host::audit::Log;
    use attache_host::files::Files;
    use attache_host::permissions::{Permissions, Preset};
    use attache_host::terminals::Terminals;

    use crate::conversation::{Conversation, Setup};

    #[test]
    fn waiting_writes_are_limited_in_memory() {
        let permissions = Permissions::preset(Preset::Ask);
        let host = Host::new(
            Files::default(),
            Terminals::default(),
            permissions,
            Log::none(),
        );
        let conversation = Conversation::new(Setup::new("agent", host));
        let content = "x".repeat(10 << 20);
        let held: Vec<_> = (0..1024)
            .map_while(|_| conversation.room_for(&content))
            .collect();
        assert_eq!(held.len(), 6);
        drop(held);
        assert!(conversation.room_for(&content).is_some());
    }
}
