//! Denied programs, scripts and paths that a process finds in unexpected ways: names that are not UTF-8, places that we
//! cannot read, rules of an interpreter, links and mounts.

use std::fs;
use std::os::unix::fs::symlink;

use attache_host::exec::{ExecRules, WatchMode};
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
use attache_process::ExecEvent;
use libtest_mimic::Trial;

use super::exec_attacks::ExecTest;
use super::trial;
use super::trial::elsewhere_as;

pub(super) fn trials() -> Vec<Trial> {
    if !ExecRules::support().is_available() {
        return Vec::new();
    }
    let user = rustix::process::geteuid().is_root().then_some(NOBODY);
    vec![
        trial("exec_lookup::names_that_are_not_utf8", bytes),
        trial("exec_lookup::interpreters_search_for_scripts", searches),
        trial("exec_lookup::python_searches_for_scripts", python_searches),
        trial("exec_lookup::node_searches_for_scripts", node_searches),
        trial("exec_lookup::hard_links_are_the_file", hard_links),
        trial("exec_lookup::a_rule_with_a_relative_directory", relative),
        trial("exec_lookup::paths_as_the_process_sees_them", paths),
        trial("exec_lookup::other_names_of_a_file_run", other_names),
        elsewhere_as(
            "exec_lookup::programs_that_cannot_be_inspected_are_denied",
            "ATTACHE_TEST_LOOKUP_UNKNOWN",
            user,
            unknown,
        ),
        elsewhere_as(
            "exec_lookup::an_overlay_does_not_hide_a_program",
            "ATTACHE_TEST_LOOKUP_OVERLAY",
            user,
            overlays,
        ),
    ]
}

/// Rules that deny these. There is no user to ask, so whatever cannot be inspected is denied.
fn denying(rule: &str) -> ExecRules {
    let policy = format!(r#"{{"rules": [{{"action": "deny", {rule}}}]}}"#);
    let mut config = PermissionConfig::new(Preset::ApproveAll);
    config.policy = Some(Policy::parse("policy.json", &policy).unwrap());
    let rules = Permissions::open(config).0.exec_rules("agent");
    rules.for_mode(WatchMode::Rules).unwrap()
}

fn command(command: &str) -> ExecRules {
    denying(&format!(r#""command": "{command}""#))
}

/// Each line leaves a record without the rules, unless its programs are missing, and no record under the rules. Returns
/// how many left a record.
async fn check(test: &ExecTest, lines: &[&str], rules: &ExecRules) -> usize {
    let record = test.dir.join("record");
    let mut count = 0;
    for line in lines {
        fs::remove_file(&record).ok();
        let (text, _) = test.run(line, None).await;
        if test.record().is_empty() {
            let program = line.split([' ', ';']).next().unwrap();
            let (there, _) = test.run(&format!("command -v {program}"), None).await;
            let may_fail = there.is_empty() || program == "unshare";
            assert!(may_fail, "{line} does not run it: {text}");
            continue;
        }
        fs::remove_file(&record).ok();
        let (text, events) = test.run(line, Some(rules)).await;
        assert_eq!(test.record(), "", "{line}: {text}");
        let is_denied = |event: &ExecEvent| matches!(event, ExecEvent::Denied { .. });
        assert!(events.iter().any(is_denied), "{line}: {text} {events:?}");
        count += 1;
    }
    count
}

/// Each line leaves the same record under the rules.
async fn check_harmless(test: &ExecTest, lines: &[&str], rules: &ExecRules) {
    let record = test.dir.join("record");
    for line in lines {
        fs::remove_file(&record).ok();
        let (text, _) = test.run(line, None).await;
        let without = test.record();
        assert_ne!(without, "", "{line} leaves no record: {text}");
        fs::remove_file(&record).ok();
        let (text, events) = test.run(line, Some(rules)).await;
        assert_eq!(test.record(), without, "{line}: {text} {events:?}");
    }
}

async fn can_unshare(test: &ExecTest) -> bool {
    let (text, _) = test
        .run("unshare -Urpmf --mount-proc echo works", None)
        .await;
    text == "works\n"
}

fn loader() -> Option<&'static str> {
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let mut loaders = loaders.into_iter();
    loaders.find(|path| fs::exists(path).unwrap_or(false))
}

async fn bytes() {
    let test = ExecTest::new("bytes");
    test.script("bin/npm", SHELL);
    test.script("bin/perl-npm", PERL);
    test.script("bin/python-npm", PYTHON);
    let make = "ln -sf /usr/bin/od $(printf 'o\\377'); ln -sf bin/npm $(printf 's\\377'); \
        ln -sf bin/perl-npm $(printf 'p\\377'); ln -sf bin/python-npm $(printf 'y\\377'); mkdir -p $(printf 'd\\377'); \
        ln -sf ../bin/npm $(printf 'd\\377')/n";
    test.run(make, None).await;
    let lines = [
        "sh ./s? publish",
        "sh -e s? publish",
        "bash --rcfile ./s? -i publish",
        "sh ./d?/n publish",
        "cd d?; sh n publish",
        "./s? publish",
    ];
    assert!(check(&test, &lines, &command("npm **")).await >= 4);
    check(&test, &["perl ./p? publish"], &command("perl-npm")).await;
    check(&test, &["python3 ./y? publish"], &command("python-npm")).await;
    if let Some(loader) = loader() {
        let line = format!("echo A | {loader} ./o? -c >>record");
        assert_eq!(check(&test, &[&line], &command("od")).await, 1);
    }
}

async fn searches() {
    let test = ExecTest::new("searches");
    test.script("bin/npm", SHELL);
    test.script("deppl", PERL);
    fs::create_dir_all(test.dir.join("other")).unwrap();
    symlink("../bin/npm", test.dir.join("other/foosh")).unwrap();
    symlink("../deppl", test.dir.join("other/foopl")).unwrap();
    let shells = [
        "PATH=$PWD/other:$PATH bash foosh A",
        "PATH=$PWD/other:$PATH ksh foosh A",
        "PATH=$PWD/other:$PATH zsh -o pathscript foosh A",
        "PATH=other:$PATH bash -e foosh A",
        "PATH=$PATH:$PWD/other bash foosh A",
        "cd other; PATH=:$PATH bash foosh A",
    ];
    assert!(check(&test, &shells, &command("npm")).await >= 4);
    // Open files of the process; we have no file with this number.
    symlink("/proc/self/fd/57", test.dir.join("other/open")).unwrap();
    let descriptors = [
        "bash -c 'exec 57<bin/npm; sh /dev/fd/57 A'",
        "bash -c 'exec 57<bin/npm; sh other/open A'",
        "bash -c 'exec 57<bin/npm; cd other; sh open A'",
        "bash -c 'exec 57<bin; sh /dev/fd/57/npm A'",
        "bash -c 'exec 57<other; sh /dev/fd/57/foosh A'",
        "bash -c 'exec 57<bin/npm; /dev/fd/57 A'",
    ];
    assert_eq!(check(&test, &descriptors, &command("npm")).await, 6);
    let perl = ["PATH=$PWD/other:$PATH perl -S foopl A"];
    check(&test, &perl, &command("deppl")).await;
}

async fn python_searches() {
    let test = ExecTest::new("python");
    fs::create_dir_all(test.dir.join("mypk/deep")).unwrap();
    fs::write(test.dir.join("mypk/__main__.py"), PYTHON).unwrap();
    fs::write(test.dir.join("mypk/deep/__main__.py"), PYTHON).unwrap();
    let python = [
        "python3 mypk",
        "python3 mypk/",
        "python3 mypk/__main__.py",
        "python3 mypk//__main__.py",
        "python3 mypk/./__main__.py",
        "python3 mypk/deep/../__main__.py",
        "cd mypk; python3 __main__.py",
        "cd mypk; python3 .",
        "python3 -m mypk",
        "python3 -m mypk.__main__",
        "python3 -m cProfile mypk/__main__.py",
        "python3 -m cProfile -o x mypk//__main__.py",
        "python3 -m cProfile -m mypk",
        "python3 -m trace --count mypk/./__main__.py",
        "python3 -m trace --trace --module mypk",
        "echo c | python3 -m pdb mypk//__main__.py",
        "echo c | python3 -m pdb -m mypk",
        "echo c | python3 -m pdb -c c mypk/__main__.py",
        "python3 -m runpy mypk",
        "python3 -m runpy mypk.__main__",
        "python3 -m runpy mypk.deep.__main__",
    ];
    let found = check(&test, &python, &command("mypk")).await;
    assert!(found == 0 || found >= 14, "{found}");
    // A link to a script with another name.
    fs::write(test.dir.join("deploy.py"), PYTHON).unwrap();
    symlink("deploy.py", test.dir.join("innocent.py")).unwrap();
    let modules = ["python3 -m innocent", "python3 -m deploy"];
    check(&test, &modules, &command("deploy.py")).await;
}

async fn node_searches() {
    let test = ExecTest::new("node");
    for folder in ["node/lib", "node/plain"] {
        fs::create_dir_all(test.dir.join(folder)).unwrap();
    }
    fs::write(test.dir.join("node/lib/denied.js"), NODE).unwrap();
    symlink("../lib/denied.js", test.dir.join("node/plain/index.js")).unwrap();
    symlink("lib/denied.js", test.dir.join("node/mod.js")).unwrap();
    symlink("lib/denied.js", test.dir.join("node/mod2.cjs")).unwrap();
    fs::write(
        test.dir.join("node/package.json"),
        r#"{"main": "lib/denied"}"#,
    )
    .unwrap();
    let node = [
        "node node/lib/denied A",
        "node node/mod A",
        "node node/plain A",
        "node node/plain/index A",
        "node node A",
        "cd node; node . A",
        "node --require ./node/lib/denied bin/git",
        "node -r ./node/mod bin/git",
    ];
    fs::write(test.dir.join("bin/git"), "").unwrap();
    let found = check(&test, &node, &command("denied.js")).await;
    assert!(found == 0 || found >= 6, "{found}");
}

async fn hard_links() {
    let test = ExecTest::new("hardlinks");
    for folder in ["other", "shims"] {
        fs::create_dir_all(test.dir.join(folder)).unwrap();
    }
    test.script("bin/depsh", SHELL);
    test.script("bin/mise", SHELL);
    let shim = "#!/bin/sh\necho \"${0##*/}\" >>\"$RECORD\"\n";
    test.script("shims/one", shim);
    for (from, to) in [
        ("bin/depsh", "other/h"),
        ("bin/mise", "other/m"),
        ("shims/one", "shims/two"),
        ("shims/one", "other/three"),
    ] {
        fs::hard_link(test.dir.join(from), test.dir.join(to)).unwrap();
    }
    let in_dir = |name: &str| command(&format!("{}/{name} **", test.dir.display()));
    let depsh = [
        "bin/depsh A",
        "other/h A",
        "sh other/h A",
        "cd other; ./h A",
    ];
    assert_eq!(check(&test, &depsh, &in_dir("bin/depsh")).await, 4);
    let mise = ["bin/mise A", "other/m A", "exec other/m A"];
    assert_eq!(check(&test, &mise, &in_dir("bin/mise")).await, 3);
    // A script of a version manager acts on its name.
    let shims = [
        "shims/one",
        "other/three",
        "bash -c 'exec -a two other/three'",
    ];
    assert_eq!(check(&test, &shims, &in_dir("shims/one")).await, 3);
    check_harmless(&test, &["shims/two"], &in_dir("shims/one")).await;
}

async fn relative() {
    let test = ExecTest::new("relative");
    test.script("deploy.sh", SHELL);
    test.script("other.sh", SHELL);
    let rules = command("./deploy.sh").started_in(&test.dir);
    let dir = test.dir.display();
    let lines = [
        format!("{dir}/deploy.sh A"),
        format!("cd /; ..{dir}/deploy.sh A"),
        "sh deploy.sh A".to_owned(),
        "ln -sf deploy.sh y; ./y A".to_owned(),
        format!("cp deploy.sh x; mv x deploy.sh; {dir}/deploy.sh A"),
        "cp deploy.sh x; mv x deploy.sh; ln -f deploy.sh z; ./z A".to_owned(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(check(&test, &lines, &rules).await, 6);
    check_harmless(&test, &["./other.sh A"], &rules).await;
}

async fn paths() {
    let test = ExecTest::new("paths");
    for folder in ["secrets/deep", "src", "mnt"] {
        fs::create_dir_all(test.dir.join(folder)).unwrap();
    }
    fs::write(test.dir.join("secrets/key"), "key\n").unwrap();
    fs::write(test.dir.join("secrets/deep/key"), "key\n").unwrap();
    fs::write(test.dir.join("src/a"), "a\n").unwrap();
    test.run("ln -s secrets/key $(printf 'l\\377')", None).await;
    let rules = denying(r#""command": "cat", "path": "secrets/**""#).started_in(&test.dir);
    let unshare = match rustix::process::geteuid().is_root() {
        true => "unshare -m",
        false => "unshare -Urm",
    };
    let mounted = format!("{unshare} sh -c 'mount --bind secrets mnt; cat mnt/key >>record'");
    let deep = format!("{unshare} sh -c 'mount --bind secrets/deep mnt; cat mnt/key >>record'");
    let inside =
        format!("{unshare} sh -c 'mount --bind secrets/deep mnt; cd mnt; cat key >>../record'");
    let lines = [
        "cat secrets/key >>record",
        "cat ./l? >>record",
        "cd src; cat /proc/self/cwd/../secrets/key >>../record",
        "exec 5<secrets; cat /dev/fd/5/key >>record",
        "exec 5<secrets; cat /proc/self/fd/5/key >>record",
        "cat /proc/$$/cwd/secrets/key >>record",
        &mounted,
        &deep,
        &inside,
    ];
    assert!(check(&test, &lines, &rules).await >= 6);
    let in_namespace = format!("{unshare} sh -c 'cat src/a >>record' || echo x >>record");
    let harmless = [
        "cat src/a >>record",
        "echo x | cat >>record",
        "echo x | cat - >>record",
        "echo x | cat /dev/stdin >>record",
        "cat /proc/self/cwd/src/a >>record",
        &in_namespace,
    ];
    check_harmless(&test, &harmless, &rules).await;
}

/// One file can be two programs.
async fn other_names() {
    let test = ExecTest::new("names");
    let groups = [
        ("pkill", "pgrep -V", "pkill -V"),
        ("pgrep", "pkill -V", "pgrep -V"),
        ("bunzip2", "bzip2 --help 2>&1", "bunzip2 --help 2>&1"),
        ("bzip2", "bzcat --help 2>&1", "bzip2 --help 2>&1"),
        ("unxz", "xz --version", "unxz --version"),
    ];
    for (denied, other, own) in groups {
        let (there, _) = test.run(&format!("command -v {denied}"), None).await;
        if there.is_empty() {
            continue;
        }
        let rules = command(denied);
        check_harmless(&test, &[&format!("{other} | tr -d 0-9 >>record")], &rules).await;
        let lines = [
            format!("{own} | tr -d 0-9 >>record"),
            format!("ln -sf $(command -v {denied}) l; ./l --version 2>&1 | tr -d 0-9 >>record"),
            format!(
                "bash -c 'exec -a {denied} $(command -v {}) --version 2>&1 | tr -d 0-9 >>record'",
                other.split(' ').next().unwrap()
            ),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        for line in lines {
            fs::remove_file(test.dir.join("record")).ok();
            let (text, events) = test.run(line, Some(&rules)).await;
            let record = test.record();
            let has_run = record.contains("ersion") || record.contains("sage");
            let is_denied = |event: &ExecEvent| matches!(event, ExecEvent::Denied { .. });
            assert!(!has_run, "{line}: {record} {text}");
            assert!(events.iter().any(is_denied), "{line}: {text} {events:?}");
        }
    }
    // A program that git runs itself is not an alias.
    if let Ok(git) = fs::canonicalize("/usr/bin/git") {
        let git = git.display();
        let line = format!(
            "{git} init -q repo 2>/dev/null; cd repo; {git} -c user.name=a -c user.email=b commit -q --allow-empty -m x; \
             {git} bisect start >/dev/null 2>&1; {git} bisect log | head -1 >>../record; rm -rf ../repo"
        );
        check_harmless(&test, &[&line], &command("git push **")).await;
    }
}

async fn unknown() {
    let test = ExecTest::new("unknown");
    test.script("bin/npm", SHELL);
    fs::create_dir_all(test.dir.join("x")).unwrap();
    for folder in ["", "x/"] {
        symlink(
            test.dir.join("bin/npm"),
            test.dir.join(format!("{folder}foosh")),
        )
        .unwrap();
        symlink("/usr/bin/od", test.dir.join(format!("{folder}foo"))).unwrap();
    }
    let namespace = "unshare -Urpmf --mount-proc sh -c";
    let mut lines = vec![
        format!("{namespace} 'sh /proc/self/../self/cwd/foosh A; true'"),
        "unshare -Ur sh -c 'chmod 000 x; sh x/foosh A; chmod 700 x'".to_owned(),
        "unshare -Ur sh -c 'chmod 000 x; cd x; sh foosh A; cd ..; chmod 700 x'".to_owned(),
    ];
    let npm: Vec<&str> = lines.iter().map(String::as_str).collect();
    let can_unshare = can_unshare(&test).await;
    let found = check(&test, &npm, &command("npm")).await;
    assert!(!can_unshare || found == 3, "{found}");
    let Some(loader) = loader() else { return };
    lines = vec![
        format!("{namespace} 'echo A | {loader} /proc/self/../self/cwd/foo -c >>record; true'"),
        format!(
            "unshare -Ur sh -c 'chmod 000 x; echo A | {loader} x/foo -c >>record; chmod 700 x'"
        ),
    ];
    let od: Vec<&str> = lines.iter().map(String::as_str).collect();
    let found = check(&test, &od, &command("od")).await;
    assert!(!can_unshare || found == 2, "{found}");
    // Files that the process cannot see either are simply missing.
    let harmless = [
        "sh /etc/ssl/private/missing 2>/dev/null; echo x >>record",
        "sh nothing/there 2>/dev/null; echo x >>record",
        "unshare -Ur sh -c 'sh src/missing 2>/dev/null; echo x >>record' || echo x >>record",
    ];
    check_harmless(&test, &harmless, &command("npm")).await;
}

async fn overlays() {
    let test = ExecTest::new("overlays");
    fs::create_dir_all(test.dir.join("o")).unwrap();
    let inside = |line: &str| {
        format!(
            "unshare -Urm sh -c 'R=$PWD/record; mount -t tmpfs t o && cd o && mkdir u m w p && \
             mount -t overlay o -o lowerdir=/usr/bin:u m && touch foo && {line}'; true"
        )
    };
    let denied = [
        inside("mount --bind m/od foo && echo A | ./foo -c >>$R"),
        inside("ln -s m/od l && echo A | ./l -c >>$R"),
        inside(
            "mount -t overlay p -o lowerdir=m:u p && mount --bind p/od foo && echo A | ./foo -c >>$R",
        ),
    ];
    let denied: Vec<&str> = denied.iter().map(String::as_str).collect();
    let found = check(&test, &denied, &command("od")).await;
    // Other programs of a container run.
    let line = inside("mount --bind m/cat foo && echo A | ./foo >>$R");
    if found > 0 {
        check_harmless(&test, &[&line], &command("od")).await;
    }
}

const NOBODY: u32 = 65534;
const SHELL: &str = "#!/bin/sh\necho ran \"$@\" >>\"$RECORD\"\n";
const PERL: &str = "open(F, '>>', $ENV{RECORD}); print F \"ran @ARGV\\n\";\n";
const PYTHON: &str =
    "import os, sys\nopen(os.environ['RECORD'], 'a').write('ran %s\\n' % sys.argv)\n";
const NODE: &str = "require('fs').appendFileSync(process.env.RECORD, 'ran\\n')\n";
