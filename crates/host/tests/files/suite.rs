//! The roles of this executable, and the list of tests.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use crate::{disk, entries, kills, links, paths, protected, race, reads, roots, user, writes};

pub(crate) fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [role, path] if role == kills::ROLE => kills::play(path.as_ref()),
        [role, path] if role == disk::ROLE => disk::play(path.as_ref()),
        [role, path] if role == writes::ROLE => writes::play(path.as_ref()),
        _ => {}
    }
    let mut trials = Vec::new();
    trials.extend(roots::trials());
    trials.extend(reads::trials());
    trials.extend(writes::trials());
    trials.extend(entries::trials());
    trials.extend(links::trials());
    trials.extend(protected::trials());
    trials.extend(paths::trials());
    trials.extend(user::trials());
    trials.extend(disk::trials());
    trials.extend(kills::trials());
    trials.extend(race::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

pub(crate) fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
