//! One open session: the state that its turns share. The client may change it while a turn runs.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use attache::agent::{ClientHandle, ClientSession};
use attache::json::Raw;
use attache::schema::error;
use attache::{CallError, Error, v1};
use attache_host::Roots;
use attache_journal::Journal;
use attache_mcp::Servers;
use attache_model::{Message, Model, ModelInfo};
use tokio::sync::watch;

use crate::Agent;
use crate::entry_kinds;
use crate::failure::Failure;
use crate::history::History;
use crate::modes::Mode;
use crate::permission::SessionPermissions;
use crate::recovery::{self, JournalState};
use crate::settings::{self, Settings};
use crate::tools::Workplace;
use crate::turn_queue::TurnQueue;
use crate::{commands, ids};

/// One open session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) agent: Arc<Agent>,
    pub(crate) client: ClientSession,
    pub(crate) journal: Journal,
    pub(crate) place: Workplace,
    pub(crate) servers: Servers,
    /// Turns run one at a time, each with exclusive access to the conversation. It is `None` until it is first needed.
    pub(crate) turns: TurnQueue<Option<History>>,
    settings: Mutex<Settings>,
    /// Held while settings change, until the change is on disk and the client has been notified.
    changing: tokio::sync::Mutex<()>,
    pub(crate) permissions: SessionPermissions,
    /// Notices for a client that does not show notices; sent as messages when the next turn begins.
    queued_messages: Mutex<Vec<String>>,
    closing: watch::Sender<bool>,
    /// Whether the response that opens the session was sent. No update may come before it.
    opened_signal: watch::Sender<bool>,
}

impl Session {
    pub(crate) fn new(parts: SessionParts) -> Session {
        let permissions = parts.agent.permissions.clone();
        let cwd = parts.place.roots().cwd();
        let permissions = SessionPermissions::new(permissions, parts.client.id(), cwd);
        let history = parts.journal_state.map(|journal_state| {
            for decision in journal_state.decisions {
                permissions.restore(decision);
            }
            journal_state.history
        });
        Session {
            agent: parts.agent,
            client: parts.client,
            journal: parts.journal,
            place: parts.place,
            servers: parts.servers,
            turns: TurnQueue::new(history, MAX_WAITING_TURNS),
            settings: Mutex::new(parts.settings),
            changing: tokio::sync::Mutex::default(),
            permissions,
            queued_messages: Mutex::default(),
            closing: watch::Sender::new(false),
            opened_signal: watch::Sender::new(false),
        }
    }

    pub(crate) fn id(&self) -> &v1::SessionId {
        self.client.id()
    }

    pub(crate) fn roots(&self) -> &Roots {
        self.place.roots()
    }

    pub(crate) fn cwd(&self) -> &Path {
        self.roots().cwd()
    }

    pub(crate) fn settings(&self) -> Settings {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model that answers.
    pub(crate) fn model(&self) -> Result<Arc<dyn Model>, Failure> {
        let id = self.lock().model.clone();
        Ok(self.agent.models.open(&id)?)
    }

    /// Sends an update to the client and stores it.
    pub(crate) async fn show(&self, update: impl Into<v1::SessionUpdate>) -> Result<(), Failure> {
        let update = Raw::of(&update.into());
        self.journal
            .append(entry_kinds::UPDATE, update.as_str().to_owned())
            .await?;
        Ok(self.client.update_raw(&update).await?)
    }

    /// Sends an update that would be meaningless in a replay, and stores another one instead.
    pub(crate) async fn show_transient(
        &self,
        shown: impl Into<v1::SessionUpdate>,
        kept: impl Into<v1::SessionUpdate>,
    ) -> Result<(), Failure> {
        let kept = Raw::of(&kept.into()).as_str().to_owned();
        self.journal.append(entry_kinds::UPDATE, kept).await?;
        Ok(self.send_update(shown).await?)
    }

    /// Sends an update to the client without storing it.
    pub(crate) async fn send_update(
        &self,
        update: impl Into<v1::SessionUpdate>,
    ) -> Result<(), CallError> {
        self.client.update(update).await
    }

    /// Sends a message of the agent itself, not of the model.
    pub(crate) async fn send_message(&self, text: impl Into<String>) -> Result<(), Failure> {
        let chunk = v1::ContentChunk::new(text.into()).message_id(ids::fresh("msg_"));
        self.show(v1::SessionUpdate::AgentMessageChunk(chunk)).await
    }

    /// The conversation, read from the journal when it is first needed.
    pub(crate) async fn history<'a>(
        &self,
        held: &'a mut Option<History>,
    ) -> Result<&'a mut History, Failure> {
        let history = match held.take() {
            Some(history) => history,
            None => {
                let journal_state = recovery::read(&self.journal).await?;
                for decision in journal_state.decisions {
                    self.permissions.restore(decision);
                }
                journal_state.history
            }
        };
        Ok(held.insert(history))
    }

    /// Adds a message to the conversation, in the journal and in memory.
    pub(crate) async fn add_message(
        &self,
        history: &mut History,
        message: Message,
    ) -> Result<(), Failure> {
        let kept = serde_json::to_vec(&message).unwrap_or_default();
        self.journal.append(entry_kinds::MESSAGE, kept).await?;
        history.push(message);
        Ok(())
    }

    /// Sends a notice. A client that does not show notices gets it as a message in the next turn.
    pub(crate) async fn notice(
        &self,
        severity: v1::NoticeSeverity,
        title: String,
        description: String,
    ) {
        if self.shows_notices() {
            self.transient_notice(severity, title, description).await;
        } else {
            self.queue_message(format!("{title}: {description}"));
        }
    }

    /// Sends a notice about something temporary, only to clients that show notices.
    pub(crate) async fn transient_notice(
        &self,
        severity: v1::NoticeSeverity,
        title: String,
        description: String,
    ) {
        if self.shows_notices() {
            let notice = v1::Notice::new(severity, title).description(description);
            // A closed connection needs no notice.
            drop(self.send_update(notice).await);
        }
    }

    fn shows_notices(&self) -> bool {
        has_session_capability(self.client.client(), |session| session.notices.is_some())
    }

    /// Queues a message for the beginning of the next turn.
    pub(crate) fn queue_message(&self, text: String) {
        let mut queued_messages = self
            .queued_messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if queued_messages.len() < MAX_QUEUED_MESSAGES {
            queued_messages.push(text);
        }
    }

    pub(crate) fn take_queued_messages(&self) -> Vec<String> {
        let mut queued_messages = self
            .queued_messages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut queued_messages)
    }

    /// The current slash commands.
    pub(crate) fn commands(&self) -> Vec<v1::AvailableCommand> {
        commands::list(self.servers.prompts())
    }

    pub(crate) async fn announce_commands(&self) {
        let commands = v1::AvailableCommandsUpdate::new(self.commands());
        drop(self.send_update(commands).await);
    }

    /// Changes and stores the settings, and notifies the client of a new mode and of changed options. Runs to completion
    /// even if the caller stops waiting.
    pub(crate) async fn change(
        self: &Arc<Self>,
        change: impl FnOnce(&mut Settings) + Send + 'static,
    ) -> Result<(), Failure> {
        let session = Arc::clone(self);
        let changed = tokio::spawn(async move { session.apply_change(change).await });
        changed.await.unwrap_or(Err(Failure::Cancelled))
    }

    async fn apply_change(&self, change: impl FnOnce(&mut Settings)) -> Result<(), Failure> {
        let _alone = self.changing.lock().await;
        let (before, after) = {
            let mut settings = self.lock();
            let before = settings.clone();
            change(&mut settings);
            (before, settings.clone())
        };
        if before == after {
            return Ok(());
        }
        let kept = serde_json::to_value(&after).unwrap_or_default();
        if let Err(fault) = self.journal.set_settings(&kept).await {
            *self.lock() = before;
            return Err(fault.into());
        }
        if before.mode != after.mode {
            self.send_update(v1::CurrentModeUpdate::new(after.mode.id()))
                .await?;
        }
        if (before.mode, &before.model, before.thought) != (after.mode, &after.model, after.thought)
        {
            self.announce_options().await?;
        }
        Ok(())
    }

    pub(crate) async fn announce_options(&self) -> Result<(), CallError> {
        let options = self.options();
        self.send_update(v1::ConfigOptionUpdate::new(options)).await
    }

    pub(crate) fn options(&self) -> Vec<v1::SessionConfigOption> {
        settings::options(&self.lock(), &self.agent.models.infos())
    }

    pub(crate) fn modes(&self) -> v1::SessionModeState {
        self.lock().mode.state()
    }

    /// `session/set_config_option`
    pub(crate) async fn choose(
        self: &Arc<Self>,
        request: &v1::SetSessionConfigOptionRequest,
    ) -> Result<(), Error> {
        let v1::SessionConfigOptionValue::ValueId(value) = &request.value else {
            return Err(error::unusable_params("the option's value must be an id"));
        };
        let value = value.as_str();
        match request.config_id.as_str() {
            settings::MODE => self.set_mode(value).await,
            settings::MODEL => {
                let infos = self.agent.models.infos();
                if !infos.iter().any(|info| info.id == value) {
                    return Err(error::unusable_params("unknown model"));
                }
                self.agent.models.open(value).map_err(Failure::from)?;
                let model = value.to_owned();
                Ok(self.change(move |settings| settings.model = model).await?)
            }
            settings::THOUGHT => {
                let level = settings::level(value).filter(|level| {
                    self.model_info()
                        .is_some_and(|info| info.thoughts.contains(level))
                });
                let Some(level) = level else {
                    return Err(error::unusable_params(
                        "the model does not have this thinking level",
                    ));
                };
                Ok(self
                    .change(move |settings| settings.thought = level)
                    .await?)
            }
            _ => Err(error::unusable_params("unknown config option")),
        }
    }

    /// `session/set_mode`
    pub(crate) async fn set_mode(self: &Arc<Self>, id: &str) -> Result<(), Error> {
        let Some(mode) = Mode::find(id) else {
            return Err(error::unusable_params("unknown mode"));
        };
        Ok(self.change(move |settings| settings.mode = mode).await?)
    }

    pub(crate) fn model_info(&self) -> Option<ModelInfo> {
        let model = self.lock().model.clone();
        let mut infos = self.agent.models.infos().into_iter();
        infos.find(|info| info.id == model)
    }

    /// Sends a usage update: the tokens in the model's window and the cost of the session.
    pub(crate) async fn send_usage(&self, info: &ModelInfo) -> Result<(), CallError> {
        let settings = self.settings();
        let mut update = v1::UsageUpdate::new(settings.used, info.window);
        update.cost = settings.cost.map(|amount| v1::Cost::new(amount, "USD"));
        self.send_update(update).await
    }

    /// Marks the session as known to the client.
    pub(crate) fn mark_opened(&self) {
        self.opened_signal.send_replace(true);
    }

    /// Waits until the client knows the session.
    pub(crate) async fn wait_until_opened(&self) {
        let mut opened_signal = self.opened_signal.subscribe();
        // The sender lives as long as we do.
        drop(opened_signal.wait_for(|opened_signal| *opened_signal).await);
    }

    /// Waits until the session is being closed.
    pub(crate) async fn wait_until_closing(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives as long as we do.
        drop(closing.wait_for(|closing| *closing).await);
    }

    /// Ends the running turn and the queued ones, then everything that the session has started.
    pub(crate) async fn close(&self) {
        self.closing.send_replace(true);
        let mut ticket = self.turns.enter_anyway();
        ticket.turn().await;
        self.place.close().await;
        self.servers.close().await;
        drop(ticket);
        self.permissions.end();
        // Callers that waited for a write have already got its error.
        drop(self.journal.close().await);
    }
}

/// The parts that a session is built from.
pub(crate) struct SessionParts {
    pub(crate) agent: Arc<Agent>,
    pub(crate) client: ClientSession,
    pub(crate) journal: Journal,
    pub(crate) place: Workplace,
    pub(crate) servers: Servers,
    /// The state read from the journal, if it has been read.
    pub(crate) journal_state: Option<JournalState>,
    pub(crate) settings: Settings,
}

/// Whether the client has a session capability.
pub(crate) fn has_session_capability(
    client: &ClientHandle,
    what: impl FnOnce(&v1::ClientSessionCapabilities) -> bool,
) -> bool {
    let capabilities = client.capabilities();
    let session = capabilities
        .as_ref()
        .and_then(|client| client.session.as_ref());
    session.is_some_and(what)
}

const MAX_WAITING_TURNS: usize = 32;
const MAX_QUEUED_MESSAGES: usize = 16;
