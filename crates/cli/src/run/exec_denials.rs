//! Reports programs that were denied when they were executed. The agent does not ask about these.

use std::time::Duration;

use attache_host::exec::{ExecDenial, Watcher, visible_program};
use tokio::time::timeout;

use crate::text;

/// The programs that the guard has denied, and those of the current turn.
#[derive(Debug)]
pub(super) struct ExecDenials {
    watcher: Option<Watcher>,
    /// Number of denials when the turn started.
    before: u64,
}

impl ExecDenials {
    pub(super) fn of(watcher: Option<Watcher>) -> ExecDenials {
        ExecDenials { watcher, before: 0 }
    }

    /// Counts further denials for a new turn.
    pub(super) fn start_turn(&mut self) {
        self.before = self.count();
    }

    /// Lines for denials that were not printed yet.
    pub(super) fn new_lines(&self) -> Vec<String> {
        let denied = self.watcher.as_ref().map(Watcher::take_denials);
        denied.unwrap_or_default().iter().map(shown).collect()
    }

    /// Whether a program was denied in the turn.
    pub(super) fn are_in_turn(&self) -> bool {
        self.count() > self.before
    }

    fn count(&self) -> u64 {
        self.watcher.as_ref().map_or(0, Watcher::denials_count)
    }

    /// Waits until all denials are known, after the agent has stopped.
    pub(super) async fn settle(&self) {
        if let Some(watcher) = &self.watcher {
            // Does not wait for processes that keep running.
            timeout(PATIENCE, watcher.ended()).await.ok();
        }
    }
}

/// One line with the real program, its arguments and the rule.
fn shown(denial: &ExecDenial) -> String {
    let mut command = visible_program(&denial.program, &denial.args);
    if let Some((end, _)) = command.char_indices().nth(LONGEST) {
        command.truncate(end);
        command.push('…');
    }
    format!(
        "denied when executed: {command} ({})",
        text::line(&denial.why)
    )
}

const PATIENCE: Duration = Duration::from_secs(1);
/// Maximum characters of a command in a line.
const LONGEST: usize = 200;
