//! The services of the conformant client: files beneath a directory, and terminals for a few known commands.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub(super) struct ClientServices {
    folder: PathBuf,
    terminals: HashMap<String, Terminal>,
    pub(super) waits: Vec<Value>,
    was_killed: bool,
}

#[derive(Clone)]
struct Terminal {
    output: String,
    code: Option<i64>,
    limit: Option<usize>,
}

type Outcome = Result<Value, i64>;

impl ClientServices {
    pub(super) fn new(folder: &Path) -> Self {
        ClientServices {
            folder: folder.canonicalize().unwrap(),
            terminals: HashMap::new(),
            waits: Vec::new(),
            was_killed: false,
        }
    }

    pub(super) fn handle_request(&mut self, method: &str, params: &Value) -> Outcome {
        if text(params, "/sessionId") != "check-session" && method != "elicitation/create" {
            return if params.get("sessionId").is_some() {
                Err(-32602)
            } else {
                Err(-32601)
            };
        }
        match method {
            "fs/read_text_file" => self.read(params),
            "fs/write_text_file" => self.write(params),
            "terminal/create" => self.create(params),
            "terminal/output" | "terminal/wait_for_exit" | "terminal/kill" | "terminal/release" => {
                self.terminal(method, params)
            }
            "elicitation/create" => match text(params, "/mode") {
                "form" => Ok(json!({ "action": "decline" })),
                "url" => Ok(json!({ "action": "cancel" })),
                _ => Err(-32602),
            },
            _ => Err(-32601),
        }
    }

    /// The path on disk, if it stays beneath the directory.
    fn inside(&self, path: &str) -> Result<PathBuf, i64> {
        let path = Path::new(path);
        let parent = path.parent().ok_or(-32602)?;
        let real = parent
            .canonicalize()
            .map_err(|_| -32002)?
            .join(path.file_name().ok_or(-32602)?);
        let real = real.canonicalize().unwrap_or(real);
        match path.is_absolute() && real.starts_with(&self.folder) {
            true => Ok(real),
            false => Err(-32602),
        }
    }

    fn read(&self, params: &Value) -> Outcome {
        let path = self.inside(text(params, "/path"))?;
        let content = fs::read_to_string(path).map_err(|_| -32002)?;
        let number = |name: &str| {
            params
                .get(name)
                .and_then(Value::as_u64)
                .map(|it| usize::try_from(it).unwrap())
        };
        let lines = content
            .split_inclusive('\n')
            .skip(number("line").unwrap_or(1).max(1) - 1);
        let lines: String = lines.take(number("limit").unwrap_or(usize::MAX)).collect();
        Ok(json!({ "content": lines }))
    }

    fn write(&self, params: &Value) -> Outcome {
        let path = match params.get("careless") {
            Some(_) => PathBuf::from(text(params, "/path")),
            None => self.inside(text(params, "/path"))?,
        };
        fs::write(path, text(params, "/content")).map_err(|_| -32603)?;
        Ok(json!({}))
    }

    fn create(&mut self, params: &Value) -> Outcome {
        let args = params
            .get("args")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let arg = |at: usize| args.get(at).and_then(Value::as_str).unwrap_or("");
        let folder = self.folder.to_string_lossy().into_owned();
        let env = params
            .pointer("/env/0/value")
            .and_then(Value::as_str)
            .unwrap_or("");
        let (output, code) = match (text(params, "/command"), arg(1)) {
            ("sh", "printf hello; exit 3") => ("hello".to_owned(), Some(3)),
            ("sh", "printf %s \"$CHECK\"") => (env.to_owned(), Some(0)),
            ("sh", "pwd") => (folder, Some(0)),
            ("sh", "sleep 600") => (String::new(), None),
            ("sh", _) => ("ä".repeat(10), Some(0)),
            ("printf", _) => (format!("{}|{}", arg(1), arg(2)), Some(0)),
            ("cat", _) => (String::new(), Some(0)),
            _ => return Err(-32603),
        };
        let limit = params
            .get("outputByteLimit")
            .and_then(Value::as_u64)
            .map(|it| usize::try_from(it).unwrap());
        let id = format!("t{}", self.terminals.len() + 1);
        let terminal = Terminal {
            output,
            code,
            limit,
        };
        self.terminals.insert(id.clone(), terminal);
        Ok(json!({ "terminalId": id }))
    }

    pub(super) fn runs(&self, params: &Value) -> bool {
        let terminal = self.terminals.get(text(params, "/terminalId"));
        terminal.is_some_and(|it| it.code.is_none())
    }

    /// The requests that waited for a command that was killed.
    pub(super) fn released_waits(&mut self) -> Vec<Value> {
        match std::mem::take(&mut self.was_killed) {
            true => std::mem::take(&mut self.waits),
            false => Vec::new(),
        }
    }

    fn terminal(&mut self, method: &str, params: &Value) -> Outcome {
        let id = text(params, "/terminalId").to_owned();
        let terminal = self.terminals.get_mut(&id).ok_or(-32002)?;
        match method {
            "terminal/output" => {
                let limit = terminal.limit.unwrap_or(usize::MAX);
                let mut kept = terminal.output.as_str();
                while kept.len() > limit {
                    kept = &kept[kept.chars().next().map_or(0, char::len_utf8)..];
                }
                let mut result =
                    json!({ "output": kept, "truncated": kept.len() < terminal.output.len() });
                if let Some(code) = terminal.code {
                    result["exitStatus"] = json!({ "exitCode": code, "signal": null });
                }
                Ok(result)
            }
            "terminal/wait_for_exit" => Ok(json!({ "exitCode": terminal.code, "signal": null })),
            "terminal/kill" => {
                terminal.code = terminal.code.or(Some(137));
                self.was_killed = true;
                Ok(json!({}))
            }
            _ => {
                let gone = terminal.clone();
                self.terminals.insert(format!("gone-{id}"), gone);
                self.terminals.remove(&id);
                Ok(json!({}))
            }
        }
    }
}

pub(super) fn permission(params: &Value) -> Outcome {
    if text(params, "/sessionId").is_empty() {
        return Err(-32602);
    }
    let options = params
        .get("options")
        .and_then(Value::as_array)
        .ok_or(-32602)?;
    let known = ["allow_once", "allow_always", "reject_once", "reject_always"];
    if options.iter().any(|it| !known.contains(&text(it, "/kind"))) {
        return Err(-32602);
    }
    Ok(match options.last() {
        Some(option) => {
            json!({ "outcome": { "outcome": "selected", "optionId": option["optionId"] } })
        }
        None => json!({ "outcome": { "outcome": "cancelled" } }),
    })
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or("")
}
