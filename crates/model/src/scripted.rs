//! A model that plays a script, for tests and demonstrations. `docs/models.md` describes the file.

mod expectation;
mod script;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::stream;

pub use expectation::{Expectation, ResultExpectation, Speaker};
pub use script::{Again, Call, Failure, Line, Script, ScriptCard, ScriptError, Slow, Turn};

use crate::{Answer, Card, Error, Event, Model, Request, Stop, ToolCall};

/// A model that plays a script, and keeps every request that it was given. Clones play the same script.
#[derive(Debug, Clone)]
pub struct Scripted {
    card: Card,
    stage: Arc<Mutex<Stage>>,
}

#[derive(Debug)]
struct Stage {
    turns: Vec<Turn>,
    repeat: bool,
    requests: Vec<Request>,
}

impl Scripted {
    /// Plays these turns, one for each request.
    pub fn new(turns: impl IntoIterator<Item = Turn>) -> Scripted {
        Scripted::play(Script {
            turns: turns.into_iter().collect(),
            ..Script::default()
        })
    }

    /// Plays the text of a script.
    ///
    /// # Errors
    ///
    /// When it is no script; the error says where.
    pub fn parse(text: &str) -> Result<Scripted, ScriptError> {
        Ok(Scripted::play(Script::parse(text)?))
    }

    /// Plays a script.
    pub fn play(script: Script) -> Scripted {
        Scripted {
            card: script.card.card(),
            stage: Arc::new(Mutex::new(Stage {
                turns: script.turns,
                repeat: script.repeat,
                requests: Vec::new(),
            })),
        }
    }

    /// Under another card.
    #[must_use]
    pub fn with_card(mut self, card: Card) -> Scripted {
        self.card = card;
        self
    }

    /// Every request so far, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.stage().requests.clone()
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        // Only whole values are pushed: a panic elsewhere leaves it whole.
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next turn for a request. Nothing is taken before the answer is polled.
    fn take(&self, request: Request) -> Act {
        let mut stage = self.stage();
        let count = stage.requests.len();
        stage.requests.push(request.clone());
        let all = stage.turns.len();
        let place = match count {
            count if stage.repeat && all > 0 => count % all,
            count => count,
        };
        match stage.turns.get(place) {
            Some(turn) => Act::new(turn, &request, count),
            None => Act::failing(format!(
                "the script has {all} turns, and this is request {}; write another turn, or `\"repeat\": true`",
                count + 1
            )),
        }
    }
}

impl Model for Scripted {
    fn card(&self) -> &Card {
        &self.card
    }

    fn answer(&self, request: Request) -> Answer {
        let state = State::Waiting(self.clone(), Box::new(request));
        Box::pin(stream::unfold(state, async |state| {
            let mut act = match state {
                State::Waiting(model, request) => model.take(*request),
                State::Playing(act) => act,
            };
            let item = act.next().await?;
            Some((item, State::Playing(act)))
        }))
    }
}

enum State {
    Waiting(Scripted, Box<Request>),
    Playing(Act),
}

/// One turn while it is played.
struct Act {
    cues: VecDeque<Cue>,
}

enum Cue {
    Pause(Duration),
    Say(Event),
    Fail(Error),
    Hang,
}

impl Act {
    fn new(turn: &Turn, request: &Request, count: usize) -> Act {
        if let Some(difference) = turn.expect.difference(request) {
            return Act::failing(format!("turn {} of the script: {difference}", count + 1));
        }
        let mut cues = VecDeque::new();
        let mut calls = 0;
        let mut is_over = false;
        for line in &turn.say {
            is_over |= matches!(line, Line::Stop(_) | Line::Error(_) | Line::Hang);
            cue(line, count, &mut calls, &mut cues);
        }
        if !is_over {
            let stop = if calls == 0 { Stop::Done } else { Stop::Tools };
            cues.push_back(Cue::Say(Event::End(stop)));
        }
        Act { cues }
    }

    fn failing(reason: String) -> Act {
        let provider = PROVIDER.to_owned();
        Act {
            cues: VecDeque::from([Cue::Fail(Error::Provider { provider, reason })]),
        }
    }

    async fn next(&mut self) -> Option<Result<Event, Error>> {
        loop {
            match self.cues.pop_front()? {
                Cue::Pause(pause) => tokio::time::sleep(pause).await,
                Cue::Hang => std::future::pending::<()>().await,
                Cue::Say(event) => {
                    if matches!(event, Event::End(_)) {
                        self.cues.clear();
                    }
                    return Some(Ok(event));
                }
                Cue::Fail(error) => {
                    self.cues.clear();
                    return Some(Err(error));
                }
            }
        }
    }
}

fn cue(line: &Line, turn: usize, calls: &mut usize, cues: &mut VecDeque<Cue>) {
    let event = match line {
        Line::Text(text) => Event::Text(text.clone()),
        Line::Thought(text) => Event::Thought(text.clone()),
        Line::Seal(seal) => Event::Seal(seal.clone()),
        Line::Usage(usage) => Event::Usage(*usage),
        Line::Again(again) => Event::Again {
            attempts: again.attempts,
            wait: Duration::from_millis(again.wait),
            reason: again.reason.clone(),
        },
        Line::Stop(stop) => Event::End(*stop),
        Line::Pause(milliseconds) => {
            return cues.push_back(Cue::Pause(Duration::from_millis(*milliseconds)));
        }
        Line::Hang => return cues.push_back(Cue::Hang),
        Line::Error(failure) => return cues.push_back(Cue::Fail(failure.error())),
        Line::Slow(slow) => return slowly(slow, cues),
        Line::Call(call) => {
            *calls += 1;
            let id = call
                .id
                .clone()
                .unwrap_or_else(|| format!("call_{}_{calls}", turn + 1));
            cues.push_back(Cue::Say(Event::Named {
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
    cues.push_back(Cue::Say(event));
}

fn slowly(slow: &Slow, cues: &mut VecDeque<Cue>) {
    let characters: Vec<char> = slow.text.chars().collect();
    for piece in characters.chunks(slow.characters.max(1)) {
        cues.push_back(Cue::Say(Event::Text(piece.iter().collect())));
        cues.push_back(Cue::Pause(Duration::from_millis(slow.pause)));
    }
}

const PROVIDER: &str = "script";
