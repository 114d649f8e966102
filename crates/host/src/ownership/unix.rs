//! Owners, modes, groups and access control lists on Unix.

mod access_list;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use rustix::fs::OFlags;

use super::OwnerCheck;
use access_list::ListedWriter;

/// Opens a file for reading. Does not block if somebody has replaced it by a pipe.
pub(super) fn open_without_waiting(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    let options = options.read(true).custom_flags(flags.bits().cast_signed());
    options.open(path)
}

/// What is wrong with the owner, the mode or the access control list of a file, as the end of a sentence.
pub(super) fn file_fault(
    path: &Path,
    file: &File,
    metadata: &Metadata,
    known: OwnerCheck,
) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let (owner, path) = (metadata.uid(), path.display());
    if owner != user && owner != ROOT && known == OwnerCheck::Required {
        if has_unknown_owner(metadata) {
            return Some(UNKNOWN.to_owned());
        }
        return Some(format!(
            "belongs to user {owner}, neither to you nor to root, so it is refused; if you trust it, take it over with `chown {user} {path}`"
        ));
    }
    let writers = writers(metadata, |buffer| access_list::of_file(file, buffer))?;
    Some(format!(
        "can be changed by {}, so it is refused; run `{} {path}`",
        writers.words(),
        writers.removal()
    ))
}

/// Whether a file belongs to the user.
pub(super) fn is_own(metadata: &Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}

/// Whether the owner of a file does not exist in the user namespace of this process: all such owners look the same.
pub(super) fn has_unknown_owner(metadata: &Metadata) -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    !map.is_empty() && !is_mapped(metadata.uid(), &map)
}

fn is_mapped(user: u32, map: &str) -> bool {
    map.lines().any(|line| {
        let mut fields = line.split_whitespace().map(str::parse::<u64>);
        let (Some(Ok(first)), Some(Ok(count))) = (fields.next(), fields.nth(1)) else {
            return false;
        };
        (first..first.saturating_add(count)).contains(&u64::from(user))
    })
}

/// The whole file, if it is at most `longest` bytes. Does not change the read position.
pub(super) fn read_whole(file: &File, longest: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    if length > longest {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

/// What is wrong with a directory above a file. Its owner can replace entries, even with the sticky bit. In a user
/// namespace most owners are not visible; the process that created the namespace has checked them.
pub(super) fn directory_fault(path: &Path, metadata: &Metadata) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let owner = metadata.uid();
    if owner != user && owner != ROOT && !has_unknown_owner(metadata) {
        let path = path.display();
        return Some(format!(
            "is refused, because user {owner}, who is neither you nor root, can replace what is in `{path}`; move it to a directory of your own, or take that one over with `chown {user} {path}`"
        ));
    }
    if metadata.mode() & STICKY != 0 {
        return None;
    }
    let writers = writers(metadata, |buffer| access_list::of_path(path, buffer))?;
    Some(format!(
        "is refused, because {} can replace what is in `{}`; run `{} {}`",
        writers.words(),
        path.display(),
        writers.removal(),
        path.display()
    ))
}

/// Other users who may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OtherWriters {
    Everyone,
    Group(u32),
    /// A user in the access control list.
    ListedUser(u32),
    /// A group in the access control list.
    ListedGroup(u32),
    /// The access control list can't be read.
    UnknownList,
}

impl OtherWriters {
    fn words(self) -> String {
        match self {
            OtherWriters::Everyone => "everyone".to_owned(),
            OtherWriters::Group(group) => format!("group {group}, which is not yours alone"),
            OtherWriters::ListedUser(user) => {
                format!("user {user}, who is in its access control list")
            }
            OtherWriters::ListedGroup(group) => {
                format!("group {group}, which is in its access control list and is not yours alone")
            }
            OtherWriters::UnknownList => {
                "users in its access control list, which can't be read,".to_owned()
            }
        }
    }

    fn removal(self) -> &'static str {
        match self {
            OtherWriters::Everyone => "chmod go-w",
            OtherWriters::Group(_) => "chmod g-w",
            OtherWriters::ListedUser(_)
            | OtherWriters::ListedGroup(_)
            | OtherWriters::UnknownList => "setfacl -b",
        }
    }
}

/// Other users who may write to a file or directory. The bits of the group also bound what an access control list
/// grants, so the list matters only with the write bit.
fn writers(
    metadata: &Metadata,
    read_list: impl FnOnce(&mut [u8]) -> io::Result<Option<usize>>,
) -> Option<OtherWriters> {
    let mode = metadata.mode();
    if mode & WORLD_WRITE != 0 {
        return Some(OtherWriters::Everyone);
    }
    if mode & GROUP_WRITE == 0 {
        return None;
    }
    let mut buffer = [0; access_list::LONGEST];
    let entries = match read_list(&mut buffer) {
        Ok(Some(length)) => access_list::writers(&buffer[..length]),
        Ok(None) => Some(vec![ListedWriter::OwningGroup]),
        Err(_) => None,
    };
    let Some(entries) = entries else {
        return Some(OtherWriters::UnknownList);
    };
    let user = rustix::process::geteuid().as_raw();
    let other = |entry: &ListedWriter| match *entry {
        ListedWriter::User(id) => {
            (id != user && id != ROOT).then_some(OtherWriters::ListedUser(id))
        }
        ListedWriter::Group(id) => (!is_own_group(id)).then_some(OtherWriters::ListedGroup(id)),
        ListedWriter::OwningGroup => {
            let group = metadata.gid();
            (!is_own_group(group)).then_some(OtherWriters::Group(group))
        }
    };
    entries.iter().find_map(other)
}

/// Whether a group is the user's own: root's group, or the user's primary group without other members.
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
    // A user or group missing in these files may be shared through a directory service.
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

const UNKNOWN: &str = "belongs to a user who does not exist in this user namespace, so it is refused; use a file of your own, or start attache outside the namespace";
const ROOT: u32 = 0;
const STICKY: u32 = 0o1000;
const WORLD_WRITE: u32 = 0o002;
const GROUP_WRITE: u32 = 0o020;

mod attack_ownership;
