//! A conversation across the border of every dialect, a message a line: `<` before a message of the peer, `>` before one
//! of ours. What crosses is JSON, whatever was said before it.
#![no_main]

use std::collections::HashMap;

use attache_rpc::json::Raw;
use attache_rpc::{Id, Message};
use attache_dialect::{Border, Call, Dialect, Passage, Role};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|conversation: &str| {
    for dialect in Dialect::ALL {
        for peer in [Role::Client, Role::Agent] {
            let mut talk = Talk::new(dialect, peer);
            for line in conversation.lines() {
                match line.split_at_checked(1) {
                    Some(("<", message)) => talk.incoming(message),
                    Some((">", message)) => talk.outgoing(message),
                    _ => {}
                }
            }
        }
    }
});

struct Talk {
    border: Border,
    /// The official methods of the peer's requests that wait.
    theirs: HashMap<Id, String>,
    /// The methods of our requests that wait.
    ours: HashMap<Id, String>,
}

impl Talk {
    fn new(dialect: Dialect, peer: Role) -> Self {
        Talk {
            border: Border::new(dialect, peer),
            theirs: HashMap::new(),
            ours: HashMap::new(),
        }
    }

    fn incoming(&mut self, message: &str) {
        match Message::parse_str(message) {
            Ok(Message::Request { id, method, params }) => {
                let call = Call::request(&id, &method, params);
                match self.border.read_call(call) {
                    Ok(passage) => {
                        if let Some(official) = crossed(&passage) {
                            self.theirs.insert(id, official);
                        }
                    }
                    Err(error) => drop(self.border.write_error(&id, &method, error)),
                }
            }
            Ok(Message::Notification { method, params }) => {
                if let Ok(passage) = self.border.read_call(Call::notification(&method, params)) {
                    crossed(&passage);
                }
            }
            Ok(Message::Response { id, result }) => {
                let method = self.ours.remove(&id).unwrap_or_default();
                if let Ok(result) = self.border.read_result(&id, &method, result) {
                    is_json(&result);
                }
            }
            Ok(Message::Failure { id, error }) => {
                let method = self.ours.remove(&id).unwrap_or_default();
                self.border.read_error(&id, &method, error);
            }
            Err(_) => {}
        }
    }

    fn outgoing(&mut self, message: &str) {
        match Message::parse_str(message) {
            Ok(Message::Request { id, method, params }) => {
                let call = Call::request(&id, &method, params);
                if let Ok(passage) = self.border.write_call(call) {
                    crossed(&passage);
                    self.ours.insert(id, method.into_owned());
                }
            }
            Ok(Message::Notification { method, params }) => {
                if let Ok(passage) = self.border.write_call(Call::notification(&method, params)) {
                    crossed(&passage);
                }
            }
            Ok(Message::Response { id, result }) => {
                let method = self.theirs.remove(&id).unwrap_or_default();
                match self.border.write_result(&id, &method, result) {
                    Ok(result) => is_json(&result),
                    Err(error) => drop(self.border.write_error(&id, &method, error)),
                }
            }
            Ok(Message::Failure { id, error }) => {
                let method = self.theirs.remove(&id).unwrap_or_default();
                self.border.write_error(&id, &method, error);
            }
            Err(_) => {}
        }
    }
}

/// What a passage says is JSON; the method of the call that wants the answer.
fn crossed(passage: &Passage<'_>) -> Option<String> {
    match passage {
        Passage::Call { method, params } => {
            params.as_deref().map(is_json);
            Some(method.to_string())
        }
        Passage::Calls(calls) => {
            for (_, params) in calls {
                params.as_deref().map(is_json);
            }
            calls.last().map(|(method, _)| method.clone())
        }
        Passage::Answer(result) => {
            is_json(result);
            None
        }
        Passage::Nothing => None,
    }
}

fn is_json(text: &str) {
    assert!(Raw::parse(text).is_ok(), "no JSON: {text}");
}
