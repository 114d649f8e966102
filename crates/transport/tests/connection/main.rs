//! Tests of a connection: one end is a [`PeerHandle`](attache_transport::PeerHandle) with an inbox, the other end is raw bytes.

#![cfg(test)]

mod backpressure;
mod calls;
mod cancellation;
mod closing;
mod framing;
mod half_closed;
mod in_order_responses;
mod inbox;
mod limits;
mod logging;
mod malformed_lines;
mod races;
mod stdio;
mod support;
mod translator;
