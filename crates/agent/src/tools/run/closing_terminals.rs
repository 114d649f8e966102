//! Terminals that are being killed and released after their call was dropped.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;

/// The number of terminals that are being closed. Clones share the count.
#[derive(Debug, Clone)]
pub(in crate::tools) struct ClosingTerminals(watch::Sender<usize>);

impl Default for ClosingTerminals {
    fn default() -> ClosingTerminals {
        ClosingTerminals(watch::Sender::new(0))
    }
}

impl ClosingTerminals {
    /// Counts one more until the returned value is dropped.
    pub(super) fn begin(&self) -> ClosingTerminal {
        self.0.send_modify(|count| *count += 1);
        ClosingTerminal(self.0.clone())
    }

    /// Waits briefly until all are closed, so that a client that does not respond holds up nobody.
    pub(in crate::tools) async fn over(&self) {
        let mut count = self.0.subscribe();
        drop(timeout(MOMENT, count.wait_for(|count| *count == 0)).await);
    }
}

/// A terminal that is being closed.
#[derive(Debug)]
pub(super) struct ClosingTerminal(watch::Sender<usize>);

impl Drop for ClosingTerminal {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

const MOMENT: Duration = Duration::from_millis(50);
