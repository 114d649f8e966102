//! Recordings, tested.
