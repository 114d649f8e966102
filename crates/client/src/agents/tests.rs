//! Agents that are found by name.

use expect_test::{Expect, expect};

use super::{Agent, AgentCatalog};
use crate::config::{ConfigSources, Configuration, TrustStore};

/// Checks the agent that a name means with a configuration.
fn check(configuration: &str, name: &str, expected: &Expect) {
    let home = tempfile::tempdir().unwrap();
    let user = home.path().join("config.json");
    std::fs::write(&user, configuration).unwrap();
    let configuration = Configuration::load(&ConfigSources {
        user,
        project: None,
        directory: None,
        trust: TrustStore::at(home.path().join("trusted.json")),
        home: None,
        editors: Vec::new(),
    });
    let catalogue = AgentCatalog::of(&configuration.unwrap());
    let found = match catalogue.find(name) {
        Ok(agent) => {
            let file = home.path().display().to_string();
            let source = agent.source.to_string().replace(&file, "~");
            format!("{} ({source})", agent.command_line())
        }
        Err(error) => error.to_string(),
    };
    expected.assert_eq(&found);
}

#[test]
fn a_known_name() {
    check("", "gemini", &expect!["gemini --acp (known)"]);
}

#[test]
fn a_configured_agent_takes_the_place_of_a_known_one() {
    let ours = r#"{"agent_servers": {"gemini": {"command": "gemini", "args": ["--acp", "--model", "a b"]}}}"#;
    check(
        ours,
        "gemini",
        &expect!["gemini --acp --model 'a b' (~/config.json)"],
    );
}

#[test]
fn similar_names_are_suggested() {
    check(
        "",
        "gemni",
        &expect!["there is no agent `gemni`; did you mean `gemini`? `attache agents` lists them"],
    );
    check(
        "",
        "Claude-Code",
        &expect![
            "there is no agent `Claude-Code`; did you mean `claude`? `attache agents` lists them"
        ],
    );
    check(
        "",
        "corsor",
        &expect!["there is no agent `corsor`; did you mean `cursor`? `attache agents` lists them"],
    );
    check(
        "",
        "zzz",
        &expect!["there is no agent `zzz`; `attache agents` lists them"],
    );
    let ours = r#"{"agents": {"my-reviewer": {"argv": ["x"]}}}"#;
    check(
        ours,
        "my-reviwer",
        &expect![
            "there is no agent `my-reviwer`; did you mean `my-reviewer`? `attache agents` lists them"
        ],
    );
}

#[test]
fn a_command_is_named_after_its_program() {
    let agent = Agent::of_command("./bin/my-agent", &["--acp".to_owned()]);
    assert_eq!(agent.name, "my-agent");
    assert_eq!(agent.command_line(), "./bin/my-agent --acp");
}

#[test]
fn values_of_the_environment_are_not_printed() {
    let mut agent = Agent::of_command("x", &[]);
    agent.env.push(("KEY".to_owned(), "hidden".into()));
    let shown = format!("{agent:?} {:?}", agent.program());
    assert!(
        shown.contains("KEY") && !shown.contains("hidden"),
        "{shown}"
    );
}

#[test]
fn a_program_is_known_by_where_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for name in ["a", "b"] {
        let file = root.join(name).join("agent");
        std::fs::create_dir(root.join(name)).unwrap();
        std::fs::write(&file, "").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(root.join("a"), root.join("link")).unwrap();
    let of = |path: &str, args: &[&str]| {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        Agent::of_command(root.join(path).to_str().unwrap(), &args).identity()
    };
    assert_eq!(of("a/agent", &[]), root.join("a/agent").to_str().unwrap());
    assert_eq!(of("link/agent", &[]), of("a/agent", &[]));
    assert_ne!(of("b/agent", &[]), of("a/agent", &[]));
    assert_ne!(of("a/agent", &["one.js"]), of("a/agent", &["two.js"]));
    assert!(!of("a/agent", &["--key=secret"]).contains("secret"));
    let named = AgentCatalog::of(&Configuration::default());
    assert_eq!(named.find("gemini").unwrap().identity(), "gemini");
}
