//! `attache replay`.

use std::time::Duration;

use anyhow::{Context, anyhow};
use attache::process::StopTimeouts;
use attache::transport;
use attache_recording::open_recording;
use attache_recording::replay::{FaultInjector, ReplayEnd, ReplayPlayer, ReplaySpeed, play};
use attache_testkit::Side;

use crate::arguments::{Party, Replay};
use crate::exit::{self, Exit};
use crate::{agents, text};

pub(crate) async fn replay(arguments: Replay) -> anyhow::Result<Exit> {
    let faults = match FaultInjector::new(&arguments.fault, arguments.seed) {
        Ok(faults) => faults,
        Err(error) => return Ok(exit::fail(Exit::Usage, &error.into())),
    };
    let side = Side::from(arguments.part);
    let loaded = load(&arguments, side);
    let mut player = match loaded {
        Ok(player) => player,
        Err(error) => return Ok(exit::fail(Exit::Failed, &error)),
    };
    let speed = match arguments.speed {
        0.0 => ReplaySpeed::AtOnce,
        factor => ReplaySpeed::Times(factor),
    };
    let outcome = match side {
        Side::Agent => {
            if !arguments.choice.command.is_empty() || arguments.choice.agent.is_some() {
                let error = anyhow!("an agent can be given only with --as client");
                return Ok(exit::fail(Exit::Usage, &error));
            }
            let streams = transport::stdio()?;
            play(&mut player, speed, faults, None, streams).await?
        }
        Side::Client => as_client(&arguments, &mut player, speed, faults).await?,
    };
    for method in player.unknown() {
        crate::print::note!("attache: not in the recording: {}", text::line(method));
    }
    Ok(match outcome {
        ReplayEnd::Played | ReplayEnd::PeerClosed => Exit::Done,
        ReplayEnd::Crashed => Exit::Code(CRASHED),
        ReplayEnd::TimedOut(what) => {
            let what = text::line(&what);
            exit::fail(
                Exit::Failed,
                &anyhow!("the other side did not send {what} in time"),
            )
        }
    })
}

fn load(arguments: &Replay, side: Side) -> anyhow::Result<ReplayPlayer> {
    let place = || arguments.file.display().to_string();
    let mut records = open_recording(&arguments.file).with_context(place)?;
    let player = ReplayPlayer::load(&mut records, side).with_context(place)?;
    anyhow::ensure!(
        player.parts() > 0,
        "{}: no messages of the {side}; is this a recording?",
        place()
    );
    Ok(player)
}

async fn as_client(
    arguments: &Replay,
    player: &mut ReplayPlayer,
    speed: ReplaySpeed,
    faults: FaultInjector,
) -> anyhow::Result<ReplayEnd> {
    let cwd = std::env::current_dir().context("the current directory")?;
    let agent = agents::choose(&arguments.choice, &cwd)?;
    let (child, stdin, stdout) = agent.program().spawn_piped().await?;
    let patience = Some(Duration::from_secs(arguments.timeout));
    let outcome = play(player, speed, faults, patience, (stdout, stdin)).await;
    child.stop(StopTimeouts::default()).await;
    Ok(outcome?)
}

impl From<Party> for Side {
    fn from(party: Party) -> Side {
        match party {
            Party::Agent => Side::Agent,
            Party::Client => Side::Client,
        }
    }
}

const CRASHED: u8 = 9;
