//! One run of a test case against an agent or a client: its connections, one after the other, and its judgements.

use std::sync::Arc;

use attache_testkit::Side;
use serde_json::{Value, json};

use super::test_case::{AbortReason, BoxFuture, ConformanceTest, JudgementLog, TestCase};
use super::test_connection::{
    CallOutcome, CallResult, RequestHandler, SentRequest, TestConnection,
};
use super::{Conversation, Evidence, Options, PeerLauncher};

/// Messages of the peer, each with the number of its entry in the recording.
pub(crate) type NumberedMessages = Vec<(usize, Value)>;

/// Checks the params or the result of a message and says what is wrong.
pub(crate) type PayloadCheck = fn(&Value) -> Result<(), String>;

/// A running test case that talks with one program at a time.
pub(crate) struct PeerTest<H> {
    us: Side,
    case: &'static str,
    pub(crate) options: Arc<Options>,
    launcher: PeerLauncher,
    judgements: JudgementLog,
    connection: Option<TestConnection<H>>,
    finished: Vec<Conversation>,
    /// The capabilities that the other side sent last: an agent's `initialize` result, a client's `clientCapabilities`.
    pub(crate) peer_info: Value,
    /// Whether the program answers requests for unknown extension methods.
    pub(crate) answers_unknown_methods: bool,
}

impl<H: RequestHandler + 'static> PeerTest<H> {
    pub(crate) fn new(
        us: Side,
        case: &'static TestCase<PeerTest<H>>,
        launcher: PeerLauncher,
        options: Arc<Options>,
    ) -> Self {
        PeerTest {
            us,
            case: case.name,
            options,
            launcher,
            judgements: JudgementLog::new(case.checks),
            connection: None,
            finished: Vec::new(),
            peer_info: Value::Null,
            answers_unknown_methods: true,
        }
    }

    /// Starts the program under test, after stopping the previous one.
    pub(crate) async fn start_with(&mut self, handler: H) -> Result<(), AbortReason> {
        self.stop().await;
        let streams = (self.launcher)(self.case).await.map_err(AbortReason)?;
        let response_timeout = self.options.response_timeout;
        self.connection = Some(TestConnection::new(
            self.us,
            self.case,
            streams,
            handler,
            response_timeout,
        ));
        Ok(())
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.connection
            .as_ref()
            .is_none_or(TestConnection::is_closed)
    }

    pub(crate) fn connection(&mut self) -> Result<&mut TestConnection<H>, AbortReason> {
        self.connection
            .as_mut()
            .ok_or_else(|| AbortReason("it did not start".to_owned()))
    }

    pub(crate) fn handler(&mut self) -> Result<&mut H, AbortReason> {
        Ok(&mut self.connection()?.handler)
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> CallResult {
        match &mut self.connection {
            Some(connection) => connection.call(method, params).await,
            None => CallResult {
                request: 0,
                outcome: CallOutcome::Closed,
            },
        }
    }

    pub(crate) async fn notify(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<usize, AbortReason> {
        Ok(self.connection()?.notify(method, params).await)
    }

    pub(crate) async fn wait_for_response(
        &mut self,
        request: SentRequest,
    ) -> Result<CallResult, AbortReason> {
        Ok(self.connection()?.wait_for_response(request).await)
    }

    /// Sends an unknown extension request, which every JSON-RPC peer must reject.
    pub(crate) async fn ping_unknown_method(&mut self) -> CallResult {
        self.call("_attache.check/alive", json!({})).await
    }

    /// The number of entries in the current conversation.
    pub(crate) fn entry_count(&self) -> usize {
        let connection = self.connection.as_ref();
        connection.map_or(0, |connection| connection.conversation().entries.len())
    }

    /// The messages of the other side, starting at an entry.
    pub(crate) fn messages_since(&self, from: usize) -> NumberedMessages {
        let Some(connection) = &self.connection else {
            return Vec::new();
        };
        let messages = connection.conversation().messages(self.us.other());
        let later = messages.filter(|(entry, _)| *entry >= from);
        later
            .map(|(entry, message)| (entry, message.clone()))
            .collect()
    }

    pub(crate) fn judge(&mut self, id: &str, outcome: Result<(), String>, entries: &[usize]) {
        let conversation = self.finished.len();
        let evidence = entries.iter().map(|entry| Evidence {
            conversation,
            entry: *entry,
        });
        self.judgements.judge(id, outcome, evidence.collect());
    }

    /// Passes a check if the response is a result.
    pub(crate) fn judge_result(&mut self, id: &str, result: &CallResult) {
        self.judge(id, result.expect_result(), &result.entries());
    }

    /// Passes a check if the response is an error with one of these codes; no codes means any error.
    pub(crate) fn judge_error(&mut self, id: &str, result: &CallResult, codes: &[i64]) {
        self.judge(id, result.expect_error(codes), &result.entries());
    }

    /// Passes a check if there was a response of either kind.
    pub(crate) fn judge_response(&mut self, id: &str, result: &CallResult) {
        self.judge(id, result.expect_response(), &result.entries());
    }

    pub(crate) async fn stop(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.finished.push(connection.stop().await);
        }
    }
}

impl<H: RequestHandler + 'static> ConformanceTest for PeerTest<H> {
    fn judgements(&mut self) -> &mut JudgementLog {
        &mut self.judgements
    }

    fn close(mut self) -> BoxFuture<'static, Vec<Conversation>> {
        Box::pin(async move {
            self.stop().await;
            self.finished
        })
    }
}
