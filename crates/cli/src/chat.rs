//! `attache chat`: the terminal UI.

use std::io::{self, IsTerminal};

use anyhow::anyhow;
use attache_client::chat::{Settings, Start, screen};
use attache_client::desk::Desk;
use attache_client::paint::Theme;

use crate::arguments::Chat;
use crate::exit::{self, Exit};
use crate::terms::{self, Prepared, Presence, Which};

pub(crate) async fn chat(chat: &Chat) -> anyhow::Result<Exit> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let error = anyhow!("this is no terminal; use `attache run` in scripts and pipes");
        return Ok(exit::fail(Exit::Usage, &error));
    }
    let prepared = match Prepared::of(&chat.terms, Presence::Attended) {
        Ok(prepared) => prepared,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error)),
    };
    if let Err(error) = prepared.agent.locate() {
        return Ok(exit::fail(Exit::Failed, &error.into()));
    }
    let trace = prepared.trace();
    let settings = Settings {
        agent: prepared.agent.name.clone(),
        opening: prepared.opening,
        start: match Which::of(&chat.terms) {
            Which::Latest => Start::Latest,
            _ => Start::AsSaid,
        },
        theme: Theme::detect(),
        wishes: terms::wishes(&chat.terms),
        preset: prepared.preset,
    };
    let mut recorder = prepared.recorder;
    let mut desk = Desk::start(prepared.program, prepared.setup);
    let shown = screen::run(&mut desk, settings, &mut |event| recorder.take(event)).await;
    desk.stop().await;
    recorder.finish();
    Prepared::finish(trace);
    shown?;
    Ok(Exit::Done)
}
