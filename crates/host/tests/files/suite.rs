//! The roles of this executable, and the list of tests.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use crate::{
    entries, full_disk, killed_writes, links, other_user, paths, protected, race, reads, roots,
    writes,
};

pub(crate) fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [role, path] if role == killed_writes::ROLE => killed_writes::play(path.as_ref()),
        [role, path] if role == full_disk::ROLE => full_disk::play(path.as_ref()),
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
    trials.extend(other_user::trials());
    trials.extend(full_disk::trials());
    trials.extend(killed_writes::trials());
    trials.extend(race::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

pub(crate) fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
