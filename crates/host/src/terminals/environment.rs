//! The variables that an agent may not set for a command: those by which a harmless command runs something else than
//! the person was shown.

use std::collections::HashSet;
use std::ffi::OsString;

use attache_schema::v1;

use super::Error;

/// The variables, if all of them may be set. One that would not change what the command gets anyway always may.
pub(super) fn checked(
    variables: &[v1::EnvVariable],
    inherited: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<(&str, &str)>, Error> {
    let mut seen = HashSet::new();
    let mut checked = Vec::new();
    for variable in variables {
        let (name, value) = (variable.name.as_str(), variable.value.reveal());
        let refuse = |reason| Err(Error::variable(name, reason));
        if name.is_empty() || name.contains(['=', '\0']) {
            return refuse("a name cannot be empty, nor hold `=` or NUL");
        }
        if value.contains('\0') {
            return refuse("its value holds NUL");
        }
        if value.len() > LONGEST {
            return refuse("its value is longer than 128 KiB");
        }
        if !seen.insert(name) {
            return refuse("it is set twice");
        }
        let is_same = || inherited(name).is_some_and(|inherited| inherited == *value);
        if hijacks(name, value) && !is_same() {
            return refuse("with it the command could run something else than was asked for");
        }
        checked.push((name, value));
    }
    Ok(checked)
}

fn hijacks(name: &str, value: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if TOOLS.contains(&name.as_str()) {
        return !INERT.contains(&value);
    }
    NAMES.contains(&name.as_str()) || FAMILIES.iter().any(|(start, end)| is_of(&name, start, end))
}

fn is_of(name: &str, start: &str, end: &str) -> bool {
    name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
}

/// Programs that other programs call. To switch them off is fine, and common.
const TOOLS: [&str; 9] = [
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_ASKPASS",
];
const INERT: [&str; 4] = ["", "cat", "true", ":"];

/// By beginning and end of the name.
const FAMILIES: [(&str, &str); 9] = [
    ("LD_", ""),
    ("DYLD_", ""),
    ("BASH_FUNC_", ""),
    ("GIT_CONFIG", ""),
    ("COR_PROFILER", ""),
    ("CORECLR_PROFILER", ""),
    ("CARGO_TARGET_", "_RUNNER"),
    ("CARGO_TARGET_", "_LINKER"),
    ("CARGO_ALIAS_", ""),
];

const NAMES: [&str; 62] = [
    "PATH",
    "HOME",
    "SHELL",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    // The C library.
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "LOCPATH",
    "NLSPATH",
    "HOSTALIASES",
    "RESOLV_HOST_CONF",
    "MALLOC_TRACE",
    "OPENSSL_CONF",
    "OPENSSL_MODULES",
    // Shells.
    "BASH_ENV",
    "BASHOPTS",
    "CDPATH",
    "ENV",
    "FPATH",
    "GLOBIGNORE",
    "IFS",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
    "ZDOTDIR",
    // Interpreters and runtimes.
    "NODE_OPTIONS",
    "NODE_PATH",
    "NPM_CONFIG_GIT",
    "NPM_CONFIG_GLOBALCONFIG",
    "NPM_CONFIG_NODE_OPTIONS",
    "NPM_CONFIG_SCRIPT_SHELL",
    "NPM_CONFIG_USERCONFIG",
    "PYTHONEXECUTABLE",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONUSERBASE",
    "PYTHONWARNINGS",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "RUBYLIB",
    "RUBYOPT",
    "CLASSPATH",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "DOTNET_STARTUP_HOOKS",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "LUA_INIT",
    // Tools that run others.
    "CARGO_BUILD_RUSTC_WRAPPER",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_TEMPLATE_DIR",
];

/// What the kernel takes for one variable.
const LONGEST: usize = 128 * 1024;

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use attache_schema::v1;
    use expect_test::{Expect, expect};

    use super::checked;

    fn check(variables: &[(&str, &str)], expected: &Expect) {
        let inherited = |name: &str| (name == "PATH").then(|| OsString::from("/bin"));
        let variables: Vec<_> = variables
            .iter()
            .map(|(name, value)| v1::EnvVariable::new(*name, *value))
            .collect();
        let shown = match checked(&variables, inherited) {
            Ok(kept) => format!("{kept:?}"),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn ordinary_variables_are_set() {
        check(
            &[("CI", "1"), ("EMPTY", ""), ("ümlaut", "ä b")],
            &expect![[r#"[("CI", "1"), ("EMPTY", ""), ("ümlaut", "ä b")]"#]],
        );
        check(
            &[("PATH", "/bin"), ("GIT_PAGER", "cat"), ("EDITOR", "true")],
            &expect![[r#"[("PATH", "/bin"), ("GIT_PAGER", "cat"), ("EDITOR", "true")]"#]],
        );
    }

    #[test]
    fn names_that_are_none_are_refused() {
        check(
            &[("", "1")],
            &expect![
                "environment variable `` is refused: a name cannot be empty, nor hold `=` or NUL"
            ],
        );
        check(
            &[("A=B", "1")],
            &expect![
                "environment variable `A=B` is refused: a name cannot be empty, nor hold `=` or NUL"
            ],
        );
        check(
            &[("A\0B", "1")],
            &expect![[
                r#"environment variable `A\0B` is refused: a name cannot be empty, nor hold `=` or NUL"#
            ]],
        );
        check(
            &[("A", "s3cret\0")],
            &expect!["environment variable `A` is refused: its value holds NUL"],
        );
        check(
            &[("A", &"s3cret".repeat(30_000))],
            &expect!["environment variable `A` is refused: its value is longer than 128 KiB"],
        );
        check(
            &[("A", "1"), ("B", "1"), ("A", "1")],
            &expect!["environment variable `A` is refused: it is set twice"],
        );
    }

    #[test]
    fn variables_that_run_something_else_are_refused() {
        let all = "LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT ld_preload DYLD_INSERT_LIBRARIES PATH Path HOME BASH_ENV ENV \
            BASH_FUNC_ls%% IFS PS4 SHELLOPTS PROMPT_COMMAND ZDOTDIR NODE_OPTIONS NODE_PATH npm_config_script_shell \
            PYTHONSTARTUP PYTHONPATH PYTHONHOME PERL5OPT PERL5LIB PERL5DB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS \
            _JAVA_OPTIONS DOTNET_STARTUP_HOOKS RUSTC_WRAPPER RUSTC CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER \
            GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_GLOBAL GIT_EXEC_PATH \
            GIT_PAGER GIT_EDITOR GIT_ASKPASS EDITOR PAGER GCONV_PATH GLIBC_TUNABLES XDG_CONFIG_HOME OPENSSL_CONF";
        for name in all.split_whitespace() {
            let variable = [v1::EnvVariable::new(name, "./evil")];
            let refused = checked(&variable, |_| None).map(|_| ());
            assert!(refused.is_err(), "{name}");
        }
    }
}
