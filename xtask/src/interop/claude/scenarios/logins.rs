//! Logging in and out, and endpoints that the client sets.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::super::client::{Failure, ScriptedClient};
use super::super::fixture::Fixture;
use super::super::messages::FakeModel;
use super::{expect, expect_eq};

/// After a logout, the next prompt of an open session fails, and no session can be opened.
pub(super) fn logout(fixture: &Fixture) -> Result<(), Failure> {
    log_in(fixture)?;
    let mut env = fixture.env();
    env.retain(|(name, _)| name != "ANTHROPIC_API_KEY");
    let mut client = ScriptedClient::start(&fixture.our_adapter(), &env, &fixture.cwd, json!({}))?;
    expect_eq("the state", state(&mut client)?, json!("authenticated"))?;
    let session = client.session(&fixture.cwd)?;
    let end = client.turn(&session, &json!([[{ "text": "In." }]]))?;
    expect_eq("the end", end.as_str(), "end_turn")?;
    let out = client.request("logout", json!({}))?;
    expect_eq("the logout", &out["result"], &json!({}))?;
    expect_eq("the state", state(&mut client)?, json!("unauthenticated"))?;
    let turn = client.prompt(&session, &json!([[{ "text": "Out." }]]))?;
    let answer = client.answer(turn)?;
    expect_eq("the error", &answer["error"]["code"], &json!(-32000))?;
    let params = json!({ "cwd": fixture.cwd, "mcpServers": [] });
    let opened = client.request("session/new", params)?;
    expect_eq("the error", &opened["error"]["code"], &json!(-32000))
}

/// The login is the CLI's own. Without an account, it only gets to the login page.
pub(super) fn in_a_terminal(fixture: &Fixture) -> Result<(), Failure> {
    for (flag, page) in [
        ("--login", "https://claude.com/"),
        (
            "--login=console",
            "https://platform.claude.com/oauth/authorize",
        ),
    ] {
        let mut command = Command::new(&fixture.attache);
        command.arg("claude").arg(flag).current_dir(&fixture.cwd);
        command
            .env_clear()
            .envs(fixture.env())
            .env("BROWSER", "true");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut login = command.spawn().map_err(|error| error.to_string())?;
        let stdout = login.stdout.take().ok_or("no stdout")?;
        let (sender, told) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            // The receiver is gone once the page is known.
            lines.for_each(|line| drop(sender.send(line)));
        });
        let end = Instant::now() + PATIENCE;
        let shown = loop {
            match told.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) if line.contains(page) => break Ok(()),
                Ok(_) => {}
                Err(_) => break Err(format!("{flag} does not show {page}")),
            }
        };
        let ended = login.kill().and_then(|()| login.wait());
        ended.map_err(|error| error.to_string())?;
        shown?;
    }
    Ok(())
}

/// A provider set by the client overrides the user's settings, and never receives the CLI's credentials.
pub(super) fn provider(fixture: &Fixture) -> Result<(), Failure> {
    log_in(fixture)?;
    let elsewhere = json!({ "env": { "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "own" } });
    write_home(fixture, "settings.json", &elsewhere)?;
    let model = FakeModel::serve().map_err(|error| format!("no model: {error}"))?;
    let mut client = fixture.start()?;
    let address = format!("http://{}", model.address);
    let headers = json!({ "Authorization": "Bearer medlar", "X-Team": "blue" });
    let params = json!({ "providerId": "main", "apiType": "anthropic", "baseUrl": address, "headers": headers });
    let set = client.request("providers/set", params)?;
    expect_eq("the answer", &set["result"], &json!({}))?;
    let listed = client.request("providers/list", json!({}))?;
    let current = json!({ "apiType": "anthropic", "baseUrl": address });
    expect_eq(
        "the provider",
        &listed["result"]["providers"][0]["current"],
        &current,
    )?;
    let session = client.session(&fixture.cwd)?;
    let end = client.turn(&session, &json!([[{ "text": "From elsewhere." }]]))?;
    expect_eq("the end", end.as_str(), "end_turn")?;
    expect_eq(
        "the text",
        client.message_text().as_str(),
        "From elsewhere.",
    )?;
    for header in ["Authorization: Bearer medlar", "X-Team: blue"] {
        expect(&format!("{header} is sent"), model.received(header))?;
    }
    for secret in ["sk-ant-oat", "x-api-key"] {
        expect(&format!("{secret} is not sent"), !model.received(secret))?;
    }
    let script = json!([[{ "text": "It is done." }]]).to_string();
    client.request("providers/disable", json!({ "providerId": "main" }))?;
    write_home(fixture, "settings.json", &json!({}))?;
    let session = client.session(&fixture.cwd)?;
    let turn = client.prompt_text(&session, &format!("By the old way. <<{script}>>"))?;
    expect_eq("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    expect(
        "the first model is asked again",
        fixture.model.received("By the old way."),
    )
}

fn state(client: &mut ScriptedClient) -> Result<Value, Failure> {
    let status = client.request("auth/status", json!({}))?;
    Ok(status["result"]["state"].clone())
}

/// Writes made-up credentials in the format of the CLI.
fn log_in(fixture: &Fixture) -> Result<(), Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_err(|error| error.to_string())?.as_millis();
    let ends = u64::try_from(now).unwrap_or_default() + 86_400_000;
    let login = json!({ "accessToken": "sk-ant-oat01-none", "refreshToken": "sk-ant-ort01-none",
        "expiresAt": ends, "scopes": ["user:inference", "user:profile"], "subscriptionType": "max" });
    write_home(
        fixture,
        ".credentials.json",
        &json!({ "claudeAiOauth": login }),
    )
}

fn write_home(fixture: &Fixture, name: &str, content: &Value) -> Result<(), Failure> {
    let folder = fixture.cwd.with_file_name("home").join(".claude");
    let made = fs::create_dir_all(&folder);
    let made = made.and_then(|()| fs::write(folder.join(name), content.to_string()));
    made.map_err(|error| format!("cannot write {name}: {error}"))
}

const PATIENCE: Duration = Duration::from_secs(30);
