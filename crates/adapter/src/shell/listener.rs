//! The socket on which shell wrappers announce their commands.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache::process::ForeignProcess;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use super::OutputTail;
use crate::private_folder::token;
use crate::shell;

/// Listens for the commands of one session.
#[derive(Debug)]
pub(crate) struct ShellListener {
    commands: mpsc::Receiver<AnnouncedCommand>,
    shell: PathBuf,
    address: OsString,
    task: AbortHandle,
}

/// A command that is about to run.
#[derive(Debug)]
pub(crate) struct AnnouncedCommand {
    pub(crate) script: String,
    pub(crate) output: OutputTail,
    pub(crate) process: Option<ForeignProcess>,
}

impl ShellListener {
    pub(crate) fn bind(folder: &Path, name: &str) -> io::Result<ShellListener> {
        let shell = folder.join(shell::NAME);
        if !shell.exists() {
            std::os::unix::fs::symlink(executable()?, &shell)?;
        }
        let socket = folder.join(name);
        let listener = UnixListener::bind(&socket)?;
        let token = token()?;
        let mut address = OsString::from(&token);
        address.push(":");
        address.push(&socket);
        let (sender, commands) = mpsc::channel(WAITING);
        let task = tokio::spawn(listen(listener, token, sender)).abort_handle();
        Ok(ShellListener {
            commands,
            shell,
            address,
            task,
        })
    }

    /// The wrapper to run shell commands with, and the address that it needs.
    pub(crate) fn shell_and_address(&self) -> (PathBuf, OsString) {
        (self.shell.clone(), self.address.clone())
    }

    pub(crate) async fn next(&mut self) -> Option<AnnouncedCommand> {
        self.commands.recv().await
    }

    /// A command that has been announced already.
    pub(crate) fn try_next(&mut self) -> Option<AnnouncedCommand> {
        self.commands.try_recv().ok()
    }
}

impl Drop for ShellListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(listener: UnixListener, token: String, commands: mpsc::Sender<AnnouncedCommand>) {
    while let Ok((stream, _)) = listener.accept().await {
        let (token, commands) = (token.clone(), commands.clone());
        tokio::spawn(async move {
            let received = receive_announcement(stream, &token, &commands);
            tokio::time::timeout(PATIENCE, received)
                .await
                .ok()
                .flatten()
        });
    }
}

/// Opens the output before the command starts, so that none of it is missed.
async fn receive_announcement(
    stream: UnixStream,
    token: &str,
    commands: &mpsc::Sender<AnnouncedCommand>,
) -> Option<()> {
    let process = stream
        .peer_cred()
        .ok()?
        .pid()
        .and_then(ForeignProcess::open);
    let (read, mut write) = stream.into_split();
    let mut line = String::new();
    let mut reader = BufReader::new(read.take(LONGEST));
    reader.read_line(&mut line).await.ok()?;
    let announcement: Value = serde_json::from_str(&line).ok()?;
    if announcement["token"].as_str() != Some(token) {
        return None;
    }
    let command = AnnouncedCommand {
        script: announcement["script"].as_str()?.to_owned(),
        output: OutputTail::open(Path::new(announcement["output"].as_str()?))
            .await
            .ok()?,
        process,
    };
    commands.send(command).await.ok()?;
    write.write_all(b".").await.ok()
}

/// Our own executable. If it was replaced while we run, `/proc` still has it.
fn executable() -> io::Result<PathBuf> {
    let kept = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    let mut places = [std::env::current_exe()?, kept].into_iter();
    let found = places.find(|place| place.exists());
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

const WAITING: usize = 16;
const LONGEST: u64 = 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(2);
