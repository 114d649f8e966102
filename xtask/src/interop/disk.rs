//! Checks the free disk space: a build that fills the disk fails late and with confusing errors.

use std::path::Path;

use super::InteropDirs;

/// Prints the free space, and fails if it is less than what still has to be built and installed.
pub(super) fn check(dirs: &InteropDirs) -> Result<(), String> {
    let there = dirs.target.ancestors().find(|path| path.exists());
    let free = free(there.unwrap_or(&dirs.root))?;
    let needed = needed(|part| dirs.target.join(part).exists());
    eprintln!("==> {free} MB of disk are free, {needed} MB are needed");
    enough(free, needed)
}

fn enough(free: u64, needed: u64) -> Result<(), String> {
    if free < needed {
        return Err(format!(
            "not enough disk space: {free} MB are free, and {needed} MB are needed to build and install everything; \
             make room, or set CARGO_TARGET_DIR to a directory on another disk"
        ));
    }
    Ok(())
}

fn needed(is_there: impl Fn(&str) -> bool) -> u64 {
    let missing = PARTS.iter().filter(|(part, _)| !is_there(part));
    missing.map(|(_, size)| size).sum::<u64>() + RUNS
}

/// The free space in MB.
fn free(directory: &Path) -> Result<u64, String> {
    let found = rustix::fs::statvfs(directory);
    let found = found.map_err(|error| format!("can't determine the free disk space: {error}"))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize) >> 20)
}

/// The parts of the target directory with their measured size in MB, including npm's cache of them.
const PARTS: [(&str, u64); 9] = [
    ("debug/examples/interop_client", 6000),
    ("release/attache", 800),
    ("interop/rust/release/official-client", 400),
    ("interop/typescript", 30),
    ("interop/python", 60),
    ("interop/clients", 300),
    ("interop/mcp", 120),
    ("interop/products", 1300),
    ("interop/claude", 1200),
];

/// Room for the output of the runs, and for recompiling changed crates.
const RUNS: u64 = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_parts_need_no_space() {
        assert_eq!(needed(|_| true), RUNS);
        let all: u64 = PARTS.iter().map(|(_, size)| size).sum();
        assert_eq!(needed(|_| false), all + RUNS);
        assert_eq!(needed(|part| part != "release/attache"), 800 + RUNS);
    }

    #[test]
    fn a_full_disk_is_reported_before_the_build() {
        assert_eq!(enough(500, 500), Ok(()));
        let message = enough(499, 500).err().unwrap_or_default();
        assert!(message.contains("499 MB are free, and 500 MB"), "{message}");
    }
}
