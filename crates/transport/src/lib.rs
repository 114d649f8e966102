//! Drives a JSON-RPC peer over bytes, and keeps the processes it starts in custody. It never looks into params.

pub mod process;
