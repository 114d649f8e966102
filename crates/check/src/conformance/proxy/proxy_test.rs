//! A test case with a proxy: a client in front of it, and an agent behind it. Both are ours.

use std::sync::Arc;

use attache_testkit::Side;
use serde_json::{Value, json};

use super::ProxyLauncher;
use crate::conformance::json::method;
use crate::conformance::test_case::{
    AbortReason, BoxFuture, ConformanceTest, JudgementLog, TestCase,
};
use crate::conformance::test_connection::{
    CallResult, HandlerReply, RequestHandler, SentRequest, TestConnection,
};
use crate::conformance::{Conversation, Evidence, Options};

/// Leaves every request open for the test case to answer.
pub(crate) struct DeferAll;

impl RequestHandler for DeferAll {
    fn handle(&mut self, _: &str, _: &Value) -> HandlerReply {
        HandlerReply::Defer
    }
}

/// A running test case that talks with both ends of a proxy.
pub(crate) struct ProxyTest {
    case: &'static str,
    pub(crate) options: Arc<Options>,
    launcher: ProxyLauncher,
    judgements: JudgementLog,
    connections: Option<(TestConnection<DeferAll>, TestConnection<DeferAll>)>,
    finished: Vec<Conversation>,
}

/// A message that arrived at the other end of the proxy.
pub(crate) struct ForwardedMessage {
    pub(crate) entry: usize,
    pub(crate) message: Value,
    pub(crate) line: String,
}

impl ProxyTest {
    pub(crate) fn new(
        case: &'static TestCase<ProxyTest>,
        launcher: ProxyLauncher,
        options: Arc<Options>,
    ) -> Self {
        ProxyTest {
            case: case.name,
            options,
            launcher,
            judgements: JudgementLog::new(case.checks),
            connections: None,
            finished: Vec::new(),
        }
    }

    /// Starts the proxy.
    pub(crate) async fn start(&mut self) -> Result<(), AbortReason> {
        self.stop().await;
        let (front, back) = (self.launcher)(self.case).await.map_err(AbortReason)?;
        let response_timeout = self.options.response_timeout;
        let front = TestConnection::new(Side::Client, self.case, front, DeferAll, response_timeout);
        let back = TestConnection::new(Side::Agent, self.case, back, DeferAll, response_timeout);
        self.connections = Some((front, back));
        Ok(())
    }

    /// Starts the proxy and initializes the connection through it.
    pub(crate) async fn open(&mut self) -> Result<(), AbortReason> {
        self.start().await?;
        let params = json!({ "protocolVersion": 1, "clientCapabilities": {} });
        let request = self.front()?.send_request("initialize", params).await;
        let forwarded = self
            .wait_behind("initialize")
            .await
            .ok_or_else(|| AbortReason("initialize did not arrive".to_owned()))?;
        let result = json!({ "protocolVersion": 1, "agentCapabilities": {} });
        self.back()?.respond(&id(&forwarded.message), result).await;
        let result = self.front()?.wait_for_response(request).await;
        result.expect_result().map_err(AbortReason)
    }

    pub(crate) fn front(&mut self) -> Result<&mut TestConnection<DeferAll>, AbortReason> {
        let connections = self.connections.as_mut().map(|(front, _)| front);
        connections.ok_or_else(|| AbortReason("the proxy did not start".to_owned()))
    }

    pub(crate) fn back(&mut self) -> Result<&mut TestConnection<DeferAll>, AbortReason> {
        let connections = self.connections.as_mut().map(|(_, back)| back);
        connections.ok_or_else(|| AbortReason("the proxy did not start".to_owned()))
    }

    /// Sends a request as the client and waits for it behind the proxy, at the same time: a large request may not fit
    /// into the buffers between.
    pub(crate) async fn forward(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<(SentRequest, Option<ForwardedMessage>), AbortReason> {
        let (front, back) = self.both()?;
        Ok(tokio::join!(
            front.send_request(method, params),
            wait_for_call(back, method)
        ))
    }

    /// Sends a request as the agent, and waits for it in front of the proxy.
    pub(crate) async fn backward(
        &mut self,
        method: &str,
        params: Value,
    ) -> Result<(SentRequest, Option<ForwardedMessage>), AbortReason> {
        let (front, back) = self.both()?;
        Ok(tokio::join!(
            back.send_request(method, params),
            wait_for_call(front, method)
        ))
    }

    fn both(
        &mut self,
    ) -> Result<(&mut TestConnection<DeferAll>, &mut TestConnection<DeferAll>), AbortReason> {
        let connections = self.connections.as_mut().map(|(front, back)| (front, back));
        connections.ok_or_else(|| AbortReason("the proxy did not start".to_owned()))
    }

    /// Waits behind the proxy for a message with this method.
    pub(crate) async fn wait_behind(&mut self, name: &str) -> Option<ForwardedMessage> {
        wait_for_call(&mut self.connections.as_mut()?.1, name).await
    }

    /// Waits in front of the proxy for a message with this method.
    pub(crate) async fn wait_in_front(&mut self, name: &str) -> Option<ForwardedMessage> {
        wait_for_call(&mut self.connections.as_mut()?.0, name).await
    }

    /// Judges a check, with messages in front of the proxy as evidence.
    pub(crate) fn judge(&mut self, id: &str, outcome: Result<(), String>, front: &[usize]) {
        self.judge_both(id, outcome, front, &[]);
    }

    /// Judges a check, with messages in front of the proxy and behind it as evidence.
    pub(crate) fn judge_both(
        &mut self,
        id: &str,
        outcome: Result<(), String>,
        front: &[usize],
        back: &[usize],
    ) {
        let conversation = self.finished.len();
        let at = |conversation, entry: &usize| Evidence {
            conversation,
            entry: *entry,
        };
        let front = front.iter().map(|entry| at(conversation, entry));
        let back = back.iter().map(|entry| at(conversation + 1, entry));
        self.judgements
            .judge(id, outcome, front.chain(back).collect());
    }

    async fn stop(&mut self) {
        if let Some((front, back)) = self.connections.take() {
            self.finished.push(front.stop().await);
            self.finished.push(back.stop().await);
        }
    }
}

async fn wait_for_call(
    connection: &mut TestConnection<DeferAll>,
    name: &str,
) -> Option<ForwardedMessage> {
    let entry = connection.wait_for(|it| method(it) == name).await?;
    let conversation = connection.conversation();
    let message = conversation.json(entry)?.clone();
    let line = conversation.text(entry);
    Some(ForwardedMessage {
        entry,
        message,
        line,
    })
}

pub(crate) fn id(message: &Value) -> Value {
    message.get("id").cloned().unwrap_or(Value::Null)
}

/// Fails unless the value arrived unchanged.
pub(crate) fn same(sent: &Value, arrived: Option<&Value>) -> Result<(), String> {
    match arrived {
        Some(arrived) if arrived == sent => Ok(()),
        Some(_) => Err("it arrived changed".to_owned()),
        None => Err("it did not arrive".to_owned()),
    }
}

/// Fails unless the result arrived unchanged.
pub(crate) fn same_result(given: &Value, result: &CallResult) -> Result<(), String> {
    match result.result() {
        Some(result) => same(given, Some(result)),
        None => result.expect_result(),
    }
}

impl ConformanceTest for ProxyTest {
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
