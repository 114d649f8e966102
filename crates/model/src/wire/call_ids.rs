//! CallIds of tool calls: unique in a conversation, also where a server gives none or the same ones in every answer.

use std::collections::HashSet;

use crate::{Message, Output, Request};

#[derive(Debug, Default)]
pub(crate) struct CallIds {
    taken: HashSet<String>,
    /// How long the conversation is: no two answers of it have the same.
    turn: usize,
}

impl CallIds {
    pub(crate) fn of(request: &Request) -> CallIds {
        let calls = request
            .messages
            .iter()
            .flat_map(|message| match &**message {
                Message::Model(outputs) => outputs.as_slice(),
                Message::User(_) | Message::Tools(_) => &[],
            });
        let taken = calls.filter_map(|output| match output {
            Output::Call(call) => Some(call.id.clone()),
            Output::Text(_) | Output::Thought { .. } => None,
        });
        CallIds {
            taken: taken.collect(),
            turn: request.messages.len(),
        }
    }

    /// The id as it was given if it is new, else one made from it.
    pub(crate) fn take(&mut self, given: &str) -> String {
        let stem = if given.is_empty() { "call" } else { given };
        let mut id = given.to_owned();
        let mut count = 0;
        while id.is_empty() || self.taken.contains(&id) {
            id = format!("{stem}_{}_{count}", self.turn);
            count += 1;
        }
        self.taken.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_or_repeated_id_becomes_a_new_one() {
        let mut ids = CallIds::default();
        let given = ["a", "a", "", "", "b"].map(|given| ids.take(given));
        assert_eq!(given, ["a", "a_0_0", "call_0_0", "call_0_1", "b"]);
    }
}
