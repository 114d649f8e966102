//! Scripted peers, conversations that people can read, and normalised traces.
