//! `attache check`, on our own products.

use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::{Machine, scripts};

#[test]
fn our_agent_conforms() {
    let machine = Machine::new();
    let us = us();
    let output = machine.attache(&["check", "agent", "--preset", "attache", "--", &us, "agent"]);
    nothing_to_blame(&output, 250);
}

#[test]
fn our_client_conforms() {
    let machine = Machine::new();
    let us = us();
    let cancel = format!("cancel={us} run --timeout 2 hello -- {{agent}}");
    let words = ["check", "client", "--command-for", &cancel, "--", &us];
    let output = machine.attache(&[&words[..], &["run", "--approve-all", "hello", "--"]].concat());
    nothing_to_blame(&output, 140);
}

#[test]
fn our_recorder_is_transparent() {
    let machine = Machine::new();
    let us = us();
    let output = machine.attache(&["check", "proxy", "--", &us, "trace", "-o", "t", "--"]);
    nothing_to_blame(&output, 46);
}

/// A proxy that takes the agent's command as the rest of its own, in all the ways to say where the command goes.
#[test]
fn a_proxy_gets_the_command_of_the_agent_word_by_word() {
    let machine = Machine::new();
    machine.program("bin/transparent", "#!/bin/sh\nshift\nexec \"$@\"\n");
    let program = machine.path("bin/transparent").display().to_string();
    let in_a_shell = format!("{program} option {{agent}}");
    for words in [
        &[&program, "option", "{agent}"][..],
        &[&program, "option"],
        &["sh", "-c", &in_a_shell],
    ] {
        let check = ["check", "proxy", "--only", "proxy.init.*", "--"];
        let output = machine.attache(&[&check[..], words].concat());
        nothing_to_blame(&output, 6);
    }
}

#[test]
fn a_proxy_that_fails_is_reported_with_its_standard_error() {
    let machine = Machine::new();
    let check = |script: &str| {
        machine.program("bin/broken", &format!("#!/bin/sh\n{script}\n"));
        let output = machine.attache(&["check", "proxy", "--timeout", "2", "--", "broken"]);
        assert_eq!(output.status.code(), Some(1));
        let printed = [output.stderr, output.stdout].concat();
        String::from_utf8_lossy(&printed).into_owned()
    };
    let shown = check("echo no such option >&2; exit 3");
    let reason = "the program exited with 3 without starting the agent: no such option";
    assert!(shown.contains(reason), "{shown}");
    let shown = check("\"$@\" | { read -r line; echo out of memory >&2; }");
    assert!(
        shown.contains("standard error in ") && shown.contains(": out of memory"),
        "{shown}"
    );
}

#[test]
fn a_command_that_is_not_an_agent_is_reported() {
    let machine = Machine::new();
    let output = machine.attache(&["check", "agent", "--timeout", "2", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
}

/// An agent that keeps settings in its home directory and writes down which option was chosen. `options` are those of its
/// permission request.
fn keeper(machine: &Machine, options: &str) -> String {
    let log = machine.path("chosen").display().to_string();
    let answers = r#"
    *'"session/prompt"'*)
        printf '{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","title":"Run"},"options":[OPTIONS]}}\n'
        read -r reply
        printf '%s\n' "$reply" >>LOG
        case "$reply" in *'"always"'*) echo "always_allow: shell" >>"$HOME/.agentrc" ;; esac
        answer '"result":{"stopReason":"end_turn"}' ;;"#;
    let answers = answers.replace("OPTIONS", options).replace("LOG", &log);
    let script = scripts::agent(r#""authMethods":[]"#, &answers);
    script.replacen("#!/bin/sh\n", &settler(machine), 1)
}

/// The beginning of a script that keeps something in every place where settings may be, and writes the places down.
fn settler(machine: &Machine) -> String {
    let setup = r#"#!/bin/sh
for place in "$HOME" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" "$XDG_RUNTIME_DIR" \
    "${CODEX_HOME:-$HOME/.codex}" "${CLAUDE_CONFIG_DIR:-$HOME/.claude}" "${GOOSE_PATH_ROOT:-$HOME/.goose}" \
    "${ATTACHE_HOME:-$HOME/.attache}"
do
    mkdir -p "$place" && echo started >>"$place/.seen"
    echo "$place" >>LOG
done
"#;
    setup.replace("LOG", &machine.path("places").display().to_string())
}

/// Everything below a directory.
fn tree(folder: &std::path::Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        all.push(entry.path().display().to_string());
        all.extend(tree(&entry.path()));
    }
    all.sort();
    all
}

fn check_keeper(options: &str, home: &[&str]) -> (Machine, Output) {
    let machine = Machine::new();
    machine.program("bin/keeper", &keeper(&machine, options));
    let words = [
        "check",
        "agent",
        "--timeout",
        "2",
        "--prompt-for",
        "permission=run",
        "--only",
        "agent.permission.allowed",
        "--only",
        "agent.permission.rejected",
    ];
    let output = check_in_home(&machine, &[&words, home, &["--", "keeper"]].concat());
    (machine, output)
}

/// Runs the command with a home in which every agent has its place.
fn check_in_home(machine: &Machine, words: &[&str]) -> Output {
    for folder in HOME {
        std::fs::create_dir_all(machine.path("home").join(folder)).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    command.args(words).current_dir(machine.path("project"));
    command.env("HOME", machine.path("home"));
    command.env(
        "PATH",
        format!("{}:/usr/bin:/bin", machine.path("bin").display()),
    );
    command.env("ATTACHE_HOME", machine.path("home/.attache"));
    command.env("XDG_CONFIG_HOME", machine.path("home/.config"));
    command.env("CODEX_HOME", machine.path("home/.codex"));
    command.env("CLAUDE_CONFIG_DIR", machine.path("home/.claude"));
    command.output().unwrap()
}

const HOME: [&str; 5] = [".attache", ".cargo", ".claude", ".codex", ".config"];

#[test]
fn a_check_never_chooses_an_option_that_lasts() {
    let always = r#"{"optionId":"always","name":"Always","kind":"allow_always"}"#;
    let never = r#"{"optionId":"never","name":"Never","kind":"reject_always"}"#;
    let once = r#"{"optionId":"once","name":"Once","kind":"allow_once"}"#;
    let no = r#"{"optionId":"no","name":"No","kind":"reject_once"}"#;
    let twin = r#"{"optionId":"always","name":"Once","kind":"allow_once"}"#;
    let no_twin = r#"{"optionId":"never","name":"No","kind":"reject_once"}"#;
    for (options, chosen) in [
        (vec![always], vec!["cancelled"]),
        (vec![always, never], vec!["cancelled"]),
        (vec![always, never, once, no], vec!["once", "no"]),
        (vec![never, no, always, once], vec!["once", "no"]),
        (vec![always, twin, never, no_twin], vec!["cancelled"]),
    ] {
        let (machine, output) = check_keeper(&options.join(","), &[]);
        let log = std::fs::read_to_string(machine.path("chosen")).unwrap_or_default();
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(!log.contains("always") && !log.contains("never"), "{log}");
        for word in chosen {
            assert!(
                log.contains(&format!("\"{word}\"")),
                "{word}: {log}\n{shown}"
            );
        }
        assert!(!shown.contains("not carried out"), "{shown}");
    }
}

#[test]
fn a_check_leaves_the_home_directory_as_it_is() {
    let once = r#"{"optionId":"once","name":"Once","kind":"allow_once"}"#;
    let (machine, _) = check_keeper(once, &[]);
    home_is_untouched(&machine);
}

#[test]
fn a_client_and_a_proxy_under_test_have_an_empty_home_too() {
    for subject in ["client", "proxy"] {
        let machine = Machine::new();
        machine.program("bin/settler", &settler(&machine));
        let words = ["check", subject, "--timeout", "2", "--", "settler"];
        let output = check_in_home(&machine, &words);
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        home_is_untouched(&machine);
        let words = [&words[..4], &["--home", "real", "--", "settler"]].concat();
        check_in_home(&machine, &words);
        for folder in HOME.into_iter().filter(|folder| *folder != ".cargo") {
            let seen = machine.path("home").join(folder).join(".seen");
            assert!(seen.exists(), "{subject}: {}", seen.display());
        }
    }
}

/// That the program under test started, and neither touched the user's home nor left another behind.
fn home_is_untouched(machine: &Machine) {
    let home = machine.path("home").display().to_string();
    let seen = tree(&machine.path("home"));
    let seen: Vec<String> = seen.iter().map(|path| path.replace(&home, "~")).collect();
    assert_eq!(seen, HOME.map(|folder| format!("~/{folder}")));
    let places = std::fs::read_to_string(machine.path("places")).unwrap();
    for place in places.lines() {
        assert!(!place.starts_with(&home), "{place}");
        assert!(
            !std::path::Path::new(place).exists(),
            "{place} is left behind"
        );
    }
}

#[test]
fn the_real_home_is_used_when_it_is_wanted() {
    let once = r#"{"optionId":"once","name":"Once","kind":"allow_once"}"#;
    let (machine, _) = check_keeper(once, &["--home", "real"]);
    assert!(machine.path("home/.seen").exists());
}

/// A proxy that asks for permission by itself, and adds an option that lasts to every permission request of the agent.
#[test]
fn a_proxy_under_test_gets_no_answer_that_lasts() {
    let machine = Machine::new();
    let lasting = r#"{"optionId":"lasting","name":"Always","kind":"allow_always"}"#;
    let own = format!(
        r#"{{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{{"sessionId":"s","toolCall":{{"toolCallId":"t"}},"options":[{lasting}]}}}}"#
    );
    let log = machine.path("answers").display().to_string();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' '{own}'\ntee -a '{log}' | \"$@\" | sed -u 's/\"options\":\\[/&{lasting},/'\n"
    );
    machine.program("bin/giver", &script);
    let output = machine.attache(&["check", "proxy", "--timeout", "2", "--", "giver"]);
    let answers = std::fs::read_to_string(&log).unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(
        shown.contains("proxy.backward.request"),
        "the option was not added: {shown}"
    );
    assert!(
        answers.contains(r#""outcome":"cancelled""#) && !answers.contains("lasting"),
        "{answers}"
    );
}

#[test]
fn a_check_that_is_interrupted_leaves_nothing_behind() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        for (subject, joins) in [
            ("agent", ""),
            ("client", ""),
            ("client", "\"$@\" &"),
            ("proxy", ""),
            ("proxy", "\"$@\" &"),
        ] {
            interrupt(signal, subject, joins);
        }
    }
}

/// Interrupts a check of a program that ignores signals, has detached children and writes to its home all the time.
fn interrupt(signal: &str, subject: &str, joins: &str) {
    let machine = Machine::new();
    let pids = machine.path("pids");
    let script = format!(
        "#!/bin/sh\ntrap '' INT TERM HUP\n{joins}\nsetsid sleep 1000 &\n\
         echo $! >>'{0}'\necho $$ >>'{0}'\n\
         while :; do mkdir -p \"$HOME/a\" && echo x >\"$HOME/a/b\"; echo x >c; done\n",
        pids.display()
    );
    machine.program("bin/stubborn", &script);
    std::fs::create_dir(machine.path("tmp")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_attache"));
    command.args(["check", subject, "--", "stubborn"]);
    command.current_dir(machine.path("project"));
    command.env("TMPDIR", machine.path("tmp"));
    command.env("HOME", machine.path("home"));
    command.env(
        "PATH",
        format!("{}:/usr/bin:/bin", machine.path("bin").display()),
    );
    command.stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let started = || std::fs::read_to_string(&pids).unwrap_or_default();
    let deadline = Instant::now() + Duration::from_secs(30);
    while started().lines().count() < 2 {
        assert!(Instant::now() < deadline, "it does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!tree(&machine.path("tmp")).is_empty());
    send(signal, &child.id().to_string());
    let how = format!("{signal} {subject} {joins}");
    assert_eq!(child.wait().unwrap().code(), Some(130), "{how}");
    let left = tree(&machine.path("tmp"));
    assert!(left.is_empty(), "{how}: {left:?}");
    for pid in started().lines() {
        assert!(!send("-0", pid), "{how}: {pid} still runs");
    }
}

/// Whether there was a process to send it to.
fn send(signal: &str, pid: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args([signal, pid]).stderr(Stdio::null());
    kill.status().unwrap().success()
}

#[test]
fn an_agent_that_requires_a_login_is_reported_with_a_hint() {
    let machine = Machine::new();
    let login = r#"
    *'"session/new"'*) answer '"error":{"code":-32000,"message":"Authentication required"}' ;;"#;
    machine.program("bin/locked", &scripts::agent(r#""authMethods":[]"#, login));
    let words = [
        "check",
        "agent",
        "--timeout",
        "5",
        "--only",
        "agent.session.new",
        "--",
        "locked",
    ];
    let output = machine.attache(&words);
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(
        err.contains("the agent requires a login") && err.contains("--home real"),
        "{err}"
    );
}

fn us() -> String {
    env!("CARGO_BIN_EXE_attache").to_owned()
}

fn nothing_to_blame(output: &Output, least: usize) {
    let shown = String::from_utf8_lossy(&output.stdout);
    let last = shown.lines().rfind(|line| line.contains(" passed, "));
    let last = last.unwrap_or_default();
    let passed = last.split(' ').next().and_then(|count| count.parse().ok());
    assert!(
        passed.is_some_and(|passed: usize| passed >= least),
        "{shown}"
    );
    assert!(last.contains(" 0 failed, 0 warnings, "), "{shown}");
    assert_eq!(output.status.code(), Some(0), "{shown}");
}
