//! The journal: what was said, shown and decided in every session, on disk.
