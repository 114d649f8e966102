//! One act with an agent: the usual requests of a client.

use serde_json::{Value, json};

use super::PromptKind;
use super::act::Stop;
use super::desk::Desk;
use super::show::Show;
use super::stage::{Answer, Asked, Outcome};

/// An act in which we are the client.
pub(crate) type Scene = Show<Desk>;

impl Scene {
    /// Starts the agent, after the one before has been ended.
    pub(crate) async fn start(&mut self) -> Result<(), Stop> {
        let desk = Desk::new(&self.options.folder);
        self.start_with(desk).await
    }

    /// Starts the agent and greets it as a client that offers everything.
    pub(crate) async fn greet(&mut self) -> Result<(), Stop> {
        self.greet_as(offers()).await
    }

    pub(crate) async fn greet_as(&mut self, capabilities: Value) -> Result<(), Stop> {
        self.start().await?;
        let greeted = self.ask("initialize", hello(capabilities)).await;
        let Some(result) = greeted.result() else {
            return Err(Stop("initialize failed".to_owned()));
        };
        self.peer = result.clone();
        Ok(())
    }

    /// Starts it again if it is gone.
    pub(crate) async fn revive(&mut self) -> Result<(), Stop> {
        match self.is_gone() {
            true => self.greet().await,
            false => Ok(()),
        }
    }

    pub(crate) fn desk(&mut self) -> Result<&mut Desk, Stop> {
        self.manners()
    }

    pub(crate) fn cwd(&self) -> String {
        self.options.folder.to_string_lossy().into_owned()
    }

    pub(crate) fn new_params(&self) -> Value {
        json!({ "cwd": self.cwd(), "mcpServers": [] })
    }

    /// Opens a session and gives its id.
    pub(crate) async fn session(&mut self) -> Result<String, Stop> {
        Ok(self.session_with_answer().await?.0)
    }

    pub(crate) async fn session_with_answer(&mut self) -> Result<(String, Answer), Stop> {
        let params = self.new_params();
        let answer = self.ask("session/new", params).await;
        let id = answer.result().and_then(|result| result.get("sessionId"));
        let id = id.and_then(Value::as_str).map(str::to_owned);
        match id {
            Some(id) => Ok((id, answer)),
            None => Err(Stop(match answer.outcome {
                Outcome::Fail(-32000, _) => "session/new requires a login first".to_owned(),
                _ => "session/new failed".to_owned(),
            })),
        }
    }

    /// Greets it and opens a session.
    pub(crate) async fn open(&mut self) -> Result<String, Stop> {
        self.greet().await?;
        self.session().await
    }

    /// The prompt of a kind, if there is one.
    pub(crate) fn said_for(&self, kind: PromptKind) -> Option<String> {
        self.options.prompts.get(&kind).cloned()
    }

    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> Answer {
        self.ask("session/prompt", prompt(session, text)).await
    }

    pub(crate) async fn start_prompt(&mut self, session: &str, text: &str) -> Result<Asked, Stop> {
        Ok(self
            .stage()?
            .start("session/prompt", prompt(session, text))
            .await)
    }

    pub(crate) async fn cancel(&mut self, session: &str) -> Result<usize, Stop> {
        self.tell("session/cancel", json!({ "sessionId": session }))
            .await
    }

    /// Whether the agent still answers, and what it said until it did.
    pub(crate) async fn ping(&mut self) -> Answer {
        if self.answers_unknown {
            let answer = self.ping_unknown().await;
            if answer.outcome != Outcome::Silent {
                return answer;
            }
            self.answers_unknown = false;
        }
        let params = self.new_params();
        self.ask("session/new", params).await
    }

    pub(crate) fn offers(&self, pointer: &str) -> bool {
        let capabilities = self.peer.get("agentCapabilities");
        capabilities.is_some_and(|it| super::json::offers(it, pointer))
    }

    /// Judges that the agent still answers.
    pub(crate) async fn is_alive(&mut self, id: &str, after: usize) {
        let ping = self.ping().await;
        let outcome = ping
            .was_answered()
            .map_err(|why| format!("afterwards {why}"));
        let mut entries = vec![after];
        entries.extend(ping.entries());
        self.judge(id, outcome, &entries);
    }
}

pub(crate) fn prompt(session: &str, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

pub(crate) fn hello(capabilities: Value) -> Value {
    json!({
        "protocolVersion": 1,
        "clientCapabilities": capabilities,
        "clientInfo": { "name": "attache-check", "version": env!("CARGO_PKG_VERSION") },
    })
}

/// Everything that a client can offer.
pub(crate) fn offers() -> Value {
    json!({
        "fs": { "readTextFile": true, "writeTextFile": true },
        "terminal": true,
        "session": { "compaction": {}, "notices": {}, "configOptions": { "boolean": {} } },
        "elicitation": { "form": {}, "url": {} },
        "plan": {},
        "subagents": {},
    })
}
