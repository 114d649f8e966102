//! Measures `attache agent` from outside: its start, a streamed chunk, loading a long session, and a hundred concurrent
//! sessions. A scripted model answers. Agents on other SDKs, which store nothing, are measured for comparison.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::{Effort, start};

pub(super) fn run(root: &Path, effort: Effort) -> Result<(), String> {
    let attache = start::attache(root)?;
    let dir = BenchDir::new(root, attache)?;
    let (starts, updates, sessions) = match effort {
        Effort::Full => (100, 1_000_000, 100),
        Effort::Quick => (10, 50_000, 20),
    };
    dir.measure_start(starts)?;
    dir.measure_stream(updates)?;
    dir.measure_concurrent_sessions(sessions)?;
    let others = installed_sdk_agents(root);
    if others.is_empty() {
        println!("no other agents to compare with: `cargo xtask interop` installs them");
    }
    for other in others {
        measure_sdk_agent(&other, starts / 10, updates / 10)?;
    }
    fs::remove_dir_all(&dir.dir).map_err(|error| error.to_string())
}

/// The directory in which the agent works and stores its sessions.
struct BenchDir {
    attache: PathBuf,
    dir: PathBuf,
}

impl BenchDir {
    fn new(root: &Path, attache: PathBuf) -> Result<BenchDir, String> {
        let dir = root.join("target/bench-agent");
        if dir.exists() {
            fs::remove_dir_all(&dir).map_err(|error| error.to_string())?;
        }
        fs::create_dir_all(dir.join("project")).map_err(|error| error.to_string())?;
        Ok(BenchDir { attache, dir })
    }

    /// Writes a script that says this many chunks of 30 letters in every turn, with a pause between them.
    fn script(&self, chunks: usize, pause: u64) -> Result<PathBuf, String> {
        let said = match pause {
            // A pause of zero would still yield.
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

    fn agent(&self, script: Option<&Path>) -> Result<AgentProcess, String> {
        let mut command = Command::new(&self.attache);
        command
            .arg("agent")
            .env("ATTACHE_HOME", self.dir.join("home"));
        if let Some(script) = script {
            command.arg("--script").arg(script);
        }
        AgentProcess::start(command)
    }

    fn cwd(&self) -> String {
        self.dir.join("project").display().to_string()
    }

    fn measure_start(&self, times: usize) -> Result<(), String> {
        let (median, resident) = start_times(times, || self.agent(None))?;
        println!("start to the response to `initialize`    {median:>10.2} ms (target: 10)");
        println!(
            "resident then                            {:>10.2} MB (target: 12)",
            megabytes(resident)
        );
        Ok(())
    }

    fn measure_stream(&self, updates: usize) -> Result<(), String> {
        let script = self.script(updates, 0)?;
        let mut agent = self.agent(Some(&script))?;
        agent.initialize()?;
        let session = agent.new_session(&self.cwd())?;
        let (each, seen) = agent.measure_prompt(&session, "Go")?;
        println!(
            "CPU for a streamed chunk with its journal {each:>9.2} µs (target: 20), {seen} chunks"
        );
        drop(agent);

        // Without the script, because it is as long as the session.
        let mut agent = self.agent(None)?;
        agent.initialize()?;
        let idle = agent.status("VmHWM:")?;
        let loaded = agent.load_session(&session, &self.cwd())?;
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
            "loading it: peak memory above idle       {:>10.2} MB",
            megabytes(grown)
        );
        Ok(())
    }

    fn measure_concurrent_sessions(&self, sessions: usize) -> Result<(), String> {
        let script = self.script(200, 5)?;
        let mut agent = self.agent(Some(&script))?;
        agent.initialize()?;
        let opened: Result<Vec<_>, _> = (0..sessions)
            .map(|_| agent.new_session(&self.cwd()))
            .collect();
        let worst = agent.prompt_all(&opened?)?;
        println!(
            "{sessions} sessions at once: longest silence of one {:>7.2} ms (a chunk every 5 ms; target: 55)",
            worst.as_secs_f64() * 1e3
        );
        Ok(())
    }
}

/// Measures the start of an agent on another SDK, and the chunks that it only sends.
fn measure_sdk_agent(other: &SdkAgent, times: usize, chunks: usize) -> Result<(), String> {
    let name = other.name;
    let (median, resident) = start_times(times, || AgentProcess::start(other.command()))?;
    println!("{name}: start to the response to `initialize` {median:>8.2} ms");
    println!("{name}: resident then {:>8.2} MB", megabytes(resident));
    let mut agent = AgentProcess::start(other.command())?;
    agent.initialize()?;
    let (each, seen) = agent.measure_prompt("session", &chunks.to_string())?;
    println!("{name}: CPU for a streamed chunk, not kept {each:>8.2} µs, {seen} chunks");
    Ok(())
}

/// The median start time in milliseconds, and the resident memory after a start.
fn start_times(
    times: usize,
    start: impl Fn() -> Result<AgentProcess, String>,
) -> Result<(f64, u64), String> {
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

/// A running agent and its pipes.
struct AgentProcess {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
}

struct LoadTimes {
    first: Duration,
    all: Duration,
    updates: usize,
}

impl AgentProcess {
    fn start(mut command: Command) -> Result<AgentProcess, String> {
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = started.map_err(|error| error.to_string())?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(input), Some(output)) => Ok(AgentProcess {
                child,
                input,
                output: BufReader::with_capacity(1 << 20, output),
                next: 0,
            }),
            _ => Err("the agent has no pipes".to_owned()),
        }
    }

    fn send_request(&mut self, method: &str, params: &serde_json::Value) -> Result<u64, String> {
        self.next += 1;
        let call = serde_json::json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params });
        writeln!(self.input, "{call}").map_err(|error| error.to_string())?;
        Ok(self.next)
    }

    fn read_line(&mut self, line: &mut String) -> Result<(), String> {
        line.clear();
        match self.output.read_line(line) {
            Ok(0) => Err("the agent has exited".to_owned()),
            Ok(_) if line.contains("\"error\":") => Err(line.clone()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Calls `update` for each update until the response arrives, and returns the response.
    fn read_until_response(&mut self, mut update: impl FnMut(&str)) -> Result<String, String> {
        let mut line = String::new();
        loop {
            self.read_line(&mut line)?;
            if !line.contains("\"method\":") {
                return Ok(line);
            }
            update(&line);
        }
    }

    fn initialize(&mut self) -> Result<(), String> {
        let params = serde_json::json!({ "protocolVersion": 1, "clientCapabilities": {} });
        self.send_request("initialize", &params)?;
        self.read_until_response(|_| ()).map(drop)
    }

    fn new_session(&mut self, cwd: &str) -> Result<String, String> {
        self.send_request(
            "session/new",
            &serde_json::json!({ "cwd": cwd, "mcpServers": [] }),
        )?;
        let answer = self.read_until_response(|_| ())?;
        let answer: serde_json::Value =
            serde_json::from_str(&answer).map_err(|error| error.to_string())?;
        let id = answer["result"]["sessionId"].as_str();
        id.map(str::to_owned).ok_or_else(|| "no session".to_owned())
    }

    /// The processor time per chunk in microseconds, and the number of chunks.
    fn measure_prompt(&mut self, session: &str, text: &str) -> Result<(f64, usize), String> {
        let before = self.cpu()?;
        self.send_request("session/prompt", &prompt(session, text))?;
        let mut chunks = 0;
        self.read_until_response(|line| {
            chunks += usize::from(line.contains("agent_message_chunk"))
        })?;
        let spent = self.cpu()?.saturating_sub(before).as_secs_f64() * 1e6;
        let each = spent / f64::from(u32::try_from(chunks).unwrap_or(u32::MAX));
        Ok((each, chunks))
    }

    fn load_session(&mut self, session: &str, cwd: &str) -> Result<LoadTimes, String> {
        let params = serde_json::json!({ "sessionId": session, "cwd": cwd, "mcpServers": [] });
        let start = Instant::now();
        self.send_request("session/load", &params)?;
        let (mut first, mut updates) = (None, 0);
        self.read_until_response(|_| {
            first.get_or_insert_with(|| start.elapsed());
            updates += 1;
        })?;
        let all = start.elapsed();
        Ok(LoadTimes {
            first: first.unwrap_or(all),
            all,
            updates,
        })
    }

    /// Prompts all sessions at once and returns the longest time between two chunks of one session.
    fn prompt_all(&mut self, sessions: &[String]) -> Result<Duration, String> {
        for session in sessions {
            self.send_request("session/prompt", &prompt(session, "Go"))?;
        }
        let mut last: HashMap<String, Instant> = HashMap::new();
        let mut worst = Duration::ZERO;
        for _ in sessions {
            self.read_until_response(|line| {
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

    /// A value of `/proc/PID/status`, in bytes.
    fn status(&self, name: &str) -> Result<u64, String> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let line = status.lines().find(|line| line.starts_with(name));
        let figure = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
        figure
            .map(|kilobytes| kilobytes * 1024)
            .ok_or_else(|| format!("no {name}"))
    }

    /// The processor time that the agent has used.
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

impl Drop for AgentProcess {
    fn drop(&mut self) {
        // The agent may already have exited.
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

/// An agent on an official SDK that says a given number of chunks.
struct SdkAgent {
    name: &'static str,
    interpreter: PathBuf,
    script: PathBuf,
}

impl SdkAgent {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.interpreter);
        command.arg(&self.script);
        command
    }
}

/// The agents of `interop/` on the official SDKs that are installed. They only stream and store nothing. `cargo xtask
/// interop` installs what they need.
fn installed_sdk_agents(root: &Path) -> Vec<SdkAgent> {
    let target = root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()));
    let folder = target.join("interop");
    let node = folder.join("typescript/node_modules").is_dir();
    let python = folder.join("python/venv/bin/python");
    let mut others = Vec::new();
    if node && let Ok(script) = copy_script(root, &folder, "typescript", "bench_agent.mjs") {
        others.push(SdkAgent {
            name: "TypeScript SDK",
            interpreter: "node".into(),
            script,
        });
    }
    if python.is_file() {
        others.push(SdkAgent {
            name: "Python SDK",
            interpreter: python,
            script: root.join("interop/python/bench_agent.py"),
        });
    }
    others
}

/// Copies a script next to its packages, because Node finds them only there.
fn copy_script(root: &Path, folder: &Path, name: &str, file: &str) -> std::io::Result<PathBuf> {
    let script = folder.join(name).join(file);
    fs::copy(root.join("interop").join(name).join(file), &script)?;
    Ok(script)
}

const CHUNK: &str = "abcdefghij klmnopqrst uvwxyz .";
