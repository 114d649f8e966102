//! A conversation through the translator of every dialect, one message per line: `<` before a message from the peer, `>`
//! before one of ours. Every translated message is valid JSON, whatever came before it.
#![no_main]

use std::collections::HashMap;

use attache_dialect::{Call, CallTranslator, Dialect, Role, TranslatedCall};
use attache_rpc::json::Raw;
use attache_rpc::{Id, Message};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|conversation: &str| {
    for dialect in Dialect::ALL {
        for peer in [Role::Client, Role::Agent] {
            let mut translated = TranslatedConversation::new(dialect, peer);
            for line in conversation.lines() {
                match line.split_at_checked(1) {
                    Some(("<", message)) => translated.incoming(message),
                    Some((">", message)) => translated.outgoing(message),
                    _ => {}
                }
            }
        }
    }
});

struct TranslatedConversation {
    translator: CallTranslator,
    /// The official methods of the peer's pending requests.
    peer_requests: HashMap<Id, String>,
    /// The methods of our pending requests.
    our_requests: HashMap<Id, String>,
}

impl TranslatedConversation {
    fn new(dialect: Dialect, peer: Role) -> Self {
        TranslatedConversation {
            translator: CallTranslator::new(dialect, peer),
            peer_requests: HashMap::new(),
            our_requests: HashMap::new(),
        }
    }

    fn incoming(&mut self, message: &str) {
        match Message::parse_str(message) {
            Ok(Message::Request { id, method, params }) => {
                let call = Call::request(&id, &method, params);
                match self.translator.read_call(call) {
                    Ok(translated) => {
                        if let Some(official) = check_call(&translated) {
                            self.peer_requests.insert(id, official);
                        }
                    }
                    Err(error) => drop(self.translator.write_error(&id, &method, error)),
                }
            }
            Ok(Message::Notification { method, params }) => {
                if let Ok(translated) = self
                    .translator
                    .read_call(Call::notification(&method, params))
                {
                    check_call(&translated);
                }
            }
            Ok(Message::Response { id, result }) => {
                let method = self.our_requests.remove(&id).unwrap_or_default();
                if let Ok(result) = self.translator.read_result(&id, &method, result) {
                    check_json(&result);
                }
            }
            Ok(Message::Failure { id, error }) => {
                let method = self.our_requests.remove(&id).unwrap_or_default();
                self.translator.read_error(&id, &method, error);
            }
            Err(_) => {}
        }
    }

    fn outgoing(&mut self, message: &str) {
        match Message::parse_str(message) {
            Ok(Message::Request { id, method, params }) => {
                let call = Call::request(&id, &method, params);
                if let Ok(translated) = self.translator.write_call(call) {
                    check_call(&translated);
                    self.our_requests.insert(id, method.into_owned());
                }
            }
            Ok(Message::Notification { method, params }) => {
                if let Ok(translated) = self
                    .translator
                    .write_call(Call::notification(&method, params))
                {
                    check_call(&translated);
                }
            }
            Ok(Message::Response { id, result }) => {
                let method = self.peer_requests.remove(&id).unwrap_or_default();
                match self.translator.write_result(&id, &method, result) {
                    Ok(result) => check_json(&result),
                    Err(error) => drop(self.translator.write_error(&id, &method, error)),
                }
            }
            Ok(Message::Failure { id, error }) => {
                let method = self.peer_requests.remove(&id).unwrap_or_default();
                self.translator.write_error(&id, &method, error);
            }
            Err(_) => {}
        }
    }
}

/// Checks that a translated call is valid JSON, and returns its method if it is a request.
fn check_call(translated: &TranslatedCall<'_>) -> Option<String> {
    match translated {
        TranslatedCall::Call { method, params } => {
            params.as_deref().map(check_json);
            Some(method.to_string())
        }
        TranslatedCall::Calls(calls) => {
            for (_, params) in calls {
                params.as_deref().map(check_json);
            }
            calls.last().map(|(method, _)| method.clone())
        }
        TranslatedCall::Response(result) => {
            check_json(result);
            None
        }
        TranslatedCall::Nothing => None,
    }
}

fn check_json(text: &str) {
    assert!(Raw::parse(text).is_ok(), "not JSON: {text}");
}
