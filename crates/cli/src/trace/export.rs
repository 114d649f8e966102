//! `attache trace export`.

use std::io::{self, BufWriter, IsTerminal as _, Write};

use anyhow::Context;
use attache_recording::{RecordedStream, copy_lines, markdown, read_trace};
use attache_testkit::Side;

use super::records;
use crate::arguments::{TraceExport, TraceFormat};
use crate::exit::Exit;
use crate::print;

pub(super) fn export(arguments: &TraceExport) -> anyhow::Result<Exit> {
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
                    out.write_all(print::inert(&line).as_bytes())
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
