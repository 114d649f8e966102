//! The scenarios.

mod clients;
mod ends;
mod sessions;
mod tools;
mod turns;

use super::client::Fault;
use super::stage::Stage;

type Scenario = fn(&Stage) -> Result<(), Fault>;

pub(super) const ALL: &[(&str, Scenario)] = &[
    ("text", turns::text),
    ("read", tools::read),
    ("edit allowed", tools::edit_allowed),
    ("edit denied", tools::edit_denied),
    ("live output", tools::live_output),
    ("live content", tools::live_content),
    ("kill a command", tools::kill_a_command),
    ("plan mode", tools::plan_mode),
    ("todo list", tools::todo_list),
    ("question", tools::question),
    ("form", tools::form),
    ("interrupt text", turns::interrupt_text),
    ("interrupt command", turns::interrupt_command),
    ("steering", turns::steering),
    ("queue", turns::queue),
    ("no login", turns::no_login),
    ("resume", sessions::resume),
    ("load", sessions::load),
    ("fork", sessions::fork),
    ("unknown session", sessions::unknown),
    ("mcp server", sessions::mcp_server),
    ("two at once", sessions::two_at_once),
    ("run", clients::run),
    ("run denied", clients::run_denied),
    ("no CLI", ends::no_cli),
    ("100 kills", ends::kills),
];

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: T, wanted: T) -> Result<(), Fault> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("{what} is {found:?}, not {wanted:?}")),
    }
}

fn holds(what: &str, truth: bool) -> Result<(), Fault> {
    match truth {
        true => Ok(()),
        false => Err(format!("it does not hold that {what}")),
    }
}
