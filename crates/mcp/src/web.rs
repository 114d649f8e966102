//! Shared parts of the HTTP transports: the client and its headers, bodies and events of limited length, and errors without
//! addresses.

use std::time::Duration;

use attache::v1;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, Response, StatusCode, Url};
use rmcp_sse_stream::{Sse, SseStream};

use super::text;
use super::wire::LONGEST;

/// Why an HTTP request failed, without its address or anything that was sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpError {
    #[error("{0}")]
    Unreachable(String),
    #[error("the server rejected the credentials (HTTP {0}); check the configured headers")]
    Login(u16),
    #[error("the server answered with HTTP {0}")]
    Status(u16),
    #[error("the answer is longer than {} MiB", LONGEST / 1024 / 1024)]
    TooLong,
    #[error("the answer is neither JSON nor a stream of events")]
    Kind,
    #[error("the answer cannot be read")]
    Unreadable,
    #[error("the stream of events names no address to write to")]
    NoAddress,
    #[error("the stream of events names an address elsewhere")]
    Elsewhere,
    #[error("the address of the server is not valid")]
    Address,
    #[error("the header `{0}` is not valid")]
    Header(String),
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> HttpError {
        HttpError::Unreachable(text::causes(&error.without_url()))
    }
}

/// A client that sends these headers with every request and follows redirects only on the same origin.
pub(super) fn client(headers: &[v1::HttpHeader]) -> Result<Client, HttpError> {
    attache_tls::prepare();
    let client = Client::builder()
        .user_agent(concat!("attache/", env!("CARGO_PKG_VERSION")))
        .default_headers(header_map(headers)?)
        .redirect(Policy::custom(stay))
        .connect_timeout(CONNECT)
        .build()?;
    Ok(client)
}

/// The address of a server. An `Authorization` header replaces a user name and password in it.
pub(super) fn address(url: &str, headers: &[v1::HttpHeader]) -> Result<Url, HttpError> {
    let mut url = Url::parse(url).map_err(|_| HttpError::Address)?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(HttpError::Address);
    }
    let is_login = |header: &v1::HttpHeader| header.name.eq_ignore_ascii_case("authorization");
    if headers.iter().any(is_login) {
        let cleared = url
            .set_username("")
            .and_then(|()| url.set_password(NO_PASSWORD));
        cleared.map_err(|()| HttpError::Address)?;
    }
    Ok(url)
}

/// The error for a status that is not a success.
pub(super) fn refusal(status: StatusCode) -> Option<HttpError> {
    match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(HttpError::Login(status.as_u16())),
        status if status.is_success() => None,
        status => Some(HttpError::Status(status.as_u16())),
    }
}

/// Whether the body of a response has this media type.
pub(super) fn is(response: &Response, media_type: &str) -> bool {
    let found = response.headers().get(CONTENT_TYPE);
    found.is_some_and(|found| {
        let found = found.as_bytes();
        let part = found.get(..media_type.len());
        part.is_some_and(|part| part.eq_ignore_ascii_case(media_type.as_bytes()))
    })
}

/// The body of a response, up to the limit.
pub(super) async fn body(mut response: Response) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > LONGEST {
            return Err(HttpError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The events of a response. The stream ends after the first that is too long or can't be read.
pub(super) fn events(response: Response) -> BoxStream<'static, Result<Sse, HttpError>> {
    let events = SseStream::from_bytes_stream(bounded(response.bytes_stream()));
    let events = events.map(|event| event.map_err(broken));
    let mut failed = false;
    let until_failure = move |event: &Result<Sse, HttpError>| {
        let go_on = !failed;
        failed = event.is_err();
        std::future::ready(go_on)
    };
    events.take_while(until_failure).boxed()
}

fn bounded<B: AsRef<[u8]>>(
    chunks: impl Stream<Item = reqwest::Result<B>>,
) -> impl Stream<Item = Result<B, HttpError>> {
    let mut length = EventLength::default();
    chunks.map(move |chunk| {
        let chunk = chunk?;
        length.add(chunk.as_ref())?;
        Ok(chunk)
    })
}

/// The length of the current event. An empty line ends it.
#[derive(Default)]
struct EventLength {
    event: usize,
    line: usize,
    after_return: bool,
}

impl EventLength {
    fn add(&mut self, chunk: &[u8]) -> Result<(), HttpError> {
        for byte in chunk {
            let follows_return = std::mem::replace(&mut self.after_return, *byte == b'\r');
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' if self.line == 0 => self.event = 0,
                b'\n' | b'\r' => self.line = 0,
                _ => {
                    self.line += 1;
                    self.event += 1;
                }
            }
            if self.event > LONGEST {
                return Err(HttpError::TooLong);
            }
        }
        Ok(())
    }
}

fn broken(error: rmcp_sse_stream::Error) -> HttpError {
    match error {
        rmcp_sse_stream::Error::Body(cause) => match cause.downcast::<HttpError>() {
            Ok(error) => *error,
            Err(cause) => HttpError::Unreachable(text::causes(cause.as_ref())),
        },
        _ => HttpError::Unreadable,
    }
}

fn header_map(headers: &[v1::HttpHeader]) -> Result<HeaderMap, HttpError> {
    let mut map = HeaderMap::new();
    for header in headers {
        let wrong = || HttpError::Header(text::one_line(&header.name, NAME));
        let name = HeaderName::from_bytes(header.name.as_bytes()).map_err(|_| wrong())?;
        let value = header.value.reveal().as_bytes();
        let mut value = HeaderValue::from_bytes(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        map.append(name, value);
    }
    Ok(map)
}

/// Follows redirects only if they keep method and body and stay on the same origin.
fn stay(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps = matches!(
        attempt.status(),
        StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT
    );
    let from = attempt.previous().last().map(Url::origin);
    if keeps && from == Some(attempt.url().origin()) && attempt.previous().len() <= HOPS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

pub(super) const EVENTS: &str = "text/event-stream";
pub(super) const JSON: &str = "application/json";
const CONNECT: Duration = Duration::from_secs(10);
const HOPS: usize = 5;
const NAME: usize = 64;
const NO_PASSWORD: Option<&str> = None;

#[cfg(test)]
mod tests {
    use super::{EventLength, LONGEST};

    #[test]
    fn only_an_event_without_end_is_too_long() {
        let mut length = EventLength::default();
        let half = [&vec![b'x'; LONGEST / 2][..], b"\r\n\r\n"].concat();
        for _ in 0..4 {
            assert!(length.add(&half).is_ok());
        }
        let lines = [&vec![b'x'; LONGEST / 2][..], b"\n"].concat();
        assert!(length.add(&lines).is_ok());
        assert!(length.add(&lines).is_ok());
        assert!(length.add(b"x").is_err());
    }
}
