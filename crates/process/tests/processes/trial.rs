//! Runs a test in this process, or in a process of its own.

use std::future::Future;
use std::os::unix::process::CommandExt;
use std::process::Command;

use libtest_mimic::{Failed, Trial};

pub(super) fn trial<T, F>(name: &str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    Trial::test(name, move || {
        runtime().block_on(test());
        Ok(())
    })
}

/// The same in a process of its own, where no other test uses memory, opens files or starts threads.
pub(super) fn lone_trial<T, F>(name: &'static str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    elsewhere(name, LONE, test)
}

/// The same in a process that cannot be a guard.
pub(super) fn direct_trial<T, F>(name: &'static str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    elsewhere(name, DIRECT, test)
}

/// Whether this process cannot be a guard.
pub(super) fn is_direct() -> bool {
    std::env::var_os(DIRECT).is_some()
}

fn elsewhere<T, F>(name: &'static str, variable: &'static str, test: T) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    elsewhere_as(name, variable, None, test)
}

/// The same as another user, for which we have to be the superuser.
pub(super) fn elsewhere_as<T, F>(
    name: &'static str,
    variable: &'static str,
    user: Option<u32>,
    test: T,
) -> Trial
where
    T: FnOnce() -> F + Send + 'static,
    F: Future<Output = ()>,
{
    if std::env::var_os(variable).is_some() {
        return trial(name, test);
    }
    Trial::test(name, move || {
        let mut again = Command::new(std::env::current_exe()?);
        again.args([name, "--exact"]).env(variable, "1");
        if let Some(user) = user {
            again
                .uid(user)
                .gid(user)
                .env("HOME", "/")
                .env_remove("TMPDIR");
        }
        let again = again.output()?;
        match again.status.success() {
            true => Ok(()),
            false => Err(Failed::from(
                String::from_utf8_lossy(&again.stdout).into_owned(),
            )),
        }
    })
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

pub(super) const DIRECT: &str = "ATTACHE_TEST_DIRECT";
const LONE: &str = "ATTACHE_TEST_LONE";
