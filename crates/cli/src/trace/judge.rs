//! `attache trace validate`.

use std::io::{self, BufWriter, Write};

use attache::schema::rules::Level;
use attache_recording::units::time;
use attache_recording::{RecordViolation, validate};
use attache_testkit::Side;

use super::{records, tell_broken};
use crate::arguments::Validate;
use crate::exit::Exit;
use crate::text;

pub(super) fn judge(arguments: &Validate) -> anyhow::Result<Exit> {
    let mut all = records(&arguments.file)?;
    let wanted = arguments.side.map(Side::from);
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut broken, mut hints) = (0_u64, 0_u64);
    let mut written = Ok(());
    let messages = validate(
        &mut all,
        |found| {
            if wanted.is_none_or(|side| found.violation.from == side) && written.is_ok() {
                match found.violation.violation.level {
                    Level::Must | Level::Should => broken += 1,
                    Level::May | Level::Observed => hints += 1,
                }
                let line = match arguments.json {
                    true => found.to_json().to_string(),
                    false => shown(&found),
                };
                written = writeln!(out, "{line}");
            }
        },
        || true,
    )?;
    if written.and_then(|()| out.flush()).is_err() {
        return Ok(Exit::Unread);
    }
    crate::print::say!("attache: messages: {messages}, violations: {broken}, hints: {hints}");
    match (broken, tell_broken(&arguments.file, all.invalid())) {
        (0, told) => Ok(told),
        (_, _) => Ok(Exit::Failed),
    }
}

fn shown(found: &RecordViolation) -> String {
    let (line, side) = (found.record + 1, found.violation.from);
    let violation = text::line(&found.violation.violation.to_string());
    format!("line {line}, {}, {side}: {violation}", time(found.at))
}
