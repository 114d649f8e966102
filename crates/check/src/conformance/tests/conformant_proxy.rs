//! A proxy that forwards every line unchanged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::conformant_agent::connection_number;
use super::mutation::{Forwarded, Mutation, Mutator};
use crate::conformance::{PeerStreams, ProxyLauncher};

/// Starts proxies. Incoming mutations change messages to the agent, outgoing mutations change messages to the client.
pub(super) fn launch(mutation: Option<&'static Mutation>) -> ProxyLauncher {
    let started = Arc::new(Mutex::new(HashMap::new()));
    Arc::new(move |case| {
        let connection = connection_number(&started, case);
        Box::pin(async move {
            let (front, client) = attache_transport::pipes(1 << 16);
            let (back, agent) = attache_transport::pipes(1 << 16);
            tokio::spawn(pass(
                client,
                agent,
                Mutator::new(mutation, case, connection),
            ));
            Ok((ends(front), ends(back)))
        })
    })
}

fn ends(pipe: attache_transport::Pipe) -> PeerStreams {
    PeerStreams {
        read: Box::new(pipe.0),
        write: Box::new(pipe.1),
        child: None,
    }
}

async fn pass(
    (mut from_client, mut to_client): attache_transport::Pipe,
    (mut from_agent, mut to_agent): attache_transport::Pipe,
    mut mutator: Mutator,
) {
    let (mut one, mut other) = (Splitter::new(1 << 26), Splitter::new(1 << 26));
    let (mut client, mut agent) = (BytesMut::new(), BytesMut::new());
    loop {
        while let Ok(Some(Frame::Message(line))) = one.next(&mut client) {
            let Forwarded::Lines(lines) = mutator.receive(&line) else {
                return;
            };
            for line in lines {
                if to_agent.write_all(&line).await.is_err() {
                    return;
                }
            }
        }
        while let Ok(Some(Frame::Message(line))) = other.next(&mut agent) {
            let passed = match serde_json::from_slice::<Value>(&line) {
                Ok(message) => mutator.send(&message),
                Err(_) => mutator.receive_invalid(&line),
            };
            let Forwarded::Lines(lines) = passed else {
                return;
            };
            for line in lines {
                if to_client.write_all(&line).await.is_err() {
                    return;
                }
            }
        }
        let ended = tokio::select! {
            got = from_client.read_buf(&mut client) => !matches!(got, Ok(1..)),
            got = from_agent.read_buf(&mut agent) => !matches!(got, Ok(1..)),
        };
        if ended && mutator.keeps_running() {
            std::future::pending::<()>().await;
        }
        if ended {
            return;
        }
    }
}
