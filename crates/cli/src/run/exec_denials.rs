//! Programs that were denied when they were executed: the agent asks nobody about them, so nothing else tells of them.

use std::time::Duration;

use attache_host::exec::{ExecDenial, Watcher};
use tokio::time::timeout;

use crate::text;

/// What the guard has denied, and how much of it belongs to the turn.
#[derive(Debug)]
pub(super) struct ExecDenials {
    watcher: Option<Watcher>,
    /// How many there were when the prompt was sent.
    before: u64,
}

impl ExecDenials {
    pub(super) fn of(watcher: Option<Watcher>) -> ExecDenials {
        ExecDenials { watcher, before: 0 }
    }

    /// From here on they belong to the turn.
    pub(super) fn start_turn(&mut self) {
        self.before = self.count();
    }

    /// The lines that were not printed yet.
    pub(super) fn new_lines(&self) -> Vec<String> {
        let denied = self.watcher.as_ref().map(Watcher::take_denials);
        denied.unwrap_or_default().iter().map(shown).collect()
    }

    /// Whether something was denied in the turn.
    pub(super) fn are_in_turn(&self) -> bool {
        self.count() > self.before
    }

    fn count(&self) -> u64 {
        self.watcher.as_ref().map_or(0, Watcher::denials_count)
    }

    /// Waits until everything is known that was denied, once the agent has ended.
    pub(super) async fn settle(&self) {
        if let Some(watcher) = &self.watcher {
            // Whatever does not end by itself is not waited for.
            timeout(PATIENCE, watcher.ended()).await.ok();
        }
    }
}

/// One line: the program and its arguments, and the rule.
fn shown(denial: &ExecDenial) -> String {
    let program = denial.program.to_string_lossy();
    let args = denial.args.iter().skip(1).map(|word| text::word(word));
    let words: Vec<String> = std::iter::once(text::word(&program)).chain(args).collect();
    let mut command = words.join(" ");
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
/// Characters of a command that are printed.
const LONGEST: usize = 200;
