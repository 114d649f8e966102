//! The permission dialog: what would be done in our words, what the agent says of it as a quotation, and the answers.
//!
//! No key answers by itself. The user moves into the dialog, selects an answer with the arrows and picks it with Enter; an
//! answer that lasts is confirmed once more. Nothing can be granted that the screen has not shown: see [`Fit`].

mod changes;
mod choices;
mod confirm;
mod draw;
mod facts;
mod moves;
mod page;
mod seen_rows;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use attache_client::command::PermissionAnswer;
use attache_client::event::{DiskComparison, PermissionPrompt};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use attache_host::permissions::{Expiry, Scope, option_allows};

use crate::paint::Scroll;
use changes::Changes;
use choices::Choice;
pub(crate) use confirm::lasting;
pub(crate) use draw::Keys;
pub(crate) use page::{Drawn, Fit, Page};
use seen_rows::SeenRows;

/// A permission request that waits for the user.
#[derive(Debug, Clone)]
pub(crate) struct PermissionDialog {
    pub(crate) prompt: PermissionPrompt,
    choices: Vec<Choice>,
    selected: Option<usize>,
    step: Step,
    extent: Extent,
    against: Against,
    /// The first row of the scrolled part that is shown.
    top: usize,
    /// How long a lasting answer counts; the first is the present choice.
    expiries: Vec<Expiry>,
    /// The rows of what scrolls that have been on the screen so far.
    seen: SeenRows,
    /// The changes as they were last laid out.
    changes: RefCell<Option<Arc<Changes>>>,
    /// What the screen shows of it at present.
    drawn: Option<Drawn>,
}

/// How far the user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// An answer is being selected.
    Choosing,
    /// This answer lasts, and is to be confirmed.
    Confirming(usize),
}

/// Who remembers the answer that is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RememberedBy {
    /// Nobody, or we do.
    UsOrNobody,
    /// The agent, by rules of its own.
    Agent,
}

/// How much of the request is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Digest,
    Everything,
}

/// What changes are shown against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Against {
    /// What the agent shows as the old text.
    Shown,
    Disk,
}

/// What a key has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pressed {
    /// The dialog is still open.
    Open,
    /// The user goes back to the composer. The request stays open.
    Back,
    /// The request is answered.
    Answered(PermissionAnswer, Expiry),
    /// The key would have granted something, and why it does not.
    Refused(Cow<'static, str>),
}

impl PermissionDialog {
    pub(crate) fn new(prompt: PermissionPrompt, expiry: Expiry) -> PermissionDialog {
        PermissionDialog {
            choices: choices::of(&prompt),
            prompt,
            selected: None,
            step: Step::Choosing,
            extent: Extent::Digest,
            against: Against::Shown,
            top: 0,
            expiries: expiries(expiry),
            seen: SeenRows::default(),
            changes: RefCell::default(),
            drawn: None,
        }
    }

    /// How long a lasting answer counts that is given now.
    pub(crate) fn expiry(&self) -> Expiry {
        self.expiries.first().copied().unwrap_or_default()
    }

    /// Who remembers the answer that is selected.
    pub(crate) fn remembered_by(&self) -> RememberedBy {
        let choice = self.selected.and_then(|at| self.choices.get(at));
        match choice {
            Some(choice) if choice.lasts() && choice.scope().is_none() => RememberedBy::Agent,
            _ => RememberedBy::UsOrNobody,
        }
    }

    /// Whether an answer allows what is asked for.
    pub(crate) fn grants(&self, pressed: &Pressed) -> bool {
        match pressed {
            Pressed::Answered(PermissionAnswer::Choose { option, .. }, _) => {
                option_allows(&self.prompt.options, option) == Some(true)
            }
            _ => false,
        }
    }

    /// Notes what the screen shows.
    pub(crate) fn set_drawn(&mut self, drawn: Drawn) {
        self.top = drawn.top;
        self.seen = drawn.seen.clone();
        self.drawn = Some(drawn);
    }

    /// The dialog is not on the screen.
    pub(crate) fn hide(&mut self) {
        self.drawn = None;
    }

    /// Takes a key. `size` is that of the screen now.
    pub(crate) fn key(&mut self, key: &KeyEvent, size: (u16, u16)) -> Pressed {
        match key.modifiers - KeyModifiers::SHIFT {
            KeyModifiers::NONE => {}
            KeyModifiers::ALT => return self.alt_key(key),
            _ => return Pressed::Open,
        }
        match (key.code, self.step) {
            (KeyCode::Enter, Step::Choosing) => return self.pick(size),
            (KeyCode::Enter, Step::Confirming(choice)) => return self.confirm(choice, size),
            (KeyCode::Esc, Step::Confirming(_)) => self.go_to(Step::Choosing),
            (KeyCode::Esc | KeyCode::Tab, _) => return Pressed::Back,
            (KeyCode::Right, Step::Confirming(choice)) if self.has_term(choice) => {
                self.expiries.rotate_left(1);
            }
            (KeyCode::Left, Step::Confirming(choice)) if self.has_term(choice) => {
                self.expiries.rotate_right(1);
            }
            (KeyCode::Down, Step::Choosing) => self.select_next(),
            (KeyCode::Up, Step::Choosing) => self.select_previous(),
            (KeyCode::PageDown, _) => self.scroll(Scroll::Pages(1)),
            (KeyCode::PageUp, _) => self.scroll(Scroll::Pages(-1)),
            (KeyCode::Home, _) => self.scroll(Scroll::Top),
            (KeyCode::End, _) => self.scroll(Scroll::Bottom),
            _ => {}
        }
        Pressed::Open
    }

    /// Moves through what scrolls. Between two drawings pages and lines move by at most a page, so that they skip no row;
    /// the rows that a jump skips are not seen.
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

    fn alt_key(&mut self, key: &KeyEvent) -> Pressed {
        match key.code {
            KeyCode::Char('d') => self.toggle_extent(),
            KeyCode::Char('v') if self.differs() => self.toggle_against(),
            _ => {}
        }
        Pressed::Open
    }

    /// Goes back to the list, with nothing selected.
    pub(crate) fn deselect(&mut self) {
        self.selected = None;
        if self.step != Step::Choosing {
            self.go_to(Step::Choosing);
        }
    }

    /// Selects the answer on a row of the screen; it is not picked.
    pub(crate) fn click(&mut self, row: u16) {
        let rows = self.drawn.iter().flat_map(|drawn| &drawn.answer_rows);
        let mut rows = rows.filter(|(y, _)| *y == row).map(|(_, choice)| *choice);
        if let Some(choice) = rows.next()
            && self.step == Step::Choosing
        {
            self.selected = Some(choice);
        }
    }

    /// Whether a screen of this size shows the dialog as it is now, and how well.
    fn fit(&self, size: (u16, u16)) -> Option<Fit> {
        let drawn = self.drawn.as_ref()?;
        let is_current =
            drawn.size == size && drawn.step == self.step && drawn.selected == self.selected;
        is_current.then_some(drawn.fit)
    }

    /// Why nothing can be granted now.
    fn obstacle(&self, size: (u16, u16)) -> Option<Cow<'static, str>> {
        let why = match self.fit(size) {
            Some(Fit::Whole) => return None,
            Some(Fit::Unread) => return Some(self.unread().into()),
            Some(Fit::TooSmall) => page::TOO_SMALL,
            Some(Fit::TooLong) => "the request is too long to be shown, so it cannot be allowed",
            None => NOT_SHOWN,
        };
        Some(why.into())
    }

    /// How much has to be read first, and the key for it.
    fn unread(&self) -> String {
        let unseen = self.drawn.as_ref().map(|drawn| drawn.unseen);
        let unseen = unseen.unwrap_or_default();
        let lines = match unseen.count {
            1 => "1 line was".to_owned(),
            count => format!("{count} lines were"),
        };
        let key = unseen.key();
        format!("read the whole request first: {lines} not on the screen yet ({key})")
    }

    fn pick(&mut self, size: (u16, u16)) -> Pressed {
        let Some((at, choice)) = self
            .selected
            .and_then(|at| Some((at, self.choices.get(at)?.clone())))
        else {
            return Pressed::Open;
        };
        if choice.grants()
            && let Some(why) = self.obstacle(size)
        {
            return Pressed::Refused(why);
        }
        if choice.lasts() {
            self.go_to(Step::Confirming(at));
            return Pressed::Open;
        }
        self.answer(&choice)
    }

    fn confirm(&mut self, at: usize, size: (u16, u16)) -> Pressed {
        let Some(choice) = self.choices.get(at).cloned() else {
            return Pressed::Open;
        };
        // What is remembered has to be on the screen, also where it rejects.
        if let Some(why) = self.obstacle(size) {
            return Pressed::Refused(why);
        }
        self.answer(&choice)
    }

    fn answer(&self, choice: &Choice) -> Pressed {
        match choice.answer() {
            Some(answer) => Pressed::Answered(answer, self.expiry()),
            None => Pressed::Refused("this option cannot be chosen".into()),
        }
    }

    /// Whether the user says how long an answer counts.
    fn has_term(&self, choice: usize) -> bool {
        let scope = self.choices.get(choice).and_then(Choice::scope);
        matches!(scope, Some(Scope::Workspace | Scope::Always))
    }

    fn go_to(&mut self, step: Step) {
        self.step = step;
        self.top = 0;
    }

    /// The answers that the arrows go through: where nothing can be granted, those that grant nothing.
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

    fn toggle_extent(&mut self) {
        self.extent = match self.extent {
            Extent::Digest => Extent::Everything,
            Extent::Everything => Extent::Digest,
        };
        self.top = 0;
    }

    fn toggle_against(&mut self) {
        self.against = match self.against {
            Against::Shown => Against::Disk,
            Against::Disk => Against::Shown,
        };
        self.top = 0;
    }

    /// Whether a file on disk is not what the agent shows.
    fn differs(&self) -> bool {
        let mut found = self.prompt.disk.iter();
        found.any(|found| matches!(found, DiskComparison::Different(_)))
    }
}

/// The terms that a key goes through, from the configured one on.
fn expiries(configured: Expiry) -> Vec<Expiry> {
    let mut expiries: Vec<Expiry> = EXPIRIES.to_vec();
    match expiries.iter().position(|expiry| *expiry == configured) {
        Some(at) => expiries.rotate_left(at),
        None => expiries.insert(0, configured),
    }
    expiries
}

impl Page {
    /// The same with other words for how to get there.
    pub(crate) fn with_hint(self, hint: &str) -> Page {
        let hint = hint.to_owned();
        Page { hint, ..self }
    }
}

/// Why Enter did nothing.
pub(crate) const NOT_SHOWN: &str = "not shown yet: press Enter again";
const HOUR: u64 = 60 * 60;
const EXPIRIES: [Expiry; 5] = [
    Expiry::Never,
    Expiry::After(Duration::from_secs(HOUR)),
    Expiry::After(Duration::from_secs(8 * HOUR)),
    Expiry::After(Duration::from_secs(7 * 24 * HOUR)),
    Expiry::After(Duration::from_secs(30 * 24 * HOUR)),
];
