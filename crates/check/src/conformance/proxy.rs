//! A proxy under test, between a client and an agent that are both ours: what goes in at one end comes out at the other,
//! unless it has a reason.

mod ends;
mod passage;
mod passing;
mod traffic;

use std::sync::Arc;
use std::time::Instant;

use super::act::{self, Act, Ends, Later};
use super::{Check, Options, Report, Subject};
use passage::Passage;

/// Starts a proxy and an agent behind it, for the act of that name: our ends before the proxy, then those behind it.
pub type ProxyLaunch =
    Arc<dyn Fn(&'static str) -> Later<'static, Result<(Ends, Ends), String>> + Send + Sync>;

/// Checks a proxy.
pub async fn check_proxy(launch: ProxyLaunch, options: Options) -> Report {
    let start = Instant::now();
    let options = Arc::new(options);
    let wanted =
        |act: &&'static Act<Passage>| act.checks.iter().any(|check| options.only.takes(check.id));
    let acts = ACTS.iter().filter(wanted).collect();
    let open = |act| Passage::new(act, Arc::clone(&launch), Arc::clone(&options));
    let played = act::play(acts, &options, open).await;
    let (mut judgements, conversations) = act::gather(played);
    judgements.retain(|made| options.only.takes(made.check.id));
    Report::new(Subject::Proxy, judgements, conversations, start.elapsed())
}

pub(super) fn checks() -> Vec<&'static Check> {
    ACTS.iter().flat_map(|act| act.checks).collect()
}

static ACTS: &[Act<Passage>] = &[passing::ACT, traffic::ACT, ends::ACT];
