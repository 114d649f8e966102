//! The agent side and the client side of the Agent Client Protocol, in one vocabulary.

pub mod transcript;
