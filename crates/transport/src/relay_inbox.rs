//! The receiving side of a connection whose messages are forwarded to another connection.

use std::fmt;
use std::future::poll_fn;

use attache_rpc::{Call, CallFailure, Id, Payload};
use bytestring::ByteString;

use crate::IncomingCall;
use crate::driver::InboxItem;
use crate::inbox::{FetchResult, Inbox};

/// Everything that the peer sends, in order, except responses to calls that this side made itself. Returned by
/// [`connect_relay`](crate::connect_relay()).
pub struct RelayInbox(Inbox);

/// A message to forward.
#[derive(Debug)]
pub enum RelayedMessage {
    /// A request. Respond with [`PeerHandle::relay_response`](crate::PeerHandle::relay_response) or
    /// [`PeerHandle::respond`](crate::PeerHandle::respond).
    Request(Id, Call),
    /// A notification other than a cancellation.
    Notification(Call),
    /// The peer has cancelled its request with this id, which has no response yet. Contains the whole line.
    Cancellation(Id, ByteString),
    /// A response to a request that this side did not make itself.
    Response {
        /// The id of the request.
        id: Id,
        /// The result, or why there is none.
        outcome: Result<Payload, CallFailure>,
        /// The whole line; empty if the response is malformed.
        line: ByteString,
    },
}

impl RelayInbox {
    pub(crate) fn new(inbox: Inbox) -> Self {
        RelayInbox(inbox)
    }

    /// Waits until [`try_next`](Self::try_next) has a message. Returns `false` when the peer has closed its side and all
    /// messages have been taken. Cancel safe.
    pub async fn readable(&mut self) -> bool {
        if !self.0.fetched.is_empty() {
            return true;
        }
        match poll_fn(|cx| self.0.fetch(cx)).await {
            FetchResult::Items => true,
            FetchResult::Ended => false,
        }
    }

    /// Returns the next message if it has arrived, with the number of bytes that it occupies.
    pub fn try_next(&mut self) -> Option<(RelayedMessage, usize)> {
        loop {
            let item = match self.0.fetched.pop_front() {
                Some(item) => item,
                None => {
                    std::mem::swap(&mut self.0.fetched, &mut self.0.shared.lock().inbox);
                    self.0.fetched.pop_front()?
                }
            };
            let (message, size) = match item {
                InboxItem::Call(IncomingCall::Request(id, call), size) => {
                    (RelayedMessage::Request(id, call), size)
                }
                InboxItem::Call(IncomingCall::Notification(call), size) => {
                    (RelayedMessage::Notification(call), size)
                }
                InboxItem::Relayed(message, size) => (message, size),
                InboxItem::Response(call, outcome, size) => {
                    self.0.note_taken(size);
                    self.0.shared.lock().deliver(call, outcome);
                    continue;
                }
            };
            self.0.note_taken(size);
            return Some((message, size));
        }
    }
}

impl fmt::Debug for RelayInbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayInbox").finish_non_exhaustive()
    }
}
