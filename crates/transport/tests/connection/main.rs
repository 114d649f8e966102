//! A connection as its two users see it: one end through a [`PeerHandle`](attache_transport::PeerHandle) and an inbox, the other
//! as bytes.

#![cfg(test)]

mod calls;
mod cancelling;
mod closing;
mod framing;
mod garbage;
mod half_closed;
mod in_order;
mod inbox;
mod limits;
mod pressure;
mod races;
mod stdio;
mod support;
mod translator;
