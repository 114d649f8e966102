//! Attacks on protected files by commands: no wildcard rule, preset or remembered decision covers a command that names
//! a protected file to change it, however it is spelled. Commands that only read such a file stay as they are.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::scratch::Scratch;

/// A project with protected files, and names that lead to them.
fn project() -> Scratch {
    let root = Scratch::new();
    for directory in [
        ".git/hooks",
        ".github/workflows",
        "src",
        "packages/app",
        "build",
    ] {
        fs::create_dir_all(root.join(directory)).unwrap();
    }
    for file in [
        "AGENTS.md",
        "CLAUDE.md",
        ".git/config",
        ".git/HEAD",
        ".github/workflows/ci.yml",
        "packages/app/AGENTS.md",
        "src/a.rs",
        "src/b.rs",
        "build/out.txt",
        "new.md",
    ] {
        fs::write(root.join(file), file).unwrap();
    }
    symlink("AGENTS.md", root.join("notes.md")).unwrap();
    symlink(".git", root.join("meta")).unwrap();
    symlink("../..", root.join("src/up")).unwrap();
    root
}

fn run_in(root: &Path, line: &str) -> Action {
    let line = serde_json::Value::from(line);
    action_in(
        root,
        &format!(r#"{{"kind":"execute","rawInput":{{"command":{line}}}}}"#),
    )
}

/// Rules that would cover every program below.
const WILDCARDS: &str = r#"{"rules":[{"action":"allow","command":["cp **","mv **","tee **","rm **","ln **","touch **",
    "mkdir **","install **","echo **","printf **","cat **","dd **","truncate **","chmod **","git **","cd **","ls **",
    "sort **","curl **","wget **","tar **","npm **","prettier **","rsync **","patch **","find **","sed -i **","uniq **"]}]}"#;

const CHANGES: &[&str] = &[
    "cp new.md AGENTS.md",
    "cp new.md ./AGENTS.md",
    "cp new.md src/../AGENTS.md",
    "cp new.md agents.md",
    "cp new.md AGENTS.MD",
    "cp new.md 'AGENTS'.md",
    "cp new.md notes.md",
    "cp new.md meta/hooks/pre-commit",
    "cp new.md .git/hooks/pre-commit",
    "cp new.md .git/hooks",
    "cp -t .git/hooks new.md",
    "cp --target-directory=.git/hooks new.md",
    "cp packages/app/AGENTS.md .",
    "cp -r packages/app copy",
    "mv new.md CLAUDE.md",
    "mv CLAUDE.md gone.md",
    "mv packages/app .",
    "rm AGENTS.md",
    "rm -rf .git",
    "rm -rf packages/app",
    "rm *.md",
    "ln -sf new.md AGENTS.md",
    "ln -s AGENTS.md other.md",
    "touch src/CLAUDE.md",
    "mkdir -p .claude/commands",
    "install -m 755 new.md .git/hooks/pre-push",
    "echo x > AGENTS.md",
    "echo x >> AGENTS.md",
    "echo x >| AGENTS.md",
    "echo x &> AGENTS.md",
    "> AGENTS.md",
    "echo x > \"$HOME/.bashrc\"",
    "echo x > ~/.ssh/authorized_keys",
    "echo x > ${HOME}/.gitconfig",
    "echo x > $PWD/AGENTS.md",
    "f=AGENTS.md; echo x > $f",
    "d=.git; echo x > $d/hooks/pre-commit",
    "d=$HOME; e=$d/.profile; echo x > $e",
    "echo x > $(pwd)/AGENTS.md",
    "echo x > $unknown/CLAUDE.md",
    "echo x > AGENTS.{md,txt}",
    "echo x > AGENT?.md",
    "cd .git && cp ../new.md config",
    "cd .git/hooks; echo x > pre-commit",
    "cd .git && cd hooks && echo x > pre-commit",
    "cd src && echo x > ../AGENTS.md",
    "(cd meta; echo x > hooks/pre-commit)",
    "printf x | tee CLAUDE.md",
    "printf x | tee -a new.md CLAUDE.md",
    "sed -i s/a/b/ AGENTS.md",
    "sed -Ei.bak s/a/b/ AGENTS.md",
    "sed --in-place s/a/b/ AGENTS.md",
    "sed 's/a/b/w AGENTS.md' new.md",
    "dd if=new.md of=AGENTS.md",
    "truncate -s0 AGENTS.md",
    "chmod +x .git/hooks/pre-commit",
    "sort new.md -o AGENTS.md",
    "sort --output=AGENTS.md new.md",
    "uniq new.md AGENTS.md",
    "curl -o AGENTS.md http://x",
    "curl -oAGENTS.md http://x",
    "wget --output-document=CLAUDE.md http://x",
    "prettier --write AGENTS.md",
    "rsync new.md AGENTS.md",
    "patch AGENTS.md new.diff",
    "git checkout HEAD~1 -- AGENTS.md",
    "git restore .github/workflows/ci.yml",
    "git mv new.md CLAUDE.md",
    "git rm AGENTS.md",
    "git config core.hooksPath hooks",
    "git config --global alias.x y",
    "git -C src config core.fsmonitor x",
    "git diff --output=AGENTS.md",
    "find . -name AGENTS.md -delete",
    "find . -name 'AGENTS*' -exec rm {} +",
    "sh -c 'cp new.md AGENTS.md'",
    "env cp new.md AGENTS.md",
    "timeout 5 cp new.md AGENTS.md",
    "bash -lc \"echo x > AGENTS.md\"",
    "python3 -c \"open('AGENTS.md','w')\"",
    "perl -pi -e s/a/b/ CLAUDE.md",
    "awk '{print > \"AGENTS.md\"}' new.md",
    "$x new.md AGENTS.md",
    "echo x > policy-in-force.json",
    "cp new.md ./policy-in-force.json",
    "mv policy-in-force.json old.json",
    "rm -rf \"$PWD\"/policy-in-force.json",
];

/// Commands that read, or that change other files.
const HARMLESS: &[&str] = &[
    "cat AGENTS.md",
    "head -n 5 CLAUDE.md",
    "git log -- AGENTS.md",
    "git diff HEAD AGENTS.md",
    "git add AGENTS.md",
    "git commit -m 'docs: AGENTS.md' AGENTS.md",
    "git config --get user.name",
    "git config user.name",
    "git status -s",
    "grep -rn x CLAUDE.md",
    "grep x < AGENTS.md",
    "sed -n 1,5p AGENTS.md",
    "sed s/a/b/ AGENTS.md",
    "awk '{print $1}' AGENTS.md",
    "ls -la .git/hooks",
    "find . -name AGENTS.md",
    "find . -name AGENTS.md -exec cat {} +",
    "wc -l AGENTS.md CLAUDE.md | sort",
    "diff AGENTS.md CLAUDE.md > /dev/null 2>&1",
    "cp AGENTS.md build/copy.txt",
    "echo AGENTS.md",
    "cat AGENTS.md 2> /dev/stderr",
    "echo x > new.md",
    "cp new.md build",
    "mv new.md newer.md",
    "rm -rf build",
    "rm build/out.txt src/*.rs",
    "rm -rf *.tmp",
    "mkdir -p build/x",
    "npm test",
    "cargo build --release",
    "python3 src/a.rs --out build",
    "tee build/log.txt",
    "f=new.md; echo x > $f",
    "cd src && touch c.rs",
    "tar czf build/x.tgz src",
];

#[test]
fn no_wildcard_preset_or_remembered_decision_covers_a_change_of_a_protected_file() {
    let root = project();
    let policy = root.join("policy-in-force.json");
    fs::write(&policy, "{}").unwrap();
    crate::protected_files::protect([policy]);
    let approving = Permissions::preset(Preset::ApproveAll);
    let mut by_rule = PermissionConfig::new(Preset::Ask);
    by_rule.policy = Some(Policy::parse("p", WILDCARDS).unwrap());
    let (by_rule, _) = Permissions::open(by_rule);
    let by_default = with_policy(Preset::Ask, r#"{"default":"allow"}"#);
    let mut wrong = Vec::new();
    for line in CHANGES {
        let action = run_in(&root, line);
        let denied = shown(&approving.judge(&action));
        if denied != "deny: it would change a protected file" {
            wrong.push(format!("{line}: {denied}"));
        }
        for permissions in [&by_rule, &by_default] {
            if !matches!(permissions.judge(&action), Verdict::Ask) {
                wrong.push(format!("{line}: {}", shown(&permissions.judge(&action))));
            }
        }
        let action = by_rule.with_disk(action);
        let kept = by_rule.remember(&action, &decision(true, Scope::Always));
        if kept.is_some() || !action.is_protected() || !action.is_asked_each_time() {
            wrong.push(format!("{line}: it can be remembered"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_that_only_read_a_protected_file_stay_as_they_are() {
    let root = project();
    let permissions = Permissions::preset(Preset::ApproveAll);
    let mut wrong = Vec::new();
    for line in HARMLESS {
        let verdict = permissions.judge(&run_in(&root, line));
        if !matches!(verdict, Verdict::Allow(_)) {
            wrong.push(format!("{line}: {}", shown(&verdict)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_rule_that_spells_out_the_whole_command_allows_it() {
    let root = project();
    let spelled = r#"{"rules":[{"action":"allow","command":["cp new.md AGENTS.md"]}]}"#;
    let permissions = with_policy(Preset::Ask, spelled);
    let verdict = permissions.judge(&run_in(&root, "cp new.md AGENTS.md"));
    assert_eq!(shown(&verdict), "allow: policy rule `rules[0]`");
    let verdict = permissions.judge(&run_in(&root, "cp new.md CLAUDE.md"));
    assert_eq!(verdict, Verdict::Ask);
}

/// The command in words of its own, in a directory that the agent names.
#[test]
fn the_directory_of_the_command_counts() {
    let root = project();
    let permissions = Permissions::preset(Preset::ApproveAll);
    for (cwd, command) in [
        ("packages", r#"["cp","../new.md","app/AGENTS.md"]"#),
        ("src", r#"["cp","../new.md","../notes.md"]"#),
        ("meta/hooks", r#"["cp","/dev/null","pre-commit"]"#),
    ] {
        let cwd = serde_json::Value::from(root.join(cwd).display().to_string());
        let action = action_in(
            &root,
            &format!(r#"{{"kind":"execute","rawInput":{{"command":{command},"cwd":{cwd}}}}}"#),
        );
        let verdict = shown(&permissions.judge(&action));
        assert_eq!(
            verdict, "deny: it would change a protected file",
            "{command}"
        );
    }
}
