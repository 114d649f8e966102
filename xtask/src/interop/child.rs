//! Waits for child processes, and finds processes that a run left behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Waits for a child. Returns `None` if it had to be killed because the time was up.
pub(crate) fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// Creates an empty directory, removing any previous content.
pub(crate) fn empty(folder: &Path) -> io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)
}

/// The names of the processes that a run left behind: they have the variable [`MARK`] with the run's directory.
pub(crate) fn left_behind(folder: &Path) -> Vec<String> {
    marked(folder).into_iter().map(|(_, name)| name).collect()
}

/// The ids and names of the processes that a run left behind.
pub(crate) fn marked(folder: &Path) -> Vec<(String, String)> {
    let mark = format!("{MARK}={}", folder.display());
    let carries = |path: &PathBuf| {
        fs::read(path.join("environ")).is_ok_and(|environ| {
            environ
                .split(|byte| *byte == 0)
                .any(|one| one == mark.as_bytes())
        })
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = processes.filter(|entry| carries(&entry.path()));
    let named = processes.map(|entry| {
        let name = fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        let pid = entry.file_name().to_string_lossy().into_owned();
        (pid, name.trim().to_owned())
    });
    named.collect()
}

pub(crate) const MARK: &str = "ATTACHE_INTEROP_RUN";
