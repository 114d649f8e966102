//! Exec judging: a denied program never runs, whichever process starts it and however it is spelled.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use attache_process::{
    Error, Exec, ExecEvent, ExecEvents, ExecJudge, ExecProcess, ExecVerdict, ExecWatch, Program,
    StopTimeouts, exec_support,
};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt;

use super::agents::{MARK, Mark, PATIENCE};
use super::exec_roles::ROLE;
use super::{direct_trial, trial};

pub(super) fn trials() -> Vec<Trial> {
    if !exec_support().is_available() {
        skip();
        return Vec::new();
    }
    vec![
        trial("exec::a_denied_program_never_runs", denied),
        direct_trial("exec::a_denied_program_never_runs_directly", denied),
        trial("exec::the_program_itself_is_judged", itself),
        trial("exec::asks_wait_for_the_answer", asked),
        direct_trial("exec::asks_wait_for_the_answer_directly", asked),
        trial("exec::no_process_chooses_its_name", renamed),
        direct_trial("exec::no_process_chooses_its_name_directly", renamed),
        trial("exec::an_ask_nobody_answers_is_denied", late),
        trial("exec::an_ask_is_withdrawn_with_its_process", withdrawn),
        trial("exec::without_a_receiver_asks_are_denied", unheard),
        trial("exec::missing_programs_are_not_reported", probing),
        trial(
            "exec::entries_of_the_process_itself_are_followed",
            own_entries,
        ),
        trial("exec::a_watched_program_cannot_be_watched_again", nested),
        trial("exec::swapped_arguments_are_found_and_killed", swapped),
        trial("exec::a_slow_owner_costs_records_and_no_verdict", slow),
        trial(
            "exec::without_an_owner_everything_is_denied_and_swept",
            orphaned,
        ),
        trial("exec::unreadable_arguments_are_not_decided", unreadable),
        trial("exec::no_descriptor_is_left_to_the_program", descriptors),
    ]
}

/// Lines of `deny NAME` and `ask NAME`; `only RULES` makes what cannot be read go on.
pub(super) fn judge(rules: &[u8]) -> Option<Box<dyn ExecJudge>> {
    let rules = str::from_utf8(rules).ok()?.lines();
    let rules = rules.map(|line| {
        line.split_once(' ')
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
    });
    Some(Box::new(Names(rules.collect::<Option<_>>()?)))
}

struct Names(Vec<(String, String)>);

impl ExecJudge for Names {
    fn judge(&mut self, exec: &Exec, _: &dyn ExecProcess) -> ExecVerdict {
        if exec.unseen.is_some() {
            let why = "unseen".to_owned();
            return ExecVerdict::Deny { why };
        }
        let Some(args) = &exec.args else {
            let why = "unreadable".to_owned();
            return ExecVerdict::Deny { why };
        };
        let mut words: Vec<String> = vec![base(&exec.given)];
        words.extend(exec.file.iter().map(|file| base(file.path.as_os_str())));
        let interpreters = exec.interpreters.iter().chain(&exec.loaders);
        for interpreter in interpreters {
            words.push(base(&interpreter.words[0]));
            words.extend(interpreter.file.iter().map(|it| base(it.path.as_os_str())));
        }
        words.extend(args.first().map(|word| base(word)));
        for (action, name) in &self.0 {
            let why = format!("rule {name}");
            match action.as_str() {
                _ if !words.contains(name) => {}
                "deny" => return ExecVerdict::Deny { why },
                _ => return ExecVerdict::Ask { why },
            }
        }
        ExecVerdict::Continue
    }

    fn is_enforcing(&self) -> bool {
        true
    }
}

fn base(path: &OsStr) -> String {
    let name = Path::new(path).file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// A directory with a program `forbidden` that notes that it ran.
pub(super) struct Stage {
    pub(super) dir: PathBuf,
}

impl Stage {
    pub(super) fn new(name: &str) -> Stage {
        // An ordinary user may not write where the superuser has built this.
        let dir = match rustix::process::geteuid().is_root() {
            true => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
            false => std::env::temp_dir(),
        };
        let dir = dir.join(format!("exec-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let stage = Stage { dir };
        stage.script("forbidden", "#!/bin/sh\necho ran \"$@\" >>\"$RECORD\"\n");
        stage
    }

    pub(super) fn script(&self, name: &str, text: &str) {
        let path = self.dir.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(super) fn program(&self, script: &str, rules: &str) -> Program {
        let path = std::env::var("PATH").unwrap();
        Program::new("sh")
            .args(["-c", script])
            .env("PATH", format!("{}:{path}", self.dir.display()))
            .env("RECORD", self.dir.join("record"))
            .cwd(&self.dir)
            .watch(ExecWatch::new(rules.as_bytes().to_vec()))
    }

    pub(super) fn record(&self) -> String {
        fs::read_to_string(self.dir.join("record")).unwrap_or_default()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.dir).ok();
    }
}

/// Runs the program to its end, and returns its output and events.
pub(super) async fn run(program: &Program) -> (String, Vec<ExecEvent>) {
    let (mut child, mut stdout) = program.spawn_captured().await.unwrap();
    let mut execs = child.take_exec_events().unwrap();
    let mut text = String::new();
    let read = async {
        stdout.read_to_string(&mut text).await.unwrap();
        child.stop(StopTimeouts::default()).await
    };
    let events = async {
        let mut events = Vec::new();
        while let Some(event) = execs.next().await {
            events.push(event);
        }
        events
    };
    let both = async { tokio::join!(read, events) };
    let (_, events) = tokio::time::timeout(PATIENCE, both)
        .await
        .expect("it hangs");
    (text, events)
}

async fn denied() {
    for (index, line) in SPELLINGS.iter().enumerate() {
        let stage = Stage::new(&format!("denied-{index}"));
        stage.script("wrapper", "#!/bin/sh\nexec forbidden\n");
        let (text, events) = run(&stage.program(line, "deny forbidden")).await;
        assert_eq!(stage.record(), "", "{line}: {text}");
        let is_denial = |event: &&ExecEvent| matches!(event, ExecEvent::Denied { why, .. } if why == "rule forbidden");
        assert!(
            events.iter().any(|event| is_denial(&event)),
            "{line}: {text} {events:?}"
        );
        // The same runs without the rule, so that the test shows something.
        let (text, _) = run(&stage.program(line, "deny nothing")).await;
        assert!(stage.record().starts_with("ran"), "{line}: {text}");
    }
}

async fn itself() {
    let stage = Stage::new("itself");
    let program = stage.program("exit", "deny sh");
    let error = program.spawn().await.expect_err("it started");
    assert!(
        matches!(&error, Error::Denied { why, .. } if why == "rule sh"),
        "{error}"
    );
    let program = program.watch(ExecWatch::new(b"nonsense".to_vec()));
    let error = program.spawn().await.expect_err("it started");
    assert!(matches!(error, Error::Watch { .. }), "{error}");
}

pub(super) async fn next_ask(execs: &mut ExecEvents) -> (u64, Vec<String>, Vec<String>) {
    loop {
        match execs.next().await.expect("an ask") {
            ExecEvent::Ask { id, exec, why } => {
                assert_eq!(why, "rule forbidden");
                let words = |list: Vec<_>| {
                    let text = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
                    list.into_iter().map(text).collect()
                };
                return (id, words(exec.args), words(exec.parents));
            }
            ExecEvent::Ran(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

async fn asked() {
    let stage = Stage::new("asked");
    stage.script(
        "outer",
        "#!/bin/sh\nforbidden one; forbidden 'two words'; echo \"got $?\"\n",
    );
    let program = stage.program("outer; true", "ask forbidden");
    let (mut child, mut stdout) = program.spawn_captured().await.unwrap();
    let mut execs = child.take_exec_events().unwrap();
    let (id, args, parents) = next_ask(&mut execs).await;
    assert_eq!(args, ["forbidden", "one"]);
    assert_eq!(parents, ["sh", "sh"]);
    assert_eq!(stage.record(), "");
    execs.answers().allow(id);
    let (id, args, _) = next_ask(&mut execs).await;
    assert_eq!(args, ["forbidden", "two words"]);
    assert_eq!(stage.record(), "ran one\n");
    execs.answers().deny(id);
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    assert!(text.ends_with("got 126\n"), "{text}");
    assert_eq!(stage.record(), "ran one\n");
}

/// A process can call itself anything; the record has the program that it runs.
async fn renamed() {
    let line = "perl -e '$0 = \"git → make\"; system(\"forbidden one\")'; true";
    for (rules, name) in [("ask forbidden", "asked"), ("deny nothing", "ran")] {
        let stage = Stage::new(&format!("renamed-{name}"));
        let (mut child, mut stdout) = stage.program(line, rules).spawn_captured().await.unwrap();
        let mut execs = child.take_exec_events().unwrap();
        let exec = loop {
            match execs.next().await.expect("an exec") {
                ExecEvent::Ask { id, exec, .. } => {
                    execs.answers().deny(id);
                    break exec;
                }
                ExecEvent::Ran(exec) if exec.program.ends_with("forbidden") => break exec,
                ExecEvent::Ran(_) => {}
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(exec.parents, ["perl", "sh"], "{rules}");
        stdout.read_to_string(&mut String::new()).await.unwrap();
    }
}

async fn late() {
    let stage = Stage::new("late");
    let watch = ExecWatch {
        rules: b"ask forbidden".to_vec(),
        deadline: Duration::from_millis(50),
    };
    let program = stage.program("forbidden; echo $?", "").watch(watch);
    let (text, events) = run(&program).await;
    assert!(text.ends_with("126\n"), "{text}");
    assert!(
        events
            .iter()
            .any(|it| matches!(it, ExecEvent::Withdrawn { id: 1 }))
    );
    assert_eq!(stage.record(), "");
}

async fn withdrawn() {
    let stage = Stage::new("withdrawn");
    let script = "forbidden & trap 'kill -9 $!' TERM; wait; wait";
    let (mut child, mut stdout) = stage
        .program(script, "ask forbidden")
        .spawn_captured()
        .await
        .unwrap();
    let mut execs = child.take_exec_events().unwrap();
    let (asked, _, _) = next_ask(&mut execs).await;
    let pid = rustix::process::Pid::from_raw(child.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    loop {
        match execs.next().await.expect("an event") {
            ExecEvent::Withdrawn { id } => break assert_eq!(id, asked),
            ExecEvent::Ran(_) => {}
            other => panic!("{other:?}"),
        }
    }
    // An answer that comes late changes nothing.
    execs.answers().allow(asked);
    assert_eq!(stage.record(), "");
}

async fn unheard() {
    let stage = Stage::new("unheard");
    let program = stage.program("forbidden; echo $?", "ask forbidden");
    let (mut child, mut stdout) = program.spawn_captured().await.unwrap();
    drop(child.take_exec_events());
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    assert!(text.ends_with("126\n"), "{text}");
    assert_eq!(stage.record(), "");
}

async fn probing() {
    let stage = Stage::new("probing");
    fs::write(stage.dir.join("plain"), "not executable").unwrap();
    let (text, events) = run(&stage.program(
        "true() { :; }; env -i /no/such; ./plain; env true",
        "deny x",
    ))
    .await;
    assert!(text.contains("/no/such"), "{text}");
    let ran = events.iter().map(|event| match event {
        ExecEvent::Ran(exec) => exec.args[0].to_string_lossy().into_owned(),
        other => panic!("{other:?}"),
    });
    assert_eq!(ran.collect::<Vec<_>>(), ["sh", "env", "env", "true"]);
}

async fn own_entries() {
    let stage = Stage::new("entries");
    std::os::unix::fs::symlink("/proc/self/exe", stage.dir.join("me")).unwrap();
    std::os::unix::fs::symlink("/proc/self/fd/9", stage.dir.join("nine")).unwrap();
    let forbidden = stage.dir.join("forbidden");
    fs::remove_file(&forbidden).unwrap();
    fs::copy("/bin/echo", &forbidden).unwrap();
    for line in [
        "exec 9<forbidden; /proc/self/fd/9 x >>\"$RECORD\"",
        "exec 9<forbidden; /dev/fd/9 x >>\"$RECORD\"",
        "exec 9<forbidden; ./nine x >>\"$RECORD\"",
        "exec 9<forbidden; /proc/self/../self/fd/9 x >>\"$RECORD\"",
        "exec 9<forbidden; /proc/thread-self/fd/9 x >>\"$RECORD\"",
    ] {
        let (text, _) = run(&stage.program(line, "deny forbidden")).await;
        assert_eq!(stage.record(), "", "{line}: {text}");
    }
    // A program that executes itself again is that program, also through a link, and not the guard.
    for line in ["/proc/self/exe -c 'echo again'", "./me -c 'echo again'"] {
        let (text, events) = run(&stage.program(line, "deny x")).await;
        assert_eq!(text, "again\n", "{line}");
        let sh = fs::canonicalize("/bin/sh").unwrap();
        let last = events.last().unwrap();
        assert!(
            matches!(last, ExecEvent::Ran(exec) if exec.program == sh),
            "{line}: {last:?}"
        );
    }
}

async fn nested() {
    let stage = Stage::new("nested");
    let me = std::env::current_exe().unwrap();
    let line = format!(
        "ATTACHE_TEST_NESTED=1 {} exec::a_watched_program --exact",
        me.display()
    );
    if std::env::var_os("ATTACHE_TEST_NESTED").is_some() {
        assert!(!exec_support().is_available());
        let (_, events) = run(&stage.program("true", "deny x")).await;
        assert_eq!(events, [ExecEvent::AlreadyWatched]);
        return;
    }
    let (text, _) = run(&stage.program(
        &line.replace(
            "exec::a_watched_program",
            "exec::a_watched_program_cannot_be_watched_again",
        ),
        "deny x",
    ))
    .await;
    // On a system that cannot watch programs, the inner process finds no tests of this kind.
    assert!(
        text.contains("test result: ok. 0 passed") || text.contains("1 passed"),
        "{text}"
    );
}

async fn swapped() {
    let stage = Stage::new("swapped");
    let me = std::env::current_exe().unwrap();
    let line = format!("{} {ROLE} swap", me.display());
    let mut found = false;
    for _ in 0..20 {
        let (_, events) = run(&stage.program(&line, "deny forbidden")).await;
        let killed = |event: &ExecEvent| matches!(event, ExecEvent::Killed { why, .. } if why == "rule forbidden");
        found |= events.iter().any(killed);
        if found {
            break;
        }
    }
    assert!(found, "no swap was found");
}

async fn slow() {
    let stage = Stage::new("slow");
    let script = "i=0; while [ $i -lt 3000 ]; do /bin/true; i=$((i+1)); done; forbidden; echo $?";
    let (mut child, mut stdout) = stage
        .program(script, "deny forbidden")
        .spawn_captured()
        .await
        .unwrap();
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    assert!(text.ends_with("126\n"), "{text}");
    let mut execs = child.take_exec_events().unwrap();
    let (mut ran, mut missed, mut denied) = (0, 0, 0);
    while let Some(event) = execs.next().await {
        match event {
            ExecEvent::Ran(_) => ran += 1,
            ExecEvent::Missed { count } => missed += count,
            ExecEvent::Denied { .. } => denied += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(denied, 1);
    assert!(ran + missed >= 3001, "{ran} and {missed}");
}

async fn orphaned() {
    let stage = Stage::new("orphaned");
    let mark = Mark::new();
    let mut owner = std::process::Command::new(std::env::current_exe().unwrap());
    owner
        .args([ROLE, "own"])
        .env(MARK, mark.value())
        .current_dir(&stage.dir);
    owner
        .env("RECORD", stage.dir.join("record"))
        .stdout(std::process::Stdio::piped());
    let mut owner = owner.spawn().unwrap();
    let mut line = String::new();
    let stdout = owner.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).unwrap();
    assert_eq!(line, "asked\n");
    owner.kill().unwrap();
    owner.wait().unwrap();
    mark.expect_gone();
    assert_eq!(stage.record(), "");
}

async fn unreadable() {
    // The superuser reads everything.
    if rustix::process::geteuid().is_root() {
        return;
    }
    let stage = Stage::new("unreadable");
    let me = std::env::current_exe().unwrap();
    let line = format!("{} {ROLE} hidden", me.display());
    let (text, events) = run(&stage.program(&line, "deny forbidden")).await;
    let denied =
        |event: &ExecEvent| matches!(event, ExecEvent::Denied { why, .. } if why == "unreadable");
    assert!(events.iter().any(denied), "{text}: {events:?}");
    assert_eq!(stage.record(), "");
}

async fn descriptors() {
    let stage = Stage::new("descriptors");
    let (text, _) = run(&stage.program("ls /proc/$$/fd", "deny x")).await;
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["0", "1", "2"]);
}

#[allow(clippy::print_stderr, reason = "who runs the tests should know")]
fn skip() {
    eprintln!("skipped: command rules: {}", exec_support());
}

/// Ways to run the program. Each really runs it where it is not denied.
const SPELLINGS: &[&str] = &[
    "forbidden",
    "forbid''den",
    "./forbidden a",
    "\"$PWD\"/forbidden",
    "eval forbid\\den",
    "p=forb; ${p}idden",
    "exec forbidden",
    "(forbidden)",
    "forbidden & wait",
    "f() { forbidden; }; f",
    "echo forbidden | sh",
    "echo forbidden >s; . ./s",
    "wrapper",
    "env forbidden",
    "nice forbidden",
    "timeout 5 forbidden",
    "nohup forbidden",
    "setsid -w forbidden",
    "echo x | xargs forbidden",
    "find . -maxdepth 1 -name record -o -maxdepth 0 -exec forbidden {} ';'",
    "sh -c 'sh -c \"forbidden; true\"; true'",
    "ln -s forbidden other; ./other",
    "printf 'x:\\n\\tforbidden\\n' >Makefile; make -s x",
    "perl -e 'system(\"forb\".\"idden\")'",
    "$(echo forbidden)",
    "`printf forbidden`",
    "command forbidden",
    "PATH=$PWD forbidden",
    "printf '#!%s/forbidden\\n' \"$PWD\" >s2; chmod +x s2; ./s2",
    "(sleep 0; forbidden) & wait",
];
