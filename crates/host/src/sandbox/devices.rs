//! Device nodes that commands must not open: disks, memory and all others that are not on the list of ordinary devices.

use std::path::{Path, PathBuf};

/// All device nodes that are not ordinary. Links are skipped; their targets count.
pub(super) fn closed_devices() -> Vec<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut closed = Vec::new();
    for entry in std::fs::read_dir(DEV).into_iter().flatten().flatten() {
        let is_ordinary = ORDINARY.iter().any(|name| entry.file_name() == *name);
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if !is_ordinary && !is_link {
            closed.push(entry.path());
        }
    }
    // The listing of `/dev` then leaves out nodes that appear later.
    closed.push(Path::new(DEV).join("mem"));
    // Other mounts of the devices, such as the root directory of another system.
    let others = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        let (place, kind) = (unescaped(fields.next()?), fields.next()?);
        (kind == "devtmpfs" && place != Path::new(DEV)).then_some(place)
    });
    closed.extend(others);
    closed.sort();
    closed.dedup();
    closed
}

/// Unescapes a path of the kernel's mount list, where some characters are written as three octal digits.
fn unescaped(field: &str) -> PathBuf {
    let mut parts = field.split('\\');
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.get(..3);
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match (code, part.get(3..)) {
            (Some(code), Some(rest)) => {
                path.push(char::from(code));
                path.push_str(rest);
            }
            _ => path.push_str(part),
        }
    }
    PathBuf::from(path)
}

const DEV: &str = "/dev";
const ORDINARY: [&str; 14] = [
    "null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts", "shm", "mqueue", "fd",
    "stdin", "stdout", "stderr",
];
