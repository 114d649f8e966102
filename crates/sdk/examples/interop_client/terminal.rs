//! Commands that the agent asked for, run in custody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attache::process::{self, Child, ExitStatus, Program, Stdout};
use attache::schema::error;
use attache::{Error, v1};
use tokio::io::AsyncReadExt;
use tokio::sync::watch;

/// The terminals of a session, shared by the tasks that wait for them.
#[derive(Clone, Default)]
pub(crate) struct Terminals(Arc<Mutex<Shelf>>);

#[derive(Default)]
struct Shelf {
    created: u32,
    open: HashMap<v1::TerminalId, Terminal>,
}

#[derive(Clone)]
pub(crate) struct Terminal {
    child: Arc<Child>,
    progress: watch::Receiver<Progress>,
}

#[derive(Default)]
struct Progress {
    output: Vec<u8>,
    status: Option<ExitStatus>,
}

impl Terminals {
    pub(crate) async fn create(
        &self,
        request: v1::CreateTerminalRequest,
    ) -> Result<v1::CreateTerminalResponse, Error> {
        let terminal = Terminal::start(request).await;
        let terminal = terminal.map_err(|error| error::internal(&error.to_string()))?;
        let mut shelf = self.lock();
        shelf.created += 1;
        let id = v1::TerminalId::from(format!("terminal-{}", shelf.created));
        shelf.open.insert(id.clone(), terminal);
        Ok(v1::CreateTerminalResponse::new(id))
    }

    pub(crate) fn get(&self, id: &v1::TerminalId) -> Result<Terminal, Error> {
        let terminal = self.lock().open.get(id).cloned();
        terminal.ok_or_else(|| error::resource_not_found(id.as_str()))
    }

    pub(crate) fn release(&self, id: &v1::TerminalId) -> Result<(), Error> {
        let terminal = self.lock().open.remove(id);
        let terminal = terminal.ok_or_else(|| error::resource_not_found(id.as_str()))?;
        terminal.kill();
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Terminal {
    async fn start(request: v1::CreateTerminalRequest) -> Result<Self, process::Error> {
        let mut program = Program::new(request.command).args(request.args);
        for variable in request.env {
            program = program.env(variable.name, variable.value.reveal());
        }
        if let Some(cwd) = request.cwd {
            program = program.cwd(cwd);
        }
        let (child, stdin, stdout) = program.spawn_piped().await?;
        drop(stdin);
        let child = Arc::new(child);
        let (sender, progress) = watch::channel(Progress::default());
        tokio::spawn(follow(Arc::clone(&child), stdout, sender));
        Ok(Terminal { child, progress })
    }

    pub(crate) fn output(&self) -> v1::TerminalOutputResponse {
        let progress = self.progress.borrow();
        let text = String::from_utf8_lossy(&progress.output).into_owned();
        let output = v1::TerminalOutputResponse::new(text, false);
        match progress.status {
            Some(status) => output.exit_status(exit(status)),
            None => output,
        }
    }

    pub(crate) async fn ended(mut self) -> v1::WaitForTerminalExitResponse {
        let ended = self.progress.wait_for(|now| now.status.is_some()).await;
        let status = ended.ok().and_then(|now| now.status);
        let exit = exit(status.unwrap_or(ExitStatus::Lost));
        let mut answer = v1::WaitForTerminalExitResponse::new();
        (answer.exit_code, answer.signal) = (exit.exit_code, exit.signal);
        answer
    }

    pub(crate) fn kill(&self) {
        self.child.kill();
    }
}

async fn follow(child: Arc<Child>, mut stdout: Stdout, progress: watch::Sender<Progress>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stdout.read(&mut buffer).await {
        progress.send_modify(|now| now.output.extend(&buffer[..count]));
    }
    let status = child.wait().await.status;
    progress.send_modify(|now| now.status = Some(status));
}

fn exit(status: ExitStatus) -> v1::TerminalExitStatus {
    let exit = v1::TerminalExitStatus::new();
    match status {
        ExitStatus::Exited(code) => match u32::try_from(code) {
            Ok(code) => exit.exit_code(code),
            Err(_) => exit,
        },
        ExitStatus::Signaled(signal) => exit.signal(signal.to_string()),
        ExitStatus::Lost => exit,
    }
}
