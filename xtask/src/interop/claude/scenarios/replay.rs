//! Replaying stored sessions: only the conversation, and all of it.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::{expect, expect_eq};

/// A session that was rewound to before its second prompt with the CLI itself, then continued differently.
pub(super) fn rewound(fixture: &Fixture) -> Result<(), Failure> {
    fixture.write("a.txt", "one\n")?;
    fixture.write("b.txt", "two\n")?;
    let mut client = fixture.start()?;
    let id = client.session(&fixture.cwd)?;
    let (first, both) = (json!([[{ "text": "One." }]]), read_both_script(fixture));
    for words in [
        format!("An apricot. <<{first}>>"),
        format!("A quince. <<{both}>>"),
    ] {
        let turn = client.prompt_text(&id, &words)?;
        expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    }
    client.request("session/close", json!({ "sessionId": id }))?;
    rewind_session(fixture, &id, &format!("A damson. <<{both}>>"))?;

    let mut client = load_session(fixture, &id)?;
    let prompts = client.updates("user_message_chunk");
    let prompts = prompts
        .iter()
        .filter_map(|it| it["content"]["text"].as_str());
    let prompts: Vec<_> = prompts.map(|text| &text[..8]).collect();
    expect_eq("the prompts", prompts, vec!["An apric", "A damson"])?;
    expect_eq("the words", client.message_text().as_str(), "One.Both.")?;
    expect_eq("the calls", client.updates("tool_call").len(), 2)?;
    let updates = client.updates("tool_call_update");
    let ended = updates.iter().filter(|it| it["status"] == "completed");
    expect_eq("the calls that have ended", ended.count(), 2)?;

    let params = json!({ "sessionId": id, "cwd": fixture.cwd });
    let fork = client.request("session/fork", params)?["result"]["sessionId"].clone();
    let fork = fork.as_str().ok_or("no fork")?;
    let end = client.turn(fork, &json!([[{ "text": "Forked." }]]))?;
    expect_eq("the end of the fork", end.as_str(), "end_turn")?;
    client.request("session/close", json!({ "sessionId": fork }))?;
    let words = load_session(fixture, fork)?.message_text();
    expect_eq("the words of the fork", words.as_str(), "One.Both.Forked.")
}

fn read_both_script(fixture: &Fixture) -> Value {
    let read = |name: &str| json!({ "tool": "Read", "input": { "file_path": fixture.path(name) } });
    json!([[read("a.txt"), read("b.txt")], [{ "text": "Both." }]])
}

/// Prompts the CLI from the first answer on.
fn rewind_session(fixture: &Fixture, id: &str, words: &str) -> Result<(), Failure> {
    let text = fs::read_to_string(fixture.transcript(id)?).map_err(|error| error.to_string())?;
    let lines = text.lines();
    let mut lines = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answer = lines.find(|line| line["type"] == "assistant");
    let answer = answer.ok_or("no answer")?;
    let uuid = answer["uuid"].as_str().ok_or("the answer has no uuid")?;
    let mut cli = Command::new(fixture.cli());
    cli.env_clear()
        .envs(fixture.env())
        .current_dir(&fixture.cwd);
    cli.arg("-p").arg(words).arg(format!("--resume={id}"));
    cli.arg(format!("--resume-session-at={uuid}"));
    let said = cli.output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    expect_eq("what the CLI says", said.trim(), "Both.")
}

/// Subagents in the foreground, one in another, and one in the background.
pub(super) fn subagents(fixture: &Fixture) -> Result<(), Failure> {
    fixture.write("a.txt", "one\n")?;
    let agent = |script: &Value, background: bool| {
        let prompt = format!("Look. <<{script}>>");
        let input = json!({ "description": "look", "prompt": prompt, "subagent_type": "general-purpose", "run_in_background": background });
        json!({ "tool": "Agent", "input": input })
    };
    let read = json!({ "tool": "Read", "input": { "file_path": fixture.path("a.txt") } });
    let deep = json!([[{ "text": "Deep." }, read], [{ "text": "Deep done." }]]);
    let inner = json!([[{ "text": "Inner." }, agent(&deep, false)], [{ "text": "Inner done." }]]);
    let behind = json!([[{ "text": "Behind." }, read], [{ "text": "Behind done." }]]);
    let script = json!([
        [{ "text": "First." }, agent(&inner, false)],
        [{ "text": "Then." }, agent(&behind, true)],
        [{ "text": "Done." }],
    ]);
    let mut live = fixture.start()?;
    let id = live.session(&fixture.cwd)?;
    let end = live.turn(&id, &script)?;
    expect_eq("the end", end.as_str(), "end_turn")?;
    let was = shown_items(&live);
    let parents = was.values().filter(|it| !it["parent"].is_null()).count();
    // Three subagents with two texts each, two reads, and a call of one by another.
    expect_eq("what the subagents show", parents, 9)?;
    live.request("session/close", json!({ "sessionId": id }))?;
    let more = count_new_items(&was, &load_session(fixture, &id)?)?;
    expect_eq("the additional items", more, 0)?;

    let fork = live.request(
        "session/fork",
        json!({ "sessionId": id, "cwd": fixture.cwd }),
    )?;
    let fork = fork["result"]["sessionId"].as_str();
    let fork = fork.ok_or("no fork")?.to_owned();
    live.turn(&fork, &json!([[{ "text": "Forked." }]]))?;
    live.request("session/close", json!({ "sessionId": fork }))?;
    let more = count_new_items(&was, &load_session(fixture, &fork)?)?;
    expect_eq("the additional items of the fork", more, 1)
}

/// Checks that everything shown before is replayed, and returns how much more is shown.
fn count_new_items(
    was: &BTreeMap<String, Value>,
    client: &ScriptedClient,
) -> Result<usize, Failure> {
    let again = shown_items(client);
    for (id, was) in was {
        let is = again.get(id).unwrap_or(&Value::Null);
        expect_eq(&format!("{id} replayed"), is, was)?;
    }
    Ok(again.len() - was.len())
}

/// Messages and tool calls in their final state.
fn shown_items(client: &ScriptedClient) -> BTreeMap<String, Value> {
    let mut shown = BTreeMap::<String, Value>::new();
    let updates = client.received.iter();
    for update in updates.map(|(_, message)| &message["params"]["update"]) {
        let id = update["toolCallId"]
            .as_str()
            .or(update["messageId"].as_str());
        let Some(id) = id.filter(|_| update["sessionUpdate"] != "user_message_chunk") else {
            continue;
        };
        let item = shown.entry(id.to_owned()).or_insert(json!({ "text": "" }));
        if let Some(text) = update["content"]["text"].as_str() {
            let before = item["text"].as_str().unwrap_or_default();
            item["text"] = json!(format!("{before}{text}"));
        }
        item["parent"] = update["_meta"]["claudeCode"]["parentToolUseId"].clone();
        for member in ["title", "kind", "status", "locations", "content"] {
            let news = update
                .get(member)
                .filter(|_| update["toolCallId"].is_string());
            if let Some(news) = news {
                item[member] = news.clone();
            }
        }
    }
    shown
}

fn load_session(fixture: &Fixture, id: &str) -> Result<ScriptedClient, Failure> {
    let mut client = fixture.start()?;
    let params = json!({ "sessionId": id, "cwd": fixture.cwd, "mcpServers": [] });
    let loaded = client.request("session/load", params)?;
    expect("it is loaded", loaded["result"]["modes"].is_object())?;
    Ok(client)
}
