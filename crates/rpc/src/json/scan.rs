//! Finding the end of the plain part of a string, many bytes at a time.

/// The index of the first byte at or after `at` that a JSON string cannot hold as it is: a quote, a backslash or a
/// control character. The length of `bytes` if there is none.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let marked = special(u64::from_le_bytes(*word));
        if marked != 0 {
            return at + marked.trailing_zeros() as usize / 8;
        }
        at += 8;
        if at % 64 == 0 {
            at = plain_blocks(bytes, at);
        }
    }
    while let Some(&byte) = bytes.get(at) {
        if is_special(byte) {
            break;
        }
        at += 1;
    }
    at
}

/// Steps over blocks of 64 bytes without a special byte; written so that the compiler vectorises the inner loop.
fn plain_blocks(bytes: &[u8], mut at: usize) -> usize {
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk::<64>()) {
        let special = block
            .iter()
            .fold(false, |found, &byte| found | is_special(byte));
        if special {
            break;
        }
        at += 64;
    }
    at
}

fn is_special(byte: u8) -> bool {
    byte == b'"' || byte == b'\\' || byte < 0x20
}

/// The high bit of every byte in the word that is special. Bits above the first one set may be wrong, as in every
/// borrow-based byte search; only the first is used.
fn special(word: u64) -> u64 {
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = zero_byte(word ^ (ONES * 0x22));
    let backslash = zero_byte(word ^ (ONES * 0x5c));
    (below_space | quote | backslash) & HIGHS
}

fn zero_byte(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_byte_by_byte_search(bytes in prop::collection::vec(any::<u8>(), 0..300), at in 0usize..20) {
            let at = at.min(bytes.len());
            let slow = bytes[at..].iter().position(|&b| is_special(b)).map_or(bytes.len(), |n| at + n);
            prop_assert_eq!(plain_end(&bytes, at), slow);
        }

        #[test]
        fn agrees_on_long_plain_text(length in 0usize..600, special in prop::option::of(0usize..600)) {
            let mut bytes = vec![b'a'; length];
            if let Some(byte) = special.and_then(|index| bytes.get_mut(index)) {
                *byte = b'\\';
            }
            let slow = bytes.iter().position(|&b| is_special(b)).unwrap_or(length);
            prop_assert_eq!(plain_end(&bytes, 0), slow);
        }
    }
}
