//! Colours of code, found on a thread of their own: until it has got there, code has none, and no frame waits.

mod colour_cache;
mod grammar;
mod worker;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ratatui::text::Span;

use super::theme::{TextRole, Theme};
use colour_cache::ColourCache;
use worker::HighlightJob;

pub(super) use colour_cache::PrefixHash;

/// Finds the colours of code. Clones share what was found.
#[derive(Clone)]
pub struct Highlighter {
    shared: Option<Arc<HighlighterState>>,
}

/// The colours of one line: how many bytes, and what they are.
pub(super) type LineColours = Arc<[(usize, TextRole)]>;

/// What is known of some lines of code.
pub(super) struct ColouredLines {
    /// The lines; `None` where nothing is known yet.
    pub(super) lines: Vec<Option<LineColours>>,
    /// What comes behind these lines goes on from here.
    pub(super) end: PrefixHash,
}

struct HighlighterState {
    known: Mutex<ColourCache>,
    generation: Arc<AtomicU64>,
    pending: Arc<AtomicUsize>,
    jobs: SyncSender<HighlightJob>,
}

impl Highlighter {
    /// One that finds nothing, for screens without colour.
    pub fn none() -> Highlighter {
        Highlighter { shared: None }
    }

    /// One that works on a thread of its own, which ends with the last clone.
    pub fn start() -> Highlighter {
        let (jobs, queue) = mpsc::sync_channel(QUEUE);
        let (found, results) = mpsc::channel();
        let generation = Arc::<AtomicU64>::default();
        let pending = Arc::<AtomicUsize>::default();
        let channels = worker::WorkerChannels {
            queue,
            found,
            generation: Arc::clone(&generation),
            pending: Arc::clone(&pending),
        };
        let thread = thread::Builder::new().name("colours".to_owned());
        match thread.spawn(move || worker::run(&channels)) {
            Ok(_) => {
                let known = Mutex::new(ColourCache::new(results));
                let shared = HighlighterState {
                    known,
                    generation,
                    pending,
                    jobs,
                };
                Highlighter {
                    shared: Some(Arc::new(shared)),
                }
            }
            Err(_) => Highlighter::none(),
        }
    }

    /// Grows whenever colours were found, so that whoever draws draws again.
    pub fn generation(&self) -> u64 {
        let shared = self.shared.as_ref();
        shared.map_or(0, |shared| shared.generation.load(Ordering::Acquire))
    }

    /// Whether there is nothing left to find.
    pub fn is_idle(&self) -> bool {
        let shared = self.shared.as_ref();
        shared.is_none_or(|shared| shared.pending.load(Ordering::Acquire) == 0)
    }

    /// Waits until there is nothing left to find, but not for ever. For printers and tests; a screen never waits.
    pub fn settle(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.is_idle() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// What is known of these lines, which follow on `start`. What is not known is being found.
    pub(super) fn colours(&self, syntax: &str, start: PrefixHash, lines: &[&str]) -> ColouredLines {
        let start = start.or_start(syntax);
        let mut end = start;
        let Some(shared) = self.shared.as_ref().filter(|_| !syntax.is_empty()) else {
            let lines = vec![None; lines.len()];
            return ColouredLines { lines, end };
        };
        let mut known = shared.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.receive();
        let mut found = Vec::with_capacity(lines.len());
        for line in lines {
            end = end.then(line);
            found.push(known.get(end));
        }
        if found.iter().any(Option::is_none) && known.is_new_request(end) {
            shared.request(syntax, start, lines);
        }
        ColouredLines { lines: found, end }
    }
}

impl HighlighterState {
    fn request(&self, syntax: &str, start: PrefixHash, lines: &[&str]) {
        let job = HighlightJob {
            syntax: syntax.to_owned(),
            start,
            code: lines.join("\n"),
        };
        self.pending.fetch_add(1, Ordering::AcqRel);
        if self.jobs.try_send(job).is_err() {
            self.pending.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

impl std::fmt::Debug for Highlighter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Highlighter").finish_non_exhaustive()
    }
}

/// A line of code in its colours.
pub(super) fn styled(
    line: &str,
    colours: Option<&LineColours>,
    theme: &Theme,
) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    let mut rest = line;
    for &(length, role) in colours.into_iter().flat_map(|colours| colours.iter()) {
        let Some((piece, behind)) = rest.split_at_checked(length) else {
            break;
        };
        rest = behind;
        spans.push(Span::styled(piece.to_owned(), theme.style(role)));
    }
    if !rest.is_empty() {
        spans.push(Span::raw(rest.to_owned()));
    }
    spans
}

const QUEUE: usize = 64;
const PATIENCE: Duration = Duration::from_secs(10);
