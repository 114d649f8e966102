//! Ctrl-C: the first one cancels the turn, the next one ends everything.

use tokio::sync::watch;

/// Counts how often somebody has pressed Ctrl-C.
#[derive(Clone)]
pub(super) struct Interrupts(watch::Receiver<usize>);

impl Interrupts {
    /// Counts from now on. The program no longer ends by itself.
    pub(super) fn new() -> Self {
        let (count, counted) = watch::channel(0);
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                count.send_modify(|count| *count += 1);
            }
        });
        Interrupts(counted)
    }

    /// Waits until it has happened so often.
    pub(super) async fn reach(&mut self, count: usize) {
        if self.0.wait_for(|so_far| *so_far >= count).await.is_err() {
            // Signals cannot be caught, so nobody can interrupt.
            std::future::pending::<()>().await;
        }
    }
}
