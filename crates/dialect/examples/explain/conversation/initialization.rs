//! `initialize`: the negotiated version, and the dialect of each side.

use attache_dialect::{CallTranslator, Dialect, Role};
use attache_rpc::json::{Object, from_str};
use attache_schema::method::MethodKind;
use attache_schema::rules::Initialization;

use super::Conversation;
use super::participant::{name, sender};

impl Conversation {
    /// Notes what a request shows about its sender.
    pub(super) fn observe_request(&mut self, from: Role, method: &str, params: Option<&str>) {
        let params = params.unwrap_or_default();
        match (from, method) {
            (Role::Client, "initialize") => {
                self.is_begun = true;
                self.versions(params);
                if !self.is_foreign {
                    self.dialect(Role::Client, Dialect::of_client(params));
                }
            }
            (Role::Client, _) => {
                // An unknown method may be the agent's.
                if !self.is_begun && sender(method, MethodKind::Request).is_some() {
                    self.is_begun = true;
                    self.too_early(method);
                    // Reported once, because a log may start midway.
                    self.context.initialization = Initialization::Done;
                }
                self.first_session(method, params);
            }
            (Role::Agent, _) => {}
        }
    }

    /// Notes what the response to `initialize` shows about the agent.
    pub(super) fn read_initialize_response(&mut self, result: &str) {
        self.versions(result);
        if !self.is_foreign {
            self.dialect(Role::Agent, Dialect::of_agent(result));
        }
    }

    fn first_session(&mut self, method: &str, params: &str) {
        if method != "session/new" || self.client.is_detected || self.is_foreign {
            return;
        }
        if let Some(dialect) = Dialect::of_session(params) {
            self.dialect(Role::Client, Some(dialect));
        }
    }

    /// The typed decoder reports a version that is not a number.
    fn versions(&mut self, text: &str) {
        let version = Object::parse(text)
            .ok()
            .and_then(|object| from_str::<u64>(object.get("protocolVersion")?).ok());
        match version {
            Some(1) if self.is_foreign => {
                self.is_foreign = false;
                self.note("both agree on protocol version 1".to_owned());
            }
            None | Some(1) => {}
            Some(version) => {
                self.is_foreign = true;
                self.note(format!(
                    "protocol version {version}; this program only explains version 1"
                ));
            }
        }
    }

    fn dialect(&mut self, peer: Role, told: Option<Dialect>) {
        let dialect = told.unwrap_or_default();
        let participant = self.participant(peer);
        participant.is_detected = told.is_some();
        participant.translator = CallTranslator::new(dialect, peer);
        let name = name(peer);
        self.note(match told {
            Some(dialect) => format!("the {name} speaks the {dialect} dialect"),
            None => format!("the {name}'s dialect is not shown; assuming {dialect}"),
        });
    }
}
