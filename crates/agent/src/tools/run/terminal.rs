//! A terminal with a command, of the client or our own. Dropping it kills the command.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use attache::agent::ClientSession;
use attache::v1;
use attache_host::terminals::Terminals;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::closing_terminals::ClosingTerminals;
use super::report::{CommandReport, CommandStatus, plain};
use crate::tools::tool_error::ToolError;
use crate::tools::{ToolProgress, Workplace, format};

#[derive(Debug)]
pub(super) struct ToolTerminal {
    host: TerminalHost,
    closing_terminals: ClosingTerminals,
    is_released: AtomicBool,
    /// A notice about withheld environment variables, if it was not shown yet. For its own terminals, the client shows one.
    notice: Option<String>,
}

/// A terminal that was shown. It may be released once the update was sent.
#[derive(Debug)]
pub(super) struct ShownTerminal(Option<oneshot::Receiver<()>>);

impl ShownTerminal {
    pub(super) async fn sent(self) {
        if let Some(is_sent) = self.0 {
            drop(timeout(PATIENCE, is_sent).await);
        }
    }
}

/// Where a command runs.
#[derive(Debug, Clone)]
enum TerminalHost {
    Client(ClientSession, v1::TerminalId),
    Own(Terminals, v1::SessionId, v1::TerminalId),
}

impl ToolTerminal {
    /// Starts a command. If the future is dropped, the command is killed as soon as it has started.
    pub(super) async fn create(
        workplace: &Workplace,
        request: v1::CreateTerminalRequest,
    ) -> Result<ToolTerminal, ToolError> {
        let (give, take) = oneshot::channel();
        let workplace = workplace.clone();
        tokio::spawn(async move {
            // Until the caller has the terminal, it may have to be closed at once.
            let _departure = workplace.closing_terminals().begin();
            let host = TerminalHost::create(&workplace, request).await;
            let terminal = host.map(|host| ToolTerminal {
                notice: match &host {
                    TerminalHost::Own(terminals, session, _) => terminals.notice(session),
                    TerminalHost::Client(..) => None,
                },
                host,
                closing_terminals: workplace.closing_terminals().clone(),
                is_released: AtomicBool::new(false),
            });
            drop(give.send(terminal));
        });
        take.await.unwrap_or_else(|_| Err(ToolError::lost()))
    }

    /// The terminal as content, if it is the client's.
    pub(super) fn content(&self) -> Option<v1::ToolCallContent> {
        match &self.host {
            TerminalHost::Client(_, id) => Some(v1::Terminal::new(id.clone()).into()),
            TerminalHost::Own(..) => None,
        }
    }

    /// Shows the terminal in the tool call.
    pub(super) fn show(&self, progress: &mut impl FnMut(ToolProgress)) -> ShownTerminal {
        ShownTerminal(self.content().map(|content| {
            let (shown, is_sent) = ToolProgress::awaited(vec![content]);
            progress(shown);
            is_sent
        }))
    }

    /// Shows the output of a command in our own terminal while it is polled.
    pub(super) async fn follow(&self, progress: &mut (impl FnMut(ToolProgress) + Send)) {
        let TerminalHost::Own(terminals, session, id) = &self.host else {
            return std::future::pending().await;
        };
        let mut before = 0;
        loop {
            tokio::time::sleep(PACE).await;
            let Ok(now) = terminals.output(session, id) else {
                return;
            };
            let output = plain(format::tail(&now.output, SHOWN));
            let length = now.output.len() + usize::from(now.truncated);
            if length != before || now.truncated {
                before = length;
                progress(ToolProgress::new(vec![
                    v1::ContentBlock::from(output).into(),
                ]));
            }
        }
    }

    /// Waits until the command has ended.
    pub(super) async fn wait(&self) -> Result<Option<v1::TerminalExitStatus>, ToolError> {
        match &self.host {
            TerminalHost::Client(session, id) => {
                let request = v1::WaitForTerminalExitRequest::new(session.id().clone(), id.clone());
                let ended = session.client().request(request).await?;
                let mut exit = v1::TerminalExitStatus::new();
                exit.exit_code = ended.exit_code;
                exit.signal = ended.signal;
                let is_known = exit.exit_code.is_some() || exit.signal.is_some();
                Ok(is_known.then_some(exit))
            }
            TerminalHost::Own(terminals, session, id) => {
                Ok(Some(terminals.wait(session, id).await?))
            }
        }
    }

    /// The command's output and status.
    pub(super) async fn report(&self, how: CommandStatus) -> Result<CommandReport, ToolError> {
        let output = match &self.host {
            TerminalHost::Client(session, id) => {
                let request = v1::TerminalOutputRequest::new(session.id().clone(), id.clone());
                let asked = timeout(PATIENCE, session.client().request(request)).await;
                asked.map_err(|_| slow())??
            }
            TerminalHost::Own(terminals, session, id) => terminals.output(session, id)?,
        };
        let notice = self.notice.clone();
        Ok(CommandReport {
            output,
            how,
            notice,
        })
    }

    /// Kills the command and keeps the terminal.
    pub(super) async fn kill(&self) {
        self.host.clone().kill().await;
    }

    /// Releases the terminal, even if the caller stops waiting.
    pub(super) async fn release(&self) {
        if !self.is_released.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.host.clone().release()).await.ok();
        }
    }
}

impl Drop for ToolTerminal {
    fn drop(&mut self) {
        if self.is_released.swap(true, Ordering::AcqRel) {
            return;
        }
        // Without a runtime the program is ending, and our commands with it.
        if let Ok(runtime) = Handle::try_current() {
            let (host, closing_terminal) = (self.host.clone(), self.closing_terminals.begin());
            runtime.spawn(async move {
                host.clone().kill().await;
                host.release().await;
                drop(closing_terminal);
            });
        }
    }
}

impl TerminalHost {
    async fn create(
        workplace: &Workplace,
        request: v1::CreateTerminalRequest,
    ) -> Result<TerminalHost, ToolError> {
        let session = workplace.session().clone();
        if workplace.offers().terminal {
            let made = session.client().request(request).await?;
            return Ok(TerminalHost::Client(session, made.terminal_id));
        }
        let terminals = workplace.terminals().clone();
        let made = terminals.create(workplace.roots(), &request).await?;
        Ok(TerminalHost::Own(terminals, session.id().clone(), made))
    }

    /// Ignores commands that have already ended and clients that do not respond.
    async fn kill(self) {
        match self {
            TerminalHost::Client(session, id) => {
                let request = v1::KillTerminalRequest::new(session.id().clone(), id);
                drop(timeout(PATIENCE, session.client().request(request)).await);
            }
            TerminalHost::Own(terminals, session, id) => drop(terminals.kill(&session, &id).await),
        }
    }

    async fn release(self) {
        match self {
            TerminalHost::Client(session, id) => {
                let request = v1::ReleaseTerminalRequest::new(session.id().clone(), id);
                drop(timeout(PATIENCE, session.client().request(request)).await);
            }
            TerminalHost::Own(terminals, session, id) => {
                drop(terminals.release(&session, &id).await)
            }
        }
    }
}

fn slow() -> ToolError {
    ToolError::new(
        "slow",
        "the client does not return the command's output; try again",
    )
}

/// How long a client may take for a request that does not involve the user.
const PATIENCE: Duration = Duration::from_secs(10);
const PACE: Duration = Duration::from_millis(100);
/// Bytes of a running command's output that are shown.
const SHOWN: usize = 8 * 1024;
