//! Every value that the seed shows, through a conversation in which it could be said.

use super::*;

#[test]
fn every_value_of_the_seed_is_understood() {
    let mut block = 0;
    let mut talk = Talk::new();
    for line in lines() {
        if line["block"] != block {
            block = line["block"].as_u64().expect("a number");
            talk = seed_talk();
        }
        read(&mut talk, what(&line), &line["json"]);
    }
}

/// The method and the parameters or the result of every value.
pub(super) fn payloads() -> impl Iterator<Item = (String, Value)> {
    let lines = lines().filter(|line| what(line) != "error");
    lines.map(|line| {
        let (line, json) = message(what(&line), &line["json"]);
        let (_, method) = line.split_once(' ').expect("who and what");
        (method.to_owned(), json)
    })
}

fn lines() -> impl Iterator<Item = Value> {
    let lines = include_str!("../../../fixtures/seeds/002.jsonl").lines();
    lines.map(value).filter(|line| line.get("skip").is_none())
}

fn what(line: &Value) -> &str {
    line["as"].as_str().expect("what it is")
}

/// A conversation with the two sessions that the seed talks about.
fn seed_talk() -> Talk {
    let mut talk = Talk::new();
    talk.start("sess_abc123", "/home/user/project");
    talk.start("sess_a1b2c3d4", "/home/user/my-project");
    talk
}

fn read(talk: &mut Talk, what: &str, json: &Value) {
    if what == "error" {
        return read_error(talk, &json["error"]);
    }
    let (line, mut draft) = message(what, json);
    let (_, again) = talk.pass(&line, &draft.to_string());
    if draft["type"] == "tool_call" && draft["data"].get("status").is_none() {
        draft["data"]["status"] = "pending".into();
    }
    assert_eq!(value(&again), draft, "{what}");
}

/// Who sends the value, as what, and the value itself or a message around it.
fn message(what: &str, json: &Value) -> (String, Value) {
    let (form, name) = what.split_once(' ').unwrap_or((what, ""));
    match form {
        "message" => {
            let method = json["method"].as_str().expect("a method");
            (call_of(method), json["params"].clone())
        }
        "response" => (answer_to(name), json["result"].clone()),
        "update" => {
            let mut params = json.clone();
            params["sessionId"] = "sess_abc123".into();
            (call_of("session/update"), params)
        }
        "type" | "member" => around(name, json),
        other => panic!("{other}: no such form"),
    }
}

fn read_error(talk: &mut Talk, json: &Value) {
    let error = attache_rpc::json::from_str(&json.to_string()).expect("an error");
    let official = talk.agent.read_error("session/prompt", error);
    assert_eq!(official.code, -32002);
    official::accepts_type("Error", &attache_rpc::json::to_string(&official)).expect("official");
    let again = talk.client.write_error("session/prompt", official);
    assert_eq!(value(&attache_rpc::json::to_string(&again)), *json);
}

fn call_of(method: &str) -> String {
    let agents = [
        "session/update",
        "session/request_permission",
        "_mcp/request",
    ];
    let agents = agents.contains(&method)
        || ["fs/", "terminal/"]
            .iter()
            .any(|part| method.starts_with(part));
    format!("{} {method}", if agents { "agent" } else { "client" })
}

fn answer_to(method: &str) -> String {
    let asked = call_of(method);
    let answers = if asked.starts_with("agent") {
        "client"
    } else {
        "agent"
    };
    format!("{answers}= {method}")
}

/// A message around a part of one.
fn around(name: &str, json: &Value) -> (String, Value) {
    let info = serde_json::json!({"name": "n", "version": "1"});
    let (line, mut whole) = match name {
        "ClientCapabilities" | "InitializeRequest" => (
            "client initialize",
            serde_json::json!({"protocolVersion": 1, "clientInfo": info}),
        ),
        "AgentCapabilities" | "InitializeResponse" => (
            "agent= initialize",
            serde_json::json!({"protocolVersion": 1, "agentInfo": info}),
        ),
        "ContentBlock" => {
            let params = serde_json::json!({"sessionId": "sess_abc123", "content": [json]});
            return ("client session/prompt".to_owned(), params);
        }
        "McpServer" => {
            let server = serde_json::json!({"name": "n", "transport": json});
            let params = serde_json::json!({"workingDirectory": "/p", "mcpServers": [server]});
            return ("client session/new".to_owned(), params);
        }
        other => panic!("{other}: no such type"),
    };
    if name.ends_with("Capabilities") {
        whole["capabilities"] = json.clone();
    } else {
        let members = json.as_object().expect("members").clone();
        whole.as_object_mut().expect("an object").extend(members);
    }
    (line.to_owned(), whole)
}
