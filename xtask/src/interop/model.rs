//! A fake language model on this machine that follows the prompt. It serves the streaming forms of the two interfaces
//! that the products of `interop/products` use, on a free port.

pub(super) mod http;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use http::Request;

/// Serves until the process ends.
pub(super) fn serve() -> io::Result<SocketAddr> {
    http::serve(answer)
}

/// What the prompt asks the model to do.
#[derive(Debug, PartialEq)]
enum ModelAction {
    /// `<<run COMMAND>>`, once for each command that has not been run yet.
    Run(String),
    /// After the last command.
    Finish,
    /// `<<wait>>`: says something, then nothing until the client disconnects.
    Wait,
    Greet,
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let request = Request::read(&stream)?;
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = request.path.as_str();
    if path.ends_with("/responses") {
        http::begin(&mut stream, "text/event-stream")?;
        responses(
            &mut stream,
            &ModelAction::from_messages(&body["input"]),
            &body["tools"],
        )
    } else if path.ends_with("/chat/completions") {
        http::begin(&mut stream, "text/event-stream")?;
        chat(
            &mut stream,
            &ModelAction::from_messages(&body["messages"]),
            &body["tools"],
        )
    } else {
        let models =
            json!({"object": "list", "data": [{"id": "here", "object": "model"}], "models": []});
        http::begin(&mut stream, "application/json")?;
        stream.write_all(models.to_string().as_bytes())
    }
}

impl ModelAction {
    /// Finds the action in the last user message that contains one. Each tool result after that message means that a
    /// command has run.
    fn from_messages(messages: &Value) -> ModelAction {
        let messages = messages.as_array().map_or(&[][..], Vec::as_slice);
        let wants = |message: &Value| message["role"] == "user" && text(message).contains("<<");
        let Some(at) = messages.iter().rposition(wants) else {
            return ModelAction::Greet;
        };
        let text = text(&messages[at]);
        let wishes = text
            .split("<<")
            .skip(1)
            .filter_map(|action| Some(action.split_once(">>")?.0));
        let wishes: Vec<&str> = wishes.collect();
        let is_result = |message: &&Value| {
            message["role"] == "tool" || message["type"] == "function_call_output"
        };
        let done = messages[at..].iter().filter(is_result).count();
        let commands = wishes
            .iter()
            .filter_map(|action| action.strip_prefix("run "));
        let mut due = commands.clone().skip(done);
        match due.next() {
            Some(command) => ModelAction::Run(command.to_owned()),
            None if commands.count() > 0 => ModelAction::Finish,
            None if wishes.last() == Some(&"wait") => ModelAction::Wait,
            None => ModelAction::Greet,
        }
    }

    fn reply_text(&self) -> &'static str {
        match self {
            ModelAction::Finish => "It is done.",
            ModelAction::Wait => "One moment.",
            _ => "Hello from the model.",
        }
    }
}

fn text(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// The name of each product's command tool, and its input.
fn tool(tools: &Value, command: &str) -> (&'static str, String) {
    let has = |name: &str| {
        let tools = tools.as_array().into_iter().flatten();
        let mut names =
            tools.map(|tool| tool["name"].as_str().or(tool["function"]["name"].as_str()));
        names.any(|found| found == Some(name))
    };
    let tools: [(&'static str, Value); 4] = [
        ("exec_command", json!({ "cmd": command })),
        (
            "run_shell_command",
            json!({ "command": command, "is_background": false }),
        ),
        (
            "bash",
            json!({ "command": command, "description": "as scripted" }),
        ),
        ("shell", json!({ "command": command })),
    ];
    let known = tools.iter().find(|(name, _)| has(name));
    let (name, input) = known.unwrap_or(&tools[3]);
    (name, input.to_string())
}

fn chat(stream: &mut TcpStream, action: &ModelAction, tools: &Value) -> io::Result<()> {
    let mut send = |delta: Value, end: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "here", "choices": [choice]});
        http::event(stream, None, &chunk.to_string())
    };
    if let ModelAction::Run(command) = action {
        let (name, input) = tool(tools, command);
        let function = json!({"name": name, "arguments": input});
        let call = json!({"index": 0, "id": call_id(), "type": "function", "function": function});
        send(
            json!({"role": "assistant", "tool_calls": [call]}),
            Value::Null,
        )?;
        send(json!({}), json!("tool_calls"))?;
    } else {
        send(
            json!({"role": "assistant", "content": action.reply_text()}),
            Value::Null,
        )?;
        if *action == ModelAction::Wait {
            hold_stream(|| send(json!({"content": ""}), Value::Null))?;
        }
        send(json!({}), json!("stop"))?;
    }
    http::event(stream, None, "[DONE]")
}

fn responses(stream: &mut TcpStream, action: &ModelAction, tools: &Value) -> io::Result<()> {
    let mut send = |kind: &str, mut event: Value| {
        event["type"] = json!(kind);
        http::event(stream, Some(kind), &event.to_string())
    };
    let response = |status: &str, output: Value| {
        json!({"response": {"id": "r", "object": "response", "model": "here", "status": status, "output": output,
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
    };
    send("response.created", response("in_progress", json!([])))?;
    let item = match action {
        ModelAction::Run(command) => {
            let (name, input) = tool(tools, command);
            json!({"type": "function_call", "id": "f", "call_id": call_id(), "name": name, "arguments": input})
        }
        _ => {
            let added = json!({"type": "message", "id": "m", "role": "assistant", "content": []});
            send(
                "response.output_item.added",
                json!({"output_index": 0, "item": added}),
            )?;
            let delta = |text: &str| json!({"item_id": "m", "output_index": 0, "content_index": 0, "delta": text});
            send("response.output_text.delta", delta(action.reply_text()))?;
            if *action == ModelAction::Wait {
                hold_stream(|| send("response.output_text.delta", delta("")))?;
            }
            let part =
                json!({"type": "output_text", "text": action.reply_text(), "annotations": []});
            json!({"type": "message", "id": "m", "role": "assistant", "content": [part]})
        }
    };
    send(
        "response.output_item.done",
        json!({"output_index": 0, "item": item}),
    )?;
    send("response.completed", response("completed", json!([item])))
}

/// A new call id, because products distinguish calls by their ids.
fn call_id() -> String {
    static LAST: AtomicU32 = AtomicU32::new(0);
    format!("call-{}", LAST.fetch_add(1, Ordering::Relaxed))
}

/// Sends nothing new until the client disconnects, which is a write error.
fn hold_stream(mut again: impl FnMut() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..HOLD {
        thread::sleep(STEP);
        again()?;
    }
    Ok(())
}

const STEP: Duration = Duration::from_millis(100);
const HOLD: u32 = 600;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::ModelAction;

    fn check(messages: Value, action: ModelAction) {
        assert_eq!(ModelAction::from_messages(&messages), action);
    }

    #[test]
    fn the_prompt_determines_the_action() {
        let run = json!({"role": "user", "content": "please <<run touch a>> now"});
        let waiting = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<<wait>>"}]});
        check(
            json!([{"role": "user", "content": "hi"}]),
            ModelAction::Greet,
        );
        check(json!([waiting]), ModelAction::Wait);
        check(
            json!([waiting, run]),
            ModelAction::Run("touch a".to_owned()),
        );
        let result = json!({"role": "tool", "content": ""});
        check(json!([run, result]), ModelAction::Finish);
        let two = json!({"role": "user", "content": "<<run a>> and <<run b>>"});
        check(json!([two]), ModelAction::Run("a".to_owned()));
        check(json!([two, result]), ModelAction::Run("b".to_owned()));
        check(json!([two, result, result]), ModelAction::Finish);
        check(json!([run, result, waiting]), ModelAction::Wait);
        let output = json!({"type": "function_call_output", "output": ""});
        check(json!([run, output]), ModelAction::Finish);
    }
}
