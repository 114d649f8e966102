//! The turns of the conformant agent: the steps that each prompt starts.

use serde_json::{Value, json};

use super::{ConformantAgent, store, text};

pub(super) struct Turn {
    session: String,
    prompt: Value,
    step: TurnStep,
    /// The open request that the turn waits for.
    waits: Option<Value>,
    terminal: Value,
    cancelled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnStep {
    Wait,
    Permission,
    File,
    Create,
    Exit,
    Output,
    Release,
    LongCreate,
    LongExit,
    Form,
}

impl ConformantAgent {
    pub(super) fn start_turn(&mut self, session: String, prompt: Value, said: &str) {
        let id = json!(session);
        let offers = |pointer: &str| match self.client.pointer(pointer) {
            Some(Value::Bool(yes)) => *yes,
            Some(Value::Object(_)) => true,
            _ => false,
        };
        let call = json!({ "sessionId": session });
        let with = |more: Value| {
            let mut params = call.clone();
            if let (Value::Object(params), Value::Object(more)) = (&mut params, more) {
                params.extend(more);
            }
            params
        };
        let path = "/project/hello.txt";
        let (step, waits) = match said {
            "long" => {
                self.say(&id, "tick");
                self.say(&id, "tock");
                (TurnStep::Wait, None)
            }
            "permission" => {
                self.tool(&id, "pending");
                let options = json!([
                    { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
                    { "optionId": "no", "name": "No", "kind": "reject_once" },
                ]);
                let tool = json!({ "toolCallId": self.tool_id(&session), "title": "Look" });
                let params = with(json!({ "toolCall": tool, "options": options }));
                (
                    TurnStep::Permission,
                    Some(self.send_request("session/request_permission", params)),
                )
            }
            "fs-read" if offers("/fs/readTextFile") => {
                let params = with(
                    json!({ "path": self.path_in_cwd(&session, "hello.txt"), "line": 1, "limit": 2 }),
                );
                (
                    TurnStep::File,
                    Some(self.send_request("fs/read_text_file", params)),
                )
            }
            "fs-write" if offers("/fs/writeTextFile") => {
                let params = with(
                    json!({ "path": self.path_in_cwd(&session, "note.txt"), "content": "a note" }),
                );
                (
                    TurnStep::File,
                    Some(self.send_request("fs/write_text_file", params)),
                )
            }
            "terminal" | "long-tool" if offers("/terminal") => {
                self.tool(&id, "in_progress");
                let env = json!([{ "name": "A", "value": "b" }]);
                let params = with(json!({ "command": "sh", "args": [], "env": env, "cwd": "/" }));
                let step = if said == "terminal" {
                    TurnStep::Create
                } else {
                    TurnStep::LongCreate
                };
                (step, Some(self.send_request("terminal/create", params)))
            }
            "elicitation" if offers("/elicitation/form") => {
                let schema =
                    json!({ "type": "object", "properties": { "colour": { "type": "string" } } });
                let params =
                    with(json!({ "mode": "form", "message": "Which?", "requestedSchema": schema }));
                (
                    TurnStep::Form,
                    Some(self.send_request("elicitation/create", params)),
                )
            }
            _ => {
                self.run_without_waiting(&id, said, path, &offers("/session/notices"));
                return self.end(&prompt, "end_turn");
            }
        };
        self.turns.push(Turn {
            session,
            prompt,
            step,
            waits,
            terminal: Value::Null,
            cancelled: false,
        });
    }

    fn run_without_waiting(&mut self, id: &Value, said: &str, path: &str, gated: &bool) {
        match said {
            "tool-call" => {
                let tool = self.tool_id(text(&json!({ "s": id }), "/s"));
                let place = json!([{ "path": path, "line": 1 }]);
                self.update(id, json!({ "sessionUpdate": "tool_call", "toolCallId": tool, "title": "Look", "name": "look", "kind": "read", "status": "pending", "locations": place }));
                let content =
                    json!([{ "type": "content", "content": { "type": "text", "text": "x" } }]);
                self.update(id, json!({ "sessionUpdate": "tool_call_update", "toolCallId": tool, "status": "completed", "content": content }));
            }
            "plan" => {
                let entries =
                    json!([{ "content": "one", "priority": "high", "status": "pending" }]);
                self.update(id, json!({ "sessionUpdate": "plan", "entries": entries }));
                self.update(id, json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": { "amount": 0.5, "currency": "EUR" } }));
                self.update(id, json!({ "sessionUpdate": "session_info_update", "title": "T", "updatedAt": "2025-10-29T14:22:15Z" }));
                if self.offers == super::MockCapabilities::All {
                    self.update(
                        id,
                        json!({ "sessionUpdate": "current_mode_update", "currentModeId": "b" }),
                    );
                    let boolean = self
                        .client
                        .pointer("/session/configOptions/boolean")
                        .is_some();
                    self.update(id, json!({ "sessionUpdate": "config_option_update", "configOptions": store::options("y", boolean) }));
                }
                if *gated {
                    self.update(
                        id,
                        json!({ "sessionUpdate": "notice", "severity": "info", "title": "Note" }),
                    );
                    self.update(id, json!({ "sessionUpdate": "compaction_update", "compactionId": "c", "status": "in_progress" }));
                    self.update(id, json!({ "sessionUpdate": "compaction_update", "compactionId": "c", "status": "completed" }));
                }
            }
            _ => {}
        }
        self.say(id, "done");
    }

    pub(super) fn handle_response(&mut self, id: &Value, outcome: Result<Value, i64>) {
        let Some(at) = self
            .turns
            .iter()
            .position(|turn| turn.waits.as_ref() == Some(id))
        else {
            return;
        };
        let mut turn = self.turns.remove(at);
        let session = json!(turn.session);
        let params = json!({ "sessionId": session, "terminalId": turn.terminal });
        let failed = outcome.is_err();
        match turn.step {
            TurnStep::Permission => {
                let chosen = outcome.unwrap_or_default();
                let (status, reason) = match (
                    text(&chosen, "/outcome/outcome"),
                    text(&chosen, "/outcome/optionId"),
                ) {
                    ("selected", "yes") => ("completed", "end_turn"),
                    ("cancelled", _) if turn.cancelled => ("failed", "cancelled"),
                    _ => ("failed", "end_turn"),
                };
                self.changed(&session, status);
                return self.finish(&turn, reason);
            }
            TurnStep::File | TurnStep::Form | TurnStep::Wait => {
                return self.finish(&turn, "end_turn");
            }
            TurnStep::Create | TurnStep::LongCreate if failed => {
                self.changed(&session, "failed");
                return self.finish(
                    &turn,
                    if turn.cancelled {
                        "cancelled"
                    } else {
                        "end_turn"
                    },
                );
            }
            TurnStep::Create | TurnStep::LongCreate => {
                turn.terminal = outcome
                    .unwrap_or_default()
                    .get("terminalId")
                    .cloned()
                    .unwrap_or_default();
                let shown = json!([{ "type": "terminal", "terminalId": turn.terminal }]);
                let tool = self.tool_id(&turn.session);
                self.update(&session, json!({ "sessionUpdate": "tool_call_update", "toolCallId": tool, "content": shown }));
                if turn.cancelled {
                    return self.cancel_turn(&turn);
                }
                let params = json!({ "sessionId": session, "terminalId": turn.terminal });
                turn.waits = Some(self.send_request("terminal/wait_for_exit", params));
                turn.step = if turn.step == TurnStep::Create {
                    TurnStep::Exit
                } else {
                    TurnStep::LongExit
                };
            }
            TurnStep::Exit => {
                turn.waits = Some(self.send_request("terminal/output", params));
                turn.step = TurnStep::Output;
            }
            TurnStep::Output => {
                turn.waits = Some(self.send_request("terminal/release", params));
                turn.step = TurnStep::Release;
            }
            TurnStep::Release => {
                let shown = json!([{ "type": "terminal", "terminalId": turn.terminal }]);
                let tool = self.tool_id(&turn.session);
                self.update(&session, json!({ "sessionUpdate": "tool_call_update", "toolCallId": tool, "content": shown, "status": "completed" }));
                return self.finish(&turn, "end_turn");
            }
            TurnStep::LongExit => return,
        }
        self.turns.push(turn);
    }

    pub(super) fn cancel(&mut self, session: &str) {
        let mut rest = Vec::new();
        for mut turn in std::mem::take(&mut self.turns) {
            if turn.session != session {
                rest.push(turn);
                continue;
            }
            turn.cancelled = true;
            match turn.step {
                TurnStep::LongExit => self.cancel_turn(&turn),
                TurnStep::Wait | TurnStep::File | TurnStep::Form => {
                    self.end(&turn.prompt, "cancelled")
                }
                _ => rest.push(turn),
            }
        }
        self.turns.extend(rest);
    }

    fn cancel_turn(&mut self, turn: &Turn) {
        let session = json!(turn.session);
        self.send_request(
            "terminal/kill",
            json!({ "sessionId": session, "terminalId": turn.terminal }),
        );
        self.send_request(
            "terminal/release",
            json!({ "sessionId": session, "terminalId": turn.terminal }),
        );
        self.changed(&session, "failed");
        self.end(&turn.prompt, "cancelled");
    }

    fn finish(&mut self, turn: &Turn, reason: &str) {
        self.say(&json!(turn.session), "done");
        self.end(&turn.prompt, reason);
    }

    fn end(&mut self, prompt: &Value, reason: &str) {
        self.respond(prompt, Ok(json!({ "stopReason": reason })));
    }

    fn say(&mut self, session: &Value, said: &str) {
        self.update(session, json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": said } }));
    }

    fn tool(&mut self, session: &Value, status: &str) {
        let tool = self.tool_id(session.as_str().unwrap_or(""));
        self.update(session, json!({ "sessionUpdate": "tool_call", "toolCallId": tool, "title": "Look", "name": "look", "kind": "execute", "status": status }));
    }

    fn changed(&mut self, session: &Value, status: &str) {
        let tool = self.tool_id(session.as_str().unwrap_or(""));
        self.update(
            session,
            json!({ "sessionUpdate": "tool_call_update", "toolCallId": tool, "status": status }),
        );
    }

    fn tool_id(&self, session: &str) -> String {
        format!("tool-of-{session}")
    }

    fn path_in_cwd(&self, session: &str, name: &str) -> String {
        format!("{}/{name}", self.store().cwd(session))
    }
}
