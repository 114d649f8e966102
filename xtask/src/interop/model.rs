//! A language model that runs here: what it says is in the prompt. It speaks the streaming forms of the two interfaces
//! that the products of `interop/products` use, on a free port of this machine.

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

/// What the prompt wants.
#[derive(Debug, PartialEq)]
enum Wish {
    /// `<<run COMMAND>>`, once for each command that has not been run yet.
    Run(String),
    /// The same, after the last of them.
    Finish,
    /// `<<wait>>`: a word, and then nothing until somebody hangs up.
    Wait,
    Greet,
}

fn answer(mut stream: TcpStream) -> io::Result<()> {
    let request = Request::read(&stream)?;
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let path = request.path.as_str();
    if path.ends_with("/responses") {
        http::begin(&mut stream, "text/event-stream")?;
        responses(&mut stream, &Wish::of(&body["input"]), &body["tools"])
    } else if path.ends_with("/chat/completions") {
        http::begin(&mut stream, "text/event-stream")?;
        chat(&mut stream, &Wish::of(&body["messages"]), &body["tools"])
    } else {
        let models =
            json!({"object": "list", "data": [{"id": "here", "object": "model"}], "models": []});
        http::begin(&mut stream, "application/json")?;
        stream.write_all(models.to_string().as_bytes())
    }
}

impl Wish {
    /// From the last message of a person that wants something; a tool's result after it means that it was done.
    fn of(messages: &Value) -> Wish {
        let messages = messages.as_array().map_or(&[][..], Vec::as_slice);
        let wants = |message: &Value| message["role"] == "user" && text(message).contains("<<");
        let Some(at) = messages.iter().rposition(wants) else {
            return Wish::Greet;
        };
        let text = text(&messages[at]);
        let wishes = text
            .split("<<")
            .skip(1)
            .filter_map(|wish| Some(wish.split_once(">>")?.0));
        let wishes: Vec<&str> = wishes.collect();
        let is_result = |message: &&Value| {
            message["role"] == "tool" || message["type"] == "function_call_output"
        };
        let done = messages[at..].iter().filter(is_result).count();
        let commands = wishes.iter().filter_map(|wish| wish.strip_prefix("run "));
        let mut due = commands.clone().skip(done);
        match due.next() {
            Some(command) => Wish::Run(command.to_owned()),
            None if commands.count() > 0 => Wish::Finish,
            None if wishes.last() == Some(&"wait") => Wish::Wait,
            None => Wish::Greet,
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Wish::Finish => "It is done.",
            Wish::Wait => "One moment.",
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

/// The tool that runs commands, by the name that each product has for it, and its input.
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

fn chat(stream: &mut TcpStream, wish: &Wish, tools: &Value) -> io::Result<()> {
    let mut say = |delta: Value, end: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": end});
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "here", "choices": [choice]});
        http::event(stream, None, &chunk.to_string())
    };
    if let Wish::Run(command) = wish {
        let (name, input) = tool(tools, command);
        let function = json!({"name": name, "arguments": input});
        let call = json!({"index": 0, "id": call_id(), "type": "function", "function": function});
        say(
            json!({"role": "assistant", "tool_calls": [call]}),
            Value::Null,
        )?;
        say(json!({}), json!("tool_calls"))?;
    } else {
        say(
            json!({"role": "assistant", "content": wish.words()}),
            Value::Null,
        )?;
        if *wish == Wish::Wait {
            hold(|| say(json!({"content": ""}), Value::Null))?;
        }
        say(json!({}), json!("stop"))?;
    }
    http::event(stream, None, "[DONE]")
}

fn responses(stream: &mut TcpStream, wish: &Wish, tools: &Value) -> io::Result<()> {
    let mut say = |kind: &str, mut event: Value| {
        event["type"] = json!(kind);
        http::event(stream, Some(kind), &event.to_string())
    };
    let response = |status: &str, output: Value| {
        json!({"response": {"id": "r", "object": "response", "model": "here", "status": status, "output": output,
            "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}}})
    };
    say("response.created", response("in_progress", json!([])))?;
    let item = match wish {
        Wish::Run(command) => {
            let (name, input) = tool(tools, command);
            json!({"type": "function_call", "id": "f", "call_id": call_id(), "name": name, "arguments": input})
        }
        _ => {
            let added = json!({"type": "message", "id": "m", "role": "assistant", "content": []});
            say(
                "response.output_item.added",
                json!({"output_index": 0, "item": added}),
            )?;
            let delta = |text: &str| json!({"item_id": "m", "output_index": 0, "content_index": 0, "delta": text});
            say("response.output_text.delta", delta(wish.words()))?;
            if *wish == Wish::Wait {
                hold(|| say("response.output_text.delta", delta("")))?;
            }
            let part = json!({"type": "output_text", "text": wish.words(), "annotations": []});
            json!({"type": "message", "id": "m", "role": "assistant", "content": [part]})
        }
    };
    say(
        "response.output_item.done",
        json!({"output_index": 0, "item": item}),
    )?;
    say("response.completed", response("completed", json!([item])))
}

/// Products tell calls apart by their ids.
fn call_id() -> String {
    static LAST: AtomicU32 = AtomicU32::new(0);
    format!("call-{}", LAST.fetch_add(1, Ordering::Relaxed))
}

/// Says nothing new until nobody listens any more, which ends with the error of a closed pipe.
fn hold(mut again: impl FnMut() -> io::Result<()>) -> io::Result<()> {
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

    use super::Wish;

    fn check(messages: Value, wish: Wish) {
        assert_eq!(Wish::of(&messages), wish);
    }

    #[test]
    fn the_prompt_says_what_the_model_does() {
        let run = json!({"role": "user", "content": "please <<run touch a>> now"});
        let said = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<<wait>>"}]});
        check(json!([{"role": "user", "content": "hi"}]), Wish::Greet);
        check(json!([said]), Wish::Wait);
        check(json!([said, run]), Wish::Run("touch a".to_owned()));
        let result = json!({"role": "tool", "content": ""});
        check(json!([run, result]), Wish::Finish);
        let two = json!({"role": "user", "content": "<<run a>> and <<run b>>"});
        check(json!([two]), Wish::Run("a".to_owned()));
        check(json!([two, result]), Wish::Run("b".to_owned()));
        check(json!([two, result, result]), Wish::Finish);
        check(json!([run, result, said]), Wish::Wait);
        let output = json!({"type": "function_call_output", "output": ""});
        check(json!([run, output]), Wish::Finish);
    }
}
