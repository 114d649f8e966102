//! Turns: one at a time in a session; further prompts are queued.

use std::pin::pin;

use attache::client::AgentSession;
use attache::json::Object;
use attache::schema::error;
use attache::{CallError, v1};
use attache_host::audit;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::permission::{TURN_CANCELLED, TURN_ENDED, WithdrawnRequests};
use super::sessions::RunningTurn;
use super::{Conversation, failure};
use crate::event::{Event, FailureKind};

type Content = Vec<v1::ContentBlock>;

impl Conversation {
    /// Whether the agent supports [`Command::Steer`](crate::Command::Steer) while a turn runs. Otherwise the content is
    /// queued as a prompt.
    pub fn can_steer(&self) -> bool {
        self.initialized.as_ref().is_some_and(|initialized| {
            let metas = [&initialized.agent_capabilities.meta, &initialized.meta];
            metas.into_iter().flatten().any(|meta| {
                let steering = meta.get("steering");
                let supported = steering.as_ref().and_then(|steering| {
                    let members = Object::parse(steering.as_str()).ok()?;
                    members.get("supported").map(|value| value == "true")
                });
                supported == Some(true)
            })
        })
    }

    pub(super) fn prompt(&mut self, session: v1::SessionId, content: Content) {
        let Some(open) = self.sessions.open_mut(&session) else {
            return self.fail(failure::no_session("session/prompt", &session));
        };
        if open.waiting.len() >= MOST_WAITING {
            let why =
                format!("{MOST_WAITING} prompts are queued already; remove one or cancel the turn");
            return self.fail(failure::local("session/prompt", &why));
        }
        if open.turn.is_none() && open.waiting.is_empty() {
            return self.start_turn(&session, content);
        }
        open.waiting.push_back(content);
        self.emit_queue(&session);
        self.start_next_turn(&session);
    }

    pub(super) fn remove_queued_prompt(&mut self, session: &v1::SessionId, index: usize) {
        let Some(known) = self.sessions.get_mut(session) else {
            return self.fail(failure::no_session("session/prompt", session));
        };
        if known.waiting.remove(index).is_some() {
            self.emit_queue(session);
        }
    }

    /// Starts the next turn if a prompt is queued and no turn runs.
    pub(super) fn start_next_turn(&mut self, session: &v1::SessionId) {
        let idle = self.sessions.open_mut(session);
        let idle = idle.filter(|open| open.turn.is_none());
        if let Some(content) = idle.and_then(|open| open.waiting.pop_front()) {
            self.emit_queue(session);
            self.start_turn(session, content);
        }
    }

    fn start_turn(&mut self, session: &v1::SessionId, content: Content) {
        let Some(agent) = self.agent.clone() else {
            return;
        };
        let (cancel, cancelled) = oneshot::channel();
        let number = self.sessions.next_turn();
        if let Some(open) = self.sessions.open_mut(session) {
            let cancel = Some(cancel);
            open.turn = Some(RunningTurn { number, cancel });
        }
        self.end_grants(session);
        self.emit(Event::TurnStarted {
            session: session.clone(),
            content: content.clone(),
        });
        let ended = {
            let session = agent.session(session.clone());
            async move { turn(&session, content, cancelled).await }
        };
        let session = session.clone();
        self.run_then(ended, move |conversation, outcome| {
            conversation.turn_ended(&session, outcome)
        });
    }

    fn turn_ended(
        &mut self,
        session: &v1::SessionId,
        outcome: Result<v1::PromptResponse, CallError>,
    ) {
        // The session may have been closed meanwhile.
        let known = self.sessions.get_mut(session);
        if known.and_then(|session| session.turn.take()).is_none() {
            return;
        }
        drop(self.withdraw(session, TURN_ENDED));
        self.end_grants(session);
        let outcome = outcome.map_err(|error| failure::from_error("session/prompt", &error));
        let kind = outcome.as_ref().err().map(|failure| failure.kind);
        self.emit(Event::TurnEnded {
            session: session.clone(),
            outcome,
        });
        match kind {
            // The queued prompts would fail in the same way.
            Some(FailureKind::LoginRequired) => self.want_login(),
            Some(FailureKind::AgentExited) => {}
            _ => self.start_next_turn(session),
        }
    }

    /// Cancels the running turn. Queued prompts stay queued until it ends.
    pub(super) fn cancel(&mut self, session: &v1::SessionId) {
        let known = self.sessions.get_mut(session);
        let Some(turn) = known.and_then(|it| it.turn.as_mut()) else {
            return;
        };
        let number = turn.number;
        let Some(cancel) = turn.cancel.take() else {
            return;
        };
        let family = self.sessions.family(session).into_iter();
        let withdrawn = family
            .map(|session| self.withdraw(&session, TURN_CANCELLED))
            .collect();
        // The turn may have ended meanwhile.
        cancel.send(withdrawn).ok();
        self.end_grants(session);
        let time = self.setup.times.cancel;
        let session = session.clone();
        self.run_then(sleep(time), move |conversation, ()| {
            let turn = conversation
                .sessions
                .get(&session)
                .and_then(|it| it.turn.as_ref());
            if turn.is_some_and(|turn| turn.number == number) {
                conversation.fail(failure::turn_hangs(time.as_secs()));
            }
        });
    }

    /// Steers the running turn, or queues the content as a prompt if that is not possible.
    pub(super) fn steer(&mut self, session: v1::SessionId, content: Content) {
        let can = self.can_steer() && self.is_busy(&session);
        let Some(agent) = self.agent.clone().filter(|_| can) else {
            return self.prompt(session, content);
        };
        let params = steering(&session, &content);
        let time = self.setup.times.answer;
        let said = async move { timeout(time, agent.request_extension(STEERING, &params)).await };
        self.run_then(said, move |conversation, outcome| {
            let outcome = outcome.ok().and_then(Result::ok);
            let outcome = outcome.and_then(|result| result.string_member("outcome"));
            if outcome.as_deref() == Some("injected") {
                conversation.emit(Event::Steered { session, content });
            } else {
                conversation.prompt(session, content);
            }
        });
    }

    fn emit_queue(&mut self, session: &v1::SessionId) {
        if let Some(known) = self.sessions.get(session) {
            let waiting = known.waiting.iter().cloned().collect();
            self.emit(Event::QueueChanged {
                session: session.clone(),
                waiting,
            });
        }
    }

    /// Handles a `session/update`.
    pub(super) fn handle_update(&mut self, told: v1::SessionNotification) {
        let id = &told.session_id;
        let Some(session) = self.sessions.get_mut(id) else {
            return self.sessions.keep_early(told);
        };
        let tool = session.apply_tool_call(&told.update);
        if let v1::SessionUpdate::SubagentUpdate(child) = &told.update {
            self.add_child_session(&child.session_id, id);
        }
        let tool = tool.filter(|tool| self.pending.is_about(id, tool));
        let changed = tool.map(|tool| (told.clone(), tool));
        self.emit(Event::Update(Box::new(told)));
        if let Some((told, tool)) = changed {
            self.tool_call_changed(&told, &tool);
        }
    }

    /// Adds a child session. It works inside its parent's directories, whatever it reports.
    fn add_child_session(&mut self, child: &v1::SessionId, parent: &v1::SessionId) {
        if self.sessions.insert_child(child, parent)
            && let Some(roots) = self.setup.host.roots(parent)
        {
            self.setup.host.open(child, roots);
        }
    }

    /// Ends the permissions of the last turn, also for child sessions.
    pub(super) fn end_grants(&self, session: &v1::SessionId) {
        for id in self.sessions.family(session) {
            self.setup.host.permissions.end_turn(&id);
        }
    }

    pub(super) fn log_event(&self, event: &audit::Event<'_>) {
        self.setup.host.log.append(event);
    }
}

/// Runs a turn. A cancelled turn counts as cancelled, even if the agent responds with an error.
async fn turn(
    session: &AgentSession,
    content: Content,
    cancelled: oneshot::Receiver<Vec<WithdrawnRequests>>,
) -> Result<v1::PromptResponse, CallError> {
    let mut answer = pin!(session.prompt(content));
    let mut cancel = pin!(async {
        match cancelled.await {
            // The cancellation goes first: an agent that first sees its permission request cancelled might continue.
            Ok(withdrawn) => {
                let sent = session.cancel().await;
                drop(withdrawn);
                sent
            }
            Err(_) => std::future::pending().await,
        }
    });
    let was_cancelled = tokio::select! {
        biased;
        answer = &mut answer => return answer,
        sent = &mut cancel => sent.is_ok(),
    };
    answer.await.or_else(|failure| match failure.refusal() {
        Some(refusal) if was_cancelled => Ok(error::prompt_outcome(Err(refusal.clone()))),
        _ => Err(failure),
    })
}

fn steering(session: &v1::SessionId, content: &Content) -> Object<'static> {
    let mut params = Object::default();
    params.put("sessionId", session);
    params.put("prompt", content);
    params.set("_meta", r#"{"steering":{"idleBehavior":"promptRequired"}}"#);
    params
}

pub(super) const STEERING: &str = "_session/steering";
const MOST_WAITING: usize = 32;
