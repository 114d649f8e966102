//! The sessions of the conformant agent.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::text;

#[derive(Default)]
pub(super) struct SessionStore {
    sessions: BTreeMap<String, Session>,
    made: usize,
}

#[derive(Default, Clone)]
struct Session {
    cwd: String,
    said: Vec<String>,
    archived: bool,
}

impl SessionStore {
    pub(super) fn open(&mut self, params: &Value) -> Result<String, i64> {
        let cwd = params.get("cwd").and_then(Value::as_str).ok_or(-32602)?;
        let servers = params
            .get("mcpServers")
            .ok_or(-32602)?
            .as_array()
            .ok_or(-32602)?;
        let roots = params
            .get("additionalDirectories")
            .and_then(Value::as_array);
        let bad_root = |it: &Value| !it.as_str().is_some_and(|it| it.starts_with('/'));
        if !cwd.starts_with('/') || roots.is_some_and(|roots| roots.iter().any(bad_root)) {
            return Err(-32602);
        }
        for server in servers {
            let command = server
                .get("command")
                .and_then(Value::as_str)
                .ok_or(-32602)?;
            let args = server.get("args").and_then(Value::as_array).ok_or(-32602)?;
            if let (false, Some(file)) = (command.starts_with('/'), args.last()) {
                let heard = match command {
                    "partial" => "initialize\n",
                    _ => "initialize\nnotifications/initialized\ntools/list\n",
                };
                std::fs::write(file.as_str().unwrap_or(""), heard).map_err(|_| -32603)?;
            }
        }
        Ok(self.create_session(cwd))
    }

    fn create_session(&mut self, cwd: &str) -> String {
        self.made += 1;
        let id = format!("session-{}", self.made);
        let session = Session {
            cwd: cwd.to_owned(),
            ..Session::default()
        };
        self.sessions.insert(id.clone(), session);
        id
    }

    pub(super) fn fork(&mut self, params: &Value) -> Result<String, i64> {
        let from = self.find(params)?.clone();
        let id = self.create_session(&from.cwd);
        self.sessions.insert(id.clone(), from);
        Ok(id)
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.sessions.contains_key(id)
    }

    pub(super) fn cwd(&self, id: &str) -> String {
        self.sessions
            .get(id)
            .map(|it| it.cwd.clone())
            .unwrap_or_default()
    }

    pub(super) fn record_prompt(&mut self, id: &str, text: &str) {
        if let Some(session) = self.sessions.get_mut(id) {
            session.said.push(text.to_owned());
        }
    }

    pub(super) fn history(&self, id: &str) -> Vec<String> {
        self.sessions
            .get(id)
            .map(|it| it.said.clone())
            .unwrap_or_default()
    }

    pub(super) fn set_mode(&self, params: &Value) -> Result<Value, i64> {
        match text(params, "/modeId") {
            "a" | "b" => Ok(json!({})),
            _ => Err(-32602),
        }
    }

    pub(super) fn set_option(&self, params: &Value) -> Result<Value, i64> {
        match (text(params, "/configId"), params.get("value")) {
            ("o", Some(Value::String(value))) if value == "x" || value == "y" => {
                Ok(json!({ "configOptions": options(value, true) }))
            }
            ("s", Some(Value::Bool(_))) => Ok(json!({ "configOptions": options("x", true) })),
            _ => Err(-32602),
        }
    }

    pub(super) fn handle_request(&mut self, method: &str, params: &Value) -> Result<Value, i64> {
        match method {
            "session/load" | "session/resume" => self.find(params).map(|_| json!({})),
            "session/list" => self.list(params),
            "session/delete" => {
                self.sessions.remove(text(params, "/sessionId"));
                Ok(json!({}))
            }
            "session/status" => self.find(params).map(|_| json!({ "status": "open" })),
            "session/archive" => {
                self.find(params)?.archived = true;
                Ok(json!({}))
            }
            "session/unarchive" => {
                self.find(params)?.archived = false;
                Ok(json!({}))
            }
            "session/set_title" => match text(params, "/title").trim() {
                "" => Err(-32602),
                title => Ok(json!({ "title": title })),
            },
            _ => Err(-32601),
        }
    }

    fn list(&self, params: &Value) -> Result<Value, i64> {
        let archived = text(params, "/archived");
        if !text(params, "/cursor").is_empty()
            || !["", "exclude", "include", "only"].contains(&archived)
        {
            return Err(-32602);
        }
        let cwd = text(params, "/cwd");
        let here = |session: &&(String, Session)| cwd.is_empty() || session.1.cwd == cwd;
        let all: Vec<(String, Session)> = self.sessions.clone().into_iter().collect();
        let sessions = all.iter().filter(here).map(|(id, session)| {
            json!({ "sessionId": id, "cwd": session.cwd, "archived": session.archived })
        });
        Ok(json!({ "sessions": sessions.collect::<Vec<Value>>() }))
    }

    fn find(&mut self, params: &Value) -> Result<&mut Session, i64> {
        self.sessions
            .get_mut(text(params, "/sessionId"))
            .ok_or(-32002)
    }
}

/// All config options. The boolean option is only for clients that support it.
pub(super) fn options(value: &str, boolean: bool) -> Value {
    let values = json!([{ "value": "x", "name": "X" }, { "value": "y", "name": "Y" }]);
    let select = json!({ "id": "o", "name": "O", "type": "select", "currentValue": value, "options": values, "category": "model" });
    let switch = json!({ "id": "s", "name": "S", "type": "boolean", "currentValue": false });
    match boolean {
        true => json!([select, switch]),
        false => json!([select]),
    }
}
