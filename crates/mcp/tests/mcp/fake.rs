//! A server with scripted behaviour or misbehaviour: as a program over standard input and output, and as a function
//! that the fakes of other transports call.

use std::io::{BufRead, Write};
use std::process::ExitCode;

use serde_json::{Value, json};

/// The variable that makes this executable the server. Its value selects the behaviour.
pub(crate) const MANNER: &str = "ATTACHE_TEST_MCP_FAKE";
/// The variable with a secret that must never be shown.
pub(crate) const SECRET: &str = "FAKE_TOKEN";

/// The next action of the server.
pub(crate) enum Act {
    Say(String),
    Die,
    Flood(String),
}

#[derive(Default)]
pub(crate) struct Fake {
    manner: String,
    secret: String,
    grown: bool,
    /// The id of the request with which the client subscribed to changes.
    listener: Option<Value>,
    /// The id of the call that waits for a response of the client.
    waiting: Option<Value>,
}

pub(crate) fn run(manner: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match manner {
        "exits" => {
            eprintln!("starting");
            eprintln!("no key, only {}", std::env::var(SECRET).unwrap_or_default());
            return ExitCode::from(3);
        }
        "floods" => {
            drop(out);
            flood(&ping())
        }
        "prints" => writeln!(out, "Listening…\n{{ tools: 3 }}\n\n").unwrap(),
        _ => {}
    }
    let mut fake = Fake::new(manner);
    for line in std::io::stdin().lock().lines() {
        let message = serde_json::from_str(&line.unwrap()).unwrap();
        for act in fake.take(&message) {
            match act {
                Act::Say(text) => writeln!(out, "{text}").unwrap(),
                Act::Flood(lines) => {
                    drop(out);
                    flood(&lines)
                }
                Act::Die => {
                    eprintln!("out of memory near {}", fake.secret);
                    return ExitCode::from(7);
                }
            }
        }
        out.flush().unwrap();
    }
    ExitCode::SUCCESS
}

/// Writes these lines forever and never reads the responses.
fn flood(lines: &str) -> ! {
    let mut out = std::io::stdout().lock();
    loop {
        if writeln!(out, "{lines}").is_err() {
            std::process::exit(0);
        }
    }
}

fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": "ping", "method": "ping"}).to_string()
}

fn chatter() -> String {
    let words = json!({"level": "info", "data": "chatter"});
    let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": words});
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    format!("{log}\n{changed}")
}

impl Fake {
    pub(crate) fn new(manner: &str) -> Fake {
        Fake {
            manner: manner.to_owned(),
            secret: std::env::var(SECRET).unwrap_or_else(|_| "secret-in-process".to_owned()),
            ..Fake::default()
        }
    }

    pub(crate) fn take(&mut self, message: &Value) -> Vec<Act> {
        let id = &message["id"];
        let params = &message["params"];
        match message["method"].as_str() {
            _ if self.manner == "silent" => Vec::new(),
            Some("initialize") if self.manner == "modern" => {
                vec![error(id, -32601, "Method not found")]
            }
            Some("initialize") => vec![result(
                id,
                &json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {"listChanged": true}, "prompts": {}, "resources": {}},
                    "serverInfo": {"name": "fake", "version": "1.2"},
                }),
            )],
            Some("server/discover") => vec![result(
                id,
                &json!({
                    "resultType": "complete",
                    "supportedVersions": ["2026-07-28"],
                    "capabilities": {"tools": {"listChanged": true}},
                    "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "modern fake", "version": "2"}},
                    "ttlMs": 0,
                    "cacheScope": "private",
                }),
            )],
            Some("tools/list") if self.manner == "malformed" => {
                let answer = json!({"jsonrpc": "2.0", "id": id, "result": self.tools(params)});
                // Built as text, because our JSON values can't be nested this deep.
                let deep = format!("{}{{}}{}", r#"{"items":"#.repeat(300), "}".repeat(300));
                let plain = r#""DEEP","inputSchema":{"type":"object"}"#;
                let nested = format!(r#""deep","inputSchema":{deep}"#);
                vec![Act::Say(answer.to_string().replace(plain, &nested))]
            }
            Some("tools/list") => vec![result(id, &self.tools(params))],
            Some("prompts/list") => vec![result(
                id,
                &json!({"prompts": [{
                    "name": "ask about", "description": "Asks about\na city",
                    "arguments": [{"name": "city", "required": true}, {"name": "detail"}],
                }]}),
            )],
            Some("prompts/get") => vec![result(
                id,
                &json!({"messages": [
                    {"role": "user", "content": text(&format!("About {}", params["arguments"]))},
                    {"role": "assistant", "content": text("I see")},
                ]}),
            )],
            Some("resources/list") => vec![result(
                id,
                &json!({"resources": [
                    {"uri": "fake://one", "name": "one", "mimeType": "text/plain", "size": 3},
                ]}),
            )],
            Some("resources/read") => vec![result(
                id,
                &json!({"contents": [
                    {"uri": params["uri"], "mimeType": "text/plain", "text": "one!"},
                ]}),
            )],
            Some("subscriptions/listen") => {
                self.listener = Some(id.clone());
                vec![notice(
                    "subscriptions/acknowledged",
                    id,
                    &params["notifications"],
                )]
            }
            Some("tools/call") => self.call(id, params),
            Some("notifications/cancelled") => {
                std::fs::write("cancelled", params["requestId"].to_string()).unwrap();
                Vec::new()
            }
            Some(_) => Vec::new(),
            None => self.answered(message),
        }
    }

    fn tools(&self, params: &Value) -> Value {
        if self.manner == "endless" {
            let page = params["cursor"]
                .as_str()
                .map_or(0, |page| page.parse::<u64>().unwrap());
            let tools: Vec<_> = (0..50).map(|n| tool(&format!("t{page}-{n}"))).collect();
            return json!({"tools": tools, "nextCursor": (page + 1).to_string()});
        }
        if self.manner == "malformed" {
            let of = |name: &str, schema: Value| json!({"name": name, "inputSchema": schema});
            return json!({"tools": [
                tool("first"), of("a", json!({"type": "string"})), of("b", json!({"properties": []})),
                of("c", json!({"properties": {"x": {"type": "text"}}})), of("d", json!([])), of("e", json!("object")),
                of("f", json!(null)), of("g", json!({"properties": {"x": {"$ref": "#/none"}}})), tool("DEEP"), tool("last"),
            ]});
        }
        if self.manner == "sloppy" {
            let big = json!({"name": "big", "inputSchema": {"x": "y".repeat(100_000)}});
            return json!({"tools": [tool("good"), {"name": 5}, {"no": "name"}, big, tool("good")]});
        }
        let mut tools = vec![
            json!({"name": "echo", "title": "Echo \u{1b}[31mit", "description": "Says it again",
                "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
                "annotations": {"readOnlyHint": true}}),
            json!({"name": "erase.all", "inputSchema": {"type": "object"},
                "annotations": {"destructiveHint": true}}),
        ];
        if self.grown {
            tools.push(tool("grown"));
        }
        match params["cursor"].as_str() {
            None => json!({"tools": tools, "nextCursor": "two"}),
            Some(_) => {
                json!({"tools": BEHAVIOURS.iter().map(|name| tool(name)).collect::<Vec<_>>()})
            }
        }
    }

    fn call(&mut self, id: &Value, params: &Value) -> Vec<Act> {
        let token = &params["_meta"]["progressToken"];
        let say = |words: &str| vec![result(id, &json!({"content": [text(words)]}))];
        match params["name"].as_str().unwrap() {
            "echo" => say(params["arguments"]["text"].as_str().unwrap_or("nothing")),
            "pid" => say(&std::process::id().to_string()),
            "where" => say(&std::env::current_dir().unwrap().display().to_string()),
            "fail" => vec![result(
                id,
                &json!({"content": [text("it broke")], "isError": true}),
            )],
            "refuse" => vec![error(id, -32000, &format!("bad\ntoken {}", self.secret))],
            "die" => vec![Act::Die],
            "flood" => vec![Act::Flood(format!("{}\n{}", ping(), chatter()))],
            "chatter" => vec![Act::Flood(chatter())],
            "never" => vec![progress(token, 1, "begun")],
            "steps" => {
                let mut acts: Vec<_> = (1..4).map(|n| progress(token, n, "step")).collect();
                acts.extend(say("done"));
                acts
            }
            "structured" => vec![result(
                id,
                &json!({"content": [], "structuredContent": {"n": 1}}),
            )],
            "media" => vec![result(id, &media())],
            "wide" => say(&"wide ".repeat(100_000)),
            "many" => vec![result(id, &json!({"content": vec![text("part"); 500]}))],
            "huge" => say(&"x".repeat(17 * 1024 * 1024)),
            "deep" => {
                let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
                let id = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":{deep}}}}}"#);
                vec![Act::Say(id)]
            }
            "odd" => vec![Act::Say(
                json!({"jsonrpc": "2.0", "id": id, "error": "odd"}).to_string(),
            )],
            "twice" => [say("once"), say("twice")].into_iter().flatten().collect(),
            "grow" => {
                self.grown = true;
                let listener = self.listener.clone().unwrap_or_default();
                let mut acts = vec![notice("tools/list_changed", &listener, &Value::Null)];
                acts.extend(say("grown"));
                acts
            }
            "roots" => self.ask(id, "roots/list", &json!({})),
            "sample" => self.ask(
                id,
                "sampling/createMessage",
                &json!({
                    "messages": [{"role": "user", "content": text("hi")}], "maxTokens": 5,
                }),
            ),
            "elicit" => self.ask(id, "elicitation/create", &form()),
            "back" if params["inputResponses"].is_null() => {
                let wanted = json!({"who": {"method": "elicitation/create", "params": form()}});
                vec![result(
                    id,
                    &json!({
                        "resultType": "input_required", "inputRequests": wanted, "requestState": "s1",
                    }),
                )]
            }
            "back" => say(&format!(
                "{} {}",
                params["requestState"], params["inputResponses"]
            )),
            other => vec![error(id, -32602, &format!("no tool {other}"))],
        }
    }

    fn ask(&mut self, call: &Value, method: &str, params: &Value) -> Vec<Act> {
        self.waiting = Some(call.clone());
        let request = json!({"jsonrpc": "2.0", "id": "q", "method": method, "params": params});
        vec![Act::Say(request.to_string())]
    }

    /// Handles the client's response to a request of a call: the call returns it as its result.
    fn answered(&mut self, message: &Value) -> Vec<Act> {
        let Some(call) = self.waiting.take() else {
            return Vec::new();
        };
        let answer = match message.get("result") {
            Some(result) => result.to_string(),
            None => format!("error {}", message["error"]["code"]),
        };
        vec![result(&call, &json!({"content": [text(&answer)]}))]
    }
}

pub(crate) fn progress(token: &Value, done: u64, message: &str) -> Act {
    Act::Say(
        json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
            "progressToken": token, "progress": done, "total": 4, "message": message,
        }})
        .to_string(),
    )
}

/// A notification for the subscription with this request id.
fn notice(method: &str, listener: &Value, filter: &Value) -> Act {
    let mut params = json!({});
    if !listener.is_null() {
        params["_meta"] = json!({"io.modelcontextprotocol/subscriptionId": listener});
    }
    if !filter.is_null() {
        params["notifications"] = filter.clone();
    }
    let method = format!("notifications/{method}");
    Act::Say(json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
}

fn form() -> Value {
    json!({"mode": "form", "message": "Who are you?", "requestedSchema": {
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"],
    }})
}

fn media() -> Value {
    json!({"content": [
        text("look"),
        {"type": "image", "data": "aW1n", "mimeType": "image/png"},
        {"type": "image", "data": "not base64!", "mimeType": "image/png"},
        {"type": "image", "data": "aW1n", "mimeType": "image/tiff"},
        {"type": "audio", "data": "c25k", "mimeType": "audio/wav"},
        {"type": "resource_link", "uri": "fake://two", "name": "two"},
        {"type": "resource", "resource": {"uri": "fake://three", "text": "three!"}},
        {"type": "resource", "resource": {"uri": "fake://four", "blob": "AAAA"}},
        {"type": "image", "data": "A".repeat(6 * 1024 * 1024), "mimeType": "image/png"},
    ]})
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn text(words: &str) -> Value {
    json!({"type": "text", "text": words})
}

fn result(id: &Value, result: &Value) -> Act {
    Act::Say(json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string())
}

fn error(id: &Value, code: i64, message: &str) -> Act {
    Act::Say(
        json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            .to_string(),
    )
}

const BEHAVIOURS: [&str; 22] = [
    "where",
    "pid",
    "fail",
    "refuse",
    "die",
    "flood",
    "chatter",
    "never",
    "steps",
    "structured",
    "media",
    "wide",
    "many",
    "huge",
    "deep",
    "odd",
    "twice",
    "grow",
    "roots",
    "sample",
    "elicit",
    "back",
];
