//! Nothing is left behind: no descriptor, no thread, no zombie, and no process after the client was killed.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use super::client::{MARK, PATIENCE, PROMISE, TestClient, expect_marked, folder};
use super::{lone_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("leaks::a_command_holds_three_files", three),
        trial("leaks::a_killed_client_leaves_nothing", killed),
        lone_trial("leaks::many_terminals_in_turn_leave_nothing", cycles),
    ]
}

/// A client with terminals that waits to be killed.
pub(super) fn play() -> ! {
    super::runtime().block_on(owner());
    std::process::exit(0)
}

async fn three() {
    let client = TestClient::new();
    let _leak = rustix::io::dup(fs::File::open("/etc/passwd").unwrap()).unwrap();
    let said = client
        .output_of(&client.request("ls", &["/proc/self/fd"]))
        .await;
    // The last one is the directory that `ls` reads.
    assert_eq!(said, "0\n1\n2\n3\n");
    let links = client.request(
        "sh",
        &[
            "-c",
            "readlink /proc/self/fd/0; [ /proc/self/fd/1 -ef /proc/self/fd/2 ]; echo $?",
        ],
    );
    assert_eq!(client.output_of(&links).await, "/dev/null\n0\n");
}

async fn killed() {
    let mark = format!("owner-{}", std::process::id());
    let mut owner = Command::new(std::env::current_exe().unwrap())
        .arg(ROLE)
        .env(MARK, &mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "ready\n");
    // The client itself, and two processes for each terminal; a guard has no environment.
    expect_marked(&mark, 1 + 2 * TERMINALS, PATIENCE).await;
    owner.kill().unwrap();
    owner.wait().unwrap();
    expect_marked(&mark, 0, PROMISE).await;
    fs::remove_dir_all(folder(owner.id(), 0)).unwrap();
}

async fn owner() {
    let client = TestClient::new();
    for _ in 0..TERMINALS {
        let id = client
            .shell("setsid sleep 1000 & echo up; exec sleep 1000")
            .await;
        client.until(&id, "up").await;
    }
    std::io::stdout().write_all(b"ready\n").unwrap();
    std::future::pending().await
}

async fn cycles() {
    let client = TestClient::new();
    let mut before = None;
    for round in 0..ROUNDS {
        let script = ["exit 0", "exec sleep 1000", "setsid sleep 1000 & exit 1"][round % 3];
        let id = client.shell(script).await;
        if round % 2 == 0 {
            client.wait_or_kill(&id, script).await;
        }
        client
            .terminals
            .release(&client.session, &id)
            .await
            .unwrap();
        if round == WARM {
            before = Some(held());
        }
    }
    let before = before.unwrap();
    let end = Instant::now() + PATIENCE;
    loop {
        let now = held();
        if now.0 <= before.0 && now.1 <= before.1 && now.2 == 0 {
            return;
        }
        assert!(
            Instant::now() < end,
            "files, threads, children: {before:?}, then {now:?}"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl TestClient {
    async fn wait_or_kill(&self, id: &attache_schema::v1::TerminalId, script: &str) {
        match script.starts_with("exec") {
            true => self.terminals.kill(&self.session, id).await.unwrap(),
            false => drop(self.wait(id).await),
        }
    }
}

/// The number of open files, threads and children of this process. One thread, which waits for guards that are about to
/// end, starts with the first guard and does not count.
fn held() -> (usize, usize, usize) {
    let each = |path: &str| fs::read_dir(path).unwrap().filter_map(Result::ok);
    let read = |path: PathBuf| fs::read_to_string(path).unwrap_or_default();
    let names = each("/proc/self/task").map(|task| read(task.path().join("comm")));
    let threads = names.filter(|name| name != "attache-reaper\n").count();
    let me = format!(" {} ", std::process::id());
    let is_ours = |stat: &String| {
        let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
        fields
            .get(2..)
            .is_some_and(|fields| fields.starts_with(&me))
    };
    let stats = each("/proc").map(|process| read(process.path().join("stat")));
    let children = stats.filter(is_ours).count();
    (each("/proc/self/fd").count(), threads, children)
}

pub(super) const ROLE: &str = "--client";
const TERMINALS: usize = 32;
const ROUNDS: usize = 300;
/// By then, every thread that starts only once is running.
const WARM: usize = 30;
