//! Agents written in shell. They respond in the order of the requests.

/// An agent that initializes, opens a session, takes two actions in its first turn, and ends the turn.
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

/// Sends a permission request for a tool of this kind, and reads the response.
pub(crate) fn asks(kind: &str) -> String {
    let tool = format!(r#"{{"toolCallId":"c","title":"Look at it","kind":"{kind}"}}"#);
    let yes = r#"{"optionId":"yes","name":"No","kind":"allow_once"}"#;
    let no = r#"{"optionId":"no","name":"Yes","kind":"reject_once"}"#;
    let params = format!(r#"{{"sessionId":"s","toolCall":{tool},"options":[{yes},{no}]}}"#);
    let method = "session/request_permission";
    let line = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{params}}}"#);
    format!("echo '{line}'; read answer")
}

/// Asks to read a file of its working directory.
pub(crate) fn asks_to_read(file: &str) -> String {
    let located = format!(r#""kind":"read","locations":[{{"path":"'"$PWD"'/{file}"}}]"#);
    asks("read").replace(r#""kind":"read""#, &located)
}

/// Reports a tool call of this kind.
pub(crate) fn tells_tool(kind: &str) -> String {
    let update = format!(
        r#"{{"sessionUpdate":"tool_call","toolCallId":"c","title":"Look at it","kind":"{kind}"}}"#
    );
    let params = format!(r#"{{"sessionId":"s","update":{update}}}"#);
    format!(r#"echo '{{"jsonrpc":"2.0","method":"session/update","params":{params}}}'"#)
}

/// Sends a permission request that contains only the id of the tool call.
pub(crate) fn asks_briefly() -> String {
    let yes = r#"{"optionId":"yes","name":"Yes","kind":"allow_once"}"#;
    let params =
        format!(r#"{{"sessionId":"s","toolCall":{{"toolCallId":"c"}},"options":[{yes}]}}"#);
    let method = "session/request_permission";
    let line = format!(r#"{{"jsonrpc":"2.0","id":9,"method":"{method}","params":{params}}}"#);
    format!("echo '{line}'; read answer")
}

/// Sends the response that it got as a message.
pub(crate) const ECHO_ANSWER: &str = r#"
outcome=$(printf '%s' "$answer" | sed 's/.*"outcome":{\(.*\)}}}/{\1}/; s/"/\\"/g')
printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$outcome"
"#;

const START: &str = r#"
read initialize; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read new; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read prompt
"#;

/// An agent with a mode, a model and a switch to choose, which answers every setting.
pub(crate) fn with_choices() -> String {
    let modes = r#""modes":{"currentModeId":"code","availableModes":[{"id":"code","name":"Code"},{"id":"plan","name":"Plan"}]}"#;
    let model = r#"{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"small","options":[{"value":"small","name":"Small"},{"value":"big","name":"Big"}]}"#;
    let fast = r#"{"id":"fast","name":"Fast","type":"boolean","currentValue":false}"#;
    let options = format!(r#""configOptions":[{model},{fast}]"#);
    let new = format!(r#"{{"sessionId":"s",{modes},{options}}}"#);
    answering(&format!(
        r#"
        *session/new*) answer '{new}';;
        *session/set_mode*) answer '{{}}';;
        *session/set_config_option*) answer '{{{options}}}';;
        *session/prompt*) answer '{{"stopReason":"end_turn"}}';;
        "#
    ))
}

/// An agent with two sessions of `/tmp`, which it can list, load and resume.
pub(crate) fn with_sessions() -> String {
    let sessions = r#"{"sessions":[
        {"sessionId":"older","cwd":"/tmp","updatedAt":"2026-01-01T00:00:00Z"},
        {"sessionId":"elsewhere","cwd":"/usr","updatedAt":"2026-03-01T00:00:00Z"},
        {"sessionId":"latest","cwd":"/tmp","updatedAt":"2026-02-01T00:00:00Z"}]}"#;
    let sessions: String = sessions.lines().map(str::trim).collect();
    answering(&format!(
        r#"
        *session/list*) answer '{sessions}';;
        *session/load*|*session/resume*) answer '{{}}';;
        *session/prompt*) answer '{{"stopReason":"end_turn"}}';;
        "#
    ))
}

/// An agent that can load sessions and has none.
pub(crate) fn without_session() -> String {
    answering(
        r#"
        *session/load*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32002,\"message\":\"Resource not found\"}}";;
        "#,
    )
}

/// An agent that responds to every request, by the name of its method.
fn answering(cases: &str) -> String {
    let offers = r#"{"loadSession":true,"sessionCapabilities":{"list":{},"resume":{}}}"#;
    format!(
        r#"
answer() {{ printf '{{"jsonrpc":"2.0","id":%s,"result":%s}}\n' "$id" "$1"; }}
while read -r line; do
    id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
    case $line in
        *'"initialize"'*) answer '{{"protocolVersion":1,"agentCapabilities":{offers}}}';;
        {cases}
    esac
done"#
    )
}
