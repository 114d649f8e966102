//! Results on standard output.

use std::io::{self, Write};

use anyhow::Context;

use crate::exit::Exit;

/// Prints a result.
pub(crate) fn print(text: &str) -> anyhow::Result<Exit> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Unread),
        Err(error) => Err(error).context("the result cannot be written"),
    }
}

/// Prints a result as JSON.
pub(crate) fn json(value: &serde_json::Value) -> anyhow::Result<Exit> {
    print(&format!("{value:#}\n"))
}
