//! A global allocator that counts. It ends at the count: memory comes from the system's allocator.
//!
//! Unsafe because `GlobalAlloc` is an unsafe trait; every call is passed on unchanged, so the caller's
//! promise is the one `System` needs.
#![allow(unsafe_code, reason = "GlobalAlloc cannot be implemented without it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Calls of `alloc`, `alloc_zeroed` and `realloc` so far.
pub(crate) fn count() -> usize {
    COUNT.load(Ordering::Relaxed)
}

struct Counting;

// SAFETY: passes every call on to `System`.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count_one();
        // SAFETY: the caller's promise.
        unsafe { System.realloc(ptr, layout, new_size) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) }
    }
}

/// Not `fetch_add`: its bus lock would slow down just those who allocate, and everything measured runs
/// on one thread.
fn count_one() {
    COUNT.store(COUNT.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static COUNT: AtomicUsize = AtomicUsize::new(0);
