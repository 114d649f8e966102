//! Names of environment variables: which ones children get, which ones look like secrets, and which ones no command
//! needs.

use attache_text::secret::{NameContext, is_secret_name};

/// Whether children get this variable by default.
pub(super) fn is_listed(name: &str) -> bool {
    // Windows ignores the case of names.
    let upper = cfg!(windows).then(|| name.to_ascii_uppercase());
    let name = upper.as_deref().unwrap_or(name);
    listed().any(|pattern| match pattern.strip_suffix('*') {
        // The prefix may also match the name of a secret.
        Some(start) => name.starts_with(start) && !looks_secret(name),
        None => name == pattern || (cfg!(windows) && name.eq_ignore_ascii_case(pattern)),
    })
}

/// All names on the list. A name that ends in `*` stands for all names with this prefix.
pub(super) fn listed() -> impl Iterator<Item = &'static str> {
    LISTED.iter().flat_map(|group| group.iter().copied())
}

/// Whether the name suggests that the variable is a secret.
pub(super) fn looks_secret(name: &str) -> bool {
    is_secret_name(name, NameContext::Variable)
}

/// Whether a variable is about shells, windows or login sessions, so that no command is likely to need it.
pub(super) fn is_desktop_variable(name: &str) -> bool {
    DESKTOP
        .iter()
        .any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == *pattern,
        })
}

const LISTED: &[&[&str]] = &[USER, TERMINAL, DIRECTORIES, NETWORK, TOOLCHAINS, WINDOWS];

const USER: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "HOSTNAME",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LOCALE_ARCHIVE",
    "TZ",
    "TZDIR",
    "SSH_AUTH_SOCK",
];

const TERMINAL: &[&str] = &[
    "TERM",
    "TERMINFO",
    "TERMINFO_DIRS",
    "COLORTERM",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CI",
];

const DIRECTORIES: &[&str] = &[
    "TMPDIR",
    "XDG_BIN_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
];

const NETWORK: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "FTP_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "ftp_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    "CARGO_HTTP_CAINFO",
    "AWS_CA_BUNDLE",
    "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
    "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
    "HTTPLIB2_CA_CERTS",
];

const TOOLCHAINS: &[&str] = &[
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOBIN",
    "GOCACHE",
    "GOMODCACHE",
    "JAVA_HOME",
    "JDK_HOME",
    "M2_HOME",
    "MAVEN_HOME",
    "MAVEN_USER_HOME",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "KOTLIN_HOME",
    "SDKMAN_DIR",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "NVM_DIR",
    "NVM_BIN",
    "FNM_*",
    "VOLTA_HOME",
    "PNPM_HOME",
    "COREPACK_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "DENO_INSTALL",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "PIPX_HOME",
    "POETRY_HOME",
    "UV_CACHE_DIR",
    "UV_PYTHON_INSTALL_DIR",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "COMPOSER_HOME",
    "DOTNET_ROOT",
    "NUGET_PACKAGES",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "NIX_PATH",
    "NIX_PROFILES",
    "HOMEBREW_PREFIX",
    "HOMEBREW_CELLAR",
    "HOMEBREW_REPOSITORY",
    "CC",
    "CXX",
    "PKG_CONFIG_PATH",
    "LD_LIBRARY_PATH",
    "CCACHE_DIR",
    "SCCACHE_DIR",
];

const WINDOWS: &[&str] = &[
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "USERPROFILE",
    "USERNAME",
    "TEMP",
    "TMP",
    "WSL_DISTRO_NAME",
    "WSL_INTEROP",
    "WSLENV",
];

const DESKTOP: &[&str] = &[
    "_",
    "OLDPWD",
    "PWD",
    "SHLVL",
    "PS1",
    "PS2",
    "PROMPT_COMMAND",
    "LS_COLORS",
    "LSCOLORS",
    "LESS*",
    "HIST*",
    "MAIL",
    "MOTD_SHOWN",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "WINDOWID",
    "WINDOWPATH",
    "DBUS_SESSION_BUS_ADDRESS",
    "DESKTOP_*",
    "SESSION_MANAGER",
    "GNOME_*",
    "GDM*",
    "GTK_*",
    "KDE_*",
    "QT_*",
    "XMODIFIERS",
    "XDG_*",
    "INVOCATION_ID",
    "JOURNAL_STREAM",
    "SYSTEMD_*",
    "MANAGERPID*",
    "TERM_PROGRAM*",
    "VTE_VERSION",
    "ITERM_*",
    "KITTY_*",
    "ALACRITTY_*",
    "TMUX*",
    "STY",
    "COLUMNS",
    "LINES",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_TTY",
    "SUDO_*",
    "ATTACHE_*",
];

#[cfg(test)]
mod tests {
    use super::{is_listed, looks_secret};

    #[test]
    fn nothing_on_the_list_is_named_like_a_secret() {
        for name in super::listed() {
            assert!(name == "SSH_AUTH_SOCK" || !looks_secret(name), "{name}");
        }
        for name in [
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "DATABASE_URL",
            "PGPASSWORD",
        ] {
            assert!(looks_secret(name) && !is_listed(name), "{name}");
        }
        for name in ["LC_SECRET", "LC_DB_PASSWORD", "FNM_TOKEN", "FNM_AUTH"] {
            assert!(!is_listed(name), "{name}");
        }
        for name in ["LC_ALL", "LC_CTYPE", "FNM_DIR", "FNM_MULTISHELL_PATH"] {
            assert!(is_listed(name), "{name}");
        }
        for name in [
            "path",
            "Home",
            "LD_PRELOAD",
            "GIT_SSH_COMMAND",
            "BASH_ENV",
            "LC",
        ] {
            assert!(cfg!(windows) || !is_listed(name), "{name}");
        }
    }
}
