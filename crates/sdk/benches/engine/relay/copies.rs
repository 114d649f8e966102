//! Checks whether the relay writes an update from the buffer it was read into. The relay runs in this process, and the
//! writer compares addresses.

use std::collections::HashSet;
use std::io::{self, Cursor, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use attache::proxy;
use attache_rpc::{SendOptions, SessionKey};
use attache_transport::{Options, connect};
use tokio::io::AsyncWrite;

use super::Relay;

/// Relays this number of updates, and returns how many of them were copied.
pub(crate) async fn copied(relay: Relay, updates: usize, line: &str) -> usize {
    let witness = Witness::default();
    let written = Arc::clone(&witness.0);
    let text = Cursor::new(line.repeat(updates));
    let read = match relay {
        Relay::Transport => with_transport(text, witness).await,
        Relay::Proxy => with_proxy(text, witness).await,
    };
    assert_eq!(read.len(), updates);
    let written = written.lock().unwrap();
    let is_copied = |address: &&usize| !written.contains(address);
    read.iter().filter(is_copied).count()
}

/// Returns the addresses of the lines that were read.
async fn with_transport(text: Cursor<String>, witness: Witness) -> Vec<usize> {
    let (_agent, mut inbox) = connect(text, tokio::io::sink(), Options::default());
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
    read.iter().map(|line| line.as_ptr().addr()).collect()
}

async fn with_proxy(text: Cursor<String>, witness: Witness) -> Vec<usize> {
    let (silence, _quiet) = tokio::io::simplex(1);
    let agent = (text, tokio::io::sink());
    let mut proxy = proxy::connect((silence, witness), agent, attache::Options::default());
    let mut read = Vec::new();
    while let Some(message) = proxy.next().await {
        read.push(message.line().as_ptr().addr());
        message.forward();
    }
    read
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
