//! Any official message, on its way through the draft: what arrives is official again.

use proptest::prelude::*;

use super::*;
use crate::json::{self, Encode};
use crate::tests::sample::{Sample, Source};
use crate::v1;

/// An official call becomes a draft one, or several, and those become official again.
fn calls<T: Sample + Encode>(method: &str, bytes: &[u8]) {
    let text = json::to_string(&T::sample(&mut Source::new(bytes)));
    for to in ["client", "agent"] {
        let mut talk = Talk::in_session();
        let (near, far) = talk.sides(to);
        if let Some(session) = value(&text)["sessionId"].as_str() {
            far.remember_session(&session.into(), &"/p".into());
        }
        // A draft agent sends what a draft client gets, so the far side reads it.
        let passage = near.write_call(call(method, &text)).expect("a call");
        for draft in drafts(passage) {
            let (method, official) = one(far.read_call(call(&draft.0, &draft.1)).expect("a call"));
            let verdict = official::accepts_params(&method, &official);
            assert_eq!(verdict, Ok(()), "{text}\n{}\n{official}", draft.1);
        }
    }
}

/// An official result becomes a draft one, and that becomes official again.
fn results<T: Sample + Encode>(method: &str, bytes: &[u8]) {
    let text = json::to_string(&T::sample(&mut Source::new(bytes)));
    let mut talk = Talk::in_session();
    let (near, far) = talk.sides("client");
    let draft = near
        .write_result(id(), method, &text)
        .expect("a result")
        .into_owned();
    match far.read_result(id(), method, &draft) {
        Ok(official) => {
            let verdict = official::accepts_result(method, &official);
            assert_eq!(verdict, Ok(()), "{text}\n{draft}\n{official}");
        }
        Err(error) => panic!("{error}\n{text}\n{draft}"),
    }
}

fn drafts(passage: Passage<'_>) -> Vec<(String, String)> {
    match passage {
        Passage::Calls(calls) => {
            let calls = calls.into_iter();
            calls
                .map(|(method, params)| (method, params.expect("parameters")))
                .collect()
        }
        Passage::Call { .. } => vec![one(passage)],
        Passage::Answer(_) | Passage::Nothing => Vec::new(),
    }
}

macro_rules! samples {
    ($($test:ident: $by:ident $Type:ident = $method:literal,)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(128))]
            $(#[test]
            fn $test(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
                $by::<v1::$Type>($method, &bytes);
            })*
        }
    };
}

samples! {
    initialize: calls InitializeRequest = "initialize",
    initialized: results InitializeResponse = "initialize",
    authenticate: calls AuthenticateRequest = "authenticate",
    authenticated: results AuthenticateResponse = "authenticate",
    new: calls NewSessionRequest = "session/new",
    new_done: results NewSessionResponse = "session/new",
    load: calls LoadSessionRequest = "session/load",
    loaded: results LoadSessionResponse = "session/load",
    prompt: calls PromptRequest = "session/prompt",
    prompted: results PromptResponse = "session/prompt",
    set_mode: calls SetSessionModeRequest = "session/set_mode",
    mode_set: results SetSessionModeResponse = "session/set_mode",
    set_option: calls SetSessionConfigOptionRequest = "session/set_config_option",
    cancel: calls CancelNotification = "session/cancel",
    update: calls SessionNotification = "session/update",
    ask: calls RequestPermissionRequest = "session/request_permission",
    read_file: calls ReadTextFileRequest = "fs/read_text_file",
    file_read: results ReadTextFileResponse = "fs/read_text_file",
    write_file: calls WriteTextFileRequest = "fs/write_text_file",
    file_written: results WriteTextFileResponse = "fs/write_text_file",
    create: calls CreateTerminalRequest = "terminal/create",
    created: results CreateTerminalResponse = "terminal/create",
    wait: calls WaitForTerminalExitRequest = "terminal/wait_for_exit",
    waited: results WaitForTerminalExitResponse = "terminal/wait_for_exit",
    kill: calls KillTerminalRequest = "terminal/kill",
    killed: results KillTerminalResponse = "terminal/kill",
    release: calls ReleaseTerminalRequest = "terminal/release",
    mcp: calls MessageMcpRequest = "mcp/message",
}
