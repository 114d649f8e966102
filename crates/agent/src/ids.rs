//! Random ids for messages, calls and compactions, unique in a session however often it is loaded.

/// A new id with this prefix.
pub(crate) fn fresh(prefix: &str) -> String {
    let mut bytes = [0_u8; 8];
    // Without randomness all ids are equal: a client then shows several messages as one, but loses nothing.
    getrandom::fill(&mut bytes).unwrap_or_default();
    format!("{prefix}{:016x}", u64::from_be_bytes(bytes))
}
