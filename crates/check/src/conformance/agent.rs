//! An agent under test, and the acts it is put through.

mod cancel;
mod catalogue;
mod choices;
mod corners;
mod farewell;
mod fences;
mod forms;
mod greeting;
mod replay;
mod rough;
mod servers;
mod services;
mod setup;
mod tools;
mod turn;
mod versions;
mod watched;

use std::sync::Arc;
use std::time::Instant;

use attache_testkit::Side;

use super::act::{self, Act};
use super::scene::Scene;
use super::{Check, Launch, Options, Report, Subject, watch};

/// Checks an agent, which is started many times.
pub async fn check_agent(launch: Launch, options: Options) -> Report {
    let watched = watched::all().any(|it| options.only.takes(it.check.id));
    let wanted = |act: &&'static Act<Scene>| {
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

async fn play(acts: Vec<&'static Act<Scene>>, launch: Launch, options: Options) -> Report {
    let start = Instant::now();
    let options = Arc::new(options);
    let open = |act| Scene::new(Side::Client, act, Arc::clone(&launch), Arc::clone(&options));
    let played = act::play(acts, &options, open).await;
    let (mut judgements, conversations) = act::gather(played);
    judgements.extend(watch::judge(watched::all(), &conversations));
    judgements.retain(|made| options.only.takes(made.check.id));
    Report::new(Subject::Agent, judgements, conversations, start.elapsed())
}

pub(super) fn checks() -> Vec<&'static Check> {
    let acts = ACTS.iter().flat_map(|act| act.checks);
    acts.chain(watched::all().map(|it| &it.check)).collect()
}

static ACTS: &[Act<Scene>] = &[
    greeting::ACT,
    versions::ACT,
    corners::ACT,
    rough::ACT,
    setup::ACT,
    fences::ACT,
    turn::ACT,
    cancel::ACT,
    tools::ACT,
    services::ACT,
    catalogue::ACT,
    replay::ACT,
    choices::ACT,
    servers::ACT,
    forms::ACT,
    farewell::ACT,
];
