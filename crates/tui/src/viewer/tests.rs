//! The viewer, on screens of two sizes.

use std::io::Write;
use std::time::{Duration, Instant};

use attache_recording::RecordFilter;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use expect_test::{Expect, expect};
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::draw::draw;
use super::screen::Viewer;

/// The screen of this size after these keys.
fn shown(width: u16, height: u16, keys: &[KeyCode]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("talk.jsonl");
    std::fs::write(&file, TALK).unwrap();
    let mut viewer = Viewer::open(&file, RecordFilter::default()).unwrap();
    viewer.resize(width, height);
    settle(&mut viewer);
    for key in keys {
        let flow = viewer.key(KeyEvent::new(*key, KeyModifiers::NONE)).unwrap();
        assert!(flow.is_continue());
        settle(&mut viewer);
    }
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| draw(&viewer, frame)).unwrap();
    let text = terminal.backend().to_string();
    text.lines()
        .map(|line| format!("{}\n", line.trim_matches('"').trim_end()))
        .collect()
}

fn settle(viewer: &mut Viewer) {
    until(viewer, Viewer::is_settled);
}

/// Refreshes the viewer until a condition holds.
fn until(viewer: &mut Viewer, is_so: impl Fn(&Viewer) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        viewer.refresh().unwrap();
        if is_so(viewer) {
            return;
        }
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn check(size: (u16, u16), keys: &[KeyCode], expected: &Expect) {
    // With a left edge, because an expectation strips the common indentation.
    let shown = shown(size.0, size.1, keys);
    let edged = shown.lines().map(|line| format!("|{line}\n"));
    expected.assert_eq(&edged.collect::<String>());
}

fn typed(key: char, text: &str) -> Vec<KeyCode> {
    let text = text.chars().map(KeyCode::Char);
    std::iter::once(KeyCode::Char(key))
        .chain(text)
        .chain([KeyCode::Enter])
        .collect()
}

#[test]
fn a_growing_recording_is_shown_from_its_end() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let mut out = file.reopen().unwrap();
    let lines: Vec<&str> = TALK.split_inclusive('\n').collect();
    out.write_all(lines[..5].concat().as_bytes()).unwrap();
    let mut viewer = Viewer::follow(file.path(), RecordFilter::default()).unwrap();
    viewer.resize(80, 24);
    until(&mut viewer, |viewer| viewer.selected == 4);
    out.write_all(lines[5..10].concat().as_bytes()).unwrap();
    until(&mut viewer, |viewer| viewer.selected == 9);
    let press = |viewer: &mut Viewer, key| {
        let flow = viewer.key(KeyEvent::new(key, KeyModifiers::NONE)).unwrap();
        assert!(flow.is_continue());
    };
    press(&mut viewer, KeyCode::Up);
    out.write_all(lines[10..].concat().as_bytes()).unwrap();
    until(&mut viewer, |viewer| viewer.progress.records == 20);
    assert_eq!(
        viewer.selected, 8,
        "who looks at something goes on looking at it"
    );
    press(&mut viewer, KeyCode::End);
    until(&mut viewer, |viewer| viewer.selected == 19);
}

#[test]
fn a_small_screen() {
    check(
        (80, 24),
        &[],
        &expect![[r#"
            | talk.jsonl  20 records, 2 violations
            |      time   message                                              took     size
            |  0:00.000   example
            |  0:00.012 → initialize                                                   146 B
            |  0:00.015 · starting the model                                            18 B
            |  0:00.245 ⇐ initialize                                       233.0 ms    140 B
            |  0:00.246 → session/new                                                  184 B
            |  0:00.264 ⇐ session/new                                       18.0 ms     52 B
            |  0:04.264 → session/prompt Say hello and run the tests                   142 B
            |  0:05.114 ← session/update agent_message_chunk         first 850.0 ms    201 B
            |  0:05.116 ← session/update tool_call cargo test in_pro…                  189 B
            |  0:05.117 ⇐ ! not a message: Compiling 3 crates                           18 B
            |  0:05.118 ← session/request_permission                                   186 B
            |  0:07.018 ⇒ session/request_permission                          1.9 s     86 B
            | record 1
            |2026-01-31T12:00:00.000000Z
            |recording of example
            |secrets redacted: true
            |
            |
            |
            |
            |
            | q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help
        "#]],
    );
}

#[test]
fn a_large_screen_at_a_violation() {
    check(
        (130, 30),
        &[KeyCode::Char('v')],
        &expect![[r#"
            | talk.jsonl  20 records, 2 violations
            |      time   message                                            took     size   record 10
            |  0:00.000   example                                                           ! line: the line is not a JSON-RPC message; write n
            |  0:00.012 → initialize                                                 146 B  othing else there (rule 1, MUST)
            |  0:00.015 · starting the model                                          18 B  2026-01-31T12:00:05.117000Z
            |  0:00.245 ⇐ initialize                                     233.0 ms    140 B  Compiling 3 crates
            |  0:00.246 → session/new                                                184 B
            |  0:00.264 ⇐ session/new                                     18.0 ms     52 B
            |  0:04.264 → session/prompt Say hello and run the tes…                  142 B
            |  0:05.114 ← session/update agent_message_chunk       first 850.0 ms    201 B
            |  0:05.116 ← session/update tool_call cargo test in_p…                  189 B
            |  0:05.117 ⇐ ! not a message: Compiling 3 crates                         18 B
            |  0:05.118 ← session/request_permission                                 186 B
            |  0:07.018 ⇒ session/request_permission                        1.9 s     86 B
            |  1:08.018 ← session/update tool_call_update cargo te…    ran 62.9 s    156 B
            |  1:08.021 ⇐ not recorded: 2 lines, 512 bytes
            |  1:08.025 ⇐ session/prompt end_turn                          63.7 s     59 B
            |  1:08.035 → ! session/list                                              60 B
            |  1:08.037 ⇐ session/list -32601 Method not found             2.0 ms     77 B
            |  1:08.038 ⇒ closed
            |  1:08.039 ⇐ closed
            |  1:08.040   agent exited with 0
            |
            |
            |
            |
            |
            |
            |
            | q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help
        "#]],
    );
}

#[test]
fn a_filter_hides_other_records() {
    check(
        (80, 16),
        &typed('m', "session/prompt"),
        &expect![[r#"
            | talk.jsonl  20 records, 2 shown, 2 violations  method:session/prompt
            |      time   message                                              took     size
            |  0:04.264 → session/prompt Say hello and run the tests                   142 B
            |  1:08.025 ⇐ session/prompt end_turn                            63.7 s     59 B
            |
            |
            |
            |
            |
            | record 7  session s1
            |2026-01-31T12:00:04.264000Z
            |{
            |  "jsonrpc": "2.0",
            |  "id": 3,
            |  "method": "session/prompt",
            | q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help
        "#]],
    );
    check(
        (80, 16),
        &typed('/', "HELLO"),
        &expect![[r#"
            | talk.jsonl  20 records, 2 shown, 2 violations  text:HELLO
            |      time   message                                              took     size
            |  0:04.264 → session/prompt Say hello and run the tests                   142 B
            |  0:05.114 ← session/update agent_message_chunk         first 850.0 ms    201 B
            |
            |
            |
            |
            |
            | record 7  session s1
            |2026-01-31T12:00:04.264000Z
            |{
            |  "jsonrpc": "2.0",
            |  "id": 3,
            |  "method": "session/prompt",
            | q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help
        "#]],
    );
}

#[test]
fn the_detail_is_scrolled_and_help_is_shown() {
    check(
        (80, 16),
        &[KeyCode::End, KeyCode::Tab, KeyCode::Down],
        &expect![[r#"
            | talk.jsonl  20 records, 2 violations
            |      time   message                                              took     size
            |  1:08.021 ⇐ not recorded: 2 lines, 512 bytes
            |  1:08.025 ⇐ session/prompt end_turn                            63.7 s     59 B
            |  1:08.035 → ! session/list                                                60 B
            |  1:08.037 ⇐ session/list -32601 Method not found               2.0 ms     77 B
            |  1:08.038 ⇒ closed
            |  1:08.039 ⇐ closed
            |  1:08.040   agent exited with 0
            | record 20
            |2026-01-31T12:01:08.040000Z
            |agent exited with 0
            |
            |
            |
            | q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help
        "#]],
    );
    check(
        (80, 24),
        &[KeyCode::Char('?')],
        &expect![[r#"
            | talk.jsonl  20 records, 2 violations
            |      time   message                                              took     size
            |  0:00.000   example
            |  0:00.012 → initialize                                                   146 B
            |  0:00.015 · starting the model                                            18 B
            |  0:0 ↑ ↓ j k       move                                                   40 B
            |  0:0 PgUp PgDn     move by a page                                         84 B
            |  0:0 g G           go to the beginning, to the end                        52 B
            |  0:0 Tab           switch between list and detail                         42 B
            |  0:0 /             only messages that contain a text                      01 B
            |  0:0 m             only methods and updates with this name                89 B
            |  0:0 s S           only this message's session, or one by its id          18 B
            |  0:0 d             only one direction: out, in, standard error            86 B
            |  0:0 c             show everything again                                  86 B
            | reco v             go to the next violation
            |2026- q             quit
            |recor
            |secre → ←  requests    ⇒ ⇐  responses    ·  standard error    !  violation
            |
            |
            |
            |
            |
            | q quit  ↑↓ move  Tab detail  / text  m method  s session  v violation  ? help
        "#]],
    );
}

#[test]
fn any_size_can_be_drawn() {
    for width in [1, 2, 7, 20, 39, 119, 120, 300] {
        for height in [1, 2, 3, 4, 5, 9, 60] {
            let text = shown(width, height, &[KeyCode::Char('?'), KeyCode::Char('v')]);
            assert_eq!(text.lines().count(), usize::from(height));
        }
    }
}

const TALK: &str = include_str!("tests/talk.jsonl");
