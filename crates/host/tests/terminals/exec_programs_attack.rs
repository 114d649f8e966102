//! Denied programs that another program runs without an exec of their own: a loader, an interpreter or a mount.

use std::fs;

use attache_host::exec::{ExecRules, WatchMode};
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset};
use libtest_mimic::Trial;

use super::exec_attacks::ExecTest;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    if !ExecRules::support().is_available() {
        return Vec::new();
    }
    vec![
        trial("exec_programs::no_option_hides_a_script", scripts),
        trial(
            "exec_programs::no_number_of_words_hides_a_program",
            many_words,
        ),
        trial(
            "exec_programs::a_mount_does_not_hide_a_program",
            bind_mounts,
        ),
    ]
}

/// Denies a command. There is no user to ask, so whatever cannot be inspected is denied.
fn denying(command: &str) -> ExecRules {
    let policy = format!(r#"{{"rules": [{{"action": "deny", "command": "{command}"}}]}}"#);
    let mut config = PermissionConfig::new(Preset::ApproveAll);
    config.policy = Some(Policy::parse("policy.json", &policy).unwrap());
    let rules = Permissions::open(config).0.exec_rules("agent");
    rules.for_mode(WatchMode::Rules).unwrap()
}

/// Each line runs a script `npm` or a module `tool`, or nothing if its interpreter is missing; under the rule, no line
/// does.
async fn scripts() {
    let test = ExecTest::new("scripts");
    fs::write(test.dir.join("empty"), "").unwrap();
    let mut count = 0;
    for (program, script, lines) in SCRIPTS {
        test.script("bin/npm", script);
        fs::write(test.dir.join("tool.py"), script).unwrap();
        for (line, rule) in lines
            .iter()
            .flat_map(|line| [(*line, "npm publish **"), (*line, "npm")])
        {
            let rule = match line.contains("tool") {
                true => rule.replace("npm", "tool"),
                false => rule.to_owned(),
            };
            fs::remove_file(test.dir.join("record")).ok();
            let (text, _) = test.run(line, None).await;
            if test.record().is_empty() {
                let (there, _) = test.run(&format!("command -v {program}"), None).await;
                assert!(there.is_empty(), "{line} does not run it: {text}");
                continue;
            }
            fs::remove_file(test.dir.join("record")).unwrap();
            let (text, events) = test.run(line, Some(&denying(&rule))).await;
            assert_eq!(test.record(), "", "{rule}: {line}: {text} {events:?}");
            count += 1;
        }
        let harmless = format!("{program} bin/npm test publish");
        fs::remove_file(test.dir.join("record")).ok();
        let (text, _) = test.run(&harmless, None).await;
        let is_there = !test.record().is_empty();
        fs::remove_file(test.dir.join("record")).ok();
        test.run(&harmless, Some(&denying("npm publish **"))).await;
        assert_eq!(!test.record().is_empty(), is_there, "{harmless}: {text}");
    }
    assert!(count > 40, "{count}");
}

/// The program in the arguments is beyond the part that is read.
async fn many_words() {
    let test = ExecTest::new("words");
    let loaders = ["/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"];
    let mut loaders = loaders.into_iter();
    let Some(loader) = loaders.find(|path| fs::exists(path).unwrap_or(false)) else {
        return;
    };
    test.script("bin/npm", "#!/bin/sh\necho ran \"$@\" >>\"$RECORD\"\n");
    let (od, npm) = (denying("od"), denying("npm publish **"));
    for (line, rules) in [
        (
            format!("echo A | perl -e 'exec \"{loader}\", (\"--inhibit-rpath\", \"\") x 4096, \"/usr/bin/od\", \"-c\"' >>record"),
            &od,
        ),
        (
            format!("echo A | perl -e 'exec \"{loader}\", (\"--inhibit-rpath\", \"x\" x 100000) x 3, \"/usr/bin/od\", \"-c\"' >>record"),
            &od,
        ),
        (
            "perl -e 'exec \"sh\", (\"-e\") x 5000, \"bin/npm\", \"publish\"'".to_owned(),
            &npm,
        ),
        (
            "perl -e 'exec {\"/bin/sh\"} \"x\" x 120000, (\"-o\", \"errexit\") x 8000, \"bin/npm\", \"publish\"'".to_owned(),
            &npm,
        ),
    ] {
        fs::remove_file(test.dir.join("record")).ok();
        let (text, _) = test.run(&line, None).await;
        assert_ne!(test.record(), "", "{line} does not run it: {text}");
        fs::remove_file(test.dir.join("record")).unwrap();
        let (text, events) = test.run(&line, Some(rules)).await;
        assert_eq!(test.record(), "", "{line}: {text} {}", events.len());
    }
    // This many words are fine for a program that runs no other program.
    let line = "perl -e 'exec \"echo\", (\"a\") x 5000, \"end\"'";
    let (text, _) = test.run(line, Some(&od)).await;
    assert!(text.ends_with("end\n"), "{}", text.len());
}

async fn bind_mounts() {
    let test = ExecTest::new("mounts");
    let unshare = match rustix::process::geteuid().is_root() {
        true => "unshare -m",
        false => "unshare -Urm",
    };
    fs::create_dir(test.dir.join("tree")).unwrap();
    test.script("innocent", "");
    let script = format!("#!{}/innocent\n", test.dir.display());
    test.script("script", &script);
    for line in [
        "mount --bind /usr/bin/od innocent; echo A | ./innocent -c",
        "mount --bind /usr/bin/od innocent; ./script",
        "mount --bind / tree; echo A | chroot tree /usr/bin/od -c",
        "mount --bind /usr/bin tree; cd tree; mount -t tmpfs none .; echo A | ./od -c",
        "mount --bind /usr/bin/od innocent; exec 9<innocent; umount innocent; echo A | /proc/self/fd/9 -c",
    ] {
        let line = format!("{unshare} sh -c '{line}' 2>&1");
        let (text, _) = test.run(&line, None).await;
        if !text.contains("0000000") {
            // Without the right to mount, there is nothing to test.
            assert!(!rustix::process::geteuid().is_root(), "{line}: {text}");
            continue;
        }
        let (text, events) = test.run(&line, Some(&denying("od"))).await;
        assert!(!text.contains("0000000"), "{line}: {text} {events:?}");
    }
    // An interpreter with another name.
    test.script("bin/npm", SHELL);
    let line = format!("{unshare} sh -c 'mount --bind /bin/sh innocent; ./innocent -e bin/npm x'");
    test.run(&line, None).await;
    if !test.record().is_empty() {
        fs::remove_file(test.dir.join("record")).unwrap();
        let (text, events) = test.run(&line, Some(&denying("npm"))).await;
        assert_eq!(test.record(), "", "{line}: {text} {events:?}");
    }
}

const SHELL: &str = "#!/bin/sh\necho ran \"$@\" >>\"$RECORD\"\n";
const PERL: &str = "open(F, '>>', $ENV{RECORD}); print F \"ran @ARGV\\n\";\n";
const PYTHON: &str =
    "import os, sys\nopen(os.environ['RECORD'], 'a').write('ran %s\\n' % sys.argv)\n";
const NODE: &str = "require('fs').appendFileSync(process.env.RECORD, 'ran\\n')\n";

/// An interpreter, a script in its language, and lines that run it.
const SCRIPTS: &[(&str, &str, &[&str])] = &[
    (
        "sh",
        SHELL,
        &[
            "sh bin/npm publish",
            "sh -e bin/npm publish",
            "sh -eu bin/npm publish",
            "sh +x bin/npm publish",
            "sh -o errexit bin/npm publish",
            "sh -eo errexit bin/npm publish",
            "sh -- bin/npm publish",
            "exec sh -e ./bin/npm publish",
        ],
    ),
    (
        "bash",
        SHELL,
        &[
            "bash -o posix bin/npm publish",
            "bash -O extglob -e bin/npm publish",
            "bash --rcfile empty bin/npm publish",
            "bash --norc --init-file empty -- bin/npm publish",
            "bash npm publish",
            "bash - bin/npm publish",
        ],
    ),
    (
        "perl",
        PERL,
        &[
            "perl bin/npm publish",
            "perl -w -I lib bin/npm publish",
            "perl -S npm publish",
            "perl -Mstrict -0777 -S npm publish",
            "perl -ilib -- bin/npm publish",
        ],
    ),
    (
        "python3",
        PYTHON,
        &[
            "python3 -X utf8 -W ignore bin/npm publish",
            "python3 -Es bin/npm publish",
            "python3 -Wignore -u -- bin/npm publish",
            "python3 -m tool publish",
            "python3 -mtool publish",
            "python3 -W ignore -um tool publish",
        ],
    ),
    (
        "node",
        NODE,
        &[
            "node --require ./empty bin/npm publish",
            "node -r ./empty bin/npm publish",
            "node --no-warnings bin/npm publish",
            "node -p -- bin/npm publish",
            "node --print --no-warnings bin/npm publish",
            "node --title x --stack-trace-limit=5 bin/npm publish",
            "node --require ./bin/npm bin/git publish",
        ],
    ),
    (
        "awk",
        "BEGIN { print \"ran\" >> ENVIRON[\"RECORD\"] }\n",
        &[
            "awk -f bin/npm publish",
            "awk -fbin/npm publish",
            "awk -F : -v a=b -f bin/npm publish",
        ],
    ),
    (
        "make",
        "publish:\n\t@echo ran >>\"$(RECORD)\"\n",
        &[
            "make -f bin/npm publish",
            "make -s -C bin -f npm publish",
            "make --makefile=bin/npm publish",
            "make --mak bin/npm publish",
        ],
    ),
    (
        "sed",
        "$ w record\n",
        &[
            "echo x > publish; sed -nf bin/npm publish",
            "echo x > publish; sed -n --file=bin/npm publish",
            "echo x > publish; sed -n --fi bin/npm publish",
        ],
    ),
];
