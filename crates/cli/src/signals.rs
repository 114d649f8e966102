//! Signals that stop the program, and Ctrl-C in `attache run`.

use tokio::sync::watch;

/// The signals that ask the program to stop.
#[cfg(unix)]
pub(crate) struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> anyhow::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals([
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    pub(crate) async fn next(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

/// The signals that ask the program to stop.
#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn new() -> anyhow::Result<Signals> {
        Ok(Signals)
    }

    pub(crate) async fn next(&mut self) {
        tokio::signal::ctrl_c().await.ok();
    }
}

/// Counts Ctrl-C: the first one cancels the turn, the second one stops the agent. SIGTERM and SIGHUP count as two.
#[derive(Clone)]
pub(crate) struct Interrupts(watch::Receiver<usize>);

impl Interrupts {
    /// Starts counting. Signals no longer end the program.
    pub(crate) fn new() -> Self {
        let (count, counted) = watch::channel(0);
        let ended = count.clone();
        tokio::spawn(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                count.send_modify(|count| *count += 1);
            }
        });
        #[cfg(unix)]
        for kind in [
            tokio::signal::unix::SignalKind::terminate(),
            tokio::signal::unix::SignalKind::hangup(),
        ] {
            // A signal that cannot be caught still ends the program.
            let Ok(mut signals) = tokio::signal::unix::signal(kind) else {
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

    /// Waits until the count is reached.
    pub(crate) async fn wait_for(&mut self, count: usize) {
        if self.0.wait_for(|so_far| *so_far >= count).await.is_err() {
            // Signals cannot be caught, so there are no interrupts.
            std::future::pending::<()>().await;
        }
    }
}
