//! Violations outside of single messages: lines that are not messages, calls that cannot be decoded, and responses without
//! a request.

use attache_rpc::{Error, Id, Message};
use attache_schema::call::ProtocolLevelNotification;
use attache_schema::rules::{self, Rule, Violation};

use super::{OpenRequest, RuleChecker};

impl RuleChecker {
    /// A request that cannot be decoded: the violation, and the error that the response must have.
    pub(super) fn unreadable_request<T>(&mut self, method: &str, error: &Error) -> OpenRequest<T> {
        self.unreadable_message(method, error);
        let rule = if error.code == Error::METHOD_NOT_FOUND {
            "15"
        } else {
            "19"
        };
        OpenRequest::MustFail(error.code, rule)
    }

    pub(super) fn unreadable_notification(
        &mut self,
        method: &str,
        params: Option<&str>,
        error: &Error,
    ) {
        match ProtocolLevelNotification::decode(method, params) {
            Ok(notification) => self.add(rules::check_protocol_notification(&notification)),
            Err(_) => self.unreadable_message(method, error),
        }
    }

    fn unreadable_message(&mut self, method: &str, error: &Error) {
        if error.code == Error::METHOD_NOT_FOUND {
            self.add(rules::check_method_name(method));
        } else {
            self.add_violation("B6", method, &error.message);
        }
    }

    pub(super) fn expect_error(&mut self, code: i32, rule: &str, response: Result<&str, &Error>) {
        if response.err().map(|error| error.code) != Some(code) {
            let message = format!("expected an error with the code {code}");
            self.add_violation(rule, "answer", &message);
        }
    }

    /// The request that the line may have been, and the error that the response must have.
    pub(super) fn not_a_message<T>(&mut self, text: &str) -> Option<(Id, OpenRequest<T>)> {
        let message = "the line is not a JSON-RPC message; write nothing else there";
        self.add_violation("1", "line", message);
        match Message::parse_str(text) {
            Ok(Message::Request { id, .. }) => Some((id, OpenRequest::Unspecified)),
            Ok(_) => None,
            Err(malformed) => {
                let code = malformed.code;
                let id = malformed.error_response().map(|(id, _)| id);
                id.map(|id| (id, OpenRequest::MustFail(code, "10")))
            }
        }
    }

    pub(super) fn stray_response(&mut self) {
        let message = "no open request has this id; respond with the id of the request";
        self.add_violation("21", "answer id", message);
    }

    fn add_violation(&mut self, number: &str, path: &str, message: &str) {
        if let Some(rule) = Rule::find(number) {
            self.add(vec![Violation::new(rule, path, message)]);
        }
    }
}
