//! A terminal of the client, which really runs the agent's command.

use std::io;
use std::process::Stdio;

use agent_client_protocol::v1::schema as v1;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A running command, killed on drop.
pub(crate) struct Terminal {
    state: watch::Receiver<State>,
    runner: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    output: Vec<u8>,
    exit: Option<v1::TerminalExitStatus>,
}

impl Terminal {
    pub(crate) fn start(command: &str, args: &[String]) -> io::Result<Self> {
        let mut command = Command::new(command);
        command
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let child = command.spawn()?;
        let (sender, state) = watch::channel(State::default());
        let runner = tokio::spawn(run(child, sender));
        Ok(Self { state, runner })
    }

    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&self.state.borrow().output).into_owned()
    }

    pub(crate) fn exit(&self) -> impl Future<Output = v1::TerminalExitStatus> + use<> {
        let mut state = self.state.clone();
        async move {
            let ended = state.wait_for(|state| state.exit.is_some()).await;
            ended
                .ok()
                .and_then(|state| state.exit.clone())
                .unwrap_or_default()
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.runner.abort();
    }
}

async fn run(mut child: Child, state: watch::Sender<State>) {
    let mut buffer = [0; 4096];
    if let Some(mut stdout) = child.stdout.take() {
        while let Ok(count @ 1..) = stdout.read(&mut buffer).await {
            state.send_modify(|state| state.output.extend(&buffer[..count]));
        }
    }
    let code = child.wait().await.ok().and_then(|status| status.code());
    let exit =
        v1::TerminalExitStatus::new().exit_code(code.and_then(|code| u32::try_from(code).ok()));
    state.send_modify(|state| state.exit = Some(exit));
}
