//! Hostile input: the checks do not panic and never repeat it.

use std::time::{Duration, Instant};

use attache_rpc::json::to_string;
use proptest::prelude::*;

use super::conversation::Conversation;
use crate::call::{AgentNotification, AgentRequest, ClientRequest};
use crate::rules::{Compactions, Context, Plans, ToolCalls, agent, client};
use crate::tests::sample::{Sample, SampleSource};
use crate::v1;

#[test]
fn violations_never_repeat_input() {
    let mut run = Conversation::default();
    let lines = r#"
        client authenticate {"methodId":"hush"}
        client session/new {"cwd":"hush","mcpServers":[{"name":"hush","command":"hush","args":["hush"],"env":[]},{"type":"hush"},{"type":"acp","name":"hush","serverId":"hush"}],"additionalDirectories":["hush"],"systemPrompt":{"mode":"hush","content":[]},"_meta":{"hush":1,"traceparent":1}}
        agent = {"sessionId":"hush","modes":{"currentModeId":"hush","availableModes":[]},"configOptions":[{"id":"hush","name":"hush","category":"hush","type":"select","currentValue":"hush","options":[]}],"hush":{"sessionId":""}}
        client session/set_mode {"sessionId":"hush","modeId":"hush"}
        client session/set_config_option {"sessionId":"hush","configId":"hush","value":"hush"}
        agent = {"configOptions":"hush"}
        client session/prompt {"sessionId":"hush","prompt":[{"type":"hush"},{"type":"image","data":"hush","mimeType":"hush"}]}
        agent session/update {"sessionId":"hush","update":{"sessionUpdate":"hush"}}
        agent session/update {"sessionId":"hush","update":{"sessionUpdate":"tool_call_update","toolCallId":"hush","kind":"hush","status":"hush","content":[{"type":"hush"}],"locations":[{"path":"hush"}]}}
        agent session/update {"sessionId":"hush","update":{"sessionUpdate":"plan","entries":[{"content":"hush","priority":"hush","status":"hush"}]}}
        agent = {"stopReason":"hush"}
        agent elicitation/create {"mode":"form","sessionId":"hush","message":"hush","requestedSchema":{"properties":{"hush password":{"type":"string"}}}}
        client = {"action":"accept","content":{"hush":"hush"}}
        agent session/request_permission {"sessionId":"hush","toolCall":{"toolCallId":"hush"},"options":[{"optionId":"hush","name":"hush","kind":"hush"}]}
        client = {"outcome":{"outcome":"hush"}}
    "#;
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        run.line(line);
    }
    let report = run.report();
    assert!(report.lines().count() > 25, "{report}");
    assert!(!report.contains("hush"), "{report}");
}

#[test]
fn at_most_100_violations_are_reported() {
    let mut run = Conversation::default();
    let path = r#"{"path":"a"},"#.repeat(10_000);
    let call = r#""sessionUpdate":"tool_call","toolCallId":"t","title":"T""#;
    let locations = path.trim_end_matches(',');
    run.line(&format!(
        r#"agent session/update {{"sessionId":"s","update":{{{call},"locations":[{locations}]}}}}"#
    ));
    assert_eq!(run.report().lines().count(), 100);
}

proptest! {
    #[test]
    fn any_message_can_be_judged(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let mut source = SampleSource::new(&bytes);
        let context = any_context(&mut source);
        let request = source.pick(CLIENT_REQUESTS)(&mut source);
        client::check_request(&request, &context);
        let question = source.pick(AGENT_REQUESTS)(&mut source);
        agent::check_request(&question, &context);
        let answer = to_string(&v1::NewSessionResponse::sample(&mut source));
        agent::check_response(&request, Ok(&answer), &context);
        client::check_response(&question, Ok(&answer), &context);
    }

    #[test]
    fn any_sequence_can_be_judged(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        let mut source = SampleSource::new(&bytes);
        let mut context = any_context(&mut source);
        let (mut calls, mut plans, mut compactions) =
            (ToolCalls::default(), Plans::default(), Compactions::default());
        for _ in 0..8 {
            let news = v1::SessionNotification::sample(&mut source);
            calls.apply(&news.update);
            plans.apply(&news.update);
            compactions.apply(&news.update);
            let told = AgentNotification::from(news);
            agent::check_notification(&told, &context);
            context.on_agent_notification(&told);
        }
    }
}

/// Ten times as many choices take about ten times as long. With a linear search for each choice they would take a
/// hundred times as long.
#[test]
fn a_form_with_20000_choices_is_checked_quickly() {
    let growth = || choosing(20_000).as_secs_f64() / choosing(2_000).as_secs_f64();
    // A busy machine can slow down any of them.
    let least = (0..5).map(|_| growth()).find(|growth| *growth < 35.0);
    assert!(least.is_some(), "with ten times the choices: {}", growth());
}

fn choosing(count: usize) -> Duration {
    let choices: Vec<String> = (0..count)
        .map(|number| format!("\"c{number:05}\""))
        .collect();
    let choices = choices.join(",");
    let items = format!(r#"{{"type":"string","enum":[{choices}]}}"#);
    let properties = format!(r#"{{"a":{{"type":"array","items":{items}}}}}"#);
    let params = format!(
        r#"{{"mode":"form","sessionId":"s","message":"m","requestedSchema":{{"properties":{properties}}}}}"#
    );
    let request = AgentRequest::decode("elicitation/create", Some(&params)).expect("a request");
    let answer = format!(r#"{{"action":"accept","content":{{"a":[{choices}]}}}}"#);
    let context = Context::default();
    let started = Instant::now();
    client::check_response(&request, Ok(&answer), &context);
    started.elapsed()
}

fn any_context(source: &mut SampleSource<'_>) -> Context {
    let mut context = Context::default();
    let initialize = v1::InitializeRequest::sample(source).into();
    let answer = to_string(&v1::InitializeResponse::sample(source));
    context.on_agent_response(&initialize, Ok(&answer));
    let setup = v1::NewSessionRequest::sample(source).into();
    let answer = to_string(&v1::NewSessionResponse::sample(source));
    context.on_client_request(&setup);
    context.on_agent_response(&setup, Ok(&answer));
    context
}

macro_rules! any_of {
    ($Calls:ident [$($Params:ident)*]) => {
        &[$(|source| $Calls::from(v1::$Params::sample(source))),*]
    };
}

type SampleFn<T> = fn(&mut SampleSource<'_>) -> T;

const CLIENT_REQUESTS: &[SampleFn<ClientRequest>] = any_of!(ClientRequest [
    InitializeRequest AuthenticateRequest NewSessionRequest LoadSessionRequest ForkSessionRequest
    ListSessionsRequest SetSessionTitleRequest SetSessionModeRequest SetSessionConfigOptionRequest
    PromptRequest
]);

const AGENT_REQUESTS: &[SampleFn<AgentRequest>] = any_of!(AgentRequest [
    RequestPermissionRequest ReadTextFileRequest CreateTerminalRequest CreateElicitationRequest
    MessageMcpRequest
]);
