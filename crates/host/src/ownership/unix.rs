//! Owners and modes, and whose group a group is.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// What is wrong with the owner or the mode of a file.
pub(super) fn file_fault(path: &Path, metadata: &Metadata) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let (owner, path) = (metadata.uid(), path.display());
    if owner != user && owner != ROOT {
        return Some(format!(
            "belongs to user {owner}, neither to you nor to root, so it is refused; if you trust it, take it over with `chown {user} {path}`"
        ));
    }
    let writers = writers(metadata)?;
    Some(format!(
        "can be changed by {}, so it is refused; run `chmod {} {path}`",
        writers.words(metadata.gid()),
        writers.removal()
    ))
}

/// What is wrong with a directory in which a file is looked for.
pub(super) fn directory_fault(path: &Path, metadata: &Metadata) -> Option<String> {
    if metadata.mode() & STICKY != 0 {
        return None;
    }
    let writers = writers(metadata)?;
    Some(format!(
        "is refused, because {} can replace what is in `{}`; run `chmod {} {}`",
        writers.words(metadata.gid()),
        path.display(),
        writers.removal(),
        path.display()
    ))
}

/// Others who may write.
#[derive(Debug, Clone, Copy)]
enum Writers {
    Everyone,
    Group,
}

impl Writers {
    fn words(self, group: u32) -> String {
        match self {
            Writers::Everyone => "everyone".to_owned(),
            Writers::Group => format!("group {group}, which is not yours alone"),
        }
    }

    fn removal(self) -> &'static str {
        match self {
            Writers::Everyone => "go-w",
            Writers::Group => "g-w",
        }
    }
}

fn writers(metadata: &Metadata) -> Option<Writers> {
    match metadata.mode() {
        mode if mode & WORLD_WRITE != 0 => Some(Writers::Everyone),
        mode if mode & GROUP_WRITE != 0 && !is_own_group(metadata.gid()) => Some(Writers::Group),
        _ => None,
    }
}

/// Whether a group is the user's own: root's, or the primary group of this user and of no other, without members.
fn is_own_group(group: u32) -> bool {
    let user = rustix::process::geteuid().as_raw();
    let read = |path| fs::read_to_string(path).unwrap_or_default();
    is_private_group(group, user, &read("/etc/passwd"), &read("/etc/group"))
}

fn is_private_group(group: u32, user: u32, passwd: &str, groups: &str) -> bool {
    let number = |field: Option<&&str>| field.and_then(|field| field.parse::<u32>().ok());
    let mut name = None;
    for line in passwd.lines() {
        let fields: Vec<&str> = line.split(':').collect();
        match (number(fields.get(2)), number(fields.get(3))) {
            (Some(uid), Some(gid)) if gid == group && uid == user => name = fields.first().copied(),
            (Some(uid), Some(gid)) if gid == group && uid != ROOT => return false,
            _ => {}
        }
    }
    // A user or group that these files do not know may be shared in a directory service.
    let Some(name) = name else {
        return false;
    };
    let lines = groups.lines().map(|line| line.split(':').collect());
    let mut same = lines.filter(|fields: &Vec<&str>| number(fields.get(2)) == Some(group));
    let is_ours = |fields: &Vec<&str>| {
        let members = fields.get(3).unwrap_or(&"").split(',');
        members
            .map(str::trim)
            .all(|member| member.is_empty() || member == name || member == "root")
    };
    let first = same.next();
    first.as_ref().is_some_and(is_ours) && same.all(|fields| is_ours(&fields))
}

const ROOT: u32 = 0;
const STICKY: u32 = 0o1000;
const WORLD_WRITE: u32 = 0o002;
const GROUP_WRITE: u32 = 0o020;

#[cfg(test)]
mod attack_ownership;
