//! What this crate writes to the program's log, through `tracing`: programs that start and end, never their arguments,
//! environment or output.

use std::path::Path;

use attache_text::plain::visible;
use tracing::{Instrument, Level, Span, enabled, info, warn};

use super::program::Program;
use super::{Custody, Error, ExitStatus, StartedProgram};

/// Reports whether a program has started, and later how it ended.
pub(crate) fn starting<T>(
    program: &Program,
    result: Result<T, Error>,
    started: impl FnOnce(&T) -> &StartedProgram,
) -> Result<T, Error> {
    match &result {
        Ok(value) => report_start(program, started(value)),
        Err(error) => warn!(
            target: TARGET,
            program = %name(program),
            kind = kind(error),
            "program did not start",
        ),
    }
    result
}

fn report_start(program: &Program, started: &StartedProgram) {
    if !enabled!(target: TARGET, Level::INFO) {
        return;
    }
    let pid = started.pid;
    let custody = match started.custody {
        Custody::Guard => "guard",
        Custody::Direct => "direct",
    };
    info!(target: TARGET, program = %name(program), pid, custody, "program started");
    let mut progress = started.progress.clone();
    let ended = async move {
        let last = match progress.wait_for(|now| now.survivors.is_some()).await {
            Ok(last) => *last,
            Err(_) => return,
        };
        let status = last.status.unwrap_or(ExitStatus::Lost);
        let survivors = last.survivors.unwrap_or(0);
        if status == ExitStatus::Lost || survivors > 0 {
            warn!(target: TARGET, pid, %status, survivors, "program exited");
        } else {
            info!(target: TARGET, pid, %status, survivors, "program exited");
        }
    };
    tokio::spawn(ended.instrument(Span::current()));
}

fn name(program: &Program) -> String {
    let name = Path::new(&program.name).to_string_lossy();
    visible(&name).into_owned()
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::NotFound { .. } => "not_found",
        Error::NotExecutable { .. } => "not_executable",
        Error::Directory { .. } => "directory",
        Error::Start { .. } => "start",
        Error::Custody { .. } => "custody",
        Error::Sandbox { .. } => "sandbox",
        Error::Moved { .. } => "moved",
        Error::Watch { .. } => "watch",
        Error::Denied { .. } => "denied",
        Error::NoRuntime => "no_runtime",
    }
}

const TARGET: &str = "attache_process";
