//! The shell that the CLI runs commands with: this same executable under another name. It tells the adapter where the
//! output of the command goes, waits until it is looked at, and becomes the command. So the command's exit code,
//! signals and background children are what they would be without us.

use std::ffi::OsString;

/// Becomes the command if this process was started as the CLI's shell, and then never returns.
///
/// Call it in `main` before arguments are read.
pub fn run_if_asked() {
    let mut args = std::env::args_os();
    let name = args.next().unwrap_or_default();
    if std::path::Path::new(&name).file_name() == Some(NAME.as_ref()) {
        let script: Vec<OsString> = args.collect();
        std::process::exit(become_command(&script));
    }
}

#[cfg(unix)]
fn become_command(script: &[OsString]) -> i32 {
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    announce(script);
    let failed = Command::new(shell())
        .arg("-c")
        .args(script)
        .env_remove(crate::launch::ADDRESS)
        .exec();
    match failed.kind() {
        std::io::ErrorKind::NotFound => 127,
        _ => 126,
    }
}

#[cfg(not(unix))]
fn become_command(_: &[OsString]) -> i32 {
    126
}

/// The shell that the CLI itself would take.
#[cfg(unix)]
fn shell() -> OsString {
    let known = |shell: &OsString| {
        let shell = shell.to_string_lossy();
        shell.ends_with("bash") || shell.ends_with("zsh")
    };
    let named = ["CLAUDE_CODE_SHELL", "SHELL"];
    let mut named = named.iter().filter_map(std::env::var_os);
    named.find(known).unwrap_or_else(|| "/bin/bash".into())
}

/// A command runs whether or not somebody looks at it.
#[cfg(unix)]
fn announce(script: &[OsString]) -> Option<()> {
    use std::io::{Read, Write};
    use std::os::unix::net::UnixStream;

    let address = std::env::var(crate::launch::ADDRESS).ok()?;
    let (token, socket) = address.split_once(':')?;
    // Only a file can be looked at without standing between the command and whoever reads it.
    let output = std::fs::read_link("/proc/self/fd/1").ok()?;
    if !output.is_file() {
        return None;
    }
    let script = script.first()?.to_string_lossy();
    let told = serde_json::json!({
        "token": token,
        "output": output.to_string_lossy(),
        "script": script.chars().take(SCRIPT).collect::<String>(),
    });
    let mut stream = UnixStream::connect(socket).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(format!("{told}\n").as_bytes()).ok()?;
    stream.read_exact(&mut [0]).ok()
}

/// What the executable is called when it is the CLI's shell.
pub(crate) const NAME: &str = "attache-claude-shell";
#[cfg(unix)]
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(1);
#[cfg(unix)]
const SCRIPT: usize = 64 * 1024;
