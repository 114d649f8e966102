//! The conversation with the model, and an estimate of its size.

use std::sync::Arc;

use attache_model::{Input, Message, Output, ToolCall, ToolResult};

/// The conversation with the model.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: Vec<Arc<Message>>,
    /// Tokens of the last request and its answer; zero after the history was replaced.
    pub(crate) used: u64,
}

impl History {
    pub(crate) fn of(messages: Vec<Message>) -> History {
        let mut history = History::default();
        for message in messages {
            history.push(message);
        }
        history
    }

    pub(crate) fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Adds a message. Providers reject a conversation in which a call has no result or a result has no call. So results
    /// join those before them, calls without a result get one, and stray results are dropped.
    pub(crate) fn push(&mut self, message: Message) {
        match message {
            Message::Tools(_) if self.open_calls().is_empty() => {}
            Message::Tools(results) => self.push_results(results),
            message => {
                self.settle();
                self.messages.push(Arc::new(message));
            }
        }
    }

    /// Gives a result to calls that have none.
    pub(crate) fn settle(&mut self) {
        let open = self.open_calls();
        if !open.is_empty() {
            let results = open.iter().map(|call| unfinished(call, NEVER));
            self.push_results(results.collect());
        }
    }

    fn push_results(&mut self, more: Vec<ToolResult>) {
        let mut results = match self
            .messages
            .pop_if(|last| matches!(**last, Message::Tools(_)))
        {
            Some(last) => match Arc::unwrap_or_clone(last) {
                Message::Tools(results) => results,
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        results.extend(more);
        self.messages.push(Arc::new(Message::Tools(results)));
    }

    /// Replaces images and audio that the provider rejected by text, so that the conversation can go on: those after the
    /// last answer if there are any, otherwise all.
    pub(crate) fn leave_out_media(&mut self) {
        let fresh = self.last_answer().map_or(0, |at| at + 1);
        let has_fresh = self.messages[fresh..].iter().any(|told| told.has_media());
        let from = if has_fresh { fresh } else { 0 };
        for message in &mut self.messages[from..] {
            if message.has_media() {
                *message = Arc::new(Message::clone(message).without_media(LEFT_OUT));
            }
        }
    }

    /// Keeps only the first `count` messages.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.messages.truncate(count);
    }

    pub(crate) fn replace(&mut self, messages: Vec<Message>) {
        *self = History::of(messages);
    }

    /// Estimated tokens of the next request: the model's own count, plus an estimate for newer messages.
    pub(crate) fn size(&self) -> u64 {
        let counted = match self.used {
            0 => 0,
            _ => self.last_answer().map_or(0, |at| at + 1),
        };
        let rest: usize = self.messages[counted..]
            .iter()
            .map(|message| bytes(message))
            .sum();
        let fresh = u64::try_from(rest).unwrap_or(u64::MAX) / BYTES_PER_TOKEN;
        self.used.saturating_add(fresh)
    }

    fn last_answer(&self) -> Option<usize> {
        let answer = |message: &Arc<Message>| matches!(**message, Message::Model(_));
        self.messages.iter().rposition(answer)
    }

    /// The calls of the last answer that have no result yet.
    pub(crate) fn open_calls(&self) -> Vec<ToolCall> {
        let mut newest = self.messages.iter().rev().map(AsRef::as_ref);
        let (said, settled) = match newest.next() {
            Some(Message::Tools(results)) => (newest.next(), results.len()),
            said => (said, 0),
        };
        let Some(Message::Model(said)) = said else {
            return Vec::new();
        };
        let calls = said.iter().filter_map(|output| match output {
            Output::Call(call) => Some(call.clone()),
            Output::Text(_) | Output::Thought { .. } => None,
        });
        calls.skip(settled).collect()
    }
}

/// A failed result that says why the call has none.
pub(crate) fn unfinished(call: &ToolCall, why: &str) -> ToolResult {
    ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: vec![Input::Text(why.to_owned())],
        failed: true,
    }
}

/// Approximate size of a message in bytes.
pub(crate) fn bytes(message: &Message) -> usize {
    match message {
        Message::User(inputs) => inputs.iter().map(input_bytes).sum(),
        Message::Model(outputs) => outputs.iter().map(output_bytes).sum(),
        Message::Tools(results) => {
            let contents = results.iter().flat_map(|result| &result.content);
            contents.map(input_bytes).sum()
        }
    }
}

fn input_bytes(input: &Input) -> usize {
    match input {
        Input::Text(text) => text.len(),
        // Providers count an image by its dimensions; this is a typical size.
        Input::Image { .. } => 6_000,
        Input::Audio { data, .. } => data.len() / 8,
    }
}

fn output_bytes(output: &Output) -> usize {
    match output {
        Output::Text(text) | Output::Thought { text, .. } => text.len(),
        Output::Call(call) => call.name.len() + call.input.len(),
    }
}

pub(crate) const BYTES_PER_TOKEN: u64 = 4;
const LEFT_OUT: &str = "[an attachment was removed because the model rejected it]";
const NEVER: &str = "Not finished: the result is unknown";

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(ids: &[&str]) -> Message {
        let call = |id: &&str| {
            Output::Call(ToolCall {
                id: (*id).to_owned(),
                name: "read".to_owned(),
                input: "{}".to_owned(),
            })
        };
        Message::Model(ids.iter().map(call).collect())
    }

    fn result(id: &str) -> Message {
        Message::Tools(vec![ToolResult {
            id: id.to_owned(),
            name: "read".to_owned(),
            content: Vec::new(),
            failed: false,
        }])
    }

    fn question() -> Message {
        Message::User(vec![Input::Text("Go".to_owned())])
    }

    /// Compares a conversation in short form: the author of each message, and the tool results.
    fn check(messages: Vec<Message>, expected: &str) {
        let history = History::of(messages);
        let words = history.messages().iter().map(|message| match &**message {
            Message::User(_) => "user".to_owned(),
            Message::Model(_) => "model".to_owned(),
            Message::Tools(results) => {
                let results = results.iter().map(|result| match result.failed {
                    true => format!("{}!", result.id),
                    false => result.id.clone(),
                });
                results.collect::<Vec<_>>().join("+")
            }
        });
        assert_eq!(words.collect::<Vec<_>>().join(" "), expected);
    }

    #[test]
    fn every_call_has_one_result_and_every_result_a_call() {
        check(
            vec![
                question(),
                calls(&["a", "b"]),
                result("a"),
                result("b"),
                question(),
            ],
            "user model a+b user",
        );
        check(
            vec![question(), calls(&["a", "b"]), result("a"), question()],
            "user model a+b! user",
        );
        check(
            vec![question(), calls(&["a"]), calls(&[])],
            "user model a! model",
        );
        check(vec![result("a"), question(), result("a")], "user");
    }
}
