//! A session on the screen.

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

/// A session on the screen.
#[derive(Debug)]
pub(crate) struct Tab {
    /// Names the tab for as long as it is there.
    pub(crate) number: u64,
    pub(crate) opening: OpenRequest,
    pub(crate) state: TabStatus,
    pub(crate) transcript: Transcript,
    pub(crate) view: TranscriptView,
    pub(crate) composer: Composer,
    pub(crate) modes: Option<v1::SessionModeState>,
    pub(crate) options: Vec<v1::SessionConfigOption>,
    /// What waits for its turn, as the conversation tells it.
    pub(crate) queued_prompts: Vec<Vec<v1::ContentBlock>>,
    /// What was said before the session was there.
    pub(crate) unsent_prompts: Vec<Vec<v1::ContentBlock>>,
    pub(crate) turn: Option<RunningTurn>,
    pub(crate) activity: Activity,
    pub(crate) plan: PlanView,
    /// A plan that was done when the turn began, and is folded away.
    pub(crate) done_plan: Option<v1::Plan>,
    /// Whether thoughts and tool calls are all unfolded.
    pub(crate) unfolds: bool,
    /// Why the last turn has ended, and what it took in words; nothing of one that has failed.
    pub(crate) last_turn: Option<(v1::StopReason, String)>,
    /// What it showed, until its history has been told again.
    backup: Option<(Transcript, TranscriptView)>,
}

/// How far a session has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TabStatus {
    /// It was asked for.
    Opening,
    /// It is there.
    Open(v1::SessionId),
    /// The agent wants a login first.
    Unauthenticated,
    /// It is not there, and why.
    Failed(String),
}

/// The turn that runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunningTurn {
    pub(crate) started: Instant,
    pub(crate) status: TurnStatus,
}

/// Whether a turn was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnStatus {
    Running,
    Cancelling,
}

/// Whether something happened while nobody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Read,
    Unread,
}

/// How much of the plan is shown.
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

    /// Folds the plan away if all of it is done.
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

    /// What it is called: the agent's title, else how its first prompt begins.
    pub(crate) fn title(&self) -> String {
        if let Some(title) = self.transcript.title().filter(|title| !title.is_empty()) {
            return text::line(title);
        }
        let beginning = self.transcript.entries().take(BEGINNING);
        let mut messages = beginning.filter_map(|entry| entry.message());
        let first = messages.find(|message| message.kind == MessageKind::User);
        let first = first.map(|message| text::line(message.text().trim()));
        match first.filter(|first| !first.is_empty()) {
            Some(first) => first,
            None => "new session".to_owned(),
        }
    }

    /// The session is there.
    pub(crate) fn session_opened(&mut self, opened: &OpenedSession) {
        self.state = TabStatus::Open(opened.session.clone());
        self.backup = None;
        self.modes.clone_from(&opened.modes);
        if !opened.options.is_empty() {
            self.options.clone_from(&opened.options);
        }
    }

    /// The agent that knew the session is no more: it is to be taken up again.
    pub(crate) fn suspend(&mut self) {
        self.turn = None;
        if let TabStatus::Open(session) = &self.state {
            self.opening.start = SessionStart::Resume(session.clone());
            self.state = TabStatus::Opening;
        }
    }

    /// Clears the screen for a history that is told again.
    pub(crate) fn back_up_transcript(&mut self) {
        let appearance = self.view.appearance().clone();
        let shown = std::mem::take(&mut self.transcript);
        let view = std::mem::replace(&mut self.view, TranscriptView::new(appearance));
        self.backup.get_or_insert((shown, view));
    }

    /// Shows again what was set aside, if the history was not told.
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

/// How many entries are looked at for a title.
const BEGINNING: usize = 20;
