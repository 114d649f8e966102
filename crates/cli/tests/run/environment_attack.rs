//! Commands in terminals that try to read the environment of another vendor's agent, with its keys.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use attache_host::sandbox::{self, SandboxSupport};

use super::{agents, shown};

#[test]
fn attack_no_command_reads_the_environment_of_the_agent() {
    for user in [User::Current, User::Nobody] {
        let Some(setup) = TestSetup::new(user) else {
            continue;
        };
        // Without the sandbox the command does read the key, as `docs/terminals.md` says. Otherwise this test would
        // prove nothing.
        assert!(setup.reads_key(&["--no-sandbox"]), "{user:?}");
        if !matches!(sandbox::support(), SandboxSupport::Missing { .. }) {
            assert!(!setup.reads_key(&[]), "{user:?}");
        }
        fs::remove_dir_all(&setup.dir).unwrap();
    }
}

#[test]
fn attack_no_command_reads_files_that_variables_name() {
    for user in [User::Current, User::Nobody] {
        let Some(setup) = TestSetup::new(user) else {
            continue;
        };
        let named = setup.dir.join("named");
        let secrets = [
            "cluster/a",
            "cluster/b",
            "netrc",
            "aws",
            "gpg/key",
            "cargo/credentials",
            "config/gh/hosts.yml",
            "data/keyrings/login",
        ];
        for secret in secrets.iter().chain(&["open"]) {
            let path = named.join(secret);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, format!("{KEY} {secret}\n")).unwrap();
        }
        let at = |name: &str| named.join(name).display().to_string();
        let variables = [
            (
                "KUBECONFIG",
                format!("{}:{}", at("cluster/a"), at("cluster/b")),
            ),
            ("NETRC", at("netrc")),
            ("AWS_SHARED_CREDENTIALS_FILE", at("aws")),
            ("GNUPGHOME", at("gpg")),
            ("CARGO_HOME", at("cargo")),
            ("XDG_CONFIG_HOME", at("config")),
            ("XDG_DATA_HOME", at("data")),
            // A setting, not a secret.
            ("PGPASSFILE", "/dev/null".to_owned()),
        ];
        let line = format!(
            "cd {}; cat /dev/null {} open; echo ended",
            named.display(),
            secrets.join(" ")
        );
        let all = setup.output_of(&["--no-sandbox"], &line, &variables);
        assert_eq!(
            all.matches(KEY).count(),
            secrets.len() + 1,
            "{user:?}: {all}"
        );
        if !matches!(sandbox::support(), SandboxSupport::Missing { .. }) {
            let said = setup.output_of(&[], &line, &variables);
            assert_eq!(said.matches(KEY).count(), 1, "{user:?}: {said}");
            assert!(said.contains(" open"), "{user:?}: {said}");
        }
        fs::remove_dir_all(&setup.dir).unwrap();
    }
}

/// The user who runs the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    Current,
    /// An ordinary user; only root can run programs as another user.
    Nobody,
}

struct TestSetup {
    user: User,
    dir: PathBuf,
}

impl TestSetup {
    /// `None` if that user cannot run the program.
    fn new(user: User) -> Option<TestSetup> {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let dir = dir.keep();
        let setup = TestSetup { user, dir };
        let can_run = setup.command().arg("--version").output();
        if !can_run.is_ok_and(|output| output.status.success()) {
            fs::remove_dir(&setup.dir).unwrap();
            return None;
        }
        fs::create_dir_all(setup.dir.join("project/secrets")).unwrap();
        for folder in ["", "project", "project/secrets"] {
            fs::set_permissions(setup.dir.join(folder), Permissions::from_mode(0o777)).unwrap();
        }
        Some(setup)
    }

    fn command(&self) -> Command {
        let us = env!("CARGO_BIN_EXE_attache");
        let mut command = match self.user {
            User::Current => Command::new(us),
            User::Nobody => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", us]);
                command
            }
        };
        command.env("HOME", &self.dir);
        command.env("ATTACHE_HOME", self.dir.join("home"));
        command.stdin(Stdio::null());
        command
    }

    /// Whether a command prints the key that only the agent was given.
    fn reads_key(&self, options: &[&str]) -> bool {
        let line = "{ cat /proc/$$/environ /proc/$$/task/$$/environ; cat /proc/[0-9]*/environ; ps axeww; } 2>/dev/null | tr a-z b-za; echo ended";
        let output = self.output_of(options, line, &[("AGENT_KEY", KEY.to_owned())]);
        output.contains(&turned(KEY))
    }

    /// The output of a command in a terminal, as protocol messages. The agent replaces `$$` with its own process id.
    fn output_of(&self, options: &[&str], line: &str, variables: &[(&str, String)]) -> String {
        let run = r#"
            start='{"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"sessionId":"s","command":"sh","args":["LINE"]}}'
            printf '%s\n' "$start" | sed "s@LINE@-c\",\"COMMAND@"
            read started
            case "$started" in *'"error"'*) echo "$started" >output; exit 1;; esac
            terminal=$(printf '%s' "$started" | sed 's/.*"terminalId":"\([^"]*\)".*/\1/')
            ask() { printf '{"jsonrpc":"2.0","id":%s,"method":"terminal/%s","params":{"sessionId":"s","terminalId":"%s"}}\n' "$1" "$2" "$terminal"; }
            ask 8 wait_for_exit; read ended
            ask 9 output; read output
            printf '%s %s\n' "$started" "$output" >output
        "#;
        let agent = agents::turn(&run.replace("COMMAND", line), "");
        let mut command = self.command();
        command.envs(variables.iter().map(|(name, value)| (name, value)));
        command.args(["run", "--approve-all", "--timeout", "60"]);
        command.args(options);
        command.args(["go", "--", "sh", "-c", &agent]);
        command.current_dir(self.dir.join("project"));
        let said = shown(&command.output().unwrap());
        let file = self.dir.join("project/output");
        let output = fs::read_to_string(&file).unwrap_or_default();
        assert!(output.contains("ended"), "{output}\n{said}");
        fs::remove_file(file).unwrap();
        output
    }
}

/// As the command prints it: what is encoded is not replaced as a withheld value.
fn turned(text: &str) -> String {
    let turn = |char| match char {
        'z' => 'a',
        'a'..='y' => char::from(char as u8 + 1),
        other => other,
    };
    text.chars().map(turn).collect()
}

const KEY: &str = "canary-of-the-agent";
