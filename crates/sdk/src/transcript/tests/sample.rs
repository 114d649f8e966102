//! Random updates with few different ids, so that many updates concern the same entry.

use attache_schema::{json, v1};
use proptest::prelude::*;

/// Something that happens in a session.
#[derive(Debug, Clone)]
pub(super) enum Event {
    Update(Box<v1::SessionUpdate>),
    Begin(String),
    End(&'static str),
}

pub(super) fn events() -> impl Strategy<Value = Vec<Event>> {
    let end = prop::sample::select(&["end_turn", "cancelled", "refusal"][..]);
    let event = prop_oneof![
        12 => update().prop_map(|update| Event::Update(Box::new(update))),
        1 => text().prop_map(Event::Begin),
        1 => end.prop_map(Event::End),
    ];
    prop::collection::vec(event, 0..60)
}

pub(super) fn updates() -> impl Strategy<Value = Vec<v1::SessionUpdate>> {
    prop::collection::vec(update(), 0..60)
}

fn update() -> impl Strategy<Value = v1::SessionUpdate> {
    prop_oneof![3 => chunk(), 3 => call(), 2 => event(), 1 => state()].prop_map(|text| {
        let read = json::from_str(&text);
        read.unwrap_or_else(|error| panic!("{error}: {text}"))
    })
}

fn chunk() -> impl Strategy<Value = String> {
    let kind = one_of(&[
        "user_message_chunk",
        "agent_message_chunk",
        "agent_thought_chunk",
    ]);
    let id = one_of(&[
        "",
        r#","messageId":"a""#,
        r#","messageId":"b""#,
        r#","messageId":7"#,
    ]);
    let meta = one_of(&["", "", r#","_meta":{"k":1}"#]);
    (kind, block(), id, meta).prop_map(|(kind, block, id, meta)| {
        format!(r#"{{"sessionUpdate":"{kind}","content":{block}{id}{meta}}}"#)
    })
}

fn call() -> impl Strategy<Value = String> {
    let title = prop_oneof![
        Just("null".to_owned()),
        text().prop_map(|text| quoted(&text))
    ];
    let status = one_of(&[
        "null",
        r#""pending""#,
        r#""in_progress""#,
        r#""completed""#,
        r#""paused""#,
    ]);
    let content = prop::collection::vec(block(), 0..3).prop_map(|blocks| {
        let items = blocks
            .iter()
            .map(|block| format!(r#"{{"type":"content","content":{block}}}"#));
        format!("[{}]", items.collect::<Vec<_>>().join(","))
    });
    let content = prop_oneof![Just("null".to_owned()), content];
    (any::<bool>(), one_of(&["c", "d"]), title, status, content).prop_map(
        |(is_first, id, title, status, content)| {
            let (kind, title) = match (is_first, title.as_str()) {
                (true, "null") => ("tool_call", r#""""#),
                (true, title) => ("tool_call", title),
                (false, title) => ("tool_call_update", title),
            };
            format!(
                r#"{{"sessionUpdate":"{kind}","toolCallId":"{id}","title":{title},"status":{status},"content":{content}}}"#
            )
        },
    )
}

fn event() -> impl Strategy<Value = String> {
    let whole = one_of(&[
        r#"{"sessionUpdate":"notice","severity":"loud","title":"n"}"#,
        r#"{"sessionUpdate":"compaction_update","compactionId":"k","status":"in_progress"}"#,
        r#"{"sessionUpdate":"compaction_update","compactionId":"k","status":"failed","summary":null,"error":"e"}"#,
        r#"{"sessionUpdate":"subagent_update","sessionId":"s","title":"t","state":{"state":"running"}}"#,
        r#"{"sessionUpdate":"subagent_update","sessionId":"s","title":null}"#,
        r#"{"sessionUpdate":"session_message","messageId":"a","senderSessionId":"s"}"#,
        r#"{"sessionUpdate":"session_message","messageId":"a","content":null}"#,
        r#"{"sessionUpdate":"weather","degrees":1.50}"#,
    ]);
    let growing = one_of(&[
        r#""compaction_summary_chunk","compactionId":"k""#,
        r#""session_message_chunk","messageId":"a""#,
    ]);
    let growing = (growing, block());
    prop_oneof![
        whole.prop_map(str::to_owned),
        growing
            .prop_map(|(head, block)| format!(r#"{{"sessionUpdate":{head},"content":{block}}}"#)),
    ]
}

fn state() -> impl Strategy<Value = String> {
    let whole = one_of(&[
        r#"{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending"}]}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"x"}}"#,
        r#"{"sessionUpdate":"plan_update","plan":{"type":"scroll"}}"#,
        r#"{"sessionUpdate":"plan_removed","planId":"p"}"#,
        r#"{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"A"}]}"#,
        r#"{"sessionUpdate":"current_mode_update","currentModeId":"ask"}"#,
        r#"{"sessionUpdate":"config_option_update","configOptions":[{"id":"v","name":"V","type":"boolean","currentValue":true}]}"#,
        r#"{"sessionUpdate":"session_info_update","title":"t"}"#,
        r#"{"sessionUpdate":"session_info_update","title":null}"#,
        r#"{"sessionUpdate":"usage_update","used":1,"size":2}"#,
    ]);
    whole.prop_map(str::to_owned)
}

fn block() -> impl Strategy<Value = String> {
    let plain = text().prop_map(|text| format!(r#"{{"type":"text","text":{}}}"#, quoted(&text)));
    let other = one_of(&[
        r#"{"type":"text","text":"hint","annotations":{"priority":1}}"#,
        r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#,
        r#"{"type":"resource_link","name":"n","uri":"file:///n"}"#,
        r#"{"type":"resource","resource":{"text":"t","uri":"file:///t"}}"#,
        r#"{"type":"hologram","beam":1}"#,
    ]);
    prop_oneof![5 => plain, 1 => other.prop_map(str::to_owned)]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[a-zäß\n\"]{0,8}", 1 => "[x€]{200,400}"]
}

fn one_of(values: &[&'static str]) -> impl Strategy<Value = &'static str> + use<> {
    prop::sample::select(values.to_vec())
}

fn quoted(text: &str) -> String {
    json::to_string(&text.to_owned())
}
