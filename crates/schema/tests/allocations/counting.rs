//! A global allocator that counts for each thread the bytes in use, their peak, and the number of allocations.
//!
//! This is the one file of the tests with `unsafe` code: how much memory a decoder takes can only be seen from below,
//! and the trait of allocators is unsafe to implement. Every call goes to the system's allocator as it came.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The memory that some work used.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllocationStats {
    /// The most bytes in use at once. While a block grows, the old and the new one count, as if it had been moved.
    pub(crate) peak: usize,
    /// The number of allocated blocks.
    pub(crate) blocks: usize,
}

/// Runs some work and measures the memory that it used on this thread, in addition to the memory in use before.
pub(crate) fn measure_allocations<T>(work: impl FnOnce() -> T) -> (T, AllocationStats) {
    let before = COUNTS.get();
    COUNTS.set(LiveCounts {
        peak: before.live,
        ..before
    });
    let done = work();
    let after = COUNTS.get();
    let measure_allocations = AllocationStats {
        peak: usize::try_from(after.peak - before.live).unwrap_or(0),
        blocks: after.blocks - before.blocks,
    };
    (done, measure_allocations)
}

#[derive(Clone, Copy)]
struct LiveCounts {
    // Negative if this thread frees blocks that another thread allocated.
    live: isize,
    peak: isize,
    blocks: usize,
}

thread_local! {
    static COUNTS: Cell<LiveCounts> = const { Cell::new(LiveCounts { live: 0, peak: 0, blocks: 0 }) };
}

struct CountingAllocator;

#[global_allocator]
static COUNTING: CountingAllocator = CountingAllocator;

impl CountingAllocator {
    fn add(size: usize) {
        let mut counts = COUNTS.get();
        counts.live += size.cast_signed();
        counts.peak = counts.peak.max(counts.live);
        counts.blocks += 1;
        COUNTS.set(counts);
    }

    fn remove(size: usize) {
        let mut counts = COUNTS.get();
        counts.live -= size.cast_signed();
        COUNTS.set(counts);
    }
}

// SAFETY: every method hands its arguments to the system's allocator and returns what that returns.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CountingAllocator::add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        CountingAllocator::add(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        CountingAllocator::add(size);
        CountingAllocator::remove(layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        CountingAllocator::remove(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
