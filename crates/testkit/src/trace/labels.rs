//! Finds the requests that need a label, because a response or cancellation would otherwise be ambiguous.

use std::collections::{BTreeSet, HashMap};

use attache_rpc::Id;
use attache_rpc::json::{Object, from_str};

use crate::Side;
use crate::wire_message::WireMessage;

#[derive(Default)]
pub(super) struct Labels {
    /// The request of each entry: the entry is that request, its response, or its cancellation.
    request: HashMap<usize, usize>,
    /// The labels, by request.
    labels: HashMap<usize, usize>,
    /// Responses without a request.
    strays: BTreeSet<usize>,
}

impl Labels {
    pub(super) fn of(messages: &[(Side, WireMessage)]) -> Self {
        let mut found = Labels::default();
        let mut requests: Vec<TracedRequest> = Vec::new();
        let mut needed = BTreeSet::new();
        for (index, (from, message)) in messages.iter().enumerate() {
            match message {
                WireMessage::Request(id, ..) => {
                    requests.push(TracedRequest {
                        entry: index,
                        asker: *from,
                        id: id.clone(),
                        open: true,
                    });
                    found.request.insert(index, index);
                }
                WireMessage::Response(id, _) | WireMessage::Failure(id, _) => {
                    match answered_request(&mut requests, from.other(), id, &mut needed) {
                        Some(request) => {
                            found.request.insert(index, request);
                        }
                        None => {
                            found.strays.insert(index);
                        }
                    }
                }
                WireMessage::Notification(method, Some(params)) if method == CANCEL => {
                    if let Some(request) = cancelled_request(&requests, *from, params) {
                        needed.insert(request);
                        found.request.insert(index, request);
                    }
                }
                _ => {}
            }
        }
        let numbered = needed.into_iter().zip(1..);
        found.labels = numbered.collect();
        found
    }

    /// The label of an entry's request: the entry is that request, its response, or its cancellation.
    pub(super) fn of_entry(&self, entry: usize) -> Option<usize> {
        let request = self.request.get(&entry)?;
        self.labels.get(request).copied()
    }

    pub(super) fn is_stray(&self, entry: usize) -> bool {
        self.strays.contains(&entry)
    }
}

struct TracedRequest {
    entry: usize,
    asker: Side,
    id: Id,
    open: bool,
}

/// The request of a response. It needs a label unless it is the oldest open request without one.
fn answered_request(
    requests: &mut [TracedRequest],
    asker: Side,
    id: &Id,
    needed: &mut BTreeSet<usize>,
) -> Option<usize> {
    let mut older = false;
    for request in requests.iter_mut() {
        if request.asker != asker || !request.open {
            continue;
        }
        if request.id == *id {
            request.open = false;
            if older {
                needed.insert(request.entry);
            }
            return Some(request.entry);
        }
        older |= !needed.contains(&request.entry);
    }
    None
}

/// The request that a cancellation names.
fn cancelled_request(requests: &[TracedRequest], asker: Side, params: &str) -> Option<usize> {
    let params = Object::parse(params).ok()?;
    let id: Id = from_str(params.get("requestId")?).ok()?;
    let mut latest = requests.iter().rev();
    let request = latest.find(|request| request.asker == asker && request.id == id);
    request.map(|request| request.entry)
}

const CANCEL: &str = "$/cancel_request";
