//! Attack tests of the rules that deny files. Every tool is tried with every name of a denied file: its content must
//! reach neither the model nor the client, and the file must stay unchanged.

use std::fs;
use std::os::unix::fs::symlink;

use attache::v1;
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
use attache_model::Input;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::{FileRules, ToolEnvironment, Workplace, parse};
use super::{ClientOffer, TestWorkplace};
use crate::ToolOutcome;

const CANARY: &str = "canary-7c1f";
const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\ncanary-7c1f";

/// Policies that deny the same files in different ways.
const POLICIES: [&str; 6] = [
    r#"{"rules":[{"action":"deny","path":["secrets","**/.env"],"id":"r"}]}"#,
    r#"{"rules":[{"action":"deny","path":["secrets/**",".env"],"id":"r"}]}"#,
    r#"{"rules":[{"action":"deny","path":["@/ws/secrets","@/ws/app/.env"],"id":"r"}]}"#,
    r#"{"rules":[{"action":"deny","kind":"read","path":["secrets",".env"],"id":"r"}]}"#,
    r#"{"rules":[{"action":"deny","path":["key.*","*.png",".env"],"id":"r"}]}"#,
    r#"{"rules":[{"action":"deny","kind":["read","edit"],"path":["./secrets","app/.env"],"id":"r"},
        {"action":"allow","path":"**"}],"default":"allow"}"#,
];

/// Names that lead to denied files.
const NAMES: [&str; 34] = [
    "secrets/key.txt",
    "./secrets/key.txt",
    "secrets/./key.txt",
    "secrets//key.txt",
    "app/../secrets/key.txt",
    "app/../app/.././secrets/key.txt",
    "secrets/deep/er/../../key.txt",
    "@/ws/secrets/key.txt",
    "@/ws/./app/../secrets/key.txt",
    "@/more/../ws/secrets/key.txt",
    "@//ws//secrets//key.txt",
    "Secrets/Key.txt",
    "SECRETS/KEY.TXT",
    "secrets/key.txt/",
    "secrets/key.txt/.",
    "secrets/key.txt/..",
    " secrets/key.txt",
    "secrets/key.txt ",
    "~/secrets/key.txt",
    "file:///secrets/key.txt",
    "secrets/deep/er/key.pem",
    "secrets/key.png",
    "app/.env",
    "./app/./.env",
    "app/.ENV",
    "@/ws/app/.env",
    "notes/link",
    "notes/chain",
    "notes/dir/key.txt",
    "notes/dir/deep/../key.txt",
    "notes/hard.txt",
    "notes/env",
    "@/more/link",
    "@/more/dir/key.txt",
];

/// Directories to search and list.
const PLACES: [&str; 14] = [
    ".",
    "./",
    "@/ws",
    "@/more",
    "secrets",
    "secrets/",
    "secrets/deep",
    "notes",
    "notes/dir",
    "@/more/dir",
    "app",
    "app/..",
    "notes/../secrets",
    "notes/hard.txt",
];

/// A workplace with a policy, and links to the denied files.
async fn stage(offer: ClientOffer, policy: &str) -> TestWorkplace {
    let mut stage = TestWorkplace::with(offer, &FILES).await;
    fs::write(stage.path("ws/secrets/key.png"), PICTURE).unwrap();
    let link = |to: &str, name: &str| symlink(to, stage.path(name)).unwrap();
    link("../secrets/key.txt", "ws/notes/link");
    link("link", "ws/notes/chain");
    link("../secrets", "ws/notes/dir");
    link("../app/.env", "ws/notes/env");
    link("../ws/secrets/key.txt", "more/link");
    link("../ws/secrets", "more/dir");
    let (key, hard) = ("ws/secrets/key.txt", "ws/notes/hard.txt");
    fs::hard_link(stage.path(key), stage.path(hard)).unwrap();
    let policy = policy.replace('@', stage.top.to_str().unwrap());
    let mut config = PermissionConfig::new(Preset::Ask);
    config.policy = Some(Policy::parse("policy", &policy).unwrap());
    let (permissions, _) = Permissions::open(config);
    let roots = stage.workplace.roots().clone();
    let roots = roots
        .deny(permissions.deny_path_rules("builtin"))
        .ask(permissions.ask_path_rules("builtin"));
    let session = stage.workplace.session().clone();
    let rules = FileRules::new(permissions, "builtin", session.id(), roots.cwd());
    stage.workplace = Workplace::with_rules(session, roots, ToolEnvironment::default(), rules);
    stage
}

const FILES: [(&str, &str); 6] = [
    ("ws/secrets/key.txt", "canary-7c1f\nfine\n"),
    ("ws/secrets/deep/er/key.pem", "canary-7c1f\nfine\n"),
    ("ws/app/.env", "KEY=canary-7c1f\nfine\n"),
    ("ws/app/main.rs", "fn main() {} // fine\n"),
    ("ws/notes/open.txt", "fine\n"),
    ("more/open.txt", "fine\n"),
];

impl TestWorkplace {
    /// Performs a call and returns everything that the model and the client see of it.
    async fn seen(&self, tool: &str, input: &Value) -> String {
        let input = input.to_string().replace('@', self.top.to_str().unwrap());
        let Some(Ok(call)) = parse(tool, &input) else {
            return String::new();
        };
        let mut seen = String::new();
        match call.prepare(&self.workplace).await {
            Ok(prepared) => {
                seen += &shown(&prepared.content());
                let mut steps = String::new();
                let performed = prepared.perform(&self.workplace, |now| {
                    steps += &shown(&now.content);
                });
                let outcome = performed.await;
                seen + &steps + &text(&outcome)
            }
            Err(outcome) => seen + &text(&outcome),
        }
    }

    fn is_whole(&self) -> bool {
        let canaries = FILES.iter().filter(|(_, text)| text.contains(CANARY));
        let mut names = canaries.map(|(name, text)| (self.disk(name), *text));
        names.all(|(now, text)| now.as_deref() == Some(text))
            && fs::read(self.path("ws/secrets/key.png")).unwrap() == PICTURE
    }
}

fn text(outcome: &ToolOutcome) -> String {
    let told = outcome.for_model.iter().map(|piece| match piece {
        Input::Text(text) => text.clone(),
        Input::Image { data, .. } | Input::Audio { data, .. } => decoded(data),
    });
    let told: Vec<String> = told.collect();
    let raw = outcome
        .raw
        .as_ref()
        .map(Value::to_string)
        .unwrap_or_default();
    format!("{}\n{}\n{raw}", told.join("\n"), shown(&outcome.content))
}

fn shown(content: &[v1::ToolCallContent]) -> String {
    let pieces = content.iter().map(|piece| match piece {
        v1::ToolCallContent::Content(content) => match &content.content {
            v1::ContentBlock::Image(image) => decoded(&image.data),
            other => other.as_text().unwrap_or_default().to_owned(),
        },
        v1::ToolCallContent::Diff(diff) => {
            format!(
                "{}\n{}",
                diff.old_text.clone().unwrap_or_default(),
                diff.new_text
            )
        }
        other => format!("{other:?}"),
    });
    pieces.collect::<Vec<_>>().join("\n")
}

fn decoded(data: &str) -> String {
    String::from_utf8_lossy(&STANDARD.decode(data).unwrap()).into_owned()
}

/// All calls that name a file.
fn calls(name: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read", json!({ "path": name })),
        ("read", json!({ "path": name, "line": 1, "limit": 1 })),
        ("search", json!({ "pattern": "canary", "path": name })),
        (
            "search",
            json!({ "pattern": ".*", "path": name, "context": 20 }),
        ),
        ("search", json!({ "pattern": ".", "glob": name })),
        ("list", json!({ "path": name, "depth": 10 })),
        ("glob", json!({ "pattern": "**", "path": name })),
        ("write", json!({ "path": name, "content": "mine\n" })),
        (
            "write",
            json!({ "path": name, "content": "canary-7c1f\nfine\n".replace("7c1f", "0000") }),
        ),
        (
            "edit",
            json!({ "path": name, "edits": [{ "old": "fine", "new": "mine" }] }),
        ),
        (
            "edit",
            json!({ "path": name, "edits": [{ "old": "canary-0000 fine", "new": "" }] }),
        ),
        ("run", json!({ "command": "cat key.txt", "cwd": name })),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_denied_file_is_denied_by_every_name_to_every_tool() {
    let mut count = 0;
    for policy in POLICIES {
        for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
            let stage = stage(offer, policy).await;
            for name in NAMES {
                for (tool, input) in calls(name) {
                    let seen = stage.seen(tool, &input).await;
                    assert!(
                        !seen.contains(CANARY),
                        "{policy} {offer:?} {tool} {input}: {seen}"
                    );
                    assert!(stage.is_whole(), "{policy} {offer:?} {tool} {input}");
                    count += 1;
                }
            }
            // Only requests to run a command may name these directories, because some of them are open.
            let asked = stage.asked();
            let denied = ["/ws/secrets/", "/app/.env", "/notes/", "/more/"];
            // `FILE/..` is not a valid path, so it names nothing.
            let is_nothing = |line: &str| line.ends_with("key.txt/..");
            let wrong = |line: &str| {
                let names_denied = denied.iter().any(|path| line.contains(path));
                names_denied && !line.starts_with("create") && !is_nothing(line)
            };
            assert!(!asked.lines().any(wrong), "{policy}: {asked}");
        }
    }
    assert!(count > 4000, "{count}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn walks_skip_denied_files_and_report_it() {
    for policy in POLICIES {
        let stage = stage(ClientOffer::Nothing, policy).await;
        for place in PLACES {
            let walks = [
                ("search", json!({ "pattern": "canary", "path": place })),
                (
                    "search",
                    json!({ "pattern": "", "path": place, "glob": "**/.*" }),
                ),
                (
                    "search",
                    json!({ "pattern": "(?s).", "path": place, "glob": "*.{txt,pem,env}" }),
                ),
                ("glob", json!({ "pattern": "**/*", "path": place })),
                ("glob", json!({ "pattern": ".*", "path": place })),
                ("list", json!({ "path": place, "depth": 10 })),
            ];
            for (tool, input) in walks {
                let seen = stage.seen(tool, &input).await;
                assert!(!seen.contains(CANARY), "{policy} {tool} {input}: {seen}");
            }
        }
        let found = stage.seen("search", &json!({ "pattern": "fine" })).await;
        assert!(
            found.contains("app/main.rs") && found.contains("notes/open.txt"),
            "{found}"
        );
        assert!(
            found.contains("withheld by policy rule `r`"),
            "{policy}: {found}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_directory_with_a_denied_file_is_not_moved() {
    for policy in POLICIES {
        let stage = stage(ClientOffer::Nothing, policy).await;
        let moves =
            ["secrets", "secrets/deep", "secrets/deep/er", "app"].map(|from| (from, "public"));
        let files = NAMES.map(|from| (from, "public.txt"));
        for (from, to) in moves.into_iter().chain(files) {
            let seen = stage.seen("move", &json!({ "from": from, "to": to })).await;
            let read = [
                "public",
                "public.txt",
                "public/key.txt",
                "public/key.pem",
                "public/.env",
                "public/er/key.pem",
            ];
            for name in read {
                let got = stage.seen("read", &json!({ "path": name })).await;
                assert!(!got.contains(CANARY), "{policy} {from}: {seen} {got}");
            }
            // A link may be moved, because that does not move its target.
            if let Ok(link) = fs::read_link(stage.path("ws/public.txt")) {
                fs::remove_file(stage.path("ws/public.txt")).unwrap();
                let from = from.replace('@', stage.top.to_str().unwrap());
                symlink(link, stage.path("ws").join(from)).unwrap();
            }
            assert!(stage.is_whole(), "{policy} {from}: {seen}");
        }
        for name in NAMES {
            stage.seen("delete", &json!({ "path": name })).await;
            stage
                .seen("move", &json!({ "from": "notes/open.txt", "to": name }))
                .await;
            assert!(stage.is_whole(), "{policy} {name}");
            if !stage.path("ws/notes/open.txt").exists() {
                fs::write(stage.path("ws/notes/open.txt"), "fine\n").unwrap();
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_replaced_by_a_link_to_a_denied_file_is_not_read() {
    let calls = [
        ("read", json!({ "path": "notes/open.txt" })),
        (
            "search",
            json!({ "pattern": "canary", "path": "notes/open.txt" }),
        ),
        ("search", json!({ "pattern": "canary", "path": "notes" })),
        (
            "write",
            json!({ "path": "notes/open.txt", "content": "mine\n" }),
        ),
        (
            "edit",
            json!({ "path": "notes/open.txt", "edits": [{ "old": "fine", "new": "mine" }] }),
        ),
    ];
    for policy in POLICIES {
        for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
            for (tool, input) in &calls {
                for swap in ["link", "directory"] {
                    let stage = stage(offer, policy).await;
                    let call = parse(tool, &input.to_string()).unwrap().unwrap();
                    let prepared = call.prepare(&stage.workplace).await.unwrap();
                    match swap {
                        "link" => {
                            fs::remove_file(stage.path("ws/notes/open.txt")).unwrap();
                            symlink("../secrets/key.txt", stage.path("ws/notes/open.txt")).unwrap();
                        }
                        _ => {
                            fs::rename(stage.path("ws/notes"), stage.path("ws/old")).unwrap();
                            fs::rename(
                                stage.path("ws/secrets/key.txt"),
                                stage.path("ws/secrets/open.txt"),
                            )
                            .unwrap();
                            symlink("secrets", stage.path("ws/notes")).unwrap();
                        }
                    }
                    let outcome = prepared.perform(&stage.workplace, drop).await;
                    let seen = text(&outcome);
                    // A rule about a name does not cover the name that the attacker gave the file.
                    let is_renamed = swap == "directory" && policy.contains("key.*");
                    assert!(
                        is_renamed || !seen.contains(CANARY),
                        "{policy} {offer:?} {tool} {swap}: {seen}"
                    );
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_also_apply_to_attachments_and_project_notes() {
    for policy in POLICIES {
        for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
            let stage = stage(offer, policy).await;
            symlink("secrets/key.txt", stage.path("ws/AGENTS.md")).unwrap();
            fs::hard_link(stage.path("ws/secrets/key.txt"), stage.path("ws/CLAUDE.md")).unwrap();
            let notes = stage.workplace.notes().await;
            assert!(!notes.contains(CANARY), "{policy}: {notes}");
            for name in NAMES {
                let path = name.replace('@', stage.top.to_str().unwrap());
                let path = stage.path("ws").join(path);
                let named = stage.workplace.linked_text(&path).await;
                assert!(
                    !named.is_ok_and(|text| text.contains(CANARY)),
                    "{policy} {name}"
                );
            }
        }
    }
}

/// A rule that asks matches a file by its path. The user can't be asked about another path of the same file, such as a
/// hard link, so no tool reads it.
#[tokio::test]
async fn attack_a_hard_link_hides_no_file_from_a_rule_that_asks() {
    let policy = r#"{"rules":[{"action":"ask","path":"secrets","id":"r"}]}"#;
    for offer in [ClientOffer::Nothing, ClientOffer::Everything] {
        let stage = stage(offer, policy).await;
        for (tool, input) in calls("notes/hard.txt") {
            let seen = stage.seen(tool, &input).await;
            assert!(!seen.contains(CANARY), "{tool} {input}: {seen}");
        }
        let seen = stage
            .seen("outline", &json!({ "path": "notes/hard.txt" }))
            .await;
        assert!(!seen.contains(CANARY), "{seen}");
        let input = json!({ "pattern": "canary", "path": "notes" });
        let seen = stage.seen("search", &input).await;
        assert!(!seen.contains(CANARY), "{seen}");
        fs::hard_link(stage.path("ws/secrets/key.txt"), stage.path("ws/AGENTS.md")).unwrap();
        let notes = stage.workplace.notes().await;
        assert!(!notes.contains(CANARY), "{notes}");
        // Other files can still be read.
        let seen = stage
            .seen("read", &json!({ "path": "notes/open.txt" }))
            .await;
        assert!(seen.contains("fine"), "{seen}");
    }
}
