//! The scenarios of `attache claude`.

mod background;
mod clients;
mod crashes;
mod logins;
mod modes;
mod replay;
mod servers;
mod sessions;
mod tools;
mod turns;

use super::client::Failure;
use super::fixture::Fixture;

type Scenario = fn(&Fixture) -> Result<(), Failure>;

pub(super) const ALL: &[(&str, Scenario)] = &[
    ("text", turns::text),
    ("read", tools::read),
    ("edit allowed", tools::edit_allowed),
    ("edit denied", tools::edit_denied),
    ("live output", tools::live_output),
    ("all output once", tools::all_output_once),
    ("live content", tools::live_content),
    ("kill a command", tools::kill_a_command),
    ("background", background::command),
    ("background agent", background::subagent),
    ("background kill", background::kill),
    ("plan mode", tools::plan_mode),
    ("todo list", tools::todo_list),
    ("question", tools::question),
    ("form", tools::form),
    ("interrupt text", turns::interrupt_text),
    ("interrupt command", turns::interrupt_command),
    ("steering", turns::steering),
    ("queue", turns::queue),
    ("steered, stopped", turns::steered_and_stopped),
    ("cancelled at once", turns::cancelled_at_once),
    ("content", turns::content),
    ("slash command", turns::slash_command),
    ("refused login", turns::refused_login),
    ("no login", turns::no_login),
    ("logout", logins::logout),
    ("login in a terminal", logins::in_a_terminal),
    ("provider", logins::provider),
    ("accept edits", modes::accept_edits),
    ("do not ask", modes::do_not_ask),
    ("bypass", modes::bypass),
    ("always", modes::always),
    ("rule to ask", modes::rule_to_ask),
    ("model", modes::model),
    ("typed model", modes::typed_model),
    ("fast mode", modes::fast_mode),
    ("resume", sessions::resume),
    ("load", sessions::load),
    ("fork", sessions::fork),
    ("rewound", replay::rewound),
    ("subagents", replay::subagents),
    ("unknown session", sessions::unknown),
    ("mcp server", sessions::mcp_server),
    ("mcp over http", sessions::mcp_over_http),
    ("mcp over sse", sessions::mcp_over_sse),
    ("form of a server", servers::form),
    ("form declined", servers::form_declined),
    ("no form to fill", servers::no_form),
    ("form cancelled", servers::form_cancelled),
    ("page of a server", servers::page),
    ("two at once", sessions::two_at_once),
    ("run", clients::run),
    ("run denied", clients::run_denied),
    ("acpx", clients::acpx),
    ("no CLI", crashes::no_cli),
    ("CLI killed", crashes::cli_killed),
    ("100 kills", crashes::kills),
    ("sweep", crashes::sweep),
];

fn expect_eq<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    wanted: T,
) -> Result<(), Failure> {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("{what} is {found:?} instead of {wanted:?}")),
    }
}

fn expect(what: &str, truth: bool) -> Result<(), Failure> {
    match truth {
        true => Ok(()),
        false => Err(format!("expected: {what}")),
    }
}
