//! One act with a client: waiting for its prompt, and what an agent says in a turn.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::post::{Post, SESSION};
use crate::conformance::act::Stop;
use crate::conformance::json::{self, text};
use crate::conformance::show::Show;
use crate::conformance::stage::Answer;

/// An act in which we are the agent.
pub(crate) type Visit = Show<Post>;

impl Visit {
    /// Starts the client and waits for its prompt.
    pub(crate) async fn prompted(&mut self) -> Result<(), Stop> {
        self.prompted_by(Post::default()).await
    }

    pub(crate) async fn prompted_by(&mut self, post: Post) -> Result<(), Stop> {
        self.start_with(post).await?;
        let asked = self
            .stage()?
            .until(|it| json::method(it) == "session/prompt")
            .await;
        if asked.is_none() {
            return Err(Stop("the client sent no prompt".to_owned()));
        }
        let heard = self.heard(0);
        let hello = heard
            .iter()
            .find(|(_, it)| json::method(it) == "initialize");
        self.peer = hello.map_or(Value::Null, |(_, it)| {
            it.pointer("/params/clientCapabilities")
                .cloned()
                .unwrap_or(Value::Null)
        });
        Ok(())
    }

    /// Prompts it again if it is gone.
    pub(crate) async fn revive(&mut self) -> Result<(), Stop> {
        match self.is_gone() {
            true => self.prompted().await,
            false => Ok(()),
        }
    }

    pub(crate) fn offers(&self, pointer: &str) -> bool {
        json::offers(&self.peer, pointer)
    }

    /// Asks the client something in the name of the session.
    pub(crate) async fn request(&mut self, method: &str, mut params: Value) -> Answer {
        params["sessionId"] = json!(SESSION);
        self.ask(method, params).await
    }

    pub(crate) async fn update(&mut self, update: Value) -> Result<usize, Stop> {
        self.tell(
            "session/update",
            json!({ "sessionId": SESSION, "update": update }),
        )
        .await
    }

    /// Judges that the client still answers.
    pub(crate) async fn is_alive(&mut self, id: &str, after: usize) {
        let ping = self.ping_unknown().await;
        let outcome = ping
            .was_answered()
            .map_err(|why| format!("afterwards {why}"));
        let entries = [vec![after], ping.entries()].concat();
        self.judge(id, outcome, &entries);
    }

    /// Ends the turn, if one is open.
    pub(crate) async fn end_turn(&mut self, reason: &str) -> Result<(), Stop> {
        let held = self.stage()?.held.clone();
        for (_, id) in held {
            self.stage()?
                .reply(&id, json!({ "stopReason": reason }))
                .await;
        }
        Ok(())
    }

    /// The directory that the client works in, if it is the one made for it.
    pub(crate) fn folder(&self) -> Option<PathBuf> {
        let heard = self.heard(0);
        let opened = heard
            .iter()
            .find(|(_, it)| json::method(it) == "session/new");
        let cwd = PathBuf::from(opened.map_or("", |(_, it)| text(it, "/params/cwd")));
        let ours = |path: &PathBuf| path.canonicalize().ok();
        (ours(&cwd).is_some() && ours(&cwd) == ours(&self.options.folder)).then_some(cwd)
    }
}
