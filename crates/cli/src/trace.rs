//! `attache trace`.

mod compare;
mod export;
mod judge;
mod pass;
mod stats;
mod view;

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use anyhow::Context;
use attache_recording::RecordingReader;

use crate::arguments::{Trace, TraceCommand};
use crate::exit::{self, Exit};

pub(crate) async fn trace(arguments: Trace) -> anyhow::Result<Exit> {
    match arguments.command {
        None => pass::pass(&arguments.recording).await,
        Some(TraceCommand::View(view)) => view::view(&view),
        Some(TraceCommand::Stats(stats)) => stats::stats(&stats),
        Some(TraceCommand::Diff(diff)) => compare::compare(&diff),
        Some(TraceCommand::Validate(validate)) => judge::judge(&validate),
        Some(TraceCommand::Export(export)) => export::export(&export),
    }
}

fn records(path: &Path) -> anyhow::Result<RecordingReader<BufReader<File>>> {
    attache_recording::open_recording(path).with_context(|| path.display().to_string())
}

/// Says that a file has lines that are none of a recording.
fn tell_broken(path: &Path, broken: u64) -> Exit {
    if broken == 0 {
        return Exit::Done;
    }
    let error = anyhow::anyhow!(
        "{}: {broken} lines are not part of a recording",
        path.display()
    );
    exit::fail(Exit::Failed, &error)
}
