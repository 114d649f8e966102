//! Syntax highlighting on a background thread. Code is shown without colours until the thread has found them, so no
//! frame waits.

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

/// Highlights code. Clones share the results.
#[derive(Clone)]
pub struct Highlighter {
    shared: Option<Arc<HighlighterState>>,
}

/// The colours of one line, as runs of bytes with a role.
pub(super) type LineColours = Arc<[(usize, TextRole)]>;

/// The known colours of some lines of code.
pub(super) struct ColouredLines {
    /// The colours of each line; `None` if they are not known yet.
    pub(super) lines: Vec<Option<LineColours>>,
    /// The hash to continue from with the following lines.
    pub(super) end: PrefixHash,
}

struct HighlighterState {
    known: Mutex<ColourCache>,
    generation: Arc<AtomicU64>,
    pending: Arc<AtomicUsize>,
    jobs: SyncSender<HighlightJob>,
}

impl Highlighter {
    /// A highlighter that finds nothing, for screens without colour.
    pub fn none() -> Highlighter {
        Highlighter { shared: None }
    }

    /// A highlighter with its own thread, which ends with the last clone.
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

    /// Increases whenever colours were found, so that the screen is drawn again.
    pub fn generation(&self) -> u64 {
        let shared = self.shared.as_ref();
        shared.map_or(0, |shared| shared.generation.load(Ordering::Acquire))
    }

    /// Whether all requested colours have been found.
    pub fn is_idle(&self) -> bool {
        let shared = self.shared.as_ref();
        shared.is_none_or(|shared| shared.pending.load(Ordering::Acquire) == 0)
    }

    /// Waits until all requested colours have been found, up to a limit. For printers and tests; a screen never waits.
    pub fn settle(&self) {
        let until = Instant::now() + PATIENCE;
        while !self.is_idle() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns the known colours of these lines, which follow `start`, and requests those that are not known.
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

/// Applies colours to a line of code.
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
