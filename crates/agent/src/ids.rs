//! Names for messages, calls and compactions: random, so that none comes twice in a session however often it is loaded.

/// A new name with this before it.
pub(crate) fn fresh(prefix: &str) -> String {
    let mut bytes = [0_u8; 8];
    // Without randomness the name is the same each time, which a client takes for the same message; nothing is lost.
    getrandom::fill(&mut bytes).unwrap_or_default();
    format!("{prefix}{:016x}", u64::from_be_bytes(bytes))
}
