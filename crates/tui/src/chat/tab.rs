//! A tab: one session on the screen.

use std::path::Path;
use std::time::Instant;

use attache::Transcript;
use attache::transcript::{Change, MessageKind, StatePart};
use attache::v1;
use attache_client::command::{OpenRequest, SessionStart};
use attache_client::event::OpenedSession;

use super::composer::Composer;
use super::text;
use crate::paint::{Appearance, Remark, Theme, Tone, TranscriptView};

/// A tab: one session on the screen.
#[derive(Debug)]
pub(crate) struct Tab {
    /// Identifies the tab as long as it exists.
    pub(crate) number: u64,
    pub(crate) opening: OpenRequest,
    pub(crate) state: TabStatus,
    pub(crate) transcript: Transcript,
    pub(crate) view: TranscriptView,
    pub(crate) composer: Composer,
    pub(crate) modes: Option<v1::SessionModeState>,
    pub(crate) options: Vec<v1::SessionConfigOption>,
    /// The queued prompts, as reported by the conversation.
    pub(crate) queued_prompts: Vec<Vec<v1::ContentBlock>>,
    /// Prompts sent before the session was open.
    pub(crate) unsent_prompts: Vec<Vec<v1::ContentBlock>>,
    pub(crate) turn: Option<RunningTurn>,
    pub(crate) activity: Activity,
    pub(crate) plan: PlanView,
    /// A plan that was already complete when the turn began; it is folded away.
    pub(crate) done_plan: Option<v1::Plan>,
    /// Whether thoughts and tool calls are all unfolded.
    pub(crate) unfolds: bool,
    /// The stop reason of the last turn and its time and tokens in words; `None` if it failed.
    pub(crate) last_turn: Option<(v1::StopReason, String)>,
    /// The previous transcript, kept until the history has been replayed.
    backup: Option<(Transcript, TranscriptView)>,
}

/// The state of the tab's session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TabStatus {
    /// The session was requested.
    Opening,
    /// The session is open.
    Open(v1::SessionId),
    /// The agent requires a login first.
    Unauthenticated,
    /// The session could not be opened, and why.
    Failed(String),
}

/// The running turn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunningTurn {
    pub(crate) started: Instant,
    pub(crate) status: TurnStatus,
}

/// Whether the turn is being cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnStatus {
    Running,
    Cancelling,
}

/// Whether something happened while another tab was active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Read,
    Unread,
}

/// How much of the plan to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanView {
    Summary,
    List,
    Hidden,
}

impl Tab {
    pub(crate) fn new(number: u64, opening: OpenRequest, theme: Theme) -> Tab {
        let appearance = Appearance::new(theme, opening.cwd.clone());
        Tab {
            number,
            opening,
            state: TabStatus::Opening,
            transcript: Transcript::new(),
            view: TranscriptView::new(appearance),
            composer: Composer::default(),
            modes: None,
            options: Vec::new(),
            queued_prompts: Vec::new(),
            unsent_prompts: Vec::new(),
            turn: None,
            activity: Activity::Read,
            plan: PlanView::Summary,
            done_plan: None,
            unfolds: false,
            last_turn: None,
            backup: None,
        }
    }

    pub(crate) fn session(&self) -> Option<&v1::SessionId> {
        match &self.state {
            TabStatus::Open(session) => Some(session),
            TabStatus::Opening | TabStatus::Unauthenticated | TabStatus::Failed(_) => None,
        }
    }

    /// Folds the plan away if it is complete.
    pub(crate) fn fold_plan(&mut self) {
        let is_done = |plan: &&v1::Plan| {
            let mut entries = plan.entries.iter();
            entries.all(|entry| entry.status == v1::PlanEntryStatus::Completed)
        };
        self.done_plan = self.transcript.plan().filter(is_done).cloned();
    }

    /// The plan, unless it is folded away.
    pub(crate) fn plan(&self) -> Option<&v1::Plan> {
        let plan = self.transcript.plan();
        plan.filter(|plan| self.done_plan.as_ref() != Some(plan))
    }

    pub(crate) fn cwd(&self) -> &Path {
        &self.opening.cwd
    }

    /// The title of the session: the agent's, or the beginning of the first prompt.
    pub(crate) fn title(&self) -> String {
        if let Some(title) = self.transcript.title().filter(|title| !title.is_empty()) {
            return text::safe_line(title);
        }
        let beginning = self.transcript.entries().take(BEGINNING);
        let mut messages = beginning.filter_map(|entry| entry.message());
        let first = messages.find(|message| message.kind == MessageKind::User);
        let first = first.map(|message| text::safe_line(message.text().trim()));
        match first.filter(|first| !first.is_empty()) {
            Some(first) => first,
            None => "new session".to_owned(),
        }
    }

    /// Records that the session is open.
    pub(crate) fn session_opened(&mut self, opened: &OpenedSession) {
        self.state = TabStatus::Open(opened.session.clone());
        self.backup = None;
        self.modes.clone_from(&opened.modes);
        if !opened.options.is_empty() {
            self.options.clone_from(&opened.options);
        }
    }

    /// Prepares the tab to resume its session after the agent has exited.
    pub(crate) fn suspend(&mut self) {
        self.turn = None;
        if let TabStatus::Open(session) = &self.state {
            self.opening.start = SessionStart::Resume(session.clone());
            self.state = TabStatus::Opening;
        }
    }

    /// Sets the transcript aside while the agent replays its history.
    pub(crate) fn back_up_transcript(&mut self) {
        let appearance = self.view.appearance().clone();
        let shown = std::mem::take(&mut self.transcript);
        let view = std::mem::replace(&mut self.view, TranscriptView::new(appearance));
        self.backup.get_or_insert((shown, view));
    }

    /// Restores the transcript if the history was not replayed.
    pub(crate) fn restore_transcript(&mut self) {
        if let Some((transcript, view)) = self.backup.take() {
            self.transcript = transcript;
            self.view = view;
        }
    }

    pub(crate) fn apply(&mut self, update: v1::SessionUpdate, now: Instant) {
        let change = self.transcript.apply(update);
        self.changed(&change, now);
    }

    pub(crate) fn changed(&mut self, change: &Change, now: Instant) {
        match change {
            Change::State(StatePart::Mode) => {
                if let (Some(modes), Some(mode)) = (&mut self.modes, self.transcript.mode()) {
                    modes.current_mode_id = mode.clone();
                }
            }
            Change::State(StatePart::Config) => self.options = self.transcript.config().to_vec(),
            Change::State(
                StatePart::Plan
                | StatePart::Plans
                | StatePart::Commands
                | StatePart::Info
                | StatePart::Usage,
            )
            | Change::Nothing
            | Change::Added(_)
            | Change::Appended { .. }
            | Change::Changed(_) => {}
            // What has changed is unknown, so all of it is taken over.
            _ => {
                self.options = self.transcript.config().to_vec();
            }
        }
        self.view.changed(&self.transcript, change, now);
    }

    pub(crate) fn remark(&mut self, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        self.view.remark(&self.transcript, Remark { tone, text });
    }

    /// The option of a category, if the session has one.
    pub(crate) fn option_of(
        &self,
        category: &v1::SessionConfigOptionCategory,
    ) -> Option<&v1::SessionConfigOption> {
        let mut options = self.options.iter();
        options.find(|option| option.category.as_ref() == Some(category))
    }
}

/// The number of entries searched for a title.
const BEGINNING: usize = 20;
