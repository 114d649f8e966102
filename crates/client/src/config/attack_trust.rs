//! Attacks on trust: repositories that change after they were trusted, in any file that their project file names, and
//! files that another user may have written.

mod changed_attack;
mod directories_attack;
mod shell_lines_attack;

use std::fs;
use std::path::{Path, PathBuf};

use attache::v1;
use attache_host::permissions::{Action, PermissionConfig, Permissions, Preset, Verdict};
use tempfile::TempDir;

use super::{ConfigError, ConfigSources, Configuration, TrustStore};

/// A project with a project file and some files beside it.
struct Project(TempDir);

impl Project {
    fn new(text: &str) -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        for folder in ["project/tools", "outside"] {
            fs::create_dir_all(project.path(folder)).unwrap();
        }
        for file in FILES {
            project.write(file, "{}");
        }
        let root = project.path("").display().to_string();
        project.write(
            "project/.attache.json",
            &text.replace("ROOT", root.trim_end_matches('/')),
        );
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn sources(&self) -> ConfigSources {
        ConfigSources {
            user: self.path("config.json"),
            project: Some(self.path("project/.attache.json")),
            directory: Some(self.path("project")),
            trust: TrustStore::at(self.path("trusted.json")),
            home: None,
            editors: Vec::new(),
        }
    }

    fn load(&self) -> Configuration {
        Configuration::load(&self.sources()).unwrap()
    }

    fn trust(&self) {
        let untrusted = self.load().untrusted.expect("it is not trusted yet");
        assert_eq!(untrusted.fault, None);
        self.sources().trust.add(&untrusted).unwrap();
        assert!(self.is_trusted());
    }

    fn is_trusted(&self) -> bool {
        let configuration = self.load();
        let is_trusted = configuration.untrusted.is_none();
        // An untrusted file sets nothing. Only rules that were trusted before still apply.
        let rows = configuration.rows();
        let is_set = rows.len() > configuration.kept.len();
        assert_eq!(is_trusted, is_set, "{rows:?}");
        assert_eq!(
            is_trusted,
            configuration.project_policy.is_some()
                || !configuration.agents.is_empty()
                || !configuration.mcp_servers.is_empty()
        );
        is_trusted
    }
}

const FILES: [&str; 5] = [
    "project/x.json",
    "project/tools/run.sh",
    "project/other.txt",
    "outside/policy.json",
    "outside/program",
];

/// A change to a file: its description, and the function that makes the change.
type Change = (&'static str, fn(&Path));

/// Project files, each with the neighbouring file that it names.
fn namings() -> Vec<(String, &'static str)> {
    let mut namings = Vec::new();
    for path in [
        "x.json",
        "./x.json",
        "tools/../x.json",
        "./tools/.././x.json",
        "ROOT/project/x.json",
        "//ROOT/project/x.json",
    ] {
        namings.push((format!(r#"{{"policy":"{path}"}}"#), "project/x.json"));
    }
    namings.push((
        r#"{"policy":"../outside/policy.json"}"#.to_owned(),
        "outside/policy.json",
    ));
    for path in [
        "./tools/run.sh",
        "tools/run.sh",
        "ROOT/project/tools/run.sh",
        "./tools/../tools/run.sh",
    ] {
        namings.push((
            format!(r#"{{"agent_servers":{{"a":{{"command":"{path}"}}}}}}"#),
            "project/tools/run.sh",
        ));
        namings.push((
            format!(r#"{{"agent_servers":{{"a":{{"argv":["{path}","x"]}}}}}}"#),
            "project/tools/run.sh",
        ));
        for server in [
            format!(r#"{{"m":{{"command":"{path}"}}}}"#),
            format!(r#"{{"m":{{"command":{{"path":"{path}"}}}}}}"#),
            format!(r#"[{{"name":"m","command":"{path}","args":[],"env":[]}}]"#),
        ] {
            namings.push((
                format!(r#"{{"mcp_servers":{server}}}"#),
                "project/tools/run.sh",
            ));
        }
        for word in [
            "PATH",
            "--config=PATH",
            "--config=x=PATH",
            "-c PATH",
            "source PATH && agent",
            "A=1;PATH",
        ] {
            let word = word.replace("PATH", path);
            namings.push((
                format!(r#"{{"agent_servers":{{"a":{{"command":"sh","args":["-x","{word}"]}}}}}}"#),
                "project/tools/run.sh",
            ));
            namings.push((
                format!(r#"{{"mcp_servers":{{"m":{{"command":"sh","args":["{word}"]}}}}}}"#),
                "project/tools/run.sh",
            ));
        }
        for value in ["PATH", "/usr/bin:PATH", "--require PATH"] {
            let value = value.replace("PATH", path);
            namings.push((format!(r#"{{"agent_servers":{{"a":{{"command":"sh","env":{{"OPTIONS":"{value}"}}}}}}}}"#), "project/tools/run.sh"));
            namings.push((
                format!(
                    r#"{{"mcp_servers":{{"m":{{"command":"sh","env":{{"OPTIONS":"{value}"}}}}}}}}"#
                ),
                "project/tools/run.sh",
            ));
        }
    }
    namings
}

/// A cloned repository may contain a program with the same relative path. A configuration file elsewhere never means
/// that program.
#[test]
fn programs_with_a_folder_are_those_beside_the_file_that_names_them() {
    let from_here = std::env::current_dir().unwrap();
    for spelling in ["./m.sh", "bin/m.sh", "../m.sh", "./../x/m.sh", "././m.sh"] {
        let text = format!(
            r#"{{"agent_servers":{{"a":{{"command":"{spelling}"}}}},
                "mcp_servers":{{"m":{{"command":"{spelling}"}}}}}}"#
        );
        let project = Project::new(&text);
        project.write("config.json", &text);
        project.trust();
        let configuration = project.load();
        let agents = configuration
            .agents
            .iter()
            .map(|agent| agent.value.command.clone());
        let servers = configuration
            .mcp_servers
            .iter()
            .map(|server| match &server.value {
                v1::McpServer::Stdio(server) => server.command.as_path().to_owned(),
                other => panic!("{other:?}"),
            });
        let folders = [project.path("project"), project.path("")];
        for (program, folder) in agents.zip(&folders).chain(servers.zip(&folders)) {
            assert!(!program.starts_with(&from_here), "{spelling}: {program:?}");
            let expected: PathBuf = folder.join(spelling).components().collect();
            let program: PathBuf = program.components().collect();
            assert_eq!(program, expected, "{spelling}");
        }
        assert_eq!(configuration.agents.len(), 2);
        assert_eq!(configuration.mcp_servers.len(), 2);
    }
}

#[test]
fn trust_ends_when_a_named_file_changes() {
    let changes: [Change; 5] = [
        ("a rule more", |file| {
            fs::write(file, r#"{"default":"allow"}"#).unwrap()
        }),
        ("a space more", |file| fs::write(file, "{} ").unwrap()),
        ("nothing in it", |file| fs::write(file, "").unwrap()),
        ("it is gone", |file| fs::remove_file(file).unwrap()),
        ("a directory in its place", |file| {
            fs::remove_file(file).unwrap();
            fs::create_dir(file).unwrap();
        }),
    ];
    let mut count = 0;
    for (text, file) in namings() {
        let project = Project::new(&text);
        project.trust();
        for (what, change) in changes {
            let path = project.path(file);
            change(&path);
            let configuration = project.load();
            let untrusted = configuration
                .untrusted
                .unwrap_or_else(|| panic!("{text}: {what}"));
            assert!(untrusted.has_changed, "{text}: {what}");
            assert_eq!(untrusted.changed.len(), 1, "{text}: {what}");
            assert!(
                configuration.project_policy.is_none()
                    && configuration.agents.is_empty()
                    && configuration.mcp_servers.is_empty()
            );
            fs::remove_dir(&path).ok();
            fs::write(&path, "{}").unwrap();
            assert!(project.is_trusted(), "{text}: as it was after: {what}");
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn trust_stays_when_other_files_change() {
    for (text, named) in namings() {
        let project = Project::new(&text);
        project.trust();
        for file in FILES.iter().filter(|file| **file != named) {
            project.write(file, "changed");
        }
        assert!(project.is_trusted(), "{text}");
    }
}

#[test]
fn a_program_that_appears_after_trust_was_given_ends_it() {
    for word in ["./late.sh", "late.sh", "--run=late.sh", "tools/late.sh"] {
        let project = Project::new(&format!(
            r#"{{"agent_servers":{{"a":{{"command":"sh","args":["{word}"]}}}}}}"#
        ));
        project.trust();
        let file = word.trim_start_matches("--run=");
        project.write(&format!("project/{file}"), "echo");
        assert!(!project.is_trusted(), "{word}");
    }
}

#[cfg(unix)]
#[test]
fn a_link_counts_by_what_it_leads_to() {
    let project = Project::new(r#"{"policy":"link.json"}"#);
    std::os::unix::fs::symlink("../outside/policy.json", project.path("project/link.json"))
        .unwrap();
    project.trust();
    project.write("outside/policy.json", r#"{"default":"allow"}"#);
    assert!(!project.is_trusted());
    project.write("outside/policy.json", "{}");
    assert!(project.is_trusted());
    fs::remove_file(project.path("project/link.json")).unwrap();
    project.write("outside/program", r#"{"default":"allow"}"#);
    std::os::unix::fs::symlink("../outside/program", project.path("project/link.json")).unwrap();
    assert!(!project.is_trusted());
}

#[test]
fn the_policy_that_counts_is_the_one_that_was_looked_at() {
    let project = Project::new(r#"{"policy":"x.json"}"#);
    project.trust();
    let configuration = project.load();
    project.write("project/x.json", r#"{"rules":[{"action":"nonsense"}]}"#);
    // The policy is invalid now, so nothing is loaded.
    configuration.load_policy().unwrap_err();
    project.write("project/x.json", r#"{"default":"allow"}"#);
    let policy = configuration.load_policy().unwrap().unwrap();
    assert!(
        format!("{policy:?}").contains("default: None"),
        "{policy:?}"
    );
}

#[test]
fn a_trusted_project_drops_no_rule_of_the_user_and_allows_nothing() {
    let project = Project::new(
        r#"{"policy":"x.json","permissions":{"preset":"approve-all","expiry":"never"}}"#,
    );
    let rules = r#"{"rules":[{"action":"allow","command":"echo **"},{"action":"deny","command":"rm","id":"theirs"}],"default":"allow"}"#;
    project.write("project/x.json", rules);
    project.write(
        "own.json",
        r#"{"rules":[{"action":"deny","command":"echo **","id":"mine"}]}"#,
    );
    for (own, preset) in [
        (
            r#"{"policy":"own.json","permissions":{"expiry":"1d"}}"#,
            None,
        ),
        (
            r#"{"policy":"own.json","permissions":{"preset":"approve-reads","expiry":"1d"}}"#,
            Some(Preset::ApproveReads),
        ),
    ] {
        project.write("config.json", own);
        let seen = project.load().untrusted;
        if let Some(untrusted) = seen {
            let warned: Vec<String> = untrusted.warnings.iter().map(ToString::to_string).collect();
            assert!(
                warned[0].contains("`permissions` does not count"),
                "{warned:?}"
            );
            assert!(
                warned[1].contains("`permissions.expiry` does not count"),
                "{warned:?}"
            );
            assert!(
                warned[2].contains("2 rules of x.json that allow do not count"),
                "{warned:?}"
            );
            project.sources().trust.add(&untrusted).unwrap();
        }
        let configuration = project.load();
        assert_eq!(configuration.untrusted, None);
        assert_eq!(
            configuration.permissions.as_ref().map(|it| it.value),
            preset
        );
        assert_eq!(
            configuration.expiry.as_ref().unwrap().value.to_string(),
            "1d"
        );
        let policy = configuration.load_policy().unwrap().unwrap();
        assert_eq!(policy.count_allowing(), 0);
        let mut config = PermissionConfig::new(Preset::ApproveAll);
        config.policy = Some(policy);
        let permissions = Permissions::open(config).0;
        for (command, rule) in [("echo", "mine"), ("rm", "theirs of ")] {
            let request = v1::CreateTerminalRequest::new("s", command).args(vec!["x".to_owned()]);
            let action = Action::from_terminal_request("a", project.path("project"), &request);
            match permissions.judge(&action) {
                Verdict::Deny(reason) => assert!(reason.as_str().contains(rule), "{reason}"),
                verdict => panic!("{command}: {verdict:?}"),
            }
        }
    }
    project.write("config.json", r#"{"permissions":"approve-all"}"#);
    let preset = project.load().permissions.unwrap().value;
    assert_eq!(
        preset,
        Preset::ApproveAll,
        "the user's own, and the project's is not wider"
    );
    let text = r#"{"permissions":"deny-all","agent_servers":{"a":{"command":"sh"}}}"#;
    project.write("project/.attache.json", text);
    project.trust();
    let preset = project.load().permissions.unwrap().value;
    assert_eq!(preset, Preset::DenyAll, "a project may narrow");
}

#[test]
fn trust_of_earlier_versions_counts_only_where_no_file_is_named() {
    for (text, is_trusted) in [
        (r#"{"agent_servers":{"a":{"command":"sh"}}}"#, true),
        (r#"{"policy":"x.json"}"#, false),
        (r#"{"policy":"missing.json"}"#, false),
        (
            r#"{"agent_servers":{"a":{"command":"./tools/run.sh"}}}"#,
            false,
        ),
    ] {
        let project = Project::new(text);
        let file = project
            .path("project/.attache.json")
            .canonicalize()
            .unwrap();
        let digest = blake3::hash(text.as_bytes()).to_hex().to_string();
        let stored = serde_json::json!({ file.to_str().unwrap(): digest });
        project.write("trusted.json", &stored.to_string());
        assert_eq!(project.is_trusted(), is_trusted, "{text}");
    }
}

#[cfg(unix)]
mod owners {
    use std::os::unix::fs::{PermissionsExt as _, chown};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    const OPEN: [u32; 6] = [0o602, 0o622, 0o606, 0o646, 0o666, 0o777];

    #[test]
    fn a_project_file_that_everyone_may_write_is_refused_also_when_trusted() {
        let project = Project::new(r#"{"agent_servers":{"a":{"command":"sh"}}}"#);
        project.trust();
        for mode in OPEN {
            set_mode(&project.path("project/.attache.json"), mode);
            let untrusted = project.load().untrusted.expect("it is refused");
            assert!(
                untrusted.fault.unwrap().contains("run `chmod go-w "),
                "{mode:o}"
            );
        }
        set_mode(&project.path("project/.attache.json"), 0o644);
        assert!(project.is_trusted());
        set_mode(&project.path("project"), 0o777);
        let fault = project.load().untrusted.unwrap().fault.unwrap();
        assert!(fault.contains("everyone can replace what is in"), "{fault}");
        set_mode(&project.path("project"), 0o1777);
        assert!(project.is_trusted());
    }

    #[test]
    fn a_policy_that_everyone_may_write_is_refused() {
        let project = Project::new(r#"{"policy":"x.json"}"#);
        project.trust();
        for mode in OPEN {
            set_mode(&project.path("project/x.json"), mode);
            let error = project.load().load_policy().unwrap_err().to_string();
            assert!(error.contains("run `chmod go-w "), "{error}");
        }
    }

    #[test]
    fn your_own_files_that_everyone_may_write_are_an_error() {
        let project = Project::new(r#"{"agent_servers":{"a":{"command":"sh"}}}"#);
        project.trust();
        for name in ["trusted.json", "config.json"] {
            if name == "config.json" {
                project.write(name, "{}");
            }
            for mode in OPEN {
                set_mode(&project.path(name), mode);
                let error = Configuration::load(&project.sources()).unwrap_err();
                assert!(
                    matches!(error, ConfigError::Ownership(_)),
                    "{name} {mode:o}: {error}"
                );
                assert!(error.to_string().contains("run `chmod go-w "), "{error}");
            }
            set_mode(&project.path(name), 0o600);
            project.load();
        }
    }

    #[test]
    fn files_of_another_user_are_refused() {
        let project = Project::new(r#"{"policy":"x.json"}"#);
        project.trust();
        for name in ["project/.attache.json", "project/x.json", "trusted.json"] {
            let path = project.path(name);
            // Only root may give files away.
            if chown(&path, Some(65534), None).is_err() {
                return;
            }
            let refused = match Configuration::load(&project.sources()) {
                Err(error) => error.to_string(),
                Ok(configuration) => match configuration.untrusted.clone() {
                    Some(untrusted) => untrusted.fault.unwrap(),
                    None => configuration.load_policy().unwrap_err().to_string(),
                },
            };
            assert!(
                refused.contains("belongs to user 65534"),
                "{name}: {refused}"
            );
            chown(&path, Some(0), None).unwrap();
            assert!(project.is_trusted());
        }
    }
}
