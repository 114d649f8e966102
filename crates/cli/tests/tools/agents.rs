//! `attache agents`.

use expect_test::expect;

use crate::{Machine, scripts};

#[test]
fn well_known_agents_and_our_own_are_listed() {
    let machine = Machine::new();
    machine.program("bin/goose", "").program("bin/mine", "");
    machine.file(
        "home/attache/config/config.json",
        r#"{"agent_servers": {"mine": {"command": "mine", "args": ["--acp"]}, "codex": {"command": "other"}}}"#,
    );
    let output = machine.attache_with(&["agents"], machine.path("bin").to_str().unwrap());
    expect![[r#"
        NAME      INSTALLED  COMMAND           SOURCE                                           NOTE
        mine      yes        mine --acp        ~/home/attache/config/config.json
        codex     no         other             ~/home/attache/config/config.json  not on the PATH
        builtin   yes        attache agent     this program
        claude    no         attache claude    this program                                     install: npm i -g @anthropic-ai/claude-code
        cline     no         cline --acp       known                                            install: npm i -g cline
        copilot   no         copilot --acp     known                                            install: npm i -g @github/copilot
        cursor    no         cursor-agent acp  known                                            install: see https://cursor.com/cli
        gemini    no         gemini --acp      known                                            install: npm i -g @google/gemini-cli
        goose     yes        goose acp         known
        opencode  no         opencode acp      known                                            install: npm i -g opencode-ai
        qwen      no         qwen --acp        known                                            install: npm i -g @qwen-code/qwen-code
        vibe      no         vibe-acp          known                                            install: uv tool install mistral-vibe
        exit: 0
    "#]].assert_eq(&machine.shown(&output));
}

#[test]
fn versions_and_logins_are_asked_for_when_wanted() {
    let machine = Machine::new();
    let status = r#""agentCapabilities":{"auth":{"status":{}}}"#;
    let answer = |state: &str| {
        let arm = format!(r#"*'"auth/status"'*) answer '"result":{{"state":"{state}"}}' ;;"#);
        scripts::agent(status, &arm)
    };
    machine.program("bin/in", &answer("authenticated"));
    machine.program("bin/out", &answer("unauthenticated"));
    machine.program("bin/plain", &scripts::plain());
    machine.program(
        "bin/dead",
        "#!/bin/sh\n[ \"$1\" = --version ] && echo 'dead 0.9'\n",
    );
    machine.file(
        "home/attache/config/config.json",
        r#"{"agents": {"in": {"argv": ["in"]}, "out": {"argv": ["out"]}, "plain": {"argv": ["plain"]}, "dead": {"argv": ["dead"]}}}"#,
    );
    let output = machine.attache(&["agents", "--probe", "--json"]);
    let agents: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let told = agents.as_array().unwrap().iter().take(4);
    let told = told.map(|it| format!("{} {} {}\n", it["name"], it["version"], it["login"]));
    expect![[r#"
        "in" "1.2.3" "logged in"
        "out" "1.2.3" "logged out"
        "plain" "1.2.3" "no login needed"
        "dead" "dead 0.9" "no answer"
    "#]]
    .assert_eq(&told.collect::<String>());
}

#[test]
fn the_agents_of_other_editors_when_asked() {
    let machine = Machine::new();
    machine.file(
        "home/.config/zed/settings.json",
        r#"{ /* mine */ "agent_servers": { "z": { "command": "/opt/z", "env": { "KEY": "secret" }, }, }, }"#,
    );
    let first = |arguments: &[&str]| {
        let output = machine.attache(arguments);
        let out = String::from_utf8(output.stdout).unwrap();
        out.lines().nth(1).unwrap_or_default().to_owned()
    };
    assert!(first(&["agents"]).starts_with("builtin "));
    expect!["z         no         /opt/z            zed           not on the PATH"]
        .assert_eq(&first(&["agents", "--from", "zed"]));
    machine.check(&["agents", "--from", "emacs"], &expect![[r#"
        error: invalid value 'emacs' for '--from <EDITORS>': unknown editor `emacs`; use zed or jetbrains

        For more information, try '--help'.
        exit: 2
    "#]]);
}

#[test]
fn a_broken_configuration_is_reported_with_its_location() {
    let machine = Machine::new();
    machine.file(
        "home/attache/config/config.json",
        "{\n  \"agent_servers\": 3\n}",
    );
    machine.check(
        &["agents"],
        &expect![[r#"
        err: ~/home/attache/config/config.json:2:20: `agent_servers` wants an object
        exit: 2
    "#]],
    );
}
