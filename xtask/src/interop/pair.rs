//! Runs one client with one agent in a separate directory, and compares the client's trace line by line.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::{InteropDirs, Partner, Program, child};

pub(super) enum Outcome {
    Ok(Duration),
    /// With the first difference, or how the client ended.
    Failed(String),
    /// With the reason.
    Skipped(String),
}

pub(super) fn run(
    dirs: &InteropDirs,
    client: &Partner,
    agent: &Partner,
    expected: &str,
) -> Result<Outcome, String> {
    let (client_words, agent_words) = match (&client.client, &agent.agent) {
        (Program::Ready(client), Program::Ready(agent)) => (client, agent),
        (Program::Skipped(reason), _) | (_, Program::Skipped(reason)) => {
            return Ok(Outcome::Skipped(reason.clone()));
        }
    };
    eprintln!("==> {} client, {} agent", client.name, agent.name);
    let words: Vec<&OsString> = client_words.iter().chain(agent_words).collect();
    let runs = dirs.installed.join("runs");
    let folder = runs.join(format!("{}-{}", client.name, agent.name));
    let start = Instant::now();
    let printed = run_client(&words, &folder)
        .map_err(|error| format!("can't run a pair in {}: {error}", folder.display()))?;
    Ok(match failure(&printed, expected) {
        None => Outcome::Ok(start.elapsed()),
        Some(reason) => Outcome::Failed(reason),
    })
}

struct ClientOutput {
    stdout: String,
    stderr: String,
    end: ClientExit,
}

enum ClientExit {
    Status(ExitStatus),
    Killed,
}

/// Runs the client. The directory keeps the output; client and agent work in an empty directory inside it.
fn run_client(words: &[&OsString], folder: &Path) -> io::Result<ClientOutput> {
    let cwd = folder.join("cwd");
    child::empty(folder)?;
    fs::create_dir(&cwd)?;
    let (stdout, stderr) = (folder.join("trace.jsonl"), folder.join("stderr"));
    let [program, arguments @ ..] = words else {
        return Err(io::Error::other("no command"));
    };
    let mut client = Command::new(program)
        .args(arguments)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .stdout(File::create(&stdout)?)
        .stderr(File::create(&stderr)?)
        .spawn()?;
    let end = match child::wait(&mut client, LIMIT)? {
        Some(status) => ClientExit::Status(status),
        None => ClientExit::Killed,
    };
    Ok(ClientOutput {
        stdout: read(&stdout)?,
        stderr: read(&stderr)?,
        end,
    })
}

fn read(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&fs::read(path)?).into_owned())
}

fn failure(printed: &ClientOutput, expected: &str) -> Option<String> {
    let end = match printed.end {
        ClientExit::Status(status) if status.success() => None,
        ClientExit::Status(status) => Some(format!("the client ended with {status}")),
        ClientExit::Killed => Some(format!("still running after {} s", LIMIT.as_secs())),
    };
    let difference = difference(&printed.stdout, expected);
    if end.is_none() && difference.is_none() {
        return None;
    }
    let said = printed.stderr.trim_end();
    let said = (!said.is_empty()).then(|| format!("on stderr:\n{said}"));
    let parts: Vec<String> = [end, difference, said].into_iter().flatten().collect();
    Some(parts.join("\n"))
}

fn difference(printed: &str, expected: &str) -> Option<String> {
    if printed == expected {
        return None;
    }
    let (mut printed, mut expected) = (printed.lines(), expected.lines());
    for number in 1.. {
        match (printed.next(), expected.next()) {
            (None, None) => break,
            (printed, expected) if printed == expected => {}
            (printed, expected) => {
                let show = |line: Option<&str>| line.unwrap_or("nothing more").to_owned();
                return Some(format!(
                    "line {number} differs\n  expected {}\n  printed  {}",
                    show(expected),
                    show(printed)
                ));
            }
        }
    }
    Some("the ends of lines differ".to_owned())
}

/// Clients give up after 30 s themselves.
const LIMIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    fn check(printed: &str, expect: Expect) {
        let expected = "{\"a\":1}\n{\"b\":2}\n";
        let difference = super::difference(printed, expected);
        expect.assert_eq(&difference.unwrap_or_else(|| "none".to_owned()));
    }

    #[test]
    fn the_first_different_line_is_shown() {
        check("{\"a\":1}\n{\"b\":2}\n", expect!["none"]);
        check(
            "{\"a\":2}\n{\"b\":3}\n",
            expect![[r#"
                line 1 differs
                  expected {"a":1}
                  printed  {"a":2}"#]],
        );
    }

    #[test]
    fn lines_that_end_differently_are_a_difference() {
        check(
            "{\"a\":1}\r\n{\"b\":2}\n",
            expect!["the ends of lines differ"],
        );
        check("{\"a\":1}\n{\"b\":2}", expect!["the ends of lines differ"]);
    }

    #[test]
    fn a_missing_line_and_one_too_many_are_differences() {
        check(
            "{\"a\":1}\n",
            expect![[r#"
                line 2 differs
                  expected {"b":2}
                  printed  nothing more"#]],
        );
        check(
            "{\"a\":1}\n{\"b\":2}\n{}\n",
            expect![[r#"
                line 3 differs
                  expected nothing more
                  printed  {}"#]],
        );
    }
}
