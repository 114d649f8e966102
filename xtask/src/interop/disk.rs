//! Room on the disk: a build that fills it fails late, and for reasons that nobody understands.

use std::path::Path;

use super::InteropDirs;

/// Prints how much is free, and fails if that is less than what is still to be built and installed.
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
            "the disk is too full: {free} MB are free, and {needed} MB are needed for what is to be built and installed; \
             make room, or set CARGO_TARGET_DIR to a directory on another disk"
        ));
    }
    Ok(())
}

fn needed(is_there: impl Fn(&str) -> bool) -> u64 {
    let missing = PARTS.iter().filter(|(part, _)| !is_there(part));
    missing.map(|(_, size)| size).sum::<u64>() + RUNS
}

/// In MB.
fn free(directory: &Path) -> Result<u64, String> {
    let found = rustix::fs::statvfs(directory);
    let found = found.map_err(|error| format!("cannot tell how full the disk is: {error}"))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize) >> 20)
}

/// What the target directory has afterwards, with its size in MB, measured, and what npm keeps of it in its cache.
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

/// What the runs leave behind, and changed crates that are compiled again.
const RUNS: u64 = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_needed_again() {
        assert_eq!(needed(|_| true), RUNS);
        let all: u64 = PARTS.iter().map(|(_, size)| size).sum();
        assert_eq!(needed(|_| false), all + RUNS);
        assert_eq!(needed(|part| part != "release/attache"), 800 + RUNS);
    }

    #[test]
    fn a_full_disk_is_told_before_anything_is_built() {
        assert_eq!(enough(500, 500), Ok(()));
        let message = enough(499, 500).err().unwrap_or_default();
        assert!(message.contains("499 MB are free, and 500 MB"), "{message}");
    }
}
