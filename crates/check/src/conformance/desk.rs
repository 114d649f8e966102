//! The client that an agent under test talks to: files of a directory, terminals that pretend, and a person of whom is
//! known beforehand what they say.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use super::json::text;
use super::stage::{Manners, Reply};

pub(crate) struct Desk {
    folder: PathBuf,
    pub(crate) person: Person,
    pub(crate) reads: Service,
    pub(crate) writes: Service,
    pub(crate) terminals: Service,
    /// Whether commands end by themselves.
    pub(crate) commands: Commands,
    pub(crate) form: Form,
    made: HashMap<String, Terminal>,
}

/// What the person says when asked for permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Person {
    Allows,
    Rejects,
    /// Closes the question.
    Leaves,
    /// Does not answer until the act does.
    Waits,
    /// The client fails to ask.
    IsMissing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    Works,
    Fails,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Commands {
    End,
    Last,
}

/// What the person does with a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Accepts,
    Declines,
    Cancels,
    /// Something that no protocol knows yet.
    Puzzles,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Terminal {
    Running,
    Ended,
    Killed,
}

impl Desk {
    pub(crate) fn new(folder: &Path) -> Self {
        Desk {
            folder: folder.to_owned(),
            person: Person::Allows,
            reads: Service::Works,
            writes: Service::Works,
            terminals: Service::Works,
            commands: Commands::End,
            form: Form::Accepts,
            made: HashMap::new(),
        }
    }

    fn permission(&self, params: &Value) -> Reply {
        let wanted = match self.person {
            Person::Allows => "allow_once",
            Person::Rejects => "reject_once",
            Person::Leaves => return Reply::Ok(json!({ "outcome": { "outcome": "cancelled" } })),
            Person::Waits => return Reply::Hold,
            Person::IsMissing => return Reply::Fail(-32603, "there is no user to ask"),
        };
        let options = params.get("options").and_then(Value::as_array);
        let options = options.map_or(&[][..], Vec::as_slice);
        // Never an option that lasts: the agent would keep it, and what a check leaves behind would count for the user.
        // Of two options with one id, the agent may take either.
        let fits = |option: &&Value| {
            let id = option.get("optionId");
            let same = options.iter().filter(|other| other.get("optionId") == id);
            text(option, "/kind") == wanted && same.count() == 1
        };
        let chosen = options.iter().find(fits);
        match chosen.and_then(|option| option.get("optionId")) {
            Some(id) => Reply::Ok(json!({ "outcome": { "outcome": "selected", "optionId": id } })),
            None => Reply::Ok(json!({ "outcome": { "outcome": "cancelled" } })),
        }
    }

    fn read(&self, params: &Value) -> Reply {
        if self.reads == Service::Fails {
            return Reply::Fail(-32603, "the disk does not answer");
        }
        let path = Path::new(text(params, "/path"));
        let content = match self.holds(path).then(|| fs::read_to_string(path)) {
            Some(Ok(content)) => content,
            _ => return Reply::Fail(-32002, "there is no such file"),
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
        Reply::Ok(json!({ "content": lines }))
    }

    fn write(&self, params: &Value) -> Reply {
        let path = Path::new(text(params, "/path"));
        let inside = self.holds(path) && self.writes == Service::Works;
        match inside.then(|| fs::write(path, text(params, "/content"))) {
            Some(Ok(())) => Reply::Ok(json!({})),
            _ => Reply::Fail(-32603, "the file cannot be written"),
        }
    }

    fn holds(&self, path: &Path) -> bool {
        let climbs = path.components().any(|it| it == Component::ParentDir);
        path.starts_with(&self.folder) && !climbs
    }

    fn terminal(&mut self, method: &str, params: &Value) -> Reply {
        if method == "terminal/create" {
            if self.terminals == Service::Fails {
                return Reply::Fail(-32603, "terminals are not available");
            }
            let id = format!("terminal-{}", self.made.len() + 1);
            let state = match self.commands {
                Commands::End => Terminal::Ended,
                Commands::Last => Terminal::Running,
            };
            self.made.insert(id.clone(), state);
            return Reply::Ok(json!({ "terminalId": id }));
        }
        let id = text(params, "/terminalId").to_owned();
        let Some(state) = self.made.get_mut(&id) else {
            return Reply::Fail(-32002, "there is no such terminal");
        };
        match method {
            "terminal/output" => {
                let output = json!({ "output": "hello\n", "truncated": false });
                Reply::Ok(with_status(output, *state))
            }
            "terminal/wait_for_exit" => match *state {
                Terminal::Running => Reply::Hold,
                ended => Reply::Ok(exit_status(ended)),
            },
            "terminal/kill" => {
                if *state == Terminal::Running {
                    *state = Terminal::Killed;
                }
                Reply::Ok(json!({}))
            }
            _ => {
                self.made.remove(&id);
                Reply::Ok(json!({}))
            }
        }
    }

    fn form(&self, params: &Value) -> Reply {
        Reply::Ok(match self.form {
            Form::Accepts if text(params, "/mode") == "form" => {
                json!({ "action": "accept", "content": filled(params) })
            }
            Form::Accepts => json!({ "action": "accept" }),
            Form::Declines => json!({ "action": "decline" }),
            Form::Cancels => json!({ "action": "cancel" }),
            Form::Puzzles => json!({ "action": "_ponder" }),
        })
    }
}

impl Manners for Desk {
    fn answer(&mut self, method: &str, params: &Value) -> Reply {
        match method {
            "session/request_permission" => self.permission(params),
            "fs/read_text_file" => self.read(params),
            "fs/write_text_file" => self.write(params),
            "elicitation/create" => self.form(params),
            "terminal/create"
            | "terminal/output"
            | "terminal/wait_for_exit"
            | "terminal/kill"
            | "terminal/release" => self.terminal(method, params),
            _ => Reply::Fail(-32601, "method not found"),
        }
    }

    fn wake(&mut self, method: &str, params: &Value) -> Option<Reply> {
        if method != "terminal/wait_for_exit" {
            return None;
        }
        match self.made.get(text(params, "/terminalId")) {
            Some(Terminal::Running) => None,
            Some(ended) => Some(Reply::Ok(exit_status(*ended))),
            None => Some(Reply::Ok(exit_status(Terminal::Killed))),
        }
    }
}

fn with_status(mut output: Value, state: Terminal) -> Value {
    if state != Terminal::Running {
        output["exitStatus"] = exit_status(state);
    }
    output
}

fn exit_status(state: Terminal) -> Value {
    match state {
        Terminal::Killed => json!({ "exitCode": null, "signal": "SIGKILL" }),
        Terminal::Running | Terminal::Ended => json!({ "exitCode": 0, "signal": null }),
    }
}

/// Something that fits each member of a form.
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
    let place = |pointer: &str| property.and_then(|property| property.pointer(pointer));
    let known = place("/enum/0")
        .or(place("/oneOf/0/const"))
        .or(place("/anyOf/0/const"));
    known.cloned().unwrap_or_else(|| json!("check"))
}
