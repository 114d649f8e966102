//! The command line: arguments, configuration, exit codes, standard output.

mod arguments;
mod exit;
mod run;
mod text;

use std::process::ExitCode;

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
            Command::Run(run) => run::run(run).await,
        }
    });
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => exit::fail(Exit::Failed, &error).into(),
    }
}
