//! Agents made of shell: they answer by the order in which they are asked.

/// An agent that goes as far as its first prompt, does two things, and ends the turn.
pub(crate) fn turn(first: &str, second: &str) -> String {
    let end = r#"echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'"#;
    let steps = [START, first, second, end, "cat >/dev/null"];
    steps.join("\n")
}

/// An agent whose turn fails.
pub(crate) fn fails(code: i32, message: &str) -> String {
    let error = format!(r#"{{"code":{code},"message":"{message}"}}"#);
    let answer = format!(r#"echo '{{"jsonrpc":"2.0","id":3,"error":{error}}}'"#);
    [START, &answer, "cat >/dev/null"].join("\n")
}

pub(crate) fn says(text: &str) -> String {
    let content = format!(r#"{{"type":"text","text":"{text}"}}"#);
    let update = format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#);
    let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
    let line = format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#);
    format!("printf '%s\\n' '{line}'")
}

/// Asks whether a tool of a kind may run, and reads the answer.
pub(crate) fn asks(kind: &str) -> String {
    let tool = format!(r#"{{"toolCallId":"c","title":"Look at it","kind":"{kind}"}}"#);
    let yes = r#"{"optionId":"yes","name":"No","kind":"allow_once"}"#;
    let no = r#"{"optionId":"no","name":"Yes","kind":"reject_once"}"#;
    let params = format!(r#"{{"sessionId":"s","toolCall":{tool},"options":[{yes},{no}]}}"#);
    let method = "session/request_permission";
    let line = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{params}}}"#);
    format!("echo '{line}'; read answer")
}

/// Tells of a tool call of a kind.
pub(crate) fn tells_tool(kind: &str) -> String {
    let update = format!(
        r#"{{"sessionUpdate":"tool_call","toolCallId":"c","title":"Look at it","kind":"{kind}"}}"#
    );
    let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
    format!(r#"echo '{{"jsonrpc":"2.0","method":"session/update","params":{params}}}'"#)
}

/// Asks about it by its id alone.
pub(crate) fn asks_briefly() -> String {
    let yes = r#"{"optionId":"yes","name":"Yes","kind":"allow_once"}"#;
    let params =
        format!(r#"{{"sessionId":"s","toolCall":{{"toolCallId":"c"}},"options":[{yes}]}}"#);
    let method = "session/request_permission";
    let line = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{params}}}"#);
    format!("echo '{line}'; read answer")
}

/// Says what it was answered.
pub(crate) const ECHO_ANSWER: &str = r#"
outcome=$(printf '%s' "$answer" | sed 's/.*"outcome":{\(.*\)}}}/{\1}/; s/"/\\"/g')
printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$outcome"
"#;

const START: &str = r#"
read initialize; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read new; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read prompt
"#;
