//! Test cases: scripted conversations with the program under test, each of which judges some checks.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use attache_process::Child;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{Check, Conversation, Evidence, Judgement, Need, Options, Verdict};

/// Our ends of a connection with the program under test.
pub struct PeerStreams {
    /// The output of the program.
    pub read: Box<dyn AsyncRead + Send + Unpin>,
    /// The input of the program.
    pub write: Box<dyn AsyncWrite + Send + Unpin>,
    /// The process, if we started one.
    pub child: Option<Arc<Child>>,
}

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Starts the program under test once more. The argument is the name of the test case.
pub type PeerLauncher =
    Arc<dyn Fn(&'static str) -> BoxFuture<'static, Result<PeerStreams, String>> + Send + Sync>;

/// Why a test case ended early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AbortReason(pub(crate) String);

/// The result of a test case.
pub(crate) struct CaseResult {
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) abort_reason: Option<AbortReason>,
}

/// A scripted conversation that judges some checks. `S` is the kind of test it runs in.
pub(crate) struct TestCase<S> {
    pub(crate) name: &'static str,
    pub(crate) checks: &'static [Check],
    pub(crate) run: for<'a> fn(&'a mut S) -> BoxFuture<'a, Result<(), AbortReason>>,
}

/// A running test case: it has judgements, and ends with conversations.
pub(crate) trait ConformanceTest: Send + 'static {
    fn judgements(&mut self) -> &mut JudgementLog;
    fn close(self) -> BoxFuture<'static, Vec<Conversation>>;
}

/// The judgements of one test case.
pub(crate) struct JudgementLog {
    pub(crate) checks: &'static [Check],
    judgements: Vec<Judgement>,
}

impl JudgementLog {
    pub(crate) fn new(checks: &'static [Check]) -> Self {
        JudgementLog {
            checks,
            judgements: Vec::new(),
        }
    }

    /// Records how a check ended. If a check is judged several times, the worst verdict stays.
    pub(crate) fn judge(&mut self, id: &str, outcome: Result<(), String>, evidence: Vec<Evidence>) {
        let Some(check) = self.checks.iter().find(|check| check.id == id) else {
            debug_assert!(false, "{id} is not a check of this test case");
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

/// Runs all test cases, a few at a time, and returns their results in the same order.
pub(crate) async fn run_all<S: ConformanceTest>(
    cases: Vec<&'static TestCase<S>>,
    options: &Options,
    open: impl Fn(&'static TestCase<S>) -> S,
) -> Vec<(&'static TestCase<S>, CaseResult)> {
    let slots = Arc::new(Semaphore::new(options.parallel_cases.max(1)));
    let mut running = JoinSet::new();
    for (index, case) in cases.iter().copied().enumerate() {
        let mut test = open(case);
        let (slots, within) = (Arc::clone(&slots), options.case_timeout);
        running.spawn(async move {
            let _slot = slots.acquire().await;
            let abort_reason = match timeout(within, (case.run)(&mut test)).await {
                Ok(Ok(())) => None,
                Ok(Err(abort_reason)) => Some(abort_reason),
                Err(_) => Some(AbortReason(format!(
                    "the test case took longer than {} s",
                    within.as_secs()
                ))),
            };
            let judgements = std::mem::take(&mut test.judgements().judgements);
            let conversations = test.close().await;
            let result = CaseResult {
                judgements,
                conversations,
                abort_reason,
            };
            (index, result)
        });
    }
    let mut all: Vec<Option<CaseResult>> = cases.iter().map(|_| None).collect();
    while let Some(result) = running.join_next().await {
        if let Ok((index, result)) = result {
            all[index] = Some(result);
        }
    }
    let result = all.into_iter().map(|it| it.unwrap_or_else(checker_failed));
    cases.into_iter().zip(result).collect()
}

/// The result of a test case that panicked.
fn checker_failed() -> CaseResult {
    CaseResult {
        judgements: Vec::new(),
        conversations: Vec::new(),
        abort_reason: Some(AbortReason("the checker itself failed".to_owned())),
    }
}

/// Collects all judgements and all conversations. Checks that were not judged count as not exercised.
pub(crate) fn collect_results<S>(
    result: Vec<(&'static TestCase<S>, CaseResult)>,
) -> (Vec<Judgement>, Vec<Conversation>) {
    let (mut judgements, mut conversations) = (Vec::new(), Vec::new());
    for (case, result) in result {
        let offset = conversations.len();
        let mut made = result.judgements;
        for evidence in made.iter_mut().flat_map(|made| &mut made.evidence) {
            evidence.conversation += offset;
        }
        for check in case.checks {
            let found = made.iter().position(|made| made.check.id == check.id);
            judgements.push(match found {
                Some(found) => made.swap_remove(found),
                None => not_exercised(check, result.abort_reason.as_ref()),
            });
        }
        conversations.extend(result.conversations);
    }
    (judgements, conversations)
}

pub(crate) fn not_exercised(
    check: &'static Check,
    abort_reason: Option<&AbortReason>,
) -> Judgement {
    let why = match (check.need, abort_reason) {
        (Need::Nothing, Some(AbortReason(why))) => format!("the conversation ended before: {why}"),
        (need, _) => need.to_string(),
    };
    Judgement {
        check,
        verdict: Verdict::NotExercised,
        why,
        evidence: Vec::new(),
    }
}

pub(crate) const CASE_TIMEOUT: Duration = Duration::from_secs(120);
