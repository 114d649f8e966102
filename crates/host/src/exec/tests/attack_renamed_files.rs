//! Files that a rule names with their directory, and that get another name before they are executed.

use std::fs;

use super::files::file_on_disk;
use super::*;

/// A directory with the programs of the rules, and a judge for an agent that starts there.
struct Renaming {
    dir: tempfile::TempDir,
    judge: Box<dyn attache_process::ExecJudge>,
}

impl Renaming {
    fn new(action: &str) -> Renaming {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("sub/deep")).unwrap();
        for name in ["deploy", "sub/deep/tool"] {
            fs::write(dir.path().join(name), name).unwrap();
        }
        let policy = format!(
            r#"{{"rules": [{{"action": "{action}", "command": ["./deploy", "{}/sub/deep/tool"], "id": "no"}}]}}"#,
            dir.path().display()
        );
        let rules = rules(Preset::Ask, &policy).started_in(dir.path());
        let judge = judge(&rules.watch().rules).unwrap();
        Renaming { dir, judge }
    }

    fn is_stopped(&mut self, name: &str) -> bool {
        let path = self.dir.path().join(name);
        let mut exec = exec(path.to_str().unwrap(), &[name]);
        exec.file = Some(file_on_disk(&path));
        self.judge.judge(&exec, &FakeProcess::default()) != ExecVerdict::Continue
    }

    /// Another program is executed, such as `mv`.
    fn run_another(&mut self) {
        let verdict = self
            .judge
            .judge(&exec("/usr/bin/mv", &["mv"]), &FakeProcess::default());
        assert_eq!(verdict, ExecVerdict::Continue);
    }

    fn rename(&self, from: &str, to: &str) {
        let at = |name| self.dir.path().join(name);
        fs::rename(at(from), at(to)).unwrap();
    }
}

#[test]
fn attack_a_rule_holds_for_its_file_under_another_name() {
    for action in ["deny", "ask"] {
        let mut test = Renaming::new(action);
        test.run_another();
        test.rename("deploy", "other");
        test.run_another();
        assert!(test.is_stopped("other"), "{action}");
        // A hard link whose original was removed.
        let at = |name| test.dir.path().join(name);
        fs::hard_link(at("other"), at("link")).unwrap();
        fs::remove_file(at("other")).unwrap();
        test.run_another();
        assert!(test.is_stopped("link"));
        // A directory above it.
        test.rename("sub", "sub2");
        test.run_another();
        assert!(test.is_stopped("sub2/deep/tool"));
        // Something else has the name.
        fs::write(test.dir.path().join("deploy"), "new").unwrap();
        assert!(test.is_stopped("deploy"));
        assert!(test.is_stopped("link"));
        fs::write(test.dir.path().join("harmless"), "x").unwrap();
        assert!(!test.is_stopped("harmless"));
    }
}

#[test]
fn attack_a_file_that_appears_later_is_remembered_once_something_runs() {
    let mut test = Renaming::new("deny");
    fs::remove_file(test.dir.path().join("deploy")).unwrap();
    test.run_another();
    fs::write(test.dir.path().join("deploy"), "new").unwrap();
    test.run_another();
    test.rename("deploy", "other");
    assert!(test.is_stopped("other"));
}

#[test]
fn attack_decoys_do_not_push_a_file_out_of_memory() {
    let mut test = Renaming::new("deny");
    test.run_another();
    test.rename("deploy", "real");
    for index in 0..40 {
        fs::write(test.dir.path().join("deploy"), "decoy").unwrap();
        test.run_another();
        test.rename("deploy", &format!("decoy{index}"));
    }
    assert!(test.is_stopped("real"));
}

#[test]
fn a_removed_file_does_not_make_another_one_the_program() {
    let mut test = Renaming::new("deny");
    for index in 0..40 {
        test.run_another();
        fs::remove_file(test.dir.path().join("deploy")).unwrap();
        // File systems give the next file the same inode.
        let other = format!("other{index}");
        fs::write(test.dir.path().join(&other), "x").unwrap();
        fs::write(test.dir.path().join("deploy"), "x").unwrap();
        assert!(!test.is_stopped(&other), "{index}");
        assert!(test.is_stopped("deploy"));
    }
}

#[test]
fn attack_a_command_in_a_terminal_knows_what_was_renamed_before_it_started() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("deploy"), "x").unwrap();
    let policy = r#"{"rules": [{"action": "deny", "command": "./deploy", "id": "no"}]}"#;
    let log = crate::audit::Log::none();
    let watcher = crate::exec::Watcher::new(rules(Preset::Ask, policy), "agent", log);
    watcher.watch_in(dir.path());
    let other = dir.path().join("other");
    fs::rename(dir.path().join("deploy"), &other).unwrap();
    let words = [other.to_str().unwrap().to_owned()];
    let watch = watcher.watch_command(&words, dir.path(), OsStr::new("/bin"), dir.path());
    let mut judge = judge(&watch.rules).unwrap();
    let mut exec = exec(&words[0], &["other"]);
    exec.file = Some(file_on_disk(&other));
    let denied = ExecVerdict::Deny {
        why: "policy rule `no`".to_owned(),
    };
    assert_eq!(judge.judge(&exec, &FakeProcess::default()), denied);
}

#[test]
fn a_rule_that_allows_ends_with_the_name() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["tmux", "other"] {
        fs::write(dir.path().join(name), "x").unwrap();
    }
    let policy = r#"{"rules": [
        {"action": "allow", "command": "./tmux **"}, {"action": "deny", "command": "curl"}]}"#;
    let rules = rules(Preset::Ask, policy).started_in(dir.path());
    let mut judge = judge(&rules.watch().rules).unwrap();
    let mut verdict = |name: &str| {
        let path = dir.path().join(name);
        let mut exec = exec(path.to_str().unwrap(), &["tmux", "new"]);
        exec.file = Some(file_on_disk(&path));
        judge.judge(&exec, &FakeProcess::default())
    };
    assert_eq!(verdict("tmux"), ExecVerdict::Continue);
    fs::rename(dir.path().join("tmux"), dir.path().join("moved")).unwrap();
    fs::rename(dir.path().join("other"), dir.path().join("tmux")).unwrap();
    assert_ne!(verdict("moved"), ExecVerdict::Continue);
}
