//! What permissions know at a time: the store, what holds for this program only, and what went wrong.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;

use attache_schema::v1;

use super::facts::Facts;
use super::memory::{self, Remembered, Workspace};
use super::store::Store;
use super::{StoreError, Warning};

/// Which decisions are meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this agent.
    pub agent: Option<String>,
    /// Only those of this directory.
    pub workspace: Option<PathBuf>,
}

impl Filter {
    /// Whether a decision is meant. One that holds everywhere is of no directory.
    pub(super) fn fits(&self, remembered: &Remembered) -> bool {
        let is_agent = |agent: &String| *agent == remembered.agent;
        let is_there = |path: &PathBuf| {
            let known = remembered.workspace.as_ref();
            let there = Workspace::at(path);
            known.is_some_and(|known| known.is(&there) || known.path == there.path)
        };
        self.agent.as_ref().is_none_or(is_agent) && self.workspace.as_ref().is_none_or(is_there)
    }
}

#[derive(Debug)]
pub(super) struct State {
    store: Option<Store>,
    /// Decisions for a session, and those that could not be stored.
    here: Vec<Remembered>,
    directories: HashMap<v1::SessionId, Vec<PathBuf>>,
    faults: VecDeque<Warning>,
}

impl State {
    pub(super) fn new(store: Option<PathBuf>) -> State {
        State {
            store: store.map(Store::at),
            here: Vec::new(),
            directories: HashMap::new(),
            faults: VecDeque::new(),
        }
    }

    pub(super) fn refresh(&mut self) {
        if let Some(store) = &mut self.store
            && let Err(error) = store.refresh()
        {
            self.warn(format!("remembered decisions are ignored: {error}"));
        }
    }

    /// The decision that answers a question. One that denies counts before those that allow.
    pub(super) fn recall(&self, facts: &Facts<'_>, now: u64) -> Option<&Remembered> {
        let agent = &facts.question.agent;
        let mut own = self
            .all()
            .filter(|remembered| remembered.agent == *agent)
            .peekable();
        own.peek()?;
        let workspace = Workspace::at(&facts.question.workspace);
        let fitting = own.filter(|remembered| remembered.answers(facts, &workspace, now));
        fitting.min_by_key(|remembered| remembered.is_allowed)
    }

    pub(super) fn keep(&mut self, remembered: Remembered, now: u64) {
        if remembered.session.is_some() {
            return self.keep_here(remembered);
        }
        let Some(store) = &mut self.store else {
            return self.keep_here(remembered);
        };
        let new = remembered.clone();
        let stored = store.change(|decisions| {
            decisions.retain(|old| !new.replaces(old) && !old.is_over(now));
            decisions.push(new);
        });
        if let Err(error) = stored {
            self.warn(format!(
                "the decision holds until the program ends: {error}"
            ));
            self.keep_here(remembered);
        }
    }

    pub(super) fn list(&self, now: u64) -> Vec<Remembered> {
        self.all()
            .filter(|remembered| !remembered.is_over(now))
            .cloned()
            .collect()
    }

    pub(super) fn remove(
        &mut self,
        fits: impl Fn(&Remembered) -> bool,
    ) -> Result<Vec<Remembered>, StoreError> {
        let mut removed: Vec<Remembered> = self
            .here
            .extract_if(.., |remembered| fits(remembered))
            .collect();
        if let Some(store) = &mut self.store
            && store.exists()
        {
            removed.extend(store.change(|decisions| {
                decisions
                    .extract_if(.., |remembered| fits(remembered))
                    .collect::<Vec<_>>()
            })?);
        }
        Ok(removed)
    }

    /// Changes when a decision ends.
    pub(super) fn expire(
        &mut self,
        id: &str,
        expires: Option<u64>,
    ) -> Result<Option<Remembered>, StoreError> {
        let set = |decisions: &mut Vec<Remembered>| {
            let found = decisions.iter_mut().find(|it| it.id == id)?;
            found.expires = expires;
            Some(found.clone())
        };
        if let Some(found) = set(&mut self.here) {
            return Ok(Some(found));
        }
        match &mut self.store {
            Some(store) if store.exists() => store.change(set),
            _ => Ok(None),
        }
    }

    pub(super) fn add_directories(&mut self, session: &v1::SessionId, directories: &[PathBuf]) {
        self.directories
            .insert(session.clone(), directories.to_vec());
    }

    pub(super) fn directories(&self, session: &v1::SessionId) -> &[PathBuf] {
        self.directories.get(session).map_or(&[], Vec::as_slice)
    }

    pub(super) fn end_session(&mut self, session: &v1::SessionId) {
        self.here
            .retain(|remembered| !memory::is_of_session(remembered, session));
        self.directories.remove(session);
    }

    pub(super) fn warnings(&mut self) -> Vec<Warning> {
        self.faults.drain(..).collect()
    }

    pub(super) fn fault(&mut self) -> Option<String> {
        self.faults.pop_front().map(|warning| warning.0)
    }

    fn keep_here(&mut self, remembered: Remembered) {
        self.here.retain(|old| !remembered.replaces(old));
        if self.here.len() >= MAX_HERE {
            return self
                .warn("too many decisions for one session; this one is not remembered".to_owned());
        }
        self.here.push(remembered);
    }

    fn all(&self) -> impl Iterator<Item = &Remembered> {
        let stored = self.store.iter().flat_map(Store::decisions);
        self.here.iter().chain(stored)
    }

    fn warn(&mut self, text: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push_back(Warning(text));
        }
    }
}

const MAX_HERE: usize = 10_000;
const MAX_FAULTS: usize = 16;
