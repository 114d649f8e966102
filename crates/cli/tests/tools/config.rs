//! `attache config`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use expect_test::expect;

use crate::Machine;

#[test]
fn values_are_set_shown_and_removed() {
    let machine = Machine::new();
    machine.check(
        &["config"],
        &expect![[r#"
        err: nothing is configured; `attache config --help` lists the keys
        exit: 0
    "#]],
    );
    machine.check(
        &["config", "path"],
        &expect![[r#"
        ~/home/attache/config/config.json
        exit: 0
    "#]],
    );
    for (key, value) in [
        ("default_agent", "mine"),
        ("permissions", "deny-all"),
        (
            "agent_servers.mine",
            r#"{"command": "my-agent", "args": ["--acp"], "env": {"KEY": "secret"}}"#,
        ),
    ] {
        let output = machine.attache(&["config", "set", key, value]);
        assert!(output.status.success(), "{key}: {output:?}");
    }
    machine.check(
        &["config"],
        &expect![[r#"
        KEY                 VALUE                          FROM
        default_agent       mine                           ~/home/attache/config/config.json:2:20
        agent_servers.mine  my-agent --acp (sets ["KEY"])  ~/home/attache/config/config.json:5:13
        permissions         deny-all                       ~/home/attache/config/config.json:3:18
        exit: 0
    "#]],
    );
    machine.check(
        &["config", "get", "agent_servers.mine"],
        &expect![[r#"
            {"command":"my-agent","args":["--acp"],"env":["KEY"]}
            exit: 0
        "#]],
    );
    machine.check(
        &["config", "unset", "default_agent"],
        &expect![[r#"
        exit: 0
    "#]],
    );
    machine.check(
        &["config", "get", "default_agent"],
        &expect![[r#"
        err: `default_agent` is not set
        exit: 1
    "#]],
    );
}

#[test]
fn a_key_that_does_not_exist() {
    let machine = Machine::new();
    machine.check(
        &["config", "get", "defaut_agent"],
        &expect![[r#"
        err: there is no key `defaut_agent`; did you mean `default_agent`?
        exit: 2
    "#]],
    );
    machine.check(
        &["config", "set", "theme", "dark"],
        &expect![[r#"
        err: there is no key `theme`; `attache config --help` lists the keys
        exit: 2
    "#]],
    );
}

#[test]
fn what_is_wrong_with_a_file() {
    let machine = Machine::new();
    machine.file("home/attache/config/config.json", "{ \"polcy\": \"x\" }");
    machine.check(
        &["config", "check"],
        &expect![[r#"
        err: ~/home/attache/config/config.json:1:12: nothing uses this key; did you mean `policy`?
        exit: 0
    "#]],
    );
    machine.file("home/attache/config/config.json", "{ \"policy\": [] }");
    machine.check(
        &["config", "check"],
        &expect![[r#"
        err: ~/home/attache/config/config.json:1:13: `policy` wants a string
        exit: 1
    "#]],
    );
}

#[test]
fn a_file_that_is_not_trusted_is_checked_too() {
    let machine = Machine::new();
    machine.file("project/.attache.json", r#"{"polcy": "rules.json"}"#);
    machine.check(&["config", "check"], &expect![[r#"
        err: ~/project/.attache.json is not trusted, so it is ignored; `attache config` shows it, `attache config trust` trusts it
        err: ~/project/.attache.json:1:11: nothing uses this key; did you mean `policy`?
        exit: 0
    "#]]);
    machine.file("project/.attache.json", r#"{"policy": []}"#);
    machine.check(&["config", "check"], &expect![[r#"
        err: ~/project/.attache.json is not trusted, so it is ignored; `attache config` shows it, `attache config trust` trusts it
        err: ~/project/.attache.json:1:12: `policy` wants a string
        exit: 1
    "#]]);
}

#[test]
fn run_says_every_time_that_others_may_have_written_the_projects_file() {
    let machine = Machine::new();
    machine.file("project/.attache.json", r#"{"permissions":"deny-all"}"#);
    let everybody = fs::Permissions::from_mode(0o777);
    fs::set_permissions(machine.path("project"), everybody).unwrap();
    for arguments in [&["config"][..], &RUN, &RUN, &["config"], &RUN] {
        let shown = machine.shown(&machine.attache(arguments));
        assert!(shown.contains("~/project"), "{arguments:?}: {shown}");
        assert!(shown.contains("it is ignored"), "{arguments:?}: {shown}");
    }
}

const RUN: [&str; 7] = ["run", "--no-guard", "hi", "--", "sh", "-c", "exit 1"];

#[test]
fn the_commands_of_a_repository_wait_for_trust() {
    let machine = Machine::new();
    machine.program("project/agent.sh", "#!/bin/sh\ntouch ran\n");
    machine.file(
        "project/.attache.json",
        r#"{"agent_servers": {"theirs": {"command": "./agent.sh"}}, "default_agent": "theirs"}"#,
    );
    machine.check(&["doctor", "-a", "theirs"], &expect![[r#"
        err: ~/project/.attache.json is not trusted, so it is ignored; `attache config` shows it, `attache config trust` trusts it
        err: the agent `theirs` is defined in ~/project/.attache.json, which is not trusted; read it with `attache config`, then run `attache config trust`
        exit: 2
    "#]]);
    machine.attache(&["agents", "--probe"]);
    assert!(!machine.path("project/ran").exists());
    machine.check(
        &["config", "trust"],
        &expect![[r#"
            err: it would set default_agent: theirs
            err: it would set agent_servers.theirs: ~/project/agent.sh
            err: trust covers ~/project/agent.sh too
            err: ~/project/.attache.json is trusted as it is now, with 1 file that it names
            exit: 0
        "#]],
    );
    machine.check(
        &["config", "get", "default_agent"],
        &expect![[r#"
        theirs
        exit: 0
    "#]],
    );
    fs::write(machine.path("project/.attache.json"), "{}").unwrap();
    machine.check(&["config", "get", "default_agent"], &expect![[r#"
        err: ~/project/.attache.json has changed since you trusted it, so nothing in it counts; in ~/project, `attache config` shows it, `attache config trust` trusts it as it is now, and `attache config trust --revoke` ends the trust
        err: `default_agent` is not set
        exit: 1
    "#]]);
    machine.check(
        &["config", "trust", "--revoke"],
        &expect![[r#"
            err: ~/project/.attache.json is no longer trusted
            exit: 0
        "#]],
    );
}

/// Whatever denies something is listed, and what keeps everything from running too.
#[test]
fn rules_that_are_in_force_are_shown() {
    let machine = Machine::new();
    let policy = r#"{"rules": [{"action": "deny", "command": "curl"}]}"#;
    machine.file("project/pol.json", policy);
    machine.file("project/.attache.json", r#"{"policy": "pol.json"}"#);
    machine.file("project/sub/.git", "");
    machine.file("project/own/.attache.json", "{}");
    machine.attache(&["config", "trust"]);
    let below = |folder: &str, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
        command.args(arguments).current_dir(machine.path(folder));
        command.env("ATTACHE_HOME", machine.path("home/attache"));
        let output = command.env("HOME", machine.path("home")).output();
        squeezed(&machine.shown(&output.unwrap()))
    };
    expect![[r#"
        KEY VALUE FROM
        policy ~/project/pol.json (deny and ask rules) ~/project/.attache.json:1:12
        exit: 0
    "#]]
    .assert_eq(&below("project", &["config"]));
    expect![[r#"
        KEY VALUE FROM
        policy ~/project/pol.json (deny and ask rules, as you trusted them) ~/project/.attache.json
        exit: 0
    "#]]
    .assert_eq(&below("project/sub", &["config"]));
    expect![[r#"
        [
        {
        "key": "policy",
        "value": "~/project/pol.json",
        "place": "~/project/.attache.json",
        "note": "deny and ask rules, as you trusted them"
        }
        ]
        exit: 0
    "#]]
    .assert_eq(&below("project/sub", &["config", "--json"]));
    expect![[r#"
        KEY VALUE FROM
        policy ~/project/pol.json (deny and ask rules, as you trusted them) ~/project/.attache.json
        err: ~/project/own/.attache.json is not trusted, so it is ignored; `attache config` shows it, `attache config trust` trusts it
        exit: 0
    "#]].assert_eq(&below("project/own", &["config"]));
    // Nothing runs with a policy that others can write, and the message says so.
    let others = fs::Permissions::from_mode(0o666);
    fs::set_permissions(machine.path("project/pol.json"), others).unwrap();
    expect![[r#"
        KEY VALUE FROM
        policy ~/project/pol.json (deny and ask rules) ~/project/.attache.json:1:12
        err: ~/project/.attache.json:1:12: `policy`: ~/project/pol.json: can be changed by everyone, so it is refused; run `chmod go-w ~/project/pol.json`
        exit: 0
    "#]].assert_eq(&below("project", &["config"]));
    machine.check(&RUN, &expect![[r#"
        err: ~/project/pol.json: can be changed by everyone, so it is refused; run `chmod go-w ~/project/pol.json`
        exit: 2
    "#]]);
}

/// The lines without the columns, whose width depends on the machine's paths.
fn squeezed(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ") + "\n"
    });
    lines.collect()
}

#[test]
fn a_broken_project_file_is_not_trusted() {
    let machine = Machine::new();
    machine.file("project/.attache.json", "{ oops }");
    machine.check(
        &["config", "trust"],
        &expect![[r#"
        err: ~/project/.attache.json:1:3: expected string for object property
        exit: 2
    "#]],
    );
}

#[test]
fn a_check_looks_into_the_policy_and_at_the_default_agent() {
    let machine = Machine::new();
    machine.file(
        "home/attache/config/config.json",
        r#"{"default_agent":"gemni","policy":"policy.json"}"#,
    );
    machine.file(
        "home/attache/config/policy.json",
        r#"{"rules":[{"action":"alow"}]}"#,
    );
    machine.check(&["config", "check"], &expect![[r#"
        err: ~/home/attache/config/config.json:1:35: `policy`: ~/home/attache/config/policy.json:1:21: rules[0].action: unknown action; did you mean `allow`?
        err: ~/home/attache/config/config.json:1:18: `default_agent`: there is no agent `gemni`; did you mean `gemini`? `attache agents` lists them
        exit: 1
    "#]]);
    machine.file(
        "home/attache/config/config.json",
        r#"{"default_agent":"gemini","policy":"policy.json"}"#,
    );
    machine.file("home/attache/config/policy.json", "{ /* nothing yet */ }");
    machine.check(
        &["config", "check"],
        &expect![[r#"
        exit: 0
    "#]],
    );
}

#[test]
fn the_warning_about_an_untrusted_file_appears_once_per_version() {
    let machine = Machine::new();
    machine.file("project/.attache.json", r#"{"default_agent":"one"}"#);
    let told_by = |machine: &Machine, arguments: &[&str]| {
        let output = machine.attache(arguments);
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("is not trusted")
    };
    // Shell completion hides messages, so this must not count as the warning.
    assert!(!told_by(&machine, &["agents", "--names"]));
    let told = |machine: &Machine| told_by(machine, &["agents"]);
    assert_eq!([told(&machine), told(&machine)], [true, false]);
    machine.file("project/.attache.json", r#"{"default_agent":"two"}"#);
    assert_eq!([told(&machine), told(&machine)], [true, false]);
    let shown = machine.attache(&["config"]);
    assert!(
        String::from_utf8(shown.stderr)
            .unwrap()
            .contains("is not trusted")
    );
}
