//! A session: one task that owns one CLI. It handles commands from the client, frames from the CLI and responses from
//! the user, so no session waits for another.

mod cli_requests;
mod shell_commands;
mod start;
mod turn;
mod user_requests;

use std::collections::{HashMap, VecDeque};

use attache::agent::ClientSession;
use attache::json::Raw;
use attache::schema::error;
use attache::{Reply, v1};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use crate::cli::Cli;
use crate::frames::{CliState, Frame};
use crate::launch::SessionLaunch;
use crate::mapping::{DisplaySupport, Mapping, SessionAction};
use crate::private_folder::PrivateFolder;
use crate::settings::{self, Settings};
use cli_requests::{CliRequest, RequestPurpose};
use shell_commands::ShellCommands;
use turn::Turn;
use user_requests::UrlElicitations;

pub(crate) use start::{ReadySession, open};
pub(crate) use turn::uuid;

/// A command of the client for a session.
#[derive(Debug)]
pub(crate) enum SessionCommand {
    Prompt(v1::PromptRequest, Reply<v1::PromptResponse>),
    SetMode(String, Reply<v1::SetSessionModeResponse>),
    SetOption(
        v1::SetSessionConfigOptionRequest,
        Reply<v1::SetSessionConfigOptionResponse>,
    ),
    /// Adds a message to the running turn.
    Steer(Vec<v1::ContentBlock>, Reply<Raw>),
    /// Stops the command of a tool call.
    StopCommand(String, Reply<Raw>),
    /// Cancels whatever the CLI is doing.
    Cancel,
    Close(oneshot::Sender<()>),
}

/// Sends commands to a session.
#[derive(Debug, Clone)]
pub(crate) struct SessionHandle {
    pub(crate) sender: mpsc::Sender<SessionCommand>,
    closing: watch::Sender<bool>,
}

impl SessionHandle {
    /// Closes the session, whatever it waits for, and returns once it is closed.
    pub(crate) async fn close(self) {
        self.closing.send_replace(true);
        let (done, closed) = oneshot::channel();
        if self.sender.send(SessionCommand::Close(done)).await.is_ok() {
            // Fails if the session has ended meanwhile.
            closed.await.ok();
        }
    }
}

pub(crate) struct Session {
    client: ClientSession,
    launch: SessionLaunch,
    folder: PrivateFolder,
    cli: Option<Cli>,
    mapping: Mapping,
    settings: Settings,
    display: DisplaySupport,
    state: CliState,
    turn: Option<Turn>,
    queue: VecDeque<(v1::PromptRequest, Reply<v1::PromptResponse>)>,
    /// Requests to the user, each with the id of the CLI's request and the response to it.
    user_requests: JoinSet<(String, Value)>,
    user_request_handles: HashMap<String, AbortHandle>,
    url_elicitations: UrlElicitations,
    pending: HashMap<String, CliRequest>,
    requests: u64,
    shell_commands: ShellCommands,
    /// Ids of steering messages that were cancelled before the CLI accepted them.
    cancelled_steering: Vec<String>,
    closing: watch::Receiver<bool>,
    is_titled: bool,
    /// Whether there was a prompt, and therefore a transcript to resume.
    was_prompted: bool,
}

impl Session {
    pub(crate) async fn run(mut self, mut commands: mpsc::Receiver<SessionCommand>) {
        loop {
            let deadline = self.deadline();
            tokio::select! {
                command = commands.recv() => match command {
                    Some(SessionCommand::Close(done)) => {
                        self.close().await;
                        // The caller may be gone.
                        done.send(()).ok();
                        return;
                    }
                    Some(command) => self.handle_command(command).await,
                    None => return self.close().await,
                },
                frame = next_frame(&mut self.cli) => match frame {
                    Some(frame) => self.handle_frame(frame).await,
                    None => self.handle_cli_exit().await,
                },
                Some(finished) = self.user_requests.join_next(), if !self.user_requests.is_empty() => {
                    // A withdrawn request has no response.
                    if let Ok((id, response)) = finished {
                        self.send_user_response(&id, &response).await;
                    }
                }
                () = turn::cancelled(self.turn.as_ref()) => self.interrupt().await,
                visit = self.shell_commands.next() => self.command_announced(visit).await,
                () = sleep_until(deadline) => self.handle_deadline().await,
            }
        }
    }

    async fn handle_command(&mut self, command: SessionCommand) {
        match command {
            SessionCommand::Prompt(request, reply) => self.queue_prompt(request, reply).await,
            SessionCommand::SetMode(mode, reply) => match self.settings.has_mode(&mode) {
                true => {
                    let request = settings::set_mode_request(&mode);
                    self.request_cli(request, RequestPurpose::SetMode(mode, reply))
                        .await;
                }
                false => reply.fail(error::unusable_params("unknown mode")),
            },
            SessionCommand::SetOption(request, reply) => self.set_option(request, reply).await,
            SessionCommand::Steer(prompt, reply) => self.steer(&prompt, reply).await,
            SessionCommand::StopCommand(call, reply) => self.stop_command(&call, reply).await,
            // A running turn notices the cancellation itself. This handles work that the CLI started on its own.
            SessionCommand::Cancel if self.turn.is_none() && self.state != CliState::Idle => {
                let request = cli_requests::interrupt();
                self.send_request(request, RequestPurpose::Ignored).await;
            }
            SessionCommand::Cancel | SessionCommand::Close(_) => {}
        }
    }

    async fn handle_frame(&mut self, frame: Frame) {
        for call in frame.results() {
            self.finish_command(call).await;
        }
        for action in self.mapping.apply(frame) {
            self.perform(action).await;
        }
    }

    async fn perform(&mut self, action: SessionAction) {
        match action {
            SessionAction::Update(update) => self.send_update(update).await,
            SessionAction::AskPermission(question) => self.request_permission(*question),
            SessionAction::Elicit(asked) => self.elicit(*asked).await,
            SessionAction::CompleteElicitation { server, id } => {
                self.complete_elicitation(&server, &id).await
            }
            SessionAction::WithdrawRequest(id) => self.withdraw_user_request(&id),
            SessionAction::SendFrame(frame) => self.send_frame(&frame).await,
            SessionAction::SettleRequest { id, response } => {
                self.handle_response(&id, response).await
            }
            SessionAction::AcceptPrompt(uuid) => self.accept_prompt(&uuid).await,
            SessionAction::RefreshSettings => {
                self.send_request(
                    settings::get_settings_request(),
                    RequestPurpose::ReadSettings(None),
                )
                .await;
            }
            SessionAction::EndTurn(end) => {
                if let Some(turn) = &mut self.turn {
                    turn.record_end(end);
                }
                self.end_turn_if_done().await;
            }
            SessionAction::SetState(state) => {
                self.state = state;
                if let Some(turn) = &mut self.turn {
                    turn.set_reports_states();
                }
                self.end_turn_if_done().await;
            }
            SessionAction::ExpectCommand { tool_call, command } => {
                for call in self.shell_commands.expect(tool_call, &command) {
                    self.show_in_progress(&call).await;
                }
            }
        }
    }

    async fn send_update(&mut self, update: v1::SessionUpdate) {
        if let v1::SessionUpdate::CurrentModeUpdate(update) = &update {
            self.settings
                .set_choice(settings::MODE, update.current_mode_id.as_str());
            self.send_options().await;
        }
        self.forward_update(update).await;
    }

    /// Sends an update. A client that does not read must not keep the session from closing.
    async fn forward_update(&mut self, update: v1::SessionUpdate) {
        tokio::select! {
            biased;
            // Fails only if the client is gone, and then the command channel closes as well.
            sent = self.client.update(update) => drop(sent),
            _ = self.closing.wait_for(|is_closing| *is_closing) => {}
        }
    }

    async fn send_options(&mut self) {
        let options = v1::ConfigOptionUpdate::new(self.settings.options());
        let options = v1::SessionUpdate::ConfigOptionUpdate(options);
        self.forward_update(options).await;
    }

    /// Sends the config options if they have changed.
    async fn send_options_if_changed(&mut self, before: &[v1::SessionConfigOption]) {
        if self.settings.options() != before {
            self.send_options().await;
        }
    }

    async fn send_frame(&mut self, frame: &Value) {
        let is_stalled = match &self.cli {
            Some(cli) => cli.send(frame).await.is_err(),
            None => false,
        };
        if is_stalled {
            self.handle_cli_exit().await;
        }
    }

    /// The CLI has exited, which fails everything under way. The next prompt starts another.
    async fn handle_cli_exit(&mut self) {
        let Some(cli) = self.cli.take() else {
            return;
        };
        let garbage = cli.malformed_lines();
        let ending = cli.wait_exit().await;
        self.reset_cli_state().await;
        let skipped = match garbage {
            0 => String::new(),
            count => format!(" ({count} lines of it could not be read)"),
        };
        let words = format!("the CLI has exited: {ending}{skipped}");
        for (_, request) in self.pending.drain() {
            request.into_purpose().fail(error::internal(&words));
        }
        if let Some(turn) = self.turn.take() {
            turn.fail(error::internal(&words));
        }
        self.start_next_turn().await;
    }

    /// Fails the open tool calls and drops the CLI's requests.
    async fn reset_cli_state(&mut self) {
        self.user_requests = JoinSet::new();
        self.user_request_handles.clear();
        self.url_elicitations.clear();
        self.shell_commands.clear();
        self.state = CliState::Idle;
        for action in self.mapping.fail_open_calls() {
            if let SessionAction::Update(update) = action {
                self.forward_update(update).await;
            }
        }
    }

    /// Ends everything under way as cancelled.
    async fn close(&mut self) {
        self.interrupt_before_close().await;
        if let Some(cli) = self.cli.take() {
            cli.stop().await;
        }
        if self.turn.is_some() || self.mapping.has_background() {
            self.reset_cli_state().await;
        }
        let queued = self.queue.drain(..).map(|(_, reply)| reply);
        for reply in self
            .turn
            .take()
            .map(Turn::into_reply)
            .into_iter()
            .chain(queued)
        {
            reply.ok(v1::PromptResponse::new(v1::StopReason::Cancelled));
        }
    }

    /// The earliest deadline.
    fn deadline(&self) -> Option<Instant> {
        let requests = self.pending.values().map(CliRequest::deadline);
        let interrupt = self.turn.as_ref().and_then(Turn::deadline);
        requests
            .chain(interrupt)
            .chain(self.shell_commands.deadline())
            .min()
    }

    async fn handle_deadline(&mut self) {
        self.read_command_output().await;
        let now = Instant::now();
        if self
            .turn
            .as_ref()
            .and_then(Turn::deadline)
            .is_some_and(|it| it <= now)
        {
            return self.kill_hanging_cli().await;
        }
        let late = self
            .pending
            .extract_if(|_, request| request.deadline() <= now);
        for (_, request) in late {
            request
                .into_purpose()
                .fail(error::internal("the CLI did not respond in time"));
        }
        // The turn may have waited for a response.
        self.end_turn_if_done().await;
    }

    async fn set_option(
        &mut self,
        request: v1::SetSessionConfigOptionRequest,
        reply: Reply<v1::SetSessionConfigOptionResponse>,
    ) {
        let v1::SessionConfigOptionValue::ValueId(value) = request.value else {
            return reply.fail(error::unusable_params("the option takes one of its values"));
        };
        let (option, value) = (request.config_id.as_str(), value.as_str());
        match self.settings.choice_request(option, value) {
            Some(choice) => {
                let chosen = RequestPurpose::SetOption(option.to_owned(), value.to_owned(), reply);
                self.request_cli(choice, chosen).await;
            }
            None => reply.fail(error::unusable_params("unknown option or value")),
        }
    }

    async fn steer(&mut self, prompt: &[v1::ContentBlock], reply: Reply<Raw>) {
        if let Some(why) = crate::prompt::unsupported_reason(prompt) {
            return reply.fail(error::unusable_params(why));
        }
        if self.is_clear_command(prompt) {
            return reply.fail(error::unusable_params(crate::prompt::NO_CLEAR));
        }
        if self.turn.is_none() && self.state == CliState::Idle {
            return reply.ok(Raw::from(json!({ "outcome": "promptRequired" })));
        }
        let uuid = match uuid() {
            Ok(uuid) => uuid,
            Err(failed) => return reply.fail(error::internal(&failed.to_string())),
        };
        let frame = crate::prompt::steering_frame(prompt, &uuid);
        if let Some(turn) = &mut self.turn
            && !turn.add_steering(uuid)
        {
            let words = "too many messages are waiting in this turn";
            return reply.fail(error::invalid_request("busy", words));
        }
        self.send_frame(&frame).await;
        match self.cli {
            Some(_) => reply.ok(Raw::from(json!({ "outcome": "injected" }))),
            None => reply.fail(error::internal("the CLI has exited")),
        }
    }

    async fn stop_command(&mut self, call: &str, reply: Reply<Raw>) {
        let task = self.mapping.task_of(call).map(str::to_owned);
        match task {
            Some(task) => {
                let request = json!({ "subtype": "stop_task", "task_id": task });
                self.request_cli(request, RequestPurpose::StopTask(reply))
                    .await;
            }
            None if self.shell_commands.kill(call) => reply.ok(Raw::from(json!({}))),
            None => reply.fail(error::unusable_params("no command of it runs")),
        }
    }
}

async fn next_frame(cli: &mut Option<Cli>) -> Option<Frame> {
    match cli {
        Some(cli) => cli.next_frame().await,
        None => std::future::pending().await,
    }
}

async fn sleep_until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
