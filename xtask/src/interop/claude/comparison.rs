//! Sends the same prompts to our adapter and to the one on Node, and measures both. Ours has to show everything that
//! the other shows. The tables are printed and also written next to the runs.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Failure, ScriptedClient};
use super::fixture::Fixture;
use super::{Outcome, RunResult, row};

pub(super) fn rows(fixture: &Fixture, wanted: impl Fn(&&str) -> bool) -> Vec<RunResult> {
    type Comparison = fn(&Fixture) -> Result<(), Failure>;
    let all: [(_, Comparison); 2] = [("beside Node", compare), ("costs", measure)];
    let wanted = all.into_iter().filter(|(name, _)| wanted(name));
    wanted
        .map(|(name, work)| row(name, timed(|| work(fixture))))
        .collect()
}

fn timed(work: impl FnOnce() -> Result<(), Failure>) -> Outcome {
    let start = Instant::now();
    match work() {
        Ok(()) => Outcome::Ok(start.elapsed()),
        Err(fault) => Outcome::Failed(fault),
    }
}

fn compare(fixture: &Fixture) -> Result<(), Failure> {
    let mut table =
        "| prompt | both show | only ours | only the other |\n|---|---|---|---|\n".to_owned();
    let mut lacking = Vec::new();
    for name in PROMPTS {
        eprintln!("==> attache claude beside Node: {name}");
        let ours = shown_facts(
            &fixture.fresh(&format!("ours-{name}"))?,
            name,
            Fixture::our_adapter,
        )?;
        let theirs = shown_facts(
            &fixture.fresh(&format!("theirs-{name}"))?,
            name,
            Fixture::node_adapter,
        )?;
        let list = |facts: Vec<&String>| {
            let facts: Vec<_> = facts.into_iter().map(String::as_str).collect();
            facts.join(", ")
        };
        let missing: Vec<_> = theirs.difference(&ours).collect();
        let unexplained = missing
            .iter()
            .filter(|fact| !EXPLAINED.contains(&fact.as_str()));
        lacking.extend(unexplained.map(|fact| format!("{name}: {fact}")));
        table += &format!(
            "| {name} | {} | {} | {} |\n",
            list(ours.intersection(&theirs).collect()),
            list(ours.difference(&theirs).collect()),
            list(missing),
        );
    }
    save_table(fixture, "beside.md", &table)?;
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(format!("our adapter does not show {}", lacking.join(", "))),
    }
}

/// What a client sees of a prompt, as a set of facts.
fn shown_facts(
    fixture: &Fixture,
    name: &str,
    words: fn(&Fixture) -> Vec<OsString>,
) -> Result<BTreeSet<String>, Failure> {
    fixture.write("a.txt", "one\ntwo\nthree\n")?;
    let capabilities = json!({ "_meta": { "terminal_output": true } });
    let mut client =
        ScriptedClient::start(&words(fixture), &fixture.env(), &fixture.cwd, capabilities)?;
    client.permission_choice = Some("allow_once");
    let session = client.session(&fixture.cwd)?;
    if name == "plan" {
        client.request(
            "session/set_mode",
            json!({ "sessionId": session, "modeId": "plan" }),
        )?;
    }
    let turn = client.prompt(&session, &script(fixture, name))?;
    let answer = client.answer(turn)?;
    let mut facts = BTreeSet::new();
    for (_, message) in &client.received {
        collect_facts(message, &mut facts);
    }
    let end = answer["result"]["stopReason"].as_str();
    facts.insert(match end {
        Some(end) => format!("ends {end}"),
        None => format!("error {}", answer["error"]["code"]),
    });
    Ok(facts)
}

fn collect_facts(message: &Value, facts: &mut BTreeSet<String>) {
    if let Some(method) = message["method"]
        .as_str()
        .filter(|it| *it != "session/update")
    {
        facts.insert(method.to_owned());
    }
    let update = &message["params"]["update"];
    let Some(kind) = update["sessionUpdate"].as_str() else {
        return;
    };
    let kind = match update["kind"].as_str() {
        Some(sort) => format!("tool {sort}"),
        None => kind.to_owned(),
    };
    facts.insert(kind);
    for content in update["content"].as_array().into_iter().flatten() {
        let sort = content["type"].as_str().unwrap_or_default();
        facts.insert(format!("shows {sort}"));
    }
    if update["locations"]
        .as_array()
        .is_some_and(|it| !it.is_empty())
    {
        facts.insert("file".to_owned());
    }
    // A tool call without a status is pending.
    let status = match (update["status"].as_str(), &update["sessionUpdate"]) {
        (None, kind) if kind == "tool_call" => Some("pending"),
        (status, _) => status,
    };
    facts.extend(status.map(|status| format!("status {status}")));
    for extra in ["terminal_info", "terminal_output", "terminal_exit"] {
        if update["_meta"].get(extra).is_some() {
            facts.insert(extra.to_owned());
        }
    }
    if update["status"] == "in_progress" && update["_meta"].get("terminal_output").is_some() {
        facts.insert("output while it runs".to_owned());
    }
    if update["messageId"].is_string() {
        facts.insert("message ids".to_owned());
    }
}

fn script(fixture: &Fixture, name: &str) -> Value {
    let path = fixture.path("a.txt");
    let tool = |tool: &str, input: Value| json!({ "tool": tool, "input": input });
    let done = json!({ "text": "Done." });
    match name {
        "text" => json!([[{ "thinking": "Hm." }, { "text": "Hello." }]]),
        "read" => json!([[tool("Read", json!({ "file_path": path }))], [done]]),
        "edit" => json!([
            [tool("Read", json!({ "file_path": path }))],
            [tool(
                "Edit",
                json!({ "file_path": path, "old_string": "two", "new_string": "TWO" })
            )],
            [done],
        ]),
        "write" => {
            let input = json!({ "file_path": fixture.path("b.txt"), "content": "new\n" });
            json!([[tool("Write", input)], [done]])
        }
        "command" => {
            let input =
                json!({ "command": "echo a; sleep 0.5; echo b; exit 3", "description": "say" });
            json!([[tool("Bash", input)], [done]])
        }
        "todo" => {
            let input = json!({ "subject": "first", "description": "d", "activeForm": "f" });
            json!([[tool("TaskCreate", input)], [done]])
        }
        "plan" => json!([
            [tool(
                "Write",
                json!({ "file_path": "PLANFILE", "content": "# The plan" })
            )],
            [tool("ExitPlanMode", json!({}))],
            [done],
        ]),
        "subagent" => {
            let inner = format!("Look. <<{}>>", json!([[{ "text": "Looked." }]]));
            let input = json!({ "description": "look", "prompt": inner, "subagent_type": "general-purpose" });
            json!([[tool("Task", input)], [done]])
        }
        _ => json!([[{ "error": 400 }]]),
    }
}

/// Measures the time from start to the response to `initialize`, the memory then, and the CPU time per chunk of a long
/// text.
fn measure(fixture: &Fixture) -> Result<(), Failure> {
    let ours = costs(&fixture.fresh("ours-costs")?, Fixture::editor_command)?;
    let theirs = costs(&fixture.fresh("theirs-costs")?, Fixture::node_adapter)?;
    let line = |name: &str, ours: f64, theirs: f64, unit: &str| {
        format!(
            "| {name} | {ours:.2} {unit} | {theirs:.2} {unit} | {:.0} |\n",
            theirs / ours
        )
    };
    let table = "| | `attache claude` | claude-agent-acp | ratio |\n|---|---|---|---|\n".to_owned()
        + &line(
            "start to `initialize` answered, median",
            ours.start,
            theirs.start,
            "ms",
        )
        + &line(
            "resident then, without the CLI",
            ours.memory,
            theirs.memory,
            "MB",
        )
        + &line(
            "CPU of the adapter for a piece of text, median",
            ours.piece,
            theirs.piece,
            "µs",
        );
    // Reported only: the speed of a machine must not break a build.
    save_table(fixture, "costs.md", &table)
}

struct Costs {
    start: f64,
    memory: f64,
    piece: f64,
}

fn costs(fixture: &Fixture, words: fn(&Fixture) -> Vec<OsString>) -> Result<Costs, Failure> {
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        let start = Instant::now();
        let client =
            ScriptedClient::start(&words(fixture), &fixture.env(), &fixture.cwd, json!({}))?;
        starts.push(start.elapsed());
        drop(client);
    }
    let mut client =
        ScriptedClient::start(&words(fixture), &fixture.env(), &fixture.cwd, json!({}))?;
    let memory = resident(client.pid())?;
    let session = client.session(&fixture.cwd)?;
    // Warm up once.
    client.turn(&session, &json!([[{ "text": "x".repeat(24) }]]))?;
    let mut spent = Vec::new();
    for _ in 0..TURNS {
        let before = cpu(client.pid())?;
        client.turn(&session, &json!([[{ "text": "x".repeat(24 * PIECES) }]]))?;
        spent.push(cpu(client.pid())?.saturating_sub(before));
    }
    #[allow(clippy::cast_precision_loss, reason = "a few thousand")]
    let pieces = PIECES as f64;
    Ok(Costs {
        start: median(starts).as_secs_f64() * 1e3,
        memory,
        piece: median(spent).as_secs_f64() * 1e6 / pieces,
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn resident(pid: u32) -> Result<f64, Failure> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).map_err(|it| it.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes
        .map(|it| it / 1024.0)
        .ok_or_else(|| "no VmRSS".to_owned())
}

/// The CPU time of all threads of a process.
fn cpu(pid: u32) -> Result<Duration, Failure> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).map_err(|it| it.to_string())?;
    let spent = tasks.flatten().filter_map(|task| {
        let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Ok(Duration::from_nanos(spent.sum()))
}

fn save_table(fixture: &Fixture, name: &str, table: &str) -> Result<(), Failure> {
    print!("\n{table}");
    let path = fixture.cwd.join(name);
    fs::write(&path, table).map_err(|error| format!("can't write {}: {error}", path.display()))
}

const PROMPTS: &[&str] = &[
    "text", "read", "edit", "write", "command", "todo", "plan", "subagent", "error",
];
/// What the other adapter shows and ours does not; docs/claude.md has the reason for each.
const EXPLAINED: &[&str] = &["_auth/status_update"];
const STARTS: usize = 11;
/// Several turns in a row, because the cost of a wake-up varies from second to second.
const TURNS: usize = 9;
const PIECES: usize = 4000;
