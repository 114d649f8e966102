//! Canaries in our environment, and commands that try to print them.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use attache_host::audit::Log;
use attache_host::environment::ChildEnvironment;
use attache_host::files::Files;
use attache_host::permissions::{Permissions, Preset};
use attache_host::sandbox::SandboxSupport;
use attache_host::terminals::{Sandbox, TerminalLimits, Terminals};
use attache_host::{Host, Roots};
use attache_schema::v1;
use libtest_mimic::Trial;

use super::client::TestClient;
use super::trial;

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("environment_attack::no_command_prints_a_canary", || {
            printed(Sandbox::Off)
        }),
        trial(
            "environment_attack::no_command_in_the_sandbox_prints_a_canary",
            || printed(sandbox()),
        ),
        trial(
            "environment_attack::the_sandbox_hides_the_environments_of_other_processes",
            others,
        ),
        trial(
            "environment_attack::a_value_from_a_file_is_replaced_at_every_split",
            split,
        ),
        trial(
            "environment_attack::a_value_is_replaced_when_output_is_cut_and_when_it_ends",
            cut,
        ),
        trial(
            "environment_attack::every_command_that_fails_says_what_it_lacks",
            notice,
        ),
    ]
}

/// The environment of the attacks: canaries, and variables that commands need.
fn environment(names: &[String]) -> ChildEnvironment {
    let canaries = names
        .iter()
        .map(|name| (OsString::from(name), OsString::from(canary(name))));
    let proxy = (
        "https_proxy",
        "http://me:canary-of-the-proxy@proxy.invalid:1",
    );
    let proxy = (OsString::from(proxy.0), OsString::from(proxy.1));
    let ours = std::env::vars_os().filter(|(name, _)| name == "PATH" || name == "HOME");
    ChildEnvironment::of(ours.chain(canaries).chain([proxy]), &[])
}

fn canary(name: &str) -> String {
    format!("canary-{}-0123456789", name.to_lowercase())
}

fn names() -> Vec<String> {
    NAMES.split_whitespace().map(str::to_owned).collect()
}

async fn printed(sandbox: Sandbox) {
    let names = names();
    let mut client = TestClient::with(TerminalLimits::default(), sandbox.clone());
    client.terminals =
        Terminals::with_environment(TerminalLimits::default(), sandbox, environment(&names));
    let values = names.iter().map(|name| canary(name)).collect::<Vec<_>>();
    fs::write(client.project().join("leak"), values.join("\n")).unwrap();
    // The environment of this process represents the agent's.
    let attempts = ATTEMPTS.iter().map(|line| (*line).to_owned());
    let each = names.iter().flat_map(|name| {
        [
            format!("echo \"${name}\""),
            format!("printenv {name}"),
            format!("sh -c 'echo ${{{name}-unset}}'"),
        ]
    });
    for line in attempts.chain(each) {
        let output = said(&client, client.request(&line, &[])).await;
        for (name, value) in names.iter().zip(&values) {
            assert!(!output.contains(value), "{line}: {name}");
        }
        assert!(!output.contains("canary-of-the-proxy"), "{line}: the proxy");
    }
}

/// A process outside that has a key, as an agent has: not ours, so only the kernel hides it. It has the same user
/// rights as we do, possibly root's, without capabilities.
async fn others() {
    if matches!(Sandbox::support(), SandboxSupport::Missing { .. }) {
        return;
    }
    let is_there = Command::new("setpriv").arg("--version").output().is_ok();
    let powerless: &[&str] = &["setpriv", "--bounding-set=-all", "--inh-caps=-all"];
    let rights: &[&[&str]] = match is_there {
        true => &[&["env"], powerless],
        false => &[&["env"]],
    };
    for rights in rights {
        let mut other = Command::new(rights[0])
            .args(&rights[1..])
            .args(["sleep", "1000"])
            .env("AGENT_KEY", "canary-of-the-agent")
            .spawn()
            .unwrap();
        let pid = other.id();
        let lines = [
            format!("cat /proc/{pid}/environ"),
            format!("cat /proc/{pid}/task/{pid}/environ"),
            format!("python3 -c 'print(open(\"/proc/{pid}/environ\").read())'"),
            format!("strings /proc/{pid}/mem; head -c 99 /proc/{pid}/auxv; cat /proc/{pid}/maps"),
            "cat /proc/*/environ".to_owned(),
            "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done".to_owned(),
            "ps auxeww".to_owned(),
        ];
        let mut found = Vec::new();
        for sandbox in [Sandbox::Off, Sandbox::roots_only()] {
            let client = TestClient::with(TerminalLimits::default(), sandbox);
            for line in &lines {
                let words = [&rights[1..], &["sh", "-c", line]].concat();
                let output = said(&client, client.request(rights[0], &words)).await;
                found.push(output.contains("canary-of-the-agent") || output.contains("[stack]"));
            }
        }
        other.kill().unwrap();
        other.wait().unwrap();
        let (off, on) = found.split_at(lines.len());
        assert!(off[0], "without the sandbox the attack works: {rights:?}");
        assert!(!on.contains(&true), "{rights:?}: {on:?}");
    }
}

/// Runs a command to its end and releases its terminal.
async fn said(client: &TestClient, request: v1::CreateTerminalRequest) -> String {
    let id = client.create(&request).await.unwrap();
    client.wait(&id).await;
    let output = client.text(&id);
    client
        .terminals
        .release(&client.session, &id)
        .await
        .unwrap();
    output
}

/// The same bytes, written in two pieces that are split at every position.
async fn split() {
    let names = ["API_KEY".to_owned()];
    let mut client = TestClient::new();
    client.terminals =
        Terminals::with_environment(TerminalLimits::default(), Sandbox::Off, environment(&names));
    let text = format!("before {} after", canary("API_KEY"));
    for cut in 0..=text.len() {
        let (first, second) = text.split_at(cut);
        let line = format!("printf %s '{first}'; sleep 0.01; printf %s '{second}'");
        let output = said(&client, client.request(&line, &[])).await;
        assert_eq!(output, "before [API_KEY withheld] after", "{cut}");
    }
}

async fn cut() {
    let names = ["API_KEY".to_owned()];
    let mut client = TestClient::new();
    client.terminals =
        Terminals::with_environment(TerminalLimits::default(), Sandbox::Off, environment(&names));
    let value = canary("API_KEY");
    for limit in 0..60 {
        let line = format!("printf 'x%s' {value}; printf '%s' {value}");
        let mut request = client.request(&line, &[]);
        request.output_byte_limit = Some(limit);
        let output = said(&client, request).await;
        let whole = "x[API_KEY withheld][API_KEY withheld]";
        assert!(whole.ends_with(&output), "{limit}: {output}");
    }
    // The beginning of a value is not a value, and is printed when no more output follows.
    let output = said(&client, client.request("printf %s 'canary-api'", &[])).await;
    assert_eq!(output, "canary-api");
}

async fn notice() {
    let names = names();
    let folder = tempfile::tempdir().unwrap();
    let terminals =
        Terminals::with_environment(TerminalLimits::default(), Sandbox::Off, environment(&names));
    let permissions = Permissions::preset(Preset::ApproveAll);
    let host = Host::new(Files::default(), terminals, permissions, Log::none());
    let mut told = Vec::new();
    let failing = "echo API_KEY is not set; exit 1";
    for (session, line) in [
        ("a", failing),
        ("a", failing),
        ("b", "echo API_KEY"),
        ("c", "false"),
    ] {
        let session = v1::SessionId::from(session);
        if host.roots(&session).is_none() {
            host.open(&session, Roots::open(folder.path(), &[]).unwrap());
        }
        let request = v1::CreateTerminalRequest::new(session.clone(), line);
        let request = host.resolve_command(request).await;
        let id = host.create_terminal(&request).await.unwrap().terminal_id;
        let wait = v1::WaitForTerminalExitRequest::new(session.clone(), id.clone());
        host.wait_for_terminal_exit(&wait).await.unwrap();
        let output = v1::TerminalOutputRequest::new(session.clone(), id.clone());
        let output = host.terminal_output(&output).unwrap().output;
        let lines: Vec<&str> = output.lines().collect();
        told.push((lines.len(), host.notice(&id).is_some()));
        if let [_, notice] = lines.as_slice() {
            let line = "to pass it: attache config set environment.pass '[\"API_KEY\"]'";
            assert!(notice.contains(line), "{notice}");
            assert!(!notice.contains("canary"), "{notice}");
        }
    }
    assert_eq!(told, [(2, true), (2, false), (1, true), (0, true)]);
}

fn sandbox() -> Sandbox {
    match Sandbox::support() {
        SandboxSupport::Missing { .. } => Sandbox::Off,
        _ => Sandbox::roots_only(),
    }
}

const NAMES: &str = "API_KEY ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY MISTRAL_API_KEY GITHUB_TOKEN GH_TOKEN \
    GITLAB_TOKEN NPM_TOKEN CARGO_REGISTRY_TOKEN AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN \
    AZURE_CLIENT_SECRET GOOGLE_API_KEY DATABASE_URL REDIS_URL PGPASSWORD MYSQL_PWD SENTRY_DSN SLACK_WEBHOOK_URL \
    STRIPE_SECRET_KEY JWT_SECRET SSH_PASSPHRASE DOCKER_PASSWORD MY_OWN_SETTING";

/// Ways to print the own environment or that of other processes, and values in a file.
const ATTEMPTS: &[&str] = &[
    "env",
    "printenv",
    "export -p",
    "set;",
    "sh -c 'export -p; set; env'",
    "bash -c 'declare -p; declare -x; compgen -v; set'",
    "cat /proc/self/environ | tr '\\0' '\\n'",
    "cat /proc/$$/environ",
    "cat /proc/$PPID/environ",
    "cat /proc/$PPID/task/*/environ",
    "for p in /proc/[0-9]*; do cat $p/environ; done",
    "cat /proc/*/environ | tr '\\0' '\\n' | sort -u",
    "python3 -c 'import os; print(dict(os.environ))'",
    "python3 -c 'print(open(\"/proc/self/environ\").read())'",
    "perl -e 'print \"$_=$ENV{$_}\\n\" for keys %ENV'",
    "awk 'BEGIN { for (n in ENVIRON) print n, ENVIRON[n] }'",
    "node -e 'console.log(process.env)'",
    "ps auxeww",
    "ps -e -o args e",
    "xargs -0 -n1 echo < /proc/self/environ",
    "env -0 | od -c",
    "cat leak",
    "tac leak",
    "grep -n . leak",
    "while read -r l; do printf %s \"$l\"; printf '\\n'; done < leak",
    "dd if=leak bs=1 status=none",
    "dd if=leak bs=7 status=none",
    "cat leak >&2",
    "cat leak & wait",
    "(cat leak; echo) | cat",
    "bash -c 'cat leak <(cat leak)'",
];
