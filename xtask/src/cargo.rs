//! Starts cargo as a user would.

use std::env;
use std::path::Path;
use std::process::Command;

/// A cargo command in a directory, without the variables that cargo has set for this program. Some build scripts depend
/// on them: otherwise they would run again in every build that alternates with the user's, and most crates would be
/// recompiled.
pub(crate) fn command(directory: &Path) -> Command {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    for (name, _) in env::vars_os() {
        let begins = |prefix: &&str| name.as_encoded_bytes().starts_with(prefix.as_bytes());
        if SET_FOR_US.iter().any(begins) {
            command.env_remove(name);
        }
    }
    command.current_dir(directory);
    command
}

const SET_FOR_US: [&str; 2] = ["CARGO_MANIFEST_", "CARGO_PKG_"];

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests run with these variables as well.
    #[test]
    fn a_build_does_not_see_the_package_that_starts_it() {
        assert!(env::var_os("CARGO_MANIFEST_DIR").is_some());
        let command = command(Path::new("/"));
        let removed = command.get_envs().filter(|(_, value)| value.is_none());
        let removed: Vec<_> = removed.filter_map(|(name, _)| name.to_str()).collect();
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME"] {
            assert!(removed.contains(&name), "{removed:?}");
        }
    }
}
