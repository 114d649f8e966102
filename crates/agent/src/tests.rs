//! Whole conversations: what the model is sent next, what the client saw, what is on disk.

mod stage;
mod turns;
