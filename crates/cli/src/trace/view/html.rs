//! `attache trace view --html`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use attache_recording::{RecordFilter, html_page};

use super::super::records;
use crate::exit::Exit;

pub(super) fn write(file: &Path, filter: &RecordFilter, out: &Path) -> anyhow::Result<Exit> {
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
