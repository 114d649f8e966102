//! A client with one session, its terminals, and a directory for commands.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use attache_host::Roots;
use attache_host::environment::ChildEnvironment;
use attache_host::terminals::{Sandbox, TerminalError, TerminalLimits, Terminals};
use attache_schema::v1;

pub(super) struct TestClient {
    pub(super) terminals: Terminals,
    pub(super) session: v1::SessionId,
    pub(super) roots: Roots,
    pub(super) folder: PathBuf,
}

impl TestClient {
    pub(super) fn new() -> TestClient {
        TestClient::with(TerminalLimits::default(), Sandbox::Off)
    }

    pub(super) fn with(limits: TerminalLimits, sandbox: Sandbox) -> TestClient {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = folder(std::process::id(), next);
        fs::create_dir_all(folder.join("project")).unwrap();
        let environment = ChildEnvironment::of_process(&[MARK.parse().unwrap()]);
        TestClient {
            terminals: Terminals::with_environment(limits, sandbox, environment),
            session: v1::SessionId::from("session"),
            roots: Roots::open(&folder.join("project"), &[]).unwrap(),
            folder,
        }
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    pub(super) fn request(&self, command: &str, args: &[&str]) -> v1::CreateTerminalRequest {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect::<Vec<_>>();
        v1::CreateTerminalRequest::new(self.session.clone(), command).args(args)
    }

    pub(super) async fn create(
        &self,
        request: &v1::CreateTerminalRequest,
    ) -> Result<v1::TerminalId, TerminalError> {
        self.terminals.create(&self.roots, request).await
    }

    pub(super) async fn shell(&self, script: &str) -> v1::TerminalId {
        self.create(&self.request("sh", &["-c", script]))
            .await
            .unwrap()
    }

    /// Runs a command to its end and returns its output.
    pub(super) async fn output_of(&self, request: &v1::CreateTerminalRequest) -> String {
        let id = self.create(request).await.unwrap();
        self.wait(&id).await;
        self.terminals.output(&self.session, &id).unwrap().output
    }

    pub(super) async fn wait(&self, id: &v1::TerminalId) -> v1::TerminalExitStatus {
        let wait = self.terminals.wait(&self.session, id);
        let ended = tokio::time::timeout(PATIENCE, wait).await;
        ended.expect("it does not end").unwrap()
    }

    pub(super) fn text(&self, id: &v1::TerminalId) -> String {
        self.terminals.view(id).unwrap().output
    }

    /// Waits until the output contains this text.
    pub(super) async fn until(&self, id: &v1::TerminalId, text: &str) {
        let end = Instant::now() + PATIENCE;
        while !self.text(id).contains(text) {
            assert!(
                Instant::now() < end,
                "not written: {text}: {}",
                self.text(id)
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

impl Drop for TestClient {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).ok();
    }
}

/// The directory of the client with this number in a process.
pub(super) fn folder(process: u32, number: u32) -> PathBuf {
    let base = fs::canonicalize(env!("CARGO_TARGET_TMPDIR")).unwrap();
    base.join(format!("terminals-{process}-{number}"))
}

/// Counts the processes with a mark in their environment, which all descendants of a command inherit.
pub(super) fn count_marked(mark: &str) -> usize {
    let wanted = format!("{MARK}={mark}\0");
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let environs = entries.filter_map(|entry| fs::read(entry.path().join("environ")).ok());
    let holds = |environ: &Vec<u8>| {
        environ
            .windows(wanted.len())
            .any(|part| part == wanted.as_bytes())
    };
    environs.filter(holds).count()
}

/// Waits until this many processes have the mark. Zero counts only if seen twice, because a process in the middle of an
/// exec has no environment.
pub(super) async fn expect_marked(mark: &str, count: usize, limit: Duration) {
    let end = Instant::now() + limit;
    while count_marked(mark) != count || count_marked(mark) != count {
        assert!(Instant::now() < end, "{} of {count}", count_marked(mark));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Formats an exit status on one line.
pub(super) fn shown(exit: &v1::TerminalExitStatus) -> String {
    match (exit.exit_code, &exit.signal) {
        (Some(code), None) => format!("exit {code}"),
        (None, Some(signal)) => signal.clone(),
        neither => format!("{neither:?}"),
    }
}

pub(super) const MARK: &str = "ATTACHE_TEST_MARK";
/// Long enough for a busy machine to start a command.
pub(super) const PATIENCE: Duration = Duration::from_secs(30);
/// All processes of a command are gone after this time.
pub(super) const PROMISE: Duration = Duration::from_secs(2);
