//! The official crate as an oracle: whether its types accept a JSON text, and how they encode it again.
//!
//! It is lenient, so acceptance alone only shows that a message gets through; the encoded text shows what it
//! understood.

use agent_client_protocol_schema::v1;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Whether the official type accepts the parameters of a request or notification.
pub(crate) fn accepts_params(method: &str, text: &str) -> Result<(), String> {
    rewritten_params(method, text).map(drop)
}

/// Whether the official type accepts the result of a request.
pub(crate) fn accepts_result(method: &str, text: &str) -> Result<(), String> {
    rewritten_result(method, text).map(drop)
}

/// The parameters of a request or notification as the official type writes what it has read.
pub(crate) fn rewritten_params(method: &str, text: &str) -> Result<Value, String> {
    match method {
        "initialize" => read::<v1::InitializeRequest>(text),
        "authenticate" => read::<v1::AuthenticateRequest>(text),
        "logout" => read::<v1::LogoutRequest>(text),
        "auth/status" => read::<v1::AuthStatusRequest>(text),
        "auth/status_update" => read::<v1::AuthStatusUpdateNotification>(text),
        "providers/list" => read::<v1::ListProvidersRequest>(text),
        "providers/set" => read::<v1::SetProviderRequest>(text),
        "providers/disable" => read::<v1::DisableProviderRequest>(text),
        "session/new" => read::<v1::NewSessionRequest>(text),
        "session/load" => read::<v1::LoadSessionRequest>(text),
        "session/resume" => read::<v1::ResumeSessionRequest>(text),
        "session/fork" => read::<v1::ForkSessionRequest>(text),
        "session/close" => read::<v1::CloseSessionRequest>(text),
        "session/list" => read::<v1::ListSessionsRequest>(text),
        "session/delete" => read::<v1::DeleteSessionRequest>(text),
        "session/archive" => read::<v1::ArchiveSessionRequest>(text),
        "session/unarchive" => read::<v1::UnarchiveSessionRequest>(text),
        "session/status" => read::<v1::SessionStatusRequest>(text),
        "session/set_title" => read::<v1::SetSessionTitleRequest>(text),
        "session/set_mode" => read::<v1::SetSessionModeRequest>(text),
        "session/set_config_option" => read::<v1::SetSessionConfigOptionRequest>(text),
        "session/prompt" => read::<v1::PromptRequest>(text),
        "session/cancel" => read::<v1::CancelNotification>(text),
        "session/update" => read::<v1::SessionNotification>(text),
        "session/request_permission" => read::<v1::RequestPermissionRequest>(text),
        "fs/read_text_file" => read::<v1::ReadTextFileRequest>(text),
        "fs/write_text_file" => read::<v1::WriteTextFileRequest>(text),
        "terminal/create" => read::<v1::CreateTerminalRequest>(text),
        "terminal/output" => read::<v1::TerminalOutputRequest>(text),
        "terminal/wait_for_exit" => read::<v1::WaitForTerminalExitRequest>(text),
        "terminal/kill" => read::<v1::KillTerminalRequest>(text),
        "terminal/release" => read::<v1::ReleaseTerminalRequest>(text),
        "elicitation/create" => read::<v1::CreateElicitationRequest>(text),
        "elicitation/complete" => read::<v1::CompleteElicitationNotification>(text),
        "mcp/message" => read::<v1::MessageMcpRequest>(text),
        "proxy/initialize" => read::<v1::InitializeProxyRequest>(text),
        "proxy/successor" => read::<v1::ProxySuccessorRequest>(text),
        "$/cancel_request" => read::<v1::CancelRequestNotification>(text),
        method if method.starts_with('_') => read::<Value>(text),
        method => Err(format!("{method}: no official method")),
    }
}

/// The result of a request as the official type writes what it has read.
pub(crate) fn rewritten_result(method: &str, text: &str) -> Result<Value, String> {
    match method {
        "initialize" => read::<v1::InitializeResponse>(text),
        "authenticate" => read::<v1::AuthenticateResponse>(text),
        "logout" => read::<v1::LogoutResponse>(text),
        "auth/status" => read::<v1::AuthStatusResponse>(text),
        "providers/list" => read::<v1::ListProvidersResponse>(text),
        "providers/set" => read::<v1::SetProviderResponse>(text),
        "providers/disable" => read::<v1::DisableProviderResponse>(text),
        "session/new" => read::<v1::NewSessionResponse>(text),
        "session/load" => read::<v1::LoadSessionResponse>(text),
        "session/resume" => read::<v1::ResumeSessionResponse>(text),
        "session/fork" => read::<v1::ForkSessionResponse>(text),
        "session/close" => read::<v1::CloseSessionResponse>(text),
        "session/list" => read::<v1::ListSessionsResponse>(text),
        "session/delete" => read::<v1::DeleteSessionResponse>(text),
        "session/archive" => read::<v1::ArchiveSessionResponse>(text),
        "session/unarchive" => read::<v1::UnarchiveSessionResponse>(text),
        "session/status" => read::<v1::SessionStatusResponse>(text),
        "session/set_title" => read::<v1::SetSessionTitleResponse>(text),
        "session/set_mode" => read::<v1::SetSessionModeResponse>(text),
        "session/set_config_option" => read::<v1::SetSessionConfigOptionResponse>(text),
        "session/prompt" => read::<v1::PromptResponse>(text),
        "session/request_permission" => read::<v1::RequestPermissionResponse>(text),
        "fs/read_text_file" => read::<v1::ReadTextFileResponse>(text),
        "fs/write_text_file" => read::<v1::WriteTextFileResponse>(text),
        "terminal/create" => read::<v1::CreateTerminalResponse>(text),
        "terminal/output" => read::<v1::TerminalOutputResponse>(text),
        "terminal/wait_for_exit" => read::<v1::WaitForTerminalExitResponse>(text),
        "terminal/kill" => read::<v1::KillTerminalResponse>(text),
        "terminal/release" => read::<v1::ReleaseTerminalResponse>(text),
        "elicitation/create" => read::<v1::CreateElicitationResponse>(text),
        "mcp/message" => read::<v1::MessageMcpResponse>(text),
        "proxy/initialize" => read::<v1::InitializeProxyResponse>(text),
        "proxy/successor" => read::<Value>(text),
        method if method.starts_with('_') => read::<Value>(text),
        method => Err(format!("{method}: no official request")),
    }
}

/// A value as the official type writes what it has read.
pub(crate) fn read<T: DeserializeOwned + Serialize>(text: &str) -> Result<Value, String> {
    let value: T = serde_json::from_str(text).map_err(|error| error.to_string())?;
    serde_json::to_value(value).map_err(|error| error.to_string())
}

#[test]
fn every_official_method_is_listed() {
    let names = [
        serde_json::to_value(v1::AGENT_METHOD_NAMES),
        serde_json::to_value(v1::CLIENT_METHOD_NAMES),
        serde_json::to_value(v1::PROXY_METHOD_NAMES),
        serde_json::to_value(v1::PROTOCOL_LEVEL_METHOD_NAMES),
    ];
    for names in names {
        let names = names.expect("names are strings");
        for name in names.as_object().expect("a struct").values() {
            let method = name.as_str().expect("a name");
            let verdict = accepts_params(method, "0").expect_err("0 is no parameter");
            assert!(!verdict.contains("no official method"), "{verdict}");
        }
    }
}
