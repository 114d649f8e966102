//! The roles of this executable, and the list of tests.

#[path = "agents.rs"]
mod agents;
#[path = "cycles.rs"]
mod cycles;
#[path = "direct.rs"]
mod direct;
#[path = "endings.rs"]
mod endings;
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

use std::future::Future;
use std::process::{Command, ExitCode};

use attache_transport::process::guard;
use libtest_mimic::{Arguments, Failed, Trial};

pub(super) fn main() -> ExitCode {
    let direct = std::env::var_os(DIRECT).is_some();
    if !direct {
        guard::run_if_asked();
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [role, count] = args.as_slice()
        && role == owner::ROLE
    {
        owner::play(count.parse().unwrap());
    }
    let mut trials = Vec::new();
    trials.extend(endings::trials());
    trials.extend(starts::trials());
    trials.extend(stderr::trials());
    trials.extend(files::trials());
    trials.extend(trees::trials());
    trials.extend(cycles::trials());
    trials.extend(direct::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial<T, F>(name: &str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    Trial::test(name, move || {
        runtime().block_on(test());
        Ok(())
    })
}

/// The same in a process that cannot be a guard.
fn direct_trial<T, F>(name: &'static str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    if std::env::var_os(DIRECT).is_some() {
        return trial(name, test);
    }
    Trial::test(name, move || {
        let again = Command::new(std::env::current_exe()?)
            .args([name, "--exact"])
            .env(DIRECT, "1")
            .output()?;
        match again.status.success() {
            true => Ok(()),
            false => Err(Failed::from(
                String::from_utf8_lossy(&again.stdout).into_owned(),
            )),
        }
    })
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

const DIRECT: &str = "ATTACHE_TEST_DIRECT";
