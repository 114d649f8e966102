#!/bin/bash
# As much of the Claude Code CLI as the driver needs: what a prompt says is what it does.
say() { printf '%s\n' "$1"; }
answer() { say "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"$id\",\"response\":$1}}"; }
state() { say "{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"$1\"}"; }
text() { say "{\"type\":\"assistant\",\"message\":{\"id\":\"m$turn\",\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"$1\"}]},\"parent_tool_use_id\":null}"; }
result() { say "{\"type\":\"result\",\"subtype\":\"$1\",\"is_error\":$2,\"terminal_reason\":\"$3\",\"result\":\"\"}"; }
call() { say "{\"type\":\"assistant\",\"message\":{\"id\":\"m$turn\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"call$turn\",\"name\":\"Write\",\"input\":{\"file_path\":\"/p/a.txt\",\"content\":\"x\"}}]},\"parent_tool_use_id\":null}"; }
ask() { say "{\"type\":\"control_request\",\"request_id\":\"q$turn\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Write\",\"input\":{\"file_path\":\"/p/a.txt\",\"content\":\"x\"},\"permission_suggestions\":[{\"type\":\"setMode\",\"mode\":\"acceptEdits\",\"destination\":\"session\"}],\"tool_use_id\":\"call$turn\"}}"; }
gave() { say "{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"call$turn\",\"content\":\"$1\",\"is_error\":$2}]}}"; }
spent() { say '{"type":"result","subtype":"success","usage":{"input_tokens":10,"output_tokens":2,"cache_read_input_tokens":5}}'; }
taken() { say "{\"type\":\"command_lifecycle\",\"state\":\"started\",\"command_uuid\":\"$(sed -n 's/.*"uuid":"\([^"]*\)".*/\1/p' <<<"$line")\"}"; }
turn=0
account='{"tokenSource":"none","apiKeySource":"ANTHROPIC_API_KEY","apiProvider":"firstParty"}'
case "$PWD" in *no-login*) account='{"tokenSource":"none","apiProvider":"firstParty"}' ;; esac
case "$PWD $*" in *forgetful*--resume=*) echo 'No conversation found with session ID: 0' >&2; exit 1 ;; esac
case "$PWD $*" in *orphan*--resume=*) orphan=1 ;; esac
case "$*" in 'auth status') echo '{"loggedIn":false,"authMethod":"none","apiProvider":"firstParty"}'; exit 1 ;; esac
case "$*" in *--resume=00000000-*) echo 'No conversation found with session ID: 0' >&2; exit 1 ;; esac
while IFS= read -r line; do
  id=$(sed -n 's/.*"request_id":"\([^"]*\)".*/\1/p' <<<"$line")
  case "$line" in
    *'"initialize"'*) [ -n "$orphan" ] && state running
      answer '{"commands":[{"name":"compact","description":"Shorten","argumentHint":""},{"name":"login","description":"Log in"}],"models":[],"account":'"$account"',"claude_code_version":"2.1.325","current_permission_mode":"default"}' ;;
    *'"get_settings"'*) answer '{"applied":{"model":"here","effort":null}}' ;;
    *'"set_permission_mode"'*) answer '{}' ;;
    *'"interrupt"'*)
      [ -n "$deaf" ] && continue
      [ -n "$dropped" ] && { answer '{"still_queued":[]}'; state idle; dropped=; continue; }
      answer '{"still_queued":[]}'; result error_during_execution true aborted_streaming; state idle ;;
    *'"behavior":"allow"'*) gave "written" false; text "Done."; result success false completed; state idle ;;
    *'"behavior":"deny"'*) gave "no" true; text "Not done."; result success false completed; state idle ;;
    *'"type":"user"'*)
      [ -n "$orphan" ] && { spent; state idle; orphan=; }
      turn=$((turn + 1)); state running; taken
      case "$line" in
        *die*) echo 'out of memory' >&2; text "Ouch"; exit 3 ;;
        *deaf*) deaf=1; text "I do not listen." ;;
        *twice*) spent; spent; state idle ;;
        *wait*) text "Waiting." ;;
        *drop*) dropped=1; text "Busy." ;;
        *write*) call; ask ;;
        *garbage*) echo 'Warning: this is no JSON'; echo '[1,2'; say '{"type":"brand_new"}'; text "Clean."; result success false completed; state idle ;;
        *logged-out*) say '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}'; state idle ;;
        *) text "Hello."; result success false completed; state idle ;;
      esac ;;
  esac
done
