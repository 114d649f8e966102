//! Files and terminals: whatever the agent asks of the host is served beside everything else.

use std::sync::Arc;

use attache::json::Encode;
use attache::schema::error;
use attache::{AgentHandle, ClientCall, Error, Reply, v1};
use attache_host::Host;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Desk, before, deeds};

impl Desk {
    /// The connection bounds how many are under way.
    pub(super) fn serve(&mut self, call: ClientCall) {
        let host = self.setup.host.clone();
        match call {
            ClientCall::ReadTextFile(request, reply) => {
                let place = {
                    let (host, request) = (host.clone(), request.clone());
                    async move { host.place_to_read(&request).await }
                };
                self.served.push(before(place, move |desk, place| {
                    let deed = deeds::read(&request, &place);
                    let outbox = desk.outbox();
                    desk.with_leave(deed, deeds::reading(&request), reply, |reply| async move {
                        let read = async move { host.read_text_file(&request).await };
                        outbox.answer(reply, read).await;
                    });
                }));
            }
            ClientCall::WriteTextFile(request, reply) => {
                let Some(room) = self.room_for(&request.content) else {
                    return reply.fail(error::internal(TOO_MUCH));
                };
                let place = {
                    let (host, request) = (host.clone(), request.clone());
                    async move { host.place_to_write(&request).await }
                };
                self.served.push(before(place, move |desk, place| {
                    let is_closed = place.is_closed;
                    let deed = deeds::write(&request, place);
                    let write = |reply: Reply<v1::WriteTextFileResponse>| async move {
                        reply.with(host.write_text_file(request).await);
                        drop(room);
                    };
                    match deeds::writing(&deed).filter(|_| !is_closed) {
                        // The host refuses it, whatever a person would say.
                        None => desk.attend(write(reply)),
                        Some(request) => desk.with_leave(deed, request, reply, write),
                    }
                }));
            }
            ClientCall::CreateTerminal(request, reply) => {
                let in_words = {
                    let host = host.clone();
                    async move { host.in_words(request).await }
                };
                self.served.push(before(in_words, move |desk, request| {
                    let deed = deeds::run(&request);
                    desk.with_leave(deed, deeds::running(&request), reply, |reply| async move {
                        reply.with(host.create_terminal(&request).await);
                    });
                }));
            }
            ClientCall::TerminalOutput(request, reply) => {
                let outbox = self.outbox();
                self.attend(async move {
                    let output = async move { host.terminal_output(&request) };
                    outbox.answer(reply, output).await;
                });
            }
            call => self.attend(attend(host, call)),
        }
    }

    fn outbox(&self) -> Outbox {
        Outbox {
            places: Arc::clone(&self.load.answers),
            agent: self.agent.clone(),
        }
    }

    /// Room for what is to be written, as long as it is held; nothing if too much is.
    fn room_for(&self, content: &str) -> Option<OwnedSemaphorePermit> {
        let room = u32::try_from(content.len() / 1024).unwrap_or(u32::MAX);
        let writes = Arc::clone(&self.load.writes);
        writes.try_acquire_many_owned(room.max(1)).ok()
    }
}

/// What the agent's requests may take up at the same time.
#[derive(Debug)]
pub(super) struct Load {
    /// Large answers that the agent has not taken yet.
    answers: Arc<Semaphore>,
    /// What is to be written, in KiB.
    writes: Arc<Semaphore>,
}

impl Default for Load {
    fn default() -> Load {
        Load {
            answers: Arc::new(Semaphore::new(ANSWERS)),
            writes: Arc::new(Semaphore::new(WRITES)),
        }
    }
}

/// For answers that may be large: while many have not been taken, the next is not even worked out.
struct Outbox {
    places: Arc<Semaphore>,
    agent: Option<AgentHandle>,
}

impl Outbox {
    async fn answer<T: Encode + 'static>(
        self,
        reply: Reply<T>,
        act: impl Future<Output = Result<T, Error>>,
    ) {
        let place = self.places.acquire().await;
        reply.with(act.await);
        if let Some(agent) = &self.agent {
            agent.flush().await;
        }
        drop(place);
    }
}

/// What a terminal that runs is asked. An answer that is no longer wanted is not waited for.
async fn attend(host: Host, call: ClientCall) {
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
const TOO_MUCH: &str = "too much is being written at the same time; wait for the answers";

#[cfg(test)]
mod tests {
    use attache_host::Host;
    use attache_host::audit::Log;
    use attache_host::files::Files;
    use attache_host::permissions::{Permissions, Preset};
    use attache_host::terminals::Terminals;

    use crate::desk::{Desk, Setup};

    #[test]
    fn writes_that_wait_hold_no_more_than_so_much() {
        let permissions = Permissions::preset(Preset::Ask);
        let host = Host::new(
            Files::default(),
            Terminals::default(),
            permissions,
            Log::none(),
        );
        let desk = Desk::new(Setup::new("agent", host));
        let content = "x".repeat(10 << 20);
        let held: Vec<_> = (0..1024).map_while(|_| desk.room_for(&content)).collect();
        assert_eq!(held.len(), 6);
        drop(held);
        assert!(desk.room_for(&content).is_some());
    }
}
