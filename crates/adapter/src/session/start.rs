//! Opens a session: writes the files for the CLI, starts it, and queries what it offers.

use std::io;
use std::time::Duration;

use attache::agent::ClientSession;
use attache::schema::error;
use attache::{Error, v1};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::{
    CliState, RequestPurpose, Session, SessionHandle, ShellCommands, UrlElicitations, cli_requests,
};
use crate::cli::Cli;
use crate::frames::{ControlResponse, Frame};
use crate::launch::{self, LaunchFiles, SessionLaunch, SessionOrigin};
use crate::mapping::{CliFailure, DisplaySupport, Mapping, SessionAction, TurnEnd};
use crate::private_folder::{PrivateFolder, SOCKET_NAME};
use crate::provider::{self, Provider};
use crate::settings::{self, Settings};
use crate::shell::ShellListener;

/// A session that is ready for a prompt.
pub(crate) struct ReadySession {
    pub(crate) orders: SessionHandle,
    pub(crate) settings: Settings,
    session: Session,
    receiver: mpsc::Receiver<super::SessionCommand>,
}

impl ReadySession {
    /// Runs the session in a task, after sending its slash commands.
    pub(crate) fn run(self) {
        let (mut session, receiver) = (self.session, self.receiver);
        tokio::spawn(async move {
            let commands = session.settings.commands();
            let commands = v1::SessionUpdate::AvailableCommandsUpdate(commands);
            session.forward_update(commands).await;
            session.run(receiver).await;
        });
    }
}

/// Starts a CLI for a session and queries what it offers.
pub(crate) async fn open(
    client: ClientSession,
    launch: SessionLaunch,
    display: DisplaySupport,
) -> Result<ReadySession, Error> {
    let folder = PrivateFolder::new();
    let folder = folder.map_err(|failed| no_private_folder(&failed).to_error(client.id()))?;
    let is_titled = launch.origin != SessionOrigin::New;
    let (closing, is_closing) = watch::channel(false);
    let mut session = Session {
        client,
        launch,
        folder,
        cli: None,
        mapping: Mapping::new(display),
        settings: Settings::default(),
        display,
        state: CliState::Idle,
        turn: None,
        queue: std::collections::VecDeque::new(),
        user_requests: JoinSet::new(),
        user_request_handles: std::collections::HashMap::new(),
        url_elicitations: UrlElicitations::default(),
        pending: std::collections::HashMap::new(),
        requests: 0,
        shell_commands: ShellCommands::default(),
        cancelled_steering: Vec::new(),
        closing: is_closing,
        is_titled,
        was_prompted: false,
    };
    session.ensure_cli().await?;
    let (sender, receiver) = mpsc::channel(MAX_COMMANDS);
    Ok(ReadySession {
        orders: SessionHandle { sender, closing },
        settings: session.settings.clone(),
        session,
        receiver,
    })
}

impl Session {
    /// Starts the CLI unless it is running.
    pub(super) async fn ensure_cli(&mut self) -> Result<(), Error> {
        if self.cli.is_some() {
            return Ok(());
        }
        let first = self.launch.origin.clone();
        let origin = match self.was_prompted {
            true => SessionOrigin::Resume,
            false => first.clone(),
        };
        let mut started = self.start(&origin).await;
        // A CLI that exited early has left no transcript.
        if started == Err(CliFailure::NoSession) && origin != first {
            started = self.start(&first).await;
        }
        started.map_err(|failure| failure.to_error(self.client.id()))
    }

    async fn start(&mut self, origin: &SessionOrigin) -> Result<(), CliFailure> {
        let files = self.files().map_err(|failed| no_private_folder(&failed))?;
        let program = self.launch.program(origin, &files);
        let started = Cli::start(&program).await;
        let mut cli = started.map_err(|failed| CliFailure::Other(failed.to_string()))?;
        // A resumed CLI may have work to do before the first prompt.
        self.state = CliState::Idle;
        let provider = self.launch.provider.as_ref();
        let offers = query_offers(&mut cli, &mut self.mapping, &mut self.state, provider);
        let offers = tokio::time::timeout(START_TIMEOUT, offers).await;
        // The CLI has read these files, which may contain secrets.
        drop(files);
        let (offered, applied) = match offers {
            Ok(Ok(offers)) => offers,
            Ok(Err(Some(failure))) => return Err(failure),
            Ok(Err(None)) => return Err(start_failure(cli).await),
            Err(_) => {
                cli.stop().await;
                let words = "the Claude Code CLI did not respond in time";
                return Err(CliFailure::Other(words.to_owned()));
            }
        };
        let headers = &applied["effective"]["env"][provider::HEADERS];
        let has_way = self.launch.provider.is_some() || launch::has_headers();
        if settings::is_logged_out(&offered) && headers.is_null() && !has_way {
            return Err(CliFailure::LoggedOut);
        }
        self.settings = Settings::from_responses(&offered, &applied, self.launch.launcher.bypass);
        self.mapping.set_mode(&self.settings.mode);
        self.cli = Some(cli);
        Ok(())
    }

    /// Starts the CLI again if it has exited, and restores the settings chosen before.
    pub(super) async fn restart_cli(&mut self) -> Result<(), Error> {
        if self.cli.is_some() {
            return Ok(());
        }
        let before = self.settings.clone();
        let mut closing = self.closing.clone();
        tokio::select! {
            restarted = self.ensure_cli() => restarted?,
            // The session is closing, so nobody needs the error.
            _ = closing.wait_for(|is_closing| *is_closing) => return Err(error::cancelled()),
        }
        self.settings.keep_custom_models(&before);
        for (option, value) in before.choices() {
            let is_other = self.settings.choices().all(|now| now != (option, value));
            // A choice that the new CLI does not offer stays at its default.
            if let Some(choice) = self
                .settings
                .choice_request(option, value)
                .filter(|_| is_other)
            {
                if option == settings::MODE {
                    self.mapping.set_mode(value);
                }
                Box::pin(self.send_request(choice, RequestPurpose::Ignored)).await;
                self.settings.set_choice(option, value);
            }
        }
        self.send_options_if_changed(&before.options()).await;
        Ok(())
    }

    fn files(&mut self) -> io::Result<LaunchFiles> {
        let mut files = LaunchFiles::default();
        if !self.launch.servers.is_empty() {
            let config = launch::server_config(&self.launch.servers).to_string();
            files.mcp_config = Some(self.folder.write("servers.json", &config)?);
        }
        if let Some(prompt) = &self.launch.system_prompt {
            let texts = prompt.content.iter().filter_map(v1::ContentBlock::as_text);
            let text = texts.collect::<Vec<_>>().join("\n");
            files.system_prompt = Some(self.folder.write("system-prompt.txt", &text)?);
        }
        if self.shell_commands.listener.is_none() {
            // Without a listener the output appears when the command ends.
            self.shell_commands.listener =
                ShellListener::bind(self.folder.path(), SOCKET_NAME).ok();
        }
        files.shell = self
            .shell_commands
            .listener
            .as_ref()
            .map(ShellListener::shell_and_address);
        Ok(files)
    }
}

/// The options of the CLI and their values. An error without a failure means that the CLI has exited.
async fn query_offers(
    cli: &mut Cli,
    mapping: &mut Mapping,
    state: &mut CliState,
    provider: Option<&Provider>,
) -> Result<(Value, Value), Option<CliFailure>> {
    let hello = json!({ "subtype": "initialize", "hooks": null, "forwardSubagentText": true });
    let offered = ask(cli, mapping, state, "attache-hello", hello).await?;
    if let Some(provider) = provider {
        ask(cli, mapping, state, "attache-provider", provider.request()).await?;
    }
    let applied = ask(
        cli,
        mapping,
        state,
        "attache-settings",
        settings::get_settings_request(),
    )
    .await?;
    Ok((offered, applied))
}

async fn ask(
    cli: &mut Cli,
    mapping: &mut Mapping,
    state: &mut CliState,
    id: &str,
    request: Value,
) -> Result<Value, Option<CliFailure>> {
    cli.send(&cli_requests::frame(id, request))
        .await
        .map_err(|_| None)?;
    while let Some(frame) = cli.next_frame().await {
        if let Frame::ControlResponse { id: of, response } = &frame
            && of == id
        {
            return match response {
                ControlResponse::Success(response) => Ok(response.clone()),
                // An older CLI does not know this request.
                ControlResponse::Error(_) => Ok(Value::Null),
            };
        }
        for action in mapping.apply(frame) {
            match action {
                SessionAction::EndTurn(TurnEnd {
                    reason: Err(failure),
                    ..
                }) => return Err(Some(failure)),
                SessionAction::SetState(now) => *state = now,
                // Before the session is open, all other actions are ignored.
                SessionAction::EndTurn(_)
                | SessionAction::Update(_)
                | SessionAction::AskPermission(_)
                | SessionAction::Elicit(_)
                | SessionAction::CompleteElicitation { .. }
                | SessionAction::WithdrawRequest(_)
                | SessionAction::SendFrame(_)
                | SessionAction::SettleRequest { .. }
                | SessionAction::AcceptPrompt(_)
                | SessionAction::RefreshSettings
                | SessionAction::ExpectCommand { .. } => {}
            }
        }
    }
    Err(None)
}

/// Why a CLI exited before it was ready.
async fn start_failure(cli: Cli) -> CliFailure {
    let ending = cli.wait_exit().await;
    match ending.stderr.contains("No conversation found") {
        true => CliFailure::NoSession,
        false => CliFailure::Other(format!("the Claude Code CLI did not start: {ending}")),
    }
}

fn no_private_folder(failed: &io::Error) -> CliFailure {
    CliFailure::Other(format!("no private folder could be created: {failed}"))
}

const START_TIMEOUT: Duration = Duration::from_secs(60);
const MAX_COMMANDS: usize = 64;
