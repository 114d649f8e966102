//! The pages of MCP servers that the person was sent to, until they are dealt with.

use std::collections::VecDeque;

/// The pages, newest last.
#[derive(Debug, Default)]
pub(super) struct Pages(VecDeque<Page>);

#[derive(Debug)]
struct Page {
    server: String,
    id: String,
    /// The question that it was asked by.
    question: String,
    is_done: bool,
}

impl Pages {
    pub(super) fn open(&mut self, server: String, id: String, question: String) {
        if self.0.len() == PAGES {
            self.0.pop_front();
        }
        self.0.push_back(Page {
            server,
            id,
            question,
            is_done: false,
        });
    }

    /// A server says that a page is dealt with: the question that it was asked by.
    pub(super) fn done(&mut self, server: &str, id: &str) -> Option<String> {
        let mut pages = self.0.iter_mut();
        let page = pages.find(|page| page.server == server && page.id == id)?;
        page.is_done = true;
        Some(page.question.clone())
    }

    /// Whether the page of a question is dealt with. It is no longer looked for.
    pub(super) fn close_if_done(&mut self, question: &str) -> bool {
        let pages = self.0.len();
        self.0
            .retain(|page| !(page.is_done && page.question == question));
        self.0.len() < pages
    }

    pub(super) fn close(&mut self, question: &str) {
        self.0.retain(|page| page.question != question);
    }

    pub(super) fn forget(&mut self) {
        self.0.clear();
    }
}

const PAGES: usize = 32;
