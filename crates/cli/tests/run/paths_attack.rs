//! Attacks on paths that a policy denies, by an agent that asks nobody: with programs of its own, and with the tools of our
//! own agent. The oracle is a word in the denied files that never appears in what `run` prints.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use attache::process::namespace_support;

use crate::{agents, bare, shown};

#[test]
fn an_agent_does_not_read_denied_paths_with_programs_of_its_own() {
    let Some(project) = Project::new("own") else {
        return;
    };
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
fn our_own_agent_does_not_read_denied_paths_without_the_client() {
    let Some(project) = Project::new("builtin") else {
        return;
    };
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

struct Project(PathBuf);

impl Project {
    fn new(name: &str) -> Option<Project> {
        if let Err(reason) = namespace_support() {
            eprintln!("skipped: nothing can be covered: {reason}");
            return None;
        }
        let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let path = path.join(format!("paths-{name}-{}", std::process::id()));
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
        Some(Project(path))
    }

    fn run(&self, arguments: &[&str], agent: &str) -> Output {
        let mut command = bare(&["run", "--approve-all", "--policy", POLICY, "hi", "--cwd"]);
        command.arg(&self.0).args(arguments);
        command.args(["--", "sh", "-c", agent]).output().unwrap()
    }

    fn run_builtin(&self, arguments: &[&str], prompt: &str) -> Output {
        let mut command = bare(&["run", "-a", "builtin", "--approve-all", "--policy", POLICY]);
        command
            .args(arguments)
            .arg("--cwd")
            .arg(&self.0)
            .arg(prompt);
        command.output().unwrap()
    }

    fn is_as_it_was(&self) {
        for name in FILES {
            let text = fs::read_to_string(self.0.join(name)).unwrap();
            assert_eq!(text, format!("{CANARY}\n"), "{name}");
        }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

const FILES: [&str; 3] = ["secrets/key", ".env", "app/.env"];
const CANARY: &str = "canary-9e27";
const POLICY: &str =
    r#"{"rules":[{"action":"deny","path":"secrets/**"},{"action":"deny","path":".env"}]}"#;
