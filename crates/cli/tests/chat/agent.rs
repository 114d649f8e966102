//! An agent written in shell. It does what the single word of the prompt says.

pub(crate) const AGENT: &str = r#"
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
say() {
    printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
    printf '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"
}
ask() {
    printf '{"jsonrpc":"2.0","id":99,"method":"session/request_permission","params":{"sessionId":"s","toolCall":'
    printf '{"toolCallId":"c","title":"Tidy up","kind":"execute","rawInput":{"command":["rm","-r","old files"]}},'
    printf '"options":[{"optionId":"yes","name":"Go","kind":"allow_once"},'
    printf '{"optionId":"no","name":"Stop","kind":"reject_once"}]}}\n'
}
if [ "$1" = login ]; then
    printf 'who are you? '
    read -r name
    echo "$name" >login
    exit 0
fi
ask_host() { printf '{"jsonrpc":"2.0","id":%s,"method":"terminal/%s","params":{"sessionId":"s",%s}}\n' "$1" "$2" "$3"; }
tool() {
    printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":'
    printf '{"sessionUpdate":"%s","toolCallId":"r","title":"Run it","kind":"execute","status":"%s",' "$1" "$2"
    printf '"content":[{"type":"terminal","terminalId":"%s"}]}}}\n' "$terminal"
}
wait_and_tell='echo first line; while [ ! -e go ]; do sleep 0.05; done; echo last line'
while IFS= read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        reply "$id" '{"protocolVersion":1,"agentInfo":{"name":"shell","version":"1"},"authMethods":[{"type":"terminal","id":"t","name":"Log in here","args":["login"]}],"agentCapabilities":{"sessionCapabilities":{"resume":{}}}}' ;;
    *'"method":"session/new"'*)
        if [ -n "$WANTS_LOGIN" ] && [ ! -e login ]; then
            printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"log in first"}}\n' "$id"
        else
            reply "$id" '{"sessionId":"s"}'
        fi ;;
    *'"method":"session/resume"'*) reply "$id" '{}' ;;
    *'"method":"session/cancel"'*) reply "$turn" '{"stopReason":"cancelled"}' ;;
    *'"method":"session/prompt"'*)
        turn=$id
        case "$line" in
        *'"text":"ask"'*) ask ;;
        *'"text":"run"'*) ask_host 50 create '"command":"sh","args":["-c","'"$wait_and_tell"'"]' ;;
        *'"text":"wait"'*) say 'waiting' ;;
        *'"text":"die"'*) echo 'Error: out of cheese' >&2; exit 3 ;;
        *'"text":"evil"'*)
            say 'one\u001b]0;pwned\u0007\u001b[2J\u202eeno\rtwo'
            reply "$turn" '{"stopReason":"end_turn"}' ;;
        *) say 'Hello, **world!**'; reply "$turn" '{"stopReason":"end_turn"}' ;;
        esac ;;
    *'"terminalId":"'*)
        terminal=$(printf '%s' "$line" | sed 's/.*"terminalId":"\([^"]*\)".*/\1/')
        tool tool_call in_progress
        ask_host 51 wait_for_exit '"terminalId":"'"$terminal"'"' ;;
    *'"exitCode":'*) tool tool_call_update completed; reply "$turn" '{"stopReason":"end_turn"}' ;;
    *'"optionId":"yes"'*) say 'the answer was yes'; reply "$turn" '{"stopReason":"end_turn"}' ;;
    *'"optionId":"no"'*) say 'the answer was no'; reply "$turn" '{"stopReason":"end_turn"}' ;;
    esac
done
"#;
