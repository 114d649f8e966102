//! Tests of MCP servers over each transport. They need a `main` of their own, because this executable is also the guard
//! of processes and the server under test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that meets the unexpected stops and says so; clippy does not see that these are tests"
)]

mod acp;
mod fake;
mod hostile;
mod http;
mod real;
mod sse;
mod stdio;
mod test_session;

use std::future::Future;
use std::process::ExitCode;

use attache_process::guard;
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    guard::run_if_asked();
    if let Ok(manner) = std::env::var(fake::MANNER) {
        return fake::run(&manner);
    }
    let trials = [
        stdio::trials(),
        hostile::trials(),
        http::trials(),
        sse::trials(),
        acp::trials(),
        real::trials(),
    ];
    let trials = trials.into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    Trial::test(name, move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let limit = std::time::Duration::from_secs(60);
            tokio::time::timeout(limit, test())
                .await
                .expect("the test hangs");
        });
        Ok(())
    })
}

/// A list of tests with their names.
macro_rules! trials {
    ($($name:ident),* $(,)?) => {
        crate::trials!(as trials: $($name),*);
    };
    (as $trials:ident: $($name:ident),* $(,)?) => {
        pub(crate) fn $trials() -> Vec<libtest_mimic::Trial> {
            let module = module_path!().rsplit("::").next().unwrap_or_default();
            vec![$(crate::trial(&format!("{module}::{}", stringify!($name)), $name)),*]
        }
    };
}
pub(crate) use trials;
