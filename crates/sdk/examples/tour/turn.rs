//! One stop of the tour: a prompt, from its text to its stop reason.

use std::time::Duration;

use attache::agent::{ClientHandle, ClientSession};
use attache::{CallError, v1};

use crate::{Session, sights};

pub(crate) struct Stop {
    pub(crate) session: ClientSession,
    pub(crate) cwd: String,
    pub(crate) number: usize,
    text: String,
    may_change: bool,
}

impl Stop {
    pub(crate) fn of(client: &ClientHandle, request: &v1::PromptRequest, known: &Session) -> Stop {
        let text = request.prompt.iter().filter_map(v1::ContentBlock::as_text);
        Stop {
            session: client.session(request.session_id.clone()),
            cwd: known.cwd.as_str().to_owned(),
            number: known.prompts.len(),
            text: text.collect(),
            may_change: known.mode.as_str() != "plan",
        }
    }

    pub(crate) async fn visit(&self) -> Result<v1::StopReason, CallError> {
        let (command, rest) = self.text.split_once(' ').unwrap_or((&self.text, ""));
        match command {
            "/form" => sights::form(self).await?,
            "/page" => sights::page(self).await?,
            "/flood" => self.flood(rest.parse().unwrap_or(10_000)).await?,
            "/slow" => self.slow().await?,
            "/notice" => sights::notice(self).await?,
            "/die" => die(),
            _ => return self.walk().await,
        }
        Ok(v1::StopReason::EndTurn)
    }

    async fn walk(&self) -> Result<v1::StopReason, CallError> {
        self.session
            .think("Somebody is here. What would they like to see first?")
            .await?;
        sights::plan(self, 0).await?;
        sights::read(self).await?;
        sights::plan(self, 1).await?;
        if self.may_change && !sights::edit(self).await? {
            self.session.say("Then it stays as it is.\n").await?;
            return Ok(v1::StopReason::EndTurn);
        }
        sights::plan(self, 2).await?;
        if self.may_change && !sights::run(self).await? {
            self.session.say("Then nothing is run.\n").await?;
            return Ok(v1::StopReason::EndTurn);
        }
        sights::plan(self, 3).await?;
        for piece in sights::SUMMARY.split_inclusive(' ') {
            self.session.say(piece).await?;
        }
        sights::usage(self).await?;
        Ok(v1::StopReason::EndTurn)
    }

    async fn flood(&self, count: u32) -> Result<(), CallError> {
        for number in 0..count {
            self.session
                .say(format!("{number} bottles of beer on the wall. "))
                .await?;
        }
        Ok(())
    }

    async fn slow(&self) -> Result<(), CallError> {
        loop {
            self.session.say("tick ").await?;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Tells a session again.
pub(crate) async fn replay(
    session: &ClientSession,
    prompts: &[Vec<v1::ContentBlock>],
) -> Result<(), CallError> {
    for prompt in prompts {
        for block in prompt {
            let chunk = v1::ContentChunk::new(block.clone());
            session
                .update(v1::SessionUpdate::UserMessageChunk(chunk))
                .await?;
        }
        session.say("We have been here before.").await?;
    }
    Ok(())
}

#[allow(clippy::print_stderr, reason = "the last words of a program")]
fn die() -> ! {
    eprintln!("tour: the guide has fallen into the river");
    std::process::exit(3)
}
