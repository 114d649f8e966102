//! Session ids: unguessable, and sorted by time of creation.

use jiff::Timestamp;

use super::Error;

/// A new id: `sess_` and 26 letters and digits, 48 bits of them the time in milliseconds and 80 random.
///
/// # Errors
///
/// When the system provides no random numbers.
pub fn new_id() -> Result<String, Error> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| Error::Random {
        why: error.to_string(),
    })?;
    let milliseconds = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default();
    Ok(spelled(milliseconds, u128::from_le_bytes(random)))
}

fn spelled(milliseconds: u64, random: u128) -> String {
    let value = u128::from(milliseconds) << 80 | random >> 48;
    let digits = (0..26).rev().map(|place| {
        let digit = value >> (5 * place) & 31;
        char::from(DIGITS[usize::try_from(digit).unwrap_or_default()])
    });
    format!("sess_{}", digits.collect::<String>())
}

/// The digits of an id. They leave out letters that are easily confused.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_by_time_and_never_repeat() {
        let old = spelled(1_000, u128::MAX);
        let new = spelled(1_001, 0);
        assert_eq!(old, "sess_00000000z8zzzzzzzzzzzzzzzz");
        assert!(old < new);
        let many: std::collections::BTreeSet<_> = (0..1000).map(|_| new_id().unwrap()).collect();
        assert_eq!(many.len(), 1000);
    }
}
