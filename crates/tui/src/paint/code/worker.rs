//! The thread that reads code.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};

use super::grammar::{Roles, syntax_for};
use super::{Chain, Colours};
use crate::paint::theme::Role;

/// Code to read.
pub(super) struct Job {
    pub(super) syntax: String,
    /// What came before.
    pub(super) start: Chain,
    pub(super) code: String,
}

/// Where the thread gets its work, and where it puts it.
pub(super) struct Desk {
    pub(super) queue: Receiver<Job>,
    pub(super) found: Sender<Vec<(Chain, Colours)>>,
    pub(super) generation: Arc<AtomicU64>,
    pub(super) pending: Arc<AtomicUsize>,
}

/// Works until nobody is left to ask.
pub(super) fn run(desk: &Desk) {
    let mut reader = None;
    while let Ok(job) = desk.queue.recv() {
        let reader = reader.get_or_insert_with(Reader::new);
        let found = reader.read(&job);
        let is_alive = desk.found.send(found).is_ok();
        desk.generation.fetch_add(1, Ordering::AcqRel);
        desk.pending.fetch_sub(1, Ordering::AcqRel);
        if !is_alive {
            return;
        }
    }
}

struct Reader {
    set: SyntaxSet,
    roles: Roles,
    /// Where reading can go on, the newest last.
    places: VecDeque<(Chain, Place)>,
}

#[derive(Clone)]
struct Place {
    parser: ParseState,
    scopes: ScopeStack,
}

impl Reader {
    fn new() -> Self {
        Reader {
            set: SyntaxSet::load_defaults_newlines(),
            roles: Roles::new(),
            places: VecDeque::new(),
        }
    }

    fn read(&mut self, job: &Job) -> Vec<(Chain, Colours)> {
        let lines: Vec<&str> = job.code.split('\n').collect();
        let mut chain = job.start;
        let mut chains = Vec::with_capacity(lines.len());
        for line in &lines {
            chain = chain.then(line);
            chains.push(chain);
        }
        let Some(syntax) = syntax_for(&self.set, &job.syntax) else {
            return chains
                .into_iter()
                .map(|chain| (chain, Colours::default()))
                .collect();
        };
        let (from, mut place) = self.resume(job.start, &chains).unwrap_or_else(|| {
            let parser = ParseState::new(syntax);
            let scopes = ScopeStack::new();
            (0, Place { parser, scopes })
        });
        let mut found = Vec::with_capacity(lines.len() - from);
        for (index, line) in lines.iter().enumerate().skip(from) {
            found.push((chains[index], self.read_line(&mut place, line)));
            // The last line may still grow, so the one before it is a place to go on from as well.
            if index + 2 >= lines.len() {
                self.keep(chains[index], place.clone());
            }
        }
        found
    }

    fn resume(&self, start: Chain, chains: &[Chain]) -> Option<(usize, Place)> {
        let find = |wanted: Chain| self.places.iter().rev().find(|(chain, _)| *chain == wanted);
        let known = chains.iter().enumerate().rev().take(LOOK_BACK);
        let later = known.filter_map(|(index, chain)| Some((index + 1, find(*chain)?.1.clone())));
        let mut all = later.chain(find(start).map(|(_, place)| (0, place.clone())));
        all.next()
    }

    fn keep(&mut self, chain: Chain, place: Place) {
        if self.places.len() == PLACES {
            self.places.pop_front();
        }
        self.places.push_back((chain, place));
    }

    fn read_line(&self, place: &mut Place, line: &str) -> Colours {
        if line.len() > LINE {
            return Colours::default();
        }
        let Ok(steps) = place.parser.parse_line(&format!("{line}\n"), &self.set) else {
            return Colours::default();
        };
        let mut colours: Vec<(usize, Role)> = Vec::new();
        let mut at = 0;
        for (offset, step) in steps {
            let offset = offset.min(line.len());
            push(&mut colours, offset - at, self.roles.of(&place.scopes));
            at = offset;
            // A grammar that closes what it never opened leaves the scopes as they are.
            place.scopes.apply(&step).ok();
        }
        push(&mut colours, line.len() - at, self.roles.of(&place.scopes));
        colours.into()
    }
}

fn push(colours: &mut Vec<(usize, Role)>, length: usize, role: Role) {
    match colours.last_mut() {
        _ if length == 0 => {}
        Some((last, same)) if *same == role => *last += length,
        _ => colours.push((length, role)),
    }
}

/// Longer lines are not read: they are made by machines, and grammars take their time for them.
const LINE: usize = 1000;
const PLACES: usize = 256;
/// How many lines from the end a place to go on from is looked for.
const LOOK_BACK: usize = 512;
