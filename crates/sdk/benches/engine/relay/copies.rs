//! Checks whether the relay writes an update from the buffer it was read into. The relay runs in this process, and the
//! writer compares addresses.

use std::collections::HashSet;
use std::io::{self, Cursor, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use attache_rpc::{SendOptions, SessionKey};
use attache_transport::{Options, connect};
use tokio::io::AsyncWrite;

/// Relays this number of updates, and returns how many of them were copied.
pub(crate) async fn copied(updates: usize, line: &str) -> usize {
    let witness = Witness::default();
    let written = Arc::clone(&witness.0);
    let text = line.repeat(updates);
    let (_agent, mut inbox) = connect(Cursor::new(text), tokio::io::sink(), Options::default());
    let (silence, _quiet) = tokio::io::simplex(1);
    let (link, _) = connect(silence, witness, Options::default());
    let options = SendOptions::of(SessionKey::CONNECTION);
    let mut read = Vec::new();
    while let Some(incoming) = inbox.next().await {
        let line = incoming.call().line().clone();
        link.relay(line.clone(), options).await.unwrap();
        // Kept, so that no later update gets the same address.
        read.push(line);
    }
    link.flush().await;
    assert_eq!(read.len(), updates);
    let written = written.lock().unwrap();
    let copied = |line: &&bytestring::ByteString| !written.contains(&line.as_ptr().addr());
    read.iter().filter(copied).count()
}

#[derive(Default)]
struct Witness(Arc<Mutex<HashSet<usize>>>);

impl AsyncWrite for Witness {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.lock().unwrap().insert(bytes.as_ptr().addr());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let addresses = slices.iter().map(|slice| slice.as_ptr().addr());
        self.0.lock().unwrap().extend(addresses);
        Poll::Ready(Ok(slices.iter().map(|slice| slice.len()).sum()))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
