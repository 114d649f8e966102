//! Official messages, translated to the draft dialect and back, are official again.

use attache_dialect::{Call, CallTranslator, Dialect, Role, TranslatedCall};
use attache_rpc::Id;
use proptest::prelude::*;

use super::official;
use super::sample::{Sample, SampleSource};
use crate::json::{self, Encode};
use crate::v1;

/// An official call becomes a draft one, or several, and those become official again.
fn calls<T: Sample + Encode>(method: &str, bytes: &[u8]) {
    let text = json::to_string(&T::sample(&mut SampleSource::new(bytes)));
    let id = Id::from("only");
    for to in [Role::Client, Role::Agent] {
        let (client, agent) = in_session();
        let (mut near, mut far) = match to {
            Role::Client => (client, agent),
            Role::Agent => (agent, client),
        };
        if let Some(session) = session_of(&text) {
            far.remember_session(&session.as_str().into(), &"/p".into());
        }
        // A draft agent sends what a draft client gets, so the far side reads it.
        let call = Call::request(&id, method, Some(&text));
        let translated = near.write_call(call).expect("a call");
        for (method, draft) in several(translated) {
            let call = Call::request(&id, &method, Some(&draft));
            let official = several(far.read_call(call).expect("a call"));
            let [(method, official)] = official.as_slice() else {
                panic!("not one call: {official:?}");
            };
            let verdict = official::accepts_params(method, official);
            assert_eq!(verdict, Ok(()), "{text}\n{draft}\n{official}");
        }
    }
}

/// An official result becomes a draft one, and that becomes official again.
fn results<T: Sample + Encode>(method: &str, bytes: &[u8]) {
    let text = json::to_string(&T::sample(&mut SampleSource::new(bytes)));
    let id = Id::from("only");
    let (mut near, mut far) = in_session();
    let draft = near.write_result(&id, method, &text).expect("a result");
    match far.read_result(&id, method, &draft) {
        Ok(official) => {
            let verdict = official::accepts_result(method, &official);
            assert_eq!(verdict, Ok(()), "{text}\n{draft}\n{official}");
        }
        Err(error) => panic!("{error}\n{text}\n{draft}"),
    }
}

/// The translators of a draft client and of a draft agent that have a session.
fn in_session() -> (CallTranslator, CallTranslator) {
    let mut client = CallTranslator::new(Dialect::Draft, Role::Client);
    let mut agent = CallTranslator::new(Dialect::Draft, Role::Agent);
    let (id, new) = (Id::from(1), r#"{"workingDirectory":"/home/user/project"}"#);
    let opens = client.read_call(Call::request(&id, "session/new", Some(new)));
    for (method, params) in several(opens.expect("a call")) {
        let call = Call::request(&id, &method, Some(&params));
        agent.write_call(call).expect("a call");
    }
    let opened = r#"{"sessionId":"s","createdAt":"2026-02-04T10:30:00Z"}"#;
    let opened = agent.read_result(&id, "session/new", opened);
    let opened = opened.expect("a result");
    let written = client.write_result(&id, "session/new", &opened);
    written.expect("a result");
    (client, agent)
}

/// The calls that go on.
fn several(translated: TranslatedCall<'_>) -> Vec<(String, String)> {
    let parameters = "parameters";
    match translated {
        TranslatedCall::Call { method, params } => {
            let params = params.expect(parameters).into_owned();
            vec![(method.into_owned(), params)]
        }
        TranslatedCall::Calls(calls) => {
            let calls = calls.into_iter();
            calls
                .map(|(method, params)| (method, params.expect(parameters)))
                .collect()
        }
        TranslatedCall::Response(_) | TranslatedCall::Nothing => Vec::new(),
    }
}

fn session_of(text: &str) -> Option<String> {
    let message: serde_json::Value = serde_json::from_str(text).expect("JSON");
    message["sessionId"].as_str().map(str::to_owned)
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
