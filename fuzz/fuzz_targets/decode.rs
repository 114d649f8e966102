//! Decodes any bytes as a line: the envelope, then the payload as every type that it could have. A value that can be read can
//! be written on one line, and reads back as the same value.
#![no_main]

use attache_rpc::json::{self, Decode, Encode};
use attache_rpc::{Error, Message};
use attache_schema::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, ConductorRequest,
    ProtocolLevelNotification, ProxyNotification, ProxyRequest,
};
use attache_schema::method::{Method, Request};
use attache_schema::v1;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let message = match Message::parse(line) {
        Ok(message) => message,
        Err(bad) => {
            assert!([Error::PARSE, Error::INVALID_REQUEST].contains(&bad.code));
            return;
        }
    };
    check_envelope(&message);
    match &message {
        Message::Request { method, params, .. } | Message::Notification { method, params } => {
            check_calls(method, *params);
            if let Some(params) = params {
                check_shapes(params);
            }
        }
        Message::Response { result, .. } => {
            check_results(result);
            check_shapes(result);
        }
        Message::Failure { .. } => {}
    }
});

/// A message that is written again is one line, and writing it once more changes nothing.
fn check_envelope(message: &Message<'_>) {
    let line = written(message);
    assert!(!line.contains(['\n', '\r']));
    let again = Message::parse(line.as_bytes()).expect("what was a message still is");
    assert_eq!(written(&again), line);
}

fn written(message: &Message<'_>) -> String {
    let mut line = String::new();
    message.write(&mut line);
    line
}

fn check_calls(method: &str, params: Option<&str>) {
    macro_rules! each {
        ($($Calls:ident)*) => {$(
            if let Ok(call) = $Calls::decode(method, params) {
                let mut written = String::new();
                call.encode_params(&mut written);
                assert!(!written.contains(['\n', '\r']));
                let back = $Calls::decode(call.method(), Some(&written)).expect("what was written");
                let mut again = String::new();
                back.encode_params(&mut again);
                assert_eq!(again, written);
                // An extension without parameters is written with empty ones.
                assert!(back == call || params.is_none(), "{written}");
            }
        )*};
    }
    each! {
        ClientRequest ClientNotification AgentRequest AgentNotification
        ConductorRequest ProxyRequest ProxyNotification ProtocolLevelNotification
    }
}

/// Decodes a result as that of every method, because a result does not name its method.
fn check_results(text: &str) {
    macro_rules! each {
        ($($Request:ident)*) => {$(check_round_trip::<<v1::$Request as Request>::Response>(text);)*};
    }
    each! {
        InitializeRequest AuthStatusRequest NewSessionRequest LoadSessionRequest ListSessionsRequest
        SessionStatusRequest SetSessionTitleRequest SetSessionConfigOptionRequest PromptRequest
        ListProvidersRequest RequestPermissionRequest ReadTextFileRequest CreateTerminalRequest
        TerminalOutputRequest WaitForTerminalExitRequest CreateElicitationRequest MessageMcpRequest
        ProxySuccessorRequest
    }
}

fn check_round_trip<T: Decode + Encode>(text: &str) {
    if let Ok(value) = json::from_str::<T>(text) {
        let written = json::to_string(&value);
        assert!(!written.contains(['\n', '\r']));
        let back: T = json::from_str(&written).expect("what was written can be read");
        assert_eq!(json::to_string(&back), written);
    }
}

/// Decoding text of another type must not panic.
fn check_shapes(text: &str) {
    for method in Method::all() {
        let shapes = [Some(method.params), method.result];
        for shape in shapes.into_iter().flatten() {
            if let Err(error) = shape.check(text) {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
