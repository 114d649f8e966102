//! Relays between pipes, sockets and standard input and output, for `attache trace` and `attache check`.

use std::io;
use std::thread;

use tokio::sync::oneshot;

/// Runs a relay on a thread of its own, because it blocks in reads and writes. The receiver gets the result.
///
/// # Errors
///
/// When the system cannot start a thread.
pub(crate) fn spawn(
    name: &str,
    relay: impl FnOnce() -> io::Result<()> + Send + 'static,
) -> io::Result<oneshot::Receiver<io::Result<()>>> {
    let (sender, result) = oneshot::channel();
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            // Nobody may be waiting for the result.
            sender.send(relay()).ok();
        })?;
    Ok(result)
}
