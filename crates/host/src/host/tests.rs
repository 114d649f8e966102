use std::path::Path;
use std::time::Duration;

use attache_schema::v1;
use expect_test::expect;

use super::Host;
use crate::Roots;
use crate::audit::{Event, Log};
use crate::files::Files;
use crate::permissions::{Permissions, Preset};
use crate::terminals::Terminals;

fn host(log: Log) -> Host {
    let permissions = Permissions::preset(Preset::Ask);
    Host::new(Files::default(), Terminals::default(), permissions, log)
}

fn serving(root: &Path, log: Log) -> Host {
    let host = host(log);
    host.open(&"s".into(), Roots::open(root, &[]).unwrap());
    host
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[tokio::test]
async fn requests_of_a_session_that_is_not_open_are_rejected() {
    let host = host(Log::none());
    let read = v1::ReadTextFileRequest::new("s", "/etc/passwd");
    let write = v1::WriteTextFileRequest::new("s", "/etc/passwd", "");
    let create = v1::CreateTerminalRequest::new("s", "true");
    let output = v1::TerminalOutputRequest::new("s", "t");
    let wait = v1::WaitForTerminalExitRequest::new("s", "t");
    let codes = [
        host.read_text_file(&read).await.unwrap_err().code,
        host.write_text_file(write).await.unwrap_err().code,
        host.create_terminal(&create).await.unwrap_err().code,
        host.terminal_output(&output).unwrap_err().code,
        host.wait_for_terminal_exit(&wait).await.unwrap_err().code,
    ];
    assert_eq!(codes, [-32002; 5]);
}

#[tokio::test]
async fn operations_are_logged_without_file_contents() {
    let scratch = tempfile::tempdir().unwrap();
    let (root, log) = (scratch.path().join("root"), scratch.path().join("log"));
    std::fs::create_dir(&root).unwrap();
    let host = serving(&root, Log::open(&log).unwrap());
    let file = root.join("a.txt");
    let write = v1::WriteTextFileRequest::new("s", path(&file), "the secret");
    host.write_text_file(write).await.unwrap();
    let read = v1::ReadTextFileRequest::new("s", path(&file));
    let content = host.read_text_file(&read).await.unwrap().content;
    assert_eq!(content, "the secret");
    let outside = v1::ReadTextFileRequest::new("s", "/etc/passwd");
    host.read_text_file(&outside).await.unwrap_err();
    let create = v1::CreateTerminalRequest::new("s", "true");
    let terminal = host.create_terminal(&create).await.unwrap().terminal_id;
    let wait = v1::WaitForTerminalExitRequest::new("s", terminal.clone());
    let exit = host.wait_for_terminal_exit(&wait).await.unwrap();
    assert_eq!(exit.exit_code, Some(0));
    let release = v1::ReleaseTerminalRequest::new("s", terminal);
    host.release_terminal(&release).await.unwrap();

    let files = std::fs::read_dir(&log).unwrap();
    // The file that is not text is a key.
    let texts = files.filter_map(|file| std::fs::read_to_string(file.unwrap().path()).ok());
    let lines: String = texts.collect();
    assert!(!lines.contains("the secret"));
    let names = lines.lines().filter_map(|line| {
        let (_, rest) = line.split_once(r#""event":""#)?;
        rest.split('"').next()
    });
    expect!["wrote read read ran ended"].assert_eq(&names.collect::<Vec<_>>().join(" "));
}

#[tokio::test]
async fn nothing_happens_before_the_decision_is_in_the_log() {
    let scratch = tempfile::tempdir().unwrap();
    let (root, dir) = (scratch.path().join("root"), scratch.path().join("log"));
    std::fs::create_dir(&root).unwrap();
    let log = Log::open(&dir).unwrap().in_background().unwrap();
    let host = serving(&root, log);
    let lock = std::fs::File::open(dir.join("lock")).unwrap();
    lock.lock().unwrap();
    host.log.append(&Event::Started { agent: "a" });
    let file = root.join("a.txt");
    let write = v1::WriteTextFileRequest::new("s", path(&file), "text");
    let mut written = std::pin::pin!(host.write_text_file(write));
    let early = tokio::time::timeout(Duration::from_millis(200), &mut written).await;
    assert!(early.is_err() && !file.exists());
    lock.unlock().unwrap();
    written.await.unwrap();
    let events = crate::audit::entries(&dir).unwrap();
    let events: Vec<String> = events.map(|it| it.unwrap().event).collect();
    assert_eq!(events, ["started", "wrote"]);
}

#[tokio::test]
async fn a_suspended_session_keeps_the_output_of_its_commands() {
    let scratch = tempfile::tempdir().unwrap();
    let host = serving(scratch.path(), Log::none());
    let create = v1::CreateTerminalRequest::new("s", "sleep").args(["1000".to_owned()]);
    let terminal = host.create_terminal(&create).await.unwrap().terminal_id;
    host.suspend(&"s".into()).await;
    let view = host.terminals.view(&terminal).unwrap();
    assert!(view.is_released && view.exit.is_some(), "{view:?}");
    host.create_terminal(&create).await.unwrap_err();
}

#[tokio::test]
async fn a_file_that_appears_after_the_permission_request_does_not_change_the_command() {
    use std::os::unix::fs::PermissionsExt as _;
    let root = tempfile::tempdir().unwrap();
    let host = serving(root.path(), Log::none());
    let asked = v1::CreateTerminalRequest::new("s", "./x y");
    let shown = host.resolve_command(asked).await;
    assert_eq!(
        (&*shown.command, &*shown.args),
        ("./x", &["y".to_owned()][..])
    );
    let trap = root.path().join("x y");
    std::fs::write(&trap, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let refused = host.create_terminal(&shown).await.unwrap_err();
    assert!(
        refused.message.contains("`./x` was not found"),
        "{refused:?}"
    );
}
