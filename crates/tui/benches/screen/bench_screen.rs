//! A transcript with its view and screen, and the actions to measure.

use std::time::{Duration, Instant};

use attache::{Transcript, v1};
use attache_client::figures;
use attache_host::terminals::TerminalView;
use attache_tui::paint::theme::{Background, Palette, SignSet};
use attache_tui::paint::view::{Scroll, SelectionStep, TranscriptView, Viewport};
use attache_tui::paint::{Appearance, Fold, Theme};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use crate::frame_times::{FrameStart, FrameTimes};
use crate::session::SyntheticSession;

pub(crate) struct BenchScreen {
    session: SyntheticSession,
    transcript: Transcript,
    view: TranscriptView,
    screen: Terminal<TestBackend>,
    output: String,
}

impl BenchScreen {
    pub(crate) fn new() -> Self {
        let theme = Theme::new(Palette::Full, Background::Dark, SignSet::Unicode);
        let lines =
            (0..400).map(|line| format!("test part::number_{line} ... \u{1b}[32mok\u{1b}[0m\r\n"));
        BenchScreen {
            session: SyntheticSession::new(),
            transcript: Transcript::new(),
            view: TranscriptView::new(Appearance::new(theme, "/project")),
            screen: Terminal::new(TestBackend::new(120, 40)).unwrap(),
            output: lines.collect(),
        }
    }

    /// Updates arrive while the screen follows the end.
    pub(crate) fn stream(&mut self, name: &'static str, updates: usize) -> FrameTimes {
        let change = self.transcript.begin_turn(vec!["Do everything.".into()]);
        self.view.changed(&self.transcript, &change, Instant::now());
        self.frames(name, updates / BETWEEN, |bench, _| bench.apply_updates())
    }

    /// Updates arrive while the screen shows another part.
    pub(crate) fn stream_elsewhere(&mut self, name: &'static str, updates: usize) -> FrameTimes {
        self.view.scroll(Scroll::Entry(self.entries() / 2));
        self.frames(name, updates / BETWEEN, |bench, _| bench.apply_updates())
    }

    /// One message, including an endless paragraph, grows by 2.5 kB per frame while the screen follows the end.
    pub(crate) fn stream_long(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        self.view.scroll(Scroll::Bottom);
        self.frames(name, frames, |bench, frame| {
            let paragraph = "words without a line end ".repeat(100);
            let list = "- an item of `a list` that is **long**\n".repeat(66);
            let text = if frame % 100 < 50 { paragraph } else { list };
            let chunk = v1::ContentChunk::new(text).message_id("long");
            let update = v1::SessionUpdate::AgentMessageChunk(chunk);
            let change = bench.transcript.apply(update);
            bench
                .view
                .changed(&bench.transcript, &change, Instant::now());
        })
    }

    pub(crate) fn scroll_lines(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        self.view.scroll(Scroll::Bottom);
        self.frames(name, frames, |bench, _| {
            bench.view.scroll(Scroll::Lines(-3))
        })
    }

    pub(crate) fn scroll_pages(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        self.view.scroll(Scroll::Bottom);
        self.frames(name, frames, |bench, _| {
            bench.view.scroll(Scroll::Pages(-1))
        })
    }

    pub(crate) fn jump(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        let entries = self.entries();
        self.frames(name, frames, |bench, frame| {
            bench.view.scroll(Scroll::Entry(frame * 7919 % entries))
        })
    }

    pub(crate) fn open(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        self.view.scroll(Scroll::Bottom);
        self.frames(name, frames, |bench, frame| {
            bench.view.select(SelectionStep::Previous);
            if let Some(entry) = bench.view.selected() {
                bench.view.fold(
                    entry,
                    if frame % 3 == 0 {
                        Fold::Line
                    } else {
                        Fold::Full
                    },
                );
            }
        })
    }

    /// Searches for a word that occurs everywhere, then for one that occurs nowhere, then goes from match to match.
    pub(crate) fn search(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        self.view.scroll(Scroll::Bottom);
        self.frames(name, frames, |bench, frame| match frame {
            0 => bench.view.search("nowhere to be found"),
            frame if frame % 100 == 50 => bench.view.search("value_7"),
            _ => bench.view.previous_match(),
        })
    }

    pub(crate) fn resize(&mut self, name: &'static str, frames: usize) -> FrameTimes {
        self.view.search("");
        self.frames(name, frames, |bench, frame| {
            let width = [60, 120, 200, 90][frame % 4];
            bench.screen.backend_mut().resize(width, 40);
        })
    }

    /// Draws until nothing changes.
    pub(crate) fn settle(&mut self) {
        let until = Instant::now() + Duration::from_secs(10);
        while {
            self.draw();
            !self.view.is_settled() && Instant::now() < until
        } {}
    }

    pub(crate) fn entries(&self) -> usize {
        self.transcript.entries().len()
    }

    pub(crate) fn weight(&self) -> String {
        figures::bytes(u64::try_from(self.transcript.bytes()).unwrap())
    }

    fn frames(
        &mut self,
        name: &'static str,
        count: usize,
        act: impl Fn(&mut Self, usize),
    ) -> FrameTimes {
        let mut figures = FrameTimes::new(name);
        for frame in 0..count.max(1) {
            let start = FrameStart::now();
            act(self, frame);
            self.draw();
            figures.add(&start);
        }
        figures.sorted()
    }

    fn apply_updates(&mut self) {
        let now = Instant::now();
        for update in self.session.by_ref().take(BETWEEN) {
            let change = self.transcript.apply(update);
            self.view.changed(&self.transcript, &change, now);
        }
        self.view
            .terminal_changed(&v1::TerminalId::from("terminal-1"));
    }

    fn draw(&mut self) {
        let BenchScreen {
            transcript,
            view,
            screen,
            output,
            ..
        } = self;
        let terminal = |_: &v1::TerminalId| {
            Some(TerminalView {
                command: vec!["cargo".to_owned(), "test".to_owned()],
                output: output.clone(),
                is_truncated: false,
                exit: None,
                is_released: false,
            })
        };
        let viewport = Viewport {
            transcript,
            terminal: &terminal,
            now: Instant::now(),
        };
        let drawn = screen.draw(|frame| view.draw(&viewport, frame.area(), frame.buffer_mut()));
        drawn.unwrap();
    }
}

/// The number of updates between two frames.
const BETWEEN: usize = 20;
