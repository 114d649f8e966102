//! Errors of one attempt, before the decision about another attempt.

use std::time::Duration;

use attache_text::plain;
use serde_json::Value;

/// Why an attempt failed. Contains at most one line from the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AttemptError {
    /// The key is missing or rejected.
    Key,
    /// The conversation does not fit.
    TooLong,
    /// The provider rejects reasoning of earlier answers.
    Thoughts(String),
    /// The provider rejects an image or audio.
    Media(String),
    /// A temporary failure; the provider may say how long to wait.
    Temporary {
        reason: String,
        wait: Option<Duration>,
    },
    /// The provider is unreachable, perhaps temporarily.
    Unreachable(String),
    /// A permanent failure.
    Final(String),
}

impl AttemptError {
    pub(crate) fn temporary(reason: impl Into<String>) -> AttemptError {
        AttemptError::Temporary {
            reason: reason.into(),
            wait: None,
        }
    }
}

/// Advice of a provider about retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryAdvice {
    None,
    After(Duration),
    Never,
}

/// The stream ended before its answer did.
pub(crate) fn truncated() -> AttemptError {
    AttemptError::temporary("the stream ended in the middle of the response")
}

/// A frame does not follow the protocol.
pub(crate) fn malformed_frame() -> AttemptError {
    AttemptError::temporary("the stream contains an event that is not JSON")
}

/// The error for an unsuccessful HTTP status.
pub(crate) fn error_for_status(status: u16, body: &str, advice: RetryAdvice) -> AttemptError {
    let said = ErrorBody::read(body);
    match status {
        401 | 403 => AttemptError::Key,
        _ if said.is_too_long(status) => AttemptError::TooLong,
        _ if said.is_about_thoughts(status) => AttemptError::Thoughts(said.line()),
        _ if said.is_about_media(status) => AttemptError::Media(said.with_status(status)),
        300..=399 => AttemptError::Final(format!(
            "answers with a redirect (status {status}), which is not followed; set its base URL to the new address"
        )),
        _ if advice == RetryAdvice::Never || said.is_final() => {
            AttemptError::Final(said.with_status(status))
        }
        408 | 409 | 425 | 429 | 500..=599 => AttemptError::Temporary {
            reason: said.with_status(status),
            wait: match advice {
                RetryAdvice::After(wait) => Some(wait),
                RetryAdvice::None | RetryAdvice::Never => None,
            },
        },
        _ => AttemptError::Final(said.with_status(status)),
    }
}

/// The error for an error event in the stream.
pub(crate) fn error_for_event(error: &Value) -> AttemptError {
    let said = ErrorBody::of(error);
    if said.is_too_long(400) {
        return AttemptError::TooLong;
    }
    if said.is_about_thoughts(400) {
        return AttemptError::Thoughts(said.line());
    }
    if said.is_about_media(400) {
        return AttemptError::Media(said.line());
    }
    match said.kind.as_str() {
        "authentication_error" | "permission_error" => AttemptError::Key,
        "invalid_request_error" | "not_found_error" | "billing_error" => {
            AttemptError::Final(said.line())
        }
        _ if said.is_final() => AttemptError::Final(said.line()),
        _ => AttemptError::temporary(said.line()),
    }
}

/// Foreign text as one short line without control characters.
pub(crate) fn one_line(text: &str) -> String {
    plain::one_line(text, MAX_LINE)
}

/// The error in a provider's response, whatever its structure.
struct ErrorBody {
    kind: String,
    code: String,
    message: String,
}

impl ErrorBody {
    fn read(body: &str) -> ErrorBody {
        match serde_json::from_str::<Value>(body) {
            Ok(value) => ErrorBody::of(value.get("error").unwrap_or(&value)),
            Err(_) => ErrorBody {
                kind: String::new(),
                code: String::new(),
                message: String::new(),
            },
        }
    }

    fn of(error: &Value) -> ErrorBody {
        let text = |name: &str| match error.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => String::new(),
        };
        let message = match error {
            Value::String(text) => text.clone(),
            _ => [text("message"), text("detail")].concat(),
        };
        ErrorBody {
            kind: text("type"),
            code: text("code"),
            message,
        }
    }

    fn is_too_long(&self, status: u16) -> bool {
        let message = self.message.to_lowercase();
        match status {
            413 => true,
            400 | 422 | 500 => {
                TOO_LONG_CODES.contains(&self.code.as_str())
                    || TOO_LONG_CODES.contains(&self.kind.as_str())
                    || TOO_LONG_PHRASES.iter().any(|words| message.contains(words))
            }
            _ => false,
        }
    }

    fn is_about_thoughts(&self, status: u16) -> bool {
        let message = self.message.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| message.contains(word));
        status == 400
            && (names(&["thinking"]) && names(&["signature", "block"])
                || names(&[
                    "encrypted content",
                    "encrypted_content",
                    "'reasoning' was provided",
                ]))
    }

    fn is_about_media(&self, status: u16) -> bool {
        let text = [self.message.as_str(), " ", self.code.as_str()].concat();
        let text = text.to_lowercase();
        matches!(status, 400 | 404 | 415 | 422 | 500)
            && MEDIA_WORDS.iter().any(|word| text.contains(word))
    }

    /// Whether waiting does not help: rate limits pass, an empty account does not.
    fn is_final(&self) -> bool {
        let all = [self.code.as_str(), self.kind.as_str()];
        all.contains(&"insufficient_quota") || all.contains(&"billing_error")
    }

    fn line(&self) -> String {
        let line = one_line(&self.message);
        match (line.is_empty(), self.kind.is_empty()) {
            (false, _) => line,
            (true, false) => one_line(&self.kind),
            (true, true) => "an error without words".to_owned(),
        }
    }

    fn with_status(&self, status: u16) -> String {
        match one_line(&self.message) {
            line if line.is_empty() => format!("status {status}"),
            line => format!("{line} (status {status})"),
        }
    }
}

const MAX_LINE: usize = 300;
const TOO_LONG_CODES: [&str; 3] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "request_too_large",
];
const TOO_LONG_PHRASES: [&str; 7] = [
    "prompt is too long",
    "maximum context length",
    "context length exceeded",
    "exceed context limit",
    "exceeds the available context size",
    "exceeds the context window",
    "exceeds the maximum number of tokens",
];
/// Words in errors about images or audio.
const MEDIA_WORDS: [&str; 6] = [
    "image",
    "audio",
    "media type",
    "media_type",
    "multimodal",
    "base64",
];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(status: u16, body: &str, expect: Expect) {
        expect.assert_eq(&format!(
            "{:?}",
            error_for_status(status, body, RetryAdvice::None)
        ));
    }

    #[test]
    fn a_key_that_is_not_taken_says_nothing_of_the_key() {
        let body = r#"{"error":{"message":"Incorrect API key provided: sk-abc***xyz"}}"#;
        check(401, body, expect!["Key"]);
        check(403, "", expect!["Key"]);
    }

    #[test]
    fn every_way_to_say_too_long() {
        for body in [
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            r#"{"error":{"message":"too big","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError"}"#,
            r#"{"error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000"}}"#,
        ] {
            check(400, body, expect!["TooLong"]);
        }
        check(413, "<html>", expect!["TooLong"]);
    }

    #[test]
    fn what_may_pass_and_what_will_not() {
        let overloaded =
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
        check(
            529,
            overloaded,
            expect![[r#"Temporary { reason: "Overloaded (status 529)", wait: None }"#]],
        );
        check(
            429,
            "",
            expect![[r#"Temporary { reason: "status 429", wait: None }"#]],
        );
        let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
        check(
            429,
            quota,
            expect![[r#"Final("You exceeded your current quota (status 429)")"#]],
        );
        let model = r#"{"error":"model \"x\" not found,\n try pulling it first"}"#;
        check(
            404,
            model,
            expect![[r#"Final("model \"x\" not found, try pulling it first (status 404)")"#]],
        );
        check(
            301,
            "",
            expect![[
                r#"Final("answers with a redirect (status 301), which is not followed; set its base URL to the new address")"#
            ]],
        );
    }

    #[test]
    fn thoughts_that_are_not_taken_back() {
        let body = r#"{"error":{"type":"invalid_request_error","message":"messages.1.content.0: Invalid `signature` in `thinking` block"}}"#;
        check(
            400,
            body,
            expect![[
                r#"Thoughts("messages.1.content.0: Invalid `signature` in `thinking` block")"#
            ]],
        );
    }

    #[test]
    fn reasoning_that_is_not_taken_back() {
        let body = r#"{"error":{"type":"invalid_request_error","message":"The encrypted content c2Vj could not be verified."}}"#;
        check(
            400,
            body,
            expect![[r#"Thoughts("The encrypted content c2Vj could not be verified.")"#]],
        );
        let tools =
            r#"{"error":{"message":"Function tools with reasoning_effort are not supported"}}"#;
        check(
            400,
            tools,
            expect![[
                r#"Final("Function tools with reasoning_effort are not supported (status 400)")"#
            ]],
        );
    }

    #[test]
    fn pictures_that_are_not_taken() {
        for (status, body) in [
            (
                400,
                r#"{"error":{"type":"invalid_request_error","message":"Could not process image"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"You uploaded an unsupported file","code":"invalid_image_format"}}"#,
            ),
            (
                404,
                r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#,
            ),
            (
                500,
                r#"{"error":{"code":500,"message":"audio input is not supported"}}"#,
            ),
        ] {
            let error = error_for_status(status, body, RetryAdvice::None);
            assert!(matches!(error, AttemptError::Media(_)), "{error:?}");
        }
        let event = serde_json::json!({ "type": "invalid_request_error", "message": "Could not process image" });
        assert_eq!(
            error_for_event(&event),
            AttemptError::Media("Could not process image".to_owned())
        );
    }

    #[test]
    fn a_page_of_text_becomes_a_line() {
        let line = one_line(&"a\n\u{1b}[31m b".repeat(200));
        assert_eq!(line.chars().count(), MAX_LINE + 1);
        assert!(!line.contains('\u{1b}') && !line.contains('\n'));
    }
}
