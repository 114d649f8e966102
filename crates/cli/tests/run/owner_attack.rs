//! Root's files that decide what agents may do. The agent of an ordinary user runs in a user namespace, in which the
//! owner of a file cannot be determined.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::ordinary_user::has_namespaces;
use crate::{bare, shown};

#[test]
fn attack_a_policy_of_root_counts_for_our_own_agent_and_one_of_others_does_not() {
    let Some(setup) = TestSetup::new() else {
        return;
    };
    for policy in ["rules/policy.json", "rules/link.json"] {
        let policy = setup.base.join(policy);
        let said = shown(&setup.run(&policy, "read open.txt"));
        assert!(said.contains("fine"), "{said}");
        let said = shown(&setup.run(&policy, "read secrets/key.txt"));
        assert!(!said.contains(CANARY), "{said}");
        assert!(said.contains("no-secrets"), "{said}");
    }
    // Outside the namespace, a file of another user is refused as usual.
    chown(setup.base.join("rules/policy.json"), Some(OTHER), None).unwrap();
    let said = shown(&setup.run(&setup.base.join("rules/policy.json"), "read open.txt"));
    assert!(
        said.contains("neither to you nor to root") && !said.contains("fine"),
        "{said}"
    );
}

/// An agent that is started in a namespace refuses a file that was not checked outside.
#[test]
fn attack_a_file_that_was_not_checked_is_refused_in_a_user_namespace() {
    let Some(setup) = TestSetup::new() else {
        return;
    };
    for checked in [&[][..], &["--checked", "00"], &["--checked", ""]] {
        let mut command = Command::new("unshare");
        command.args(["--user", &format!("--map-user={USER}")]);
        command.arg(env!("CARGO_BIN_EXE_attache")).arg("agent");
        command
            .arg("--policy")
            .arg(setup.base.join("rules/policy.json"));
        command.args(checked);
        let said = shown(&setup.output(command));
        assert!(
            said.contains("does not exist in this user namespace"),
            "{said}"
        );
        assert!(said.contains("policy.json"), "{said}");
    }
}

/// The configuration is read in the namespace too: what it hides stays hidden.
#[test]
fn attack_a_configuration_of_root_counts_in_the_namespace() {
    let Some(setup) = TestSetup::new() else {
        return;
    };
    let hidden = setup.base.join("hidden");
    fs::write(&hidden, format!("{CANARY}\n")).unwrap();
    let configuration = format!(
        r#"{{"sandbox":{{"mode":"required","hide":["{}"]}}}}"#,
        hidden.display()
    );
    fs::write(setup.base.join("home/config/config.json"), configuration).unwrap();
    let policy = setup.base.join("rules/policy.json");
    let prompt = format!("run cat {}", hidden.display());
    let said = shown(&setup.run(&policy, &prompt));
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.contains("hidden"), "{said}");
}

struct TestSetup {
    base: PathBuf,
}

impl TestSetup {
    /// `None` where we cannot be two users, or no namespace can be made.
    fn new() -> Option<TestSetup> {
        let is_superuser = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
        if !is_superuser || !has_namespaces() {
            return None;
        }
        let base = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))
            .unwrap()
            .keep();
        for folder in ["home/config", "project/secrets", "rules"] {
            fs::create_dir_all(base.join(folder)).unwrap();
        }
        fs::write(base.join("project/secrets/key.txt"), format!("{CANARY}\n")).unwrap();
        fs::write(base.join("project/open.txt"), "fine\n").unwrap();
        let rules = r#"{"rules":[{"action":"deny","path":"secrets/**","id":"no-secrets"}]}"#;
        fs::write(base.join("rules/policy.json"), rules).unwrap();
        std::os::unix::fs::symlink("policy.json", base.join("rules/link.json")).unwrap();
        let readable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&base, readable).unwrap();
        for place in [
            "home",
            "home/config",
            "project",
            "project/secrets",
            "project/secrets/key.txt",
            "project/open.txt",
        ] {
            chown(base.join(place), Some(USER), Some(USER)).unwrap();
        }
        Some(TestSetup { base })
    }

    fn run(&self, policy: &Path, prompt: &str) -> Output {
        let mut command = bare(&[
            "run",
            "-a",
            "builtin",
            "--model",
            "embedded",
            "--approve-all",
        ]);
        command.arg("--policy").arg(policy);
        command
            .arg("--cwd")
            .arg(self.base.join("project"))
            .arg(prompt);
        self.output(command)
    }

    fn output(&self, mut command: Command) -> Output {
        command.env("ATTACHE_HOME", self.base.join("home"));
        command.env("HOME", self.base.join("home"));
        command
            .uid(USER)
            .gid(USER)
            .current_dir(self.base.join("project"));
        command.stdin(std::process::Stdio::null()).output().unwrap()
    }
}

impl Drop for TestSetup {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.base).ok();
    }
}

const CANARY: &str = "canary-51fe";
/// Not `nobody`, because unknown owners are shown as `nobody`.
const USER: u32 = 4321;
const OTHER: u32 = 4322;
