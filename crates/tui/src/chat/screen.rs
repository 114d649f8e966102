//! The event loop around the state machine: keys, events, time, and the terminal itself.

pub(super) mod backend;
mod background_tasks;
pub(super) mod terminal;

use std::future::poll_fn;
use std::io;
use std::ops::ControlFlow;
use std::task::Poll;
use std::time::{Duration, Instant};

use attache::process::ExitStatus;
use attache::v1;
use attache_client::conversation::{Conversation, LoginCommand};
use attache_client::event::Event;
use crossterm::event::{
    Event as TerminalEvent, EventStream, KeyEventKind, MouseButton, MouseEventKind,
};
use futures_util::{FutureExt, StreamExt};
use tokio::time::sleep_until;

use super::app::{App, Settings};
use super::draw::DrawContext;
use super::effect::{Effect, Input, Steering};
use background_tasks::BackgroundTasks;
use terminal::{AltScreen, ExitSignals};

/// Shows the conversation on the terminal until the user quits. The terminal is restored in every case. `observe` gets
/// every event before the screen shows it.
///
/// # Errors
///
/// Fails if standard input or output is not a terminal.
pub async fn run(
    conversation: &mut Conversation,
    settings: Settings,
    observe: &mut dyn FnMut(&Event),
) -> io::Result<()> {
    let alt_screen = AltScreen::enter()?;
    let event_loop = EventLoop {
        app: App::new(settings),
        alt_screen,
        keys: Some(EventStream::new()),
        background_tasks: BackgroundTasks::default(),
        signals: ExitSignals::new()?,
        due: None,
        change: None,
        is_stale: true,
        observe,
    };
    event_loop.run(conversation).await
}

struct EventLoop<'a> {
    app: App,
    observe: &'a mut dyn FnMut(&Event),
    alt_screen: AltScreen,
    /// `None` while a login program uses the terminal.
    keys: Option<EventStream>,
    background_tasks: BackgroundTasks,
    signals: ExitSignals,
    /// The earliest time of the next drawing.
    due: Option<Instant>,
    /// When the screen changes without input, as of the last drawing.
    change: Option<Instant>,
    /// Whether something has changed since the last drawing.
    is_stale: bool,
}

impl EventLoop<'_> {
    async fn run(mut self, conversation: &mut Conversation) -> io::Result<()> {
        if self.handle_input(Input::Tick, conversation).await? == ControlFlow::Break(()) {
            return Ok(());
        }
        loop {
            self.draw_if_due(conversation)?;
            let wake = self.wake_time();
            let inputs = tokio::select! {
                key = next_key(&mut self.keys) => match key {
                    Some(event) => self.read_pending_input(event?).await?,
                    // Standard input is closed.
                    None => return Ok(()),
                },
                event = conversation.next() => vec![Input::Event(Box::new(event))],
                input = self.background_tasks.next() => vec![input],
                () = sleep_until(wake.into()) => vec![Input::Tick],
                () = self.signals.next() => return Ok(()),
            };
            let now = Instant::now();
            for input in inputs {
                if self.handle_input_at(now, input, conversation).await? == ControlFlow::Break(()) {
                    return Ok(());
                }
            }
            if self.drain(conversation).await? == ControlFlow::Break(()) {
                return Ok(());
            }
        }
    }

    /// Handles pending events up to a limit, so that a burst of events is drawn once.
    async fn drain(&mut self, conversation: &mut Conversation) -> io::Result<ControlFlow<()>> {
        for _ in 0..AT_ONCE {
            let Some(event) = conversation.next().now_or_never() else {
                break;
            };
            if self
                .handle_input(Input::Event(Box::new(event)), conversation)
                .await?
                == ControlFlow::Break(())
            {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns a terminal event and all that were read with it. They get one timestamp, whatever is drawn in between.
    async fn read_pending_input(&mut self, first: TerminalEvent) -> io::Result<Vec<Input>> {
        let mut inputs: Vec<Input> = terminal_input(first).into_iter().collect();
        while let Some(keys) = self.keys.as_mut().filter(|_| inputs.len() < AT_ONCE) {
            // Polled with the waker of this task, because crossterm keeps the last waker it was given.
            let next = poll_fn(|task| Poll::Ready(keys.poll_next_unpin(task))).await;
            let Poll::Ready(Some(event)) = next else {
                break;
            };
            inputs.extend(terminal_input(event?));
        }
        Ok(inputs)
    }

    async fn handle_input(
        &mut self,
        input: Input,
        conversation: &mut Conversation,
    ) -> io::Result<ControlFlow<()>> {
        self.handle_input_at(Instant::now(), input, conversation)
            .await
    }

    async fn handle_input_at(
        &mut self,
        now: Instant,
        input: Input,
        conversation: &mut Conversation,
    ) -> io::Result<ControlFlow<()>> {
        let mut is_ready = false;
        if let Input::Event(event) = &input {
            (self.observe)(event);
            is_ready = matches!(**event, Event::AgentReady(_));
        }
        let is_tick = matches!(input, Input::Tick);
        let is_late = self.change.is_some_and(|change| change <= now);
        self.is_stale |= !is_tick || is_late;
        let mut effects = self.app.handle(input, now);
        if is_ready {
            let steering = match conversation.can_steer() {
                true => Steering::Supported,
                false => Steering::Unsupported,
            };
            effects.extend(self.app.handle(Input::Steering(steering), now));
        }
        for effect in effects {
            if self.perform(effect, conversation).await? == ControlFlow::Break(()) {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    async fn perform(
        &mut self,
        effect: Effect,
        conversation: &mut Conversation,
    ) -> io::Result<ControlFlow<()>> {
        match effect {
            Effect::Submit(command) => conversation.submit(command),
            Effect::Copy(text) => self.alt_screen.copy(&text)?,
            Effect::Mouse(mouse) => self.alt_screen.mouse(mouse)?,
            Effect::Redraw => self.alt_screen.clear()?,
            Effect::Export {
                path,
                format,
                existing,
            } => {
                let terminals = &conversation.host().terminals;
                let text = self.app.export(format, &|id| terminals.view(id));
                self.background_tasks.save(path, text, existing);
            }
            Effect::DescribeLogin(method) => {
                self.background_tasks
                    .push_done(match conversation.terminal_login(&method) {
                        Some(command) => Input::LoginDescribed(Box::new(command)),
                        None => {
                            Input::LoginEnded(Err("this login method has no program".to_owned()))
                        }
                    });
            }
            Effect::RunLogin(command) => self.run_login(&command, conversation).await?,
            Effect::Quit => return Ok(ControlFlow::Break(())),
            Effect::FindFiles(roots) => self.background_tasks.find_files(roots),
            Effect::LoadAttachments { tab, mode, prompt } => {
                self.background_tasks.load(tab, mode, prompt)
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Gives the terminal to the agent's login program, then takes it again.
    async fn run_login(
        &mut self,
        command: &LoginCommand,
        conversation: &mut Conversation,
    ) -> io::Result<()> {
        self.alt_screen.leave();
        // Our reader would take the keys that are meant for the program.
        self.keys = None;
        let ended = conversation.run_login(command).await;
        self.alt_screen.reenter()?;
        self.keys = Some(EventStream::new());
        let outcome = match ended {
            Ok(ExitStatus::Exited(0)) => Ok(()),
            Ok(status) => Err(format!("the login {status}")),
            Err(error) => Err(error),
        };
        self.background_tasks.push_done(Input::LoginEnded(outcome));
        self.is_stale = true;
        Ok(())
    }

    fn draw_if_due(&mut self, conversation: &Conversation) -> io::Result<()> {
        let now = Instant::now();
        let is_due = self.due.is_none_or(|due| now >= due);
        if !self.is_stale || !is_due {
            return Ok(());
        }
        let terminals = &conversation.host().terminals;
        let terminal = |id: &v1::TerminalId| terminals.view(id);
        let context = DrawContext {
            terminal: &terminal,
            now,
        };
        let app = &mut self.app;
        self.alt_screen.draw(|frame| app.draw(frame, &context))?;
        let done = Instant::now();
        // After a slow drawing, for example over a slow link, everything else gets as much time as the drawing took.
        self.due = Some((now + FRAME).max(done + (done - now)));
        self.change = self.app.next_change(now);
        self.is_stale = false;
        Ok(())
    }

    /// When to wake up if nothing happens.
    fn wake_time(&self) -> Instant {
        let frame = self.due.filter(|_| self.is_stale);
        let wake = frame.into_iter().chain(self.change).min();
        wake.unwrap_or_else(|| Instant::now() + IDLE)
    }
}

async fn next_key(keys: &mut Option<EventStream>) -> Option<io::Result<TerminalEvent>> {
    match keys {
        Some(keys) => keys.next().await,
        None => std::future::pending().await,
    }
}

fn terminal_input(event: TerminalEvent) -> Option<Input> {
    match event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(Input::Key(key)),
        TerminalEvent::Paste(text) => Some(Input::Paste(text)),
        TerminalEvent::Resize(columns, rows) => Some(Input::Resize(columns, rows)),
        TerminalEvent::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollDown => Some(Input::Wheel(mouse.column, mouse.row, WHEEL)),
            MouseEventKind::ScrollUp => Some(Input::Wheel(mouse.column, mouse.row, -WHEEL)),
            MouseEventKind::Down(MouseButton::Left) => Some(Input::Click(mouse.column, mouse.row)),
            _ => None,
        },
        _ => None,
    }
}

/// The shortest time between two drawings.
const FRAME: Duration = Duration::from_millis(33);
const IDLE: Duration = Duration::from_secs(3600);
/// The most events handled between two drawings.
const AT_ONCE: usize = 512;
const WHEEL: i32 = 3;
