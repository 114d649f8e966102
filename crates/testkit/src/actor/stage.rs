//! Playing: where the actor stands in the script, and what it remembers.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use super::Difference;
use super::wire::{Late, Wire};
use crate::Side;
use crate::heard::Heard;
use crate::memory::Memory;
use crate::script::{Line, Place, Scene, Script, Step, Times};

pub(super) struct Stage<R, W> {
    pub(super) side: Side,
    pub(super) wire: Wire<R, W>,
    pub(super) memory: Memory,
    pub(super) within: Duration,
    pub(super) next_id: i64,
    anything: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Stage<R, W> {
    pub(super) fn new(side: Side, wire: Wire<R, W>, within: Duration) -> Self {
        Stage {
            side,
            wire,
            memory: Memory::default(),
            within,
            next_id: 1,
            anything: false,
        }
    }

    pub(super) async fn play(&mut self, script: &Script) -> Result<(), Difference> {
        let mut steps = script.steps.iter().peekable();
        while let Some(step) = steps.next() {
            match step {
                Step::Scene(Scene::Quiet(place, time)) => {
                    self.quiet(place, *time, steps.peek().and_then(|step| step.speaker()))
                        .await?;
                }
                Step::Scene(scene) => self.scene(scene).await?,
                Step::Repeat(times, scenes) => {
                    let names = self.memory.names();
                    for _ in 0..*times {
                        self.memory.reset_names(&names);
                        for scene in scenes {
                            self.scene(scene).await?;
                        }
                    }
                }
            }
        }
        self.finish().await
    }

    pub(super) async fn close(&mut self) {
        // A peer that is gone needs no goodbye.
        drop(self.wire.close(self.within).await);
    }

    async fn scene(&mut self, scene: &Scene) -> Result<(), Difference> {
        match scene {
            Scene::Line(line) => self.line(line).await,
            Scene::AnyOrder(threads) => self.any_order(threads).await,
            Scene::Quiet(place, time) => self.quiet(place, *time, None).await,
            Scene::Within(within) => {
                self.within = *within;
                Ok(())
            }
            Scene::Anything(_) => {
                self.anything = true;
                Ok(())
            }
        }
    }

    async fn line(&mut self, line: &Line) -> Result<(), Difference> {
        match line.times {
            Times::Any if line.from != self.side => self.expect_any(line).await,
            Times::Any => self.say(line).await,
            Times::Exactly(times) => {
                for _ in 0..times {
                    if line.from == self.side {
                        self.say(line).await?;
                    } else {
                        self.expect(&[line]).await?;
                    }
                }
                Ok(())
            }
        }
    }

    async fn any_order(&mut self, threads: &[Vec<Line>]) -> Result<(), Difference> {
        let mut threads: Vec<VecDeque<&Line>> =
            threads.iter().map(|thread| repeated(thread)).collect();
        loop {
            for thread in &mut threads {
                while let Some(line) = thread.front().filter(|line| self.can_say(line)) {
                    self.say(line).await?;
                    thread.pop_front();
                }
            }
            threads.retain(|thread| !thread.is_empty());
            let heads = threads.iter().map(|thread| thread[0]);
            let heads: Vec<&Line> = heads.filter(|line| line.from != self.side).collect();
            if heads.is_empty() {
                let stuck = threads.first().map(|thread| thread[0]);
                return stuck.map_or(Ok(()), |line| Err(self.unanswerable(line)));
            }
            let fitted = self.expect(&heads).await?;
            let head = |thread: &&mut VecDeque<&Line>| std::ptr::eq(thread[0], heads[fitted]);
            if let Some(thread) = threads.iter_mut().find(head) {
                thread.pop_front();
            }
        }
    }

    /// Waits for one of the lines; which of them it was.
    async fn expect(&mut self, lines: &[&Line]) -> Result<usize, Difference> {
        let within = lines.iter().filter_map(|line| line.within).max();
        let within = within.unwrap_or(self.within);
        let places: Vec<&Place> = lines.iter().map(|line| &line.place).collect();
        let Ok(heard) = self.wire.hear(within).await else {
            let reason = format!("nothing arrived within {within:?}");
            return Err(Difference::at(self.side, &places, None, reason));
        };
        let mut reasons = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            match self.fits(line, &heard) {
                Ok(()) => return Ok(index),
                Err(reason) => reasons.push(reason),
            }
        }
        let reason = match &reasons[..] {
            [reason] => reason.clone(),
            _ => "none of the lines that may come next".to_owned(),
        };
        Err(self.differs(&places, &heard, reason))
    }

    async fn expect_any(&mut self, line: &Line) -> Result<(), Difference> {
        let within = line.within.unwrap_or(self.within);
        loop {
            match self.wire.hear(within).await {
                Err(Late) => return Ok(()),
                Ok(heard) if self.fits(line, &heard).is_err() => {
                    self.wire.put_back(heard);
                    return Ok(());
                }
                Ok(_) => {}
            }
        }
    }

    fn fits(&mut self, line: &Line, heard: &Heard) -> Result<(), String> {
        let mut memory = self.memory.clone();
        line.fit(heard, &mut memory)?;
        self.memory = memory;
        Ok(())
    }

    /// The clocks of two sides are not one: whoever does not speak next listens for half of the time.
    async fn quiet(
        &mut self,
        place: &Place,
        time: Duration,
        next: Option<Side>,
    ) -> Result<(), Difference> {
        let time = match next {
            Some(next) if next != self.side => time / 2,
            _ => time,
        };
        match self.wire.hear(time).await {
            Err(Late) => Ok(()),
            Ok(heard) => {
                let reason = "expected silence".to_owned();
                Err(self.differs(&[place], &heard, reason))
            }
        }
    }

    /// What has been said beyond the script.
    async fn finish(&mut self) -> Result<(), Difference> {
        self.close().await;
        let patience = if self.anything { self.within } else { LINGER };
        loop {
            match self.wire.hear(patience).await {
                Err(Late) | Ok(Heard::Closed) => return Ok(()),
                Ok(_) if self.anything => {}
                Ok(heard) => {
                    let reason = "expected nothing more".to_owned();
                    return Err(self.differs(&[], &heard, reason));
                }
            }
        }
    }

    fn differs(&self, places: &[&Place], heard: &Heard, reason: String) -> Difference {
        let found = heard.show(self.side.other());
        Difference::at(self.side, places, Some(found), reason)
    }
}

fn repeated(thread: &[Line]) -> VecDeque<&Line> {
    let times = |line: &Line| match line.times {
        Times::Exactly(times) => times,
        Times::Any => 1,
    };
    let lines = thread.iter();
    lines
        .flat_map(|line| std::iter::repeat_n(line, times(line)))
        .collect()
}

/// How long to listen for what comes after the end of a script.
const LINGER: Duration = Duration::from_millis(100);
