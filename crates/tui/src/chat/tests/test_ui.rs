//! A screen without a terminal, an agent or a clock.

use std::fmt::Debug;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use attache::v1;
use attache_client::command::{OpenRequest, SessionStart};
use attache_client::event::{Event, OpenedSession, PermissionPrompt, PromptSubject};
use attache_client::session_setting::SessionSetting;
use attache_host::permissions::{Action, ComparedChange, Digest, DiskComparison, UnknownTexts};
use attache_host::terminals::TerminalView;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use expect_test::Expect;
use ratatui::Terminal;
use ratatui::backend::{Backend, TestBackend};
use ratatui::buffer::Buffer;

use crate::chat::request_queue::{GRACE_PERIOD, RequestDialog};
use crate::chat::{App, DrawContext, Effect, FirstSession, Input, Settings};
use crate::paint::Theme;
use crate::paint::theme::{Background, Palette, SignSet};

/// The UI without a terminal. Its effects are collected.
pub(super) struct TestUi {
    pub(super) app: App,
    pub(super) now: Instant,
    effects: Vec<Effect>,
    size: (u16, u16),
    terminal: Option<TerminalView>,
}

/// A UI with an open session and 60 columns.
pub(super) fn test_ui() -> TestUi {
    let mut ui = TestUi::new(SignSet::Unicode);
    ui.event(Event::AgentReady(Box::new(agent())));
    ui.open_session("s1");
    ui.effects.clear();
    ui
}

pub(super) fn agent() -> v1::InitializeResponse {
    let sessions = v1::SessionCapabilities::new()
        .list(v1::SessionListCapabilities::new())
        .delete(v1::SessionDeleteCapabilities::new())
        .resume(v1::SessionResumeCapabilities::new())
        .fork(v1::SessionForkCapabilities::new());
    let capabilities = v1::AgentCapabilities::new()
        .load_session(true)
        .session_capabilities(sessions);
    v1::InitializeResponse::new(v1::ProtocolVersion::V1)
        .agent_capabilities(capabilities)
        .agent_info(v1::Implementation::new("test-agent", "1.0.0").title("Test Agent"))
}

impl TestUi {
    /// A UI before the agent is ready.
    pub(super) fn new(signs: SignSet) -> TestUi {
        let theme = Theme::new(Palette::None, Background::Dark, signs);
        let settings = Settings {
            agent: "test".to_owned(),
            opening: opening(SessionStart::New),
            start: FirstSession::AsRequested,
            theme,
            session_settings: Vec::new(),
            preset: attache_host::permissions::Preset::Ask,
            expiry: attache_host::permissions::Expiry::Never,
        };
        let mut ui = TestUi {
            app: App::new(settings),
            now: Instant::now(),
            effects: Vec::new(),
            size: (60, 20),
            terminal: None,
        };
        ui.input(Input::Tick);
        ui
    }

    pub(super) fn size(mut self, columns: u16, rows: u16) -> TestUi {
        self.size = (columns, rows);
        self.input(Input::Resize(columns, rows));
        self
    }

    pub(super) fn with_terminal(mut self, view: TerminalView) -> TestUi {
        self.terminal = Some(view);
        self
    }

    pub(super) fn input(&mut self, input: Input) {
        self.effects.extend(self.app.handle(input, self.now));
    }

    pub(super) fn event(&mut self, event: Event) {
        self.input(Input::Event(Box::new(event)));
    }

    /// A UI with settings for new sessions.
    pub(super) fn with_session_settings(session_settings: Vec<SessionSetting>) -> TestUi {
        let mut ui = TestUi::new(SignSet::Unicode);
        ui.app.settings.session_settings = session_settings;
        ui
    }

    pub(super) fn open_session(&mut self, session: &str) {
        let opening = self.app.tab().opening.clone();
        self.event(Event::SessionOpened(Box::new(OpenedSession {
            session: session.into(),
            request: opening,
            modes: None,
            options: Vec::new(),
        })));
    }

    pub(super) fn update(&mut self, update: impl Into<v1::SessionUpdate>) {
        let news = v1::SessionNotification::new("s1", update);
        self.event(Event::Update(Box::new(news)));
    }

    pub(super) fn agent_message(&mut self, text: &str) {
        self.update(v1::SessionUpdate::AgentMessageChunk(v1::ContentChunk::new(
            text,
        )));
    }

    pub(super) fn start_turn(&mut self, text: &str) {
        self.event(Event::TurnStarted {
            session: "s1".into(),
            content: vec![text.into()],
        });
    }

    pub(super) fn end_turn(&mut self) {
        self.event(Event::TurnEnded {
            session: "s1".into(),
            outcome: Ok(v1::PromptResponse::new(v1::StopReason::EndTurn)),
        });
    }

    pub(super) fn wait(&mut self, time: Duration) {
        self.now += time;
        self.input(Input::Tick);
    }

    /// Presses keys: characters literally, other keys by their names in angle brackets. Before each key the screen is
    /// drawn and time passes as between typed keys, and a request is given the time after which it can get the focus.
    pub(super) fn press(&mut self, keys: &str) {
        for key in parse(keys) {
            self.screen();
            self.now += KEY;
            let enters = key.code == KeyCode::Tab || key == alt('r');
            let session = self.app.tab().session().cloned();
            let request = self.app.requests.first(session.as_ref());
            let has_request = request.is_some();
            let is_confirming = request.is_some_and(|request| match &request.dialog {
                RequestDialog::Permission(dialog) => dialog.is_confirming(),
                _ => false,
            });
            if is_confirming && key.code == KeyCode::Enter {
                self.now += GRACE_PERIOD;
            }
            if enters && has_request && !self.app.request_has_keys() {
                self.now += GRACE_PERIOD;
            }
            self.input(Input::Key(key));
        }
    }

    /// Draws the screen, then clicks.
    pub(super) fn click(&mut self, column: u16, row: u16) {
        self.screen();
        self.now += GRACE_PERIOD;
        self.input(Input::Click(column, row));
    }

    /// Presses keys at once, without drawing in between and faster than anyone types.
    pub(super) fn press_unseen(&mut self, keys: &str) {
        for key in parse(keys) {
            self.input(Input::Key(key));
        }
    }

    /// Takes the effects since the last call.
    pub(super) fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub(super) fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        self.draw_on(&mut terminal);
        shown(terminal.backend())
    }

    /// Draws the screen and returns it.
    pub(super) fn draw_on<B: Backend<Error: Debug>>(
        &mut self,
        terminal: &mut Terminal<B>,
    ) -> Buffer {
        let view = self.terminal.clone();
        let lookup = |_: &v1::TerminalId| view.clone();
        let context = DrawContext {
            terminal: &lookup,
            now: self.now,
        };
        let drawn = terminal.draw(|frame| self.app.draw(frame, &context));
        drawn.unwrap().buffer.clone()
    }

    pub(super) fn check(&mut self, expected: &Expect) {
        // Drawn until it is settled: colours arrive and long entries are laid out over several drawings.
        let mut shown = self.screen();
        for _ in 0..50 {
            if self.app.tab().view.is_settled() {
                break;
            }
            shown = self.screen();
        }
        expected.assert_eq(&shown);
    }
}

/// The rows of a screen, each between bars that show where the row ends.
fn shown(backend: &TestBackend) -> String {
    let buffer = backend.buffer();
    let mut rows = String::new();
    for y in 0..buffer.area.height {
        let mut row = String::new();
        let mut skip = 0;
        for x in 0..buffer.area.width {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let symbol = buffer[(x, y)].symbol();
            skip = unicode_width::UnicodeWidthStr::width(symbol).saturating_sub(1);
            row.push_str(symbol);
        }
        rows.push('|');
        rows.push_str(row.trim_end());
        rows.push('\n');
    }
    rows
}

pub(super) fn opening(start: SessionStart) -> OpenRequest {
    OpenRequest {
        start,
        cwd: PathBuf::from("/code/project"),
        additional: Vec::new(),
        mcp_servers: Vec::new(),
    }
}

/// A permission request for a command, in the session `s1`.
pub(super) fn permission_prompt(number: u64, command: &[&str], title: &str) -> PermissionPrompt {
    let allow = v1::PermissionOptionKind::AllowOnce;
    let reject = v1::PermissionOptionKind::RejectOnce;
    PermissionPrompt {
        id: number,
        action: Action {
            agent: "test".to_owned(),
            workspace: PathBuf::from("/code/project"),
            session: "s1".into(),
            kind: v1::ToolKind::Execute,
            tool: None,
            tool_identity: None,
            has_unknown_input: false,
            other_tools: Vec::new(),
            unknown_texts: UnknownTexts::default(),
            patterns: Vec::new(),
            wild_paths: Vec::new(),
            names_destination: false,
            names_other_files: false,
            is_ambiguous: false,
            is_class: false,
            on_disk: None,
            has_content: false,
            runs_code: false,
            title: title.to_owned(),
            command: Some(command.iter().map(|word| (*word).to_owned()).collect()),
            directory: None,
            paths: Vec::new(),
            digest: Digest([0; 32]),
            subject: Digest([0; 32]),
        },
        subject: PromptSubject::ToolCall(v1::ToolCall::new("c1", title)),
        options: vec![
            v1::PermissionOption::new("yes", "Sure", allow),
            v1::PermissionOption::new("no", "Never", reject),
        ],
        change: None,
        changes: Vec::new(),
    }
}

/// A permission request for a tool call whose diffs apply to the files on disk.
pub(super) fn set_tool_call(prompt: &mut PermissionPrompt, call: v1::ToolCall) {
    let diffs = call.content.iter().filter_map(|content| match content {
        v1::ToolCallContent::Diff(diff) => Some(diff.clone()),
        _ => None,
    });
    let applying = diffs.map(|diff| ComparedChange {
        diff,
        disk: DiskComparison::Applies,
    });
    prompt.changes = applying.collect();
    prompt.subject = PromptSubject::ToolCall(call);
}

fn parse(keys: &str) -> Vec<KeyEvent> {
    let mut parsed = Vec::new();
    let mut rest = keys;
    while let Some(char) = rest.chars().next() {
        let named = rest
            .strip_prefix('<')
            .and_then(|rest| rest.split_once('>'))
            .and_then(|(name, rest)| Some((named_key(name)?, rest)));
        if let Some((key, after)) = named {
            parsed.push(key);
            rest = after;
        } else {
            parsed.push(KeyEvent::new(KeyCode::Char(char), KeyModifiers::NONE));
            rest = &rest[char.len_utf8()..];
        }
    }
    parsed
}

fn alt(char: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(char), KeyModifiers::ALT)
}

/// The time from one key to the next.
const KEY: Duration = Duration::from_millis(40);

fn named_key(name: &str) -> Option<KeyEvent> {
    let mut modifiers = KeyModifiers::NONE;
    let mut name = name;
    for (prefix, modifier) in [("C-", KeyModifiers::CONTROL), ("A-", KeyModifiers::ALT)] {
        if let Some(rest) = name.strip_prefix(prefix) {
            name = rest;
            modifiers |= modifier;
        }
    }
    let code = match name {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "S-Tab" => KeyCode::BackTab,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "BS" => KeyCode::Backspace,
        "Del" => KeyCode::Delete,
        "F1" => KeyCode::F(1),
        one if one.chars().count() == 1 => KeyCode::Char(one.chars().next()?),
        _ => return None,
    };
    Some(KeyEvent::new(code, modifiers))
}
