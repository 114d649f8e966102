//! Ctrl-C: the first one cancels the turn, the next one ends everything. SIGTERM and SIGHUP do both at once.

#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Counts how often somebody has pressed Ctrl-C.
#[derive(Clone)]
pub(super) struct Interrupts(watch::Receiver<usize>);

impl Interrupts {
    /// Counts from now on. The program no longer ends by itself.
    pub(super) fn new() -> Self {
        let (count, counted) = watch::channel(0);
        let ended = count.clone();
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                count.send_modify(|count| *count += 1);
            }
        });
        #[cfg(unix)]
        for kind in [SignalKind::terminate(), SignalKind::hangup()] {
            // One that cannot be caught ends the program by itself.
            let Ok(mut signals) = signal(kind) else {
                continue;
            };
            let ended = ended.clone();
            tokio::spawn(async move {
                while signals.recv().await.is_some() {
                    ended.send_modify(|count| *count += 2);
                }
            });
        }
        drop(ended);
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
