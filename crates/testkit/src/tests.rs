//! Tests of the test kit, in which its own players play both sides.

mod document;
mod hostile;
mod parse;
mod playback;
mod player;
mod rule_checker;
mod scripted_peer;
mod trace;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Difference, Script, ScriptPlayer, Side, Tap, Trace, scripted_agent};

/// Plays a client's script to an agent that follows another script. Returns the trace, or the first difference.
async fn play(client: &str, agent: &str) -> Result<Trace, Difference> {
    let player = ScriptPlayer::new(Script::parse(client).unwrap(), Side::Client).unwrap();
    let ((read, write), agent) = scripted_agent(agent).unwrap();
    player.play(read, write).await?;
    agent.finish().await
}

/// Plays both sides of one script against each other.
async fn perform(script: &str) -> Trace {
    let script = Script::parse(script).unwrap();
    let (client, agent, tap) = Tap::new(1 << 10);
    let as_client = ScriptPlayer::new(script.clone(), Side::Client).unwrap();
    let as_agent = ScriptPlayer::new(script, Side::Agent).unwrap();
    let (one, other) = tokio::join!(
        as_client.play(client.0, client.1),
        as_agent.play(agent.0, agent.1)
    );
    one.unwrap();
    other.unwrap();
    tap.trace()
}

/// Sends these lines to an agent that follows a script. Returns how the agent's script ended, and its output.
async fn say(script: &str, lines: &str) -> (String, String) {
    let ((mut read, mut write), agent) = scripted_agent(script).unwrap();
    write.write_all(lines.as_bytes()).await.unwrap();
    write.shutdown().await.unwrap();
    let mut answers = String::new();
    read.read_to_string(&mut answers).await.unwrap();
    let outcome = match agent.finish().await {
        Ok(_) => "ok".to_owned(),
        Err(difference) => difference.to_string(),
    };
    (outcome, answers)
}
