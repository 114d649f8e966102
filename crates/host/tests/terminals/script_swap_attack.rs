//! Scripts that are replaced while the user is asked about the program that runs them.

use std::fs;
use std::path::Path;

use attache_host::exec::{ExecRules, WatchMode};
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
use attache_process::{ExecEvent, Program, StopTimeouts};
use libtest_mimic::Trial;
use tokio::io::AsyncReadExt as _;

use super::exec_attacks::ExecTest;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    if !ExecRules::support().is_available() {
        return Vec::new();
    }
    vec![trial(
        "script_swap_attack::an_answer_does_not_count_for_another_script",
        swaps,
    )]
}

/// Runs a line, and allows every program that is asked about, after a change. Returns the output.
async fn run(test: &ExecTest, line: &str, change: impl Fn(&Path)) -> (String, Vec<ExecEvent>) {
    test.script("deploy.sh", "#!/bin/sh\necho GOOD\n");
    fs::create_dir_all(test.dir.join("pkg")).unwrap();
    fs::write(test.dir.join("pkg/__main__.py"), "print('GOOD')\n").unwrap();
    fs::write(test.dir.join("deploy.awk"), "BEGIN { print \"GOOD\" }\n").unwrap();
    let policy = r#"{"rules": [{"action": "ask", "command": ["./deploy.sh", "deploy.sh", "./pkg", "deploy.awk"]}]}"#;
    let mut config = PermissionConfig::new(Preset::Ask);
    config.policy = Some(Policy::parse("policy.json", policy).unwrap());
    let rules = Permissions::open(config).0.exec_rules("agent");
    let rules = rules.for_mode(WatchMode::Rules).unwrap();
    let program = Program::new("sh")
        .args(["-c", &format!("{line}; true")])
        .cwd(&test.dir)
        .watch(rules.started_in(&test.dir).watch());
    let (mut child, mut stdout) = program.spawn_captured().await.unwrap();
    let mut execs = child.take_exec_events().unwrap();
    let answers = execs.answers();
    let mut events = Vec::new();
    while let Some(event) = execs.next().await {
        if let ExecEvent::Ask { id, .. } = &event {
            change(&test.dir);
            answers.allow(*id);
        }
        events.push(event);
    }
    let mut text = String::new();
    stdout.read_to_string(&mut text).await.unwrap();
    child.stop(StopTimeouts::default()).await;
    (text, events)
}

async fn swaps() {
    let test = ExecTest::new("swaps");
    let overwrite = |path: &Path| {
        let text = fs::read_to_string(path).unwrap().replace("GOOD", "EVIL");
        let meta = fs::metadata(path).unwrap();
        fs::write(path, text).unwrap();
        // The size and this time are as before.
        let opened = fs::File::options().write(true).open(path).unwrap();
        opened.set_modified(meta.modified().unwrap()).unwrap();
    };
    let rename = |path: &Path| {
        let text = fs::read_to_string(path).unwrap().replace("GOOD", "EVIL");
        let other = path.with_extension("new");
        fs::write(&other, text).unwrap();
        fs::rename(other, path).unwrap();
    };
    let mut count = 0;
    for (line, script) in LINES {
        let (text, events) = run(&test, line, |_| ()).await;
        let is_asked = |event: &ExecEvent| matches!(event, ExecEvent::Ask { .. });
        if !text.contains("GOOD") {
            let program = line.split(' ').next().unwrap();
            assert!(
                !Path::new("/usr/bin").join(program).exists(),
                "{line}: {text}"
            );
            continue;
        }
        assert!(events.iter().any(is_asked), "{line}: {text}");
        for change in [&overwrite as &dyn Fn(&Path), &rename] {
            let (text, events) = run(&test, line, |dir| change(&dir.join(script))).await;
            assert!(!text.contains("EVIL"), "{line}: {text} {events:?}");
            let is_told = |event: &ExecEvent| matches!(event, ExecEvent::Denied { why, .. } if why.contains("replaced"));
            assert!(events.iter().any(is_told), "{line}: {events:?}");
        }
        count += 1;
    }
    assert!(count > 5, "{count}");
}

/// Lines, and the script that each runs.
const LINES: &[(&str, &str)] = &[
    ("./deploy.sh", "deploy.sh"),
    ("sh deploy.sh", "deploy.sh"),
    ("sh -e ./deploy.sh x", "deploy.sh"),
    ("bash deploy.sh", "deploy.sh"),
    ("nice sh deploy.sh", "deploy.sh"),
    ("env sh ./deploy.sh", "deploy.sh"),
    ("awk -f deploy.awk", "deploy.awk"),
    ("python3 ./pkg", "pkg/__main__.py"),
];
