//! The agent that a client or proxy under test starts: this program again, which relays its standard input and output to a
//! socket of the checker.

use std::future::pending;
use std::hash::{BuildHasher, RandomState};
use std::io::Write as _;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use attache::process::{Child, Program, StopTimeouts};
use attache_check::conformance::{PeerLauncher, PeerStreams, Processes, ProxyLauncher};
use attache_recording::relay_bytes;
use attache_text::{plain, shell};
use tokio::io::{AsyncReadExt, copy, sink};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::TestEnvironment;
use crate::arguments::CheckClient;
use crate::exit::Exit;
use crate::relay;

/// Runs the hidden command `attache check relay`: relays bytes between standard input and output and the checker's
/// socket, until the checker disconnects or nobody reads the output.
pub(crate) async fn run(address: &str) -> anyhow::Result<Exit> {
    let (address, secret) = address.split_once('#').context("expected ADDRESS#SECRET")?;
    let address: SocketAddr = address.parse().context("expected ADDRESS#SECRET")?;
    let from_checker = TcpStream::connect(address).context("the checker has exited")?;
    from_checker.set_nodelay(true)?;
    let mut to_checker = from_checker.try_clone()?;
    to_checker.write_all(format!("{secret}\n").as_bytes())?;
    let [input, output, _] = attache::transport::blocking_stdio()?;
    let sent = relay::spawn("to the checker", move || {
        relay_bytes(input, &to_checker, |_| {})?;
        to_checker.shutdown(Shutdown::Write)
    })?;
    let received = relay::spawn("from the checker", move || {
        relay_bytes(from_checker, output, |_| {})
    })?;
    let cannot_send = async {
        // The end of the input is not the end of the conversation.
        if let Ok(Ok(())) = sent.await {
            pending::<()>().await;
        }
    };
    tokio::select! {
        () = cannot_send => {}
        _ = received => {}
    }
    Ok(Exit::Done)
}

/// Starts the client for each test case. Without a command, waits for a client that the user starts.
pub(super) fn launch_client(
    arguments: &CheckClient,
    environment: &TestEnvironment,
    patience: Duration,
) -> anyhow::Result<PeerLauncher> {
    if arguments.command.is_empty() {
        return launch_by_hand();
    }
    let usual = ProgramUnderTest::new(&arguments.command, environment, AgentWords::Joined)?;
    let cancel = arguments.commands.iter().find(|(kind, _)| kind == "cancel");
    let cancel = cancel.map(|(_, command)| {
        let words = ["sh", "-c", command].map(str::to_owned);
        ProgramUnderTest::new(&words, environment, AgentWords::Joined)
    });
    let cancel = cancel.transpose()?;
    let patience = patience + START_TIME;
    Ok(Arc::new(move |case| {
        let command = match case {
            "cancellation" => cancel.clone(),
            _ => Some(usual.clone()),
        };
        Box::pin(async move {
            let command = command.ok_or("there is no command for this test case")?;
            command.start_captured(patience).await
        })
    }))
}

/// Starts the proxy for each test case and returns both of its ends.
pub(super) fn launch_proxy(
    words: &[String],
    environment: &TestEnvironment,
    patience: Duration,
) -> anyhow::Result<ProxyLauncher> {
    let command = ProgramUnderTest::new(words, environment, AgentWords::Separate)?;
    let patience = patience + START_TIME;
    Ok(Arc::new(move |_| {
        let command = command.clone();
        Box::pin(async move { command.start_piped(patience).await })
    }))
}

/// A command under test, which gets the command of an agent.
#[derive(Clone)]
struct ProgramUnderTest {
    /// The first word of the command.
    program: Program,
    words: Vec<String>,
    agent_words: AgentWords,
    own_path: String,
    processes: Processes,
}

/// What becomes of the word `{agent}` in a command.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AgentWords {
    /// One word, quoted for a shell: clients take the agent's command as the value of an option.
    Joined,
    /// As many words as the agent's command has: proxies take it as the rest of their command line.
    Separate,
}

impl ProgramUnderTest {
    fn new(
        command: &[String],
        environment: &TestEnvironment,
        agent_words: AgentWords,
    ) -> anyhow::Result<ProgramUnderTest> {
        let (name, words) = command.split_first().context("the command is empty")?;
        Ok(ProgramUnderTest {
            program: environment.apply_to(Program::new(name)),
            words: words.to_vec(),
            agent_words,
            own_path: own_path()?,
            processes: environment.processes.clone(),
        })
    }

    fn program(&self, listener: &RelayListener) -> Program {
        let agent = [
            self.own_path.clone(),
            "check".to_owned(),
            "relay".to_owned(),
            listener.address(),
        ];
        let quoted = shell::join(&agent);
        let mut words = Vec::new();
        for word in &self.words {
            match (word.as_str(), self.agent_words) {
                (AGENT, AgentWords::Separate) => words.extend_from_slice(&agent),
                (word, AgentWords::Separate | AgentWords::Joined) => {
                    words.push(word.replace(AGENT, &quoted));
                }
            }
        }
        if !self.words.iter().any(|word| word.contains(AGENT)) {
            words.extend_from_slice(&agent);
        }
        self.program.clone().args(words)
    }

    async fn start_captured(&self, patience: Duration) -> Result<PeerStreams, String> {
        let listener = RelayListener::bind().await?;
        let program = self.program(&listener);
        let (child, mut output) = self.processes.start(program.spawn_captured()).await?;
        tokio::spawn(async move { copy(&mut output, &mut sink()).await });
        let mut ends = listener.accept_unless_ended(patience, &child).await?;
        ends.child = Some(child);
        Ok(ends)
    }

    async fn start_piped(&self, patience: Duration) -> Result<(PeerStreams, PeerStreams), String> {
        let listener = RelayListener::bind().await?;
        let front = self.processes.start_piped(&self.program(&listener)).await?;
        let child = front.child.as_deref().ok_or("it did not start")?;
        let back = listener.accept_unless_ended(patience, child).await?;
        Ok((front, back))
    }
}

/// The socket to which the relay connects.
struct RelayListener {
    listener: TcpListener,
    address: SocketAddr,
    secret: String,
}

impl RelayListener {
    async fn bind() -> Result<RelayListener, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.map_err(|error| format!("no socket: {error}"))?;
        let address = listener
            .local_addr()
            .map_err(|error| format!("no socket: {error}"))?;
        let number = || RandomState::new().hash_one(address);
        Ok(RelayListener {
            listener,
            address,
            secret: format!("{:016x}{:016x}", number(), number()),
        })
    }

    fn address(&self) -> String {
        format!("{}#{}", self.address, self.secret)
    }

    /// Waits for the next connection that sends the secret.
    async fn accept(&self, patience: Duration) -> Result<PeerStreams, String> {
        let late = |_| format!("no agent was started within {} s", patience.as_secs());
        timeout(patience, self.accept_next()).await.map_err(late)?
    }

    /// Waits for the next connection while the program under test runs.
    async fn accept_unless_ended(
        &self,
        patience: Duration,
        child: &Child,
    ) -> Result<PeerStreams, String> {
        tokio::select! {
            ends = self.accept(patience) => ends.map_err(|reason| with_stderr(&reason, &child.stderr().text())),
            _ = child.exited() => {
                let exit = child.stop(StopTimeouts::default()).await;
                let reason = format!("the program {} without starting the agent", exit.status);
                Err(with_stderr(&reason, &exit.stderr))
            }
        }
    }

    async fn accept_next(&self) -> Result<PeerStreams, String> {
        loop {
            let accepted = self.listener.accept().await;
            let (mut socket, _) = accepted.map_err(|error| format!("no connection: {error}"))?;
            let mut said = vec![0; self.secret.len() + 1];
            let read = timeout(SECRET_TIMEOUT, socket.read_exact(&mut said)).await;
            if !matches!(read, Ok(Ok(_))) || said != format!("{}\n", self.secret).as_bytes() {
                continue;
            }
            socket
                .set_nodelay(true)
                .map_err(|error| error.to_string())?;
            let (read, write) = socket.into_split();
            return Ok(PeerStreams {
                read: Box::new(read),
                write: Box::new(write),
                child: None,
            });
        }
    }
}

/// A reason, with the last lines that the program has written to standard error.
fn with_stderr(reason: &str, stderr: &str) -> String {
    match plain::last_lines(stderr, STDERR_LINES) {
        words if words.is_empty() => reason.to_owned(),
        words => format!("{reason}: {words}"),
    }
}

/// Prints how to configure a client, and waits until the user starts it for each conversation.
fn launch_by_hand() -> anyhow::Result<PeerLauncher> {
    let own_path = own_path()?;
    let listener: Arc<Mutex<Option<RelayListener>>> = Arc::default();
    Ok(Arc::new(move |case| {
        let (listener, own_path) = (Arc::clone(&listener), own_path.clone());
        Box::pin(async move {
            let mut held = listener.lock().await;
            if held.is_none() {
                let opened = RelayListener::bind().await?;
                crate::print::note!("{}", snippet(&own_path, &opened.address()));
                *held = Some(opened);
            }
            crate::print::note!(
                "attache: waiting for a prompt ({case}); start the agent again in your client"
            );
            match held.as_ref() {
                Some(listener) => listener.accept(MANUAL_START_TIME).await,
                None => Err("there is no socket".to_owned()),
            }
        })
    }))
}

fn snippet(own_path: &str, address: &str) -> String {
    let server = serde_json::json!({
        "agent_servers": { "attache check": { "command": own_path, "args": ["check", "relay", address], "env": {} } }
    });
    format!("Add this agent to the client's configuration:\n{server:#}")
}

fn own_path() -> anyhow::Result<String> {
    let own_path = std::env::current_exe().context("this program")?;
    match own_path.into_os_string().into_string() {
        Ok(own_path) => Ok(own_path),
        Err(_) => bail!("the path of this program is not UTF-8"),
    }
}

const AGENT: &str = "{agent}";
const STDERR_LINES: usize = 3;

/// Extra time for starting a program, in addition to the time for a response.
const START_TIME: Duration = Duration::from_secs(20);
const SECRET_TIMEOUT: Duration = Duration::from_secs(5);
const MANUAL_START_TIME: Duration = Duration::from_secs(600);
