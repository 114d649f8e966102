//! A session: one task that owns one CLI. Orders come from the client, frames from the CLI, answers from the person;
//! nobody else has a hand in it, so no session waits for another.

mod asking;
mod control;
mod opening;
mod output;
mod pages;
mod turn;

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
use crate::frames::{Answer, Frame, State};
use crate::launch::Launch;
use crate::live::Folder;
use crate::mapping::{Act, Mapping, Shows};
use crate::settings::{self, Settings};
use control::{Request, Waiting};
use output::Commands;
use pages::Pages;
use turn::Turn;

pub(crate) use opening::{Opened, open};
pub(crate) use turn::uuid;

/// What the client wants of a session.
#[derive(Debug)]
pub(crate) enum Order {
    Prompt(v1::PromptRequest, Reply<v1::PromptResponse>),
    SetMode(String, Reply<v1::SetSessionModeResponse>),
    SetOption(
        v1::SetSessionConfigOptionRequest,
        Reply<v1::SetSessionConfigOptionResponse>,
    ),
    /// Something to be said in the middle of the turn.
    Steer(Vec<v1::ContentBlock>, Reply<Raw>),
    /// The command of a tool call is to end.
    StopCommand(String, Reply<Raw>),
    /// Whatever the CLI does is to end.
    Cancel,
    Close(oneshot::Sender<()>),
}

/// A way to give orders to a session.
#[derive(Debug, Clone)]
pub(crate) struct Orders {
    pub(crate) sender: mpsc::Sender<Order>,
    closing: watch::Sender<bool>,
}

impl Orders {
    /// Closes the session, whatever it waits for; done when it is closed.
    pub(crate) async fn close(self) {
        self.closing.send_replace(true);
        let (done, closed) = oneshot::channel();
        if self.sender.send(Order::Close(done)).await.is_ok() {
            // A session that has ended meanwhile is closed.
            closed.await.ok();
        }
    }
}

pub(crate) struct Session {
    client: ClientSession,
    launch: Launch,
    folder: Folder,
    cli: Option<Cli>,
    mapping: Mapping,
    settings: Settings,
    shows: Shows,
    state: State,
    turn: Option<Turn>,
    queue: VecDeque<(v1::PromptRequest, Reply<v1::PromptResponse>)>,
    /// Questions to the person, and which of the CLI's they are.
    asked: JoinSet<(String, Value)>,
    open_questions: HashMap<String, AbortHandle>,
    pages: Pages,
    waiting: HashMap<String, Request>,
    requests: u64,
    commands: Commands,
    /// Said in the middle of a turn that was cancelled before the CLI took them.
    unwanted: Vec<String>,
    closing: watch::Receiver<bool>,
    is_titled: bool,
    /// Whether there has been a prompt, and so a transcript to come back to.
    has_begun: bool,
}

impl Session {
    pub(crate) async fn run(mut self, mut orders: mpsc::Receiver<Order>) {
        loop {
            let deadline = self.deadline();
            tokio::select! {
                order = orders.recv() => match order {
                    Some(Order::Close(done)) => {
                        self.close().await;
                        // Whoever asked may be gone.
                        done.send(()).ok();
                        return;
                    }
                    Some(order) => self.obey(order).await,
                    None => return self.close().await,
                },
                frame = hear(&mut self.cli) => match frame {
                    Some(frame) => self.take(frame).await,
                    None => self.has_died().await,
                },
                Some(answer) = self.asked.join_next(), if !self.asked.is_empty() => {
                    // One that was taken back ends without an answer.
                    if let Ok((id, answer)) = answer {
                        self.has_answered(&id, &answer).await;
                    }
                }
                () = turn::cancelled(self.turn.as_ref()) => self.interrupt().await,
                visit = self.commands.next() => self.visited(visit).await,
                () = at(deadline) => self.too_late().await,
            }
        }
    }

    async fn obey(&mut self, order: Order) {
        match order {
            Order::Prompt(request, reply) => self.prompted(request, reply).await,
            Order::SetMode(mode, reply) => match self.settings.has_mode(&mode) {
                true => {
                    let request = settings::set_mode(&mode);
                    self.ask_cli(request, Waiting::Mode(mode, reply)).await;
                }
                false => reply.fail(error::unusable_params("unknown mode")),
            },
            Order::SetOption(request, reply) => self.set_option(request, reply).await,
            Order::Steer(prompt, reply) => self.steer(&prompt, reply).await,
            Order::StopCommand(call, reply) => self.stop_command(&call, reply).await,
            // A turn knows by itself; this is for what the CLI does on its own.
            Order::Cancel if self.turn.is_none() && self.state != State::Idle => {
                let request = control::interrupt();
                self.send_request(request, Waiting::Nobody).await;
            }
            Order::Cancel | Order::Close(_) => {}
        }
    }

    async fn take(&mut self, frame: Frame) {
        for call in frame.results() {
            self.ran(call).await;
        }
        for act in self.mapping.take(frame) {
            self.act(act).await;
        }
    }

    async fn act(&mut self, act: Act) {
        match act {
            Act::Tell(update) => self.tell(update).await,
            Act::Ask(question) => self.ask_person(*question),
            Act::Elicit(asked) => self.elicit(*asked).await,
            Act::PageDone { server, id } => self.page_done(&server, &id).await,
            Act::Withdraw(id) => self.withdraw(&id),
            Act::Say(frame) => self.say(&frame).await,
            Act::Answered { id, answer } => self.answered(&id, answer).await,
            Act::Taken(uuid) => self.has_taken(&uuid).await,
            Act::LookAgain => {
                self.send_request(settings::look(), Waiting::Settings(None))
                    .await;
            }
            Act::Ended(ended) => {
                if let Some(turn) = &mut self.turn {
                    turn.ended(ended);
                }
                self.settle_turn().await;
            }
            Act::State(state) => {
                self.state = state;
                if let Some(turn) = &mut self.turn {
                    turn.knows_states();
                }
                self.settle_turn().await;
            }
            Act::Runs { tool_call, command } => {
                for call in self.commands.expect(tool_call, &command) {
                    self.runs(&call).await;
                }
            }
        }
    }

    async fn tell(&mut self, update: v1::SessionUpdate) {
        if let v1::SessionUpdate::CurrentModeUpdate(update) = &update {
            self.settings
                .chosen(settings::MODE, update.current_mode_id.as_str());
            self.tell_options().await;
        }
        self.pass_on(update).await;
    }

    /// A client that does not read must not keep a session from its end.
    async fn pass_on(&mut self, update: v1::SessionUpdate) {
        tokio::select! {
            biased;
            // It fails when the client is gone, which the end of the orders tells.
            told = self.client.update(update) => drop(told),
            _ = self.closing.wait_for(|is_closing| *is_closing) => {}
        }
    }

    async fn tell_options(&mut self) {
        let options = v1::ConfigOptionUpdate::new(self.settings.options());
        let options = v1::SessionUpdate::ConfigOptionUpdate(options);
        self.pass_on(options).await;
    }

    /// Tells what can be chosen and what is chosen, if it is not as it was.
    async fn tell_options_since(&mut self, before: &[v1::SessionConfigOption]) {
        if self.settings.options() != before {
            self.tell_options().await;
        }
    }

    async fn say(&mut self, frame: &Value) {
        let deaf = match &self.cli {
            Some(cli) => cli.say(frame).await.is_err(),
            None => false,
        };
        if deaf {
            self.has_died().await;
        }
    }

    /// The CLI has ended, and with it what it was doing. The next prompt starts another.
    async fn has_died(&mut self) {
        let Some(cli) = self.cli.take() else {
            return;
        };
        let garbage = cli.garbage();
        let ending = cli.ending().await;
        self.forget_cli().await;
        let skipped = match garbage {
            0 => String::new(),
            count => format!(" ({count} lines of it could not be read)"),
        };
        let words = format!("the CLI has exited: {ending}{skipped}");
        for (_, request) in self.waiting.drain() {
            request.into_waiting().fail(error::internal(&words));
        }
        if let Some(turn) = self.turn.take() {
            turn.fail(error::internal(&words));
        }
        self.next_turn().await;
    }

    /// What the CLI had begun has failed, and what it asked needs no answer.
    async fn forget_cli(&mut self) {
        self.asked = JoinSet::new();
        self.open_questions.clear();
        self.pages.forget();
        self.commands.forget();
        self.state = State::Idle;
        for act in self.mapping.abandon() {
            if let Act::Tell(update) = act {
                self.pass_on(update).await;
            }
        }
    }

    /// What is under way ends as if it had been cancelled.
    async fn close(&mut self) {
        self.hush().await;
        if let Some(cli) = self.cli.take() {
            cli.stop().await;
        }
        if self.turn.is_some() || self.mapping.has_background() {
            self.forget_cli().await;
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

    /// When something has to have happened.
    fn deadline(&self) -> Option<Instant> {
        let requests = self.waiting.values().map(Request::deadline);
        let interrupt = self.turn.as_ref().and_then(Turn::deadline);
        requests
            .chain(interrupt)
            .chain(self.commands.deadline())
            .min()
    }

    async fn too_late(&mut self) {
        self.look_at_commands().await;
        let now = Instant::now();
        if self
            .turn
            .as_ref()
            .and_then(Turn::deadline)
            .is_some_and(|it| it <= now)
        {
            return self.stop_hanging().await;
        }
        let late = self
            .waiting
            .extract_if(|_, request| request.deadline() <= now);
        for (_, request) in late {
            let waiting = request.into_waiting();
            waiting.fail(error::internal("the CLI did not respond in time"));
        }
        // A turn may have waited for an answer.
        self.settle_turn().await;
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
        match self.settings.choice(option, value) {
            Some(choice) => {
                let chosen = Waiting::Option(option.to_owned(), value.to_owned(), reply);
                self.ask_cli(choice, chosen).await;
            }
            None => reply.fail(error::unusable_params("unknown option or value")),
        }
    }

    async fn steer(&mut self, prompt: &[v1::ContentBlock], reply: Reply<Raw>) {
        if let Some(why) = crate::prompt::refusal(prompt) {
            return reply.fail(error::unusable_params(why));
        }
        if self.would_clear(prompt) {
            return reply.fail(error::unusable_params(crate::prompt::NO_CLEAR));
        }
        if self.turn.is_none() && self.state == State::Idle {
            return reply.ok(Raw::from(json!({ "outcome": "promptRequired" })));
        }
        let uuid = match uuid() {
            Ok(uuid) => uuid,
            Err(failed) => return reply.fail(error::internal(&failed.to_string())),
        };
        let frame = crate::prompt::steering(prompt, &uuid);
        if let Some(turn) = &mut self.turn
            && !turn.is_steered(uuid)
        {
            let words = "too many messages are waiting in this turn";
            return reply.fail(error::invalid_request("busy", words));
        }
        self.say(&frame).await;
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
                self.ask_cli(request, Waiting::Stop(reply)).await;
            }
            None if self.commands.kill(call) => reply.ok(Raw::from(json!({}))),
            None => reply.fail(error::unusable_params("no command of it runs")),
        }
    }

    async fn answered(&mut self, id: &str, answer: Answer) {
        let Some(request) = self.waiting.remove(id) else {
            // The echo of an answer of ours.
            return;
        };
        match request.into_waiting() {
            Waiting::Mode(mode, reply) => match answer {
                Answer::Success(_) => {
                    self.has_chosen(settings::MODE, &mode).await;
                    reply.ok(v1::SetSessionModeResponse::new());
                }
                Answer::Failure(words) => reply.fail(error::unusable_params(&words)),
            },
            Waiting::Option(option, value, reply) => match answer {
                Answer::Success(_) => {
                    self.has_chosen(&option, &value).await;
                    // What is set by the environment stays, and a model brings an effort of its own.
                    let waiting = Waiting::Settings(Some(reply));
                    Box::pin(self.send_request(settings::look(), waiting)).await;
                }
                Answer::Failure(words) => reply.fail(error::unusable_params(&words)),
            },
            Waiting::Settings(reply) => {
                let before = self.settings.options();
                if let Answer::Success(told) = answer {
                    self.settings.follow(&told);
                }
                match reply {
                    Some(reply) => {
                        let options = self.settings.options();
                        reply.ok(v1::SetSessionConfigOptionResponse::new(options));
                    }
                    None => self.tell_options_since(&before).await,
                }
                self.settle_turn().await;
            }
            Waiting::Stop(reply) => match answer {
                Answer::Success(_) => reply.ok(Raw::from(json!({}))),
                Answer::Failure(words) => reply.fail(error::internal(&words)),
            },
            Waiting::Interrupt => {
                if let Some(turn) = &mut self.turn {
                    turn.is_stopped(&answer);
                }
                // Else what the CLI does next tells when it is over.
                if self.turn.as_ref().is_some_and(Turn::is_dropped) {
                    self.settle_turn().await;
                }
            }
            // What counts is what the CLI does.
            Waiting::Nobody => {}
        }
    }

    /// A mode is told in both its forms, whichever of them it was set by.
    async fn has_chosen(&mut self, option: &str, value: &str) {
        if option == settings::MODE && self.settings.mode != value {
            self.mapping.has_mode(value);
            let update = v1::CurrentModeUpdate::new(value);
            self.tell(v1::SessionUpdate::CurrentModeUpdate(update))
                .await;
        }
        self.settings.chosen(option, value);
    }
}

async fn hear(cli: &mut Option<Cli>) -> Option<Frame> {
    match cli {
        Some(cli) => cli.hear().await,
        None => std::future::pending().await,
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
