//! Compactions.

use attache_schema::{Meta, v1};

use super::blocks::ContentBlocks;
use super::weight::{Weight, encoded};

/// A compaction of the history, assembled from its updates and the chunks of its summary.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CompactionEntry {
    /// Id of the compaction.
    pub id: v1::CompactionId,
    /// Progress of the compaction.
    pub status: v1::CompactionStatus,
    /// Summary that replaces the history.
    pub summary: ContentBlocks,
    /// Reason why the compaction failed.
    pub error: Option<String>,
    /// Extension data (`_meta`).
    pub meta: Option<Meta>,
}

impl CompactionEntry {
    /// A running compaction without further details.
    pub(super) fn new(id: v1::CompactionId) -> Self {
        CompactionEntry {
            id,
            status: v1::CompactionStatus::InProgress,
            summary: ContentBlocks::default(),
            error: None,
            meta: None,
        }
    }

    pub(super) fn change(&mut self, update: v1::CompactionUpdate) {
        let v1::CompactionUpdate {
            compaction_id: _,
            status,
            summary,
            error,
            meta,
            ..
        } = update;
        self.status = status;
        self.summary.patch(summary);
        error.apply_to(&mut self.error);
        meta.apply_to(&mut self.meta);
    }
}

impl Weight for CompactionEntry {
    fn weight(&self) -> usize {
        self.id.weight()
            + encoded(&self.status)
            + self.summary.weight()
            + self.error.weight()
            + self.meta.weight()
    }
}
