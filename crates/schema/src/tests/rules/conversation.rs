//! A conversation between a client and an agent, with all checks applied to it.

use attache_rpc::Error;
use attache_rpc::json::from_str;

use crate::call::{
    AgentNotification, AgentRequest, ClientNotification, ClientRequest, ProtocolLevelNotification,
};
use crate::rules::{
    self, Compactions, Context, Initialization, Plans, Replays, ToolCalls, Turns, Violation, agent,
    client,
};
use crate::v1;

#[derive(Default)]
pub(super) struct Conversation {
    context: Context,
    client_requests: Vec<ClientRequest>,
    agent_request: Option<AgentRequest>,
    tool_calls: ToolCalls,
    plans: Plans,
    compactions: Compactions,
    turns: Turns,
    replays: Replays,
    found: Vec<Violation>,
}

impl Conversation {
    /// A conversation that starts after `initialize`.
    pub(super) fn initialized() -> Self {
        let mut conversation = Conversation::default();
        conversation.context.initialization = Initialization::Done;
        conversation
    }

    pub(super) fn line(&mut self, line: &str) {
        let mut words = line.splitn(3, ' ');
        let mut word = || words.next().unwrap_or("null");
        match (word(), word(), word()) {
            ("client", "has", offer) => self.context.client = from_str(offer).expect("an offer"),
            ("agent", "has", offer) => self.context.agent = from_str(offer).expect("an offer"),
            ("client", "=", result) => self.client_answers(Ok(result)),
            ("client", "!", error) => self.client_answers(Err(&from_str(error).expect("an error"))),
            ("agent", "=", result) => self.agent_answers(Ok(result)),
            ("agent", "!", error) => self.agent_answers(Err(&from_str(error).expect("an error"))),
            ("client", method, params) => self.client_says(method, params),
            ("agent", method, params) => self.agent_says(method, params),
            ("begin", ..) => self.context = Context::default(),
            ("over", ..) => self.found.extend(self.compactions.finish()),
            _ => panic!("no such line: {line}"),
        }
    }

    pub(super) fn report(&self) -> String {
        self.found
            .iter()
            .map(|found| format!("{found}\n"))
            .collect()
    }

    fn client_says(&mut self, method: &str, params: &str) {
        if let Ok(cancel) = ProtocolLevelNotification::decode(method, Some(params)) {
            self.found
                .extend(rules::check_protocol_notification(&cancel));
        } else if let Ok(request) = ClientRequest::decode(method, Some(params)) {
            self.client_asks(request);
        } else {
            let told = ClientNotification::decode(method, Some(params)).expect("a message");
            self.found
                .extend(client::check_notification(&told, &self.context));
            if let ClientNotification::Cancel(_) = told {
                self.turns.cancel();
            }
        }
    }

    fn client_asks(&mut self, request: ClientRequest) {
        self.found
            .extend(client::check_request(&request, &self.context));
        self.context.on_client_request(&request);
        match &request {
            ClientRequest::Prompt(_) => self.turns.prompt(),
            ClientRequest::LoadSession(_) => self.replays.load(),
            ClientRequest::ResumeSession(_) => self.replays.resume(),
            _ => {}
        }
        self.client_requests.push(request);
    }

    fn agent_answers(&mut self, outcome: Result<&str, &Error>) {
        let request = self.client_requests.pop().expect("a request");
        self.found
            .extend(agent::check_response(&request, outcome, &self.context));
        self.context.on_agent_response(&request, outcome);
        self.replays.finish();
        if let ClientRequest::Prompt(_) = request {
            let answer =
                outcome.map(|result| from_str::<v1::PromptResponse>(result).expect("a result"));
            let ended = self.turns.prompt_response(
                answer
                    .as_ref()
                    .map(|answer| &answer.stop_reason)
                    .map_err(|error| *error),
            );
            self.found.extend(ended);
        }
    }

    fn agent_says(&mut self, method: &str, params: &str) {
        match AgentRequest::decode(method, Some(params)) {
            Ok(request) => self.agent_asks(request),
            Err(_) => {
                self.agent_tells(
                    &AgentNotification::decode(method, Some(params)).expect("a message"),
                );
            }
        }
    }

    fn agent_asks(&mut self, request: AgentRequest) {
        self.found
            .extend(agent::check_request(&request, &self.context));
        self.context.on_agent_request(&request);
        if let AgentRequest::ReleaseTerminal(release) = &request {
            self.tool_calls.release(&release.terminal_id);
        }
        self.agent_request = Some(request);
    }

    fn agent_tells(&mut self, told: &AgentNotification) {
        self.found
            .extend(agent::check_notification(told, &self.context));
        self.context.on_agent_notification(told);
        if let AgentNotification::Session(news) = told {
            self.found.extend(self.tool_calls.apply(&news.update));
            self.found.extend(self.plans.apply(&news.update));
            self.found.extend(self.compactions.apply(&news.update));
            self.found.extend(self.turns.apply(&news.update));
            self.found.extend(self.replays.apply(&news.update));
        }
    }

    fn client_answers(&mut self, outcome: Result<&str, &Error>) {
        let request = self.agent_request.take().expect("a request");
        self.found
            .extend(client::check_response(&request, outcome, &self.context));
        self.context.on_client_response(&request, outcome);
        if let (AgentRequest::RequestPermission(_), Ok(result)) = (&request, outcome)
            && let Ok(response) = from_str(result)
        {
            self.found.extend(self.turns.permission_response(&response));
        }
    }
}
