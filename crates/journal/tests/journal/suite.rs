//! The roles of this executable, and the list of tests.

use std::future::Future;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};

use libtest_mimic::{Arguments, Trial};

use crate::{contention, full, kills};

pub(crate) fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        [kills::ROLE, dir, id, start] => {
            block_on(kills::run_role(Path::new(dir), id, start.parse().unwrap()))
        }
        [contention::HOLD, dir, id] => block_on(contention::hold(Path::new(dir), id)),
        [contention::WRITE, dir] => block_on(contention::write(Path::new(dir))),
        [full::ROLE, dir] => block_on(full::run_role(Path::new(dir))),
        _ => {
            let mut trials = kills::trials();
            trials.extend(contention::trials());
            trials.extend(full::trials());
            return libtest_mimic::run(&Arguments::from_args(), trials).exit_code();
        }
    }
    ExitCode::SUCCESS
}

pub(crate) fn trial<F: Future<Output = ()>>(
    name: &'static str,
    test: impl FnOnce() -> F + Send + 'static,
) -> Trial {
    Trial::test(name, move || {
        block_on(test());
        Ok(())
    })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(future)
}

/// This executable in another role, killed when dropped.
pub(crate) struct TestProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    stdin: Option<ChildStdin>,
}

impl TestProcess {
    pub(crate) fn start(args: &[&str]) -> TestProcess {
        TestProcess::spawn(Command::new(std::env::current_exe().unwrap()).args(args))
    }

    pub(crate) fn spawn(command: &mut Command) -> TestProcess {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        TestProcess {
            lines: BufReader::new(child.stdout.take().unwrap()).lines(),
            stdin: child.stdin.take(),
            child,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next line it prints; `None` when it has ended.
    pub(crate) fn line(&mut self) -> Option<String> {
        self.lines.next().map(Result::unwrap)
    }

    /// Kills the process and returns the lines that it had printed.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.lines.by_ref().map(Result::unwrap).collect()
    }

    /// Closes the input of the process, waits until it exits, and returns the lines that it printed.
    pub(crate) fn end(mut self) -> Vec<String> {
        drop(self.stdin.take());
        let lines = self.lines.by_ref().map(Result::unwrap).collect();
        assert!(self.child.wait().unwrap().success(), "{lines:?}");
        lines
    }
}

impl Drop for TestProcess {
    fn drop(&mut self) {
        // The process may have exited already.
        self.child.kill().ok();
        self.child.wait().unwrap();
    }
}

/// For a role: prints a line at once. The reader may be gone.
pub(crate) fn print_line(line: &str) {
    let mut stdout = std::io::stdout();
    stdout.write_all(format!("{line}\n").as_bytes()).ok();
}

/// For a role: waits until its input is closed.
pub(crate) fn wait_for_end() {
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
}
