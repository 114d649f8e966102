//! Logging in and out, and endpoints that the client sets.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use super::super::client::{Client, Fault};
use super::super::messages::Model;
use super::super::stage::Stage;
use super::{holds, same};

/// A session that is open fails at its next prompt, and no other opens.
pub(super) fn logout(stage: &Stage) -> Result<(), Fault> {
    log_in(stage)?;
    let mut env = stage.env();
    env.retain(|(name, _)| name != "ANTHROPIC_API_KEY");
    let mut client = Client::start(&stage.ours(), &env, &stage.cwd, json!({}))?;
    same("the state", state(&mut client)?, json!("authenticated"))?;
    let session = client.session(&stage.cwd)?;
    let end = client.turn(&session, &json!([[{ "text": "In." }]]))?;
    same("the end", end.as_str(), "end_turn")?;
    let out = client.ask("logout", json!({}))?;
    same("the logout", &out["result"], &json!({}))?;
    same("the state", state(&mut client)?, json!("unauthenticated"))?;
    let turn = client.prompt(&session, &json!([[{ "text": "Out." }]]))?;
    let answer = client.answer(turn)?;
    same("the error", &answer["error"]["code"], &json!(-32000))?;
    let params = json!({ "cwd": stage.cwd, "mcpServers": [] });
    let opened = client.ask("session/new", params)?;
    same("the error", &opened["error"]["code"], &json!(-32000))
}

/// The login is the CLI's own. Without an account it comes as far as the page where one logs in.
pub(super) fn in_a_terminal(stage: &Stage) -> Result<(), Fault> {
    for (flag, page) in [
        ("--login", "https://claude.com/"),
        (
            "--login=console",
            "https://platform.claude.com/oauth/authorize",
        ),
    ] {
        let mut command = Command::new(&stage.attache);
        command.arg("claude").arg(flag).current_dir(&stage.cwd);
        command.env_clear().envs(stage.env()).env("BROWSER", "true");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut login = command.spawn().map_err(|error| error.to_string())?;
        let stdout = login.stdout.take().ok_or("no stdout")?;
        let (sender, told) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            // Nobody listens any more once the page is known.
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

/// What the client sets is above what the user's own settings say, and the CLI's login is not shown there.
pub(super) fn provider(stage: &Stage) -> Result<(), Fault> {
    log_in(stage)?;
    let elsewhere = json!({ "env": { "ANTHROPIC_BASE_URL": "http://127.0.0.1:9", "ANTHROPIC_API_KEY": "own" } });
    write_home(stage, "settings.json", &elsewhere)?;
    let model = Model::serve().map_err(|error| format!("no model: {error}"))?;
    let mut client = stage.start()?;
    let address = format!("http://{}", model.address);
    let headers = json!({ "Authorization": "Bearer medlar", "X-Team": "blue" });
    let params = json!({ "providerId": "main", "apiType": "anthropic", "baseUrl": address, "headers": headers });
    let set = client.ask("providers/set", params)?;
    same("the answer", &set["result"], &json!({}))?;
    let listed = client.ask("providers/list", json!({}))?;
    let current = json!({ "apiType": "anthropic", "baseUrl": address });
    same(
        "the provider",
        &listed["result"]["providers"][0]["current"],
        &current,
    )?;
    let session = client.session(&stage.cwd)?;
    let end = client.turn(&session, &json!([[{ "text": "From elsewhere." }]]))?;
    same("the end", end.as_str(), "end_turn")?;
    same("the text", client.words().as_str(), "From elsewhere.")?;
    for header in ["Authorization: Bearer medlar", "X-Team: blue"] {
        holds(&format!("{header} is sent"), model.was_asked(header))?;
    }
    for secret in ["sk-ant-oat", "x-api-key"] {
        holds(&format!("{secret} is not sent"), !model.was_asked(secret))?;
    }
    let script = json!([[{ "text": "It is done." }]]).to_string();
    client.ask("providers/disable", json!({ "providerId": "main" }))?;
    write_home(stage, "settings.json", &json!({}))?;
    let session = client.session(&stage.cwd)?;
    let turn = client.prompt_text(&session, &format!("By the old way. <<{script}>>"))?;
    same("the end", client.stop_reason(turn)?.as_str(), "end_turn")?;
    holds(
        "the first model is asked again",
        stage.model.was_asked("By the old way."),
    )
}

fn state(client: &mut Client) -> Result<Value, Fault> {
    let status = client.ask("auth/status", json!({}))?;
    Ok(status["result"]["state"].clone())
}

/// A login as the CLI keeps it, which nobody has given it.
fn log_in(stage: &Stage) -> Result<(), Fault> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_err(|error| error.to_string())?.as_millis();
    let ends = u64::try_from(now).unwrap_or_default() + 86_400_000;
    let login = json!({ "accessToken": "sk-ant-oat01-none", "refreshToken": "sk-ant-ort01-none",
        "expiresAt": ends, "scopes": ["user:inference", "user:profile"], "subscriptionType": "max" });
    write_home(
        stage,
        ".credentials.json",
        &json!({ "claudeAiOauth": login }),
    )
}

fn write_home(stage: &Stage, name: &str, content: &Value) -> Result<(), Fault> {
    let folder = stage.cwd.with_file_name("home").join(".claude");
    let made = fs::create_dir_all(&folder);
    let made = made.and_then(|()| fs::write(folder.join(name), content.to_string()));
    made.map_err(|error| format!("cannot write {name}: {error}"))
}

const PATIENCE: Duration = Duration::from_secs(30);
