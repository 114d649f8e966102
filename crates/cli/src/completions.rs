//! `attache completions` and `attache man`: made from the arguments, so that they are never behind them.

use std::{env, fs};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};

use attache_client::agents::Catalogue;

use crate::arguments::{Arguments, Completions, Man};
use crate::exit::Exit;
use crate::{agents, print};

pub(crate) fn completions(completions: &Completions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    let mut command = naming_agents(Arguments::command(), &names());
    clap_complete::generate(completions.shell, &mut command, "attache", &mut script);
    print::print(&String::from_utf8_lossy(&script))
}

/// The names of all agents, as seen from here. A configuration that cannot be read names none.
fn names() -> Vec<&'static str> {
    let configuration = env::current_dir().ok();
    let configuration = configuration.and_then(|cwd| agents::configuration(&cwd, &[]).ok());
    let catalogue = Catalogue::of(&configuration.unwrap_or_default());
    let names = catalogue.agents().iter();
    // The program ends when the script is written.
    let names = names.map(|agent| &*agent.name.clone().leak());
    names.collect()
}

/// Completes an agent by its name, wherever one is named.
fn naming_agents(command: Command, names: &[&'static str]) -> Command {
    let takes_agent = command.get_arguments().any(|it| it.get_id() == "agent");
    let command = match takes_agent {
        true => command.mut_arg("agent", |it| {
            it.value_parser(PossibleValuesParser::new(names.to_vec()))
                .hide_possible_values(false)
        }),
        false => command,
    };
    command.mut_subcommands(|inner| naming_agents(inner, names))
}

pub(crate) fn man(man: &Man) -> anyhow::Result<Exit> {
    let Some(folder) = &man.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
        return print::print(&with_heading(&String::from_utf8_lossy(&page)));
    };
    fs::create_dir_all(folder).with_context(|| format!("--out {}", folder.display()))?;
    let written = clap_mangen::generate_to(Arguments::command(), folder);
    written.with_context(|| format!("--out {}", folder.display()))?;
    for page in pages(&Arguments::command(), "attache") {
        let file = folder.join(format!("{page}.1"));
        let text = fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
        fs::write(&file, with_heading(&text)).with_context(|| format!("{}", file.display()))?;
    }
    Ok(Exit::Done)
}

/// The names of the pages of a command and those below it.
fn pages(command: &Command, name: &str) -> Vec<String> {
    let mut pages = vec![name.to_owned()];
    for inner in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        pages.extend(pages_below(inner, name));
    }
    pages
}

fn pages_below(command: &Command, above: &str) -> Vec<String> {
    pages(command, &format!("{above}-{}", command.get_name()))
}

/// What stands behind the options is examples, keys and exit codes.
fn with_heading(page: &str) -> String {
    page.replace(".SH EXTRA\n", ".SH EXAMPLES AND EXIT CODES\n")
}
