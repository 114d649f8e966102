//! Handles the requests and notifications of the client.

use std::path::Path;
use std::time::Duration;

use attache_rpc::json::{Encode, to_string};
use attache_rpc::{Error, Id};
use attache_schema::call::{ClientNotification, ClientRequest};
use attache_schema::{error, v1};

use super::turn::MockTurn;
use super::{MockAgent, MockSession, find_scenario, scenarios};

impl MockAgent {
    pub(super) fn handle_request(
        &mut self,
        id: &Id,
        method: &str,
        params: Option<&str>,
        now: Duration,
    ) {
        let request = match ClientRequest::decode(method, params) {
            Ok(request) => request,
            Err(error) => return self.respond_error(id, &error),
        };
        let is_first = matches!(request, ClientRequest::Initialize(_));
        if !is_first && !self.initialized {
            let error = Error::new(Error::INVALID_REQUEST, "initialize comes first");
            return self.respond_error(id, &error);
        }
        let answered = match request {
            ClientRequest::Initialize(request) => Ok(self.initialize(request)),
            ClientRequest::Authenticate(request) => self.authenticate(&request),
            ClientRequest::Logout(_) if self.wants_login() => {
                self.logged_in = false;
                Ok("{}".to_owned())
            }
            ClientRequest::NewSession(request) => return self.new_session(id, &request),
            ClientRequest::LoadSession(request) => self.load(&request),
            ClientRequest::ResumeSession(request) => self
                .open_known_session(&request.session_id)
                .map(|name| self.settings(&name, None)),
            ClientRequest::ListSessions(request) => self.list(&request),
            ClientRequest::CloseSession(request) => self.close(&request.session_id),
            ClientRequest::DeleteSession(request) => {
                self.sessions.remove(request.session_id.as_str());
                Ok("{}".to_owned())
            }
            ClientRequest::SetSessionMode(request) => self.set_mode(&request),
            ClientRequest::SetSessionConfigOption(request) => self.set_option(&request),
            ClientRequest::Prompt(request) => return self.prompt(id, &request, now),
            other => Err(error::method_not_found(other.method())),
        };
        match answered {
            Ok(result) => self.respond(id, &result),
            Err(error) => self.respond_error(id, &error),
        }
    }

    pub(super) fn handle_notification(&mut self, method: &str, params: Option<&str>) {
        if let Ok(ClientNotification::Cancel(cancel)) = ClientNotification::decode(method, params) {
            self.cancel(cancel.session_id.as_str());
        }
    }

    fn initialize(&mut self, request: v1::InitializeRequest) -> String {
        self.initialized = true;
        self.client = request.client_capabilities;
        let methods = match self.wants_login() {
            true => {
                r#"[{"id":"mock-login","name":"Mock login","description":"Lets everybody in"}]"#
            }
            false => "[]",
        };
        let auth = match self.wants_login() {
            true => r#","auth":{"logout":{}}"#,
            false => "",
        };
        let version = env!("CARGO_PKG_VERSION");
        format!(
            r#"{{"protocolVersion":1,"agentCapabilities":{{"loadSession":true,"promptCapabilities":{{"image":true,"audio":true,"embeddedContext":true}},"mcpCapabilities":{{"http":true,"sse":true}},"sessionCapabilities":{{"list":{{}},"resume":{{}},"close":{{}},"delete":{{}}}}{auth}}},"authMethods":{methods},"agentInfo":{{"name":"attache-mock","title":"MockAgent agent","version":"{version}"}}}}"#
        )
    }

    fn wants_login(&self) -> bool {
        self.scenario
            .is_some_and(|scenario| scenario.name == "auth")
    }

    fn authenticate(&mut self, request: &v1::AuthenticateRequest) -> Result<String, Error> {
        if !self.wants_login() || request.method_id.as_str() != "mock-login" {
            let message = "unknown login method";
            return Err(Error::new(Error::INVALID_PARAMS, message));
        }
        self.logged_in = true;
        Ok("{}".to_owned())
    }

    fn new_session(&mut self, id: &Id, request: &v1::NewSessionRequest) {
        if self.wants_login() && !self.logged_in {
            return self.respond_error(id, &error::auth_required());
        }
        if !Path::new(request.cwd.as_str()).is_absolute() {
            let error = Error::new(Error::INVALID_PARAMS, "cwd is not absolute");
            return self.respond_error(id, &error);
        }
        let mut number = self.sessions.len() + 1;
        while self.sessions.contains_key(&format!("mock-{number}")) {
            number += 1;
        }
        let name = format!("mock-{number}");
        let session = MockSession {
            cwd: request.cwd.as_str().to_owned(),
            mode: "ask".to_owned(),
            model: "small".to_owned(),
            open: true,
            ..MockSession::default()
        };
        self.sessions.insert(name.clone(), session);
        let result = self.settings(&name, Some(&name));
        self.respond(id, &result);
        self.update(&name, &commands());
    }

    fn load(&mut self, request: &v1::LoadSessionRequest) -> Result<String, Error> {
        let name = self.open_known_session(&request.session_id)?;
        let history = self
            .sessions
            .get(&name)
            .map(|session| session.history.clone());
        for update in history.unwrap_or_default() {
            self.update(&name, &update);
        }
        Ok(self.settings(&name, None))
    }

    fn open_known_session(&mut self, id: &v1::SessionId) -> Result<String, Error> {
        match self.sessions.get_mut(id.as_str()) {
            Some(session) => {
                session.open = true;
                Ok(id.as_str().to_owned())
            }
            None => Err(error::session_not_found(id)),
        }
    }

    fn list(&self, request: &v1::ListSessionsRequest) -> Result<String, Error> {
        if request.cursor.is_some() {
            return Err(Error::new(Error::INVALID_PARAMS, "unknown cursor"));
        }
        let cwd = request.cwd.as_ref().map(|cwd| cwd.as_str());
        let listed = self.sessions.iter();
        let listed = listed.filter(|(_, session)| cwd.is_none_or(|cwd| session.cwd == cwd));
        let sessions: Vec<v1::SessionInfo> = listed
            .map(|(name, session)| {
                let info = v1::SessionInfo::new(name.as_str(), session.cwd.as_str());
                match &session.title {
                    Some(title) => info.title(title.clone()),
                    None => info,
                }
            })
            .collect();
        Ok(to_string(&v1::ListSessionsResponse::new(sessions)))
    }

    fn close(&mut self, id: &v1::SessionId) -> Result<String, Error> {
        if !self.sessions.contains_key(id.as_str()) {
            return Err(error::session_not_found(id));
        }
        self.cancel(id.as_str());
        if let Some(session) = self.sessions.get_mut(id.as_str()) {
            session.open = false;
        }
        Ok("{}".to_owned())
    }

    fn set_mode(&mut self, request: &v1::SetSessionModeRequest) -> Result<String, Error> {
        let session = self.open_session(&request.session_id)?;
        if !["ask", "code"].contains(&request.mode_id.as_str()) {
            return Err(Error::new(Error::INVALID_PARAMS, "unknown mode"));
        }
        session.mode = request.mode_id.as_str().to_owned();
        Ok("{}".to_owned())
    }

    fn set_option(&mut self, request: &v1::SetSessionConfigOptionRequest) -> Result<String, Error> {
        let session = self.open_session(&request.session_id)?;
        match (request.config_id.as_str(), &request.value) {
            ("model", v1::SessionConfigOptionValue::ValueId(value))
                if ["small", "large"].contains(&value.as_str()) =>
            {
                session.model = value.as_str().to_owned();
            }
            ("careful", v1::SessionConfigOptionValue::Boolean(value)) => session.careful = *value,
            _ => {
                let message = "unknown option or value";
                return Err(Error::new(Error::INVALID_PARAMS, message));
            }
        }
        let options = self.options(request.session_id.as_str());
        Ok(format!(r#"{{"configOptions":{options}}}"#))
    }

    fn open_session(&mut self, id: &v1::SessionId) -> Result<&mut MockSession, Error> {
        let session = self.sessions.get_mut(id.as_str());
        session
            .filter(|session| session.open)
            .ok_or_else(|| error::session_not_found(id))
    }

    fn prompt(&mut self, id: &Id, request: &v1::PromptRequest, now: Duration) {
        let is_strange = |block: &v1::ContentBlock| matches!(block, v1::ContentBlock::Other(_));
        if request.prompt.iter().any(is_strange) {
            let message = "unknown content type";
            return self.respond_error(id, &Error::new(Error::INVALID_PARAMS, message));
        }
        let text: Vec<&str> = request
            .prompt
            .iter()
            .filter_map(v1::ContentBlock::as_text)
            .collect();
        let text = text.join(" ");
        let said = request.prompt.iter().map(|block| {
            let content = to_string(block);
            format!(r#"{{"sessionUpdate":"user_message_chunk","content":{content}}}"#)
        });
        let said: Vec<String> = said.collect();
        let chosen = self
            .scenario
            .or_else(|| text.split_whitespace().find_map(find_scenario));
        self.turns += 1;
        let number = self.turns;
        let missing = chosen.and_then(|chosen| chosen.missing_capability(&self.client));
        let name = request.session_id.as_str().to_owned();
        let session = match self.open_session(&request.session_id) {
            Ok(session) => session,
            Err(error) => return self.respond_error(id, &error),
        };
        if session.turn.is_some() {
            let message = "the session already has a turn";
            return self.respond_error(id, &Error::new(Error::INVALID_REQUEST, message));
        }
        session.history.extend(said);
        session.turn = Some(MockTurn::new(
            id.clone(),
            chosen,
            missing,
            number,
            now,
            &session.cwd,
        ));
        self.play_step(&name, now);
    }

    /// The modes and config options of a session, for the response that opens it.
    fn settings(&self, name: &str, new: Option<&str>) -> String {
        let mode = self
            .sessions
            .get(name)
            .map_or("ask", |session| &session.mode);
        let modes = format!(
            r#"{{"currentModeId":"{mode}","availableModes":[{{"id":"ask","name":"Ask","description":"Asks before it acts"}},{{"id":"code","name":"Code"}}]}}"#
        );
        let options = self.options(name);
        let id = new.map(|name| format!(r#""sessionId":"{name}","#));
        let id = id.unwrap_or_default();
        format!(r#"{{{id}"modes":{modes},"configOptions":{options}}}"#)
    }

    pub(super) fn options(&self, name: &str) -> String {
        let session = self.sessions.get(name);
        let model = session.map_or("small", |session| &session.model);
        let careful = session.is_some_and(|session| session.careful);
        let mut options = format!(
            r#"[{{"id":"model","name":"Model","category":"model","type":"select","currentValue":"{model}","options":[{{"group":"here","name":"Here","options":[{{"value":"small","name":"Small"}}]}},{{"group":"far","name":"Far away","options":[{{"value":"large","name":"Large","description":"Thinks longer"}}]}}]}}"#
        );
        let session = self.client.session.as_ref();
        let choices = session.and_then(|session| session.config_options.as_ref());
        if choices.is_some_and(|choices| choices.boolean.is_some()) {
            options.push_str(&format!(
                r#",{{"id":"careful","name":"Careful","type":"boolean","currentValue":{careful}}}"#
            ));
        }
        options.push(']');
        options
    }
}

fn commands() -> String {
    let commands: Vec<v1::AvailableCommand> = scenarios()
        .iter()
        .map(|scenario| v1::AvailableCommand::new(scenario.name, scenario.about))
        .collect();
    let mut out =
        String::from(r#"{"sessionUpdate":"available_commands_update","availableCommands":"#);
    commands.encode(&mut out);
    out.push('}');
    out
}
