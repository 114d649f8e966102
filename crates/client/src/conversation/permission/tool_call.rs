//! What a request says of a tool call, and what was told of it before and after.

use attache::{Transcript, v1};

/// The tool call with what the question says of it.
pub(super) fn whole(told: Option<&v1::ToolCall>, asked: &v1::ToolCallUpdate) -> v1::ToolCall {
    let mut fold = Transcript::new();
    if let Some(told) = told {
        fold.apply(v1::SessionUpdate::ToolCall(told.clone()));
    }
    fold.apply(v1::SessionUpdate::ToolCallUpdate(asked.clone()));
    match fold.tool_call(&asked.tool_call_id) {
        Some(call) => call.report.clone(),
        None => v1::ToolCall::new(asked.tool_call_id.clone(), ""),
    }
}

/// Leaves out of a request what an update says anew of its tool call.
pub(super) fn supersede(asked: &mut v1::ToolCallUpdate, update: &v1::SessionUpdate) {
    let says = match update {
        v1::SessionUpdate::ToolCall(call) if call.tool_call_id == asked.tool_call_id => [
            call.kind != v1::ToolKind::Other,
            !call.title.is_empty(),
            call.name.is_some(),
            call.raw_input.is_some(),
            !call.locations.is_empty(),
            !call.content.is_empty(),
        ],
        v1::SessionUpdate::ToolCallUpdate(call) if call.tool_call_id == asked.tool_call_id => [
            call.kind.is_some(),
            call.title.is_some(),
            call.name.is_some(),
            call.raw_input.is_some(),
            call.locations.is_some(),
            call.content.is_some(),
        ],
        _ => return,
    };
    let [kind, title, name, raw_input, locations, content] = says;
    asked.kind.take_if(|_| kind);
    asked.title.take_if(|_| title);
    asked.name.take_if(|_| name);
    asked.raw_input.take_if(|_| raw_input);
    asked.locations.take_if(|_| locations);
    asked.content.take_if(|_| content);
}
