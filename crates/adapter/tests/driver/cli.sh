#!/bin/bash
# As much of the Claude Code CLI as the driver needs: what a prompt says is what it does.
say() { printf '%s\n' "$1"; }
answer() { say "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":$1}}"; }
state() { now=$1; say "{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"$1\"}"; }
text() { say "{\"type\":\"assistant\",\"message\":{\"id\":\"m$turn\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]},\"parent_tool_use_id\":null}"; }
result() { say "{\"type\":\"result\",\"subtype\":\"$1\",\"is_error\":$2,\"terminal_reason\":\"$3\",\"result\":\"\"}"; }
call() { say "{\"type\":\"assistant\",\"message\":{\"id\":\"m$turn\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"call$turn\",\"name\":\"Write\",\"input\":{\"file_path\":\"$file\",\"content\":\"x\"}}]},\"parent_tool_use_id\":null}"; }
ask() { say "{\"type\":\"control_request\",\"request_id\":\"q$turn\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Write\",\"input\":{\"file_path\":\"$file\",\"content\":\"x\"},\"permission_suggestions\":[{\"type\":\"setMode\",\"mode\":\"acceptEdits\",\"destination\":\"session\"}],\"tool_use_id\":\"call$turn\"}}"; }
taken() { say "{\"type\":\"command_lifecycle\",\"command_uuid\":\"$1\",\"state\":\"started\"}"; }
gave() { say "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"call$turn\",\"content\":\"$1\",\"is_error\":$2}]}}"; }
elicit() { left=$((left + 1)); say "{\"type\":\"control_request\",\"request_id\":\"q$turn\",\"request\":{\"subtype\":\"elicitation\",\"mcp_server_name\":\"files\",\"message\":\"Which?\",$1}}"; }
form() { elicit '"mode":"form","requested_schema":{"type":"object","properties":{"name":{"type":"string"}}}'; }
page() { elicit '"mode":"url","url":"https://example.com/login","elicitation_id":"one"'; }
end() { text "$1"; result success false completed; state idle; }
local_result() { say "{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"\",\"local_command\":\"$1\"}"; }
spent() { say '{"type":"result","subtype":"success","usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":5}}'; }
turn=0
file=/p/a.txt
left=0
model=here
account='{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY","apiProvider":"firstParty"}'
case "$PWD" in *no-login*) account='{"tokenSource":"none","apiProvider":"firstParty"}' ;; esac
case "$PWD $*" in *forgetful*--resume=*) echo 'No conversation found with session ID: 0' >&2; exit 1 ;; esac
case "$PWD $*" in *orphan*--resume=*) orphan=1 ;; esac
case "$*" in 'auth status') echo '{"loggedIn":false,"authMethod":"none","apiProvider":"firstParty"}'; exit 1 ;; esac
case "$*" in 'auth logout') echo 'Logged out.'; exit 0 ;; esac
case "$*" in *--resume=00000000-*) echo 'No conversation found with session ID: 0' >&2; exit 1 ;; esac
while IFS= read -r line; do
  id=$(sed -n 's/.*"request_id":"\([^"]*\)".*/\1/p' <<<"$line")
  uuid=$(sed -n 's/.*"uuid":"\([^"]*\)".*/\1/p' <<<"$line")
  case "$line" in
    *'"initialize"'*) [ -n "$orphan" ] && state running
      answer '{"commands":[{"name":"compact","description":"Shorten","argumentHint":""},{"name":"login","description":"Log in"}],"models":[],"account":'"$account"',"claude_code_version":"2.1.325","current_permission_mode":"default"}' ;;
    *'"get_settings"'*) answer '{"applied":{"model":"'"$model"'","effort":null}}' ;;
    *'"set_model"'*) model=$(sed -n 's/.*"model":"\([^"]*\)".*/\1/p' <<<"$line"); answer '{}' ;;
    *'"apply_flag_settings"'*) flags=1; answer '{}' ;;
    *'"set_permission_mode"'*) answer '{}' ;;
    *'"interrupt"'*)
      working=
      [ -n "$deaf" ] && continue
      [ -n "$named" ] && { answer "{\"cancelled\":[\"$named\"]}"; named=; continue; }
      [ -n "$alone" ] && { answer '{}'; [ "$id" = attache-hush ] || touch stopped; state idle; alone=; continue; }
      [ -n "$behind" ] && {
        case "$line" in
          *cancel_queued*) answer "{\"cancelled\":[\"$behind\"]}"; state idle ;;
          *) answer '{}'; taken "$behind"; end "Hello." ;;
        esac
        behind=; continue
      }
      [ -n "$late" ] && { answer '{}'; result error_during_execution true aborted_streaming; state idle; continue; }
      [ -n "$steered" ] && { answer '{}'; result error_during_execution true aborted_streaming; taken "$steered"; steered=; continue; }
      [ "$now" = idle ] && { answer '{"still_queued":[]}'; continue; }
      [ -n "$dropped" ] && { answer '{"still_queued":[]}'; state idle; dropped=; continue; }
      answer '{"still_queued":[]}'; result error_during_execution true aborted_streaming; state idle ;;
    *'"action":"'*)
      action=$(sed 's/.*"action":"\([a-z]*\)".*/\1/' <<<"$line"); left=$((left - 1))
      if [ "$left" = 0 ]; then end "$action"; else text "$action"; fi ;;
    *'"behavior":"allow"'*) gave "written" false; text "Done."; result success false completed; state idle ;;
    *'"behavior":"deny"'*) gave "no" true; text "Not done."; result success false completed; state idle ;;
    *later*'"priority":"now"'*) late=$uuid; text "I hear." ;;
    *listen*'"priority":"now"'*) steered=$uuid; text "I hear." ;;
    *'"type":"user"'*)
      [ -n "$late" ] && { behind=$uuid; turn=$((turn + 1)); state running; taken "$late"; late=; continue; }
      [ -n "$orphan" ] && { spent; state idle; orphan=; }
      turn=$((turn + 1)); state running; taken "$uuid"
      case "$line" in
        *die*) echo 'out of memory' >&2; text "Ouch"; exit 3 ;;
        *ignore*) deaf=1; text "I do not listen." ;;
        *twice*) spent; spent; state idle ;;
        *wait*) text "Waiting." ;;
        *named*) named=$uuid; text "Not yet." ;;
        *alone*) alone=1; text "Done."; result success false completed; state idle; state running; say '{"type":"system","subtype":"commands_changed","commands":[]}' ;;
        *work*) working=1; text "Working." ;;
        *drop*) dropped=1; text "Busy." ;;
        *write*) call; ask ;;
        *replace*) file=$PWD/a.txt; call; ask ;;
        *form*) form ;;
        *both*) form; turn=$((turn + 1)); form ;;
        *page*) page; say '{"type":"system","subtype":"elicitation_complete","mcp_server_name":"files","elicitation_id":"one"}' ;;
        *regret*) turn=$((turn - 1)); form; say "{\"type\":\"control_cancel_request\",\"request_id\":\"q$turn\"}"; end "Never mind." ;;
        *garbage*) echo 'Warning: this is no JSON'; echo '[1,2'; say '{"type":"brand_new"}'; text "Clean."; result success false completed; state idle ;;
        *'/model there'*) model=there; text "Set model to there"; local_result model; state idle ;;
        *where*) text "$ANTHROPIC_BASE_URL $ANTHROPIC_AUTH_TOKEN $ANTHROPIC_CUSTOM_HEADERS $flags"; result success false completed; state idle ;;
        *logged-out*) say '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}'; state idle ;;
        *) text "Hello."; result success false completed; state idle ;;
      esac ;;
  esac
done
# One that was not interrupted works on when its input has ended.
[ -n "$working" ] && touch worked
exit 0
