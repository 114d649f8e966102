//! Converts a recording to a script, to Markdown, or to the lines of one side.

mod markdown;

use std::io::{self, BufRead};

use attache_testkit::{Trace, TraceEntry, TraceEvent};

use super::{Record, RecordContent, RecordedStream, RecordingReader};

pub use markdown::markdown;

/// Reads the conversation of a recording, to show it as a script or to compare it. Standard error is left out.
///
/// # Errors
///
/// When the recording cannot be read, or is too large to convert.
pub fn read_trace<R: BufRead>(records: &mut RecordingReader<R>) -> io::Result<Trace> {
    let mut trace = Trace::default();
    let mut bytes = 0;
    for record in records {
        let record = record?;
        bytes += size(&record);
        if bytes > MAX_BYTES {
            let why = "the recording is too large to convert: more than 256 MiB of messages";
            return Err(io::Error::other(why));
        }
        if let Some(entry) = entry(record) {
            trace.push(entry);
        }
    }
    Ok(trace)
}

/// Writes the lines of one stream as they were on the wire, with their line breaks.
///
/// # Errors
///
/// When the recording cannot be read, or a line cannot be written.
pub fn copy_lines<R: BufRead>(
    records: &mut RecordingReader<R>,
    wanted: RecordedStream,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    for record in records {
        if let RecordContent::Line(stream, mut said) = record?.content
            && stream == wanted
        {
            if !said.unfinished {
                said.bytes.push(b'\n');
            }
            take(&said.bytes)?;
        }
    }
    Ok(())
}

fn entry(record: Record) -> Option<TraceEntry> {
    match record.content {
        RecordContent::Line(stream, mut said) => {
            said.bytes.push(b'\n');
            let event = TraceEvent::Line(said.bytes.into());
            Some(TraceEntry {
                from: stream.side()?,
                event,
            })
        }
        RecordContent::Closed(stream) => Some(TraceEntry {
            from: stream.side()?,
            event: TraceEvent::Closed,
        }),
        RecordContent::Header(_) | RecordContent::Lost(..) | RecordContent::End(_) => None,
    }
}

fn size(record: &Record) -> usize {
    match &record.content {
        RecordContent::Line(_, said) => said.bytes.len(),
        _ => 0,
    }
}

const MAX_BYTES: usize = 256 << 20;
