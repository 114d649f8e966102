//! Files and directories with every mode, and with other owners where the tests may create them.
#![cfg(test)]

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::Path;

use super::{is_mapped, is_private_group};
use crate::ownership::check;

fn checked(path: &Path) -> Result<(), String> {
    let file = File::open(path).expect("the file is there");
    check(path, &file).map_err(|error| error.to_string())
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode can be set");
}

/// Whether new files here get a group that is the user's own.
fn has_own_group(path: &Path) -> bool {
    super::is_own_group(path.metadata().expect("metadata").gid())
}

#[test]
fn every_mode_of_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.json");
    fs::write(&file, "{}").expect("written");
    let is_own = has_own_group(&file);
    for mode in (0..=0o777).map(|mode| mode | 0o400) {
        set_mode(&file, mode);
        let is_open = mode & 0o002 != 0 || (mode & 0o020 != 0 && !is_own);
        let checked = checked(&file);
        assert_eq!(checked.is_err(), is_open, "{mode:o}: {checked:?}");
        if let Err(error) = checked {
            assert!(error.contains("run `chmod g"), "{error}");
            assert!(error.contains(&file.display().to_string()), "{error}");
        }
    }
}

#[test]
fn every_mode_of_the_directories_above() {
    let folder = tempfile::tempdir().expect("a folder");
    let (outer, inner) = (folder.path().join("a"), folder.path().join("a/b"));
    fs::create_dir_all(&inner).expect("made");
    let file = inner.join("config.json");
    fs::write(&file, "{}").expect("written");
    let is_own = has_own_group(&file);
    for directory in [&outer, &inner] {
        for mode in (0..=0o1777).map(|mode| mode | 0o500) {
            set_mode(directory, mode);
            let is_sticky = mode & 0o1000 != 0;
            let is_open = mode & 0o002 != 0 || (mode & 0o020 != 0 && !is_own);
            let checked = checked(&file);
            assert_eq!(
                checked.is_err(),
                is_open && !is_sticky,
                "{mode:o}: {checked:?}"
            );
        }
        set_mode(directory, 0o755);
    }
}

/// A list that lets user 1 read and write, as far as the mask allows.
#[cfg(target_os = "linux")]
fn access_list(mask: u16) -> Vec<u8> {
    let entries: [(u16, u16, u32); 5] = [
        (0x01, 6, u32::MAX),
        (0x02, 6, 1),
        (0x04, 4, u32::MAX),
        (0x10, mask, u32::MAX),
        (0x20, 4, u32::MAX),
    ];
    let entries = entries.iter().flat_map(|(tag, may, id)| {
        let mut entry = tag.to_le_bytes().to_vec();
        entry.extend(may.to_le_bytes());
        entry.extend(id.to_le_bytes());
        entry
    });
    2_u32.to_le_bytes().into_iter().chain(entries).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn users_in_an_access_control_list_count() {
    use rustix::fs::{XattrFlags, setxattr};
    let folder = tempfile::tempdir().expect("a folder");
    let directory = folder.path().join("a");
    fs::create_dir(&directory).expect("made");
    let file = directory.join("config.json");
    fs::write(&file, "{}").expect("written");
    let allow = |path: &Path, mask| {
        let name = "system.posix_acl_access";
        setxattr(path, name, &access_list(mask), XattrFlags::empty())
    };
    if let Err(error) = allow(&file, 4) {
        println!("skipped: this file system has no access control lists: {error}");
        return;
    }
    assert_eq!(checked(&file), Ok(()), "the mask takes the right to write");
    for path in [&file, &directory] {
        allow(path, 7).expect("a list can be set");
        let error = checked(&file).expect_err("user 1 may write");
        assert!(
            error.contains("user 1, who is in its access control list"),
            "{error}"
        );
        assert!(error.contains("run `setfacl -b "), "{error}");
        allow(path, 4).expect("a list can be set");
        assert_eq!(checked(&file), Ok(()));
    }
}

#[test]
fn a_link_counts_with_both_of_its_places() {
    let folder = tempfile::tempdir().expect("a folder");
    let (open, closed) = (folder.path().join("open"), folder.path().join("closed"));
    for directory in [&open, &closed] {
        fs::create_dir(directory).expect("made");
        fs::write(directory.join("real.json"), "{}").expect("written");
    }
    symlink(open.join("real.json"), closed.join("to-open.json")).expect("linked");
    symlink(closed.join("real.json"), open.join("to-closed.json")).expect("linked");
    assert_eq!(checked(&closed.join("to-open.json")), Ok(()));
    set_mode(&open, 0o777);
    for path in [
        "closed/to-open.json",
        "open/to-closed.json",
        "open/real.json",
    ] {
        assert!(checked(&folder.path().join(path)).is_err(), "{path}");
    }
    assert_eq!(checked(&closed.join("real.json")), Ok(()));
}

#[test]
fn a_file_of_somebody_else_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.json");
    fs::write(&file, "{}").expect("written");
    for owner in [1, 1000, 65534] {
        // Only root may change the owner of files.
        if chown(&file, Some(owner), None).is_err() {
            return;
        }
        let error = checked(&file).expect_err("it is somebody else's");
        assert!(
            error.contains(&format!("belongs to user {owner}")),
            "{error}"
        );
        assert!(error.contains("chown"), "{error}");
    }
}

/// Its owner can rename entries, whatever the mode and even with the sticky bit.
#[test]
fn a_directory_of_somebody_else_above_a_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let (outer, inner) = (folder.path().join("a"), folder.path().join("a/b"));
    fs::create_dir_all(&inner).expect("made");
    let file = inner.join("config.json");
    fs::write(&file, "{}").expect("written");
    let link = folder.path().join("link.json");
    symlink(&file, &link).expect("a link");
    for directory in [&outer, &inner] {
        for mode in [0o555, 0o755, 0o1755, 0o1777] {
            // Only root may change the owner of directories.
            if chown(directory, Some(65534), None).is_err() {
                return;
            }
            set_mode(directory, mode);
            for path in [&file, &link] {
                let error = checked(path).expect_err("its owner can replace the file");
                let expected = "user 65534, who is neither you nor root, can replace";
                assert!(error.contains(expected), "{mode:o}: {error}");
                assert!(error.contains("`chown "), "{error}");
            }
        }
        chown(directory, Some(0), None).expect("given back");
        set_mode(directory, 0o755);
        assert_eq!(checked(&file), Ok(()));
    }
}

#[test]
fn a_group_of_somebody_else_is_refused_when_it_may_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config.json");
    fs::write(&file, "{}").expect("written");
    set_mode(&file, 0o660);
    if chown(&file, None, Some(65534)).is_err() {
        return;
    }
    set_mode(&file, 0o660);
    let error = checked(&file).expect_err("the group may write");
    assert!(error.contains("run `chmod g-w "), "{error}");
    set_mode(&file, 0o640);
    assert_eq!(checked(&file), Ok(()));
}

#[test]
fn whose_group_a_group_is() {
    let passwd = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/:\nbob:x:1001:100::/:\neve:x:1002:100::/:\ndan:x:1003:1003::/:\nshort\n:::\n";
    let groups =
        "root:x:0:\nann:x:1000:\nusers:x:100:\ndan:x:1003:dan,eve\nstaff:x:50:ann\nodd\n::::\n";
    let is_own = |group, user| is_private_group(group, user, passwd, groups);
    assert!(is_own(1000, 1000), "a user's private group");
    assert!(is_own(0, 0), "root's");
    for (group, user, why) in [
        (100, 1001, "the primary group of two users"),
        (1003, 1003, "a private group with a second member"),
        (50, 1000, "not the primary group"),
        (1000, 1001, "somebody else's group"),
        (0, 1000, "root's group is not the user's"),
        (4242, 4242, "a user that nobody knows"),
    ] {
        assert!(!is_own(group, user), "{why}");
    }
    assert!(!is_private_group(1000, 1000, "", groups));
    assert!(!is_private_group(1000, 1000, passwd, ""));
    let alias = format!("{groups}other:x:1000:eve\n");
    assert!(
        !is_private_group(1000, 1000, passwd, &alias),
        "a second name with members"
    );
}

#[test]
fn owners_that_a_user_namespace_does_not_know() {
    let whole = "         0          0 4294967295\n";
    let own = "      1000       1000          1\n";
    let several = "0 100000 1\n1000 1000 1\n65000 165000 600\n";
    for (user, map, is_known) in [
        (0, whole, true),
        (65534, whole, true),
        (1000, own, true),
        (0, own, false),
        (65534, own, false),
        (999, own, false),
        (1001, own, false),
        (0, several, true),
        (65534, several, true),
        (65600, several, false),
        (0, "", false),
        (0, "nonsense\n0 0\n", false),
    ] {
        assert_eq!(is_mapped(user, map), is_known, "{user} {map}");
    }
}
