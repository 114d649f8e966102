//! `attache trace view`: a recording in the terminal, or as a page.

mod html;

use std::io::{self, IsTerminal};

use anyhow::anyhow;
use attache_recording::RecordFilter;
use attache_tui::viewer::{self, Growth};

use crate::arguments::View;
use crate::exit::{self, Exit};

pub(super) fn view(arguments: &View) -> anyhow::Result<Exit> {
    let filter = RecordFilter {
        session: arguments.session.clone(),
        method: arguments.method.clone(),
        text: arguments.text.clone(),
        stream: None,
    };
    if let Some(out) = &arguments.html {
        return html::write(&arguments.file, &filter, out);
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
