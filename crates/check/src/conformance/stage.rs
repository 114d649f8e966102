//! One connection with what is under test, as a JSON-RPC peer that notices everything: questions are put and answers
//! found, and what the other side asks meanwhile is answered by [`Manners`].

use std::collections::HashMap;
use std::time::Duration;

use attache_testkit::Side;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::json::{self, Shape};
use super::wire::{Heard, Wire};
use super::{Conversation, Ends};

/// How requests of the other side are answered.
pub(crate) trait Manners: Send {
    fn answer(&mut self, method: &str, params: &Value) -> Reply;

    /// Whether a request that is held can be answered now.
    fn wake(&mut self, _method: &str, _params: &Value) -> Option<Reply> {
        None
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Ok(Value),
    Fail(i64, &'static str),
    /// It stays open, for the act to deal with.
    Hold,
}

pub(crate) struct Stage<M> {
    wire: Wire,
    pub(crate) manners: M,
    next_id: i64,
    pub(crate) patience: Duration,
    answers: HashMap<String, usize>,
    /// Requests of theirs that are open: the entry and the id.
    pub(crate) held: Vec<(usize, Value)>,
    gone: bool,
}

/// A request of ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) entry: usize,
    id: Value,
}

/// What became of a request of ours.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) asked: usize,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    Ok(Value, usize),
    /// An error with its code.
    Fail(i64, usize),
    Silent,
    Gone,
}

impl<M: Manners> Stage<M> {
    pub(crate) fn new(
        us: Side,
        act: &'static str,
        ends: Ends,
        manners: M,
        patience: Duration,
    ) -> Self {
        Stage {
            wire: Wire::new(us, act, ends),
            manners,
            next_id: 1,
            patience,
            answers: HashMap::new(),
            held: Vec::new(),
            gone: false,
        }
    }

    pub(crate) fn conversation(&self) -> &Conversation {
        &self.wire.conversation
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Answer {
        let asked = self.start(method, params).await;
        self.finish(asked).await
    }

    /// Sends a request.
    pub(crate) async fn start(&mut self, method: &str, params: Value) -> Asked {
        let id = json!(self.next_id);
        self.next_id += 1;
        self.start_as(id, method, params).await
    }

    /// Sends a request with that id.
    pub(crate) async fn start_as(&mut self, id: Value, method: &str, params: Value) -> Asked {
        self.answers.remove(&id.to_string());
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let entry = self.say(&request).await;
        Asked { entry, id }
    }

    /// Takes a line that was sent otherwise for a request with that id.
    pub(crate) fn asked_as(&mut self, entry: usize, id: Value) -> Asked {
        Asked { entry, id }
    }

    /// Waits for an answer.
    pub(crate) async fn finish(&mut self, asked: Asked) -> Answer {
        let key = asked.id.to_string();
        let deadline = Instant::now() + self.patience;
        loop {
            if let Some(entry) = self.answers.get(&key) {
                return self.answer_at(&asked, *entry);
            }
            match self.step(deadline).await {
                Heard::Entry(_) => {}
                Heard::End => return asked.with(Outcome::Gone),
                Heard::Late => return asked.with(Outcome::Silent),
            }
        }
    }

    pub(crate) async fn tell(&mut self, method: &str, params: Value) -> usize {
        let told = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.say(&told).await
    }

    /// Answers a request of theirs that was held.
    pub(crate) async fn reply(&mut self, id: &Value, result: Value) -> usize {
        self.held.retain(|(_, held)| held != id);
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
        self.say(&answer).await
    }

    pub(crate) async fn refuse(&mut self, id: &Value, code: i64, message: &str) -> usize {
        self.held.retain(|(_, held)| held != id);
        let error = json!({ "code": code, "message": message });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        self.say(&answer).await
    }

    pub(crate) async fn say(&mut self, message: &Value) -> usize {
        self.say_raw(format!("{message}\n").as_bytes()).await
    }

    pub(crate) async fn say_raw(&mut self, bytes: &[u8]) -> usize {
        // Whether it is gone for good is seen when its own stream has ended.
        self.wire.say(bytes, self.patience).await.0
    }

    pub(crate) async fn say_in_pieces(&mut self, message: &Value) -> usize {
        let line = format!("{message}\n");
        self.wire
            .say_in_pieces(line.as_bytes(), self.patience)
            .await
    }

    /// Listens until a message fits; the entry. Requests are answered meanwhile.
    pub(crate) async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Option<usize> {
        let deadline = Instant::now() + self.patience;
        loop {
            match self.step(deadline).await {
                Heard::Entry(entry) => {
                    if self.conversation().json(entry).is_some_and(&fits) {
                        return Some(entry);
                    }
                }
                Heard::End | Heard::Late => return None,
            }
        }
    }

    /// Listens until the other side has ended, or for so long; whether it has.
    pub(crate) async fn until_end(&mut self, within: Duration) -> bool {
        let deadline = Instant::now() + within;
        loop {
            match self.step(deadline).await {
                Heard::Entry(_) => {}
                Heard::End => return true,
                Heard::Late => return false,
            }
        }
    }

    pub(crate) async fn close(&mut self) {
        self.wire.close(self.patience).await;
    }

    pub(crate) async fn end(self) -> Conversation {
        self.wire.finish().await
    }

    async fn step(&mut self, deadline: Instant) -> Heard {
        let within = deadline.saturating_duration_since(Instant::now());
        let heard = self.wire.hear(within).await;
        match heard {
            Heard::Entry(entry) => self.take(entry).await,
            Heard::End => self.gone = true,
            Heard::Late => {}
        }
        heard
    }

    async fn take(&mut self, entry: usize) {
        let Some(message) = self.conversation().json(entry) else {
            return;
        };
        let id = message.get("id").cloned().unwrap_or(Value::Null);
        match json::shape(message) {
            Shape::Answer => {
                self.answers.insert(id.to_string(), entry);
            }
            Shape::Request => {
                let (method, params) = request(message);
                let reply = self.manners.answer(&method, &params);
                self.send(entry, &id, reply).await;
                self.wake().await;
            }
            Shape::Notification | Shape::Other => {}
        }
    }

    async fn send(&mut self, entry: usize, id: &Value, reply: Reply) {
        match reply {
            Reply::Ok(result) => {
                self.reply(id, result).await;
            }
            Reply::Fail(code, text) => {
                self.refuse(id, code, text).await;
            }
            Reply::Hold => self.held.push((entry, id.clone())),
        }
    }

    async fn wake(&mut self) {
        for (entry, id) in self.held.clone() {
            let Some(message) = self.conversation().json(entry) else {
                continue;
            };
            let (method, params) = request(message);
            match self.manners.wake(&method, &params) {
                None | Some(Reply::Hold) => {}
                Some(reply) => self.send(entry, &id, reply).await,
            }
        }
    }

    fn answer_at(&self, asked: &Asked, entry: usize) -> Answer {
        let message = self.conversation().json(entry);
        let outcome = match message.and_then(|message| message.get("error")) {
            Some(error) => {
                let code = error.get("code").and_then(Value::as_i64);
                Outcome::Fail(code.unwrap_or(0), entry)
            }
            None => {
                let result = message.and_then(|message| message.get("result"));
                Outcome::Ok(result.cloned().unwrap_or(Value::Null), entry)
            }
        };
        asked.with(outcome)
    }
}

fn request(message: &Value) -> (String, Value) {
    let params = message.get("params").cloned().unwrap_or(Value::Null);
    (json::method(message).to_owned(), params)
}

impl Asked {
    pub(crate) fn id(&self) -> &Value {
        &self.id
    }

    fn with(&self, outcome: Outcome) -> Answer {
        Answer {
            asked: self.entry,
            outcome,
        }
    }
}

impl Answer {
    /// The entries that prove it.
    pub(crate) fn entries(&self) -> Vec<usize> {
        match self.outcome {
            Outcome::Ok(_, entry) | Outcome::Fail(_, entry) => vec![self.asked, entry],
            Outcome::Silent | Outcome::Gone => vec![self.asked],
        }
    }

    pub(crate) fn result(&self) -> Option<&Value> {
        match &self.outcome {
            Outcome::Ok(result, _) => Some(result),
            _ => None,
        }
    }

    /// That it went well.
    pub(crate) fn went_well(&self) -> Result<(), String> {
        match &self.outcome {
            Outcome::Ok(..) => Ok(()),
            other => Err(other.said()),
        }
    }

    /// That it was refused, with one of these codes if there are any.
    pub(crate) fn was_refused(&self, codes: &[i64]) -> Result<(), String> {
        match &self.outcome {
            Outcome::Fail(code, _) if codes.is_empty() || codes.contains(code) => Ok(()),
            Outcome::Fail(code, _) => Err(format!(
                "the error code is {code} instead of {}",
                codes
                    .iter()
                    .map(i64::to_string)
                    .collect::<Vec<_>>()
                    .join(" or ")
            )),
            other => Err(other.said()),
        }
    }

    /// That it was answered, whatever with.
    pub(crate) fn was_answered(&self) -> Result<(), String> {
        match &self.outcome {
            Outcome::Ok(..) | Outcome::Fail(..) => Ok(()),
            other => Err(other.said()),
        }
    }
}

impl Outcome {
    fn said(&self) -> String {
        match self {
            Outcome::Ok(..) => "it succeeded".to_owned(),
            Outcome::Fail(code, _) => format!("it failed with {code}"),
            Outcome::Silent => "there was no response in time".to_owned(),
            Outcome::Gone => "it exited instead of responding".to_owned(),
        }
    }
}
