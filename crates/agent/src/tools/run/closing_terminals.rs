//! Terminals that nobody wants any more and that are on their way out.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// CommandStatus many terminals are on their way out. Clones count together.
#[derive(Debug, Clone)]
pub(in crate::tools) struct ClosingTerminals(watch::Sender<usize>);

impl Default for ClosingTerminals {
    fn default() -> ClosingTerminals {
        ClosingTerminals(watch::Sender::new(0))
    }
}

impl ClosingTerminals {
    /// One more, until what is given is dropped.
    pub(super) fn begin(&self) -> ClosingTerminal {
        self.0.send_modify(|count| *count += 1);
        ClosingTerminal(self.0.clone())
    }

    /// Waits until all are gone, for a moment at most: nobody is held up by a client that does not answer.
    pub(in crate::tools) async fn over(&self) {
        let mut count = self.0.subscribe();
        drop(timeout(MOMENT, count.wait_for(|count| *count == 0)).await);
    }
}

/// A terminal on its way out.
#[derive(Debug)]
pub(super) struct ClosingTerminal(watch::Sender<usize>);

impl Drop for ClosingTerminal {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

const MOMENT: Duration = Duration::from_millis(50);
