//! Finds, sixteen bytes at a time, the bytes that end the plain part of a JSON string.
//!
//! This is the only file of the crate with `unsafe` code. Reading JSON spends most of its time in this search, and the
//! functions for vector instructions are unsafe because a processor might lack them. x86-64 always has SSE2.
#![allow(unsafe_code)]

/// A bit for each byte of the block that is a quote, a backslash or a control character.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn special(block: &[u8; 16]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8,
    };
    // SAFETY: every x86-64 processor has SSE2, and the load reads the sixteen bytes of the block at any alignment.
    let marks = unsafe {
        let text = _mm_loadu_si128(block.as_ptr().cast());
        let quote = _mm_cmpeq_epi8(text, _mm_set1_epi8(0x22));
        let backslash = _mm_cmpeq_epi8(text, _mm_set1_epi8(0x5c));
        let control = _mm_cmpeq_epi8(_mm_min_epu8(text, _mm_set1_epi8(0x1f)), text);
        _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control))
    };
    marks.cast_unsigned()
}

/// A bit for each byte of the block that is a quote, a backslash or a control character.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(super) fn special(block: &[u8; 16]) -> u32 {
    let bits = block.iter().enumerate();
    bits.fold(0, |marks, (index, &byte)| {
        marks | u32::from(is_special(byte)) << index
    })
}

/// Whether a byte is a quote, a backslash or a control character.
pub(super) fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}
