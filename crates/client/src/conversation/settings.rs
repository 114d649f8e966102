//! Modes, options and logins.

use attache::v1;

use super::{Conversation, failure};
use crate::event::Event;

impl Conversation {
    pub(super) fn set_mode(&mut self, session: v1::SessionId, mode: v1::SessionModeId) {
        if self.sessions.open_mut(&session).is_none() {
            return self.fail(failure::no_session("session/set_mode", &session));
        }
        let request = v1::SetSessionModeRequest::new(session.clone(), mode.clone());
        self.ask("session/set_mode", request, move |conversation, _| {
            conversation.tell(Event::ModeSet { session, mode });
        });
    }

    pub(super) fn set_option(
        &mut self,
        session: v1::SessionId,
        option: v1::SessionConfigId,
        value: v1::SessionConfigOptionValue,
    ) {
        let what = "session/set_config_option";
        if self.sessions.open_mut(&session).is_none() {
            return self.fail(failure::no_session(what, &session));
        }
        let request = v1::SetSessionConfigOptionRequest::new(session.clone(), option, value);
        self.ask(what, request, move |conversation, answer| {
            let options = answer.config_options;
            conversation.tell(Event::OptionsSet { session, options });
        });
    }

    /// Logs in. Prompts that waited for it go on.
    pub(super) fn login(&mut self, method: v1::AuthMethodId) {
        let what = "authenticate";
        let methods = self.hello.as_ref().map(|hello| &*hello.auth_methods);
        let offered = methods
            .unwrap_or_default()
            .iter()
            .find(|it| id(it) == Some(&method));
        match offered {
            None => {
                let why = format!("the agent has no login `{method}`");
                return self.fail(failure::not_offered(what, &why));
            }
            Some(v1::AuthMethod::Terminal(_)) => {
                let why = "this login runs in a terminal; it cannot be asked for";
                return self.fail(failure::not_offered(what, why));
            }
            Some(_) => {}
        }
        let time = self.setup.times.login;
        let request = v1::AuthenticateRequest::new(method.clone());
        self.ask_within(time, what, request, move |conversation, _| {
            conversation.tell(Event::LoggedIn(method));
            for session in conversation.sessions.ids() {
                conversation.go_on(&session);
            }
        });
    }

    pub(super) fn logout(&mut self) {
        let hello = self.hello.as_ref();
        if hello.is_none_or(|hello| hello.agent_capabilities.auth.logout.is_none()) {
            let why = "the agent cannot log out; use its own program for that";
            return self.fail(failure::not_offered("logout", why));
        }
        self.ask("logout", v1::LogoutRequest::new(), |conversation, _| {
            conversation.tell(Event::LoggedOut);
        });
    }
}

fn id(method: &v1::AuthMethod) -> Option<&v1::AuthMethodId> {
    match method {
        v1::AuthMethod::Terminal(method) => Some(&method.id),
        v1::AuthMethod::Agent(method) => Some(&method.id),
        v1::AuthMethod::Other(_) => None,
    }
}
