use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::{ConnectionTo, schema as v1};
use agent_client_protocol::{Agent, Client, Result, Stdio, on_receive_request};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    Agent
        .v1()
        .name("example-agent")
        .on_receive_request(
            async move |_: v1::InitializeRequest, responder, _| {
                let us = v1::Implementation::new("example-agent", "1.0.0");
                responder.respond(v1::InitializeResponse::new(ProtocolVersion::V1).agent_info(us))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |_: v1::NewSessionRequest, responder, _| {
                responder.respond(v1::NewSessionResponse::new("session-1"))
            },
            on_receive_request!(),
        )
        .on_receive_request(
            async move |request: v1::PromptRequest, responder, client: ConnectionTo<Client>| {
                let text = v1::ContentBlock::Text(v1::TextContent::new("Hello!"));
                let update = v1::SessionUpdate::AgentMessageChunk(v1::ContentChunk::new(text));
                client.send_notification(v1::SessionNotification::new(request.session_id, update))?;
                responder.respond(v1::PromptResponse::new(v1::StopReason::EndTurn))
            },
            on_receive_request!(),
        )
        .connect_to(Stdio::new())
        .await
}
