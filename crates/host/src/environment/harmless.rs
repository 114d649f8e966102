//! The variables that an agent may set for a command without asking. Any other variable can change what a command does
//! in ways that the command line does not show, so it is part of the permission request.

/// Whether an agent may set the variable to this value without asking.
pub fn is_harmless(name: &str, value: &str) -> bool {
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    };
    let mut known = harmless().filter(|(pattern, _)| fits(pattern));
    known.any(|(_, values)| values.contain(value))
}

/// The harmless values of a variable.
#[derive(Debug, Clone, Copy)]
pub(super) enum HarmlessValues {
    /// Values that switch off a program that other programs start.
    Off,
    /// Short words without a slash, which name no file and no program.
    Words,
}

impl HarmlessValues {
    fn contain(self, value: &str) -> bool {
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "_.-@:,".contains(char);
        match self {
            HarmlessValues::Off => ["", "cat", "true", ":"].contains(&value),
            HarmlessValues::Words => {
                value.len() <= LONGEST && !value.starts_with('.') && value.chars().all(is_plain)
            }
        }
    }
}

pub(super) fn harmless() -> impl Iterator<Item = (&'static str, HarmlessValues)> {
    let off = OFF.iter().map(|name| (*name, HarmlessValues::Off));
    off.chain(WORDS.iter().map(|name| (*name, HarmlessValues::Words)))
}

/// Variables that name a program, such as a pager.
const OFF: &[&str] = &[
    "PAGER",
    "MANPAGER",
    "GIT_PAGER",
    "GH_PAGER",
    "SYSTEMD_PAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
];

const WORDS: &[&str] = &[
    "TERM",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "LINES",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "CI",
    "DEBIAN_FRONTEND",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "CARGO_TERM_COLOR",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "NODE_ENV",
    "NPM_CONFIG_YES",
    "HOMEBREW_NO_AUTO_UPDATE",
    // Variables that tell programs that an agent runs them.
    "AGENT",
    "GOOSE_TERMINAL",
    "CLAUDECODE",
    "CLAUDE_CODE",
    "CODEX_CI",
    "GEMINI_CLI",
    "QWEN_CODE",
    "OPENCODE",
    "COPILOT_AGENT",
];

const LONGEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn only_variables_that_affect_output_are_harmless() {
        let harmless = [
            ("PAGER", "cat"),
            ("GIT_EDITOR", "true"),
            ("TERM", "xterm-256color"),
            ("LC_ALL", "de_DE.UTF-8"),
            ("CI", "1"),
            ("NO_COLOR", ""),
        ];
        for (name, value) in harmless {
            assert!(is_harmless(name, value), "{name}={value}");
        }
        let others = "PATH HOME LD_PRELOAD LD_LIBRARY_PATH TAR_OPTIONS GIT_SSH_COMMAND GIT_DIR GIT_CONFIG_COUNT \
            NODE_OPTIONS PYTHONSTARTUP PYTHONPATH BASH_ENV ENV IFS PS4 RUBYOPT PERL5OPT RUSTC_WRAPPER MAKEFLAGS \
            CARGO_HOME http_proxy SSH_AUTH_SOCK TMPDIR XDG_CONFIG_HOME ZDOTDIR LESSOPEN GREP_OPTIONS Term pager";
        for name in others.split_whitespace() {
            assert!(!is_harmless(name, "1"), "{name}");
        }
        let values = [
            ("PAGER", "sh"),
            ("EDITOR", "./evil"),
            ("TERM", "../../evil"),
            ("TERM", "/tmp/evil"),
            ("LC_ALL", "/tmp/locale"),
            ("LANG", "..\n"),
            ("CI", "$(id)"),
            ("LINES", &"9".repeat(65)),
        ];
        for (name, value) in values {
            assert!(!is_harmless(name, value), "{name}={value}");
        }
    }
}
