//! Variables by which a harmless command runs or does something else: no preset and no pattern allows them, and an answer
//! covers only the variables that were shown.

use super::*;

const NAMES: &str = "PATH HOME SHELL LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES TAR_OPTIONS GREP_OPTIONS \
    GIT_SSH GIT_SSH_COMMAND GIT_DIR GIT_WORK_TREE GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_GLOBAL GIT_EXEC_PATH \
    GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_TEMPLATE_DIR GIT_PAGER GIT_EDITOR GIT_ASKPASS PAGER EDITOR VISUAL BROWSER \
    NODE_OPTIONS NODE_PATH npm_config_script_shell NPM_CONFIG_USERCONFIG PYTHONPATH PYTHONSTARTUP PYTHONHOME \
    PYTHONWARNINGS PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB BASH_ENV ENV IFS PS4 SHELLOPTS BASHOPTS PROMPT_COMMAND \
    ZDOTDIR CDPATH GLOBIGNORE BASH_FUNC_ls%% JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH MAVEN_OPTS GRADLE_OPTS \
    DOTNET_STARTUP_HOOKS RUSTC RUSTC_WRAPPER RUSTFLAGS CARGO_BUILD_RUSTC_WRAPPER CARGO_HOME MAKEFLAGS MAKEFILES CC CXX \
    LESSOPEN LESSCLOSE MANOPT LUA_INIT PHPRC GCONV_PATH LOCPATH GLIBC_TUNABLES TERMINFO OPENSSL_CONF SSL_CERT_FILE \
    http_proxy HTTPS_PROXY SSH_AUTH_SOCK SSH_ASKPASS XDG_CONFIG_HOME TMPDIR KUBECONFIG DOCKER_HOST AWS_PROFILE \
    VIRTUAL_ENV R_PROFILE_USER JUPYTER_PATH VIMINIT EXINIT GTK_MODULES QT_PLUGIN_PATH HISTFILE INPUTRC WGETRC CURL_HOME";

const POLICY: &str = r#"{"default":"allow","rules":[
    {"action":"allow","command":["npm test","npm **","env **","tar **"]},
    {"action":"allow","kind":["execute"]}]}"#;

/// A request to run a command with one variable, in both shapes that agents send.
fn shapes(name: &str, value: &str) -> [Action; 2] {
    let (name, value) = (
        serde_json::Value::from(name),
        serde_json::Value::from(value),
    );
    let inputs = [
        format!(r#"{{"command":["npm","test"],"env":{{{name}:{value}}}}}"#),
        format!(r#"{{"command":"npm test","env":[{{"name":{name},"value":{value}}}]}}"#),
    ];
    inputs.map(|input| action(&format!(r#"{{"kind":"execute","rawInput":{input}}}"#)))
}

#[test]
fn attack_no_preset_and_no_pattern_allows_a_variable() {
    let values = ["./evil", "/tmp/x; id", "$(id)", "-x\n", "a b"];
    for preset in [Preset::Ask, Preset::ApproveReads, Preset::DenyAll] {
        let plain = Permissions::preset(preset);
        let ruled = with_policy(preset, POLICY);
        for name in NAMES.split_whitespace() {
            for asked in values.iter().flat_map(|value| shapes(name, value)) {
                for permissions in [&plain, &ruled] {
                    let verdict = permissions.judge(&asked);
                    let is_right = match preset {
                        Preset::Ask => verdict == Verdict::Ask,
                        _ => matches!(verdict, Verdict::Deny(_)),
                    };
                    assert!(is_right, "{preset:?} {name}: {}", shown(&verdict));
                }
                assert_eq!(asked.variables(), asked.command.as_ref().unwrap()[1..2]);
            }
        }
    }
}

#[test]
fn attack_an_answer_covers_only_the_variables_that_were_shown() {
    let permissions = Permissions::preset(Preset::Ask);
    let [plain, _] = shapes("CI", "1");
    permissions.remember(&plain, &decision(true, Scope::Always));
    assert!(matches!(permissions.judge(&plain), Verdict::Allow(_)));
    for name in NAMES.split_whitespace() {
        for asked in shapes(name, "./evil") {
            assert_eq!(permissions.judge(&asked), Verdict::Ask, "{name}");
            permissions.remember(&asked, &decision(true, Scope::Session));
            assert!(
                matches!(permissions.judge(&asked), Verdict::Allow(_)),
                "{name}"
            );
        }
        for other in shapes(name, "./other") {
            assert_eq!(permissions.judge(&other), Verdict::Ask, "{name}");
        }
    }
}

#[test]
fn harmless_variables_do_not_keep_a_rule_from_allowing() {
    let permissions = with_policy(
        Preset::Ask,
        r#"{"rules":[{"action":"allow","command":"npm test"}]}"#,
    );
    for (name, value) in [
        ("CI", "1"),
        ("TERM", "dumb"),
        ("GIT_PAGER", "cat"),
        ("LC_ALL", "C"),
    ] {
        for asked in shapes(name, value) {
            let verdict = permissions.judge(&asked);
            assert!(
                matches!(verdict, Verdict::Allow(_)),
                "{name}: {}",
                shown(&verdict)
            );
        }
    }
}

/// A line, and the variables that it sets for programs beyond those that are free.
#[test]
fn variables_that_a_line_sets_for_programs() {
    let check = |line: &str, expected: &[&str]| {
        assert_eq!(run(line).variables(), expected, "{line}");
    };
    // Everyday lines. A variable that only the shell knows changes nothing for programs.
    for line in [
        "x=5; echo $x",
        "VERSION_OF_IT=1.2; echo $VERSION_OF_IT && make",
        "CI=1 npm test",
        "RUST_LOG=debug NO_COLOR=1 cargo test",
        "NODE_ENV=test npm test",
        "LC_ALL=C sort a",
        "export CI=true; npm test",
        "PAGER=cat git log",
        "while IFS= read -r line; do echo \"$line\"; done < a",
        "for file in *.rs; do wc -l $file; done",
        "set -euo pipefail; name=$(basename a); echo $name",
        "local_name=1; declare other=2; readonly third=3; echo",
        "make CC=clang",
        "echo FOO=1",
        "env | grep FOO=1",
    ] {
        check(line, &[]);
    }
    // A program sees it.
    for line in [
        "TAR_OPTIONS=--to-command=x tar xf a",
        "env TAR_OPTIONS=--to-command=x tar xf a",
        "sudo TAR_OPTIONS=--to-command=x tar xf a",
        "export TAR_OPTIONS=--to-command=x; tar xf a",
        "TAR_OPTIONS=--to-command=x; export TAR_OPTIONS; tar xf a",
        "export TAR_OPTIONS; TAR_OPTIONS=--to-command=x; tar xf a",
        "declare -x TAR_OPTIONS=--to-command=x; tar xf a",
        "typeset -gx TAR_OPTIONS=--to-command=x; tar xf a",
        "set -a; TAR_OPTIONS=--to-command=x; tar xf a",
        "set -o allexport; TAR_OPTIONS=--to-command=x; tar xf a",
        "if true; then TAR_OPTIONS=--to-command=x tar xf a; fi",
        "sh -c 'TAR_OPTIONS=--to-command=x tar xf a'",
        "echo $(TAR_OPTIONS=--to-command=x tar xf a)",
        "true && (TAR_OPTIONS=--to-command=x exec tar xf a)",
        "f() { export TAR_OPTIONS=--to-command=x; }; f; tar xf a",
        "xargs env TAR_OPTIONS=--to-command=x tar xf",
        "find . -exec env TAR_OPTIONS=--to-command=x tar xf {} +",
        "'env' \"TAR_OPTIONS=--to-command=x\" tar xf a",
    ] {
        check(line, &["TAR_OPTIONS=--to-command=x"]);
    }
    // Shells look at it, or it is in the environment.
    check("PATH=/x:$PATH; npm test", &["PATH=/x:$PATH"]);
    check("PATH=/x npm test", &["PATH=/x"]);
    check("IFS=,; npm test", &["IFS=,"]);
    check("BASH_ENV=x; bash a", &["BASH_ENV=x"]);
    check("LD_PRELOAD=./x; export LD_PRELOAD; ls", &["LD_PRELOAD=./x"]);
    check(
        "GIT_SSH_COMMAND='sh -c x' git push",
        &["GIT_SSH_COMMAND=sh -c x"],
    );
    check("for PATH in /x; do npm test; done", &["PATH=…"]);
    check("read PATH < a; npm test", &["PATH=…"]);
    check("printf -v PATH /x; npm test", &["PATH=…"]);
    check("export $x; npm test", &["$x=$x"]);
    check("export LD_PRELOAD; npm test", &["LD_PRELOAD=$LD_PRELOAD"]);
    check(
        "env -S 'LD_PRELOAD=x npm test'",
        &["env -S=…", "LD_PRELOAD=x npm test"],
    );
    check("PAGER=./x git log", &["PAGER=./x"]);
    check("FOO=1 BAR=2 make", &["FOO=1", "BAR=2"]);
    check("TMPDIR=/x; make", &["TMPDIR=/x"]);
}

#[test]
fn attack_variables_that_only_some_shells_set() {
    let check = |line: &str, expected: &[&str]| {
        assert_eq!(run(line).variables(), expected, "{line}");
    };
    for line in [
        "{fd}>&1 LD_PRELOAD=x make",
        "bash -c '{fd}>&1 LD_PRELOAD=x make'",
        "bash -kc 'make LD_PRELOAD=x'",
        "bash -o keyword -c 'make LD_PRELOAD=x'",
        "timeout 5 bash -o keyword -c 'make LD_PRELOAD=x'",
        "bash -c -k 'make LD_PRELOAD=x'",
        "set -k; make LD_PRELOAD=x",
        "set -o keyword; make LD_PRELOAD=x",
        "make LD_PRELOAD=x; while true; do set -k; done",
        ": ${LD_PRELOAD:=x}; make",
        ": \"${LD_PRELOAD=x}\"; make",
        "cat <<E\n${LD_PRELOAD:=x}\nE\nmake",
        "function f { LD_PRELOAD=x make; }; f",
        "coproc LD_PRELOAD=x make",
        "coproc name { LD_PRELOAD=x make; }",
        "time -p LD_PRELOAD=x make",
        "env -u HOME LD_PRELOAD=x make",
        "exec -a y env LD_PRELOAD=x make",
        "command -p export LD_PRELOAD=x; make",
        "builtin export LD_PRELOAD=x; make",
        "bash --rcfile y -c 'LD_PRELOAD=x make'",
        "read() { make; }; LD_PRELOAD=x read",
    ] {
        check(line, &["LD_PRELOAD=x"]);
    }
    for line in [
        "sh -a -c 'NODE_OPTIONS=x; make'",
        "bash -ac 'NODE_OPTIONS=x; make'",
        "bash -o allexport -c 'NODE_OPTIONS=x; make'",
        "bash -xo allexport -c 'NODE_OPTIONS=x; make'",
        "bash -O extdebug -c 'NODE_OPTIONS=x; make'",
        "set -a; : ${NODE_OPTIONS:=x}; make",
        "emulate sh -c x; NODE_OPTIONS=x; make",
    ] {
        check(line, &["NODE_OPTIONS=x"]);
    }
    for line in [
        "let HOME=7; make",
        "let x=1,HOME=7; make",
        ": $((HOME=7)); make",
        ": $((x ? HOME += 7 : 1)); make",
        "((HOME++)); make",
        "exec {HOME}<a; make",
        "a[HOME=7]=1; make",
        ": ${a[HOME=7]}; make",
        ": ${a:HOME=7}; make",
        "[[ HOME=7 -eq 7 ]]; make",
    ] {
        check(line, &["HOME=$((…))"]);
    }
}

#[test]
fn attack_variables_that_get_a_value_nobody_knows() {
    let check = |line: &str, expected: &[&str]| {
        assert_eq!(run(line).variables(), expected, "{line}");
    };
    check("select PATH in x; do make; done", &["PATH=…"]);
    check("read -aPATH < a; make", &["PATH=…"]);
    check("printf -vPATH /x; make", &["PATH=…"]);
    check("export i; for i in x; do make; done", &["i=…"]);
    // What it sets cannot be told.
    for (line, name) in [
        ("fish -c 'set -x LD_PRELOAD x; make'", "fish"),
        ("x=PATH; read $x < a; make", "read"),
        ("x=-vPATH; printf \"$x\" /x; make", "printf -v"),
        ("declare -n x=PATH; x=/x; make", "declare"),
        ("let $x; make", "let"),
        ("x=HOME=7; echo $((x)); make", "shell line"),
        ("for x in HOME=7; do echo $((x)); done; make", "shell line"),
        ("bash -c 'echo $(($1)); make' x HOME=7", "shell line"),
        ("x=PATH; : ${!x:=/x}; make", "shell line"),
        ("x='${PATH:=y}'; : ${x@P}; make", "shell line"),
        ("echo $[HOME=7]; make", "shell line"),
        ("echo $((\"HOME\"=7)); make", "shell line"),
        ("make 'x", "shell line"),
        ("for ((HOME=7;;)); do make; done", "HOME"),
        ("for ((x=1,HOME=7;;)); do make; done", "HOME"),
    ] {
        let variables = run(line).variables();
        let is_shown = variables
            .iter()
            .any(|it| it.starts_with(&format!("{name}=")));
        assert!(is_shown, "{line}: {variables:?}");
    }
}

/// Everyday lines of agents: each part is known, and nothing is set for programs.
#[test]
fn everyday_lines_stay_decidable() {
    for line in [
        "cd x && npm test",
        "for f in *.rs; do wc -l \"$f\"; done",
        "[ $((1+2)) -eq 3 ] && echo ok",
        "[ \"$#\" -gt 0 ] || echo none",
        "[ $n -lt 5 ] && echo ok",
        "x=$(git rev-parse HEAD); echo \"$x\"",
        "i=0; while [ $i -lt 5 ]; do i=$((i+1)); echo $i; done",
        "for i in 1 2 3; do echo $((i * 2)); done",
        "for i in {1..5}; do echo $((i + 1)); done",
        "for i in $(seq 1 10); do echo $((i - 1)); done",
        "[[ -f a && -n $x ]] || true; [[ $x == y ]]; echo",
        "[[ $n -gt 3 ]] && echo many",
        "echo ${x:-default} ${x%.rs} ${#x} \"${a[@]}\" ${a[0]} ${x:1:2} ${x/a/b}",
        "bash -euo pipefail -c 'cargo test | tail'",
        "bash -lc 'cargo test'",
        "bash --noprofile --norc -c 'ls'",
        "bash -c -e 'ls'",
        "sh -o errexit -c 'ls'",
        "zsh -ic 'ls'",
        "set -o pipefail; ls | head",
        "while IFS= read -r line; do echo \"$line\"; done < a",
        "read -r -p 'Go on? ' answer",
        "cat <<E\nit's ${x}\nE",
        "printf '%s\\n' \"$x\"",
        "ls 2>/dev/null | wc -l",
        "time cargo build",
        "case $x in a) ls;; *) pwd;; esac",
        "grep 'f((x' a",
        "wait; wait $!",
    ] {
        let read = run(line).line().unwrap();
        let is_plain = read.variables.is_empty();
        let is_known = read.is_decidable() || line.contains("[[ -f a && ");
        assert!(
            is_plain && is_known,
            "{line}: {:?} {:?}",
            read.doubt,
            read.variables
        );
    }
}

#[test]
fn attack_no_rule_and_no_default_allows_a_line_that_sets_variables() {
    let everything = r#"{"default":"allow","rules":[{"action":"allow","agent":"claude"},
        {"action":"allow","command":["tar **","npm **","env **"]}]}"#;
    let lines = [
        "NAME=./evil npm test",
        "export NAME=./evil; npm test",
        "NAME=./evil; export NAME; npm test",
        "env NAME=./evil npm test",
        "declare -x NAME=./evil; npm test",
        "sh -c 'NAME=./evil npm test'",
    ];
    for preset in [Preset::Ask, Preset::ApproveReads] {
        let permissions = with_policy(preset, everything);
        let plain = permissions.judge(&run("npm test"));
        assert!(matches!(plain, Verdict::Allow(_)), "{}", shown(&plain));
        let names = NAMES.split_whitespace().filter(|name| !name.contains('%'));
        for line in names.flat_map(|name| lines.map(|line| line.replace("NAME", name))) {
            let verdict = permissions.judge(&run(&line));
            let is_right = match preset {
                Preset::Ask => verdict == Verdict::Ask,
                _ => matches!(verdict, Verdict::Deny(_)),
            };
            assert!(is_right, "{line}: {}", shown(&verdict));
        }
    }
    let all = Permissions::preset(Preset::ApproveAll);
    let verdict = all.judge(&run("FOO=1 make"));
    assert!(matches!(verdict, Verdict::Allow(_)), "{}", shown(&verdict));
}
