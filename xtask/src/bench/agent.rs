//! What `attache agent` costs, seen from outside: its start, a streamed chunk, the replay of a long session, and a hundred
//! sessions at once. A scripted model answers. Agents on other SDKs, which keep nothing, stand beside it.

mod beside;

use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Effort, start};

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let attache = start::attache(root)?;
    let place = Place::new(root, attache)?;
    let (starts, updates, sessions) = match effort {
        Effort::Full => (100, 1_000_000, 100),
        Effort::Quick => (10, 50_000, 20),
    };
    place.begin(starts)?;
    place.stream(updates)?;
    place.crowd(sessions)?;
    let others = beside::installed(root);
    if others.is_empty() {
        println!("no other agents beside it: `cargo xtask interop` installs them");
    }
    for other in others {
        compare(&other, starts / 10, updates / 10)?;
    }
    fs::remove_dir_all(&place.dir).map_err(|error| error.to_string())
}

/// Where the agent works and keeps its sessions.
struct Place {
    attache: PathBuf,
    dir: PathBuf,
}

impl Place {
    fn new(root: &Path, attache: PathBuf) -> Result<Place, String> {
        let dir = root.join("target/bench-agent");
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(|error| error.to_string())?;
        }
        fs::create_dir_all(dir.join("project")).map_err(|error| error.to_string())?;
        Ok(Place { attache, dir })
    }

    /// A script that says so many chunks of 30 letters in every turn, with a pause between them.
    fn script(&self, chunks: usize, pause: u64) -> Result<PathBuf, String> {
        let said = match pause {
            // A pause of nothing would still be one.
            0 => vec![serde_json::json!({ "text": CHUNK }); chunks],
            pause => {
                let text = CHUNK.repeat(chunks);
                vec![
                    serde_json::json!({ "slow": { "text": text, "characters": CHUNK.len(), "pause": pause } }),
                ]
            }
        };
        let script = serde_json::json!({ "repeat": true, "turns": [{ "say": said }] });
        let path = self.dir.join("script.json");
        fs::write(&path, script.to_string()).map_err(|error| error.to_string())?;
        Ok(path)
    }

    fn agent(&self, script: Option<&Path>) -> Result<Agent, String> {
        let mut command = Command::new(&self.attache);
        command
            .arg("agent")
            .env("ATTACHE_HOME", self.dir.join("home"));
        if let Some(script) = script {
            command.arg("--script").arg(script);
        }
        Agent::start(command)
    }

    fn cwd(&self) -> String {
        self.dir.join("project").display().to_string()
    }

    fn begin(&self, times: usize) -> Result<(), String> {
        let (median, resident) = begun(times, || self.agent(None))?;
        println!("start to the answer to `initialize`      {median:>10.2} ms (target: 10)");
        println!(
            "resident then                            {:>10.2} MB (target: 12)",
            megabytes(resident)
        );
        Ok(())
    }

    fn stream(&self, updates: usize) -> Result<(), String> {
        let script = self.script(updates, 0)?;
        let mut agent = self.agent(Some(&script))?;
        agent.initialize()?;
        let session = agent.open(&self.cwd())?;
        let (each, seen) = agent.streamed(&session, "Go")?;
        println!(
            "CPU for a streamed chunk with its journal {each:>9.2} µs (target: 20), {seen} chunks"
        );
        drop(agent);

        // Without the script, which is as long as the session.
        let mut agent = self.agent(None)?;
        agent.initialize()?;
        let idle = agent.status("VmHWM:")?;
        let loaded = agent.load(&session, &self.cwd())?;
        let rate =
            f64::from(u32::try_from(loaded.updates).unwrap_or(u32::MAX)) / loaded.all.as_secs_f64();
        println!(
            "loading it: first update after           {:>10.2} ms (target: 50)",
            loaded.first.as_secs_f64() * 1e3
        );
        println!(
            "loading it: updates in a second          {rate:>10.0} (target: 200000), {} updates",
            loaded.updates
        );
        let grown = agent.status("VmHWM:")?.saturating_sub(idle);
        println!(
            "loading it: most memory more than idle   {:>10.2} MB",
            megabytes(grown)
        );
        Ok(())
    }

    fn crowd(&self, sessions: usize) -> Result<(), String> {
        let script = self.script(200, 5)?;
        let mut agent = self.agent(Some(&script))?;
        agent.initialize()?;
        let opened: Result<Vec<_>, _> = (0..sessions).map(|_| agent.open(&self.cwd())).collect();
        let worst = agent.prompt_all(&opened?)?;
        println!(
            "{sessions} sessions at once: longest silence of one {:>7.2} ms (a chunk every 5 ms; target: 55)",
            worst.as_secs_f64() * 1e3
        );
        Ok(())
    }
}

/// What another agent takes for its start, and for chunks that it only sends.
fn compare(other: &beside::Other, times: usize, chunks: usize) -> Result<(), String> {
    let name = other.name;
    let (median, resident) = begun(times, || Agent::start(other.command()))?;
    println!("{name}: start to the answer to `initialize` {median:>8.2} ms");
    println!("{name}: resident then {:>8.2} MB", megabytes(resident));
    let mut agent = Agent::start(other.command())?;
    agent.initialize()?;
    let (each, seen) = agent.streamed("session", &chunks.to_string())?;
    println!("{name}: CPU for a streamed chunk, not kept {each:>8.2} µs, {seen} chunks");
    Ok(())
}

/// The median of the starts in milliseconds, and how much is resident after one.
fn begun(times: usize, start: impl Fn() -> Result<Agent, String>) -> Result<(f64, u64), String> {
    let mut taken = Vec::new();
    let mut resident = 0;
    for _ in 0..times {
        let began = Instant::now();
        let mut agent = start()?;
        agent.initialize()?;
        taken.push(began.elapsed());
        resident = agent.status("VmRSS:")?;
    }
    taken.sort_unstable();
    let median = taken.get(times / 2).ok_or("no start was measured")?;
    Ok((median.as_secs_f64() * 1e3, resident))
}

/// The agent as a client sees it.
struct Agent {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

struct Loaded {
    first: Duration,
    all: Duration,
    updates: usize,
}

impl Agent {
    fn start(mut command: Command) -> Result<Agent, String> {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| error.to_string())?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(Agent {
                child,
                input,
                output: BufReader::with_capacity(1 << 20, output),
                next: 0,
            }),
            _ => Err("the agent has no pipes".to_owned()),
        }
    }

    fn ask(&mut self, method: &str, params: &serde_json::Value) -> Result<u64, String> {
        self.next += 1;
        let call = serde_json::json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.input, "{call}").map_err(|error| error.to_string())?;
        Ok(self.next)
    }

    fn line(&mut self, line: &mut String) -> Result<(), String> {
        line.clear();
        match self.output.read_line(line) {
            Ok(0) => Err("the agent has ended".to_owned()),
            Ok(_) if line.contains("\"error\":") => Err(line.clone()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Counts the updates until the answer, which is given back.
    fn until_answer(&mut self, mut update: impl FnMut(&str)) -> Result<String, String> {
        let mut line = String::new();
        loop {
            self.line(&mut line)?;
            if !line.contains("\"method\":") {
                return Ok(line);
            }
            update(&line);
        }
    }

    fn initialize(&mut self) -> Result<(), String> {
        let params = serde_json::json!({ "protocolVersion": 1, "clientCapabilities": {} });
        self.ask("initialize", &params)?;
        self.until_answer(|_| ()).map(drop)
    }

    fn open(&mut self, cwd: &str) -> Result<String, String> {
        self.ask(
            "session/new",
            &serde_json::json!({ "cwd": cwd, "mcpServers": [] }),
        )?;
        let answer = self.until_answer(|_| ())?;
        let answer: serde_json::Value =
            serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        let id = answer["result"]["sessionId"].as_str();
        id.map(str::to_owned).ok_or_else(|| "no session".to_owned())
    }

    /// The processor time for a chunk in microseconds, and how many came.
    fn streamed(&mut self, session: &str, text: &str) -> Result<(f64, usize), String> {
        let before = self.cpu()?;
        self.ask("session/prompt", &prompt(session, text))?;
        let mut chunks = 0;
        self.until_answer(|line| chunks += usize::from(line.contains("agent_message_chunk")))?;
        let spent = self.cpu()?.saturating_sub(before).as_secs_f64() * 1e6;
        let each = spent / f64::from(u32::try_from(chunks).unwrap_or(u32::MAX));
        Ok((each, chunks))
    }

    fn load(&mut self, session: &str, cwd: &str) -> Result<Loaded, String> {
        let params = serde_json::json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] });
        let start = Instant::now();
        self.ask("session/load", &params)?;
        let (mut first, mut updates) = (None, 0);
        self.until_answer(|_| {
            first.get_or_insert_with(|| start.elapsed());
            updates += 1;
        })?;
        let all = start.elapsed();
        Ok(Loaded {
            first: first.unwrap_or(all),
            all,
            updates,
        })
    }

    /// Prompts all sessions at once; the longest time between two chunks of one.
    fn prompt_all(&mut self, sessions: &[String]) -> Result<Duration, String> {
        for session in sessions {
            self.ask("session/prompt", &prompt(session, "Go"))?;
        }
        let mut last: HashMap<String, Instant> = HashMap::new();
        let mut worst = Duration::ZERO;
        for _ in sessions {
            self.until_answer(|line| {
                if !line.contains("agent_message_chunk") {
                    return;
                }
                let now = Instant::now();
                let id = sessions.iter().find(|id| line.contains(id.as_str()));
                if let Some(before) = id.and_then(|id| last.insert(id.clone(), now)) {
                    worst = worst.max(now - before);
                }
            })?;
        }
        Ok(worst)
    }

    /// A figure of `/proc/PID/status`, in bytes.
    fn status(&self, name: &str) -> Result<u64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let line = status.lines().find(|line| line.starts_with(name));
        let figure = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        figure
            .map(|kilobytes| kilobytes * 1024)
            .ok_or_else(|| format!("no {name}"))
    }

    /// The processor time it has used.
    fn cpu(&self) -> Result<Duration, String> {
        let path = format!("/proc/{}/schedstat", self.child.id());
        let mut spent = Duration::ZERO;
        let threads = fs::read_dir(format!("/proc/{}/task", self.child.id()))
            .map_err(|error| error.to_string())?;
        for thread in threads.flatten() {
            let text = fs::read_to_string(thread.path().join("schedstat"))
                .map_err(|error| format!("{path}: {error}"))?;
            let nanoseconds = text
                .split_whitespace()
                .next()
                .and_then(|word| word.parse().ok());
            spent += Duration::from_nanos(nanoseconds.unwrap_or_default());
        }
        Ok(spent)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().unwrap_or_default();
        self.child.wait().map(drop).unwrap_or_default();
    }
}

fn prompt(session: &str, text: &str) -> serde_json::Value {
    serde_json::json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

fn megabytes(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "far below the limit")]
    let bytes = bytes as f64;
    bytes / 1e6
}

const CHUNK: &str = "abcdefghij klmnopqrst uvwxyz .";
