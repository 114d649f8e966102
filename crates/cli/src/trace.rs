//! `attache trace`: recording a conversation, and reading recordings.

mod record;
mod stats;

use std::fs::File;
use std::io::{self, BufReader, BufWriter, IsTerminal as _, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use attache::schema::rules::Level;
use attache_recording::units::time;
use attache_recording::{
    DiffLine, RecordFilter, RecordViolation, RecordedStream, RecordingReader, copy_lines,
    html_page, markdown, read_trace,
};
use attache_testkit::{Side, Trace as TraceMessages};
use attache_tui::viewer::{self, Growth};

use crate::arguments::{Diff, Trace, TraceCommand, TraceExport, TraceFormat, Validate, View};
use crate::exit::{self, Exit};
use crate::{print, text};

pub(crate) async fn trace(arguments: Trace) -> anyhow::Result<Exit> {
    match arguments.command {
        None => record::record(&arguments.recording).await,
        Some(TraceCommand::View(arguments)) => view(&arguments),
        Some(TraceCommand::Stats(arguments)) => stats::stats(&arguments),
        Some(TraceCommand::Diff(arguments)) => diff(&arguments),
        Some(TraceCommand::Validate(arguments)) => validate(&arguments),
        Some(TraceCommand::Export(arguments)) => export(&arguments),
    }
}

fn view(arguments: &View) -> anyhow::Result<Exit> {
    let filter = RecordFilter {
        session: arguments.session.clone(),
        method: arguments.method.clone(),
        text: arguments.text.clone(),
        stream: None,
    };
    if let Some(out) = &arguments.html {
        return write_html(&arguments.file, &filter, out);
    }
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let error = anyhow!("not a terminal; use --html OUT, or `attache trace stats`");
        return Ok(exit::fail(Exit::Usage, &error));
    }
    let growth = match arguments.follow {
        true => Growth::Growing,
        false => Growth::Finished,
    };
    viewer::view(&arguments.file, filter, growth)?;
    Ok(Exit::Done)
}

fn write_html(file: &Path, filter: &RecordFilter, out: &Path) -> anyhow::Result<Exit> {
    let place = || out.display().to_string();
    let mut all = records(file)?;
    let mut judged = records(file)?;
    let name = file.file_name().map(|name| name.to_string_lossy());
    let mut page_file = BufWriter::new(File::create(out).with_context(place)?);
    html_page(
        &mut all,
        &mut judged,
        filter,
        &name.unwrap_or_default(),
        &mut page_file,
    )
    .with_context(place)?;
    page_file.flush().with_context(place)?;
    Ok(Exit::Done)
}

fn diff(arguments: &Diff) -> anyhow::Result<Exit> {
    let both = load_trace(&arguments.old).and_then(|old| Ok((old, load_trace(&arguments.new)?)));
    let (old, new) = match both {
        Ok(both) => both,
        Err(error) => return Ok(exit::fail(Exit::Failed, &error)),
    };
    let changes = attache_recording::diff(&old, &new);
    if !changes.iter().any(DiffLine::is_change) {
        return Ok(Exit::Done);
    }
    let (old, new) = (arguments.old.display(), arguments.new.display());
    let mut out = text::lines(&format!("--- {old}\n+++ {new}\n"));
    out.push_str(&diff_lines(&changes));
    match print::print(&out)? {
        Exit::Done => Ok(Exit::Failed),
        exit => Ok(exit),
    }
}

fn load_trace(path: &Path) -> anyhow::Result<TraceMessages> {
    let mut records = records(path)?;
    read_trace(&mut records).with_context(|| path.display().to_string())
}

/// The changes with some lines around them.
fn diff_lines(changes: &[DiffLine]) -> String {
    let near = |place: usize| {
        let around =
            place.saturating_sub(CONTEXT_LINES)..(place + CONTEXT_LINES + 1).min(changes.len());
        changes[around].iter().any(DiffLine::is_change)
    };
    let mut out = String::new();
    let mut skipped = 0;
    for (place, change) in changes.iter().enumerate() {
        if !near(place) {
            skipped += 1;
            continue;
        }
        if skipped > 0 {
            out.push_str(&format!("@@ {skipped} lines are the same @@\n"));
            skipped = 0;
        }
        let (mark, line) = match change {
            DiffLine::Same(line) => (' ', line),
            DiffLine::Removed(line) => ('-', line),
            DiffLine::Added(line) => ('+', line),
        };
        out.push(mark);
        out.push_str(&text::line(line));
        out.push('\n');
    }
    out
}

fn validate(arguments: &Validate) -> anyhow::Result<Exit> {
    let mut all = records(&arguments.file)?;
    let wanted = arguments.side.map(Side::from);
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut broken, mut hints) = (0_u64, 0_u64);
    let mut written = Ok(());
    let messages = attache_recording::validate(
        &mut all,
        |found| {
            if wanted.is_none_or(|side| found.violation.from == side) && written.is_ok() {
                match found.violation.violation.level {
                    Level::Must | Level::Should => broken += 1,
                    Level::May | Level::Observed => hints += 1,
                }
                let line = match arguments.json {
                    true => found.to_json().to_string(),
                    false => violation_line(&found),
                };
                written = writeln!(out, "{line}");
            }
        },
        || true,
    )?;
    if written.and_then(|()| out.flush()).is_err() {
        return Ok(Exit::Unread);
    }
    crate::print::note!("attache: messages: {messages}, violations: {broken}, hints: {hints}");
    match (broken, report_invalid_lines(&arguments.file, all.invalid())) {
        (0, exit) => Ok(exit),
        (_, _) => Ok(Exit::Failed),
    }
}

fn violation_line(found: &RecordViolation) -> String {
    let (line, side) = (found.record + 1, found.violation.from);
    let violation = text::line(&found.violation.violation.to_string());
    format!("line {line}, {}, {side}: {violation}", time(found.at))
}

fn export(arguments: &TraceExport) -> anyhow::Result<Exit> {
    let mut records = records(&arguments.file)?;
    let place = || arguments.file.display().to_string();
    match arguments.format {
        TraceFormat::Script => {
            let trace = read_trace(&mut records).with_context(place)?;
            print::print_foreign(&trace.to_script())
        }
        TraceFormat::Markdown => print::print_foreign(&markdown(&mut records).with_context(place)?),
        TraceFormat::Raw => {
            let stream = RecordedStream::from(Side::from(arguments.side));
            let is_seen = io::stdout().is_terminal();
            let mut out = BufWriter::new(io::stdout().lock());
            let written = copy_lines(&mut records, stream, |line| match is_seen {
                true => {
                    let line = String::from_utf8_lossy(line);
                    out.write_all(print::escape_controls(&line).as_bytes())
                }
                false => out.write_all(line),
            });
            match written.and_then(|()| out.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Unread),
                written => written.with_context(place).map(|()| Exit::Done),
            }
        }
    }
}

/// Opens a recording.
fn records(path: &Path) -> anyhow::Result<RecordingReader<BufReader<File>>> {
    attache_recording::open_recording(path).with_context(|| path.display().to_string())
}

/// Reports how many lines of a file are not part of a recording, and fails if there are any.
fn report_invalid_lines(path: &Path, count: u64) -> Exit {
    if count == 0 {
        return Exit::Done;
    }
    let error = anyhow!(
        "{}: {count} lines are not part of a recording",
        path.display()
    );
    exit::fail(Exit::Failed, &error)
}

/// Equal lines that a diff shows around each change.
const CONTEXT_LINES: usize = 2;
