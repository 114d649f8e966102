//! An owner that the test kills: this executable, started again to own some trees.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use super::agents::{MARK, Mark, TREE, TREE_LINES, deaf, ready, shell};

/// Starts this many trees, prints a line, and waits to be killed.
pub(super) fn play(trees: usize) -> ! {
    let mut owned = Vec::new();
    super::runtime().block_on(async {
        for _ in 0..trees {
            owned.push(ready(&shell(&deaf(TREE)), TREE_LINES).await);
        }
        std::io::stdout().write_all(b"ready\n").unwrap();
        std::future::pending().await
    })
}

/// An owner that dies with this value, as by `kill -9`.
pub(super) struct Owner(Child);

impl Owner {
    /// Starts it. Its guards and trees inherit its mark.
    pub(super) fn start(trees: usize, mark: &Mark) -> Owner {
        let owner = Command::new(std::env::current_exe().unwrap())
            .args([ROLE, &trees.to_string()])
            .env(MARK, mark.value())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        Owner(owner.unwrap())
    }

    pub(super) fn wait_ready(&mut self) {
        let mut line = String::new();
        let stdout = self.0.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

pub(super) const ROLE: &str = "--owner";
