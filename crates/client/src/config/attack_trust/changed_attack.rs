//! Agents try to remove a trusted project's rules by changing files that trust covers. The project's deny and ask rules
//! stay in force, and the user is warned every time.

use attache_host::permissions::RuleAction;

use super::*;

/// A change to a project: its description, and the function that makes the change.
type ProjectChange = (&'static str, fn(&Project));

const RULES: &str = r#"{"rules":[
    {"action":"deny","command":"rm","id":"no-rm"},
    {"action":"ask","command":"git push **","id":"ask-push"},
    {"action":"allow","command":"echo **"}]}"#;

fn project(more: &str) -> Project {
    let project = Project::new(&format!(r#"{{"policy":"x.json"{more}}}"#));
    project.write("project/x.json", RULES);
    project.trust();
    project
}

/// The verdict on a command under `--approve-all`.
fn verdict(project: &Project, command: &[&str]) -> RuleAction {
    verdict_in(&project.load(), command)
}

fn verdict_in(configuration: &Configuration, command: &[&str]) -> RuleAction {
    let mut config = PermissionConfig::new(Preset::ApproveAll);
    config.policy = configuration.load_policy().unwrap();
    let permissions = Permissions::open(config).0;
    let args: Vec<String> = command[1..].iter().map(|&it| it.to_owned()).collect();
    let request = v1::CreateTerminalRequest::new("s", command[0]).args(args);
    let action = Action::from_terminal_request("a", PathBuf::from("/w"), &request);
    match permissions.judge(&action) {
        Verdict::Allow(_) => RuleAction::Allow,
        Verdict::Ask => RuleAction::Ask,
        Verdict::Deny(reason) => {
            assert!(reason.as_str().contains("x.json"), "{reason}");
            RuleAction::Deny
        }
    }
}

fn assert_in_force(project: &Project, what: &str) {
    for _ in 0..3 {
        let configuration = project.load();
        assert_eq!(configuration.changed.len(), 1, "{what}: said every time");
        let said = configuration.changed[0].to_string();
        assert!(said.contains("is still in force"), "{what}: {said}");
        assert!(said.contains("`attache config trust`"), "{what}: {said}");
        assert!(configuration.agents.is_empty() && configuration.mcp_servers.is_empty());
        assert_eq!(configuration.project_policy, None);
        assert_eq!(
            configuration
                .load_policy()
                .unwrap()
                .unwrap()
                .count_allowing(),
            0
        );
    }
    assert_eq!(verdict(project, &["rm", "x"]), RuleAction::Deny, "{what}");
    assert_ne!(
        verdict(project, &["git", "push", "x"]),
        RuleAction::Allow,
        "{what}"
    );
}

/// Every change by which a command or an agent in the project can end the trust.
#[test]
fn rules_stay_in_force_whatever_ends_the_trust() {
    let changes: &[ProjectChange] = &[
        ("the policy is empty", |it| it.write("project/x.json", "{}")),
        ("the policy is no JSON", |it| {
            it.write("project/x.json", "{")
        }),
        ("the policy is gone", |it| {
            fs::remove_file(it.path("project/x.json")).unwrap();
        }),
        ("the policy is a directory", |it| {
            fs::remove_file(it.path("project/x.json")).unwrap();
            fs::create_dir(it.path("project/x.json")).unwrap();
        }),
        ("a file that was missing is there", |it| {
            it.write("project/cfg.json", "x");
        }),
        ("a directory that was missing is there", |it| {
            fs::create_dir(it.path("project/cfg.json")).unwrap();
        }),
        ("the project's file is empty", |it| {
            it.write("project/.attache.json", "");
        }),
        ("the project's file is no JSON", |it| {
            it.write("project/.attache.json", "{");
        }),
        ("the project's file names another policy", |it| {
            it.write("project/.attache.json", r#"{"policy":"other.txt"}"#);
        }),
        ("the project's file names the whole project", |it| {
            let text = r#"{"mcp_servers":{"m":{"command":"sh","args":["."]}}}"#;
            it.write("project/.attache.json", text);
        }),
        ("the project's file is gone", |it| {
            fs::remove_file(it.path("project/.attache.json")).unwrap();
        }),
    ];
    let server = r#","mcp_servers":{"m":{"command":"true","args":["--config=./cfg.json"]}}"#;
    for (what, change) in changes {
        let project = project(server);
        assert_eq!(verdict(&project, &["rm", "x"]), RuleAction::Deny);
        change(&project);
        assert_in_force(&project, what);
    }
}

#[cfg(unix)]
#[test]
fn rules_stay_in_force_when_owners_modes_or_links_change() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let project_file = |it: &Project| it.path("project/.attache.json");
    let open = project("");
    fs::set_permissions(project_file(&open), fs::Permissions::from_mode(0o666)).unwrap();
    assert_in_force(&open, "everyone can write the project's file");

    // A project's file that is a link is the same project when the link is replaced.
    let linked = Project::new(r#"{"policy":"x.json"}"#);
    linked.write("project/x.json", RULES);
    fs::rename(project_file(&linked), linked.path("outside/shared.json")).unwrap();
    symlink("../outside/shared.json", project_file(&linked)).unwrap();
    linked.trust();
    fs::remove_file(project_file(&linked)).unwrap();
    assert_in_force(&linked, "the link is gone");
    linked.write("project/.attache.json", "{}");
    assert_in_force(&linked, "a file is in the place of the link");
}

#[test]
fn trust_that_is_given_again_or_revoked_ends_the_old_rules() {
    let project = project("");
    project.write("project/x.json", "{}");
    assert_in_force(&project, "changed");
    project.trust();
    assert_eq!(verdict(&project, &["rm", "x"]), RuleAction::Allow);
    let copies = fs::read_dir(project.path("trusted")).unwrap().count();
    assert_eq!(copies, 1, "texts that nobody needs are removed");

    project.write("project/x.json", RULES);
    project.trust();
    let file = project.path("project/.attache.json");
    fs::remove_file(&file).unwrap();
    assert_in_force(&project, "gone");
    assert!(project.sources().trust.remove(&file).unwrap());
    assert_eq!(verdict(&project, &["rm", "x"]), RuleAction::Allow);
    assert!(project.load().changed.is_empty());
}

#[test]
fn a_project_that_was_never_trusted_stays_inert() {
    let project = Project::new(r#"{"policy":"x.json","permissions":"deny-all"}"#);
    project.write("project/x.json", RULES);
    let configuration = project.load();
    assert!(configuration.changed.is_empty() && configuration.kept.is_empty());
    assert_eq!(configuration.permissions, None);
    assert!(configuration.load_policy().unwrap().is_none());
}

#[test]
fn rules_that_are_not_known_any_more_are_an_error_and_not_nothing() {
    let losses: &[ProjectChange] = &[
        ("the copy is gone", |it| {
            fs::remove_dir_all(it.path("trusted")).unwrap();
        }),
        ("the copy is another text", |it| {
            let copies = fs::read_dir(it.path("trusted")).unwrap();
            copies.for_each(|copy| fs::write(copy.unwrap().path(), "{}").unwrap());
        }),
        ("an earlier version stored no rules", |it| {
            let text = fs::read_to_string(it.path("trusted.json")).unwrap();
            let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
            for record in value.as_object_mut().unwrap().values_mut() {
                record
                    .as_object_mut()
                    .unwrap()
                    .remove("restrictions")
                    .unwrap();
            }
            it.write("trusted.json", &value.to_string());
        }),
    ];
    for (what, lose) in losses {
        let project = project("");
        project.write("project/x.json", "{}");
        lose(&project);
        let configuration = project.load();
        let [changed] = &*configuration.changed else {
            panic!("{what}: {:?}", configuration.changed);
        };
        assert!(changed.has_rules.is_err(), "{what}");
        let said = changed.to_string();
        assert!(said.contains("not known any more"), "{what}: {said}");
        assert!(said.contains("`attache config trust`"), "{what}: {said}");
        // Once the file is restored and loaded, everything is stored again.
        project.write("project/x.json", RULES);
        assert!(project.is_trusted());
        project.write("project/x.json", "{}");
        assert_in_force(&project, what);
    }
    let project = project("");
    for text in ["", "{", "[]", r#"{"x":1}"#] {
        project.write("trusted.json", text);
        let error = Configuration::load(&project.sources()).unwrap_err();
        assert!(
            error.to_string().contains("it is damaged"),
            "{text}: {error}"
        );
    }
}

#[test]
fn a_preset_and_an_expiry_stay_narrow_and_never_widen() {
    let project = project(r#","permissions":{"preset":"deny-all","expiry":"1h"}"#);
    project.write("project/x.json", "{}");
    let configuration = project.load();
    assert_eq!(configuration.permissions.unwrap().value, Preset::DenyAll);
    assert_eq!(configuration.expiry.unwrap().value.to_string(), "1h");

    // The project's preset allowed as much as the user's own preset, which now allows less.
    project.write("config.json", r#"{"permissions":"approve-all"}"#);
    let wide = r#"{"policy":"x.json","permissions":"approve-all"}"#;
    project.write("project/.attache.json", wide);
    project.trust();
    project.write("config.json", "{}");
    project.write("project/x.json", RULES);
    assert_eq!(project.load().permissions, None);
}

/// The rules of a trusted project also apply to sessions that start in a project or repository nested in it.
#[test]
fn rules_of_a_trusted_project_count_in_nested_projects_and_repositories() {
    let project = project("");
    for (what, place) in [("repository", "sub/.git"), ("project", "sub/.attache.json")] {
        let place = project.path(&format!("project/{place}"));
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        match what {
            "repository" => fs::create_dir_all(&place).unwrap(),
            _ => fs::write(&place, "{}").unwrap(),
        }
        for directory in ["project/sub", "project/sub/deep"] {
            let directory = project.path(directory);
            fs::create_dir_all(&directory).unwrap();
            let sources = ConfigSources {
                project: ConfigSources::project_file(&directory),
                directory: Some(directory),
                ..project.sources()
            };
            let load = || Configuration::load(&sources).unwrap();
            project.write("project/x.json", RULES);
            let configuration = load();
            assert_eq!(
                verdict_in(&configuration, &["rm", "x"]),
                RuleAction::Deny,
                "{what}"
            );
            assert!(configuration.changed.is_empty(), "{what}");
            project.write("project/x.json", "{}");
            let configuration = load();
            assert_eq!(
                verdict_in(&configuration, &["rm", "x"]),
                RuleAction::Deny,
                "{what}"
            );
            assert_eq!(configuration.changed.len(), 1, "{what}");
        }
    }
    // The rules do not apply in a neighbouring directory.
    let beside = ConfigSources {
        project: None,
        directory: Some(project.path("outside")),
        ..project.sources()
    };
    let configuration = Configuration::load(&beside).unwrap();
    assert!(configuration.load_policy().unwrap().is_none());
}

/// Named files that do not exist are protected, count once they exist, and their names are not stored.
#[test]
fn files_that_are_named_and_missing_are_protected() {
    let mut count = 0;
    for word in [
        "--config=./cfg.json",
        "./cfg.json",
        "cfg.json",
        "-Icfg.json",
        "@cfg.json",
        "tools/../cfg.json",
        "ROOT/project/cfg.json",
        "cat cfg.json",
        "file://ROOT/project/cfg%2ejson",
    ] {
        for text in [
            format!(r#"{{"mcp_servers":{{"m":{{"command":"sh","args":["-c","{word}"]}}}}}}"#),
            format!(r#"{{"agent_servers":{{"a":{{"command":"x","args":["{word}"]}}}}}}"#),
            format!(r#"{{"agent_servers":{{"a":{{"command":"x","env":{{"CONFIG":"{word}"}}}}}}}}"#),
        ] {
            let project = Project::new(&text);
            let file = project.path("project").canonicalize().unwrap();
            let file = file.join("cfg.json");
            for _ in 0..2 {
                let named = project.load().named_files;
                assert!(named.contains(&file), "{text}: {named:?}");
                if project.load().untrusted.is_some() {
                    project.trust();
                }
            }
            let stored = fs::read_to_string(project.path("trusted.json")).unwrap();
            assert!(!stored.contains("cfg"), "{stored}");
            project.write("project/cfg.json", "x");
            assert!(!project.is_trusted(), "{text}");
            count += 1;
        }
    }
    assert_eq!(count, 27);
}

#[test]
fn no_value_of_an_environment_is_stored() {
    let project = Project::new(
        r#"{"agent_servers":{"a":{"command":"sh","args":["--token=canary1/x"],"env":{"KEY":"canary2/y=z"}}}}"#,
    );
    project.trust();
    let stored = fs::read_to_string(project.path("trusted.json")).unwrap();
    assert!(!stored.contains("canary"), "{stored}");
}
