//! What no check of a message finds: lines that are none, calls that cannot be read, and answers that do not belong.

use attache_rpc::{Error, Id, Message};
use attache_schema::call::ProtocolLevelNotification;
use attache_schema::rules::{self, Rule, Violation};

use super::{Asked, Judge};

impl Judge {
    /// A request that cannot be read: whose fault it is, and how it is to be answered.
    pub(super) fn unreadable<T>(&mut self, method: &str, error: &Error) -> Asked<T> {
        self.misread(method, error);
        let rule = if error.code == Error::METHOD_NOT_FOUND {
            "15"
        } else {
            "19"
        };
        Asked::Refusable(error.code, rule)
    }

    pub(super) fn told_unreadable(&mut self, method: &str, params: Option<&str>, error: &Error) {
        match ProtocolLevelNotification::decode(method, params) {
            Ok(told) => self.add(rules::check_protocol_notification(&told)),
            Err(_) => self.misread(method, error),
        }
    }

    fn misread(&mut self, method: &str, error: &Error) {
        if error.code == Error::METHOD_NOT_FOUND {
            self.add(rules::check_method_name(method));
        } else {
            self.broken("B6", method, &error.message);
        }
    }

    pub(super) fn refused(&mut self, code: i32, rule: &str, outcome: Result<&str, &Error>) {
        if outcome.err().map(|error| error.code) != Some(code) {
            let message = format!("expected an error with the code {code}");
            self.broken(rule, "answer", &message);
        }
    }

    /// The request that it would have been, and how that is to be answered.
    pub(super) fn no_message<T>(&mut self, text: &str) -> Option<(Id, Asked<T>)> {
        let message = "the line is not a JSON-RPC message; write nothing else there";
        self.broken("1", "line", message);
        match Message::parse_str(text) {
            Ok(Message::Request { id, .. }) => Some((id, Asked::Odd)),
            Ok(_) => None,
            Err(malformed) => {
                let code = malformed.code;
                let id = malformed.answer().map(|(id, _)| id);
                id.map(|id| (id, Asked::Refusable(code, "10")))
            }
        }
    }

    pub(super) fn stray(&mut self) {
        let message = "no open request has this id; respond with the id of the request";
        self.broken("21", "answer id", message);
    }

    fn broken(&mut self, number: &str, path: &str, message: &str) {
        if let Some(rule) = Rule::find(number) {
            self.add(vec![Violation {
                rule,
                level: rule.level,
                path: path.to_owned(),
                message: message.to_owned(),
            }]);
        }
    }
}
