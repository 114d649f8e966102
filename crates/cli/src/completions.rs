//! `attache completions` and `attache man`, generated from the definitions of the arguments.

use std::fs;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

use crate::arguments::{Arguments, Completions, Man};
use crate::exit::Exit;
use crate::print;

pub(crate) fn completions(completions: &Completions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    let mut command = naming_agents(Arguments::command());
    clap_complete::generate(completions.shell, &mut command, "attache", &mut script);
    let script = String::from_utf8_lossy(&script);
    print::print(&match completions.shell {
        Shell::Fish => script.replace(&format!("{AGENTS}\\t''"), &format!("({NAMES})")),
        _ => script.replace(AGENTS, &format!("$({NAMES})")),
    })
}

/// Completes agent names wherever an argument takes one.
fn naming_agents(command: Command) -> Command {
    let takes_agent = command.get_arguments().any(|it| it.get_id() == "agent");
    let command = match takes_agent {
        true => command.mut_arg("agent", |it| {
            it.value_parser(PossibleValuesParser::new([AGENTS]))
                .hide_possible_values(false)
        }),
        false => command,
    };
    command.mut_subcommands(naming_agents)
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

/// The page names of a command and its subcommands.
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

/// Renames the section after the options, which contains examples, keys and exit codes.
fn with_heading(page: &str) -> String {
    page.replace(".SH EXTRA\n", ".SH EXAMPLES AND EXIT CODES\n")
}

/// Placeholder for agent names in a generated script.
const AGENTS: &str = "ATTACHE_AGENT_NAMES";
/// The command that lists agent names at completion time, because the configuration may change.
const NAMES: &str = "attache agents --names 2>/dev/null";
