//! Responses: the request of each, and its content.

use std::borrow::Cow;

use attache_dialect::Role;
use attache_rpc::{Error, Id};
use attache_schema::method::{Method, MethodKind};
use attache_schema::rules;

use super::Conversation;
use super::participant::{OpenRequest, TypedRequest, arrow, direction, other};
use crate::line::error_with_title;

impl Conversation {
    pub(super) fn answer(
        &mut self,
        from: Option<Role>,
        id: &Id,
        outcome: Result<&str, Error>,
    ) -> String {
        let requester = from
            .map(other)
            .or_else(|| self.requester(id, outcome.as_ref().ok().copied()));
        let open = requester
            .and_then(|requester| Some((requester, self.participant(requester).open.remove(id)?)));
        let Some((requester, open)) = open else {
            if self.broken.remove(id) || (id.is_null() && outcome.is_err()) {
                self.note("it responds to a line that was not a message".to_owned());
            } else {
                self.problem("there is no pending request for this response");
            }
            let failed = outcome.err().map(|error| failed(&error));
            let failed = failed.unwrap_or_default();
            return format!("{} a response  (to {id}){failed}", arrow(from));
        };
        let outcome = self.outcome(requester, id, &open, outcome);
        if !self.is_foreign {
            self.check_answer(requester, &open, outcome.as_ref().map(String::as_str));
        }
        let failed = outcome.err().map(|error| failed(&error));
        let failed = failed.unwrap_or_default();
        let (arrow, method) = (arrow(Some(other(requester))), &open.method);
        format!("{arrow} {method}  (response to {id}){failed}")
    }

    /// The request that this id and result respond to.
    pub(super) fn requester(&self, id: &Id, result: Option<&str>) -> Option<Role> {
        let (client, agent) = match (self.client.open.get(id), self.agent.open.get(id)) {
            (Some(client), Some(agent)) => (client, agent),
            (Some(_), None) => return Some(Role::Client),
            (None, Some(_)) => return Some(Role::Agent),
            (None, None) => return None,
        };
        let fits = |open: &OpenRequest, requester| {
            result.is_none_or(|result| open.fits(requester, result))
        };
        match (fits(client, Role::Client), fits(agent, Role::Agent)) {
            (true, false) => Some(Role::Client),
            (false, true) => Some(Role::Agent),
            _ if client.number > agent.number => Some(Role::Client),
            _ => Some(Role::Agent),
        }
    }

    /// The outcome as official JSON, shown in a note if it differs.
    fn outcome(
        &mut self,
        requester: Role,
        id: &Id,
        open: &OpenRequest,
        outcome: Result<&str, Error>,
    ) -> Result<String, Error> {
        let method = open.method.as_str();
        if let (Role::Client, "initialize", Ok(result)) = (requester, method, &outcome) {
            self.read_initialize_response(result);
        }
        if self.is_foreign {
            return outcome.map(str::to_owned);
        }
        let translator = &mut self.participant(other(requester)).translator;
        let said = match &outcome {
            Ok(result) => (*result).to_owned(),
            Err(error) => error_with_title(error),
        };
        let official = match outcome {
            Ok(result) => translator
                .read_result(id, method, result)
                .map(Cow::into_owned),
            Err(error) => Err(translator.read_error(id, method, error)),
        };
        let read = official
            .as_ref()
            .map_or_else(error_with_title, Clone::clone);
        if read != said {
            self.note(format!("officially: {read}"));
        }
        let translator = &mut self.participant(requester).translator;
        match &official {
            Ok(result) => drop(translator.write_result(id, method, result)),
            Err(error) => drop(translator.write_error(id, method, error.clone())),
        }
        official
    }

    fn check_answer(&mut self, requester: Role, open: &OpenRequest, outcome: Result<&str, &Error>) {
        match &open.request {
            TypedRequest::ByClient(request) => {
                let found = rules::agent::check_response(request, outcome, &self.context);
                self.violations(found);
                self.context.on_agent_response(request, outcome);
            }
            TypedRequest::ByAgent(request) => {
                let found = rules::client::check_response(request, outcome, &self.context);
                self.violations(found);
                self.context.on_client_response(request, outcome);
            }
            TypedRequest::Unread => {
                let method = Method::find(&open.method, MethodKind::Request, direction(requester));
                let shape = method.and_then(|method| method.result);
                if let (Some(shape), Ok(result)) = (shape, outcome)
                    && let Err(fault) = shape.check(result)
                {
                    self.problem(&fault.within("result").to_string());
                }
            }
        }
    }
}

fn failed(error: &Error) -> String {
    format!(
        "  (failed: {})",
        error_with_title(error).replacen(": ", " ", 1)
    )
}
