//! `fetch`: fetches a page of the public web as text.

mod address;
mod page;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use attache::v1;
use attache_model::Input;
use attache_text::plain;
use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde_json::json;

use super::input::{InputObject, InvalidInput};
use super::tool_error::ToolError;
use super::{Workplace, format};
use crate::ToolOutcome;
use address::{Resolver, check};

/// Fetches a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// Its URL.
    pub url: String,
}

impl Fetch {
    /// The host of the page.
    pub(crate) fn host(&self) -> String {
        let url = Url::parse(&self.url).ok();
        let host = url.as_ref().and_then(Url::host_str);
        host.unwrap_or("nowhere").to_owned()
    }
}

/// A page to fetch.
#[derive(Debug)]
pub(super) struct PreparedFetch(Url);

/// Whether pages of this machine may be fetched, by a loopback address or `localhost`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Loopback {
    /// They may not be fetched.
    #[default]
    Closed,
    /// They may be fetched, for example from a server under development.
    Open,
}

/// The client for web pages. Clones share their connections.
#[derive(Clone, Default)]
pub struct WebClient {
    loopback: Loopback,
    client: Arc<OnceLock<Result<Client, String>>>,
}

impl WebClient {
    /// A client for the public web, and for this machine if `loopback` is open.
    pub fn new(loopback: Loopback) -> WebClient {
        WebClient {
            loopback,
            client: Arc::default(),
        }
    }

    fn client(&self) -> Result<&Client, ToolError> {
        let client = self.client.get_or_init(|| client(self.loopback));
        client.as_ref().map_err(|error| {
            let sentence = format!("pages cannot be fetched on this machine: {error}");
            ToolError::new("fetch", sentence)
        })
    }
}

impl fmt::Debug for WebClient {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("WebClient")
            .field("loopback", &self.loopback)
            .finish_non_exhaustive()
    }
}

fn client(loopback: Loopback) -> Result<Client, String> {
    attache_tls::prepare();
    let policy = Policy::custom(move |attempt| {
        if attempt.previous().len() > MOST_REDIRECTS {
            return attempt.error(RefusedAddress("too many redirects".to_owned()));
        }
        // Permission is for the pages of one host.
        let host = attempt.previous().first().and_then(Url::host_str);
        let is_elsewhere = host != attempt.url().host_str();
        match check(attempt.url(), loopback) {
            Ok(()) if is_elsewhere => {
                let url = plain::one_line(attempt.url().as_str(), LONGEST_URL);
                let why =
                    format!("it redirects to another host; if that is what you want, fetch {url}");
                attempt.error(RefusedAddress(why))
            }
            Ok(()) => attempt.follow(),
            Err(why) => attempt.error(RefusedAddress(format!("it redirects, and {why}"))),
        }
    });
    Client::builder()
        .user_agent(concat!("attache/", env!("CARGO_PKG_VERSION")))
        .redirect(policy)
        .referer(false)
        .no_proxy()
        .dns_resolver(Resolver { loopback })
        .connect_timeout(LONGEST_CONNECT)
        .timeout(LONGEST)
        .build()
        .map_err(|error| error.to_string())
}

/// Why an address is not fetched; passes through the HTTP library as an error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct RefusedAddress(String);

impl Fetch {
    pub(super) fn of(mut members: InputObject) -> Result<Fetch, InvalidInput> {
        Ok(Fetch {
            url: members.word("url")?,
        })
    }

    pub(super) fn prepare(self, workplace: &Workplace) -> Result<PreparedFetch, ToolError> {
        let url = Url::parse(self.url.trim()).map_err(|error| {
            let sentence = format!("`url` is not a URL: {error}; begin with https://");
            ToolError::new("url", sentence)
        })?;
        match check(&url, workplace.pages().loopback) {
            Ok(()) => Ok(PreparedFetch(url)),
            Err(why) => Err(ToolError::new("url", format!("not fetched: {why}"))),
        }
    }
}

impl PreparedFetch {
    /// The whole URL, because a title may show only its beginning.
    pub(super) fn content(&self) -> v1::ToolCallContent {
        v1::ContentBlock::from(self.0.as_str()).into()
    }

    pub(super) async fn perform(self, workplace: &Workplace) -> Result<ToolOutcome, ToolError> {
        let asked = self.0.clone();
        let response = workplace.pages().client()?.get(self.0).send().await;
        let response = response.map_err(|error| failed(&error))?;
        let status = response.status();
        let media = media_type(response.headers());
        let address = response.url().clone();
        let (bytes, is_cut) = body(response).await?;
        let size = bytes.len();
        let kind = media.clone();
        let read = tokio::task::spawn_blocking(move || page::text(&kind, &bytes));
        let text = read.await.map_err(|_| ToolError::lost())??;
        let mut notes = String::new();
        if address != asked {
            notes += &format!(
                "[from {}]\n",
                plain::one_line(address.as_str(), LONGEST_URL)
            );
        }
        if !status.is_success() {
            notes += &format!("[status {status}]\n");
        }
        let mut told = notes + format::head(&text, format::MAX_RESULT - ROOM_FOR_NOTES);
        if text.len() > format::MAX_RESULT - ROOM_FOR_NOTES {
            told += &format!(
                "\n[cut: {} bytes of text in all; for the rest save it to a file with `run` and read that]",
                text.len()
            );
        }
        if is_cut {
            told += "\n[the page is larger than 2 MiB, and the rest was not fetched]";
        }
        let raw = json!({ "status": status.as_u16(), "media_type": media, "bytes": size });
        Ok(ToolOutcome {
            failed: !status.is_success(),
            for_model: vec![Input::Text(told.clone())],
            ..format::text_outcome(told, raw)
        })
    }
}

/// The bytes of a page up to the limit, and whether there are more.
async fn body(response: Response) -> Result<(Vec<u8>, bool), ToolError> {
    let mut bytes = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| failed(&error))?;
        let room = LARGEST - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return Ok((bytes, true));
        }
    }
    Ok((bytes, false))
}

fn media_type(headers: &HeaderMap) -> String {
    let media = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    plain::one_line(media.unwrap_or_default(), LONGEST_MEDIA_TYPE).to_ascii_lowercase()
}

/// The error for a page that could not be fetched. Reports the innermost cause, which is the most specific.
fn failed(error: &reqwest::Error) -> ToolError {
    if error.is_timeout() {
        return ToolError::new(
            "timeout",
            "the page did not load within 30 seconds; try again later",
        );
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let why = plain::one_line(&cause.to_string(), LONGEST_URL);
    match cause.downcast_ref::<RefusedAddress>() {
        Some(_) => ToolError::new("url", format!("not fetched: {why}")),
        None => ToolError::new("fetch", format!("the page could not be fetched: {why}")),
    }
}

const LARGEST: usize = 2 * 1024 * 1024;
const LONGEST: Duration = Duration::from_secs(30);
const LONGEST_CONNECT: Duration = Duration::from_secs(10);
const MOST_REDIRECTS: usize = 5;
const ROOM_FOR_NOTES: usize = 1000;
const LONGEST_URL: usize = 300;
const LONGEST_MEDIA_TYPE: usize = 100;
