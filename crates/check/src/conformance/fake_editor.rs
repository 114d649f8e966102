//! The client that an agent under test talks to: the files of one directory, simulated terminals, and a user whose
//! decisions are set in advance.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::json::text;
use super::test_connection::{HandlerReply, RequestHandler};

/// A client with one directory, simulated terminals and a simulated user.
pub(crate) struct FakeEditor {
    folder: PathBuf,
    pub(crate) decision: UserDecision,
    pub(crate) reads: ServiceState,
    pub(crate) writes: ServiceState,
    pub(crate) terminals: ServiceState,
    /// Whether commands exit without being killed.
    pub(crate) commands: CommandLifetime,
    pub(crate) form: FormAction,
    created: HashMap<String, FakeTerminal>,
}

/// The simulated user's decision about permission requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserDecision {
    Allow,
    Reject,
    /// Responds with the outcome `cancelled`.
    Cancel,
    /// Leaves the request open until the test case answers it.
    Defer,
    /// Responds with an error: there is nobody to ask.
    Fail,
}

/// Whether requests for a service succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceState {
    Works,
    Fails,
}

/// How long a command in a simulated terminal runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandLifetime {
    Ends,
    RunsUntilKilled,
}

/// The simulated user's response to a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormAction {
    Accept,
    Decline,
    Cancel,
    /// An action that is not in the protocol.
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FakeTerminal {
    Running,
    Exited,
    Killed,
}

impl FakeEditor {
    pub(crate) fn new(folder: &Path) -> Self {
        FakeEditor {
            folder: folder.to_owned(),
            decision: UserDecision::Allow,
            reads: ServiceState::Works,
            writes: ServiceState::Works,
            terminals: ServiceState::Works,
            commands: CommandLifetime::Ends,
            form: FormAction::Accept,
            created: HashMap::new(),
        }
    }

    fn choose_option(&self, params: &Value) -> HandlerReply {
        let wanted = match self.decision {
            UserDecision::Allow => "allow_once",
            UserDecision::Reject => "reject_once",
            UserDecision::Cancel => {
                return HandlerReply::Ok(json!({ "outcome": { "outcome": "cancelled" } }));
            }
            UserDecision::Defer => return HandlerReply::Defer,
            UserDecision::Fail => return HandlerReply::Error(-32603, "there is no user to ask"),
        };
        let options = params.get("options").and_then(Value::as_array);
        let options = options.map_or(&[][..], Vec::as_slice);
        // Never an "always" option: the agent would remember it after the check, for the user.
        // If two options have the same id, the agent may use either.
        let fits = |option: &&Value| {
            let id = option.get("optionId");
            let same = options.iter().filter(|other| other.get("optionId") == id);
            text(option, "/kind") == wanted && same.count() == 1
        };
        let chosen = options.iter().find(fits);
        match chosen.and_then(|option| option.get("optionId")) {
            Some(id) => {
                HandlerReply::Ok(json!({ "outcome": { "outcome": "selected", "optionId": id } }))
            }
            None => HandlerReply::Ok(json!({ "outcome": { "outcome": "cancelled" } })),
        }
    }

    fn read(&self, params: &Value) -> HandlerReply {
        if self.reads == ServiceState::Fails {
            return HandlerReply::Error(-32603, "the disk does not respond");
        }
        let path = Path::new(text(params, "/path"));
        let content = match self.is_inside(path).then(|| fs::read_to_string(path)) {
            Some(Ok(content)) => content,
            _ => return HandlerReply::Error(-32002, "there is no such file"),
        };
        let number = |name: &str| params.get(name).and_then(Value::as_u64);
        let number = |name| number(name).and_then(|it| usize::try_from(it).ok());
        let first = number("line").unwrap_or(1).max(1) - 1;
        let limit = number("limit").unwrap_or(usize::MAX);
        let lines: String = content
            .split_inclusive('\n')
            .skip(first)
            .take(limit)
            .collect();
        HandlerReply::Ok(json!({ "content": lines }))
    }

    fn write(&self, params: &Value) -> HandlerReply {
        let path = Path::new(text(params, "/path"));
        let inside = self.is_inside(path) && self.writes == ServiceState::Works;
        match inside.then(|| fs::write(path, text(params, "/content"))) {
            Some(Ok(())) => HandlerReply::Ok(json!({})),
            _ => HandlerReply::Error(-32603, "the file cannot be written"),
        }
    }

    fn is_inside(&self, path: &Path) -> bool {
        let has_parent_dir = path.components().any(|it| it == Component::ParentDir);
        path.starts_with(&self.folder) && !has_parent_dir
    }

    fn terminal(&mut self, method: &str, params: &Value) -> HandlerReply {
        if method == "terminal/create" {
            if self.terminals == ServiceState::Fails {
                return HandlerReply::Error(-32603, "terminals are not available");
            }
            let id = format!("terminal-{}", self.created.len() + 1);
            let state = match self.commands {
                CommandLifetime::Ends => FakeTerminal::Exited,
                CommandLifetime::RunsUntilKilled => FakeTerminal::Running,
            };
            self.created.insert(id.clone(), state);
            return HandlerReply::Ok(json!({ "terminalId": id }));
        }
        let id = text(params, "/terminalId").to_owned();
        let Some(state) = self.created.get_mut(&id) else {
            return HandlerReply::Error(-32002, "there is no such terminal");
        };
        match method {
            "terminal/output" => {
                let output = json!({ "output": "hello\n", "truncated": false });
                HandlerReply::Ok(with_status(output, *state))
            }
            "terminal/wait_for_exit" => match *state {
                FakeTerminal::Running => HandlerReply::Defer,
                ended => HandlerReply::Ok(exit_status(ended)),
            },
            "terminal/kill" => {
                if *state == FakeTerminal::Running {
                    *state = FakeTerminal::Killed;
                }
                HandlerReply::Ok(json!({}))
            }
            _ => {
                self.created.remove(&id);
                HandlerReply::Ok(json!({}))
            }
        }
    }

    fn form(&self, params: &Value) -> HandlerReply {
        HandlerReply::Ok(match self.form {
            FormAction::Accept if text(params, "/mode") == "form" => {
                json!({ "action": "accept", "content": filled(params) })
            }
            FormAction::Accept => json!({ "action": "accept" }),
            FormAction::Decline => json!({ "action": "decline" }),
            FormAction::Cancel => json!({ "action": "cancel" }),
            FormAction::Unknown => json!({ "action": "_ponder" }),
        })
    }
}

impl RequestHandler for FakeEditor {
    fn handle(&mut self, method: &str, params: &Value) -> HandlerReply {
        match method {
            "session/request_permission" => self.choose_option(params),
            "fs/read_text_file" => self.read(params),
            "fs/write_text_file" => self.write(params),
            "elicitation/create" => self.form(params),
            "terminal/create"
            | "terminal/output"
            | "terminal/wait_for_exit"
            | "terminal/kill"
            | "terminal/release" => self.terminal(method, params),
            _ => HandlerReply::Error(-32601, "method not found"),
        }
    }

    fn retry(&mut self, method: &str, params: &Value) -> Option<HandlerReply> {
        if method != "terminal/wait_for_exit" {
            return None;
        }
        match self.created.get(text(params, "/terminalId")) {
            Some(FakeTerminal::Running) => None,
            Some(ended) => Some(HandlerReply::Ok(exit_status(*ended))),
            None => Some(HandlerReply::Ok(exit_status(FakeTerminal::Killed))),
        }
    }
}

fn with_status(mut output: Value, state: FakeTerminal) -> Value {
    if state != FakeTerminal::Running {
        output["exitStatus"] = exit_status(state);
    }
    output
}

fn exit_status(state: FakeTerminal) -> Value {
    match state {
        FakeTerminal::Killed => json!({ "exitCode": null, "signal": "SIGKILL" }),
        FakeTerminal::Running | FakeTerminal::Exited => json!({ "exitCode": 0, "signal": null }),
    }
}

/// A valid value for each member of a form.
fn filled(params: &Value) -> Value {
    let properties = params.pointer("/requestedSchema/properties");
    let Some(properties) = properties.and_then(Value::as_object) else {
        return json!({});
    };
    let filled = properties.iter().map(|(name, property)| {
        let value = match (property.get("default"), text(property, "/type")) {
            (Some(default), _) => default.clone(),
            (None, "boolean") => json!(true),
            (None, "number" | "integer") => property.get("minimum").cloned().unwrap_or(json!(1)),
            (None, "array") => json!([first_choice(property.get("items"))]),
            (None, _) => first_choice(Some(property)),
        };
        (name.clone(), value)
    });
    Value::Object(filled.collect())
}

fn first_choice(property: Option<&Value>) -> Value {
    let at = |pointer: &str| property.and_then(|property| property.pointer(pointer));
    let known = at("/enum/0")
        .or(at("/oneOf/0/const"))
        .or(at("/anyOf/0/const"));
    known.cloned().unwrap_or_else(|| json!("check"))
}
