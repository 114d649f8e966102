//! A recording in other forms: a script, Markdown, the lines of one side.

mod markdown;

use std::io::{self, BufRead};

use attache_testkit::{Trace, TraceEntry, TraceEvent};

use super::{Record, Records, Stream, What};

pub use markdown::markdown;

/// The conversation of a recording, to be shown as a script or compared. Standard error is no part of it.
///
/// # Errors
///
/// When the recording cannot be read, or is too large to be held.
pub fn script<R: BufRead>(records: &mut Records<R>) -> io::Result<Trace> {
    let mut trace = Trace::default();
    let mut bytes = 0;
    for record in records {
        let record = record?;
        bytes += size(&record);
        if bytes > MOST {
            let why = "the recording is too large to convert: more than 256 MiB of messages";
            return Err(io::Error::other(why));
        }
        if let Some(entry) = entry(record) {
            trace.push(entry);
        }
    }
    Ok(trace)
}

/// The lines of one stream as they were on the wire, with their line breaks.
///
/// # Errors
///
/// When the recording cannot be read, or a line cannot be taken.
pub fn raw<R: BufRead>(
    records: &mut Records<R>,
    wanted: Stream,
    mut take: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    for record in records {
        if let What::Said(stream, mut said) = record?.what
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
    match record.what {
        What::Said(stream, mut said) => {
            said.bytes.push(b'\n');
            let event = TraceEvent::Line(said.bytes.into());
            Some(TraceEntry {
                from: stream.side()?,
                event,
            })
        }
        What::Closed(stream) => Some(TraceEntry {
            from: stream.side()?,
            event: TraceEvent::Closed,
        }),
        What::Header(_) | What::Lost(..) | What::End(_) => None,
    }
}

fn size(record: &Record) -> usize {
    match &record.what {
        What::Said(_, said) => said.bytes.len(),
        _ => 0,
    }
}

const MOST: usize = 256 << 20;
