//! `attache trace diff`.

use std::path::Path;

use anyhow::Context;
use attache_recording::{DiffLine, diff, read_trace};
use attache_testkit::Trace;

use super::records;
use crate::arguments::Diff;
use crate::exit::{self, Exit};
use crate::{print, text};

pub(super) fn compare(arguments: &Diff) -> anyhow::Result<Exit> {
    let both = read(&arguments.old).and_then(|old| Ok((old, read(&arguments.new)?)));
    let (old, new) = match both {
        Ok(both) => both,
        Err(error) => return Ok(exit::fail(Exit::Failed, &error)),
    };
    let changes = diff(&old, &new);
    if !changes.iter().any(DiffLine::is_change) {
        return Ok(Exit::Done);
    }
    let (old, new) = (arguments.old.display(), arguments.new.display());
    let mut out = text::lines(&format!("--- {old}\n+++ {new}\n"));
    out.push_str(&shown(&changes));
    match print::print(&out)? {
        Exit::Done => Ok(Exit::Failed),
        exit => Ok(exit),
    }
}

fn read(path: &Path) -> anyhow::Result<Trace> {
    let mut records = records(path)?;
    read_trace(&mut records).with_context(|| path.display().to_string())
}

/// The changes with some lines around them.
fn shown(changes: &[DiffLine]) -> String {
    let near = |place: usize| {
        let around = place.saturating_sub(AROUND)..(place + AROUND + 1).min(changes.len());
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

const AROUND: usize = 2;
