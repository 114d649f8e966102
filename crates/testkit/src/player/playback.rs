//! A running player: its position in the script, and its bindings.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};

use super::Difference;
use super::line_stream::{LineStream, TimedOut};
use crate::Side;
use crate::bindings::Bindings;
use crate::script::{Block, Repetition, Script, ScriptLine, SourceLocation, Step};
use crate::wire_message::WireMessage;

pub(super) struct Playback<R, W> {
    pub(super) side: Side,
    pub(super) stream: LineStream<R, W>,
    pub(super) bindings: Bindings,
    pub(super) within: Duration,
    pub(super) next_id: i64,
    anything: bool,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Playback<R, W> {
    pub(super) fn new(side: Side, stream: LineStream<R, W>, within: Duration) -> Self {
        Playback {
            side,
            stream,
            bindings: Bindings::default(),
            within,
            next_id: 1,
            anything: false,
        }
    }

    pub(super) async fn play(&mut self, script: &Script) -> Result<(), Difference> {
        let mut blocks = script.blocks.iter().peekable();
        while let Some(block) = blocks.next() {
            match block {
                Block::Step(Step::Quiet(location, time)) => {
                    self.quiet(
                        location,
                        *time,
                        blocks.peek().and_then(|block| block.speaker()),
                    )
                    .await?;
                }
                Block::Step(step) => self.step(step).await?,
                Block::Repeat(times, steps) => {
                    let names = self.bindings.names();
                    for _ in 0..*times {
                        self.bindings.reset_names(&names);
                        for step in steps {
                            self.step(step).await?;
                        }
                    }
                }
            }
        }
        self.finish().await
    }

    pub(super) async fn close(&mut self) {
        // The peer may have exited already.
        drop(self.stream.close(self.within).await);
    }

    async fn step(&mut self, step: &Step) -> Result<(), Difference> {
        match step {
            Step::Line(line) => self.line(line).await,
            Step::AnyOrder(threads) => self.any_order(threads).await,
            Step::Quiet(location, time) => self.quiet(location, *time, None).await,
            Step::Within(within) => {
                self.within = *within;
                Ok(())
            }
            Step::Anything(_) => {
                self.anything = true;
                Ok(())
            }
        }
    }

    async fn line(&mut self, line: &ScriptLine) -> Result<(), Difference> {
        match line.times {
            Repetition::Any if line.from != self.side => self.expect_any(line).await,
            Repetition::Any => self.send(line).await,
            Repetition::Exactly(times) => {
                for _ in 0..times {
                    if line.from == self.side {
                        self.send(line).await?;
                    } else {
                        self.expect(&[line]).await?;
                    }
                }
                Ok(())
            }
        }
    }

    async fn any_order(&mut self, threads: &[Vec<ScriptLine>]) -> Result<(), Difference> {
        let mut threads: Vec<VecDeque<&ScriptLine>> =
            threads.iter().map(|thread| repeated(thread)).collect();
        loop {
            for thread in &mut threads {
                while let Some(line) = thread.front().filter(|line| self.can_send(line)) {
                    self.send(line).await?;
                    thread.pop_front();
                }
            }
            threads.retain(|thread| !thread.is_empty());
            let heads = threads.iter().map(|thread| thread[0]);
            let heads: Vec<&ScriptLine> = heads.filter(|line| line.from != self.side).collect();
            if heads.is_empty() {
                let stuck = threads.first().map(|thread| thread[0]);
                return stuck.map_or(Ok(()), |line| Err(self.unanswerable(line)));
            }
            let fitted = self.expect(&heads).await?;
            let head = |thread: &&mut VecDeque<&ScriptLine>| std::ptr::eq(thread[0], heads[fitted]);
            if let Some(thread) = threads.iter_mut().find(head) {
                thread.pop_front();
            }
        }
    }

    /// Waits for one of the lines and returns which of them arrived.
    async fn expect(&mut self, lines: &[&ScriptLine]) -> Result<usize, Difference> {
        let within = lines.iter().filter_map(|line| line.within).max();
        let within = within.unwrap_or(self.within);
        let locations: Vec<&SourceLocation> = lines.iter().map(|line| &line.location).collect();
        let Ok(message) = self.stream.receive(within).await else {
            let reason = format!("nothing arrived within {within:?}");
            return Err(Difference::at(self.side, &locations, None, reason));
        };
        let mut reasons = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            match self.match_line(line, &message) {
                Ok(()) => return Ok(index),
                Err(reason) => reasons.push(reason),
            }
        }
        let reason = match &reasons[..] {
            [reason] => reason.clone(),
            _ => "none of the lines that may come next".to_owned(),
        };
        Err(self.differs(&locations, &message, reason))
    }

    async fn expect_any(&mut self, line: &ScriptLine) -> Result<(), Difference> {
        let within = line.within.unwrap_or(self.within);
        loop {
            match self.stream.receive(within).await {
                Err(TimedOut) => return Ok(()),
                Ok(message) if self.match_line(line, &message).is_err() => {
                    self.stream.put_back(message);
                    return Ok(());
                }
                Ok(_) => {}
            }
        }
    }

    fn match_line(&mut self, line: &ScriptLine, message: &WireMessage) -> Result<(), String> {
        let mut bindings = self.bindings.clone();
        line.match_message(message, &mut bindings)?;
        self.bindings = bindings;
        Ok(())
    }

    /// Fails if the peer sends anything within this time. The sides do not share a clock, so the side that does not send
    /// the next line listens for half of the time only.
    async fn quiet(
        &mut self,
        location: &SourceLocation,
        time: Duration,
        next: Option<Side>,
    ) -> Result<(), Difference> {
        let time = match next {
            Some(next) if next != self.side => time / 2,
            _ => time,
        };
        match self.stream.receive(time).await {
            Err(TimedOut) => Ok(()),
            Ok(message) => {
                let reason = "expected silence".to_owned();
                Err(self.differs(&[location], &message, reason))
            }
        }
    }

    /// Fails if the peer sends anything after the end of the script.
    async fn finish(&mut self) -> Result<(), Difference> {
        self.close().await;
        let patience = if self.anything {
            self.within
        } else {
            AFTER_END
        };
        loop {
            match self.stream.receive(patience).await {
                Err(TimedOut) | Ok(WireMessage::Closed) => return Ok(()),
                Ok(_) if self.anything => {}
                Ok(message) => {
                    let reason = "expected nothing more".to_owned();
                    return Err(self.differs(&[], &message, reason));
                }
            }
        }
    }

    fn differs(
        &self,
        locations: &[&SourceLocation],
        message: &WireMessage,
        reason: String,
    ) -> Difference {
        let found = message.show(self.side.other());
        Difference::at(self.side, locations, Some(found), reason)
    }
}

fn repeated(thread: &[ScriptLine]) -> VecDeque<&ScriptLine> {
    let times = |line: &ScriptLine| match line.times {
        Repetition::Exactly(times) => times,
        Repetition::Any => 1,
    };
    let lines = thread.iter();
    lines
        .flat_map(|line| std::iter::repeat_n(line, times(line)))
        .collect()
}

/// How long to listen after the end of a script.
const AFTER_END: Duration = Duration::from_millis(100);
