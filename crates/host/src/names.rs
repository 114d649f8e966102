//! Names of files that let their writer run commands later, compared as the most forgiving file system would. Nothing
//! here looks at the disk.

use std::ffi::OsStr;

use unicode_normalization::UnicodeNormalization;

/// Whether a name is closed in every directory.
pub(crate) fn is_closed_name(name: &OsStr) -> bool {
    let name = fold(name);
    NAMES.contains(&name.as_str())
        || name.starts_with(OURS)
        || NAMES
            .iter()
            .chain([&OURS])
            .any(|closed| is_short_for(&name, closed))
}

/// Windows gives long names a second one: `GIT~1` is `.git`, and `VSCODE~1` is `.vscode`.
fn is_short_for(name: &str, long: &str) -> bool {
    let Some((stem, number)) = name.split_once('~') else {
        return false;
    };
    let long = long.trim_start_matches('.');
    let long = long.split('.').next().unwrap_or(long);
    number.starts_with(|c: char| c.is_ascii_digit()) && stem == &long[..long.len().min(6)]
}

/// A name as the most forgiving file system compares it: no case, no difference between composed and decomposed
/// letters, no invisible characters, nothing after a colon, no dots and spaces at the end.
pub(crate) fn fold(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let visible = name.nfkd().filter(|c| !is_invisible(*c));
    let lower = visible
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase);
    let mut folded: String = lower.nfkd().collect();
    if let Some(colon) = folded.find(':') {
        folded.truncate(colon);
    }
    let length = folded.trim_end_matches(['.', ' ']).len();
    folded.truncate(length);
    folded
}

/// Characters that some file system passes over when it compares names.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{e0000}'..='\u{e0fff}')
}

pub(crate) const GIT: &str = ".git";

/// Everything of ours begins so.
const OURS: &str = ".attache";

/// Closed in every directory, with all that is below: hooks, tasks, settings and servers that are run without asking.
const NAMES: [&str; 22] = [
    GIT,
    ".hg",
    ".jj",
    ".vscode",
    ".zed",
    ".idea",
    ".fleet",
    ".cursor",
    ".windsurf",
    ".claude",
    ".codex",
    ".gemini",
    ".mcp.json",
    ".envrc",
    ".husky",
    ".devcontainer",
    ".devcontainer.json",
    ".svn",
    ".qwen",
    ".direnv",
    ".claude.json",
    ".acpxrc.json",
];

/// Closed in the home directory, with all that is below: what shells, logins and everyday tools run.
pub(crate) const HOME: [&str; 54] = [
    ".aws",
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cargo/config",
    ".cargo/config.toml",
    ".config/autostart",
    ".config/direnv",
    ".config/environment.d",
    ".config/fish",
    ".config/git",
    ".config/nvim",
    ".config/systemd",
    ".config/zed",
    ".cshrc",
    ".docker",
    ".emacs",
    ".emacs.d",
    ".exrc",
    ".gdbinit",
    ".gitconfig",
    ".gnupg",
    ".hgrc",
    ".inputrc",
    ".kshrc",
    ".kube",
    ".lldbinit",
    ".local/bin",
    ".local/share/applications",
    ".login",
    ".logout",
    ".netrc",
    ".npmrc",
    ".nvimrc",
    ".pam_environment",
    ".profile",
    ".pypirc",
    ".ssh",
    ".tcshrc",
    ".tmux.conf",
    ".vim",
    ".vimrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".yarnrc",
    ".yarnrc.yml",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];
