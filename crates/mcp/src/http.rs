//! MCP over Streamable HTTP. `rmcp` manages sessions and streams; this module sends the HTTP requests.

use std::collections::HashMap;
use std::sync::Arc;

use attache::v1;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::common::client_side_sse::ExponentialBackoff;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpClientTransportConfig, StreamableHttpError,
    StreamableHttpPostResponse,
};
use rmcp_sse_stream::{Error as SseError, Sse};

use super::web::{self, HttpError};
use super::wire::{self, LONGEST, TOO_LONG, UNREADABLE, failure};

/// The transport to a server.
pub(super) fn transport(
    server: &v1::McpServerHttp,
) -> Result<StreamableHttpClientTransport<HttpClient>, HttpError> {
    let url = web::address(&server.url, &server.headers)?;
    let client = HttpClient(web::client(&server.headers)?);
    let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
    config.max_sse_event_size = LONGEST;
    let mut retry = ExponentialBackoff::default();
    retry.max_times = Some(RETRIES);
    config.retry_config = Arc::new(retry);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

/// The reason of a failure to send; `None` for errors of other transports.
pub(super) fn reason(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    match error.downcast_ref::<StreamableError>()? {
        StreamableHttpError::Client(error) => Some(error.to_string()),
        StreamableHttpError::SessionExpired => {
            Some("the session on the server has expired".to_owned())
        }
        _ => None,
    }
}

/// An HTTP client for `rmcp`. Responses are limited in length, and no error contains an address.
#[derive(Debug, Clone)]
pub(super) struct HttpClient(Client);

type StreamableError = StreamableHttpError<HttpError>;
type Headers = HashMap<HeaderName, HeaderValue>;

impl StreamableHttpClient for HttpClient {
    type Error = HttpError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        _auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, StreamableError> {
        let body = serde_json::to_vec(&message)?;
        let request = self
            .0
            .post(&*uri)
            .header(CONTENT_TYPE, web::JSON)
            .body(body);
        let had_session = session.is_some();
        let response = send(request, session, headers).await?;
        let status = response.status();
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let id = request_id(&message);
        match web::refusal(status) {
            Some(error) => refused(response, error, id).await,
            None => answered(response, id).await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        _auth: Option<String>,
        headers: Headers,
    ) -> Result<(), StreamableError> {
        // Servers need not support this, and we disconnect anyway.
        send(self.0.delete(&*uri), Some(session), headers).await?;
        Ok(())
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        _auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, StreamableError> {
        let mut request = self.0.get(&*uri);
        if let Some(last_event) = last_event {
            request = request.header("Last-Event-Id", last_event);
        }
        let response = send(request, session, headers).await?;
        if response.status() == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if let Some(error) = web::refusal(response.status()) {
            return Err(StreamableHttpError::Client(error));
        }
        if !web::is(&response, web::EVENTS) {
            return Err(StreamableHttpError::Client(HttpError::Kind));
        }
        let events = web::events(response);
        let events = events.map(|event| event.map(with_definitions).map_err(as_body));
        Ok(events.boxed())
    }
}

async fn send(
    request: RequestBuilder,
    session: Option<Arc<str>>,
    headers: Headers,
) -> Result<Response, StreamableError> {
    let mut request = request.header(ACCEPT, ACCEPTED);
    if let Some(session) = session {
        request = request.header("Mcp-Session-Id", &*session);
    }
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let response = request.send().await;
    response.map_err(|error| StreamableHttpError::Client(error.into()))
}

async fn answered(
    response: Response,
    id: Option<RequestId>,
) -> Result<StreamableHttpPostResponse, StreamableError> {
    let session = response.headers().get("Mcp-Session-Id");
    let session = session.and_then(|id| id.to_str().ok()).map(str::to_owned);
    if web::is(&response, web::EVENTS) {
        let events = web::events(response).map(move |event| Ok(readable(event, id.as_ref())));
        return Ok(StreamableHttpPostResponse::Sse(events.boxed(), session));
    }
    // Only a request needs a response.
    let Some(id) = id else {
        return Ok(StreamableHttpPostResponse::Accepted);
    };
    if !web::is(&response, web::JSON) {
        return Err(StreamableHttpError::Client(HttpError::Kind));
    }
    let body = web::body(response)
        .await
        .map_err(StreamableHttpError::Client)?;
    let message = wire::message(&body).unwrap_or_else(|| failure(id, UNREADABLE));
    Ok(StreamableHttpPostResponse::Json(message, session))
}

/// An HTTP error may contain a JSON-RPC error, which says more than the status.
async fn refused(
    response: Response,
    error: HttpError,
    id: Option<RequestId>,
) -> Result<StreamableHttpPostResponse, StreamableError> {
    if let (HttpError::Status(_), Some(id)) = (&error, id)
        && web::is(&response, web::JSON)
    {
        let body = web::body(response)
            .await
            .map_err(StreamableHttpError::Client)?;
        if let Ok(ServerJsonRpcMessage::Error(said)) = serde_json::from_slice(&body) {
            let message = ServerJsonRpcMessage::error(said.error, Some(id));
            return Ok(StreamableHttpPostResponse::Json(message, NO_SESSION));
        }
    }
    Err(StreamableHttpError::Client(error))
}

/// Converts an event for `rmcp`. An unreadable or truncated event becomes an error response to the request, because
/// `rmcp` would skip it.
fn readable(event: Result<Sse, HttpError>, id: Option<&RequestId>) -> Sse {
    let (event, reason) = match event {
        Ok(event) if !is_message(&event) || event.data.as_deref().is_none_or(is_readable) => {
            return with_definitions(event);
        }
        Ok(event) => (event, UNREADABLE),
        Err(HttpError::TooLong) => (Sse::default(), TOO_LONG),
        Err(_) => (Sse::default(), BROKEN),
    };
    let data = id.map(|id| failure(id.clone(), reason));
    let data = data.and_then(|failure| serde_json::to_string(&failure).ok());
    Sse { data, ..event }
}

/// Adds the digest of their whole definition to the tools that an event lists.
fn with_definitions(event: Sse) -> Sse {
    let data = event.data.map(|data| {
        let marked = wire::with_definitions(data.as_bytes()).into_owned();
        String::from_utf8(marked).unwrap_or(data)
    });
    Sse { data, ..event }
}

fn is_message(event: &Sse) -> bool {
    matches!(event.event.as_deref(), None | Some("" | "message"))
}

fn is_readable(data: &str) -> bool {
    data.trim().is_empty() || serde_json::from_str::<ServerJsonRpcMessage>(data).is_ok()
}

fn request_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => Some(request.id.clone()),
        _ => None,
    }
}

fn as_body(error: HttpError) -> SseError {
    SseError::Body(Box::new(error))
}

const ACCEPTED: &str = "application/json, text/event-stream";
const BROKEN: &str = "the stream of events broke off before the answer";
const RETRIES: usize = 5;
const NO_SESSION: Option<String> = None;
