//! A denied program under hundreds of generated spellings. The oracle is a fake program that records when it really
//! runs.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use attache_host::Roots;
use attache_host::audit::{Log, entries};
use attache_host::exec::{ExecRequest, ExecRules, WatchMode, Watcher};
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
use attache_host::terminals::{Sandbox, TerminalLimits, Terminals};
use attache_process::{ExecEvent, Program, StopTimeouts};
use attache_schema::v1;
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt as _;

use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    if !ExecRules::support().is_available() {
        return Vec::new();
    }
    vec![
        trial("exec_attacks::no_spelling_runs_a_denied_program", spellings),
        trial(
            "exec_attacks::no_option_hides_a_denied_subcommand",
            subcommands,
        ),
        trial(
            "exec_attacks::other_files_of_a_denied_program_do_not_run",
            files,
        ),
        trial("exec_attacks::harmless_lines_run", harmless),
        trial(
            "exec_attacks::terminals_ask_once_and_note_what_ran",
            terminals,
        ),
        trial(
            "exec_attacks::parts_of_an_approved_line_are_asked_about_once",
            approved_parts,
        ),
    ]
}

pub(super) struct ExecTest {
    pub(super) dir: PathBuf,
}

impl ExecTest {
    pub(super) fn new(name: &str) -> ExecTest {
        // An ordinary user may not write to a build directory of the superuser.
        let dir = match rustix::process::geteuid().is_root() {
            true => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
            false => std::env::temp_dir(),
        };
        let dir = dir.join(format!("exec-attacks-{name}-{}", std::process::id()));
        fs::create_dir_all(dir.join("bin")).unwrap();
        let test = ExecTest { dir };
        for program in ["curl", "git"] {
            test.script(
                &format!("bin/{program}"),
                &format!("#!/bin/sh\necho {program} \"$@\" >>\"$RECORD\"\n"),
            );
        }
        test
    }

    pub(super) fn script(&self, name: &str, text: &str) {
        let path = self.dir.join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Runs a line under the rules, and returns its output and the events.
    pub(super) async fn run(
        &self,
        line: &str,
        rules: Option<&ExecRules>,
    ) -> (String, Vec<ExecEvent>) {
        let path = std::env::var("PATH").unwrap();
        let mut program = Program::new("sh")
            .args(["-c", line])
            .env("PATH", format!("{}/bin:{path}", self.dir.display()))
            .env("RECORD", self.dir.join("record"))
            .cwd(&self.dir);
        if let Some(rules) = rules {
            program = program.watch(rules.watch());
        }
        let (mut child, mut stdout) = program.spawn_captured().await.unwrap();
        let execs = child.take_exec_events();
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).await.unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        child.stop(StopTimeouts::default()).await;
        let mut events = Vec::new();
        if let Some(mut execs) = execs {
            while let Some(event) = execs.next().await {
                events.push(event);
            }
        }
        (text, events)
    }

    pub(super) fn record(&self) -> String {
        fs::read_to_string(self.dir.join("record")).unwrap_or_default()
    }
}

impl Drop for ExecTest {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.dir).ok();
    }
}

fn permissions(policy: &str) -> Permissions {
    let mut config = PermissionConfig::new(Preset::Ask);
    config.policy = Some(Policy::parse("policy.json", policy).unwrap());
    Permissions::open(config).0
}

fn rules(policy: &str) -> ExecRules {
    permissions(policy)
        .exec_rules("agent")
        .for_mode(WatchMode::Rules)
        .unwrap()
}

/// Every spelling in every kind of script.
async fn spellings() {
    let test = ExecTest::new("spellings");
    let rules = rules(r#"{"rules": [{"action": "deny", "command": "curl", "id": "no-curl"}]}"#);
    symlink("curl", test.dir.join("bin/fetch")).unwrap();
    let mut lines = Vec::new();
    for (index, spelling) in SPELLINGS.iter().enumerate() {
        test.script(
            &format!("go{index}"),
            &format!("#!/bin/sh\n{spelling} -V\ntrue\n"),
        );
        for carrier in CARRIERS {
            lines.push(carrier.replace("GO", &format!("./go{index}")));
        }
    }
    fs::write(test.dir.join("Makefile"), MAKEFILE).unwrap();
    // Without the rule, each of them runs the program, so the test proves something.
    for line in &lines {
        let before = test.record().len();
        let (text, _) = test.run(line, None).await;
        assert!(
            test.record().len() > before,
            "{line} does not run it: {text}"
        );
    }
    fs::remove_file(test.dir.join("record")).unwrap();
    for line in &lines {
        let (text, events) = test.run(line, Some(&rules)).await;
        assert_eq!(test.record(), "", "{line}: {text}");
        let is_denied = |event: &ExecEvent| matches!(event, ExecEvent::Denied { why, .. } if why == "policy rule `no-curl`");
        assert!(events.iter().any(is_denied), "{line}: {text} {events:?}");
    }
    assert!(lines.len() > 250, "{}", lines.len());
}

async fn subcommands() {
    let test = ExecTest::new("subcommands");
    let rules = rules(r#"{"rules": [{"action": "deny", "command": "git push **"}]}"#);
    symlink("git", test.dir.join("bin/git-push")).unwrap();
    let options = [
        "",
        "-C .",
        "-c a=b",
        "-P",
        "--no-pager",
        "--bare",
        "--git-dir .",
        "--git-dir=.",
        "--work-tree .",
        "-p",
        "--exec-path=/x",
        "--namespace n",
        "--config-env=a=HOME",
        "--no-optional-locks",
        "--literal-pathspecs",
    ];
    let mut script = String::new();
    for first in options {
        for second in options {
            script.push_str(&format!("git {first} {second} push origin\n"));
        }
    }
    script.push_str("git-push origin\nexec -a git-push git origin\n(exec -a other git push)\n");
    let (text, _) = test
        .run(&format!("bash <<'END'\n{script}\nEND"), Some(&rules))
        .await;
    assert_eq!(test.record(), "", "{text}");
    let harmless =
        "git log --grep push; git -C push status; git stash list push; git --no-pager log push";
    test.run(harmless, Some(&rules)).await;
    assert_eq!(test.record().lines().count(), 4, "{}", test.record());
}

/// Links, the dynamic loader and multi-call programs lead to a known file.
async fn files() {
    let test = ExecTest::new("files");
    let curl = test.dir.join("bin/curl");
    fs::hard_link(&curl, test.dir.join("bin/hard")).unwrap();
    symlink(&curl, test.dir.join("bin/soft")).unwrap();
    let policy = format!(
        r#"{{"rules": [{{"action": "deny", "command": ["{} **", "od **"], "id": "no"}}]}}"#,
        curl.display()
    );
    let rules = rules(&policy);
    for line in [
        "curl",
        "hard",
        "soft",
        "bin/hard -V",
        "sh bin/hard",
        "bin/../bin/soft",
        "cd bin; ./soft",
    ] {
        let (text, _) = test.run(line, Some(&rules)).await;
        assert_eq!(test.record(), "", "{line}: {text}");
    }
    let loader = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let loader = loader
        .into_iter()
        .find(|path| fs::exists(path).unwrap_or(false));
    let od = "/usr/bin/od";
    let mut lines = vec![
        format!("echo A | {od} -c"),
        "ln -s /usr/bin/od x; echo A | ./x -c".to_owned(),
    ];
    if let Some(loader) = loader {
        lines.push(format!("echo A | {loader} {od} -c"));
        lines.push(format!("echo A | {loader} --library-path /lib {od} -c"));
        lines.push(format!("ln -s {loader} ld; echo A | ./ld {od} -c"));
        lines.push(format!("ln -s {od} y; echo A | {loader} ./y -c"));
    }
    for line in lines {
        let (text, _) = test.run(&line, Some(&rules)).await;
        assert!(!text.contains("0000000"), "{line}: {text}");
    }
}

async fn harmless() {
    let test = ExecTest::new("harmless");
    let rules = rules(r#"{"rules": [{"action": "deny", "command": ["curl", "git push **"]}]}"#);
    fs::write(test.dir.join("words"), "curl\n").unwrap();
    for line in [
        "echo 'curl -V'",
        "echo \"git push\"",
        "grep curl words",
        "printf curl",
        "sh -c 'echo curl; echo git push'",
        "env echo curl",
        "find . -name words -exec echo curl {} ';'",
        "x=curl; echo $x",
        "perl -e 'print \"curl\"'",
        "test -x bin/curl && echo curl",
        "cat bin/curl",
        "echo curl | xargs echo",
    ] {
        let (text, events) = test.run(line, Some(&rules)).await;
        assert!(
            text.contains("curl") || text.contains("git push"),
            "{line}: {text}"
        );
        let is_fine = |event: &ExecEvent| matches!(event, ExecEvent::Ran(_));
        assert!(events.iter().all(is_fine), "{line}: {events:?}");
    }
    assert_eq!(test.record(), "");
}

/// The requests that the user got.
#[derive(Clone, Default)]
struct RecordedRequests(Arc<Mutex<Vec<ExecRequest>>>);

/// Terminals that ask under a policy. The user allows commands that end with `second`.
fn asking(policy: &str, logs: &Path) -> (Terminals, RecordedRequests) {
    let watcher = Watcher::new(rules(policy), "agent", Log::open(logs).unwrap());
    let asked = RecordedRequests::default();
    let recorded = asked.clone();
    watcher.ask_with(move |request| {
        let is_second = request.args.last().is_some_and(|arg| arg == "second");
        recorded.0.lock().unwrap().push(request);
        async move { is_second }
    });
    let terminals = Terminals::new(TerminalLimits::default(), Sandbox::Off);
    terminals.watch_with(watcher);
    (terminals, asked)
}

async fn run_in_terminal(terminals: &Terminals, dir: &Path, words: &[&str]) {
    let roots = Roots::open(dir, &[]).unwrap();
    let session = v1::SessionId::from("session");
    let mut request = v1::CreateTerminalRequest::new(session.clone(), words[0]);
    request.args = words[1..].iter().map(|word| (*word).to_owned()).collect();
    let id = terminals.create(&roots, &request).await.unwrap();
    terminals.wait(&session, &id).await.unwrap();
    terminals.release(&session, &id).await.unwrap();
}

/// Each line is approved as a whole when its terminal starts. The table lists what the user is asked about afterwards,
/// and what ran.
async fn approved_parts() {
    let test = ExecTest::new("parts");
    let dir = fs::canonicalize(&test.dir).unwrap();
    fs::create_dir(dir.join("sub")).unwrap();
    let git = dir.join("bin/git");
    let git = git.to_str().unwrap();
    let policy = format!(
        r#"{{"rules": [
            {{"action": "ask", "command": "{git} push **", "id": "push"}},
            {{"action": "deny", "command": "{git} push --force **", "id": "no-force"}}
        ]}}"#
    );
    test.script("hidden", &"#!/bin/sh\nGIT push one\n".replace("GIT", git));
    test.script("other", &"#!/bin/sh\nGIT push one x\n".replace("GIT", git));
    test.script("set", &"#!/bin/sh\nA=1 GIT push one\n".replace("GIT", git));
    let named = "#!/usr/bin/perl\nexec {'./program'} 'GIT', 'push', 'one'\n";
    test.script("named", &named.replace("GIT", git));
    test.script("program", "#!/bin/sh\necho other \"$@\" >>\"$RECORD\"\n");
    let (terminals, asked) = asking(&policy, &dir.join("log"));
    for (line, runs, asks) in [
        ("GIT push one", "one", ""),
        ("GIT push one && GIT push two", "one two", ""),
        ("cd sub && GIT push one; true", "one", ""),
        (
            "env GIT push 'one'; echo \"$(GIT push two)\"",
            "one two",
            "",
        ),
        ("sh -c 'GIT push one; true'; true", "one", ""),
        // The program runs more often than the line shows.
        ("for i in 1 2; do GIT push one; done", "one", "one"),
        (
            "GIT push one; GIT push one; GIT push one | cat",
            "one one one",
            "",
        ),
        ("GIT push one; ./hidden", "one", "one"),
        ("./hidden; GIT push one", "one", "one"),
        // The program is not the one shown.
        ("./other; GIT push one", "one", "one x"),
        ("x=one; GIT push $x", "", "one"),
        ("cd $PWD/sub && GIT push one", "", "one"),
        (
            "set -- one; GIT push \"$@\" second",
            "one second",
            "one second",
        ),
        ("GIT push --force one; GIT push two", "two", ""),
        // Another program, or variables that were not shown.
        ("./named; GIT push one", "one", "one"),
        ("./set; GIT push one", "one", "A=1 one"),
        ("A=1 GIT push one", "one", ""),
        ("A=$HOME GIT push one", "", "A=HOME one"),
        ("CI=1 GIT push one", "one", ""),
        ("LD_PRELOAD=$x GIT push one", "", "LD_PRELOAD= one"),
    ] {
        let script = line.replace("GIT", git);
        let record = dir.join("record");
        fs::write(&record, "").unwrap();
        let line = format!("export RECORD={}; {script}", record.display());
        run_in_terminal(&terminals, &dir, &["/bin/sh", "-c", &line]).await;
        let ran = test.record().replace("git push ", "").replace('\n', " ");
        assert_eq!(ran.trim(), runs, "{line}");
        let asked: Vec<ExecRequest> = asked.0.lock().unwrap().drain(..).collect();
        let home = std::env::var("HOME").unwrap_or_default();
        let shown = |it: &ExecRequest| {
            let variables = it.variables.iter();
            let variables = variables.filter(|it| !it.starts_with("RECORD="));
            let words = variables.chain(&it.args[2..]).map(String::as_str);
            words.collect::<Vec<_>>().join(" ").replace(&home, "HOME")
        };
        let asked: Vec<String> = asked.iter().map(shown).collect();
        assert_eq!(asked.join(", "), asks, "{line}");
    }
}

async fn terminals() {
    let test = ExecTest::new("terminals");
    let dir = fs::canonicalize(&test.dir).unwrap();
    let git = dir.join("bin/git");
    let policy = format!(
        r#"{{"rules": [
            {{"action": "ask", "command": "{} push **", "id": "push"}},
            {{"action": "deny", "command": "curl", "id": "no-curl"}}
        ]}}"#,
        git.display()
    );
    let logs = dir.join("log");
    let (terminals, asked) = asking(&policy, &logs);
    let session = v1::SessionId::from("session");
    let script = format!(
        "export RECORD={} it=push; {git} $it first; {git} $it second; {}/bin/curl; true",
        dir.join("record").display(),
        dir.display(),
        git = git.display(),
    );
    for words in [
        vec![git.to_str().unwrap(), "push", "approved"],
        vec!["sh", "-c", &script],
    ] {
        run_in_terminal(&terminals, &dir, &words).await;
    }
    // The approved command had no RECORD to write to, and the user was not asked about it.
    assert_eq!(test.record(), "git push second\n");
    let asked = asked.0.lock().unwrap().clone();
    let shown: Vec<_> = asked
        .iter()
        .map(|it| (it.args[1..].join(" "), it.parents.clone(), it.why.clone()))
        .collect();
    let why = "policy rule `push`".to_owned();
    let sh = vec!["sh".to_owned()];
    assert_eq!(
        shown,
        [
            ("push first".to_owned(), sh.clone(), why.clone()),
            ("push second".to_owned(), sh, why)
        ]
    );
    assert!(
        asked
            .iter()
            .all(|it| it.cwd == dir && it.session == Some(session.clone()))
    );
    let lines: Vec<String> = entries(&logs)
        .unwrap()
        .map(|entry| entry.unwrap().line)
        .collect();
    let log = lines.join("\n");
    for expected in [
        r#""outcome":"asked""#,
        r#""outcome":"denied","because":"policy rule `no-curl`""#,
        r#""outcome":"ran""#,
        "rejected",
    ] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
}

/// Ways to spell the program in a script. Each runs it.
const SPELLINGS: &[&str] = &[
    "curl",
    "cu''rl",
    "\"cu\"rl",
    "c\\url",
    "$(echo curl)",
    "`printf cur``printf l`",
    "x=cu; ${x}rl",
    "eval 'cu'rl",
    "command curl",
    "exec curl",
    "./bin/curl",
    "bin/../bin/curl",
    "\"$PWD\"/bin/curl",
    "fetch",
    "sh bin/curl",
    "PATH=$PWD/bin curl",
];

/// Ways to run the script or its text.
const CARRIERS: &[&str] = &[
    "GO",
    ". GO",
    "eval \"$(cat GO)\"",
    "sh GO",
    "sh <GO",
    "cat GO | sh",
    "(GO)",
    "GO & wait",
    "f() { GO; }; f",
    "env GO",
    "env -i PATH=\"$PATH\" RECORD=\"$RECORD\" GO",
    "nice GO",
    "timeout 20 GO",
    "nohup GO",
    "setsid -w GO",
    "echo x | xargs GO",
    "find . -maxdepth 0 -exec GO {} ';'",
    "make -s SCRIPT=GO x",
    "perl -e 'system(\"GO\")'",
    "sh -c 'sh -c \"GO; true\"; true'",
];

const MAKEFILE: &str = "x:\n\t$(SCRIPT)\n";
