//! The program that a request asks for, as it will be started. There is no shell between the request and the program.

use std::env;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use attache_schema::v1;
use attache_transport::process::{self, Program};

use super::{Error, environment};
use crate::Roots;
use crate::roots::StartDirectory;

/// The program that a request names, and its arguments. A line of plain words without arguments is what it says: some
/// agents send commands so, and a shell would read the same in it. `cwd` is the session's directory.
pub fn words(request: &v1::CreateTerminalRequest, cwd: &Path) -> Vec<String> {
    let command = &request.command;
    let cwd = request.cwd.as_ref().map_or(cwd, AsRef::as_ref);
    if is_line(request) && !cwd.join(command).exists() {
        return command.split_whitespace().map(str::to_owned).collect();
    }
    [std::slice::from_ref(command), &request.args].concat()
}

/// Whether a request may be a line of plain words, or the name of a file with spaces: the disk tells.
pub(crate) fn is_line(request: &v1::CreateTerminalRequest) -> bool {
    request.args.is_empty() && is_plain_line(&request.command)
}

/// Whether a line is several words in which a shell would read nothing else.
fn is_plain_line(line: &str) -> bool {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "_-./=:,+@%".contains(char);
    let mut words = line.split_whitespace();
    let sets_variable = words.next().is_none_or(|first| first.contains('='));
    let has_more = words.next().is_some();
    has_more && !sets_variable && line.chars().all(|char| char == ' ' || is_plain(char))
}

/// The program of a request, without what is the same for all commands.
pub(super) fn program(
    roots: &Roots,
    request: &v1::CreateTerminalRequest,
) -> Result<Program, Error> {
    usable("`command`", &request.command)?;
    for arg in &request.args {
        usable_arg(arg)?;
    }
    let cwd = directory_in(roots, request.cwd.as_ref().map(AsRef::as_ref))?;
    let words = words(request, roots.cwd());
    let (name, args) = words.split_first().unwrap_or((&request.command, &[]));
    if let Some(path) = found(name, &cwd.path)
        && is_headless(&path)
    {
        let program = PathBuf::from(name);
        return Err(Error::Headless { program });
    }
    let variables = environment::checked(&request.env, |name| env::var_os(name))?;
    let mut program = Program::new(name).args(args);
    // Otherwise it is ours, and a shell would believe it if it led to the same place.
    program = program.env("PWD", &cwd.path).cwd(&cwd.path);
    #[cfg(target_os = "linux")]
    {
        program = program.directory(cwd.open);
    }
    for (name, value) in variables {
        program = program.env(name, value);
    }
    Ok(program)
}

/// Why it did not start, in words that help an agent that sent a line of shell.
pub(super) fn refusal(
    request: &v1::CreateTerminalRequest,
    roots: &Roots,
    error: process::Error,
) -> Error {
    let is_missing = match &error {
        process::Error::NotFound { .. } => true,
        // A folder of the PATH that may not be read makes every missing program look like a forbidden one.
        process::Error::NotExecutable { .. } if !request.command.contains('/') => {
            !candidates(&request.command, roots.cwd())
                .iter()
                .any(|path| path.exists())
        }
        process::Error::Start { source, .. } if source.kind() == TOO_LARGE => {
            return Error::TooLarge;
        }
        _ => false,
    };
    let is_line = request.args.is_empty() && request.command.contains(char::is_whitespace);
    match (is_missing, is_line) {
        (false, _) => Error::Start(error),
        (true, false) => Error::Start(process::Error::NotFound {
            program: PathBuf::from(&request.command),
        }),
        (true, true) => Error::ShellLine {
            first: first_word(roots, request),
        },
    }
}

/// The first word of a line, if it is a program.
fn first_word(roots: &Roots, request: &v1::CreateTerminalRequest) -> Option<String> {
    let cwd = directory_in(roots, request.cwd.as_ref().map(AsRef::as_ref)).ok()?;
    let first = request.command.split_whitespace().next()?;
    found(first, &cwd.path)?;
    Some(first.to_owned())
}

/// The directory to run in, open: the one asked for, if it lies inside the roots, or the session's.
fn directory_in(roots: &Roots, path: Option<&Path>) -> Result<StartDirectory, Error> {
    let opened = roots.start_directory(path);
    opened.map_err(|error| Error::Directory {
        path: path.unwrap_or(roots.cwd()).to_owned(),
        reason: error.to_string(),
    })
}

fn usable(part: &'static str, text: &str) -> Result<(), Error> {
    let problem = match text {
        "" => "is empty: name a program",
        text if text.contains('\0') => "holds NUL, which no program can be given",
        _ => return Ok(()),
    };
    Err(Error::Unusable { part, problem })
}

fn usable_arg(arg: &str) -> Result<(), Error> {
    match arg {
        "" => Ok(()),
        arg => usable("an argument", arg),
    }
}

/// The file behind a name, looked up as the system will.
fn found(name: &str, cwd: &Path) -> Option<PathBuf> {
    let mut candidates = candidates(name, cwd).into_iter();
    candidates.find(|path| is_executable(path))
}

fn candidates(name: &str, cwd: &Path) -> Vec<PathBuf> {
    if name.contains('/') {
        return vec![cwd.join(name)];
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).map(|folder| cwd.join(folder).join(name));
    folders.collect()
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path)
        .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Whether it is a text that does not say what runs it. The C library would quietly run it with a shell.
fn is_headless(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    cfg!(unix) && read.is_ok() && !head.starts_with(b"#!") && !head.contains(&0)
}

const HEAD: u64 = 256;
const TOO_LARGE: ErrorKind = ErrorKind::ArgumentListTooLong;
