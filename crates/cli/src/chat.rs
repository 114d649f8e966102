//! `attache chat`: the terminal UI.

use std::io::{self, IsTerminal};

use anyhow::anyhow;
use attache::v1;
use attache_client::conversation::Conversation;
use attache_client::event::Event;
use attache_tui::chat::{FirstSession, Settings, screen};
use attache_tui::paint::Theme;

use crate::arguments::{AgentChoice, Chat};
use crate::exit::{self, Exit};
use crate::prepare::{self, PreparedConversation, Presence, SessionChoice};
use crate::text;

pub(crate) async fn chat(chat: &Chat) -> anyhow::Result<Exit> {
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        let error = anyhow!("not a terminal; use `attache run` in scripts and pipes");
        return Ok(exit::fail(Exit::Usage, &error));
    }
    let prepared = match PreparedConversation::of(&chat.terms, Presence::Attended) {
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
        start: match SessionChoice::of(&chat.terms) {
            SessionChoice::Latest => FirstSession::Latest,
            SessionChoice::New | SessionChoice::Load(_) | SessionChoice::Resume(_) => {
                FirstSession::AsRequested
            }
        },
        theme: Theme::detect(),
        session_settings: prepare::session_settings(&chat.terms),
        preset: prepared.preset,
        expiry: prepared.expiry,
    };
    let mut recorder = prepared.recorder;
    let mut conversation = Conversation::start(prepared.program, prepared.setup);
    let mut last = LastSession::default();
    let observe = &mut |event: &Event| {
        recorder.record(event);
        last.observe(event);
    };
    let shown = screen::run(&mut conversation, settings, observe).await;
    conversation.stop().await;
    recorder.finish();
    PreparedConversation::finish(trace);
    shown?;
    if let Some(flag) = last.continue_flag() {
        crate::print::note!(
            "attache: to continue: attache chat {}",
            continue_arguments(&chat.terms.agent, &flag)
        );
    }
    Ok(Exit::Done)
}

/// The session of the last turn, and whether the agent can load or resume it.
#[derive(Default)]
struct LastSession {
    session: Option<v1::SessionId>,
    can_load: bool,
    can_resume: bool,
}

impl LastSession {
    fn observe(&mut self, event: &Event) {
        match event {
            Event::AgentReady(initialized) => {
                let can = &initialized.agent_capabilities;
                self.can_load = can.load_session;
                self.can_resume = can.session_capabilities.resume.is_some();
            }
            Event::TurnStarted { session, .. } => self.session = Some(session.clone()),
            Event::SessionDeleted(session) => drop(self.session.take_if(|last| last == session)),
            // These say nothing about which session to continue.
            Event::SessionOpened(_)
            | Event::SessionClosed(_)
            | Event::SessionsListed(_)
            | Event::QueueChanged { .. }
            | Event::Steered { .. }
            | Event::Update(_)
            | Event::TurnEnded { .. }
            | Event::ModeSet { .. }
            | Event::OptionsSet { .. }
            | Event::PermissionRequested(_)
            | Event::PermissionWithdrawn(_)
            | Event::PermissionDecided { .. }
            | Event::DecisionRemembered { .. }
            | Event::DecisionUndone { .. }
            | Event::FormRequested { .. }
            | Event::FormWithdrawn(_)
            | Event::FormCompleted(_)
            | Event::TerminalChanged(_)
            | Event::Notice(_)
            | Event::LoginRequired(_)
            | Event::LoggedIn(_)
            | Event::LoggedOut
            | Event::Problem(_)
            | Event::CommandFailed(_)
            | Event::InvalidOutput { .. }
            | Event::AgentExited { .. } => {}
        }
    }

    fn continue_flag(&self) -> Option<String> {
        let session = text::word(self.session.as_ref()?.as_str());
        match (self.can_load, self.can_resume) {
            (true, _) => Some(format!("--session {session}")),
            (false, true) => Some(format!("--resume={session}")),
            (false, false) => None,
        }
    }
}

/// The arguments for `attache chat` that continue a session with the same agent.
fn continue_arguments(choice: &AgentChoice, flag: &str) -> String {
    let words = choice.command.iter().map(|word| text::word(word));
    match (&choice.agent, words.collect::<Vec<_>>().as_slice()) {
        (Some(name), _) => format!("-a {} {flag}", text::word(name)),
        (None, []) => flag.to_owned(),
        (None, words) => format!("{flag} -- {}", words.join(" ")),
    }
}
