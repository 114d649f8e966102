//! `attache doctor`: agents with everything that can be wrong with one.

use expect_test::{Expect, expect};

use crate::{Machine, scripts};

/// Looks at an agent made of a script.
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
            ok    handshake       answered `initialize` in N ms
            ok    protocol        version 1
            ok    agent           fake 1.2.3
            ok    capabilities    load sessions, images
            ok    authentication  ways to log in: API key
            ok    session         opened a session in N ms
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            ended N ms after its input was closed
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
        ok    permissions     nothing is remembered
        ok    audit           nothing is written down yet
        exit: 1
    "#]]
    .assert_eq(&machine.shown(&output));
    machine.check(
        &["doctor", "--", "./nothing"],
        &expect![[r#"
            fail  command         ./nothing does not exist
                                  fix: check the path; it is looked for from where you are
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
            exit: 1
        "#]],
    );
    machine.file("project/text", "text");
    machine.check(
        &["doctor", "--", "./text"],
        &expect![[r#"
            fail  command         ./text is no executable file
                                  fix: make it executable: chmod +x ./text
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
            exit: 1
        "#]],
    );
    check(
        "#!/opt/no/such/python3\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            fail  interpreter     ~/bin/agent starts with `#!`, and its interpreter `/opt/no/such/python3` was not found
                                  fix: install Python, or install the agent anew if its environment has moved
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
        fail  runtime         node v20.1.0; the package wants >=22.3
                              fix: install a newer Node.js
        ok    start           runs, in the custody of a guard
        fail  handshake       agent exited with 0, before it answered `initialize`
                              fix: it said nothing: check that it speaks ACP and that it gets the argument that turns it on, such as `--acp`
        warn  stdout          1 line that is no message, first `v20.1.0`
                              fix: stepped over; the agent should write this to stderr
        ok    stderr          nothing
        ok    stop            it had ended by itself
        ok    permissions     nothing is remembered
        ok    audit           nothing is written down yet
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
                                  fix: it does not know one of its arguments: update it, or look in its `--help` for what turns ACP on
            ok    stdout          only messages
            ok    stderr          1 line, last `error: unknown option '--acp'`
            ok    stop            it had ended by itself
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
            exit: 1
        "#]],
    );
    check(
        "#!/bin/sh\nexit 0\n",
        &expect![[r#"
            ok    command         ~/bin/agent
            ok    interpreter     /bin/sh
            ok    start           runs, in the custody of a guard
            fail  handshake       agent exited with 0, before it answered `initialize`
                                  fix: it said nothing: check that it speaks ACP and that it gets the argument that turns it on, such as `--acp`
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            it had ended by itself
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
            fail  handshake       no answer to `initialize` within 2 s
                                  fix: it may wait for a person, or for the network: run the command by hand; if it is only slow, give it longer with --timeout
            ok    stdout          only messages
            ok    stderr          nothing
            warn  stop            goes on after SIGTERM; it was killed after N ms
                                  fix: nothing to do here: attache ends it
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
            fail  handshake       no answer to `initialize` within 2 s
                                  fix: it prints text for people: check that it gets the argument that turns ACP on, such as `--acp`
            warn  stdout          2 lines that are no message, first `Welcome!`
                                  fix: stepped over; the agent should write this to stderr
            ok    stderr          nothing
            ok    stop            ended N ms after its input was closed
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
            ok    handshake       answered `initialize` in N ms
            ok    protocol        version 1
            ok    agent           fake 1.2.3
            ok    capabilities    nothing beyond the basics
            ok    authentication  no way to log in is offered
            ok    session         opened a session in N ms
            warn  stdout          2 lines that are no message, first `Hello`
                                  fix: stepped over; the agent should write this to stderr
            ok    stderr          1 line, last `starting`
            ok    stop            ended N ms after its input was closed
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
            ok    handshake       answered `initialize` in N ms
            ok    protocol        version 1
            ok    agent           fake 1.2.3
            ok    capabilities    nothing beyond the basics
            ok    authentication  ways to log in: Log in with a browser, In the shell (in a terminal)
            fail  session         the agent wants a login first: Authentication required (-32000)
                                  fix: log in by one of: Log in with a browser, In the shell (in a terminal)
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            ended N ms after its input was closed
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
            fail  protocol        the agent speaks version 7 of the protocol, we speak version 1
                                  fix: use a version of the agent that speaks version 1
            ok    stdout          only messages
            ok    stderr          nothing
            ok    stop            ended N ms after its input was closed
            ok    permissions     nothing is remembered
            ok    audit           nothing is written down yet
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
              "what": "nothing is remembered",
              "fix": null
            },
            {
              "subject": "audit",
              "level": "ok",
              "what": "nothing is written down yet",
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
fn what_we_keep_ourselves() {
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
                              fix: see what has happened to it; if you do not need it any more, move it away, and you are asked again
        ok    audit           1 line, and the chain is whole
        exit: 0
    "#]].assert_eq(&kept(&machine));
    std::fs::remove_file(machine.path("home/attache/data/permissions.json")).unwrap();
    let log = machine.path("home/attache/data/audit/000001.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replacen("agent", "agemt", 1)).unwrap();
    expect![[r#"
        permissions     nothing is remembered
        warn  audit           ~/home/attache/data/audit/000001.jsonl:1: this line was changed
                              fix: see what has happened to it; it goes on behind the break, or begins anew if you move the directory away
        exit: 0
    "#]].assert_eq(&kept(&machine));
}

#[test]
fn what_the_kernel_enforces_is_told() {
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

/// Once the probe asked for more than an ordinary user has, and nobody noticed: tests were run by the superuser.
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
