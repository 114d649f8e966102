//! Configuration files as people write them.

use std::fs;

use expect_test::{Expect, expect};

use super::{ConfigSources, Configuration, ForeignEditor, TrustStore, set, unset};

/// A home and a project of a test.
struct Disk(tempfile::TempDir);

impl Disk {
    fn new(files: &[(&str, &str)]) -> Disk {
        let disk = Disk(tempfile::tempdir().unwrap());
        for (name, text) in files {
            let file = disk.0.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        disk
    }

    fn sources(&self, editors: &[ForeignEditor]) -> ConfigSources {
        let root = self.0.path();
        ConfigSources {
            user: root.join("config.json"),
            project: ConfigSources::project_file(&root.join("project/deep")),
            directory: Some(root.join("project/deep")),
            trust: TrustStore::at(root.join("trusted.json")),
            home: Some(root.to_owned()),
            editors: editors.to_vec(),
        }
    }

    fn load(&self, editors: &[ForeignEditor]) -> String {
        let shown = match Configuration::load(&self.sources(editors)) {
            Ok(configuration) => shown(&configuration),
            Err(error) => format!("error: {error}\n"),
        };
        shown.replace(&self.0.path().display().to_string(), "~")
    }
}

fn shown(configuration: &Configuration) -> String {
    let mut out = String::new();
    for row in configuration.rows() {
        out.push_str(&format!("{} = {} [{}]\n", row.key, row.line(), row.place));
    }
    for warning in &configuration.warnings {
        out.push_str(&format!("warning: {warning}\n"));
    }
    if let Some(untrusted) = &configuration.untrusted {
        let state = if untrusted.has_changed {
            "changed"
        } else {
            "untrusted"
        };
        out.push_str(&format!("{state}: {}\n", untrusted.path.display()));
        for row in &untrusted.rows {
            out.push_str(&format!("  {} = {}\n", row.key, row.line()));
        }
        out.extend(
            untrusted
                .fault
                .iter()
                .map(|fault| format!("  fault: {fault}\n")),
        );
    }
    out
}

fn check(text: &str, expected: &Expect) {
    expected.assert_eq(&Disk::new(&[("config.json", text)]).load(&[]));
}

#[test]
fn nothing_at_all() {
    expect![""].assert_eq(&Disk::new(&[]).load(&[]));
    check("", &expect![""]);
    check("// later\n", &expect![""]);
    check("\u{feff}{}\r\n", &expect![""]);
}

#[test]
fn comments_and_trailing_commas_are_allowed() {
    check(
        r#"{
            // which one
            "default_agent": "mine",
            "agent_servers": {
                "mine": { "command": "my-agent", "args": ["--acp", /* why not */], "env": { "KEY": "secret" } },
            },
            "permissions": "approve-reads",
            "policy": "policy.json",
            "agents_from": [],
        }"#,
        &expect![[r#"
            default_agent = mine [~/config.json:3:30]
            agent_servers.mine = my-agent --acp (sets ["KEY"]) [~/config.json:5:25]
            agents_from = [] [~/config.json:9:28]
            permissions = approve-reads [~/config.json:7:28]
            policy = ~/policy.json [~/config.json:8:23]
        "#]],
    );
}

#[test]
fn the_words_of_other_tools_are_understood() {
    check(
        r#"{"defaultAgent": "a", "defaultPermissions": "deny-all", "agents": {"a": {"argv": ["x", "acp"]}}}"#,
        &expect![[r#"
            default_agent = a [~/config.json:1:18]
            agent_servers.a = x acp [~/config.json:1:73]
            permissions = deny-all [~/config.json:1:45]
        "#]],
    );
}

#[test]
fn invalid_values_are_reported_with_their_location() {
    check(
        "{\n  \"default_agent\": 7\n}",
        &expect![[r#"
        error: ~/config.json:2:20: `default_agent` wants a string
    "#]],
    );
    check(
        "{\"agent_servers\": {\"a\": {\"args\": [1]}}}",
        &expect![[r#"
        error: ~/config.json:1:35: `agent_servers.a.args[0]` wants a string
    "#]],
    );
    check(
        "{\"agent_servers\": {\"a\": {\"args\": [\"x\"]}}}",
        &expect![[r#"
        error: ~/config.json:1:25: `agent_servers.a` wants a `command`, or an `argv` that starts with one
    "#]],
    );
    check(
        "{\"permissions\": \"yolo\"}",
        &expect![[r#"
        error: ~/config.json:1:17: `permissions` wants `ask`, `approve-reads`, `approve-all` or `deny-all`
    "#]],
    );
    check(
        "{\"agents_from\": [\"emacs\"]}",
        &expect![[r#"
        error: ~/config.json:1:18: `agents_from[0]` wants `zed` or `jetbrains`
    "#]],
    );
    check(
        "[]",
        &expect![[r#"
        error: ~/config.json:1:1: `the file` wants an object
    "#]],
    );
}

#[test]
fn invalid_json_is_reported_with_its_location() {
    check(
        "{\n  \"default_agent\": \"a\"\n  \"policy\": \"b\"\n}",
        &expect![[r#"
        error: ~/config.json:2:23: expected comma
    "#]],
    );
    check(
        "{",
        &expect![[r#"
        error: ~/config.json:1:1: unterminated object
    "#]],
    );
    check(
        &"[".repeat(100_000),
        &expect![[r#"
        error: ~/config.json:1:513: maximum nesting depth exceeded
    "#]],
    );
}

#[test]
fn a_file_that_is_not_text_is_reported() {
    let disk = Disk::new(&[]);
    fs::create_dir(disk.0.path().join("config.json")).unwrap();
    expect![[r#"
        error: ~/config.json cannot be read: it is not a regular file
    "#]]
    .assert_eq(&disk.load(&[]));
}

#[test]
fn an_unknown_key_is_reported_with_a_suggestion() {
    check(
        r#"{"default_agnet": "a", "theme": "dark", "agent_servers": {"a": {"command": "x", "arg": []}}}"#,
        &expect![[r#"
            agent_servers.a = x [~/config.json:1:64]
            warning: ~/config.json:1:19: nothing uses this key; did you mean `default_agent`?
            warning: ~/config.json:1:33: nothing uses this key; the keys here are default_agent, agent_servers, agents_from, environment, mcp_servers, permissions, policy, sandbox
            warning: ~/config.json:1:88: nothing uses this key; did you mean `args`?
        "#]],
    );
}

#[test]
fn the_user_passes_variables_and_a_project_cannot() {
    check(
        r#"{"environment": {"pass": ["DATABASE_URL", "AWS_*"], "passs": []}}"#,
        &expect![[r#"
            environment.pass = ["DATABASE_URL","AWS_*"] [~/config.json:1:26]
            warning: ~/config.json:1:62: nothing uses this key; did you mean `pass`?
        "#]],
    );
    check(
        r#"{"environment": {"pass": ["A=B"]}}"#,
        &expect![[r#"
        error: ~/config.json:1:27: `environment.pass[0]` expected the name of a variable such as `DATABASE_URL`, or a prefix such as `AWS_*`
    "#]],
    );
    let greedy = r#"{"environment": {"pass": ["*"]}}"#;
    let disk = Disk::new(&[("project/.attache.json", greedy), ("project/deep/file", "")]);
    let sources = disk.sources(&[]);
    let seen = Configuration::load(&sources).unwrap().untrusted.unwrap();
    sources.trust.add(&seen).unwrap();
    expect![[r#"
        warning: ~/project/.attache.json:1:26: `environment` counts only in your own configuration file
    "#]].assert_eq(&disk.load(&[]));
}

#[test]
fn nothing_of_a_project_counts_before_it_is_trusted() {
    let evil = r#"{"agent_servers": {"gemini": {"command": "./evil"}}, "permissions": "deny-all"}"#;
    let disk = Disk::new(&[("project/.attache.json", evil), ("project/deep/file", "")]);
    let untrusted = expect![[r#"
        untrusted: ~/project/.attache.json
          agent_servers.gemini = ~/project/evil
          permissions = deny-all
    "#]];
    untrusted.assert_eq(&disk.load(&[]));

    let sources = disk.sources(&[]);
    let seen = Configuration::load(&sources).unwrap().untrusted.unwrap();
    sources.trust.add(&seen).unwrap();
    expect![[r#"
        agent_servers.gemini = ~/project/evil [~/project/.attache.json:1:30]
        permissions = deny-all [~/project/.attache.json:1:69]
    "#]]
    .assert_eq(&disk.load(&[]));

    let file = disk.0.path().join("project/.attache.json");
    fs::write(&file, evil.replace("./evil", "./worse")).unwrap();
    // Its deny rules are still in force.
    expect![[r#"
        permissions = deny-all [~/project/.attache.json:1:69]
        changed: ~/project/.attache.json
          agent_servers.gemini = ~/project/worse
          permissions = deny-all
    "#]]
    .assert_eq(&disk.load(&[]));

    assert!(sources.trust.remove(&file).unwrap());
    assert!(!sources.trust.remove(&file).unwrap());
}

#[test]
fn trust_holds_for_what_was_shown_and_not_for_what_came_after() {
    let disk = Disk::new(&[
        ("project/.attache.json", r#"{"default_agent": "a"}"#),
        ("project/deep/file", ""),
    ]);
    let sources = disk.sources(&[]);
    let seen = Configuration::load(&sources).unwrap().untrusted.unwrap();
    let swapped = r#"{"agent_servers": {"a": {"command": "./evil"}}}"#;
    fs::write(&seen.path, swapped).unwrap();
    sources.trust.add(&seen).unwrap();
    expect![[r#"
        changed: ~/project/.attache.json
          agent_servers.a = ~/project/evil
    "#]]
    .assert_eq(&disk.load(&[]));
}

#[test]
fn a_repository_ends_the_search_for_a_project_file() {
    let disk = Disk::new(&[
        (".attache.json", "{}"),
        ("project/.git/HEAD", ""),
        ("project/deep/file", ""),
    ]);
    assert_eq!(disk.sources(&[]).project, None);
}

#[test]
fn the_agents_of_other_editors() {
    let zed = r#"// Zed settings
    {
      "theme": "One Dark",
      "agent_servers": {
        "Mine": { "type": "custom", "command": "/opt/mine", "args": ["--acp"], "env": {}, "default_mode": "plan" },
        "gemini": { "type": "registry", "env": {} },
      },
    }"#;
    let jetbrains = r#"{
      "default_mcp_settings": {},
      "agent_servers": { "Theirs": { "command": "theirs", "args": [], "env": { "TOKEN": "t" }, "use_idea_mcp": true } }
    }"#;
    let files = [
        (".config/zed/settings.json", zed),
        (".jetbrains/acp.json", jetbrains),
    ];
    let disk = Disk::new(&files);
    expect![""].assert_eq(&disk.load(&[]));
    expect![[r#"
        agent_servers.Mine = /opt/mine --acp [~/.config/zed/settings.json:5:17]
        agent_servers.Theirs = theirs (sets ["TOKEN"]) [~/.jetbrains/acp.json:3:36]
    "#]]
    .assert_eq(&disk.load(&[ForeignEditor::Zed, ForeignEditor::JetBrains]));

    fs::write(
        disk.0.path().join("config.json"),
        r#"{"agents_from": ["jetbrains"]}"#,
    )
    .unwrap();
    expect![[r#"
        agent_servers.Theirs = theirs (sets ["TOKEN"]) [~/.jetbrains/acp.json:3:36]
        agents_from = ["jetbrains"] [~/config.json:1:17]
    "#]]
    .assert_eq(&disk.load(&[]));
}

#[test]
fn a_broken_file_of_an_editor_is_only_a_warning() {
    let disk = Disk::new(&[(
        ".jetbrains/acp.json",
        r#"{"agent_servers": {"a": {"command": 1}}}"#,
    )]);
    expect![[r#"
        warning: ~/.jetbrains/acp.json:1:37: `agent_servers.a.command` wants a string
    "#]]
    .assert_eq(&disk.load(&[ForeignEditor::Zed, ForeignEditor::JetBrains]));
}

#[test]
fn mcp_servers_by_name_or_as_on_the_wire() {
    check(
        r#"{"mcpServers": {
            "files": {"command": "/opt/files", "args": ["."], "env": {"A": "b"}},
            "web": {"url": "https://example.org/mcp", "headers": {"Authorization": "Bearer t"}},
            "old": {"type": "sse", "url": "https://example.org/sse"},
            "off": {"command": "/opt/off", "disabled": true}
        }}"#,
        &expect![[r#"
            mcp_servers.files = /opt/files . (sets ["A"]) [~/config.json:2:22]
            mcp_servers.web = {"type":"http","url":"https://example.org/mcp"} [~/config.json:3:20]
            mcp_servers.old = {"type":"sse","url":"https://example.org/sse"} [~/config.json:4:20]
        "#]],
    );
    check(
        r#"{"mcp_servers": [{"name": "a", "command": "/opt/a", "args": [], "env": []}]}"#,
        &expect![[r#"
            mcp_servers.a = /opt/a [~/config.json:1:18]
        "#]],
    );
}

#[test]
fn an_mcp_server_that_makes_no_sense_is_left_out() {
    check(
        r#"{"default_agent": "x", "mcp_servers": {"a": {}, "b": {"command": "no-such-server"}}}"#,
        &expect![[r#"
            default_agent = x [~/config.json:1:19]
            warning: ~/config.json:1:45: the MCP server is left out: a: expected `command` or `url`
            warning: ~/config.json:1:54: the MCP server is left out: b.command: there is no program `no-such-server`; install it, or give its full path
        "#]],
    );
    check(
        "{\"mcp_servers\": 1}",
        &expect![[r#"
        error: ~/config.json:1:17: `mcp_servers` wants an object
    "#]],
    );
}

#[test]
fn a_change_leaves_comments_and_order_as_they_are() {
    let disk = Disk::new(&[(
        "config.json",
        "{\n  // mine\n  \"policy\": \"p.json\", // strict\n}\n",
    )]);
    let file = disk.0.path().join("config.json");
    set(&file, "default_agent", "gemini").unwrap();
    set(&file, "policy", "q.json").unwrap();
    set(&file, "agent_servers.a.command", "x").unwrap();
    expect![[r#"
        {
          // mine
          "policy": "q.json", // strict
          "default_agent": "gemini",
          "agent_servers": {
            "a": {
              "command": "x"
            }
          },
        }
    "#]]
    .assert_eq(&fs::read_to_string(&file).unwrap());
    unset(&file, "agent_servers.a").unwrap();
    unset(&file, "default_agent").unwrap();
    expect![[r#"
        {
          // mine
          "policy": "q.json", // strict
          "agent_servers": {},
        }
    "#]]
    .assert_eq(&fs::read_to_string(&file).unwrap());
}

#[test]
fn a_change_that_does_not_fit_changes_nothing() {
    let disk = Disk::new(&[("config.json", "{}")]);
    let file = disk.0.path().join("config.json");
    let failed = |key, value| {
        set(&file, key, value)
            .unwrap_err()
            .to_string()
            .replace(&disk.0.path().display().to_string(), "~")
    };
    expect!["there is no key `defaultagent`; did you mean `default_agent`?"]
        .assert_eq(&failed("defaultagent", "a"));
    expect!["there is no key `policy.x`; did you mean `policy`?"]
        .assert_eq(&failed("policy.x", "a"));
    expect!["~/config.json:2:18: `permissions` wants `ask`, `approve-reads`, `approve-all` or `deny-all`"]
        .assert_eq(&failed("permissions", "yes"));
    expect![
        "~/config.json:3:10: `agent_servers.a` wants a `command`, or an `argv` that starts with one"
    ]
    .assert_eq(&failed("agent_servers.a.args", "[]"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "{}");
    fs::write(&file, "{,}").unwrap();
    expect!["~/config.json:1:2: unexpected token in object"]
        .assert_eq(&failed("default_agent", "a"));
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_a_mode_a_mode() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let disk = Disk::new(&[("dotfiles/attache.json", "{}")]);
    let (link, file) = (
        disk.0.path().join("config.json"),
        disk.0.path().join("dotfiles/attache.json"),
    );
    symlink(&file, &link).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    set(&link, "default_agent", "a").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&file).unwrap().contains("default_agent"));
    assert_eq!(
        fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn permissions_are_a_preset_or_an_object() {
    check(
        r#"{"permissions": {"preset": "ask", "expiry": "30d", "expires": 1}}"#,
        &expect![[r#"
            permissions.preset = ask [~/config.json:1:28]
            permissions.expiry = 30d [~/config.json:1:45]
            warning: ~/config.json:1:63: nothing uses this key; did you mean `expiry`?
        "#]],
    );
    check(
        r#"{"permissions": {"expiry": "soon"}}"#,
        &expect![[r#"
        error: ~/config.json:1:28: `permissions.expiry` must be a duration such as `30m`, `8h` or `7d`, or `never`
    "#]],
    );
    let disk = Disk::new(&[("config.json", r#"{"permissions": "approve-reads"}"#)]);
    let file = disk.sources(&[]).user;
    set(&file, "permissions.expiry", "8h").unwrap();
    set(&file, "permissions", "ask").unwrap();
    expect![[r#"
        permissions.preset = ask [~/config.json:2:15]
        permissions.expiry = 8h [~/config.json:3:15]
    "#]]
    .assert_eq(&disk.load(&[]));
    assert!(set(&file, "permissions.expiry", "0h").is_err());
    assert!(set(&file, "permissions.else", "1").is_err());
}
