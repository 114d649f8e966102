//! One answer: asked for, perhaps again, and read. A value that is driven by whoever polls the answer.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};
use tokio::time::Instant;

use super::RemoteConfig;
use super::frames::EventFrames;
use super::retry_policy::random_fraction;
use crate::http::{causes, client};
use crate::provider_endpoint::ProviderEndpoint;
use crate::wire::attempt_error::{RetryAdvice, of_status, one_line};
use crate::wire::{AttemptError, ResponseReader, body};
use crate::{Error, Event, Message, Output, Request};

pub(super) struct AnswerStream {
    target: Arc<RemoteConfig>,
    request: Request,
    state: AttemptState,
    ready: VecDeque<Event>,
    began: Option<Instant>,
    attempts: u32,
    has_spoken: bool,
    has_dropped_thoughts: bool,
}

enum AttemptState {
    /// The next attempt begins after this wait.
    Waiting(Duration),
    Reading(Box<EventFrames>, Box<ResponseReader>),
    Failed(Error),
    Over,
}

impl AnswerStream {
    pub(super) fn new(target: Arc<RemoteConfig>, request: Request) -> AnswerStream {
        AnswerStream {
            target,
            request,
            state: AttemptState::Waiting(Duration::ZERO),
            ready: VecDeque::new(),
            began: None,
            attempts: 0,
            has_spoken: false,
            has_dropped_thoughts: false,
        }
    }

    pub(super) async fn next(&mut self) -> Option<Result<Event, Error>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.has_spoken |= is_speech(&event);
                if matches!(event, Event::End(_)) {
                    self.state = AttemptState::Over;
                }
                return Some(Ok(event));
            }
            match std::mem::replace(&mut self.state, AttemptState::Over) {
                AttemptState::Over => return None,
                AttemptState::Failed(error) => return Some(Err(error)),
                AttemptState::Waiting(wait) => self.begin(wait).await,
                AttemptState::Reading(frames, reader) => self.read(frames, reader).await,
            }
        }
    }

    async fn begin(&mut self, wait: Duration) {
        tokio::time::sleep(wait).await;
        self.began.get_or_insert_with(Instant::now);
        self.attempts += 1;
        match connect(&self.target, &self.request).await {
            Ok(response) => {
                let target = &self.target;
                let wire = target.endpoint.wire();
                let frames = EventFrames::of(response, target.patience.silence);
                let reader = ResponseReader::new(wire, &target.model, &self.request);
                self.state = AttemptState::Reading(Box::new(frames), Box::new(reader));
            }
            Err(fault) => self.fail(fault),
        }
    }

    async fn read(&mut self, mut frames: Box<EventFrames>, mut reader: Box<ResponseReader>) {
        let read = match frames.next().await {
            Ok(Some(data)) => reader.read(&data, &mut self.ready),
            Ok(None) => reader.end(&mut self.ready),
            Err(fault) => Err(fault),
        };
        self.has_spoken |= self.ready.iter().any(is_speech);
        match read {
            Err(fault) => self.fail(fault),
            Ok(()) if matches!(self.ready.back(), Some(Event::End(_))) => frames.drain().await,
            Ok(()) => self.state = AttemptState::Reading(frames, reader),
        }
    }

    /// Decides what a fault means: another attempt while nothing was said, an error after that.
    fn fail(&mut self, fault: AttemptError) {
        if self.has_spoken {
            self.state = AttemptState::Failed(self.cut(fault));
            return;
        }
        let asked = match &fault {
            AttemptError::Passing { wait, .. } => *wait,
            AttemptError::Unreachable(_) => None,
            AttemptError::Thoughts(_) if !self.has_dropped_thoughts => {
                self.has_dropped_thoughts = true;
                drop_thoughts(&mut self.request);
                self.announce(
                    Duration::ZERO,
                    "the provider doesn't accept thinking from earlier answers",
                );
                return;
            }
            _ => {
                self.state = AttemptState::Failed(self.error(fault));
                return;
            }
        };
        let passed = self.began.map_or(Duration::ZERO, |began| began.elapsed());
        match self
            .target
            .patience
            .wait(self.attempts, passed, asked, random_fraction())
        {
            Some(wait) => {
                let reason = self.target.endpoint.redact(&words(&fault));
                self.announce(wait, &reason);
            }
            None => self.state = AttemptState::Failed(self.error(fault)),
        }
    }

    fn announce(&mut self, wait: Duration, reason: &str) {
        self.ready.push_back(Event::Retry {
            attempts: self.attempts,
            wait,
            reason: reason.to_owned(),
        });
        self.state = AttemptState::Waiting(wait);
    }

    fn cut(&self, fault: AttemptError) -> Error {
        Error::Cut {
            provider: self.target.endpoint.provider.clone(),
            reason: self.target.endpoint.redact(&words(&fault)),
        }
    }

    fn error(&self, fault: AttemptError) -> Error {
        let endpoint = &self.target.endpoint;
        let provider = endpoint.provider.clone();
        let model = self.target.info.id.clone();
        match fault {
            AttemptError::Key => Error::Key {
                provider,
                hint: endpoint.hint.clone(),
            },
            AttemptError::TooLong => Error::TooLong { model },
            AttemptError::Unreachable(reason) => Error::Unreachable {
                provider,
                host: endpoint.host(),
                reason: self.tried(&reason),
            },
            AttemptError::Passing { reason, wait } => {
                let reason = self.tried(&endpoint.redact(&reason));
                let reason = match wait {
                    Some(wait) => format!("{reason}; it asks to wait {} seconds", wait.as_secs()),
                    None => reason,
                };
                Error::Provider { provider, reason }
            }
            AttemptError::Media(reason)
                if self.request.messages.iter().any(|told| told.has_media()) =>
            {
                Error::Media {
                    provider,
                    reason: endpoint.redact(&reason),
                }
            }
            AttemptError::Final(reason)
            | AttemptError::Thoughts(reason)
            | AttemptError::Media(reason) => Error::Provider {
                provider,
                reason: endpoint.redact(&reason),
            },
        }
    }

    fn tried(&self, reason: &str) -> String {
        match self.attempts {
            ..=1 => reason.to_owned(),
            attempts => format!("{reason}, after {attempts} attempts"),
        }
    }
}

async fn connect(target: &RemoteConfig, request: &Request) -> Result<Response, AttemptError> {
    let endpoint = &target.endpoint;
    let url = endpoint.answers();
    let body = body(endpoint.wire(), &target.model, &target.info, request);
    let sent = client(&url)
        .map_err(AttemptError::Final)?
        .post(url)
        .headers(endpoint.headers())
        .header("accept", "text/event-stream")
        .json(&body)
        .send();
    let response = match tokio::time::timeout(target.patience.silence, sent).await {
        Ok(sent) => sent.map_err(|error| unsent(&causes(&error)))?,
        Err(_) => return Err(AttemptError::passing("it did not start to respond in time")),
    };
    if response.status() != StatusCode::OK {
        return Err(refusal(response, endpoint).await);
    }
    match is_stream(response.headers()) {
        true => Ok(response),
        false => Err(AttemptError::Final(
            "it does not respond with a stream of events; is the base URL right?".to_owned(),
        )),
    }
}

/// A certificate that is not trusted now will not be in a second.
fn unsent(causes: &str) -> AttemptError {
    match causes.contains("certificate") {
        true => AttemptError::Final(one_line(causes)),
        false => AttemptError::Unreachable(one_line(causes)),
    }
}

async fn refusal(mut response: Response, endpoint: &ProviderEndpoint) -> AttemptError {
    let status = response.status().as_u16();
    let advice = advice(response.headers());
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await
            && body.len() < MOST_REFUSAL
        {
            body.extend_from_slice(&chunk);
        }
    };
    drop(tokio::time::timeout(REFUSAL, read).await);
    let body = endpoint.redact(&String::from_utf8_lossy(&body));
    of_status(status, &body, advice)
}

/// What the provider says about asking again. A date is not believed: clocks differ.
fn advice(headers: &HeaderMap) -> RetryAdvice {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    if text("x-should-retry") == Some("false") {
        return RetryAdvice::Never;
    }
    let milliseconds = number("retry-after-ms").map(|milliseconds| milliseconds / 1_000.0);
    let seconds = milliseconds.or_else(|| number("retry-after"));
    let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wait.map_or(RetryAdvice::None, RetryAdvice::After)
}

fn is_stream(headers: &HeaderMap) -> bool {
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    content_type.is_none_or(|value| value.to_ascii_lowercase().starts_with("text/event-stream"))
}

/// Whether a person has seen something of it.
fn is_speech(event: &Event) -> bool {
    match event {
        Event::Text(_)
        | Event::Thought(_)
        | Event::ThoughtSignature(_)
        | Event::CallStarted { .. }
        | Event::Call(_) => true,
        Event::Usage(_) | Event::Retry { .. } | Event::End(_) => false,
    }
}

fn words(fault: &AttemptError) -> String {
    match fault {
        AttemptError::Key => "the key is not accepted".to_owned(),
        AttemptError::TooLong => "the conversation is too long".to_owned(),
        AttemptError::Passing { reason, .. } | AttemptError::Unreachable(reason) => reason.clone(),
        AttemptError::Thoughts(reason)
        | AttemptError::Media(reason)
        | AttemptError::Final(reason) => reason.clone(),
    }
}

fn drop_thoughts(request: &mut Request) {
    for message in &mut request.messages {
        if let Message::Model(outputs) = &**message {
            let kept = outputs
                .iter()
                .filter(|output| !matches!(output, Output::Thought { .. }));
            *message = Arc::new(Message::Model(kept.cloned().collect()));
        }
    }
}

const MOST_REFUSAL: usize = 64 << 10;
const REFUSAL: Duration = Duration::from_secs(10);
