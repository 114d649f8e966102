//! Whether the CLI is logged in, in its own words.

use std::time::Duration;

use attache::process::Program;
use attache::v1;
use serde_json::Value;
use tokio::io::AsyncReadExt;

use crate::launch::Launcher;

/// What the CLI says of its login; not known if it does not say.
pub(super) async fn status(launcher: &Launcher) -> v1::AuthStatusResponse {
    let told = tokio::time::timeout(PATIENCE, ask(launcher)).await;
    let told = told.ok().flatten().unwrap_or_default();
    let response = v1::AuthStatusResponse::new(state(&told));
    let label = ["email", "authMethod"].map(|name| told[name].as_str());
    let label = label.into_iter().flatten().find(|label| *label != "none");
    match label {
        Some(label) => response.accounts([v1::AuthAccount::new(label)]),
        None => response,
    }
}

async fn ask(launcher: &Launcher) -> Option<Value> {
    let program = Program::new(&launcher.program).args(["auth", "status"]);
    let (_child, stdin, stdout) = program.spawn_piped().await.ok()?;
    drop(stdin);
    let mut text = Vec::new();
    stdout.take(LONGEST).read_to_end(&mut text).await.ok()?;
    serde_json::from_slice(&text).ok()
}

fn state(told: &Value) -> v1::AuthState {
    let is_foreign = told["apiProvider"]
        .as_str()
        .is_some_and(|it| it != "firstParty");
    match told["loggedIn"].as_bool() {
        _ if is_foreign => v1::AuthState::NotRequired,
        Some(true) => v1::AuthState::Authenticated,
        Some(false) if !crate::launch::has_headers() => v1::AuthState::Unauthenticated,
        _ => v1::AuthState::Unknown,
    }
}

const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST: u64 = 64 * 1024;
