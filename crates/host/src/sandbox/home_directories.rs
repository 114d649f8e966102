//! Home directories with secrets: the one that `HOME` names, and those in the system's user list, since `HOME` may be
//! set to anything.

use std::path::{Path, PathBuf};

/// Home directories beside `HOME`: the user's own, and for root the home of the user who became root.
#[cfg(unix)]
pub(super) fn other_homes() -> Vec<PathBuf> {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = rustix::process::geteuid();
    let who = std::env::var("SUDO_USER").or_else(|_| std::env::var("DOAS_USER"));
    let who = who.ok().filter(|_| user.is_root());
    homes_of(&users, user.as_raw(), who.as_deref())
}

#[cfg(not(unix))]
pub(super) fn other_homes() -> Vec<PathBuf> {
    Vec::new()
}

/// System files with passwords. Only root can read them anyway.
pub(super) fn password_files() -> Vec<PathBuf> {
    #[cfg(unix)]
    if rustix::process::geteuid().is_root() {
        return SYSTEM.iter().map(PathBuf::from).collect();
    }
    Vec::new()
}

#[cfg(unix)]
fn homes_of(users: &str, user: u32, name: Option<&str>) -> Vec<PathBuf> {
    let line = |line: &str| {
        let mut fields = line.split(':');
        let (login, id) = (fields.next()?, fields.nth(1)?);
        let home = Path::new(fields.nth(2)?);
        let is_wanted = id.parse() == Ok(user) || name == Some(login);
        // Service users have `/` or no home.
        let is_home = home.is_absolute() && home.parent().is_some();
        (is_wanted && is_home).then(|| home.to_owned())
    };
    users.lines().filter_map(line).collect()
}

#[cfg(unix)]
const SYSTEM: [&str; 4] = [
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/shadow-",
    "/etc/gshadow-",
];

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::homes_of;

    #[test]
    fn the_home_of_the_user_and_of_who_became_root_are_found() {
        let users = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/:/bin/sh\nann:x:1000:1000:Ann:/home/ann:/bin/zsh\nodd\nbob:x:1001:1001::/home/bob:/bin/sh\n";
        let homes = |user, name| {
            let homes = homes_of(users, user, name);
            let homes: Vec<String> = homes.iter().map(|it| it.display().to_string()).collect();
            homes.join(" ")
        };
        assert_eq!(homes(0, Some("ann")), "/root /home/ann");
        assert_eq!(homes(1001, None), "/home/bob");
        assert_eq!(homes(1, None), "");
    }
}
