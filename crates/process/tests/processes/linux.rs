//! The roles of this executable, and the list of tests.

#[path = "agents.rs"]
mod agents;
#[path = "attached.rs"]
mod attached;
#[path = "bind_mount.rs"]
mod bind_mount;
#[path = "captured.rs"]
mod captured;
#[path = "covers_attack.rs"]
mod covers_attack;
#[path = "cycles.rs"]
mod cycles;
#[path = "direct.rs"]
mod direct;
#[path = "endings.rs"]
mod endings;
#[path = "exec_attacks.rs"]
mod exec_attacks;
#[path = "exec_files_attack.rs"]
mod exec_files_attack;
#[path = "exec_roles.rs"]
mod exec_roles;
#[path = "files.rs"]
mod files;
#[path = "owner.rs"]
mod owner;
#[path = "starts.rs"]
mod starts;
#[path = "stderr.rs"]
mod stderr;
#[path = "trees.rs"]
mod trees;
#[path = "trial.rs"]
mod trial;
#[path = "views_attack.rs"]
mod views_attack;

use std::process::ExitCode;

use attache_process::guard;
use libtest_mimic::Arguments;
use trial::{direct_trial, is_direct, lone_trial, runtime, trial};

pub(super) fn main() -> ExitCode {
    guard::judge_with(exec_attacks::judge);
    if !is_direct() {
        guard::run_if_asked();
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [role, count] = args.as_slice()
        && role == owner::ROLE
    {
        owner::play(count.parse().unwrap());
    }
    if let [role, script] = args.as_slice()
        && role == attached::ROLE
    {
        return attached::play(script);
    }
    if let [role, part] = args.as_slice()
        && role == exec_roles::ROLE
    {
        exec_roles::play(part);
    }
    let mut trials = Vec::new();
    trials.extend(endings::trials());
    trials.extend(starts::trials());
    trials.extend(stderr::trials());
    trials.extend(files::trials());
    trials.extend(captured::trials());
    trials.extend(covers_attack::trials());
    trials.extend(views_attack::trials());
    trials.extend(exec_attacks::trials());
    trials.extend(exec_files_attack::trials());
    trials.extend(attached::trials());
    trials.extend(trees::trials());
    trials.extend(cycles::trials());
    trials.extend(direct::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
