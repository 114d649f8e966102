//! Content that grows chunk by chunk: text is joined, every other block stays separate.

use std::borrow::Cow;
use std::ops::Range;

use attache_schema::json::MaybeUndefined;
use attache_schema::v1;

use super::weight::Weight;

/// Content blocks in order. Consecutive text chunks are joined into one block.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContentBlocks {
    list: Vec<v1::ContentBlock>,
    bytes: usize,
}

/// The part of the content that is new: the last block, and a range of bytes in its text.
pub(super) struct Growth {
    pub(super) block: usize,
    pub(super) text: Range<usize>,
}

impl ContentBlocks {
    /// The content blocks in order.
    pub fn as_slice(&self) -> &[v1::ContentBlock] {
        &self.list
    }

    /// The text of all text blocks, concatenated.
    pub fn text(&self) -> Cow<'_, str> {
        let mut texts = self.list.iter().filter_map(text);
        let first = texts.next().unwrap_or_default();
        texts.fold(Cow::Borrowed(first), |all, more| all + more)
    }

    /// Whether there are no blocks, or only empty text.
    pub fn is_empty(&self) -> bool {
        self.list.iter().all(|block| text(block) == Some(""))
    }

    /// Adds a block. Text is appended to the text block before it, unless it has annotations of its own.
    pub(super) fn push(&mut self, block: v1::ContentBlock) -> Growth {
        let last = self.list.len().saturating_sub(1);
        let block = match (self.list.last_mut(), block) {
            (Some(v1::ContentBlock::Text(before)), v1::ContentBlock::Text(more))
                if before.annotations == more.annotations && before.meta == more.meta =>
            {
                let start = before.text.len();
                before.text.push_str(&more.text);
                self.bytes += more.text.len();
                let text = start..before.text.len();
                return Growth { block: last, text };
            }
            (_, block) => block,
        };
        let text = 0..text(&block).map_or(0, str::len);
        self.bytes += bytes(&block);
        self.list.push(block);
        let block = self.list.len() - 1;
        Growth { block, text }
    }

    /// Applies a patch to all blocks: unchanged, removed or replaced.
    pub(super) fn patch(&mut self, patch: MaybeUndefined<Vec<v1::ContentBlock>>) {
        match patch {
            MaybeUndefined::Undefined => {}
            MaybeUndefined::Null => *self = ContentBlocks::default(),
            MaybeUndefined::Value(list) => *self = list.into(),
        }
    }

    /// Drops content from the front until at most `keep` bytes are left.
    pub(super) fn trim(&mut self, keep: usize) {
        let mut gone = 0;
        for block in &mut self.list {
            let over = self.bytes.saturating_sub(keep);
            if over == 0 {
                break;
            }
            if let v1::ContentBlock::Text(content) = block
                && over < content.text.len()
            {
                let text = &mut content.text;
                let mut ends = over..text.len();
                let cut = ends
                    .find(|at| text.is_char_boundary(*at))
                    .unwrap_or(text.len());
                text.drain(..cut);
                self.bytes -= cut;
                break;
            }
            self.bytes -= bytes(block);
            gone += 1;
        }
        self.list.drain(..gone);
    }
}

impl From<Vec<v1::ContentBlock>> for ContentBlocks {
    fn from(list: Vec<v1::ContentBlock>) -> Self {
        let bytes = list.iter().map(bytes).sum();
        ContentBlocks { list, bytes }
    }
}

impl Weight for ContentBlocks {
    fn weight(&self) -> usize {
        self.bytes
    }
}

fn text(block: &v1::ContentBlock) -> Option<&str> {
    match block {
        v1::ContentBlock::Text(content) => Some(&content.text),
        _ => None,
    }
}

fn bytes(block: &v1::ContentBlock) -> usize {
    size_of::<v1::ContentBlock>() + block.weight()
}
