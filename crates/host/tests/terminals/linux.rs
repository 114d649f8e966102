//! The roles of this executable, and the list of tests.

#[path = "../../../process/tests/processes/bind_mount.rs"]
mod bind_mount;
#[path = "client.rs"]
mod client;
#[path = "directories_attack.rs"]
mod directories_attack;
#[path = "environment_attack.rs"]
mod environment_attack;
#[path = "exec_attacks.rs"]
mod exec_attacks;
#[path = "exec_lookup_attack.rs"]
mod exec_lookup_attack;
#[path = "exec_programs_attack.rs"]
mod exec_programs_attack;
#[path = "exits.rs"]
mod exits;
#[path = "floods.rs"]
mod floods;
#[path = "landlock.rs"]
mod landlock;
#[path = "landlock_attack.rs"]
mod landlock_attack;
#[path = "leaks.rs"]
mod leaks;
#[path = "limits.rs"]
mod limits;
#[path = "outputs.rs"]
mod outputs;
#[path = "read_only_attack.rs"]
mod read_only_attack;
#[path = "sandbox.rs"]
mod sandbox;
#[path = "sandbox_attack.rs"]
mod sandbox_attack;
#[path = "script_swap_attack.rs"]
mod script_swap_attack;
#[path = "secrets_attack.rs"]
mod secrets_attack;
#[path = "starting.rs"]
mod starting;
#[path = "../../../process/tests/processes/trial.rs"]
mod trial;

use std::process::ExitCode;

use attache_process::guard;
use libtest_mimic::Arguments;
use trial::{direct_trial, is_direct, lone_trial, runtime, trial};

pub(super) fn main() -> ExitCode {
    guard::judge_with(attache_host::exec::judge);
    if !is_direct() {
        guard::run_if_asked();
    }
    if std::env::args().any(|arg| arg == leaks::ROLE) {
        leaks::play();
    }
    let mut trials = Vec::new();
    trials.extend(starting::trials());
    trials.extend(outputs::trials());
    trials.extend(exits::trials());
    trials.extend(limits::trials());
    trials.extend(floods::trials());
    trials.extend(sandbox::trials());
    trials.extend(sandbox_attack::trials());
    trials.extend(landlock::trials());
    trials.extend(landlock_attack::trials());
    trials.extend(read_only_attack::trials());
    trials.extend(secrets_attack::trials());
    trials.extend(directories_attack::trials());
    trials.extend(exec_attacks::trials());
    trials.extend(exec_programs_attack::trials());
    trials.extend(script_swap_attack::trials());
    trials.extend(exec_lookup_attack::trials());
    trials.extend(environment_attack::trials());
    trials.extend(leaks::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
