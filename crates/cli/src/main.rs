//! The command line: arguments, configuration, exit codes, standard output.

mod agents;
mod arguments;
mod audit;
mod chat;
mod check;
mod completions;
mod config;
mod doctor;
mod exit;
mod permissions;
mod places;
mod print;
mod run;
mod sessions;
mod table;
mod terms;
mod text;

use std::process::ExitCode;
use std::time::Duration;

use attache::process::guard;
use clap::Parser;

use arguments::{Arguments, Command};
use exit::Exit;

fn main() -> ExitCode {
    guard::run_if_asked();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(help) => return arguments::explain(&help).into(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => return exit::fail(Exit::Failed, &error.into()).into(),
    };
    let outcome = runtime.block_on(async {
        match arguments.command {
            Command::Chat(chat) => chat::chat(&chat).await,
            Command::Run(run) => run::run(&run).await,
            Command::Agents(agents) => agents::agents(agents).await,
            Command::Config(config) => config::config(config),
            Command::Sessions(sessions) => sessions::sessions(sessions).await,
            Command::Doctor(doctor) => doctor::doctor(doctor).await,
            Command::Permissions(permissions) => permissions::permissions(permissions),
            Command::Audit(audit) => audit::audit(&audit),
            Command::Check(check) => check::check(check).await,
            Command::Completions(completions) => completions::completions(&completions),
            Command::Man(man) => completions::man(&man),
        }
    });
    // A file on a disk that does not answer holds its thread, and must not hold us.
    runtime.shutdown_timeout(LAST_FILES);
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => exit::fail(Exit::Failed, &error).into(),
    }
}

/// For writes that are under way.
const LAST_FILES: Duration = Duration::from_secs(1);
