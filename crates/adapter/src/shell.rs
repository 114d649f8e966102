//! The shell wrapper: our executable under another name, with which the CLI runs its shell commands. The wrapper sends
//! the name of the output file to the adapter, waits until the adapter has opened it, and then becomes the command.
//! Exit code, signals and background children are the same as without it.

#[cfg(unix)]
mod listener;
#[cfg(not(unix))]
#[path = "shell/no_listener.rs"]
mod listener;
mod output_tail;

use std::ffi::OsString;

pub(crate) use listener::{AnnouncedCommand, ShellListener};
pub(crate) use output_tail::OutputTail;

/// Becomes the command if the CLI started this process as its shell wrapper; then it never returns.
///
/// Call it in `main` before arguments are read.
pub fn run_as_shell_if_invoked() {
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    if std::path::Path::new(&name).file_name() == Some(NAME.as_ref()) {
        let script: Vec<OsString> = args.collect();
        std::process::exit(exec_command(&script));
    }
}

#[cfg(unix)]
fn exec_command(script: &[OsString]) -> i32 {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    announce(script);
    let failed = Command::new(shell())
        .arg("-c")
        .args(script)
        .env_remove(crate::launch::ADDRESS)
        .env_remove(crate::launch::PREFIX)
        .exec();
    match failed.kind() {
        std::io::ErrorKind::NotFound => 127,
        _ => 126,
    }
}

#[cfg(not(unix))]
fn exec_command(_: &[OsString]) -> i32 {
    126
}

/// The shell that the CLI would use itself, because its commands are written for that shell.
#[cfg(unix)]
fn shell() -> OsString {
    use std::path::PathBuf;

    let says = |shell: &OsString, name: &str| shell.to_string_lossy().contains(name);
    let is_known = |shell: &OsString| says(shell, "bash") || says(shell, "zsh");
    let named = ["CLAUDE_CODE_SHELL", "SHELL"].iter();
    let named = named.filter_map(std::env::var_os).filter(is_known);
    let prefers_bash = std::env::var_os("SHELL").is_some_and(|shell| says(&shell, "bash"));
    let names = match prefers_bash {
        true => ["bash", "zsh"],
        false => ["zsh", "bash"],
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let of_path = |name: &'static str| path.iter().map(move |folder| folder.join(name));
    let usual = names.iter();
    let usual = usual.flat_map(|name| {
        USUAL
            .iter()
            .map(move |folder| PathBuf::from(folder).join(name))
    });
    let places = of_path(names[0]).chain(usual).chain(of_path(names[1]));
    let mut shells = named.chain(places.map(PathBuf::into_os_string));
    shells.find(is_program).unwrap_or_else(|| "/bin/sh".into())
}

#[cfg(unix)]
fn is_program(path: &OsString) -> bool {
    use std::os::unix::fs::PermissionsExt;

    std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// Announces the command to the adapter. The command runs even if this fails.
#[cfg(unix)]
fn announce(script: &[OsString]) -> Option<()> {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    let address = std::env::var(crate::launch::ADDRESS).ok()?;
    let (token, socket) = address.split_once(':')?;
    // The adapter can read along only if the output is a file. For a pipe, the wrapper would have to stay in between.
    let output = std::fs::read_link("/proc/self/fd/1").ok()?;
    if !output.is_file() {
        return None;
    }
    let script = script.first()?.to_string_lossy();
    let announcement = serde_json::json!({
        "token": token,
        "output": output.to_string_lossy(),
        "script": script.chars().take(SCRIPT).collect::<String>(),
    });
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream
        .write_all(format!("{announcement}\n").as_bytes())
        .ok()?;
    stream.read_exact(&mut [0]).ok()
}

/// Name of the link to our executable that the CLI runs as its shell.
pub(crate) const NAME: &str = "attache-claude-shell";
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);
#[cfg(unix)]
const SCRIPT: usize = 64 * 1024;
#[cfg(unix)]
const USUAL: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
