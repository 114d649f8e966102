//! The elicitations of MCP servers that the person was sent to, until they are dealt with.

use std::collections::VecDeque;

/// The elicitations, newest last.
#[derive(Debug, Default)]
pub(super) struct UrlElicitations(VecDeque<UrlElicitation>);

#[derive(Debug)]
struct UrlElicitation {
    server: String,
    id: String,
    /// The request that it was asked by.
    request: String,
    is_done: bool,
}

impl UrlElicitations {
    pub(super) fn add(&mut self, server: String, id: String, request: String) {
        if self.0.len() == MAX_OPEN {
            self.0.pop_front();
        }
        self.0.push_back(UrlElicitation {
            server,
            id,
            request,
            is_done: false,
        });
    }

    /// A server says that a elicitation is dealt with: the request that it was asked by.
    pub(super) fn complete(&mut self, server: &str, id: &str) -> Option<String> {
        let mut elicitations = self.0.iter_mut();
        let elicitation = elicitations
            .find(|elicitation| elicitation.server == server && elicitation.id == id)?;
        elicitation.is_done = true;
        Some(elicitation.request.clone())
    }

    /// Whether the elicitation of a request is dealt with. It is no longer looked for.
    pub(super) fn remove_if_done(&mut self, request: &str) -> bool {
        let elicitations = self.0.len();
        self.0
            .retain(|elicitation| !(elicitation.is_done && elicitation.request == request));
        self.0.len() < elicitations
    }

    pub(super) fn remove(&mut self, request: &str) {
        self.0.retain(|elicitation| elicitation.request != request);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

const MAX_OPEN: usize = 32;
