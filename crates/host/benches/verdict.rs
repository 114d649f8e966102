//! Measures how long a verdict on a permission request takes, from the tool call to the answer. Run it with
//! `cargo xtask bench verdict`. Words that are not options select the rows whose names contain one of them.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a program that is run by hand"
)]

use std::time::{Duration, Instant};

use attache_host::permissions::{Action, PermissionConfig, Permissions, Policy, Preset};
use attache_schema::v1;

fn main() {
    let (options, chosen): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|arg| arg.starts_with("--"));
    let count = match options.iter().any(|option| option == "--quick") {
        true => 500,
        false => 5000,
    };
    let is_chosen = |name: &str| chosen.is_empty() || chosen.iter().any(|it| name.contains(it));
    let workspace = std::env::current_dir().unwrap();
    println!("{:<44}{:>12}{:>12}", "", "p50 µs", "p95 µs");
    for (name, call) in CALLS.into_iter().filter(|(name, _)| is_chosen(name)) {
        let call = call.replace("WORKSPACE", workspace.to_str().unwrap());
        let request = format!(r#"{{"sessionId":"s","toolCall":{call},"options":[]}}"#);
        let request: v1::RequestPermissionRequest = attache_rpc::json::from_str(&request).unwrap();
        let permissions = permissions();
        let mut times: Vec<Duration> = (0..count)
            .map(|_| {
                let begun = Instant::now();
                let action = Action::from_request("claude", workspace.clone(), &request, None);
                std::hint::black_box(permissions.judge(&action));
                begun.elapsed()
            })
            .collect();
        times.sort_unstable();
        let micros = |part: usize| times[times.len() * part / 100].as_secs_f64() * 1e6;
        println!("{name:<44}{:>12.1}{:>12.1}", micros(50), micros(95));
    }
}

/// Twenty rules, as a careful user may have.
fn permissions() -> Permissions {
    let denied = ["curl", "wget", "rm -rf **", "git push --force **", "sudo"];
    let asked = [
        "git push **",
        "npm publish **",
        "docker run **",
        "make deploy",
    ];
    let allowed = ["cargo **", "git status", "git log *", "git diff *", "ls **"];
    let rule = |action: &str, commands: &[&str]| {
        let rules = commands.iter();
        let rules =
            rules.map(|command| format!(r#"{{"action":"{action}","command":"{command}"}}"#));
        rules.collect::<Vec<_>>().join(",")
    };
    let paths = r#"{"action":"deny","path":["./secrets","**/.env","*.pem"]},
        {"action":"ask","kind":"edit","path":"migrations/**"},
        {"action":"allow","kind":"edit","path":"src/**"}"#;
    let policy = format!(
        r#"{{"rules":[{},{},{},{paths}]}}"#,
        rule("deny", &denied),
        rule("ask", &asked),
        rule("allow", &allowed)
    );
    let mut config = PermissionConfig::new(Preset::Ask);
    config.policy = Some(Policy::parse("policy.json", &policy).unwrap());
    Permissions::open(config).0
}

const CALLS: [(&str, &str); 8] = [
    (
        "read a file",
        r#"{"toolCallId":"1","kind":"read","locations":[{"path":"WORKSPACE/src/lib.rs"}]}"#,
    ),
    (
        "edit a file",
        r#"{"toolCallId":"1","kind":"edit","locations":[{"path":"WORKSPACE/src/lib.rs"}],"rawInput":{"file_path":"WORKSPACE/src/lib.rs","old_string":"a","new_string":"b"}}"#,
    ),
    (
        "cargo test",
        r#"{"toolCallId":"1","kind":"execute","rawInput":{"command":"cargo test --workspace"}}"#,
    ),
    (
        "a shell line of three parts",
        r#"{"toolCallId":"1","kind":"execute","rawInput":{"command":"cd crates/host && cargo test 2>&1 | tail -20"}}"#,
    ),
    (
        "a shell line with two changes of directory",
        r#"{"toolCallId":"1","kind":"execute","rawInput":{"command":"cd src && cargo test 2>&1 | tail -20; cd ../benches && ls -l"}}"#,
    ),
    (
        "a command of 30 words",
        r#"{"toolCallId":"1","kind":"execute","rawInput":{"command":"cargo clippy -p attache-host --all-targets --features a b c src/lib.rs src/names.rs src/paths.rs tests/one.rs Cargo.toml 1 2 3 -- -D warnings -A missing_docs -A dead_code -W unused one two three four five"}}"#,
    ),
    (
        "a loop with substitutions",
        r#"{"toolCallId":"1","kind":"execute","rawInput":{"command":"for f in $(git ls-files '*.rs'); do wc -l \"$f\"; done | sort -n | tail -5"}}"#,
    ),
    (
        "a tool of an MCP server",
        r#"{"toolCallId":"1","kind":"other","title":"search","rawInput":{"query":"permissions","limit":20}}"#,
    ),
];
