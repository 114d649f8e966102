//! Acts: what is played, and which checks it judges. They run at the same time, a few at once.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use attache_process::Child;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Check, Conversation, Evidence, Judgement, Need, Options, Verdict};

/// Our ends of a connection with what is under test.
pub struct Ends {
    /// What it says.
    pub read: Box<dyn AsyncRead + Send + Unpin>,
    /// What it is told.
    pub write: Box<dyn AsyncWrite + Send + Unpin>,
    /// Its process, if it has one.
    pub child: Option<Arc<Child>>,
}

pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Starts what is under test once more, for the act of that name.
pub type Launch = Arc<dyn Fn(&'static str) -> Later<'static, Result<Ends, String>> + Send + Sync>;

/// Why an act ends before its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop(pub(crate) String);

/// What an act has brought.
pub(crate) struct Played {
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) stop: Option<Stop>,
}

/// A play that can be put on.
pub(crate) struct Act<S> {
    pub(crate) name: &'static str,
    pub(crate) checks: &'static [Check],
    pub(crate) play: for<'a> fn(&'a mut S) -> Later<'a, Result<(), Stop>>,
}

/// Whatever keeps the books of one act.
pub(crate) trait Stageable: Send + 'static {
    fn books(&mut self) -> &mut Books;
    fn close(self) -> Later<'static, Vec<Conversation>>;
}

/// What has been judged in one act.
pub(crate) struct Books {
    pub(crate) checks: &'static [Check],
    judgements: Vec<Judgement>,
}

impl Books {
    pub(crate) fn new(checks: &'static [Check]) -> Self {
        Books {
            checks,
            judgements: Vec::new(),
        }
    }

    /// Notes how a check ended. A failure is not taken back by what is right elsewhere.
    pub(crate) fn judge(&mut self, id: &str, outcome: Result<(), String>, evidence: Vec<Evidence>) {
        let Some(check) = self.checks.iter().find(|check| check.id == id) else {
            debug_assert!(false, "{id} is not a check of this act");
            return;
        };
        let verdict = match outcome {
            Ok(()) => Verdict::Pass,
            Err(_) => Verdict::broken(check.level),
        };
        let judgement = Judgement {
            check,
            verdict,
            why: outcome.err().unwrap_or_default(),
            evidence,
        };
        match self.judgements.iter_mut().find(|it| it.check.id == id) {
            Some(before) if before.verdict < verdict => *before = judgement,
            Some(_) => {}
            None => self.judgements.push(judgement),
        }
    }
}

/// Plays all acts, a few at once, and gives what each has brought, in their order.
pub(crate) async fn play<S: Stageable>(
    acts: Vec<&'static Act<S>>,
    options: &Options,
    open: impl Fn(&'static Act<S>) -> S,
) -> Vec<(&'static Act<S>, Played)> {
    let room = Arc::new(Semaphore::new(options.at_once.max(1)));
    let mut running = JoinSet::new();
    for (index, act) in acts.iter().copied().enumerate() {
        let mut scene = open(act);
        let (room, within) = (Arc::clone(&room), options.act_within);
        running.spawn(async move {
            let _place = room.acquire().await;
            let stop = match timeout(within, (act.play)(&mut scene)).await {
                Ok(Ok(())) => None,
                Ok(Err(stop)) => Some(stop),
                Err(_) => Some(Stop(format!(
                    "the act took longer than {} s",
                    within.as_secs()
                ))),
            };
            let judgements = std::mem::take(&mut scene.books().judgements);
            let conversations = scene.close().await;
            let played = Played {
                judgements,
                conversations,
                stop,
            };
            (index, played)
        });
    }
    let mut all: Vec<Option<Played>> = acts.iter().map(|_| None).collect();
    while let Some(played) = running.join_next().await {
        if let Ok((index, played)) = played {
            all[index] = Some(played);
        }
    }
    let played = all.into_iter().map(|it| it.unwrap_or_else(broken_off));
    acts.into_iter().zip(played).collect()
}

/// What an act has brought in which the checker itself went wrong.
fn broken_off() -> Played {
    Played {
        judgements: Vec::new(),
        conversations: Vec::new(),
        stop: Some(Stop("the checker itself failed".to_owned())),
    }
}

/// All judgements and conversations of acts in one list each; what was not judged is not exercised.
pub(crate) fn gather<S>(
    played: Vec<(&'static Act<S>, Played)>,
) -> (Vec<Judgement>, Vec<Conversation>) {
    let (mut judgements, mut conversations) = (Vec::new(), Vec::new());
    for (act, played) in played {
        let offset = conversations.len();
        let mut made = played.judgements;
        for evidence in made.iter_mut().flat_map(|made| &mut made.evidence) {
            evidence.conversation += offset;
        }
        for check in act.checks {
            let found = made.iter().position(|made| made.check.id == check.id);
            judgements.push(match found {
                Some(found) => made.swap_remove(found),
                None => not_exercised(check, played.stop.as_ref()),
            });
        }
        conversations.extend(played.conversations);
    }
    (judgements, conversations)
}

pub(crate) fn not_exercised(check: &'static Check, stop: Option<&Stop>) -> Judgement {
    let why = match (check.need, stop) {
        (Need::Nothing, Some(Stop(why))) => format!("the conversation ended before: {why}"),
        (need, _) => need.to_string(),
    };
    Judgement {
        check,
        verdict: Verdict::NotExercised,
        why,
        evidence: Vec::new(),
    }
}

pub(crate) const ACT_WITHIN: Duration = Duration::from_secs(120);
