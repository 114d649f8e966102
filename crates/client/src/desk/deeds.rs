//! What the agent does through us: to read or write a file and to run a command need leave, like what it asks for in
//! words. Leave that was given in this turn for just that is enough.

use attache::json::{Encode, Object, Raw};
use attache::schema::{FilePath, error};
use attache::{Error, Reply, v1};
use attache_host::permissions::{Action, Because, Verdict};
use attache_host::{Place, audit};

use super::{Desk, before};
use crate::event::{Event, HostRequest, PermissionPrompt, PromptSubject};

/// Whether something may be done.
enum Leave {
    Given,
    Refused(Because),
    /// A person is to be asked.
    Wanted,
}

impl Desk {
    /// Does something once there is leave for it, and answers.
    pub(super) fn with_leave<T, F>(
        &mut self,
        deed: v1::RequestPermissionRequest,
        request: HostRequest,
        reply: Reply<T>,
        act: impl FnOnce(Reply<T>) -> F + Send + 'static,
    ) where
        T: Encode + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let Some(session) = self.sessions.get(&deed.session_id) else {
            return reply.fail(error::session_not_found(&deed.session_id));
        };
        let what = Action::of(&self.setup.agent, session.cwd.clone(), &deed, None);
        let (permissions, asked) = (self.setup.host.permissions.clone(), what.clone());
        let judged = self.clerk.hand(move || permissions.judge(&asked));
        self.served.push(before(judged, move |desk, verdict| {
            desk.judged(deed, request, what, verdict, reply, act);
        }));
    }

    fn judged<T, F>(
        &mut self,
        deed: v1::RequestPermissionRequest,
        request: HostRequest,
        what: Action,
        verdict: Option<Verdict>,
        reply: Reply<T>,
        act: impl FnOnce(Reply<T>) -> F + Send + 'static,
    ) where
        T: Encode + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let Some(leave) = self.leave_for(&deed, &request, &what, verdict) else {
            return reply.fail(error::session_not_found(&deed.session_id));
        };
        match leave {
            Leave::Given => self.attend(act(reply)),
            Leave::Refused(because) => {
                reply.fail(refusal(&format!("it is not allowed ({because})")));
            }
            Leave::Wanted => {
                let (key, answered) = self.put(deed, request, what);
                let settled = async move {
                    let outcome = tokio::select! {
                        biased;
                        outcome = answered => outcome.ok(),
                        () = reply.cancelled() => return,
                    };
                    match outcome.is_some_and(|outcome| is_given(&outcome)) {
                        true => act(reply).await,
                        false => reply.fail(refusal("the person has not allowed it")),
                    }
                };
                self.wait(settled, move |desk, ()| drop(desk.take_back(key)));
            }
        }
    }

    /// Nothing where there is no such session: the host may know one a moment before we do.
    fn leave_for(
        &mut self,
        deed: &v1::RequestPermissionRequest,
        request: &HostRequest,
        what: &Action,
        verdict: Option<Verdict>,
    ) -> Option<Leave> {
        let session = self.sessions.get_mut(&deed.session_id)?;
        let content = deed.tool_call.content.as_deref().unwrap_or_default();
        let permissions = &self.setup.host.permissions;
        let (is_allowed, because) = match verdict {
            Some(Verdict::Allow(_)) if what.kind == v1::ToolKind::Read => {
                return Some(Leave::Given);
            }
            // No leave goes past a rule that denies.
            _ if permissions.forbids(what).is_none() && session.spend(what, content) => {
                return Some(Leave::Given);
            }
            Some(Verdict::Allow(because)) => (true, because),
            Some(Verdict::Deny(because)) => (false, because),
            Some(Verdict::Ask) if self.can_ask(&deed.session_id) => return Some(Leave::Wanted),
            Some(Verdict::Ask) | None => {
                let because = "the turn was cancelled, or too much is asked".to_owned();
                (false, Because(because))
            }
        };
        self.note(&audit::Event::Asked(what));
        self.note(&audit::Event::Decided {
            action: what,
            is_allowed: Some(is_allowed),
            because: &because,
        });
        let prompt = PermissionPrompt {
            id: 0,
            action: what.clone(),
            subject: PromptSubject::HostRequest(request.clone()),
            options: Vec::new(),
            disk: Vec::new(),
        };
        self.tell(Event::Decided {
            prompt: Box::new(prompt),
            is_allowed,
            because: because.clone(),
        });
        Some(match is_allowed {
            true => Leave::Given,
            false => Leave::Refused(because),
        })
    }
}

/// What the agent does, for the user.
pub(super) fn reading(request: &v1::ReadTextFileRequest) -> HostRequest {
    let path = request.path.as_path().to_owned();
    HostRequest::Read { path }
}

pub(super) fn writing(deed: &v1::RequestPermissionRequest) -> Option<HostRequest> {
    let content = deed.tool_call.content.iter().flatten();
    let mut changes = content.filter_map(|content| match content {
        v1::ToolCallContent::Diff(change) => Some(change.clone()),
        _ => None,
    });
    let change = changes.next()?;
    Some(HostRequest::Write { change })
}

pub(super) fn running(request: &v1::CreateTerminalRequest) -> HostRequest {
    HostRequest::Run {
        command: [std::slice::from_ref(&request.command), &request.args].concat(),
        cwd: request.cwd.as_ref().map(|cwd| cwd.as_path().to_owned()),
        env: request.env.clone(),
    }
}

/// `place` is where the path leads.
pub(super) fn read(
    request: &v1::ReadTextFileRequest,
    place: &Place,
) -> v1::RequestPermissionRequest {
    let path = &request.path;
    let call = v1::ToolCallUpdate::new(OWN)
        .title(format!("Read {path}"))
        .kind(v1::ToolKind::Read)
        .locations(locations(path, place));
    asked(&request.session_id, call)
}

/// `place` is where the path leads, and what is there now.
pub(super) fn write(
    request: &v1::WriteTextFileRequest,
    place: Place,
) -> v1::RequestPermissionRequest {
    let path = &request.path;
    let mut change = v1::Diff::new(path.clone(), request.content.as_str());
    let locations = locations(path, &place);
    change.old_text = place.text;
    let call = v1::ToolCallUpdate::new(OWN)
        .title(format!("Write {path}"))
        .kind(v1::ToolKind::Edit)
        .locations(locations)
        .content([change]);
    asked(&request.session_id, call)
}

pub(super) fn run(request: &v1::CreateTerminalRequest) -> v1::RequestPermissionRequest {
    let words = [std::slice::from_ref(&request.command), &request.args].concat();
    let mut input = Object::default();
    input.put("command", &words);
    if let Some(cwd) = &request.cwd {
        input.put("cwd", cwd);
    }
    if !request.env.is_empty() {
        let mut env = Object::default();
        for variable in &request.env {
            env.put(&variable.name, &variable.value);
        }
        input.put("env", &env);
    }
    let call = v1::ToolCallUpdate::new(OWN)
        .title(words.join(" "))
        .kind(v1::ToolKind::Execute)
        .raw_input(Raw::of(&input));
    asked(&request.session_id, call)
}

/// The path as the agent names it, and what a link makes of it: rules and people look at both.
fn locations(path: &FilePath, place: &Place) -> Vec<v1::ToolCallLocation> {
    let resolved = place.resolved.iter();
    let resolved = resolved.map(|path| path.to_string_lossy().into_owned().into());
    std::iter::once(path.clone())
        .chain(resolved)
        .map(v1::ToolCallLocation::new)
        .collect()
}

fn asked(session: &v1::SessionId, call: v1::ToolCallUpdate) -> v1::RequestPermissionRequest {
    let options = [
        v1::PermissionOption::new(YES, "Allow", v1::PermissionOptionKind::AllowOnce),
        v1::PermissionOption::new("no", "Reject", v1::PermissionOptionKind::RejectOnce),
    ];
    v1::RequestPermissionRequest::new(session.clone(), call, options)
}

fn is_given(outcome: &v1::RequestPermissionOutcome) -> bool {
    matches!(outcome, v1::RequestPermissionOutcome::Selected(chosen) if chosen.option_id.as_str() == YES)
}

fn refusal(why: &str) -> Error {
    error::invalid_request("permission_denied", why)
}

/// What an agent does through us is no tool call of its own.
const OWN: &str = "";
const YES: &str = "yes";
