//! A model of a provider, over HTTP.

mod event_frames;
mod retry_policy;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, StatusCode};
use tokio::time::Instant;

use crate::http::{causes, client};
use crate::provider_endpoint::ProviderEndpoint;
use crate::wire::attempt_error::{RetryAdvice, error_for_status, one_line};
use crate::wire::{AttemptError, ResponseReader, body};
use crate::{Answer, Error, Event, Message, Model, ModelInfo, Output, Request};
use event_frames::EventFrames;
pub use retry_policy::RetryPolicy;
use retry_policy::random_fraction;

/// A model of a provider, over HTTP.
#[derive(Debug, Clone)]
pub(crate) struct RemoteModel(Arc<RemoteConfig>);

/// The endpoint, the model and the retry policy.
#[derive(Debug)]
struct RemoteConfig {
    endpoint: ProviderEndpoint,
    /// The model's name at the provider.
    model: String,
    info: ModelInfo,
    retry: RetryPolicy,
}

impl RemoteModel {
    pub(crate) fn new(
        endpoint: ProviderEndpoint,
        model: &str,
        info: ModelInfo,
        retry: RetryPolicy,
    ) -> RemoteModel {
        RemoteModel(Arc::new(RemoteConfig {
            endpoint,
            model: model.to_owned(),
            info,
            retry,
        }))
    }
}

impl Model for RemoteModel {
    fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    fn answer(&self, request: Request) -> Answer {
        let stream = AnswerStream::new(self.0.clone(), request);
        Box::pin(stream::unfold(stream, async |mut stream| {
            let item = stream.next().await?;
            Some((item, stream))
        }))
    }
}

/// One answer: requested, possibly again, and read. A value without a task; polling the answer drives it.
struct AnswerStream {
    target: Arc<RemoteConfig>,
    request: Request,
    state: AttemptState,
    ready: VecDeque<Event>,
    started: Option<Instant>,
    attempts: u32,
    is_visible: bool,
    has_dropped_thoughts: bool,
}

enum AttemptState {
    /// The next attempt starts after this wait.
    Waiting(Duration),
    Reading(Box<EventFrames>, Box<ResponseReader>),
    Failed(Error),
    Over,
}

impl AnswerStream {
    fn new(target: Arc<RemoteConfig>, request: Request) -> AnswerStream {
        AnswerStream {
            target,
            request,
            state: AttemptState::Waiting(Duration::ZERO),
            ready: VecDeque::new(),
            started: None,
            attempts: 0,
            is_visible: false,
            has_dropped_thoughts: false,
        }
    }

    async fn next(&mut self) -> Option<Result<Event, Error>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                self.is_visible |= is_visible_event(&event);
                if matches!(event, Event::End(_)) {
                    self.state = AttemptState::Over;
                }
                return Some(Ok(event));
            }
            match std::mem::replace(&mut self.state, AttemptState::Over) {
                AttemptState::Over => return None,
                AttemptState::Failed(error) => return Some(Err(error)),
                AttemptState::Waiting(wait) => self.start_attempt(wait).await,
                AttemptState::Reading(frames, reader) => self.read(frames, reader).await,
            }
        }
    }

    async fn start_attempt(&mut self, wait: Duration) {
        tokio::time::sleep(wait).await;
        self.started.get_or_insert_with(Instant::now);
        self.attempts += 1;
        match connect(&self.target, &self.request).await {
            Ok(response) => {
                let target = &self.target;
                let wire = target.endpoint.wire();
                let frames = EventFrames::of(response, target.retry.silence);
                let reader = ResponseReader::new(wire, &target.model, &self.request);
                self.state = AttemptState::Reading(Box::new(frames), Box::new(reader));
            }
            Err(error) => self.fail(error),
        }
    }

    async fn read(&mut self, mut frames: Box<EventFrames>, mut reader: Box<ResponseReader>) {
        let read = match frames.next().await {
            Ok(Some(data)) => reader.read(&data, &mut self.ready),
            Ok(None) => reader.end(&mut self.ready),
            Err(error) => Err(error),
        };
        self.is_visible |= self.ready.iter().any(is_visible_event);
        match read {
            Err(error) => self.fail(error),
            Ok(()) if matches!(self.ready.back(), Some(Event::End(_))) => frames.drain().await,
            Ok(()) => self.state = AttemptState::Reading(frames, reader),
        }
    }

    /// Handles a failed attempt: another attempt as long as nothing was returned, an error after that.
    fn fail(&mut self, error: AttemptError) {
        if self.is_visible {
            self.state = AttemptState::Failed(self.cut_off(error));
            return;
        }
        let requested_wait = match &error {
            AttemptError::Temporary { wait, .. } => *wait,
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
                self.state = AttemptState::Failed(self.error(error));
                return;
            }
        };
        let passed = self
            .started
            .map_or(Duration::ZERO, |started| started.elapsed());
        match self
            .target
            .retry
            .wait(self.attempts, passed, requested_wait, random_fraction())
        {
            Some(wait) => {
                let reason = self.target.endpoint.redact(&reason(&error));
                self.announce(wait, &reason);
            }
            None => self.state = AttemptState::Failed(self.error(error)),
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

    fn cut_off(&self, error: AttemptError) -> Error {
        Error::CutOff {
            provider: self.target.endpoint.provider.clone(),
            reason: self.target.endpoint.redact(&reason(&error)),
        }
    }

    fn error(&self, error: AttemptError) -> Error {
        let endpoint = &self.target.endpoint;
        let provider = endpoint.provider.clone();
        let model = self.target.info.id.clone();
        match error {
            AttemptError::Key => Error::Key {
                provider,
                hint: endpoint.hint.clone(),
            },
            AttemptError::TooLong => Error::TooLong { model },
            AttemptError::Unreachable(reason) => Error::Unreachable {
                provider,
                host: endpoint.host(),
                reason: self.with_attempts(&reason),
            },
            AttemptError::Temporary { reason, wait } => {
                let reason = self.with_attempts(&endpoint.redact(&reason));
                let reason = match wait {
                    Some(wait) => format!("{reason}; it asks to wait {} seconds", wait.as_secs()),
                    None => reason,
                };
                Error::Provider { provider, reason }
            }
            AttemptError::Media(reason)
                if self
                    .request
                    .messages
                    .iter()
                    .any(|message| message.has_media()) =>
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

    fn with_attempts(&self, reason: &str) -> String {
        match self.attempts {
            ..=1 => reason.to_owned(),
            attempts => format!("{reason}, after {attempts} attempts"),
        }
    }
}

async fn connect(target: &RemoteConfig, request: &Request) -> Result<Response, AttemptError> {
    let endpoint = &target.endpoint;
    let url = endpoint.answers_url();
    let body = body(endpoint.wire(), &target.model, &target.info, request);
    let sent = client(&url)
        .map_err(AttemptError::Final)?
        .post(url)
        .headers(endpoint.headers())
        .header("accept", "text/event-stream")
        .json(&body)
        .send();
    let response = match tokio::time::timeout(target.retry.silence, sent).await {
        Ok(sent) => sent.map_err(|error| send_error(&causes(&error)))?,
        Err(_) => {
            return Err(AttemptError::temporary(
                "it did not start to respond in time",
            ));
        }
    };
    if response.status() != StatusCode::OK {
        return Err(read_error(response, endpoint).await);
    }
    match is_stream(response.headers()) {
        true => Ok(response),
        false => Err(AttemptError::Final(
            "it does not respond with a stream of events; is the base URL right?".to_owned(),
        )),
    }
}

/// An untrusted certificate will not become trusted by a retry.
fn send_error(causes: &str) -> AttemptError {
    match causes.contains("certificate") {
        true => AttemptError::Final(one_line(causes)),
        false => AttemptError::Unreachable(one_line(causes)),
    }
}

async fn read_error(mut response: Response, endpoint: &ProviderEndpoint) -> AttemptError {
    let status = response.status().as_u16();
    let advice = advice(response.headers());
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await
            && body.len() < MAX_ERROR_BODY
        {
            body.extend_from_slice(&chunk);
        }
    };
    drop(tokio::time::timeout(ERROR_BODY_TIMEOUT, read).await);
    let body = endpoint.redact(&String::from_utf8_lossy(&body));
    error_for_status(status, &body, advice)
}

/// Advice of the provider about retries, from its headers. Dates are ignored, because clocks differ.
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

/// Whether the event is visible to the user.
fn is_visible_event(event: &Event) -> bool {
    match event {
        Event::Text(_)
        | Event::Thought(_)
        | Event::ThoughtSignature(_)
        | Event::CallStarted { .. }
        | Event::Call(_) => true,
        Event::Usage(_) | Event::Retry { .. } | Event::End(_) => false,
    }
}

fn reason(error: &AttemptError) -> String {
    match error {
        AttemptError::Key => "the key is not accepted".to_owned(),
        AttemptError::TooLong => "the conversation is too long".to_owned(),
        AttemptError::Temporary { reason, .. } | AttemptError::Unreachable(reason) => {
            reason.clone()
        }
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

const MAX_ERROR_BODY: usize = 64 << 10;
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);
