//! POSIX access control lists, as Linux stores them in an extended attribute.

use std::fs::File;
use std::io;
use std::path::Path;

/// Reads the list of an open file and returns its length; `None` if the file has no list.
pub(super) fn of_file(file: &File, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    #[cfg(target_os = "linux")]
    return length(rustix::fs::fgetxattr(file, NAME, buffer));
    #[cfg(not(target_os = "linux"))]
    return Ok((file, buffer, None).2);
}

/// Reads the list of the file or directory at a path, like [`of_file`].
pub(super) fn of_path(path: &Path, buffer: &mut [u8]) -> io::Result<Option<usize>> {
    #[cfg(target_os = "linux")]
    return length(rustix::fs::getxattr(path, NAME, buffer));
    #[cfg(not(target_os = "linux"))]
    return Ok((path, buffer, None).2);
}

#[cfg(target_os = "linux")]
fn length(read: rustix::io::Result<usize>) -> io::Result<Option<usize>> {
    use rustix::io::Errno;
    match read {
        Ok(length) => Ok(Some(length)),
        // The file or the whole file system has none.
        Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Somebody who may write, besides the owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListedWriter {
    OwningGroup,
    User(u32),
    Group(u32),
}

/// Everyone in a list who may write, besides the owner. `None` if this is not a list of a known form.
pub(super) fn writers(list: &[u8]) -> Option<Vec<ListedWriter>> {
    let (version, entries) = list.split_first_chunk::<4>()?;
    let (entries, rest) = entries.as_chunks::<8>();
    if u32::from_le_bytes(*version) != VERSION || !rest.is_empty() {
        return None;
    }
    let mut writers = Vec::new();
    for [tag0, tag1, may0, may1, id @ ..] in entries {
        let may_write = u16::from_le_bytes([*may0, *may1]) & WRITE != 0;
        let id = u32::from_le_bytes(*id);
        let writer = match u16::from_le_bytes([*tag0, *tag1]) {
            USER => ListedWriter::User(id),
            OWNING_GROUP => ListedWriter::OwningGroup,
            GROUP => ListedWriter::Group(id),
            OWNER | MASK | OTHERS => continue,
            _ => return None,
        };
        writers.extend(may_write.then_some(writer));
    }
    Some(writers)
}

/// The extended attribute.
#[cfg(target_os = "linux")]
const NAME: &str = "system.posix_acl_access";
/// Longer lists count as unknown.
pub(super) const LONGEST: usize = 4 << 10;
const VERSION: u32 = 2;
const WRITE: u16 = 2;
const OWNER: u16 = 0x01;
const USER: u16 = 0x02;
const OWNING_GROUP: u16 = 0x04;
const GROUP: u16 = 0x08;
const MASK: u16 = 0x10;
const OTHERS: u16 = 0x20;

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of these entries: tag, permissions, id.
    fn list(entries: &[(u16, u16, u32)]) -> Vec<u8> {
        let mut bytes = VERSION.to_le_bytes().to_vec();
        for (tag, may, id) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(may.to_le_bytes());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn only_writers_are_named() {
        let entries = [
            (OWNER, 7, u32::MAX),
            (USER, 4, 1),
            (USER, 6, 2),
            (OWNING_GROUP, 5, u32::MAX),
            (GROUP, 2, 3),
            (MASK, 7, u32::MAX),
            (OTHERS, 4, u32::MAX),
        ];
        let found = writers(&list(&entries));
        let expected = [ListedWriter::User(2), ListedWriter::Group(3)];
        assert_eq!(found.as_deref(), Some(expected.as_slice()));
        let owning = writers(&list(&[(OWNING_GROUP, 6, u32::MAX)]));
        assert_eq!(owning, Some(vec![ListedWriter::OwningGroup]));
    }

    #[test]
    fn a_list_of_another_form_is_not_guessed() {
        let known = list(&[(USER, 6, 2)]);
        assert_eq!(writers(&known[..known.len() - 1]), None);
        assert_eq!(writers(&list(&[(0x40, 6, 2)])), None);
        assert_eq!(writers(&[3, 0, 0, 0]), None);
        assert_eq!(writers(&[]), None);
    }
}
