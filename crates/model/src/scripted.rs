//! A model that plays a script, for tests and demonstrations. `docs/models.md` describes the file format.

mod expectation;
mod script;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream;

pub use expectation::{Expectation, MessageAuthor, ResultExpectation};
pub use script::{
    Script, ScriptError, ScriptLine, ScriptTurn, ScriptedCall, ScriptedFailure, ScriptedModelInfo,
    ScriptedRetry, SlowText,
};

use crate::{Answer, Error, Event, Model, ModelInfo, Request, Stop, ToolCall};

/// A model that plays a script and records every request. Clones share the script.
#[derive(Debug, Clone)]
pub struct ScriptedModel {
    info: ModelInfo,
    state: Arc<Mutex<ScriptState>>,
}

#[derive(Debug)]
struct ScriptState {
    turns: Vec<ScriptTurn>,
    repeat: bool,
    requests: Vec<Request>,
}

impl ScriptedModel {
    /// A model that plays these turns, one per request.
    pub fn new(turns: impl IntoIterator<Item = ScriptTurn>) -> ScriptedModel {
        ScriptedModel::play(Script {
            turns: turns.into_iter().collect(),
            ..Script::default()
        })
    }

    /// A model that plays a script in its JSON form.
    ///
    /// # Errors
    ///
    /// When the text is not a valid script; the error says where.
    pub fn parse(text: &str) -> Result<ScriptedModel, ScriptError> {
        Ok(ScriptedModel::play(Script::parse(text)?))
    }

    /// A model that plays a script.
    pub fn play(script: Script) -> ScriptedModel {
        ScriptedModel {
            info: script.info.info(),
            state: Arc::new(Mutex::new(ScriptState {
                turns: script.turns,
                repeat: script.repeat,
                requests: Vec::new(),
            })),
        }
    }

    /// Replaces the model's info.
    #[must_use]
    pub fn with_info(mut self, info: ModelInfo) -> ScriptedModel {
        self.info = info;
        self
    }

    /// All requests so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, ScriptState> {
        // Only complete values are pushed, so a panic elsewhere leaves the state consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next turn for a request. Called when the answer is first polled.
    fn next_turn(&self, request: Request) -> TurnPlayback {
        let mut state = self.state();
        let count = state.requests.len();
        state.requests.push(request.clone());
        let all = state.turns.len();
        let place = match count {
            count if state.repeat && all > 0 => count % all,
            count => count,
        };
        match state.turns.get(place) {
            Some(turn) => TurnPlayback::new(turn, &request, count),
            None => TurnPlayback::failing(format!(
                "the script has {all} turns, and this is request {}; write another turn, or `\"repeat\": true`",
                count + 1
            )),
        }
    }
}

impl Model for ScriptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn answer(&self, request: Request) -> Answer {
        let state = AnswerState::Waiting(self.clone(), Box::new(request));
        Box::pin(stream::unfold(state, async |state| {
            let mut playback = match state {
                AnswerState::Waiting(model, request) => model.next_turn(*request),
                AnswerState::Playing(playback) => playback,
            };
            let item = playback.next().await?;
            Some((item, AnswerState::Playing(playback)))
        }))
    }
}

enum AnswerState {
    Waiting(ScriptedModel, Box<Request>),
    Playing(TurnPlayback),
}

/// A turn being played.
struct TurnPlayback {
    steps: VecDeque<PlaybackStep>,
}

enum PlaybackStep {
    Pause(Duration),
    Event(Event),
    Fail(Error),
    Hang,
}

impl TurnPlayback {
    fn new(turn: &ScriptTurn, request: &Request, count: usize) -> TurnPlayback {
        if let Some(difference) = turn.expect.difference(request) {
            return TurnPlayback::failing(format!(
                "turn {} of the script: {difference}",
                count + 1
            ));
        }
        let mut steps = VecDeque::new();
        let mut calls = 0;
        let mut is_over = false;
        for line in &turn.say {
            is_over |= matches!(
                line,
                ScriptLine::Stop(_) | ScriptLine::Error(_) | ScriptLine::Hang
            );
            push_steps(line, count, &mut calls, &mut steps);
        }
        if !is_over {
            let stop = if calls == 0 { Stop::Done } else { Stop::Tools };
            steps.push_back(PlaybackStep::Event(Event::End(stop)));
        }
        TurnPlayback { steps }
    }

    fn failing(reason: String) -> TurnPlayback {
        let provider = PROVIDER.to_owned();
        TurnPlayback {
            steps: VecDeque::from([PlaybackStep::Fail(Error::Provider { provider, reason })]),
        }
    }

    async fn next(&mut self) -> Option<Result<Event, Error>> {
        loop {
            match self.steps.pop_front()? {
                PlaybackStep::Pause(pause) => tokio::time::sleep(pause).await,
                PlaybackStep::Hang => std::future::pending::<()>().await,
                PlaybackStep::Event(event) => {
                    if matches!(event, Event::End(_)) {
                        self.steps.clear();
                    }
                    return Some(Ok(event));
                }
                PlaybackStep::Fail(error) => {
                    self.steps.clear();
                    return Some(Err(error));
                }
            }
        }
    }
}

fn push_steps(
    line: &ScriptLine,
    turn: usize,
    calls: &mut usize,
    steps: &mut VecDeque<PlaybackStep>,
) {
    let event = match line {
        ScriptLine::Text(text) => Event::Text(text.clone()),
        ScriptLine::Thought(text) => Event::Thought(text.clone()),
        ScriptLine::ThoughtSignature(signature) => Event::ThoughtSignature(signature.clone()),
        ScriptLine::Usage(usage) => Event::Usage(*usage),
        ScriptLine::Retry(again) => Event::Retry {
            attempts: again.attempts,
            wait: Duration::from_millis(again.wait),
            reason: again.reason.clone(),
        },
        ScriptLine::Stop(stop) => Event::End(*stop),
        ScriptLine::Pause(milliseconds) => {
            return steps.push_back(PlaybackStep::Pause(Duration::from_millis(*milliseconds)));
        }
        ScriptLine::Hang => return steps.push_back(PlaybackStep::Hang),
        ScriptLine::Error(failure) => return steps.push_back(PlaybackStep::Fail(failure.error())),
        ScriptLine::Slow(slow) => return push_slowly(slow, steps),
        ScriptLine::Call(call) => {
            *calls += 1;
            let id = call
                .id
                .clone()
                .unwrap_or_else(|| format!("call_{}_{calls}", turn + 1));
            steps.push_back(PlaybackStep::Event(Event::CallStarted {
                id: id.clone(),
                name: call.name.clone(),
            }));
            Event::Call(ToolCall {
                id,
                name: call.name.clone(),
                input: call.text(),
            })
        }
    };
    steps.push_back(PlaybackStep::Event(event));
}

fn push_slowly(slow: &SlowText, steps: &mut VecDeque<PlaybackStep>) {
    let characters: Vec<char> = slow.text.chars().collect();
    for piece in characters.chunks(slow.characters.max(1)) {
        steps.push_back(PlaybackStep::Event(Event::Text(piece.iter().collect())));
        steps.push_back(PlaybackStep::Pause(Duration::from_millis(slow.pause)));
    }
}

const PROVIDER: &str = "script";
