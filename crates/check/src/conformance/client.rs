//! A client under test, and the acts it is put through. It is started for each act and told to prompt an agent, which is
//! us.

mod cancelled;
mod endings;
mod files;
mod hello;
mod permission;
mod post;
mod questions;
mod requests;
mod terminals;
mod updates;
mod visit;
mod watched;

use std::sync::Arc;
use std::time::Instant;

use attache_testkit::Side;

use super::act::{self, Act};
use super::{Check, Launch, Options, Report, Subject, watch};
use visit::Visit;

/// Checks a client. Starting it gives our ends of the connection with the agent that it has started.
pub async fn check_client(launch: Launch, options: Options) -> Report {
    let watched = watched::CHECKS
        .iter()
        .any(|it| options.only.takes(it.check.id));
    let wanted = |act: &&'static Act<Visit>| {
        watched || act.checks.iter().any(|check| options.only.takes(check.id))
    };
    let acts = ACTS.iter().filter(wanted).collect();
    play(acts, launch, options).await
}

/// Plays some of the acts only.
#[cfg(test)]
pub(super) async fn check_in(act: &str, launch: Launch, options: Options) -> Report {
    let acts = ACTS.iter().filter(|it| it.name == act).collect();
    play(acts, launch, options).await
}

async fn play(acts: Vec<&'static Act<Visit>>, launch: Launch, options: Options) -> Report {
    let start = Instant::now();
    let options = Arc::new(options);
    let open = |act| Visit::new(Side::Agent, act, Arc::clone(&launch), Arc::clone(&options));
    let played = act::play(acts, &options, open).await;
    let (mut judgements, conversations) = act::gather(played);
    judgements.extend(watch::judge(watched::CHECKS.iter(), &conversations));
    judgements.retain(|made| options.only.takes(made.check.id));
    Report::new(Subject::Client, judgements, conversations, start.elapsed())
}

pub(super) fn checks() -> Vec<&'static Check> {
    let acts = ACTS.iter().flat_map(|act| act.checks);
    acts.chain(watched::CHECKS.iter().map(|it| &it.check))
        .collect()
}

static ACTS: &[Act<Visit>] = &[
    hello::ACT,
    requests::ACT,
    updates::ACT,
    permission::ACT,
    files::ACT,
    terminals::ACT,
    questions::ACT,
    cancelled::ACT,
    endings::ACT,
];
