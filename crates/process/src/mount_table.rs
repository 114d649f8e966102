//! The mounts of this process, as `/proc/self/mountinfo` lists them.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, StatxFlags, statx};

/// A mount, as listed in `/proc/self/mountinfo`.
#[derive(Debug)]
pub struct Mount {
    /// The mount id, which [`mount_of`] returns for a path.
    pub id: u64,
    /// The device number of the file system, as `major:minor`.
    pub device: Vec<u8>,
    /// The directory or file of the file system that is mounted here.
    pub root: PathBuf,
    /// The mount point.
    pub place: PathBuf,
    /// The layers of an overlay file system; empty for other file systems.
    pub layers: Vec<PathBuf>,
}

/// Returns all mounts that this process sees.
///
/// # Errors
///
/// If `/proc/self/mountinfo` cannot be read.
pub fn read() -> io::Result<Vec<Mount>> {
    let table = std::fs::read("/proc/self/mountinfo")?;
    let lines = table.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(Mount::read).collect())
}

/// Returns the id of the mount that contains a path. A symbolic link at the end of the path is not followed.
///
/// # Errors
///
/// If the path does not exist.
pub fn mount_of(path: &Path) -> io::Result<u64> {
    let found = statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::MNT_ID)?;
    Ok(found.stx_mnt_id)
}

/// Joins two paths, without a slash at the end.
pub fn join(base: &Path, below: &Path) -> PathBuf {
    match below.as_os_str().as_bytes() {
        b"" => base.to_owned(),
        _ => base.join(below),
    }
}

impl Mount {
    fn read(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|byte| *byte == b' ');
        let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let device = fields.nth(1)?.to_owned();
        let (root, place) = (fields.next()?, fields.next()?);
        // A hyphen ends the optional fields.
        let kind = fields.by_ref().skip_while(|field| field != b"-").nth(1);
        let options = fields.nth(1);
        let layers = match (kind, options) {
            (Some(b"overlay"), Some(options)) => layers(options),
            _ => Vec::new(),
        };
        Some(Mount {
            id,
            device,
            root: unescape(root),
            place: unescape(place),
            layers,
        })
    }
}

/// The directories named in the options of an overlay. Relative paths are skipped: they refer to the working directory of
/// the process that mounted the overlay.
fn layers(options: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for option in options.split(|byte| *byte == b',') {
        let value = LAYERS.iter().find_map(|name| option.strip_prefix(*name));
        let parts = value.into_iter().flat_map(|it| it.split(|it| *it == b':'));
        found.extend(parts.map(unescape).filter(|layer| layer.is_absolute()));
    }
    found
}

/// Decodes octal escapes, which the table uses for spaces and similar characters.
fn unescape(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (
                b'\\',
                [
                    a @ b'0'..=b'3',
                    b @ b'0'..=b'7',
                    c @ b'0'..=b'7',
                    after @ ..,
                ],
            ) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

const LAYERS: [&[u8]; 4] = [b"lowerdir=", b"lowerdir+=", b"datadir+=", b"upperdir="];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_mount_table_is_read_with_its_spaces() {
        let line = b"36 35 98:0 /my\\040root /mnt\\134x rw,noatime master:1 - ext3 /dev/root rw";
        let mount = Mount::read(line).unwrap();
        assert_eq!(mount.id, 36);
        assert_eq!(mount.device, b"98:0");
        assert_eq!(mount.root, Path::new("/my root"));
        assert_eq!(mount.place, Path::new("/mnt\\x"));
        assert!(mount.layers.is_empty());
        assert!(Mount::read(b"").is_none());
        assert!(Mount::read(b"x 35 98:0 / /").is_none());
    }

    #[test]
    fn an_overlay_names_its_layers() {
        let line = b"50 35 0:41 / /merged rw,relatime - overlay none rw,lowerdir=/a\\040b:/c:d,upperdir=/up,workdir=/work";
        let layers = ["/a b", "/c", "/up"].map(PathBuf::from);
        assert_eq!(Mount::read(line).unwrap().layers, layers);
    }
}
