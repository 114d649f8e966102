//! A trusted project whose files change between two runs. Its rules stay in force, every run prints a warning, and if
//! the rules are lost, no agent starts.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{bare, shown};

const CANARY: &str = "canary-40ce";

struct Project(tempfile::TempDir);

impl Project {
    fn new(action: &str) -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        fs::create_dir_all(project.path("secrets")).unwrap();
        let configuration = r#"{"policy":"p.json","mcp_servers":{"m":{"command":"/bin/true","args":["--config=./cfg.json"]}}}"#;
        let policy = format!(r#"{{"rules":[{{"action":"{action}","path":"secrets"}}]}}"#);
        project.write(".attache.json", configuration);
        project.write("p.json", &policy);
        project.write("secrets/key", CANARY);
        let said = project.attache(&["config", "trust"]);
        assert!(said.contains("is trusted as it is now"), "{said}");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("project").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn attache(&self, arguments: &[&str]) -> String {
        let mut command = bare(arguments);
        command.current_dir(self.path(""));
        command.env("ATTACHE_HOME", self.0.path().join("home"));
        shown(&command.output().unwrap())
    }

    fn run(&self, arguments: &[&str]) -> String {
        let own = ["run", "-a", "builtin", "--model", "embedded"];
        self.attache(&[&own, arguments].concat())
    }

    /// Checks that every run denies the file and prints the reason.
    fn assert_kept(&self, what: &str) {
        for files in [&[][..], &["--no-fs"]] {
            for preset in ["--approve-reads", "--approve-all"] {
                let said = self.run(&[files, &[preset, "read secrets/key"]].concat());
                assert!(!said.contains(CANARY), "{what}: {said}");
                assert!(said.contains("is still in force"), "{what}: {said}");
                assert!(said.contains("`attache config trust`"), "{what}: {said}");
            }
        }
    }
}

fn state(project: &Project) -> PathBuf {
    let home = project.0.path().join("home");
    let mut found = Vec::new();
    find(&home, &mut found);
    found.pop().unwrap()
}

fn find(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap().flatten() {
        match entry.path() {
            path if path.ends_with("trusted") => found.push(path),
            path if path.is_dir() => find(&path, found),
            _ => {}
        }
    }
}

#[test]
fn attack_rules_of_a_trusted_project_outlive_what_an_agent_changes() {
    for action in ["deny", "ask"] {
        let project = Project::new(action);
        let said = project.run(&["--approve-all", "read secrets/key"]);
        assert!(!said.contains(CANARY), "{said}");
        // A named file that does not exist is protected, so the agent cannot create it.
        let said = project.run(&["--approve-all", "write cfg.json with x"]);
        assert!(!project.path("cfg.json").exists(), "{said}");
        assert!(said.contains("exit: 5"), "{said}");

        project.write("cfg.json", "x");
        project.assert_kept("a file that was missing is there");
        fs::remove_file(project.path("cfg.json")).unwrap();
        let said = project.run(&["read secrets/key"]);
        assert!(
            !said.contains("still in force") && !said.contains(CANARY),
            "{said}"
        );

        project.write("p.json", "{}");
        project.assert_kept("the policy is empty");
        fs::remove_file(project.path(".attache.json")).unwrap();
        project.assert_kept("the project's file is gone");
        let said = project.attache(&["config", "trust", "--revoke"]);
        assert!(said.contains("is no longer trusted"), "{said}");
        let said = project.run(&["read secrets/key"]);
        assert!(said.contains(CANARY), "{said}");
    }
}

#[test]
fn attack_nothing_runs_when_the_rules_of_a_trusted_project_are_lost() {
    let project = Project::new("deny");
    project.write("p.json", "{}");
    fs::remove_dir_all(state(&project)).unwrap();
    for _ in 0..2 {
        let said = project.run(&["--approve-all", "read secrets/key"]);
        assert!(!said.contains(CANARY), "{said}");
        assert!(said.contains("exit: 2"), "{said}");
        assert!(said.contains("not known any more"), "{said}");
        assert!(said.contains("`attache config trust`"), "{said}");
    }
    let said = project.attache(&["config", "check"]);
    assert!(said.contains("exit: 1"), "{said}");
    let said = project.attache(&["config", "trust"]);
    assert!(said.contains("is trusted as it is now"), "{said}");
    let said = project.run(&["read secrets/key"]);
    assert!(
        said.contains(CANARY),
        "the user trusts the empty policy: {said}"
    );
}

#[test]
fn attack_a_policy_that_everyone_can_write_is_refused_when_it_is_trusted() {
    use std::os::unix::fs::PermissionsExt as _;
    let project = Project::new("deny");
    project.attache(&["config", "trust", "--revoke"]);
    fs::set_permissions(project.path("p.json"), fs::Permissions::from_mode(0o666)).unwrap();
    let said = project.attache(&["config", "trust"]);
    assert!(said.contains("exit: 2"), "{said}");
    assert!(said.contains("run `chmod go-w "), "{said}");
}
