//! Random ids for messages, calls and compactions, unique in a session however often it is loaded.

/// A new id with this prefix.
pub(crate) fn fresh(prefix: &str) -> String {
    let mut bytes = [0_u8; 8];
    // Without randomness all ids are the same, so a client shows messages as one; nothing is lost.
    getrandom::fill(&mut bytes).unwrap_or_default();
    format!("{prefix}{:016x}", u64::from_be_bytes(bytes))
}
