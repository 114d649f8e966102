//! A test case with an agent: the usual requests of a client.

use serde_json::{Value, json};

use super::PromptKind;
use super::fake_editor::FakeEditor;
use super::peer_test::PeerTest;
use super::test_case::AbortReason;
use super::test_connection::{CallOutcome, CallResult, SentRequest};

/// A test case in which we are the client.
pub(crate) type AgentTest = PeerTest<FakeEditor>;

impl AgentTest {
    /// Starts the agent, after stopping the previous one.
    pub(crate) async fn start(&mut self) -> Result<(), AbortReason> {
        let editor = FakeEditor::new(&self.options.folder);
        self.start_with(editor).await
    }

    /// Starts and initializes the agent, as a client with every capability.
    pub(crate) async fn initialize(&mut self) -> Result<(), AbortReason> {
        self.initialize_with(all_client_capabilities()).await
    }

    pub(crate) async fn initialize_with(&mut self, capabilities: Value) -> Result<(), AbortReason> {
        self.start().await?;
        let response = self
            .call("initialize", initialize_params(capabilities))
            .await;
        let Some(result) = response.result() else {
            return Err(AbortReason("initialize failed".to_owned()));
        };
        self.peer_info = result.clone();
        Ok(())
    }

    /// Starts the agent again if it has exited.
    pub(crate) async fn restart_if_gone(&mut self) -> Result<(), AbortReason> {
        match self.is_closed() {
            true => self.initialize().await,
            false => Ok(()),
        }
    }

    pub(crate) fn editor(&mut self) -> Result<&mut FakeEditor, AbortReason> {
        self.handler()
    }

    pub(crate) fn cwd(&self) -> String {
        self.options.folder.to_string_lossy().into_owned()
    }

    pub(crate) fn new_session_params(&self) -> Value {
        json!({ "cwd": self.cwd(), "mcpServers": [] })
    }

    /// Opens a session and returns its id.
    pub(crate) async fn new_session(&mut self) -> Result<String, AbortReason> {
        Ok(self.new_session_result().await?.0)
    }

    pub(crate) async fn new_session_result(&mut self) -> Result<(String, CallResult), AbortReason> {
        let params = self.new_session_params();
        let result = self.call("session/new", params).await;
        let id = result.result().and_then(|result| result.get("sessionId"));
        let id = id.and_then(Value::as_str).map(str::to_owned);
        match id {
            Some(id) => Ok((id, result)),
            None => Err(AbortReason(match result.outcome {
                CallOutcome::Error(-32000, _) => "session/new requires a login first".to_owned(),
                _ => "session/new failed".to_owned(),
            })),
        }
    }

    /// Starts and initializes the agent, and opens a session.
    pub(crate) async fn open(&mut self) -> Result<String, AbortReason> {
        self.initialize().await?;
        self.new_session().await
    }

    /// The prompt of a kind, if one was given.
    pub(crate) fn prompt_text(&self, kind: PromptKind) -> Option<String> {
        self.options.prompts.get(&kind).cloned()
    }

    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> CallResult {
        self.call("session/prompt", prompt_params(session, text))
            .await
    }

    pub(crate) async fn send_prompt(
        &mut self,
        session: &str,
        text: &str,
    ) -> Result<SentRequest, AbortReason> {
        Ok(self
            .connection()?
            .send_request("session/prompt", prompt_params(session, text))
            .await)
    }

    pub(crate) async fn cancel(&mut self, session: &str) -> Result<usize, AbortReason> {
        self.notify("session/cancel", json!({ "sessionId": session }))
            .await
    }

    /// A request that shows whether the agent still responds.
    pub(crate) async fn ping(&mut self) -> CallResult {
        if self.answers_unknown_methods {
            let result = self.ping_unknown_method().await;
            if result.outcome != CallOutcome::TimedOut {
                return result;
            }
            self.answers_unknown_methods = false;
        }
        let params = self.new_session_params();
        self.call("session/new", params).await
    }

    pub(crate) fn offers(&self, pointer: &str) -> bool {
        let capabilities = self.peer_info.get("agentCapabilities");
        capabilities.is_some_and(|it| super::json::offers(it, pointer))
    }

    /// Judges that the agent still responds.
    pub(crate) async fn judge_alive(&mut self, id: &str, after: usize) {
        let ping = self.ping().await;
        let outcome = ping
            .expect_response()
            .map_err(|why| format!("afterwards {why}"));
        let mut entries = vec![after];
        entries.extend(ping.entries());
        self.judge(id, outcome, &entries);
    }
}

pub(crate) fn prompt_params(session: &str, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

pub(crate) fn initialize_params(capabilities: Value) -> Value {
    json!({
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": { "name": "attache-check", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Every capability that a client can have.
pub(crate) fn all_client_capabilities() -> Value {
    json!({
        "fs": { "readTextFile": true, "writeTextFile": true },
        "terminal": true,
        "session": { "compaction": {}, "notices": {}, "configOptions": { "boolean": {} } },
        "elicitation": { "form": {}, "url": {} },
        "plan": {},
        "subagents": {},
    })
}
