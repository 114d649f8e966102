//! A file that holds every line of a conversation, as it was on the wire and when.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::desk::Way;

/// A file of lines such as `{"dir":"in","time":"2026-01-31T12:00:00Z","line":"{…}"}`. Only its owner can read it.
#[derive(Debug)]
pub struct Trace(Mutex<State>);

#[derive(Debug)]
struct State {
    file: File,
    fault: Option<io::Error>,
}

impl Trace {
    /// Makes the file. One that is there is emptied.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn create(path: &Path) -> io::Result<Trace> {
        let file = private().open(path)?;
        owner_only(&file)?;
        let fault = None;
        Ok(Trace(Mutex::new(State { file, fault })))
    }

    /// Notes a line.
    pub fn note(&self, way: Way, line: &[u8]) {
        let dir = match way {
            Way::In => "in",
            Way::Out => "out",
        };
        let time = jiff::Timestamp::now().to_string();
        let line = String::from_utf8_lossy(line);
        let entry = serde_json::json!({ "dir": dir, "time": time, "line": line });
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.fault.is_none() {
            let written = state.file.write_all(format!("{entry}\n").as_bytes());
            state.fault = written.err();
        }
    }

    /// Why the file could not be written to its end, if so.
    pub fn fault(&self) -> Option<String> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.fault.as_ref().map(ToString::to_string)
    }
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A file that was there keeps its mode, unless it is told.
#[cfg(unix)]
fn owner_only(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(mode)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn owner_only(_: &File) -> io::Result<()> {
    Ok(())
}
