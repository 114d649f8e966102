//! A test case with a client: waiting for its prompt, and what an agent sends during a turn.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::fake_agent::{FakeAgent, SESSION};
use crate::conformance::json::{self, text};
use crate::conformance::peer_test::PeerTest;
use crate::conformance::test_case::AbortReason;
use crate::conformance::test_connection::CallResult;

/// A test case in which we are the agent.
pub(crate) type ClientTest = PeerTest<FakeAgent>;

impl ClientTest {
    /// Starts the client and waits for its prompt.
    pub(crate) async fn start_prompted(&mut self) -> Result<(), AbortReason> {
        self.start_prompted_with(FakeAgent::default()).await
    }

    pub(crate) async fn start_prompted_with(
        &mut self,
        agent: FakeAgent,
    ) -> Result<(), AbortReason> {
        self.start_with(agent).await?;
        let request = self
            .connection()?
            .wait_for(|it| json::method(it) == "session/prompt")
            .await;
        if request.is_none() {
            return Err(AbortReason("the client sent no prompt".to_owned()));
        }
        let messages = self.messages_since(0);
        let initialize = messages
            .iter()
            .find(|(_, it)| json::method(it) == "initialize");
        self.peer_info = initialize.map_or(Value::Null, |(_, it)| {
            it.pointer("/params/clientCapabilities")
                .cloned()
                .unwrap_or(Value::Null)
        });
        Ok(())
    }

    /// Starts the client again if it has exited.
    pub(crate) async fn restart_if_gone(&mut self) -> Result<(), AbortReason> {
        match self.is_closed() {
            true => self.start_prompted().await,
            false => Ok(()),
        }
    }

    pub(crate) fn offers(&self, pointer: &str) -> bool {
        json::offers(&self.peer_info, pointer)
    }

    /// Sends a request for the session.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> CallResult {
        params["sessionId"] = json!(SESSION);
        self.call(method, params).await
    }

    pub(crate) async fn update(&mut self, update: Value) -> Result<usize, AbortReason> {
        self.notify(
            "session/update",
            json!({ "sessionId": SESSION, "update": update }),
        )
        .await
    }

    /// Judges that the client still responds.
    pub(crate) async fn judge_alive(&mut self, id: &str, after: usize) {
        let ping = self.ping_unknown_method().await;
        let outcome = ping
            .expect_response()
            .map_err(|why| format!("afterwards {why}"));
        let entries = [vec![after], ping.entries()].concat();
        self.judge(id, outcome, &entries);
    }

    /// Ends the turn, if one is running.
    pub(crate) async fn end_turn(&mut self, reason: &str) -> Result<(), AbortReason> {
        let held = self.connection()?.deferred.clone();
        for (_, id) in held {
            self.connection()?
                .respond(&id, json!({ "stopReason": reason }))
                .await;
        }
        Ok(())
    }

    /// The working directory of the client, if it is the one that was made for it.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        let messages = self.messages_since(0);
        let opened = messages
            .iter()
            .find(|(_, it)| json::method(it) == "session/new");
        let cwd = PathBuf::from(opened.map_or("", |(_, it)| text(it, "/params/cwd")));
        let ours = |path: &PathBuf| path.canonicalize().ok();
        (ours(&cwd).is_some() && ours(&cwd) == ours(&self.options.folder)).then_some(cwd)
    }
}
