//! The command line: arguments, configuration, exit codes, standard output.

mod agent;
mod agents;
mod arguments;
mod audit;
mod chat;
mod check;
mod claude;
mod completions;
mod config;
mod directories;
mod doctor;
mod exit;
mod log;
mod mock;
mod permissions;
mod prepare;
mod print;
mod relay;
mod replay;
mod run;
mod sessions;
mod signals;
mod table;
mod text;
mod trace;

use std::process::ExitCode;
use std::time::Duration;

use attache::process::guard;

use arguments::Command;
use exit::Exit;

fn main() -> ExitCode {
    guard::judge_with(attache_host::exec::judge);
    guard::run_if_asked();
    attache_adapter::shell::run_as_shell_if_invoked();
    // Our environment contains keys. No kernel in use refuses this; on one that did, other programs of the user could
    // read the keys.
    guard::forbid_inspection().ok();
    let arguments = match arguments::read() {
        Ok(arguments) => arguments,
        Err(help) => return arguments::print_help(&help).into(),
    };
    if let Err(error) = log::start(&arguments.command) {
        return exit::fail(Exit::Usage, &error).into();
    }
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
            Command::Claude(claude) => claude::claude(claude).await,
            Command::Run(run) => run::run(&run).await,
            Command::Agent(agent) => agent::agent(&agent).await,
            Command::Agents(agents) => agents::agents(agents).await,
            Command::Config(config) => config::config(config),
            Command::Sessions(sessions) => sessions::sessions(sessions).await,
            Command::Doctor(doctor) => doctor::doctor(doctor).await,
            Command::Permissions(permissions) => permissions::permissions(permissions),
            Command::Audit(audit) => audit::audit(&audit),
            Command::Trace(trace) => trace::trace(*trace).await,
            Command::Replay(replay) => replay::replay(*replay).await,
            Command::Mock(mock) => mock::mock(mock).await,
            Command::Check(check) => check::check(check).await,
            Command::Completions(completions) => completions::completions(&completions),
            Command::Man(man) => completions::man(&man),
        }
    });
    // A thread that waits for a disk that hangs must not keep the program from exiting.
    runtime.shutdown_timeout(LAST_FILES);
    match outcome {
        Ok(exit) => exit.into(),
        Err(error) => exit::fail(Exit::Failed, &error).into(),
    }
}

/// Time for pending writes.
const LAST_FILES: Duration = Duration::from_secs(1);
