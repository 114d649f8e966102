//! The name of an executed program, for people. It comes from the program's file: a process can call a program anything.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Returns the name of an executed program: the name of its file if the file is in one of the system's program directories,
/// otherwise its path.
///
/// `called` is what the process called the program (`argv[0]`, or the path that it executed). It is returned instead only
/// if the system itself has a program of that name that is this file, such as `sh` for `dash`.
pub fn program_name(program: &Path, called: Option<&OsStr>) -> OsString {
    let own = match (program.file_name(), program.parent()) {
        (Some(name), Some(directory)) if is_of_system(directory) => name,
        _ => program.as_os_str(),
    };
    let called = called.and_then(|called| system_name(program, Path::new(called)));
    called.unwrap_or(own).to_owned()
}

/// The last part of a name, if the system has a program of that name that is this file.
fn system_name<'a>(program: &Path, called: &'a Path) -> Option<&'a OsStr> {
    let name = called.file_name()?;
    if program.file_name() == Some(name) {
        return None;
    }
    let directory = called.parent()?;
    let is_bare = name == called.as_os_str();
    let is_program = |directory: &&str| {
        let found = Path::new(directory).join(name).canonicalize();
        found.is_ok_and(|found| found == program)
    };
    let is_found = match is_bare {
        true => DIRECTORIES.iter().any(is_program),
        false => is_of_system(directory) && called.canonicalize().is_ok_and(|it| it == program),
    };
    is_found.then_some(name)
}

/// Whether only the system's administrator puts programs into a directory.
fn is_of_system(directory: &Path) -> bool {
    DIRECTORIES
        .iter()
        .any(|known| directory.as_os_str() == *known)
}

const DIRECTORIES: &[&str] = &[
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
];

#[cfg(all(test, unix))]
mod attack {
    use std::ffi::OsStr;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::program_name;

    fn check(program: &str, called: &str, expected: &str) {
        let name = program_name(Path::new(program), Some(OsStr::new(called)));
        assert_eq!(name, expected, "{program} as {called}");
    }

    #[test]
    fn attack_a_process_does_not_choose_the_name() {
        for called in [
            "rm",
            "cargo",
            "",
            " ",
            "/",
            "..",
            "true → rm",
            "/bin/cargo",
            "git status",
            "./rm",
        ] {
            check("/usr/bin/rm", called, "rm");
            check("/w/bin/rm", called, "/w/bin/rm");
            check("/usr/bin/../../w/rm", called, "/usr/bin/../../w/rm");
        }
        check("/usr/bin/git status", "git", "git status");
        // The system's name for a file counts, and only there.
        let sh = Path::new("/bin/sh").canonicalize().unwrap();
        let sh = sh.to_str().unwrap();
        check(sh, "sh", "sh");
        check(sh, "/bin/sh", "sh");
        check("/w/dash", "sh", "/w/dash");
        // A link of the agent is no name.
        let dir = std::env::temp_dir().join(format!("attache-names-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        symlink(sh, dir.join("cargo")).unwrap();
        let own = program_name(Path::new(sh), None);
        check(
            sh,
            dir.join("cargo").to_str().unwrap(),
            own.to_str().unwrap(),
        );
        std::fs::remove_dir_all(dir).unwrap();
    }
}
