//! One stop of the tour: a prompt, from its text to its stop reason.

use std::time::Duration;

use attache::agent::{ClientHandle, ClientSession};
use attache::{CallError, v1};

use crate::{Session, updates};

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

    pub(crate) async fn run(&self) -> Result<v1::StopReason, CallError> {
        let (command, rest) = self.text.split_once(' ').unwrap_or((&self.text, ""));
        match command {
            "/form" => updates::form(self).await?,
            "/page" => updates::page(self).await?,
            "/flood" => self.flood(rest.parse().unwrap_or(10_000)).await?,
            "/slow" => self.slow().await?,
            "/notice" => updates::notice(self).await?,
            "/die" => die(),
            _ => return self.whole_tour().await,
        }
        Ok(v1::StopReason::EndTurn)
    }

    async fn whole_tour(&self) -> Result<v1::StopReason, CallError> {
        self.session
            .send_thought("Somebody is here. What would they like to see first?")
            .await?;
        updates::plan(self, 0).await?;
        updates::read(self).await?;
        updates::plan(self, 1).await?;
        if self.may_change && !updates::edit(self).await? {
            self.session
                .send_message("Then it stays as it is.\n")
                .await?;
            return Ok(v1::StopReason::EndTurn);
        }
        updates::plan(self, 2).await?;
        if self.may_change && !updates::run(self).await? {
            self.session.send_message("Then nothing is run.\n").await?;
            return Ok(v1::StopReason::EndTurn);
        }
        updates::plan(self, 3).await?;
        for piece in updates::SUMMARY.split_inclusive(' ') {
            self.session.send_message(piece).await?;
        }
        updates::usage(self).await?;
        Ok(v1::StopReason::EndTurn)
    }

    async fn flood(&self, count: u32) -> Result<(), CallError> {
        for number in 0..count {
            self.session
                .send_message(format!("{number} bottles of beer on the wall. "))
                .await?;
        }
        Ok(())
    }

    async fn slow(&self) -> Result<(), CallError> {
        loop {
            self.session.send_message("tick ").await?;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
}

/// Replays a session.
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
        session.send_message("We have been here before.").await?;
    }
    Ok(())
}

#[allow(clippy::print_stderr, reason = "the last words of a program")]
fn die() -> ! {
    eprintln!("tour: the guide has fallen into the river");
    std::process::exit(3)
}
