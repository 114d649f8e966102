//! Resolves a request into the program that will start: a program with arguments, or a line for the shell.

use std::collections::HashSet;
use std::env;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use attache_process::{self as process, Program};
use attache_schema::v1;
use attache_text::shell;

use super::TerminalError;
use crate::Roots;
use crate::environment::ChildEnvironment;
use crate::roots::StartDirectory;

/// Resolves a request into what will run, to be judged, shown and started. Some agents send a whole line as `command`,
/// without `args`. A line of plain words becomes a program with arguments, any other line an argument of the shell. If
/// a file with that name exists, it is the program. `cwd` is the session's directory. Reads the disk.
pub fn resolve_command(
    request: &v1::CreateTerminalRequest,
    cwd: &Path,
) -> v1::CreateTerminalRequest {
    let line = request.command.as_str();
    let cwd = request.cwd.as_ref().map_or(cwd, AsRef::as_ref);
    // Like the system: a name without a slash is not looked up in the directory.
    let is_file = || line.contains('/') && cwd.join(line).is_file();
    if !may_be_line(request) || is_file() || find_program(line, request, cwd).is_some() {
        return request.clone();
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (command, args) = match words.next() {
        // A name that is neither a path nor a program may be a shell builtin.
        Some(first)
            if is_plain_line(line)
                && (first.contains('/') || find_program(&first, request, cwd).is_some()) =>
        {
            (first, words.collect())
        }
        _ => {
            let (shell, flag) = SHELL;
            (shell.to_owned(), vec![flag.to_owned(), line.to_owned()])
        }
    };
    let mut resolved = request.clone();
    resolved.command = command;
    resolved.args = args;
    resolved
}

/// A resolved request as users and rules see it: a line for the shell as a single word, otherwise the program and its
/// arguments. A program name that a shell would read differently is quoted, so that it is not mistaken for a line.
pub fn shown_command(request: &v1::CreateTerminalRequest) -> Vec<String> {
    let (shell, flag) = SHELL;
    match request.args.as_slice() {
        [first, line] if request.command == shell && first == flag => vec![line.clone()],
        [] => vec![shell::quote(&request.command).into_owned()],
        args => [std::slice::from_ref(&request.command), args].concat(),
    }
}

/// Like [`shown_command`], as one line that could be typed.
pub fn shown_line(request: &v1::CreateTerminalRequest) -> String {
    match shown_command(request).as_slice() {
        [line] => line.clone(),
        words => shell::join(words),
    }
}

/// Whether a request may be more than the name of a program; the disk decides.
pub(crate) fn may_be_line(request: &v1::CreateTerminalRequest) -> bool {
    let line = &request.command;
    request.args.is_empty() && !line.trim().is_empty() && !shell::is_plain(line)
}

/// Whether a line consists of several words without shell syntax.
fn is_plain_line(line: &str) -> bool {
    let mut words = line.split(' ').filter(|word| !word.is_empty());
    let sets_variable = words.clone().next().is_none_or(|first| first.contains('='));
    !sets_variable && words.all(shell::is_plain)
}

/// The program of a resolved request, without settings that are the same for all commands.
pub(super) fn program(
    roots: &Roots,
    request: &v1::CreateTerminalRequest,
    inherited: &ChildEnvironment,
) -> Result<Program, TerminalError> {
    check_text("`command`", &request.command)?;
    for arg in &request.args {
        check_argument(arg)?;
    }
    let cwd = directory_in(roots, request.cwd.as_ref().map(AsRef::as_ref))?;
    let name = &request.command;
    if let Some(path) = find_program(name, request, &cwd.path)
        && lacks_shebang(&path)
    {
        let program = PathBuf::from(name);
        return Err(TerminalError::NoShebang { program });
    }
    let variables = checked_variables(&request.env)?;
    let mut program = inherited.apply(Program::new(name).args(&request.args));
    // Otherwise the command inherits our `PWD`, and a shell would believe it if it led to the same directory.
    program = program.env("PWD", &cwd.path).cwd(&cwd.path);
    #[cfg(target_os = "linux")]
    {
        program = program.directory(cwd.open);
    }
    for (name, value) in QUIET {
        if inherited.get(name).is_none() {
            program = program.env(name, value);
        }
    }
    for (name, value) in variables {
        program = program.env(name, value);
    }
    Ok(program)
}

/// Converts the error of a command that did not start.
pub(super) fn start_error(
    request: &v1::CreateTerminalRequest,
    roots: &Roots,
    error: process::Error,
) -> TerminalError {
    match &error {
        // An unreadable directory in PATH makes every missing program look like a forbidden one.
        process::Error::NotExecutable { .. } if !request.command.contains('/') => {
            let mut candidates = candidates(&request.command, request, roots.cwd()).into_iter();
            match candidates.any(|path| path.exists()) {
                true => TerminalError::Start(error),
                false => TerminalError::Start(process::Error::NotFound {
                    program: PathBuf::from(&request.command),
                }),
            }
        }
        process::Error::Start { source, .. } if source.kind() == TOO_LARGE => {
            TerminalError::TooLarge
        }
        _ => TerminalError::Start(error),
    }
}

/// Opens the directory to run in: the requested one, if it is inside the roots, or the session's.
fn directory_in(roots: &Roots, path: Option<&Path>) -> Result<StartDirectory, TerminalError> {
    let opened = roots.start_directory(path);
    opened.map_err(|error| TerminalError::Directory {
        path: path.unwrap_or(roots.cwd()).to_owned(),
        reason: error.to_string(),
    })
}

fn check_text(part: &'static str, text: &str) -> Result<(), TerminalError> {
    let problem = match text {
        text if text.trim().is_empty() => "is empty: name a program",
        text if text.contains('\0') => "contains a NUL byte, which no program can receive",
        _ => return Ok(()),
    };
    Err(TerminalError::Unusable { part, problem })
}

fn check_argument(arg: &str) -> Result<(), TerminalError> {
    match arg.contains('\0') {
        true => check_text("an argument", arg),
        false => Ok(()),
    }
}

/// Checks the variables that an agent sets: whether a program can receive all of them. Permissions decide separately
/// which ones the user is asked about.
fn checked_variables(variables: &[v1::EnvVariable]) -> Result<Vec<(&str, &str)>, TerminalError> {
    let mut seen = HashSet::new();
    let mut checked = Vec::new();
    for variable in variables {
        let (name, value) = (variable.name.as_str(), variable.value.reveal());
        let refuse = |reason| Err(TerminalError::variable(name, reason));
        if name.is_empty() || name.contains(['=', '\0']) {
            return refuse("a name cannot be empty or contain `=` or NUL");
        }
        if value.contains('\0') {
            return refuse("its value contains NUL");
        }
        if value.len() > LONGEST_VALUE {
            return refuse("its value is longer than 128 KiB");
        }
        if !seen.insert(name) {
            return refuse("it is set twice");
        }
        checked.push((name, value));
    }
    Ok(checked)
}

/// Finds the file of a program like the system does.
fn find_program(name: &str, request: &v1::CreateTerminalRequest, cwd: &Path) -> Option<PathBuf> {
    let mut candidates = candidates(name, request, cwd).into_iter();
    candidates.find(|path| is_executable(path))
}

fn candidates(name: &str, request: &v1::CreateTerminalRequest, cwd: &Path) -> Vec<PathBuf> {
    if name.contains('/') {
        return vec![cwd.join(name)];
    }
    let set = request.env.iter().find(|variable| variable.name == "PATH");
    let path = match set {
        Some(variable) => variable.value.reveal().into(),
        None => env::var_os("PATH").unwrap_or_default(),
    };
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

/// Whether the file is text without a `#!` line. The C library would silently run it with a shell.
fn lacks_shebang(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    cfg!(unix) && read.is_ok() && !head.starts_with(b"#!") && !head.contains(&0)
}

/// Commands cannot page, edit or prompt, because nobody could respond and they would wait forever. Variables of the
/// user or the agent take precedence.
const QUIET: [(&str, &str); 4] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
];
const HEAD: u64 = 256;
const TOO_LARGE: ErrorKind = ErrorKind::ArgumentListTooLong;

/// The kernel's limit for one variable.
const LONGEST_VALUE: usize = 128 * 1024;

/// The shell that runs lines.
#[cfg(windows)]
const SHELL: (&str, &str) = ("cmd", "/C");
#[cfg(not(windows))]
const SHELL: (&str, &str) = ("/bin/sh", "-c");

#[cfg(test)]
mod tests {
    use attache_schema::v1;
    use expect_test::{Expect, expect};

    use super::checked_variables;

    fn check(variables: &[(&str, &str)], expected: &Expect) {
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| v1::EnvVariable::new(*name, *value))
            .collect();
        let shown = match checked_variables(&variables) {
            Ok(kept) => format!("{kept:?}"),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn ordinary_variables_are_set() {
        check(
            &[("CI", "1"), ("EMPTY", ""), ("ümlaut", "ä b")],
            &expect![[r#"[("CI", "1"), ("EMPTY", ""), ("ümlaut", "ä b")]"#]],
        );
    }

    #[test]
    fn invalid_names_and_values_are_refused() {
        check(
            &[("", "1")],
            &expect![
                "environment variable `` is refused: a name cannot be empty or contain `=` or NUL"
            ],
        );
        check(
            &[("A=B", "1")],
            &expect![
                "environment variable `A=B` is refused: a name cannot be empty or contain `=` or NUL"
            ],
        );
        check(
            &[("A\0B", "1")],
            &expect![[
                r#"environment variable `A\0B` is refused: a name cannot be empty or contain `=` or NUL"#
            ]],
        );
        check(
            &[("A", "s3cret\0")],
            &expect!["environment variable `A` is refused: its value contains NUL"],
        );
        check(
            &[("A", &"s3cret".repeat(30_000))],
            &expect!["environment variable `A` is refused: its value is longer than 128 KiB"],
        );
        check(
            &[("A", "1"), ("B", "1"), ("A", "1")],
            &expect!["environment variable `A` is refused: it is set twice"],
        );
    }
}
