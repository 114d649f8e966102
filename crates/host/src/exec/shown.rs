//! Executed programs as text: the program that really ran, and what it calls itself only beside that.

use std::ffi::OsStr;
use std::path::Path;

use attache_process::program_name;
use attache_text::plain::visible_word;

/// A program that was executed, with its arguments, each quoted: `rm (calls itself cargo) victim`. The remark is there
/// if the first argument (`argv[0]`) is another name than the program's.
pub fn visible_program(program: &Path, args: &[String]) -> String {
    let called = args.first().map(String::as_str);
    let name = program_name(program, called.map(OsStr::new));
    let mut line = visible_word(&name.to_string_lossy()).into_owned();
    if let Some(called) = called.and_then(|called| other_name(program, called)) {
        line.push_str(&format!(" (calls itself {})", visible_word(called)));
    }
    for word in args.iter().skip(1) {
        line.push(' ');
        line.push_str(&visible_word(word));
    }
    line
}

/// What a program is called, if that is another name than its own.
pub fn other_name<'a>(program: &Path, called: &'a str) -> Option<&'a str> {
    let last = Path::new(called).file_name();
    let own = program_name(program, Some(OsStr::new(called)));
    let is_own = last.is_some() && (last == program.file_name() || last == Some(own.as_os_str()));
    (!is_own).then_some(called)
}

#[cfg(all(test, unix))]
mod attack {
    use std::path::Path;

    use super::visible_program;

    fn check(program: &str, args: &[&str], expected: &str) {
        let args: Vec<String> = args.iter().map(|it| (*it).to_owned()).collect();
        assert_eq!(visible_program(Path::new(program), &args), expected);
    }

    #[test]
    fn attack_the_real_program_is_shown_whatever_it_calls_itself() {
        check("/usr/bin/rm", &["rm", "-r", "a b"], "rm -r 'a b'");
        check("/usr/bin/rm", &["/bin/rm", "x"], "rm x");
        check(
            "/usr/bin/rm",
            &["cargo", "victim"],
            "rm (calls itself cargo) victim",
        );
        check("/usr/bin/id", &[], "id");
        check("/usr/bin/id", &[""], "id (calls itself '')");
        check(
            "/usr/bin/touch",
            &["true → git status"],
            "touch (calls itself 'true → git status')",
        );
        check(
            "/usr/bin/touch",
            &["git status  ran\n2026", "(calls", "itself"],
            "touch (calls itself 'git status  ran⏎2026') '(calls' itself",
        );
        // A program of the agent's own is shown with its directory.
        check("/w/bin/git", &["git", "status"], "/w/bin/git status");
        check("/w/git status", &["git status"], "'/w/git status'");
    }
}
