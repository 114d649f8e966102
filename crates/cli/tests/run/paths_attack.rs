//! Attacks on denied paths by an agent that sends no permission requests: with its own programs, and with the tools of
//! our own agent. The oracle is a word in the denied files that never appears in what `run` prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use attache::process::namespace_support;
use attache_host::sandbox::SandboxSupport;

use crate::ordinary_user::{by_ordinary_user, has_namespaces};
use crate::{agents, bare, shown};

#[test]
fn an_agent_does_not_read_denied_paths_with_programs_of_its_own() {
    agent_reads_nothing(Project::new("own"));
}

#[test]
fn nor_does_an_agent_that_an_ordinary_user_starts() {
    agent_reads_nothing(Project::of_ordinary_user("own"));
}

fn agent_reads_nothing(project: Option<Project>) {
    let Some(project) = project else { return };
    let mut reads = String::new();
    for path in [
        "secrets/key",
        ".env",
        "app/.env",
        "hard",
        "way/key",
        "/proc/self/cwd/secrets/key",
        "$PWD/secrets/key",
        "se''crets/key",
        "sec*/key",
        "./secrets/../secrets/key",
        "/proc/$PPID/cwd/.env",
        "/proc/1/root$PWD/.env",
    ] {
        for program in [
            "cat P",
            "head -c 99 <P",
            "grep -r . P",
            "cp P c && cat c",
            "ln P l && cat l",
            "dd if=P",
            "tar cf - P",
        ] {
            reads.push_str(&program.replace('P', path));
            reads.push_str("; rm -f c l\n");
        }
    }
    let script = format!(
        "said=$( (exec 2>/dev/null; {reads} grep -r canary .; find . -type f -exec cat {{}} +; umount secrets; cat secrets/key; unshare -Urm sh -c 'umount -l secrets; cat secrets/key'; cat open) | tr -d '\\0\\n\"' )"
    );
    let says = agents::says("READ")
        .replace("'{", "\"{")
        .replace("}'", "}\"");
    let says = says.replace('"', "\\\"").replacen("\\\"{", "\"{", 1);
    let says = format!("{}\"", says.strip_suffix("\\\"").unwrap()).replace("READ", "$said");
    let output = project.run(&[], &agents::turn(&script, &says));
    let said = shown(&output);
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.contains("open to all"), "{said}");
    project.is_as_it_was();
}

#[test]
fn an_agent_puts_nothing_in_the_place_of_denied_paths() {
    agent_replaces_nothing(Project::new("replace"));
}

#[test]
fn nor_does_that_of_an_ordinary_user() {
    agent_replaces_nothing(Project::of_ordinary_user("replace"));
}

fn agent_replaces_nothing(project: Option<Project>) {
    let Some(project) = project else { return };
    let script = r#"{
        mv secrets x; mv app y; mv ../project ../moved; mv .env z; rm -rf secrets app/.env
        mkdir -p app secrets; echo evil >app/.env; echo evil >secrets/key; echo evil >.env
        mkdir D; for how in -Urm '-Um --propagation unchanged'; do
            unshare $how sh -c 'mount --bind D /mnt; sleep 0.3; cat /mnt/app/.env' &
            sleep 0.1; mv app D/app; wait
        done
        cat x/key y/.env z D/app/.env
    } >&2 2>/dev/null"#;
    let output = project.run(&[], &agents::turn(script, &agents::says("went on")));
    let said = shown(&output);
    assert!(!said.contains(CANARY), "{said}");
    assert!(said.contains("went on"), "{said}");
    assert!(
        said.contains("attache config set sandbox.nested allowed"),
        "{said}"
    );
    project.is_as_it_was();
}

#[test]
fn our_own_agent_does_not_read_denied_paths_without_the_client() {
    our_agent_reads_nothing(Project::new("builtin"));
}

#[test]
fn nor_does_our_own_agent_that_an_ordinary_user_starts() {
    our_agent_reads_nothing(Project::of_ordinary_user("builtin"));
}

fn our_agent_reads_nothing(project: Option<Project>) {
    let Some(project) = project else { return };
    for prompt in [
        "read secrets/key",
        "read .env",
        "read app/.env",
        "read hard",
        "read way/key",
        "read ./secrets/../secrets/key",
        "search canary in .",
        "search canary in secrets",
        "list secrets",
        "glob secrets/**",
        "run grep -r canary .",
        "run sh reads.sh",
    ] {
        for served in [&["--no-fs", "--no-terminal"][..], &[]] {
            let output = project.run_builtin(served, prompt);
            let said = shown(&output);
            assert!(!said.contains(CANARY), "{prompt} {served:?}: {said}");
        }
    }
    let said = shown(&project.run_builtin(&["--no-fs"], "read open"));
    assert!(said.contains("open to all"), "{said}");
    project.is_as_it_was();
}

/// The symptom: an agent stopped its guard and Attaché, and read what appeared at a denied path meanwhile.
#[test]
fn an_agent_can_not_stop_its_guard() {
    agent_stops_nobody(Project::new("stop"));
}

#[test]
fn nor_can_that_of_an_ordinary_user() {
    agent_stops_nobody(Project::of_ordinary_user("stop"));
}

fn agent_stops_nobody(project: Option<Project>) {
    let Some(project) = project else { return };
    if attache_host::sandbox::support() != SandboxSupport::Full {
        eprintln!("skipped: this kernel does not keep signals inside");
        return;
    }
    let script = r#"{
        sleep 100 & child=$!
        client=$(awk '{ print $4 }' /proc/$PPID/stat)
        for process in $PPID $client; do
            for signal in 0 STOP CONT; do
                kill -$signal $process && said="$said $signal reached"
            done
        done
        kill -KILL $child && said="$said child killed"
    } >&2 2>/dev/null"#;
    let says = agents::says(r#"after'"$said"'."#);
    let said = shown(&project.run(&[], &agents::turn(script, &says)));
    assert!(said.contains("after child killed."), "{said}");
}

struct Project {
    base: PathBuf,
    path: PathBuf,
    is_of_ordinary_user: bool,
}

impl Project {
    fn new(name: &str) -> Option<Project> {
        if let Err(missing) = namespace_support() {
            eprintln!("skipped: nothing can be covered: {missing}");
            return None;
        }
        Some(Project::made(name))
    }

    fn of_ordinary_user(name: &str) -> Option<Project> {
        let mut project = Project::made(&format!("{name}-ordinary"));
        project.is_of_ordinary_user = true;
        has_namespaces().then_some(project)
    }

    fn made(name: &str) -> Project {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let base = path.join(format!("paths-{name}-{}", std::process::id()));
        let path = base.join("project");
        fs::create_dir_all(base.join("home")).unwrap();
        fs::create_dir_all(path.join("secrets")).unwrap();
        fs::create_dir_all(path.join("app")).unwrap();
        for name in FILES {
            fs::write(path.join(name), format!("{CANARY}\n")).unwrap();
        }
        fs::write(path.join("open"), "open to all\n").unwrap();
        fs::write(
            path.join("reads.sh"),
            "cat secrets/* .env app/.env hard way/*\n",
        )
        .unwrap();
        fs::hard_link(path.join("secrets/key"), path.join("hard")).unwrap();
        std::os::unix::fs::symlink("secrets", path.join("way")).unwrap();
        Project {
            base,
            path,
            is_of_ordinary_user: false,
        }
    }

    /// As the user of this project starts it.
    fn output(&self, mut command: Command) -> Output {
        command.env("ATTACHE_HOME", self.base.join("home/attache"));
        command.env("HOME", self.base.join("home"));
        if self.is_of_ordinary_user {
            by_ordinary_user(&mut command, &[&self.base]);
        }
        command.output().unwrap()
    }

    fn run(&self, arguments: &[&str], agent: &str) -> Output {
        let mut command = bare(&["run", "--approve-all", "--policy", POLICY, "hi", "--cwd"]);
        command.arg(&self.path).args(arguments);
        command.args(["--", "sh", "-c", agent]);
        self.output(command)
    }

    fn run_builtin(&self, arguments: &[&str], prompt: &str) -> Output {
        let mut command = bare(&["run", "-a", "builtin", "--approve-all", "--policy", POLICY]);
        command
            .args(arguments)
            .arg("--cwd")
            .arg(&self.path)
            .arg(prompt);
        self.output(command)
    }

    fn is_as_it_was(&self) {
        for name in FILES {
            let text = fs::read_to_string(self.path.join(name)).unwrap();
            assert_eq!(text, format!("{CANARY}\n"), "{name}");
        }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.base).ok();
    }
}

const FILES: [&str; 3] = ["secrets/key", ".env", "app/.env"];
const CANARY: &str = "canary-9e27";
const POLICY: &str =
    r#"{"rules":[{"action":"deny","path":"secrets/**"},{"action":"deny","path":".env"}]}"#;
