//! The interop agent on the official crate, as described in `interop/README.md`.

mod turn;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::{ConnectionTo, schema as v1};
use agent_client_protocol::{
    Agent, Client, Error, Result, Stdio, UntypedMessage, on_receive_notification,
    on_receive_request,
};
use serde_json::json;
use tokio::sync::Notify;

use turn::Turn;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let state = Arc::new(Mutex::new(State::default()));
    let (at_initialize, at_new, at_prompt, at_cancel) =
        (state.clone(), state.clone(), state.clone(), state);
    Agent
        .v1()
        .name("interop-agent")
        .on_receive_request(
            async move |request: v1::InitializeRequest, responder, _| {
                responder.respond(locked(&at_initialize).initialize(request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: v1::NewSessionRequest, responder, _| {
                responder.respond_with_result(locked(&at_new).new_session(request))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: v1::PromptRequest, responder, client: ConnectionTo<Client>| {
                let turn = locked(&at_prompt).turn(&request, &client);
                // Not in the handler: it blocks the loop that delivers the client's responses.
                client.spawn(async move {
                    let outcome = match turn {
                        Ok(turn) => turn.run(first_text(&request.prompt)).await,
                        Err(error) => Err(error),
                    };
                    responder.respond_with_result(outcome.map(v1::PromptResponse::new))
                })
            },
            on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: v1::CancelNotification, _| {
                locked(&at_cancel).cancel(&cancel.session_id);
                Ok(())
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: UntypedMessage, responder, _| match request.method() {
                "_interop/echo" => responder.respond(json!({ "value": request.params()["value"] })),
                _ => responder.respond_with_error(Error::method_not_found()),
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}

#[derive(Default)]
struct State {
    offered: v1::ClientCapabilities,
    sessions: HashMap<v1::SessionId, Session>,
}

struct Session {
    cwd: PathBuf,
    calls: Arc<Mutex<u32>>,
    cancelled: Arc<Notify>,
}

impl State {
    fn initialize(&mut self, request: v1::InitializeRequest) -> v1::InitializeResponse {
        self.offered = request.client_capabilities;
        v1::InitializeResponse::new(ProtocolVersion::V1)
            .agent_info(v1::Implementation::new("interop-agent", "1.0.0"))
            .agent_capabilities(v1::AgentCapabilities::new().load_session(false))
    }

    fn new_session(&mut self, request: v1::NewSessionRequest) -> Result<v1::NewSessionResponse> {
        if !request.cwd.is_absolute() || !request.cwd.is_dir() {
            return Err(Error::new(
                -32602,
                "cwd is not the absolute path of a folder",
            ));
        }
        let id = v1::SessionId::new(format!("session-{}", self.sessions.len() + 1));
        let session = Session {
            cwd: request.cwd,
            calls: Arc::default(),
            cancelled: Arc::default(),
        };
        self.sessions.insert(id.clone(), session);
        Ok(v1::NewSessionResponse::new(id))
    }

    fn turn(&mut self, request: &v1::PromptRequest, client: &ConnectionTo<Client>) -> Result<Turn> {
        let id = request.session_id.clone();
        let Some(session) = self.sessions.get_mut(&id) else {
            return Err(Error::new(-32002, "Resource not found").data(json!({ "sessionId": id })));
        };
        session.cancelled = Arc::default();
        Ok(Turn {
            session: id,
            cwd: session.cwd.clone(),
            calls: session.calls.clone(),
            cancelled: session.cancelled.clone(),
            offered: self.offered.clone(),
            client: client.clone(),
        })
    }

    fn cancel(&mut self, id: &v1::SessionId) {
        if let Some(session) = self.sessions.get(id) {
            session.cancelled.notify_one();
        }
    }
}

fn first_text(prompt: &[v1::ContentBlock]) -> &str {
    let text = prompt.iter().find_map(|block| match block {
        v1::ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    text.unwrap_or("")
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
