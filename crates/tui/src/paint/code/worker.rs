//! The thread that highlights code.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use syntect::parsing::{ParseState, ScopeStack, SyntaxSet};

use super::grammar::{ScopeRoles, syntax_for};
use super::{LineColours, PrefixHash};
use crate::paint::theme::TextRole;

/// Code to highlight.
pub(super) struct HighlightJob {
    pub(super) syntax: String,
    /// The hash of the lines before.
    pub(super) start: PrefixHash,
    pub(super) code: String,
}

/// The thread's channels for jobs and results.
pub(super) struct WorkerChannels {
    pub(super) queue: Receiver<HighlightJob>,
    pub(super) found: Sender<Vec<(PrefixHash, LineColours)>>,
    pub(super) generation: Arc<AtomicU64>,
    pub(super) pending: Arc<AtomicUsize>,
}

/// Handles jobs until the last highlighter is dropped.
pub(super) fn run(channels: &WorkerChannels) {
    let mut reader = None;
    while let Ok(job) = channels.queue.recv() {
        let reader = reader.get_or_insert_with(SyntaxReader::new);
        let found = reader.read(&job);
        let is_alive = channels.found.send(found).is_ok();
        channels.generation.fetch_add(1, Ordering::AcqRel);
        channels.pending.fetch_sub(1, Ordering::AcqRel);
        if !is_alive {
            return;
        }
    }
}

struct SyntaxReader {
    set: SyntaxSet,
    roles: ScopeRoles,
    /// Parser states to continue from, the newest last.
    checkpoints: VecDeque<(PrefixHash, ParserState)>,
}

#[derive(Clone)]
struct ParserState {
    parser: ParseState,
    scopes: ScopeStack,
}

impl SyntaxReader {
    fn new() -> Self {
        SyntaxReader {
            set: SyntaxSet::load_defaults_newlines(),
            roles: ScopeRoles::new(),
            checkpoints: VecDeque::new(),
        }
    }

    fn read(&mut self, job: &HighlightJob) -> Vec<(PrefixHash, LineColours)> {
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
                .map(|chain| (chain, LineColours::default()))
                .collect();
        };
        let (from, mut state) = self.resume(job.start, &chains).unwrap_or_else(|| {
            let parser = ParseState::new(syntax);
            let scopes = ScopeStack::new();
            (0, ParserState { parser, scopes })
        });
        let mut found = Vec::with_capacity(lines.len() - from);
        for (index, line) in lines.iter().enumerate().skip(from) {
            found.push((chains[index], self.read_line(&mut state, line)));
            // The last line may still grow, so the line before it gets a checkpoint as well.
            if index + 2 >= lines.len() {
                self.keep(chains[index], state.clone());
            }
        }
        found
    }

    fn resume(&self, start: PrefixHash, chains: &[PrefixHash]) -> Option<(usize, ParserState)> {
        let find = |wanted: PrefixHash| {
            self.checkpoints
                .iter()
                .rev()
                .find(|(chain, _)| *chain == wanted)
        };
        let known = chains.iter().enumerate().rev().take(LOOK_BACK);
        let later = known.filter_map(|(index, chain)| Some((index + 1, find(*chain)?.1.clone())));
        let mut all = later.chain(find(start).map(|(_, state)| (0, state.clone())));
        all.next()
    }

    fn keep(&mut self, chain: PrefixHash, state: ParserState) {
        if self.checkpoints.len() == CHECKPOINTS {
            self.checkpoints.pop_front();
        }
        self.checkpoints.push_back((chain, state));
    }

    fn read_line(&self, state: &mut ParserState, line: &str) -> LineColours {
        if line.len() > LINE {
            return LineColours::default();
        }
        let Ok(steps) = state.parser.parse_line(&format!("{line}\n"), &self.set) else {
            return LineColours::default();
        };
        let mut colours: Vec<(usize, TextRole)> = Vec::new();
        let mut at = 0;
        for (offset, step) in steps {
            let offset = offset.min(line.len());
            push(&mut colours, offset - at, self.roles.role_of(&state.scopes));
            at = offset;
            // A grammar that closes a scope it never opened leaves the scopes unchanged.
            state.scopes.apply(&step).ok();
        }
        push(
            &mut colours,
            line.len() - at,
            self.roles.role_of(&state.scopes),
        );
        colours.into()
    }
}

fn push(colours: &mut Vec<(usize, TextRole)>, length: usize, role: TextRole) {
    match colours.last_mut() {
        _ if length == 0 => {}
        Some((last, same)) if *same == role => *last += length,
        _ => colours.push((length, role)),
    }
}

/// Longer lines are not highlighted: they are generated, and grammars are slow on them.
const LINE: usize = 1000;
const CHECKPOINTS: usize = 256;
/// How many lines back a checkpoint is searched.
const LOOK_BACK: usize = 512;
