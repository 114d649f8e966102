//! The permission dialog: the action in our own words, the agent's description as a quotation, and the answers.
//!
//! No single key answers. The user moves into the dialog, selects an answer with the arrow keys and picks it with
//! Enter; an answer that is remembered needs another Enter. Nothing can be allowed that the screen has not shown: see
//! [`Fit`].

mod changes;
mod choices;
mod confirmation;
mod draw;
mod facts;
mod file_moves;
mod page;
mod row_coverage;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use attache_client::command::PermissionAnswer;
use attache_client::event::PermissionPrompt;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use attache_host::permissions::{Expiry, Scope, option_allows};

use super::request_queue::GRACE_PERIOD;
use crate::paint::Scroll;
use changes::Changes;
use choices::PermissionChoice;
pub(crate) use confirmation::expiry_phrase;
pub(crate) use page::{DrawnPage, Fit, PermissionPage};
use row_coverage::RowCoverage;

/// A permission request that waits for the user's answer.
#[derive(Debug, Clone)]
pub(crate) struct PermissionDialog {
    pub(crate) prompt: PermissionPrompt,
    choices: Vec<PermissionChoice>,
    selected: Option<usize>,
    step: DialogStep,
    /// When the second step was opened, whose Enter must not be the end of a double or held one.
    confirming_since: Option<Instant>,
    detail_level: DetailLevel,
    /// The first visible row of the scrolled part.
    top: usize,
    /// The choices for how long to remember an answer; the first one is current.
    expiries: Vec<Expiry>,
    /// The rows of the scrolled part that have been on the screen so far.
    coverage: RowCoverage,
    /// The most recent layout of the changes.
    changes: RefCell<Option<Arc<Changes>>>,
    /// What the last drawing showed, if the dialog is on the screen.
    drawn: Option<DrawnPage>,
}

/// The step of the dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialogStep {
    /// The user selects an answer.
    Choosing,
    /// The user confirms this answer, because it will be remembered.
    Confirming(usize),
}

/// Who remembers the selected answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rememberer {
    /// Attaché, or nobody.
    AttacheOrNobody,
    /// The agent, by its own rules.
    Agent,
}

/// How much of the request to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DetailLevel {
    Summary,
    Full,
}

/// The effect of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PermissionOutcome {
    /// The dialog is still open.
    Open,
    /// The user goes back to the composer. The request stays open.
    Back,
    /// The request is answered.
    Answered(PermissionAnswer, Expiry),
    /// The key would have allowed something; says why it does not.
    Refused(Cow<'static, str>),
}

impl PermissionDialog {
    pub(crate) fn new(prompt: PermissionPrompt, expiry: Expiry) -> PermissionDialog {
        PermissionDialog {
            choices: choices::list(&prompt),
            prompt,
            selected: None,
            step: DialogStep::Choosing,
            confirming_since: None,
            detail_level: DetailLevel::Summary,
            top: 0,
            expiries: expiries(expiry),
            coverage: RowCoverage::default(),
            changes: RefCell::default(),
            drawn: None,
        }
    }

    /// How long an answer given now would be remembered.
    pub(crate) fn expiry(&self) -> Expiry {
        self.expiries.first().copied().unwrap_or_default()
    }

    /// Who remembers the selected answer.
    pub(crate) fn rememberer(&self) -> Rememberer {
        let choice = self.selected.and_then(|at| self.choices.get(at));
        match choice {
            Some(choice) if choice.lasts() && choice.scope().is_none() => Rememberer::Agent,
            _ => Rememberer::AttacheOrNobody,
        }
    }

    /// Whether an outcome allows the request.
    pub(crate) fn grants(&self, pressed: &PermissionOutcome) -> bool {
        match pressed {
            PermissionOutcome::Answered(PermissionAnswer::Choose { option, .. }, _) => {
                option_allows(&self.prompt.options, option) == Some(true)
            }
            _ => false,
        }
    }

    /// Whether the user is in the second step.
    #[cfg(test)]
    pub(crate) fn is_confirming(&self) -> bool {
        matches!(self.step, DialogStep::Confirming(_))
    }

    /// Records what the screen shows.
    pub(crate) fn set_drawn(&mut self, drawn: DrawnPage) {
        self.top = drawn.top;
        self.coverage = drawn.coverage.clone();
        self.drawn = Some(drawn);
    }

    /// Records that the dialog is not on the screen.
    pub(crate) fn hide(&mut self) {
        self.drawn = None;
    }

    /// Handles a key. `size` is the current size of the screen.
    pub(crate) fn key(
        &mut self,
        key: &KeyEvent,
        size: (u16, u16),
        now: Instant,
    ) -> PermissionOutcome {
        match key.modifiers - KeyModifiers::SHIFT {
            KeyModifiers::NONE => {}
            KeyModifiers::ALT => return self.alt_key(key),
            _ => return PermissionOutcome::Open,
        }
        match (key.code, self.step) {
            (KeyCode::Enter, DialogStep::Choosing) => return self.pick(size, now),
            (KeyCode::Enter, DialogStep::Confirming(_)) if !self.can_confirm(now) => {
                return PermissionOutcome::Refused(TOO_SOON.into());
            }
            (KeyCode::Enter, DialogStep::Confirming(choice)) => return self.confirm(choice, size),
            (KeyCode::Esc, DialogStep::Confirming(_)) => self.set_step(DialogStep::Choosing),
            (KeyCode::Esc | KeyCode::Tab, _) => return PermissionOutcome::Back,
            (KeyCode::Right, DialogStep::Confirming(choice)) if self.has_expiry_choice(choice) => {
                self.expiries.rotate_left(1);
            }
            (KeyCode::Left, DialogStep::Confirming(choice)) if self.has_expiry_choice(choice) => {
                self.expiries.rotate_right(1);
            }
            (KeyCode::Down, DialogStep::Choosing) => self.select_next(),
            (KeyCode::Up, DialogStep::Choosing) => self.select_previous(),
            (KeyCode::PageDown, _) => self.scroll(Scroll::Pages(1)),
            (KeyCode::PageUp, _) => self.scroll(Scroll::Pages(-1)),
            (KeyCode::Home, _) => self.scroll(Scroll::Top),
            (KeyCode::End, _) => self.scroll(Scroll::Bottom),
            _ => {}
        }
        PermissionOutcome::Open
    }

    /// Scrolls. Between two drawings, pages and lines move by at most one page, so that no row is skipped. Rows that a
    /// jump skips don't count as read.
    pub(crate) fn scroll(&mut self, scroll: Scroll) {
        let Some(drawn) = &self.drawn else {
            return;
        };
        let page = drawn.body_rows.saturating_sub(1).max(1);
        let by = |count: i32, rows: usize| {
            let rows = i32::try_from(rows).unwrap_or(i32::MAX);
            isize::try_from(count.saturating_mul(rows)).unwrap_or(0)
        };
        let reach = page.max(self.top.abs_diff(drawn.top));
        let (least, most) = (drawn.top.saturating_sub(reach), drawn.top + reach);
        let moved = |by: isize| self.top.saturating_add_signed(by).clamp(least, most);
        self.top = match scroll {
            Scroll::Top => 0,
            Scroll::Bottom => drawn.last_top,
            Scroll::Lines(count) => moved(by(count, 1)),
            Scroll::Pages(count) => moved(by(count, page)),
            Scroll::Entry(_) => return,
        };
    }

    fn alt_key(&mut self, key: &KeyEvent) -> PermissionOutcome {
        if key.code == KeyCode::Char('d') {
            self.toggle_detail_level();
        }
        PermissionOutcome::Open
    }

    /// Goes back to the list and clears the selection.
    pub(crate) fn deselect(&mut self) {
        self.selected = None;
        if self.step != DialogStep::Choosing {
            self.set_step(DialogStep::Choosing);
        }
    }

    /// Selects the answer on a row of the screen, without picking it.
    pub(crate) fn click(&mut self, row: u16) {
        let rows = self.drawn.iter().flat_map(|drawn| &drawn.answer_rows);
        let mut rows = rows.filter(|(y, _)| *y == row).map(|(_, choice)| *choice);
        if let Some(choice) = rows.next()
            && self.step == DialogStep::Choosing
        {
            self.selected = Some(choice);
        }
    }

    /// Whether a screen of this size shows the dialog in its current state, and how completely.
    fn fit(&self, size: (u16, u16)) -> Option<Fit> {
        let drawn = self.drawn.as_ref()?;
        let is_current =
            drawn.size == size && drawn.step == self.step && drawn.selected == self.selected;
        is_current.then_some(drawn.fit)
    }

    /// Why nothing can be allowed now, or `None` if it can.
    fn refusal(&self, size: (u16, u16)) -> Option<Cow<'static, str>> {
        let why = match self.fit(size) {
            Some(Fit::Whole) => return None,
            Some(Fit::Unread) => return Some(self.unread_message().into()),
            Some(Fit::TooSmall) => page::TOO_SMALL,
            Some(Fit::TooLong) => "the request is too long to show, so it can't be allowed",
            None => NOT_SHOWN,
        };
        Some(why.into())
    }

    /// Says how many lines have to be read first, and which key shows them.
    fn unread_message(&self) -> String {
        let unread_rows = self.drawn.as_ref().map(|drawn| drawn.unread_rows);
        let unread_rows = unread_rows.unwrap_or_default();
        let lines = match unread_rows.count {
            1 => "1 line has".to_owned(),
            count => format!("{count} lines have"),
        };
        let key = unread_rows.key();
        format!("read the whole request first: {lines} not been on the screen ({key})")
    }

    /// Whether the second step has been open long enough.
    fn can_confirm(&self, now: Instant) -> bool {
        let since = self.confirming_since;
        since.is_some_and(|at| now.saturating_duration_since(at) >= GRACE_PERIOD)
    }

    fn pick(&mut self, size: (u16, u16), now: Instant) -> PermissionOutcome {
        let Some((at, choice)) = self
            .selected
            .and_then(|at| Some((at, self.choices.get(at)?.clone())))
        else {
            return PermissionOutcome::Open;
        };
        if choice.grants()
            && let Some(why) = self.refusal(size)
        {
            return PermissionOutcome::Refused(why);
        }
        if choice.lasts() {
            self.set_step(DialogStep::Confirming(at));
            self.confirming_since = Some(now);
            return PermissionOutcome::Open;
        }
        self.answer(&choice)
    }

    fn confirm(&mut self, at: usize, size: (u16, u16)) -> PermissionOutcome {
        let Some(choice) = self.choices.get(at).cloned() else {
            return PermissionOutcome::Open;
        };
        // A remembered answer has to be on the screen even if it rejects.
        if let Some(why) = self.refusal(size) {
            return PermissionOutcome::Refused(why);
        }
        self.answer(&choice)
    }

    fn answer(&self, choice: &PermissionChoice) -> PermissionOutcome {
        match choice.answer() {
            Some(answer) => PermissionOutcome::Answered(answer, self.expiry()),
            None => PermissionOutcome::Refused("this option can't be chosen".into()),
        }
    }

    /// Whether the user can choose how long the answer is remembered.
    fn has_expiry_choice(&self, choice: usize) -> bool {
        let scope = self.choices.get(choice).and_then(PermissionChoice::scope);
        matches!(scope, Some(Scope::Workspace | Scope::Always))
    }

    fn set_step(&mut self, step: DialogStep) {
        self.step = step;
        self.top = 0;
    }

    /// The answers that the arrow keys select: if the screen is too small, only those that allow nothing.
    fn selectable(&self) -> Vec<usize> {
        let fit = self.drawn.as_ref().map(|drawn| drawn.fit);
        let only_rejects = matches!(fit, Some(Fit::TooSmall));
        let choices = self.choices.iter().enumerate();
        let choices = choices.filter(|(_, choice)| !(only_rejects && choice.grants()));
        choices.map(|(at, _)| at).collect()
    }

    fn select_next(&mut self) {
        let choices = self.selectable();
        let next = choices.iter().find(|at| Some(**at) > self.selected);
        self.selected = next.or(choices.first()).copied();
    }

    fn select_previous(&mut self) {
        let choices = self.selectable();
        let is_before = |at: &&usize| self.selected.is_none_or(|selected| **at < selected);
        let previous = choices.iter().rev().find(is_before);
        self.selected = previous.or(choices.last()).copied();
    }

    fn toggle_detail_level(&mut self) {
        self.detail_level = match self.detail_level {
            DetailLevel::Summary => DetailLevel::Full,
            DetailLevel::Full => DetailLevel::Summary,
        };
        self.top = 0;
    }
}

/// The expiries to choose from, starting with the configured one.
fn expiries(configured: Expiry) -> Vec<Expiry> {
    let mut expiries: Vec<Expiry> = EXPIRIES.to_vec();
    match expiries.iter().position(|expiry| *expiry == configured) {
        Some(at) => expiries.rotate_left(at),
        None => expiries.insert(0, configured),
    }
    expiries
}

impl PermissionPage {
    /// Replaces the key hint.
    pub(crate) fn with_hint(self, hint: &str) -> PermissionPage {
        let hint = hint.to_owned();
        PermissionPage { hint, ..self }
    }
}

/// Explains why Enter did nothing.
pub(crate) const NOT_SHOWN: &str = "the answer was not shown yet; press Enter again";
/// Explains why Enter did nothing just after the second step appeared.
const TOO_SOON: &str = "read what will be remembered, then press Enter again";
const HOUR: u64 = 60 * 60;
const EXPIRIES: [Expiry; 5] = [
    Expiry::Never,
    Expiry::After(Duration::from_secs(HOUR)),
    Expiry::After(Duration::from_secs(8 * HOUR)),
    Expiry::After(Duration::from_secs(7 * 24 * HOUR)),
    Expiry::After(Duration::from_secs(30 * 24 * HOUR)),
];
