//! Attaché's directories for configuration, data and state. Only their owner can access them.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use attache_disk::private;

/// Files that the user writes: `~/.config/attache`.
pub(crate) fn config_dir() -> anyhow::Result<PathBuf> {
    UserDirectory::Config.of(|name| env::var_os(name))
}

/// Data to keep: `~/.local/share/attache`.
pub(crate) fn data_dir() -> anyhow::Result<PathBuf> {
    UserDirectory::Data.of(|name| env::var_os(name))
}

/// State that can be lost: `~/.local/state/attache`.
pub(crate) fn state_dir() -> anyhow::Result<PathBuf> {
    UserDirectory::State.of(|name| env::var_os(name))
}

/// Creates a directory and its missing parents, accessible only to the owner.
pub(crate) fn create(dir: &Path) -> anyhow::Result<()> {
    private::create_dir_unchecked(dir)
        .with_context(|| format!("cannot create the directory `{}`", dir.display()))
}

#[derive(Debug, Clone, Copy)]
enum UserDirectory {
    Config,
    Data,
    State,
}

impl UserDirectory {
    /// The directory below `ATTACHE_HOME` if that is set, otherwise by the XDG variables. Ignores a relative path in an XDG
    /// variable.
    fn of(self, variable: impl Fn(&str) -> Option<OsString>) -> anyhow::Result<PathBuf> {
        let absolute = |name| {
            variable(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let (xdg, below_home, name) = match self {
            UserDirectory::Config => ("XDG_CONFIG_HOME", ".config", "config"),
            UserDirectory::Data => ("XDG_DATA_HOME", ".local/share", "data"),
            UserDirectory::State => ("XDG_STATE_HOME", ".local/state", "state"),
        };
        if let Some(all) = variable("ATTACHE_HOME").filter(|all| !all.is_empty()) {
            let all = PathBuf::from(all);
            anyhow::ensure!(all.is_absolute(), "ATTACHE_HOME is not an absolute path");
            return Ok(all.join(name));
        }
        let base = absolute(xdg).or_else(|| Some(absolute("HOME")?.join(below_home)));
        let base =
            base.context("there is no home directory; set ATTACHE_HOME to an absolute path")?;
        Ok(base.join("attache"))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(variables: &[(&str, &str)], expected: Expect) {
        let variable = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        };
        let shown = [
            UserDirectory::Config,
            UserDirectory::Data,
            UserDirectory::State,
        ]
        .map(|directory| match directory.of(variable) {
            Ok(path) => path.display().to_string(),
            Err(error) => error.to_string(),
        });
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn home_alone() {
        check(
            &[("HOME", "/home/ann")],
            expect![[r#"
                /home/ann/.config/attache
                /home/ann/.local/share/attache
                /home/ann/.local/state/attache"#]],
        );
    }

    #[test]
    fn a_relative_xdg_directory_counts_as_none() {
        check(
            &[
                ("HOME", "/home/ann"),
                ("XDG_CONFIG_HOME", "/etc/ann"),
                ("XDG_DATA_HOME", "here"),
            ],
            expect![[r#"
                /etc/ann/attache
                /home/ann/.local/share/attache
                /home/ann/.local/state/attache"#]],
        );
    }

    #[test]
    fn attache_home_moves_all_of_it() {
        check(
            &[("ATTACHE_HOME", "/srv/a"), ("XDG_DATA_HOME", "/data")],
            expect![[r#"
                /srv/a/config
                /srv/a/data
                /srv/a/state"#]],
        );
    }

    #[test]
    fn a_relative_attache_home_is_not_passed_over() {
        check(
            &[("ATTACHE_HOME", "a"), ("HOME", "/home/ann")],
            expect![[r#"
                ATTACHE_HOME is not an absolute path
                ATTACHE_HOME is not an absolute path
                ATTACHE_HOME is not an absolute path"#]],
        );
    }

    #[test]
    fn no_home_at_all() {
        check(
            &[],
            expect![[r#"
                there is no home directory; set ATTACHE_HOME to an absolute path
                there is no home directory; set ATTACHE_HOME to an absolute path
                there is no home directory; set ATTACHE_HOME to an absolute path"#]],
        );
    }
}
