//! `attache doctor`: agents with everything that can be wrong with one.

use expect_test::{Expect, expect};

use crate::{Machine, scripts};

/// Examines an agent written as a script.
fn check(script: &str, expected: &Expect) {
    let machine = Machine::new();
    machine.program("bin/agent", script);
    machine.check(
        &["doctor", "--timeout", "2", "--", "agent", "--acp"],
        expected,
    );
}

#[test]
fn an_agent_that_is_fine() {
    let capabilities = r#""agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true}},"authMethods":[{"id":"k","name":"API key"}]"#;
    check(
        &scripts::agent(capabilities, ""),
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            ok    handshake       responded to `initialize` in N ms
            ok    protocol        version 1
            ok    agent           fake 1.2.3
            ok    capabilities    load sessions, images
            ok    authentication  login methods: API key
            ok    session         opened a session in N ms
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            exited N ms after its input was closed
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 0
        "#]],
    );
}

#[test]
fn a_program_that_is_not_there() {
    let machine = Machine::new();
    let bin = machine.path("bin");
    let output = machine.attache_with(&["doctor", "-a", "gemini"], bin.to_str().unwrap());
    expect![[r#"
        fail  command         `gemini` was not found on the PATH
                              fix: install it: npm i -g @google/gemini-cli
        ok    permissions     no remembered decisions
        ok    audit           no entries yet
        exit: 1
    "#]]
    .assert_eq(&machine.shown(&output));
    machine.check(
        &["doctor", "--", "./nothing"],
        &expect![[r#"
            fail  command         ./nothing does not exist
                                  fix: check the path; relative paths start at the current directory
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
    machine.file("project/text", "text");
    machine.check(
        &["doctor", "--", "./text"],
        &expect![[r#"
            fail  command         ./text is not an executable file
                                  fix: make it executable: chmod +x ./text
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn a_script_whose_interpreter_is_missing() {
    check(
        "#!/usr/bin/env -S no-such-node --flag\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            fail  interpreter     ~/bin/agent starts with `#!`, and its interpreter `no-such-node` was not found
                                  fix: install `no-such-node`, or correct the first line of the script
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
    check(
        "#!/opt/no/such/python3\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            fail  interpreter     ~/bin/agent starts with `#!`, and its interpreter `/opt/no/such/python3` was not found
                                  fix: install Python, or reinstall the agent if its environment has moved
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn a_node_that_is_too_old() {
    let machine = Machine::new();
    machine.program("bin/node", "#!/bin/sh\necho v20.1.0\n");
    machine.program("lib/agent/dist/index.js", "#!/usr/bin/env node\n");
    machine.file(
        "lib/agent/package.json",
        r#"{"engines": {"node": ">=22.3"}}"#,
    );
    std::os::unix::fs::symlink(
        machine.path("lib/agent/dist/index.js"),
        machine.path("bin/agent"),
    )
    .unwrap();
    machine.check(&["doctor", "--", "agent"], &expect![[r#"
        ok    command         ~/bin/agent → ~/lib/agent/dist/index.js
        ok    interpreter     ~/bin/node
        fail  runtime         node v20.1.0; the package requires >=22.3
                              fix: install a newer Node.js
        ok    start           runs, in the custody of a guard
        fail  handshake       agent exited with 0, before it responded to `initialize`
                              fix: the agent printed nothing: check that it speaks ACP and that its command has the argument that turns ACP on, such as `--acp`
        warn  stdout          1 line is not a message, first `v20.1.0`
                              fix: the lines were skipped; the agent should write them to stderr
        ok    stderr          nothing
        ok    stop            the agent had exited by itself
        ok    permissions     no remembered decisions
        ok    audit           no entries yet
        exit: 1
    "#]]);
}

#[test]
fn a_program_that_ends_at_once() {
    check(
        "#!/bin/sh\necho \"error: unknown option '--acp'\" >&2; exit 1\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            fail  handshake       agent exited with 1: error: unknown option '--acp'
                                  fix: the agent does not know one of its arguments: update it, or look in its `--help` for the argument that turns ACP on
            ok    stdout          only messages
            ok    stderr          1 line, last `error: unknown option '--acp'`
            ok    stop            the agent had exited by itself
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
    check(
        "#!/bin/sh\nexit 0\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            fail  handshake       agent exited with 0, before it responded to `initialize`
                                  fix: the agent printed nothing: check that it speaks ACP and that its command has the argument that turns ACP on, such as `--acp`
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            the agent had exited by itself
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn a_program_that_hangs() {
    check(
        "#!/bin/sh\ntrap '' TERM; while :; do sleep 1; done\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            fail  handshake       no response to `initialize` within 2 s
                                  fix: the agent may wait for input or for the network: run the command by hand; if it is only slow, use a longer --timeout
            ok    stdout          only messages
            ok    stderr          nothing
            warn  stop            keeps running after SIGTERM; it was killed after N ms
                                  fix: nothing to do: attache stops the agent
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn a_program_that_talks_to_people() {
    check(
        "#!/bin/sh\nprintf 'Welcome!\\n\\033[1mWhat now?\\n'; cat >/dev/null\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            fail  handshake       no response to `initialize` within 2 s
                                  fix: the agent prints text for people: check that its command has the argument that turns ACP on, such as `--acp`
            warn  stdout          2 lines are not messages, first `Welcome!`
                                  fix: the lines were skipped; the agent should write them to stderr
            ok    stderr          nothing
            ok    stop            exited N ms after its input was closed
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn a_banner_and_log_lines_between_messages() {
    let agent = scripts::plain().replace(
        "#!/bin/sh",
        "#!/bin/sh\necho Hello; echo '{\"level\":\"info\"}'; echo starting >&2",
    );
    check(
        &agent,
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            ok    handshake       responded to `initialize` in N ms
            ok    protocol        version 1
            ok    agent           fake 1.2.3
            ok    capabilities    nothing beyond the basics
            ok    authentication  no login methods
            ok    session         opened a session in N ms
            warn  stdout          2 lines are not messages, first `Hello`
                                  fix: the lines were skipped; the agent should write them to stderr
            ok    stderr          1 line, last `starting`
            ok    stop            exited N ms after its input was closed
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 0
        "#]],
    );
}

#[test]
fn an_agent_that_wants_a_login() {
    let methods = r#""authMethods":[{"id":"a","name":"Log in with a browser"},{"id":"t","name":"In the shell","type":"terminal"}]"#;
    let refuses = r#"*'"session/new"'*) answer '"error":{"code":-32000,"message":"Authentication required"}' ;;"#;
    check(
        &scripts::agent(methods, refuses),
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            ok    handshake       responded to `initialize` in N ms
            ok    protocol        version 1
            ok    agent           fake 1.2.3
            ok    capabilities    nothing beyond the basics
            ok    authentication  login methods: Log in with a browser, In the shell (in a terminal)
            fail  session         the agent requires a login first: Authentication required (-32000)
                                  fix: log in with one of: Log in with a browser, In the shell (in a terminal)
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            exited N ms after its input was closed
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn an_agent_of_another_version() {
    let agent = scripts::plain().replace("\"protocolVersion\":1", "\"protocolVersion\":7");
    check(
        &agent,
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            fail  protocol        the agent speaks protocol version 7; Attaché speaks version 1
                                  fix: use a version of the agent that speaks protocol version 1
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            exited N ms after its input was closed
            ok    permissions     no remembered decisions
            ok    audit           no entries yet
            exit: 1
        "#]],
    );
}

#[test]
fn findings_for_programs() {
    let machine = Machine::new();
    let output = machine.attache(&["doctor", "--json", "--", "no-such-agent"]);
    expect![[r#"
        {
          "agent": "no-such-agent",
          "command": "no-such-agent",
          "findings": [
            {
              "subject": "command",
              "level": "fail",
              "what": "`no-such-agent` was not found on the PATH",
              "fix": "install it, or check its name and the PATH"
            },
            {
              "subject": "permissions",
              "level": "ok",
              "what": "no remembered decisions",
              "fix": null
            },
            {
              "subject": "audit",
              "level": "ok",
              "what": "no entries yet",
              "fix": null
            }
          ]
        }
        exit: 1
    "#]]
    .assert_eq(&without_findings_of_the_kernel(&machine.shown(&output)));
}

/// The report without what depends on the kernel.
fn without_findings_of_the_kernel(report: &str) -> String {
    let mut findings: Vec<&str> = report.split_inclusive("    {\n").collect();
    let is_kernel = |finding: &&str| {
        let subjects = ["sandbox", "denied paths", "command rules"];
        subjects
            .iter()
            .any(|it| finding.contains(&format!("\"subject\": \"{it}\"")))
    };
    findings.retain(|finding| !is_kernel(finding));
    findings.concat()
}

#[test]
fn no_such_agent() {
    let machine = Machine::new();
    machine.check(
        &["doctor", "-a", "gemni"],
        &expect![[r#"
        err: there is no agent `gemni`; did you mean `gemini`? `attache agents` lists them
        exit: 2
    "#]],
    );
}

#[test]
fn our_own_records_are_checked() {
    let machine = Machine::new();
    machine.program("bin/agent", &scripts::plain());
    machine.attache(&["run", "hi", "--", "agent"]);
    machine.file("home/attache/data/permissions.json", "{}");
    let kept = |machine: &Machine| {
        let output = machine.attache(&["doctor", "--", "agent"]);
        let shown = machine.shown(&output);
        let at = shown.find("permissions").unwrap();
        shown[at..].to_owned()
    };
    expect![[r#"
        permissions     remembered decisions are ignored: `~/home/attache/data/permissions.json` has no key beside it, so it is unknown who wrote it
                              fix: find out what happened to the file; if you do not need it any more, move it away, and you are asked again
        ok    audit           1 line, intact
        exit: 0
    "#]].assert_eq(&kept(&machine));
    std::fs::remove_file(machine.path("home/attache/data/permissions.json")).unwrap();
    let log = machine.path("home/attache/data/audit/000001.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("agent", "agemt", 1)).unwrap();
    expect![[r#"
        permissions     no remembered decisions
        warn  audit           ~/home/attache/data/audit/000001.jsonl:1: this line was changed
                              fix: find out what happened to the log; logging continues after the break, or starts again if you move the directory away
        exit: 0
    "#]].assert_eq(&kept(&machine));
}

#[test]
fn kernel_enforcement_is_reported() {
    let machine = Machine::new();
    let output = machine.attache(&["doctor", "--", "./nothing"]);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    for subject in ["sandbox ", "denied paths ", "command rules "] {
        let line = said
            .lines()
            .find(|line| line.get(6..).is_some_and(|it| it.starts_with(subject)));
        assert!(
            line.is_some_and(|line| line.starts_with("ok") || line.starts_with("warn")),
            "{said}"
        );
    }
}

/// The probe must need no more than an ordinary user has, even if the tests run as the superuser.
#[cfg(target_os = "linux")]
#[test]
fn an_ordinary_user_is_not_told_that_paths_cannot_be_hidden() {
    use crate::ordinary_user::{by_ordinary_user, has_namespaces};
    if !has_namespaces() {
        return;
    }
    let machine = Machine::new();
    let mut command = machine.command(&["doctor", "--", "./nothing"]);
    by_ordinary_user(&mut command, &[&machine.path("")]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let paths = told.lines().find(|line| line.contains("denied paths"));
    assert!(paths.is_some_and(|line| line.starts_with("ok ")), "{told}");
}
