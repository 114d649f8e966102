//! A proxy that passes on every line as it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use attache_rpc::{Frame, Splitter};
use bytes::BytesMut;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::mock_agent::number;
use super::mutation::{Breaker, Mutations, Passed};
use crate::conformance::{Ends, ProxyLaunch};

/// Starts mocks. What a breaker changes on its way in goes to the agent, what it changes on its way out to the client.
pub(super) fn launch(breaker: Option<&'static Breaker>) -> ProxyLaunch {
    let started = Arc::new(Mutex::new(HashMap::new()));
    Arc::new(move |act| {
        let connection = number(&started, act);
        Box::pin(async move {
            let (front, client) = attache_transport::pipes(1 << 16);
            let (back, agent) = attache_transport::pipes(1 << 16);
            tokio::spawn(pass(
                client,
                agent,
                Mutations::new(breaker, act, connection),
            ));
            Ok((ends(front), ends(back)))
        })
    })
}

fn ends(pipe: attache_transport::Pipe) -> Ends {
    Ends {
        read: Box::new(pipe.0),
        write: Box::new(pipe.1),
        child: None,
    }
}

async fn pass(
    (mut from_client, mut to_client): attache_transport::Pipe,
    (mut from_agent, mut to_agent): attache_transport::Pipe,
    mut mutations: Mutations,
) {
    let (mut one, mut other) = (Splitter::new(1 << 26), Splitter::new(1 << 26));
    let (mut client, mut agent) = (BytesMut::new(), BytesMut::new());
    loop {
        while let Ok(Some(Frame::Message(line))) = one.next(&mut client) {
            let Passed::Lines(lines) = mutations.hear(&line) else {
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
                Ok(message) => mutations.say(&message),
                Err(_) => mutations.hear_back(&line),
            };
            let Passed::Lines(lines) = passed else {
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
        if ended && mutations.lingers() {
            std::future::pending::<()>().await;
        }
        if ended {
            return;
        }
    }
}
