//! What the model knows of a session: the conversation, and how large it has become.

use std::sync::Arc;

use attache_model::{Input, Message, Output, ToolCall, ToolResult};

/// What the model knows of a session.
#[derive(Debug, Default)]
pub(crate) struct History {
    messages: Vec<Arc<Message>>,
    /// What the last answer cost to read and write, in tokens; zero after the history has been replaced.
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

    /// Adds a message. Providers refuse a conversation in which a call has no result or a result no call, for ever: so
    /// results join those before them, calls that were left without one get one, and stray results are passed over.
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

    /// Calls that were left without a result get one.
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

    /// Pictures and sounds that were not taken become words, so that the conversation can go on: those that came after
    /// the last answer, or else all of them.
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

    /// Forgets what came after the first so many.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.messages.truncate(count);
    }

    pub(crate) fn replace(&mut self, messages: Vec<Message>) {
        *self = History::of(messages);
    }

    /// How large the next request will be, in tokens: what the model has counted, and a rule of thumb for the rest.
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

    /// The calls of the last answer that have no result.
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

/// A result that says why there is none.
pub(crate) fn unfinished(call: &ToolCall, why: &str) -> ToolResult {
    ToolResult {
        id: call.id.clone(),
        name: call.name.clone(),
        content: vec![Input::Text(why.to_owned())],
        failed: true,
    }
}

/// About how much a message is to read.
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
        // Providers count a picture by its measures, about so much.
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
const LEFT_OUT: &str = "[something was attached that the model did not take]";
const NEVER: &str = "Not finished: nothing is known of what came of it";

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

    /// The conversation in short: who spoke, and which results there are.
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
