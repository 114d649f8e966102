//! The fields of an event that go into the log: names, paths and outcomes, without contents and without anything that
//! looks like a secret.

use attache_text::secret::{mask, mask_words};
use serde_json::Value;

use attache_process::ExecRecord;

use super::{AnswerReach, Event, UserAnswer};
use crate::environment::WithheldValues;
use crate::permissions::{Action, Reason};

/// An event as it is logged: its time, name and fields.
#[derive(Debug)]
pub(super) struct EventRecord {
    pub(super) time: String,
    pub(super) event: &'static str,
    pub(super) fields: Vec<(&'static str, Value)>,
}

impl EventRecord {
    /// Records an event that has just happened, without the withheld values.
    pub(super) fn of(event: &Event<'_>, withheld: &WithheldValues) -> EventRecord {
        let mut fields = event.fields();
        for (_, value) in &mut fields {
            withheld.replace_in(value);
        }
        EventRecord {
            time: jiff::Timestamp::now().to_string(),
            event: event.name(),
            fields,
        }
    }
}

impl Event<'_> {
    fn name(&self) -> &'static str {
        match self {
            Event::Started { .. } => "started",
            Event::LoggedIn { .. } => "login",
            Event::Asked(_) => "asked",
            Event::Decided { .. } => "decided",
            Event::Undone { .. } => "undone",
            Event::Read { .. } => "read",
            Event::Wrote { .. } => "wrote",
            Event::Ran { .. } => "ran",
            Event::Executed { .. } => "executed",
            Event::Ended { .. } => "ended",
        }
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            Event::Started { agent } => vec![("agent", cut(agent))],
            Event::LoggedIn {
                agent,
                command,
                variables,
                outcome,
            } => logged_in(agent, command, variables, outcome),
            Event::Asked(action) => action_fields(action),
            Event::Decided {
                action,
                is_allowed,
                reason,
                answer,
            } => decided(action, *is_allowed, reason, answer.as_ref()),
            Event::Undone {
                id,
                agent,
                session,
                subject,
                was_in_force,
            } => undone(id, agent, *session, *subject, *was_in_force),
            Event::Read {
                agent,
                session,
                path,
                outcome,
            }
            | Event::Wrote {
                agent,
                session,
                path,
                outcome,
            } => session_fields(
                agent,
                session,
                [
                    ("path", cut(&path.to_string_lossy())),
                    match outcome {
                        Ok(bytes) => ("bytes", Value::from(*bytes)),
                        Err(why) => ("error", text(why)),
                    },
                ],
            ),
            Event::Ran {
                agent,
                session,
                command,
                outcome,
            } => session_fields(
                agent,
                session,
                [
                    ("command", words(command)),
                    match outcome {
                        Ok(terminal) => ("terminal", cut(terminal)),
                        Err(why) => ("error", text(why)),
                    },
                ],
            ),
            Event::Executed {
                agent,
                session,
                exec,
                outcome,
                reason,
            } => executed(agent, *session, exec, outcome, *reason),
            Event::Ended {
                agent,
                session,
                terminal,
                outcome,
            } => session_fields(
                agent,
                session,
                [("terminal", cut(terminal)), ("how", text(outcome))],
            ),
        }
    }
}

fn logged_in(
    agent: &str,
    command: &[String],
    variables: &[String],
    outcome: &str,
) -> Vec<(&'static str, Value)> {
    vec![
        ("agent", cut(agent)),
        ("command", words(command)),
        ("variables", list(variables)),
        ("outcome", text(outcome)),
    ]
}

/// The agent and session, followed by the fields of the event.
fn session_fields(
    agent: &str,
    session: &str,
    done: [(&'static str, Value); 2],
) -> Vec<(&'static str, Value)> {
    let agent = Some(agent).filter(|agent| !agent.is_empty());
    let agent = agent.map(|agent| ("agent", cut(agent)));
    let whose = agent.into_iter().chain([("session", cut(session))]);
    whose.chain(done).collect()
}

/// The executed file, its arguments, its directory and its parent processes.
fn executed(
    agent: &str,
    session: Option<&str>,
    exec: &ExecRecord,
    outcome: &'static str,
    reason: Option<&str>,
) -> Vec<(&'static str, Value)> {
    let text_of = |word: &std::ffi::OsString| word.to_string_lossy().into_owned();
    let args: Vec<String> = exec.args.iter().map(text_of).collect();
    let mut fields = vec![("agent", cut(agent))];
    fields.retain(|_| !agent.is_empty());
    fields.extend(session.map(|session| ("session", cut(session))));
    fields.push(("program", cut(&exec.program.to_string_lossy())));
    let mut command = words(&args);
    if let (1.., Value::Array(shown)) = (exec.more, &mut command) {
        shown.push(Value::from(format!("… ({} more)", exec.more)));
    }
    fields.push(("command", command));
    let cwd = exec.cwd.as_ref();
    fields.extend(cwd.map(|cwd| ("cwd", cut(&cwd.to_string_lossy()))));
    fields.push(("parents", list(exec.parents.iter().map(text_of))));
    fields.push(("outcome", Value::from(outcome)));
    fields.extend(reason.map(|reason| ("because", text(reason))));
    fields
}

fn decided(
    action: &Action,
    is_allowed: Option<bool>,
    reason: &Reason,
    answer: Option<&UserAnswer<'_>>,
) -> Vec<(&'static str, Value)> {
    let outcome = match is_allowed {
        Some(true) => "allowed",
        Some(false) => "denied",
        None => "cancelled",
    };
    let mut fields = action_fields(action);
    fields.push(("outcome", Value::from(outcome)));
    fields.push(("because", text(reason.as_str())));
    let Some(answer) = answer else {
        return fields;
    };
    let scope = match answer.reach {
        AnswerReach::Scope(scope) => scope.to_string(),
        AnswerReach::Agent => "agent".to_owned(),
    };
    fields.push(("scope", Value::from(scope)));
    let expires = answer
        .expires
        .and_then(|end| jiff::Timestamp::try_from(end).ok());
    fields.extend(expires.map(|end| ("expires", Value::from(end.to_string()))));
    fields.extend(answer.option.map(|name| ("option", text(name))));
    fields.extend(answer.id.map(|id| ("decision", cut(id))));
    fields
}

fn undone(
    id: &str,
    agent: &str,
    session: Option<&str>,
    subject: Option<&str>,
    was_in_force: bool,
) -> Vec<(&'static str, Value)> {
    let outcome = match was_in_force {
        true => "undone",
        false => "too late",
    };
    let mut fields = vec![("agent", cut(agent))];
    fields.extend(session.map(|session| ("session", cut(session))));
    fields.extend(subject.map(|subject| ("what", text(subject))));
    fields.push(("decision", cut(id)));
    fields.push(("outcome", Value::from(outcome)));
    fields
}

fn action_fields(action: &Action) -> Vec<(&'static str, Value)> {
    let paths = action.paths.iter().map(|path| path.to_string_lossy());
    let mut fields = vec![
        ("agent", cut(&action.agent)),
        ("session", cut(action.session.as_str())),
        ("workspace", cut(&action.workspace.to_string_lossy())),
        ("kind", cut(action.kind.as_str())),
        ("title", text(&action.title)),
        ("digest", Value::from(action.digest.to_string())),
        ("paths", list(paths)),
    ];
    if let Some(tool) = &action.tool {
        fields.push(("tool", cut(tool)));
    }
    if let Some(command) = &action.command {
        fields.push(("command", words(command)));
    }
    if let Some(directory) = &action.directory {
        fields.push(("directory", cut(&directory.to_string_lossy())));
    }
    fields
}

fn words(command: &[String]) -> Value {
    list(mask_words(command))
}

/// The first few texts, and how many more there are.
fn list(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Value {
    let mut texts = texts.into_iter();
    let shown = texts
        .by_ref()
        .take(MAX_ITEMS)
        .map(|text| cut(text.as_ref()));
    let mut shown: Vec<Value> = shown.collect();
    match texts.count() {
        0 => {}
        more => shown.push(Value::from(format!("… ({more} more)"))),
    }
    Value::Array(shown)
}

fn text(text: &str) -> Value {
    cut(&mask(text))
}

fn cut(text: &str) -> Value {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => Value::from(format!("{}… ({} bytes)", &text[..end], text.len())),
        None => Value::from(text),
    }
}

/// Keeps a line well below the size that is read back at once.
const MAX_ITEMS: usize = 32;
const MAX_TEXT: usize = 1024;
