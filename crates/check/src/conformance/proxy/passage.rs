//! One act with a proxy: a client in front of it and an agent behind it.

use std::sync::Arc;

use attache_testkit::Side;
use serde_json::{Value, json};

use super::ProxyLaunch;
use crate::conformance::act::{Act, Books, Later, Stageable, Stop};
use crate::conformance::json::method;
use crate::conformance::stage::{Answer, Asked, Manners, Reply, Stage};
use crate::conformance::{Conversation, Evidence, Options};

/// Whoever leaves everything to the act.
pub(crate) struct Silent;

impl Manners for Silent {
    fn answer(&mut self, _: &str, _: &Value) -> Reply {
        Reply::Hold
    }
}

pub(crate) struct Passage {
    act: &'static str,
    pub(crate) options: Arc<Options>,
    launch: ProxyLaunch,
    books: Books,
    ends: Option<(Stage<Silent>, Stage<Silent>)>,
    over: Vec<Conversation>,
}

/// A message that came out at the other end.
pub(crate) struct Passed {
    pub(crate) entry: usize,
    pub(crate) message: Value,
    pub(crate) line: String,
}

impl Passage {
    pub(crate) fn new(
        act: &'static Act<Passage>,
        launch: ProxyLaunch,
        options: Arc<Options>,
    ) -> Self {
        Passage {
            act: act.name,
            options,
            launch,
            books: Books::new(act.checks),
            ends: None,
            over: Vec::new(),
        }
    }

    /// Starts the proxy.
    pub(crate) async fn start(&mut self) -> Result<(), Stop> {
        self.end().await;
        let (front, back) = (self.launch)(self.act).await.map_err(Stop)?;
        let patience = self.options.patience;
        let front = Stage::new(Side::Client, self.act, front, Silent, patience);
        let back = Stage::new(Side::Agent, self.act, back, Silent, patience);
        self.ends = Some((front, back));
        Ok(())
    }

    /// Starts the proxy and lets both sides greet each other.
    pub(crate) async fn open(&mut self) -> Result<(), Stop> {
        self.start().await?;
        let hello = json!({ "protocolVersion": 1, "clientCapabilities": {} });
        let asked = self.front()?.start("initialize", hello).await;
        let heard = self
            .at_back("initialize")
            .await
            .ok_or_else(|| Stop("initialize did not arrive".to_owned()))?;
        let result = json!({ "protocolVersion": 1, "agentCapabilities": {} });
        self.back()?.reply(&id(&heard.message), result).await;
        let answer = self.front()?.finish(asked).await;
        answer.went_well().map_err(Stop)
    }

    pub(crate) fn front(&mut self) -> Result<&mut Stage<Silent>, Stop> {
        let ends = self.ends.as_mut().map(|(front, _)| front);
        ends.ok_or_else(|| Stop("the proxy did not start".to_owned()))
    }

    pub(crate) fn back(&mut self) -> Result<&mut Stage<Silent>, Stop> {
        let ends = self.ends.as_mut().map(|(_, back)| back);
        ends.ok_or_else(|| Stop("the proxy did not start".to_owned()))
    }

    /// Sends a request of the client, and waits behind the proxy for it. Both at the same time: it may be large.
    pub(crate) async fn forward(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<(Asked, Option<Passed>), Stop> {
        let (front, back) = self.both()?;
        Ok(tokio::join!(
            front.start(method, params),
            came(back, method)
        ))
    }

    /// Sends a request of the agent, and waits in front of the proxy for it.
    pub(crate) async fn backward(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<(Asked, Option<Passed>), Stop> {
        let (front, back) = self.both()?;
        Ok(tokio::join!(
            back.start(method, params),
            came(front, method)
        ))
    }

    fn both(&mut self) -> Result<(&mut Stage<Silent>, &mut Stage<Silent>), Stop> {
        let ends = self.ends.as_mut().map(|(front, back)| (front, back));
        ends.ok_or_else(|| Stop("the proxy did not start".to_owned()))
    }

    /// Waits behind the proxy for a call of a method.
    pub(crate) async fn at_back(&mut self, name: &str) -> Option<Passed> {
        came(&mut self.ends.as_mut()?.1, name).await
    }

    /// Waits in front of the proxy for a call of a method.
    pub(crate) async fn at_front(&mut self, name: &str) -> Option<Passed> {
        came(&mut self.ends.as_mut()?.0, name).await
    }

    /// Judges by messages in front of the proxy.
    pub(crate) fn judge(&mut self, id: &str, outcome: Result<(), String>, front: &[usize]) {
        self.judge_both(id, outcome, front, &[]);
    }

    /// Judges by messages in front of the proxy and behind it.
    pub(crate) fn judge_both(
        &mut self,
        id: &str,
        outcome: Result<(), String>,
        front: &[usize],
        back: &[usize],
    ) {
        let conversation = self.over.len();
        let at = |conversation, entry: &usize| Evidence {
            conversation,
            entry: *entry,
        };
        let front = front.iter().map(|entry| at(conversation, entry));
        let back = back.iter().map(|entry| at(conversation + 1, entry));
        self.books.judge(id, outcome, front.chain(back).collect());
    }

    async fn end(&mut self) {
        if let Some((front, back)) = self.ends.take() {
            self.over.push(front.end().await);
            self.over.push(back.end().await);
        }
    }
}

async fn came(stage: &mut Stage<Silent>, name: &str) -> Option<Passed> {
    let entry = stage.until(|it| method(it) == name).await?;
    let conversation = stage.conversation();
    let message = conversation.json(entry)?.clone();
    let line = conversation.text(entry);
    Some(Passed {
        entry,
        message,
        line,
    })
}

pub(crate) fn id(message: &Value) -> Value {
    message.get("id").cloned().unwrap_or(Value::Null)
}

/// That both are the same.
pub(crate) fn same(sent: &Value, came: Option<&Value>) -> Result<(), String> {
    match came {
        Some(came) if came == sent => Ok(()),
        Some(_) => Err("it arrived changed".to_owned()),
        None => Err("it did not arrive".to_owned()),
    }
}

/// That an answer came through as it was given.
pub(crate) fn same_answer(given: &Value, answer: &Answer) -> Result<(), String> {
    match answer.result() {
        Some(result) => same(given, Some(result)),
        None => answer.went_well(),
    }
}

impl Stageable for Passage {
    fn books(&mut self) -> &mut Books {
        &mut self.books
    }

    fn close(mut self) -> Later<'static, Vec<Conversation>> {
        Box::pin(async move {
            self.end().await;
            self.over
        })
    }
}
