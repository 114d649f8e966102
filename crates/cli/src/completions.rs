//! `attache completions` and `attache man`: made from the arguments, so that they are never behind them.

use std::fs;

use anyhow::Context;
use clap::CommandFactory;

use crate::arguments::{Arguments, Completions, Man};
use crate::exit::Exit;
use crate::print;

pub(crate) fn completions(completions: &Completions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(
        completions.shell,
        &mut Arguments::command(),
        "attache",
        &mut script,
    );
    print::print(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(man: &Man) -> anyhow::Result<Exit> {
    let Some(folder) = &man.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
        return print::print(&String::from_utf8_lossy(&page));
    };
    fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
    let written = clap_mangen::generate_to(Arguments::command(), folder);
    written.with_context(|| format!("--out {}", folder.display()))?;
    Ok(Exit::Done)
}
