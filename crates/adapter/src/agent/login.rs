//! The login of the CLI: status, methods and logout.

use std::path::Path;
use std::time::Duration;

use attache::process::{ExitStatus, Program};
use attache::schema::{Meta, error};
use attache::{Error, v1};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt;

use crate::launch::Launcher;
use crate::mapping;

/// The login methods for clients with a terminal.
pub(super) fn auth_methods(
    client: &v1::ClientCapabilities,
    cli: Option<&Path>,
) -> Vec<v1::AuthMethod> {
    let says = client
        .meta
        .as_ref()
        .and_then(|meta| meta.get("terminal-auth"));
    let ours = std::env::current_exe().ok();
    let ours = ours.filter(|_| says.is_some_and(|says| says.as_str() == "true"));
    let methods = LOGINS.iter().filter_map(|(id, name, what, flag)| {
        let meta = ours.as_deref().map(|ours| command(ours, cli, name, flag));
        // Clients that know only the older form get nothing else.
        match (client.auth.terminal, meta) {
            (true, meta) => {
                let mut method = v1::AuthMethodTerminal::new(*id, *name).description(*what);
                method.meta = meta;
                Some(v1::AuthMethod::Terminal(method.args([*flag])))
            }
            (false, Some(meta)) => {
                let method = v1::AuthMethodAgent::new(*id, *name).description(*what);
                Some(v1::AuthMethod::Agent(method.meta(meta)))
            }
            (false, None) => None,
        }
    });
    methods.collect()
}

/// The older form of a terminal login, in `_meta`: the complete command line.
fn command(ours: &Path, cli: Option<&Path>, label: &str, flag: &str) -> Meta {
    let cli = cli.map(|cli| format!("--cli={}", cli.display()));
    let words = ["claude".to_owned()].into_iter().chain(cli);
    let words: Vec<_> = words.chain([flag.to_owned()]).collect();
    let command = json!({ "command": ours.display().to_string(), "args": words, "label": label });
    Meta::new().with("terminal-auth", command)
}

/// Confirms a login that the user has done in a terminal. We don't log in by ourselves.
pub(super) async fn authenticate(
    launcher: &Launcher,
    method: &v1::AuthMethodId,
) -> Result<v1::AuthenticateResponse, Error> {
    if !LOGINS.iter().any(|(id, ..)| *id == method.as_str()) {
        return Err(error::unusable_params("unknown login method"));
    }
    match status(launcher).await.state {
        v1::AuthState::Unauthenticated => Err(mapping::auth_required()),
        _ => Ok(v1::AuthenticateResponse::new()),
    }
}

/// Asks the CLI for its login; unknown if it does not respond.
pub(super) async fn status(launcher: &Launcher) -> v1::AuthStatusResponse {
    let reported = tokio::time::timeout(PATIENCE, query_status(launcher)).await;
    let reported = reported.ok().flatten().unwrap_or_default();
    let response = v1::AuthStatusResponse::new(state(&reported));
    let label = ["email", "authMethod"].map(|name| reported[name].as_str());
    let label = label.into_iter().flatten().find(|label| *label != "none");
    match label {
        Some(label) => response.accounts([v1::AuthAccount::new(label)]),
        None => response,
    }
}

async fn query_status(launcher: &Launcher) -> Option<Value> {
    let program = Program::new(&launcher.program).args(["auth", "status"]);
    let (_child, stdin, stdout) = program.spawn_piped().await.ok()?;
    drop(stdin);
    let mut text = Vec::new();
    stdout.take(LONGEST).read_to_end(&mut text).await.ok()?;
    serde_json::from_slice(&text).ok()
}

fn state(reported: &Value) -> v1::AuthState {
    let is_foreign = reported["apiProvider"]
        .as_str()
        .is_some_and(|it| it != "firstParty");
    match reported["loggedIn"].as_bool() {
        _ if is_foreign => v1::AuthState::NotRequired,
        Some(true) => v1::AuthState::Authenticated,
        Some(false) if !crate::launch::has_headers() => v1::AuthState::Unauthenticated,
        _ => v1::AuthState::Unknown,
    }
}

/// Logs the CLI out. Open sessions notice at their next prompt.
pub(super) async fn logout(launcher: &Launcher) -> Result<v1::LogoutResponse, Error> {
    let program = Program::new(&launcher.program).args(["auth", "logout"]);
    let spawned = program.spawn_piped().await;
    let (child, stdin, _stdout) = spawned.map_err(|failed| error::internal(&failed.to_string()))?;
    drop(stdin);
    let Ok(ending) = tokio::time::timeout(PATIENCE, child.wait()).await else {
        let words = "the CLI did not log out in time: try `claude auth logout` in a terminal";
        return Err(error::internal(words));
    };
    match ending.status {
        ExitStatus::Exited(0) => Ok(v1::LogoutResponse::new()),
        _ => {
            let words = format!("the CLI did not log out: {ending}");
            Err(error::internal(&words))
        }
    }
}

/// Method id, title, description, and our argument for it.
const LOGINS: &[(&str, &str, &str, &str)] = &[
    (
        "claude-login",
        "Claude subscription",
        "Opens the login of the Claude Code CLI in a terminal",
        "--login",
    ),
    (
        "console-login",
        "Anthropic Console",
        "Opens the login of the Claude Code CLI for API billing in a terminal",
        "--login=console",
    ),
];
const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST: u64 = 64 * 1024;
