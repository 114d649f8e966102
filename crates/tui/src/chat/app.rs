//! The state of the screen. It has no clock and does no I/O: each input carries the time, and effects are returned.

mod actions;
mod events;
mod keys;
mod pickers;
mod prompts;
mod requests;
mod sessions;
mod transcript_keys;

use std::path::PathBuf;
use std::time::{Duration, Instant};

pub(super) use events::content_line;
pub(super) use pickers::current_value_name;
pub(super) use requests::RequestPanel;
pub(super) use sessions::login_choices;

use attache::v1;
use attache_client::command::{Command, OpenRequest};
use attache_client::session_setting::SessionSetting;
use attache_host::permissions::{Expiry, Preset};
use ratatui::layout::Rect;

use super::composer::PromptHistory;
use super::editor::Editor;
use super::effect::{Effect, ExportFormat, Input, MouseCapture, SaveError, Steering};
use super::help::Help;
use super::paste_detector::PasteDetector;
use super::picker::Picker;
use super::request_queue::RequestQueue;
use super::search::SearchDialog;
use super::tab::Tab;
use crate::paint::{Theme, Tone};

/// The settings that the screen starts with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The agent's name in the user's configuration.
    pub agent: String,
    /// The first session. Later sessions use the same directories and MCP servers.
    pub opening: OpenRequest,
    /// Which session to open first.
    pub start: FirstSession,
    /// Colours and signs.
    pub theme: Theme,
    /// The settings to apply to new sessions.
    pub session_settings: Vec<SessionSetting>,
    /// What to do with permission requests that no rule decides. The status line shows every preset except `Ask`.
    pub preset: Preset,
    /// How long a remembered answer lasts outside its session, unless the user chooses another time.
    pub expiry: Expiry,
}

/// Which session to open first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstSession {
    /// The session that `opening` names.
    AsRequested,
    /// The most recently used session of the directory, or a new one if there is none.
    Latest,
}

/// The whole screen as a value.
///
/// [`handle`](Self::handle) processes an input, [`draw`](Self::draw) shows the result.
#[derive(Debug)]
pub struct App {
    pub(super) settings: Settings,
    pub(super) agent: Option<Box<v1::InitializeResponse>>,
    pub(super) steering: Steering,
    pub(super) tabs: Vec<Tab>,
    pub(super) active: usize,
    next_tab: u64,
    pub(super) requests: RequestQueue,
    paste_detector: PasteDetector,
    /// The rectangle of the request on the screen.
    pub(super) request_area: Option<Rect>,
    /// The most recent decision that you can undo.
    undoable: Option<requests::UndoableDecision>,
    pub(super) dialog: Option<Dialog>,
    pub(super) focus: Focus,
    history: PromptHistory,
    files: Vec<String>,
    files_at: Option<Instant>,
    pub(super) toast: Option<Toast>,
    /// When the user last closed or left something. An Esc that follows quickly may still be meant for that.
    left_at: Option<Instant>,
    /// When a request closed the completion list. An Enter that follows quickly may still be meant for the list.
    list_closed_at: Option<Instant>,
    quit_by: Option<Instant>,
    close_by: Option<Instant>,
    pub(super) mouse: MouseCapture,
    pub(super) agent_status: AgentStatus,
    latest: LatestSession,
    /// The agent's message from its last login request, until the login dialog shows it.
    login_message: Option<String>,
    pub(super) size: (u16, u16),
    effects: Vec<Effect>,
}

/// A dialog that the user opened.
#[derive(Debug)]
pub(super) enum Dialog {
    Picker(Picker),
    Help(Help),
    Search(SearchDialog),
    /// The dialog that asks for the file to export to.
    Export(ExportDialog),
}

/// The dialog that exports the transcript to a file.
#[derive(Debug)]
pub(super) struct ExportDialog {
    pub(super) name: Editor,
    pub(super) format: ExportFormat,
    /// A file with this name that already exists.
    pub(super) existing: Option<PathBuf>,
}

/// What has the keyboard focus when no dialog is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Focus {
    Composer,
    Transcript,
}

/// The state of the agent process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentStatus {
    Starting,
    Running,
    Exited,
    /// The agent is being restarted.
    Restarting,
}

/// Whether the search for the most recent session is still running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LatestSession {
    Resolved,
    Pending,
}

/// A short message in the status line.
#[derive(Debug, Clone)]
pub(super) struct Toast {
    pub(super) text: String,
    pub(super) tone: Tone,
    pub(super) until: Instant,
    pub(super) undo: UndoOffer,
    pub(super) ends: ToastEnd,
}

/// What removes a toast before its time is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToastEnd {
    Timeout,
    /// Closing the dialog that covers a request.
    DialogClosed,
    /// The next key press: the message is about the previous one.
    NextKey,
}

/// Whether a toast reports a decision that you can undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UndoOffer {
    None,
    Always,
    /// Only if the agent has not acted on it yet.
    IfUnused,
}

impl App {
    /// Creates the screen with its first tab. The session is requested once the agent is ready.
    pub fn new(settings: Settings) -> App {
        let first = Tab::new(0, settings.opening.clone(), settings.theme);
        App {
            settings,
            agent: None,
            steering: Steering::Unsupported,
            tabs: vec![first],
            active: 0,
            next_tab: 1,
            requests: RequestQueue::default(),
            paste_detector: PasteDetector::default(),
            request_area: None,
            undoable: None,
            dialog: None,
            focus: Focus::Composer,
            history: PromptHistory::default(),
            files: Vec::new(),
            files_at: None,
            toast: None,
            left_at: None,
            list_closed_at: None,
            quit_by: None,
            close_by: None,
            mouse: MouseCapture::On,
            agent_status: AgentStatus::Starting,
            latest: LatestSession::Resolved,
            login_message: None,
            size: (80, 24),
            effects: Vec::new(),
        }
    }

    /// Processes an input and returns the effects to perform.
    pub fn handle(&mut self, input: Input, now: Instant) -> Vec<Effect> {
        let had_dialog = self.dialog.is_some();
        match input {
            Input::Key(key) => self.key(&key, now),
            Input::Paste(text) => self.paste(&text, now),
            Input::Click(column, row) => self.click(column, row, now),
            Input::Wheel(column, row, lines) => self.wheel(column, row, lines),
            Input::Resize(columns, rows) => self.size = (columns, rows),
            Input::Event(event) => self.event(*event, now),
            Input::Steering(steering) => self.steering = steering,
            Input::FilesFound(files) => self.files_found(files),
            Input::AttachmentsLoaded {
                tab,
                mode,
                prompt,
                content,
            } => self.attachments_loaded(tab, mode, &prompt, content, now),
            Input::Saved(Ok(path)) => {
                self.dialog
                    .take_if(|dialog| matches!(dialog, Dialog::Export(_)));
                let path = super::text::safe_line(&path.to_string_lossy());
                self.toast(Tone::Good, format!("written to {path}"), now);
            }
            Input::Saved(Err(SaveError::Exists(path))) => self.confirm_overwrite(path),
            Input::Saved(Err(SaveError::Failed(why))) => self.toast(Tone::Bad, why, now),
            Input::LoginDescribed(command) => self.login_described(*command, now),
            Input::LoginEnded(Ok(())) => self.restart(),
            Input::LoginEnded(Err(why)) => self.toast(Tone::Bad, why, now),
            Input::Tick => {}
        }
        if had_dialog && self.dialog.is_none() {
            self.left_at = Some(now);
            self.end_toast(ToastEnd::DialogClosed);
        }
        self.finish_input(now);
        std::mem::take(&mut self.effects)
    }

    /// When the screen next changes without any input.
    pub fn next_change(&self, now: Instant) -> Option<Instant> {
        let soon = (!self.tab().view.is_settled()).then(|| now + SOON);
        let second = self.tab().turn.map(|turn| {
            let running = now.saturating_duration_since(turn.started);
            turn.started + Duration::from_secs(running.as_secs() + 1)
        });
        let toast = self.toast.as_ref().map(|toast| toast.until);
        [soon, second, toast].into_iter().flatten().min()
    }

    /// Updates everything that depends on the time and on the open tab, request and dialog.
    fn finish_input(&mut self, now: Instant) {
        if self.toast.as_ref().is_some_and(|toast| toast.until <= now) {
            self.toast = None;
        }
        let session = self.tab().session().cloned();
        self.requests.set_current(session.as_ref(), now);
        // A request covers the completion list, and hidden lists must not react to keys.
        if self.requests.first(session.as_ref()).is_some()
            && self.tab_mut().composer.completion.take().is_some()
        {
            self.list_closed_at = Some(now);
        }
        if self.dialog.is_some() {
            self.requests.leave();
        }
        for tab in &mut self.tabs {
            let session = tab.session().cloned();
            match session.is_some_and(|session| self.requests.has_request_of(&session)) {
                true => tab.view.pause(now),
                false => tab.view.resume(now),
            }
        }
        self.tab_mut().activity = super::tab::Activity::Read;
    }

    pub(super) fn tab(&self) -> &Tab {
        // There is always a tab, and `active` is the index of one of them: see `close_tab`.
        &self.tabs[self.active]
    }

    pub(super) fn tab_mut(&mut self) -> &mut Tab {
        &mut self.tabs[self.active]
    }

    /// The agent's capabilities; all off before `initialize` is answered.
    pub(super) fn capabilities(&self) -> v1::AgentCapabilities {
        let agent = self.agent.as_ref();
        agent.map_or_else(v1::AgentCapabilities::new, |agent| {
            agent.agent_capabilities.clone()
        })
    }

    pub(super) fn request_has_keys(&self) -> bool {
        self.requests.has_keys()
    }

    fn submit(&mut self, command: Command) {
        self.effects.push(Effect::Submit(command));
    }

    fn toast(&mut self, tone: Tone, text: impl Into<String>, now: Instant) {
        let text = super::text::safe_line(&text.into());
        self.toast = Some(Toast {
            text,
            tone,
            until: now + TOAST,
            undo: UndoOffer::None,
            ends: ToastEnd::Timeout,
        });
    }

    /// Shows a message about a key that did nothing, until the next key.
    fn passing_toast(&mut self, text: &str, now: Instant) {
        self.toast(Tone::Warning, text, now);
        if let Some(toast) = &mut self.toast {
            toast.ends = ToastEnd::NextKey;
        }
    }

    fn end_toast(&mut self, ends: ToastEnd) {
        self.toast.take_if(|toast| toast.ends == ends);
    }

    /// Shows a message about a decision that you can undo. The message stays longer than others.
    fn undoable_toast(
        &mut self,
        tone: Tone,
        text: impl Into<String>,
        undo: UndoOffer,
        now: Instant,
    ) {
        self.toast(tone, text, now);
        if let Some(toast) = &mut self.toast {
            toast.until = now + UNDOABLE_TOAST;
            toast.undo = undo;
        }
    }
}

const TOAST: Duration = Duration::from_secs(5);
const UNDOABLE_TOAST: Duration = Duration::from_secs(15);
const SOON: Duration = Duration::from_millis(40);
