//! Opening a session: the files that go with the CLI, its start, and what it offers.

use std::io;
use std::time::Duration;

use attache::agent::ClientSession;
use attache::schema::error;
use attache::{Error, v1};
use serde_json::{Value, json};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use super::{Commands, Orders, Pages, Session, State, Waiting, control};
use crate::cli::Cli;
use crate::frames::{Answer, Frame};
use crate::launch::{self, Files, Launch, Start};
use crate::live::{DOOR, Door, Folder};
use crate::mapping::{Act, Ended, Failure, Mapping, Shows};
use crate::provider::{self, Provider};
use crate::settings::{self, Settings};

/// A session that is ready for a prompt.
pub(crate) struct Opened {
    pub(crate) orders: Orders,
    pub(crate) settings: Settings,
    session: Session,
    receiver: mpsc::Receiver<super::Order>,
}

impl Opened {
    /// Lets it run. Its commands are told first.
    pub(crate) fn run(self) {
        let (mut session, receiver) = (self.session, self.receiver);
        tokio::spawn(async move {
            let commands = session.settings.commands();
            let commands = v1::SessionUpdate::AvailableCommandsUpdate(commands);
            session.pass_on(commands).await;
            session.run(receiver).await;
        });
    }
}

/// Starts a CLI for a session and asks what it offers.
pub(crate) async fn open(
    client: ClientSession,
    launch: Launch,
    shows: Shows,
) -> Result<Opened, Error> {
    let folder = Folder::new();
    let folder = folder.map_err(|failed| no_files(&failed).to_error(client.id()))?;
    let is_titled = launch.start != Start::Nothing;
    let (closing, is_closing) = watch::channel(false);
    let mut session = Session {
        client,
        launch,
        folder,
        cli: None,
        mapping: Mapping::new(shows),
        settings: Settings::default(),
        shows,
        state: State::Idle,
        turn: None,
        queue: std::collections::VecDeque::new(),
        asked: JoinSet::new(),
        open_questions: std::collections::HashMap::new(),
        pages: Pages::default(),
        waiting: std::collections::HashMap::new(),
        requests: 0,
        commands: Commands::default(),
        unwanted: Vec::new(),
        closing: is_closing,
        is_titled,
        has_begun: false,
    };
    session.wake().await?;
    let (sender, receiver) = mpsc::channel(ORDERS);
    Ok(Opened {
        orders: Orders { sender, closing },
        settings: session.settings.clone(),
        session,
        receiver,
    })
}

impl Session {
    /// Starts the CLI if it does not run.
    pub(super) async fn wake(&mut self) -> Result<(), Error> {
        if self.cli.is_some() {
            return Ok(());
        }
        let first = self.launch.start.clone();
        let start = match self.has_begun {
            true => Start::Itself,
            false => first.clone(),
        };
        let mut started = self.start(&start).await;
        // One that died early has left no transcript.
        if started == Err(Failure::NoSession) && start != first {
            started = self.start(&first).await;
        }
        started.map_err(|failure| failure.to_error(self.client.id()))
    }

    async fn start(&mut self, start: &Start) -> Result<(), Failure> {
        let files = self.files().map_err(|failed| no_files(&failed))?;
        let program = self.launch.program(start, &files);
        let started = Cli::start(&program).await;
        let mut cli = started.map_err(|failed| Failure::Told(failed.to_string()))?;
        // One that comes back may have something to do before the first prompt.
        self.state = State::Idle;
        let provider = self.launch.provider.as_ref();
        let greeting = greet(&mut cli, &mut self.mapping, &mut self.state, provider);
        let greeted = tokio::time::timeout(GREETING, greeting).await;
        // The CLI has read them, and they may hold secrets.
        drop(files);
        let (offered, applied) = match greeted {
            Ok(Ok(greeted)) => greeted,
            Ok(Err(Some(failure))) => return Err(failure),
            Ok(Err(None)) => return Err(ended(cli).await),
            Err(_) => {
                cli.stop().await;
                let words = "the Claude Code CLI did not respond in time";
                return Err(Failure::Told(words.to_owned()));
            }
        };
        let headers = &applied["effective"]["env"][provider::HEADERS];
        let has_way = self.launch.provider.is_some() || launch::has_headers();
        if settings::is_logged_out(&offered) && headers.is_null() && !has_way {
            return Err(Failure::LoggedOut);
        }
        self.settings = Settings::of(&offered, &applied, self.launch.launcher.bypass);
        self.mapping.has_mode(&self.settings.mode);
        self.cli = Some(cli);
        Ok(())
    }

    /// Starts the CLI again if it has died, with what was chosen before.
    pub(super) async fn wake_again(&mut self) -> Result<(), Error> {
        if self.cli.is_some() {
            return Ok(());
        }
        let before = self.settings.clone();
        let mut closing = self.closing.clone();
        tokio::select! {
            woken = self.wake() => woken?,
            // Nobody is there any more who could be told.
            _ = closing.wait_for(|is_closing| *is_closing) => return Err(error::cancelled()),
        }
        self.settings.inherit(&before);
        for (option, value) in before.choices() {
            let is_other = self.settings.choices().all(|now| now != (option, value));
            // What it does not offer any more stays as the new one has it.
            if let Some(choice) = self.settings.choice(option, value).filter(|_| is_other) {
                if option == settings::MODE {
                    self.mapping.has_mode(value);
                }
                Box::pin(self.send_request(choice, Waiting::Nobody)).await;
                self.settings.chosen(option, value);
            }
        }
        self.tell_options_since(&before.options()).await;
        Ok(())
    }

    fn files(&mut self) -> io::Result<Files> {
        let mut files = Files::default();
        if !self.launch.servers.is_empty() {
            let config = launch::server_config(&self.launch.servers).to_string();
            files.servers = Some(self.folder.write("servers.json", &config)?);
        }
        if let Some(prompt) = &self.launch.system_prompt {
            let texts = prompt.content.iter().filter_map(v1::ContentBlock::as_text);
            let text = texts.collect::<Vec<_>>().join("\n");
            files.system_prompt = Some(self.folder.write("system-prompt.txt", &text)?);
        }
        if self.commands.door.is_none() {
            // Without it the output comes at the end, as the CLI tells it.
            self.commands.door = Door::open(self.folder.path(), DOOR).ok();
        }
        files.shell = self.commands.door.as_ref().map(Door::shell);
        Ok(files)
    }
}

/// What the CLI offers, and what is set. Fails with what it says if it ends the session, or with nothing.
async fn greet(
    cli: &mut Cli,
    mapping: &mut Mapping,
    state: &mut State,
    provider: Option<&Provider>,
) -> Result<(Value, Value), Option<Failure>> {
    let hello = json!({ "subtype": "initialize", "hooks": null, "forwardSubagentText": true });
    let offered = ask(cli, mapping, state, "attache-hello", hello).await?;
    if let Some(provider) = provider {
        ask(cli, mapping, state, "attache-provider", provider.request()).await?;
    }
    let applied = ask(cli, mapping, state, "attache-settings", settings::look()).await?;
    Ok((offered, applied))
}

async fn ask(
    cli: &mut Cli,
    mapping: &mut Mapping,
    state: &mut State,
    id: &str,
    request: Value,
) -> Result<Value, Option<Failure>> {
    cli.say(&control::frame(id, request))
        .await
        .map_err(|_| None)?;
    while let Some(frame) = cli.hear().await {
        if let Frame::Answered { id: of, answer } = &frame
            && of == id
        {
            return match answer {
                Answer::Success(answer) => Ok(answer.clone()),
                // An older CLI does not know the question.
                Answer::Failure(_) => Ok(Value::Null),
            };
        }
        for act in mapping.take(frame) {
            match act {
                Act::Ended(Ended {
                    reason: Err(failure),
                    ..
                }) => return Err(Some(failure)),
                Act::State(now) => *state = now,
                _ => {}
            }
        }
    }
    Err(None)
}

/// Why a CLI ended before it said what it offers.
async fn ended(cli: Cli) -> Failure {
    let ending = cli.ending().await;
    match ending.stderr.contains("No conversation found") {
        true => Failure::NoSession,
        false => Failure::Told(format!("the Claude Code CLI did not start: {ending}")),
    }
}

fn no_files(failed: &io::Error) -> Failure {
    Failure::Told(format!("no private folder could be created: {failed}"))
}

const GREETING: Duration = Duration::from_secs(60);
const ORDERS: usize = 64;
