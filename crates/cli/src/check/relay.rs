//! The agent that a client or a proxy under test starts: this program again, which joins its standard input and output
//! to a socket where the checker is the agent.

use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use attache::process::{Child, Program};
use attache_check::conformance::{PeerLauncher, PeerStreams, Processes, ProxyLauncher};
use attache_text::shell;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::Surroundings;
use crate::arguments::CheckClient;
use crate::exit::Exit;

/// What the hidden command does: bytes in, bytes out, until either side ends.
pub(crate) async fn join(place: &str) -> anyhow::Result<Exit> {
    let (address, secret) = place.split_once('#').context("expected ADDRESS#SECRET")?;
    let address: SocketAddr = address.parse().context("expected ADDRESS#SECRET")?;
    let socket = TcpStream::connect(address)
        .await
        .context("the checker has exited")?;
    socket.set_nodelay(true)?;
    let (mut from, mut to) = socket.into_split();
    to.write_all(format!("{secret}\n").as_bytes()).await?;
    let (mut read, mut write) = attache::transport::stdio()?;
    let inwards = async {
        copy(&mut read, &mut to).await?;
        to.shutdown().await?;
        std::future::pending::<std::io::Result<()>>().await
    };
    let outwards = async {
        copy(&mut from, &mut write).await?;
        write.flush().await
    };
    tokio::select! {
        // Whoever started us is gone, or the checker is.
        _ = inwards => {}
        _ = outwards => {}
    }
    Ok(Exit::Done)
}

/// Starts a client for each test case. Without a command it waits for whoever connects.
pub(super) fn client(
    arguments: &CheckClient,
    surroundings: &Surroundings,
    patience: Duration,
) -> anyhow::Result<PeerLauncher> {
    if arguments.command.is_empty() {
        return by_hand();
    }
    let usual = Command::new(&arguments.command, surroundings)?;
    let cancel = arguments.commands.iter().find(|(kind, _)| kind == "cancel");
    let cancel = cancel.map(|(_, command)| {
        let words = ["sh", "-c", command].map(str::to_owned);
        Command::new(&words, surroundings)
    });
    let cancel = cancel.transpose()?;
    let patience = patience + START;
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

/// Starts a proxy for each test case, and gives both of its ends.
pub(super) fn proxy(
    words: &[String],
    surroundings: &Surroundings,
    patience: Duration,
) -> anyhow::Result<ProxyLauncher> {
    let command = Command::new(words, surroundings)?;
    let patience = patience + START;
    Ok(Arc::new(move |_| {
        let command = command.clone();
        Box::pin(async move { command.start_piped(patience).await })
    }))
}

/// A command that is told of an agent.
#[derive(Clone)]
struct Command {
    /// The first word is the program's.
    program: Program,
    words: Vec<String>,
    us: String,
    processes: Processes,
}

impl Command {
    fn new(command: &[String], surroundings: &Surroundings) -> anyhow::Result<Command> {
        let (name, words) = command.split_first().context("the command is empty")?;
        Ok(Command {
            program: surroundings.put(Program::new(name)),
            words: words.to_vec(),
            us: us()?,
            processes: surroundings.processes.clone(),
        })
    }

    fn program(&self, door: &Door) -> Program {
        let agent = [
            self.us.clone(),
            "check".to_owned(),
            "relay".to_owned(),
            door.place(),
        ];
        let quoted = shell::join(&agent);
        let named = self.words.iter().any(|word| word.contains(AGENT));
        let words = self.words.iter().map(|word| word.replace(AGENT, &quoted));
        let program = self.program.clone().args(words);
        match named {
            true => program,
            false => program.args(agent),
        }
    }

    async fn start_captured(&self, patience: Duration) -> Result<PeerStreams, String> {
        let door = Door::open().await?;
        let program = self.program(&door);
        let (child, mut output) = self.processes.start(program.spawn_captured()).await?;
        tokio::spawn(async move { copy(&mut output, &mut sink()).await });
        let mut ends = door.enter_unless_ended(patience, &child).await?;
        ends.child = Some(child);
        Ok(ends)
    }

    async fn start_piped(&self, patience: Duration) -> Result<(PeerStreams, PeerStreams), String> {
        let door = Door::open().await?;
        let front = self.processes.start_piped(&self.program(&door)).await?;
        let child = front.child.as_deref().ok_or("it did not start")?;
        let back = door.enter_unless_ended(patience, child).await?;
        Ok((front, back))
    }
}

/// Where the agent that was started reports.
struct Door {
    listener: TcpListener,
    address: SocketAddr,
    secret: String,
}

impl Door {
    async fn open() -> Result<Door, String> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.map_err(|error| format!("no socket: {error}"))?;
        let address = listener
            .local_addr()
            .map_err(|error| format!("no socket: {error}"))?;
        let number = || RandomState::new().hash_one(address);
        Ok(Door {
            listener,
            address,
            secret: format!("{:016x}{:016x}", number(), number()),
        })
    }

    fn place(&self) -> String {
        format!("{}#{}", self.address, self.secret)
    }

    /// The next connection that knows the secret.
    async fn enter(&self, patience: Duration) -> Result<PeerStreams, String> {
        let late = |_| format!("no agent was started within {} s", patience.as_secs());
        timeout(patience, self.next()).await.map_err(late)?
    }

    /// The same, while whoever was told of the door is there.
    async fn enter_unless_ended(
        &self,
        patience: Duration,
        child: &Child,
    ) -> Result<PeerStreams, String> {
        tokio::select! {
            ends = self.enter(patience) => ends,
            status = child.exited() => Err(format!("it ended without starting the agent: {status:?}")),
        }
    }

    async fn next(&self) -> Result<PeerStreams, String> {
        loop {
            let accepted = self.listener.accept().await;
            let (mut socket, _) = accepted.map_err(|error| format!("no connection: {error}"))?;
            let mut said = vec![0; self.secret.len() + 1];
            let read = timeout(GREETING, socket.read_exact(&mut said)).await;
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

/// Prints how to configure a client, and waits for each conversation.
fn by_hand() -> anyhow::Result<PeerLauncher> {
    let us = us()?;
    let door: Arc<Mutex<Option<Door>>> = Arc::default();
    Ok(Arc::new(move |case| {
        let (door, us) = (Arc::clone(&door), us.clone());
        Box::pin(async move {
            let mut held = door.lock().await;
            if held.is_none() {
                let opened = Door::open().await?;
                crate::print::say!("{}", snippet(&us, &opened.place()));
                *held = Some(opened);
            }
            crate::print::say!(
                "attache: waiting for a prompt ({case}); start the agent again in your client"
            );
            match held.as_ref() {
                Some(door) => door.enter(BY_HAND).await,
                None => Err("there is no socket".to_owned()),
            }
        })
    }))
}

fn snippet(us: &str, place: &str) -> String {
    let server = serde_json::json!({
        "agent_servers": { "attache check": { "command": us, "args": ["check", "relay", place], "env": {} } }
    });
    format!("Add this agent to the configuration of the client:\n{server:#}")
}

fn us() -> anyhow::Result<String> {
    let us = std::env::current_exe().context("this program")?;
    match us.into_os_string().into_string() {
        Ok(us) => Ok(us),
        Err(_) => bail!("the path of this program is not UTF-8"),
    }
}

const AGENT: &str = "{agent}";

/// What starting may take, on top of what an answer may.
const START: Duration = Duration::from_secs(20);
const GREETING: Duration = Duration::from_secs(5);
const BY_HAND: Duration = Duration::from_secs(600);
