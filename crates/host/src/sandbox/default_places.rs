//! The default paths of the sandbox: where tools keep downloads and build output, and where users keep secrets.
//! `docs/terminals.md` contains the same lists.

use std::path::{Path, PathBuf};

use super::secrets::{SecretOrigin, SecretPlace};

type VariableLookup<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

/// Directories for temporary files.
pub(super) fn temporary(variable: VariableLookup<'_>) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let named = variable("TMPDIR").filter(|path| path.is_absolute());
    usual.into_iter().chain(named).collect()
}

/// The caches of tools. A missing cache is created if its tool is installed, because the confined tool could not create
/// it.
pub(super) fn caches(home: &Path, variable: VariableLookup<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for cache in CACHES {
        let path = match variable(cache.variable).filter(|path| path.is_absolute()) {
            Some(place) => place.join(cache.below),
            None => home.join(cache.usual).join(cache.below),
        };
        if !path.exists() && is_installed(cache.program, variable) {
            // If this fails, the tool reports it.
            std::fs::create_dir_all(&path).ok();
        }
        found.push(path);
    }
    found
}

/// Paths that contain secrets.
pub(super) fn secrets(home: &Path, variable: VariableLookup<'_>) -> Vec<SecretPlace> {
    let mut found = Vec::new();
    for (place, except) in SECRETS {
        let mut add = |path: PathBuf| {
            // Inside a writable cache, a missing secret must not make its siblings unreadable.
            let is_known = path.starts_with(home) && !path.starts_with(home.join(".cache"));
            let origin = match is_known {
                true => SecretOrigin::Known,
                false => SecretOrigin::Named,
            };
            found.push(SecretPlace {
                path,
                except,
                origin,
            });
        };
        add(home.join(place));
        for (usual, name) in BASES {
            let below = Path::new(place).strip_prefix(usual);
            let base = variable(name).filter(|path| path.is_absolute());
            if let (Ok(below), Some(base)) = (below, base) {
                add(base.join(below));
            }
        }
    }
    for (name, below) in SECRETS_ELSEWHERE {
        let named = variable(name).unwrap_or_default();
        let named = std::env::split_paths(named.as_os_str());
        for place in named.filter(|path| path.is_absolute()) {
            // Joining an empty name would add a slash at the end.
            let path = match below.is_empty() {
                true => place,
                false => place.join(below),
            };
            found.push(SecretPlace::named(path));
        }
    }
    found
}

fn is_installed(program: &str, variable: VariableLookup<'_>) -> bool {
    let path = variable("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(path.as_os_str());
    !program.is_empty() && folders.any(|folder| folder.join(program).is_file())
}

/// The cache of a tool: below the path in a variable, or at the usual path in the home directory.
struct ToolCache {
    variable: &'static str,
    usual: &'static str,
    below: &'static str,
    program: &'static str,
}

const fn cache(
    variable: &'static str,
    usual: &'static str,
    below: &'static str,
    program: &'static str,
) -> ToolCache {
    ToolCache {
        variable,
        usual,
        below,
        program,
    }
}

/// Directories with programs that tools run later, such as `~/.cargo/bin` and `~/.gradle/init.d`, must not be in this
/// list.
const CACHES: &[ToolCache] = &[
    cache("XDG_CACHE_HOME", ".cache", "", "sh"),
    cache("CARGO_HOME", ".cargo", "registry", "cargo"),
    cache("CARGO_HOME", ".cargo", "git", "cargo"),
    cache("CARGO_HOME", ".cargo", ".package-cache", ""),
    cache("CARGO_HOME", ".cargo", ".package-cache-mutate", ""),
    cache("CARGO_HOME", ".cargo", ".global-cache", ""),
    cache("npm_config_cache", ".npm", "", "npm"),
    cache("", ".local/share/pnpm/store", "", "pnpm"),
    cache("", ".local/state/pnpm", "", "pnpm"),
    cache("YARN_CACHE_FOLDER", ".cache/yarn", "", "yarn"),
    cache("", ".yarn/berry", "", "yarn"),
    cache("", ".bun/install/cache", "", "bun"),
    cache("DENO_DIR", ".cache/deno", "", "deno"),
    cache("COREPACK_HOME", ".cache/node/corepack", "", "corepack"),
    cache("GOCACHE", ".cache/go-build", "", "go"),
    cache("GOMODCACHE", "go/pkg", "", "go"),
    cache("PIP_CACHE_DIR", ".cache/pip", "", "pip"),
    cache("UV_CACHE_DIR", ".cache/uv", "", "uv"),
    cache("POETRY_CACHE_DIR", ".cache/pypoetry", "", "poetry"),
    cache("GRADLE_USER_HOME", ".gradle", "caches", "gradle"),
    cache("GRADLE_USER_HOME", ".gradle", "daemon", "gradle"),
    cache("GRADLE_USER_HOME", ".gradle", "native", "gradle"),
    cache("GRADLE_USER_HOME", ".gradle", "wrapper", "gradle"),
    cache("GRADLE_USER_HOME", ".gradle", "workers", "gradle"),
    cache("GRADLE_USER_HOME", ".gradle", "notifications", "gradle"),
    cache("GRADLE_USER_HOME", ".gradle", ".tmp", "gradle"),
    cache("", ".m2/repository", "", "mvn"),
    cache("", ".m2/wrapper", "", "mvn"),
    cache("", ".ivy2/cache", "", ""),
    cache("", ".nuget/packages", "", "dotnet"),
    cache("CCACHE_DIR", ".ccache", "", ""),
    cache("SCCACHE_DIR", ".cache/sccache", "", "sccache"),
    cache("PUB_CACHE", ".pub-cache", "hosted", "dart"),
    cache("COMPOSER_CACHE_DIR", ".cache/composer", "", "composer"),
    cache("", ".bundle/cache", "", "bundle"),
];

/// Paths below the home directory, each with the names in it that stay readable.
const SECRETS: &[(&str, &[&str])] = &[
    (
        ".ssh",
        &[
            "config",
            "known_hosts",
            "known_hosts.old",
            "*.pub",
            "allowed_signers",
        ],
    ),
    // Listed even if missing, so that other keys that are created later are unreadable too.
    (".ssh/id_ed25519", &[]),
    (".ssh/id_rsa", &[]),
    (".aws", &[]),
    (".azure", &[]),
    (".boto", &[]),
    (".config/doctl", &[]),
    (".config/gcloud", &[]),
    (".config/hcloud", &[]),
    (".config/linode-cli", &[]),
    (".config/op", &[]),
    (".config/scw", &[]),
    (".config/sops", &[]),
    (".fly/config.yml", &[]),
    (".kube", &[]),
    (".minikube/profiles", &[]),
    (".oci", &[]),
    (".s3cfg", &[]),
    (".terraform.d/credentials.tfrc.json", &[]),
    (".tsh", &[]),
    (".vault-token", &[]),
    (".gnupg", &[]),
    (".password-store", &[]),
    (".kde/share/apps/kwallet", &[]),
    (".kde4/share/apps/kwallet", &[]),
    (".local/share/keyrings", &[]),
    (".local/share/kwalletd", &[]),
    (".local/share/mkcert", &[]),
    (".config/keepassxc", &[]),
    (".config/1Password", &[]),
    (".config/Bitwarden", &[]),
    (".config/gh", &[]),
    (".config/glab-cli", &[]),
    (".config/hub", &[]),
    (".git-credentials", &[]),
    (".config/git/credentials", &[]),
    (".subversion/auth", &[]),
    (".docker/config.json", &[]),
    (".config/containers/auth.json", &[]),
    (".config/helm/registry", &[]),
    (".netrc", &[]),
    (".authinfo", &[]),
    (".authinfo.gpg", &[]),
    (".pgpass", &[]),
    (".my.cnf", &[]),
    (".mylogin.cnf", &[]),
    (".pypirc", &[]),
    (".config/pypoetry/auth.toml", &[]),
    (".cargo/credentials", &[]),
    (".cargo/credentials.toml", &[]),
    (".gem/credentials", &[]),
    (".m2/settings-security.xml", &[]),
    (".ivy2/.credentials", &[]),
    (".sbt/.credentials", &[]),
    (".kaggle", &[]),
    (".databrickscfg", &[]),
    (".config/rclone", &[]),
    (".config/filezilla", &[]),
    (".config/configstore/firebase-tools.json", &[]),
    (".config/stripe", &[]),
    (".config/ngrok", &[]),
    (".ngrok2", &[]),
    (".local/share/com.vercel.cli/auth.json", &[]),
    (".claude/.credentials.json", &[]),
    (".codex/auth.json", &[]),
    (".copilot/config.json", &[]),
    (".gemini/oauth_creds.json", &[]),
    (".qwen/oauth_creds.json", &[]),
    (".config/github-copilot", &[]),
    (".config/goose/secrets.yaml", &[]),
    (".local/share/opencode/auth.json", &[]),
    (".mozilla", &[]),
    (".thunderbird", &[]),
    (".librewolf", &[]),
    (".config/google-chrome", &[]),
    (".config/chromium", &[]),
    (".config/BraveSoftware", &[]),
    (".config/microsoft-edge", &[]),
    (".config/vivaldi", &[]),
    (".config/opera", &[]),
    (".config/evolution", &[]),
    (".local/share/evolution", &[]),
    (".msmtprc", &[]),
    (".config/Signal", &[]),
    (".config/Slack", &[]),
    (".config/discord", &[]),
    (".config/Element", &[]),
    (".local/share/TelegramDesktop", &[]),
    (".purple", &[]),
    (".weechat", &[]),
    (".config/weechat", &[]),
    (".bitcoin", &[]),
    (".electrum", &[]),
    (".ethereum/keystore", &[]),
    (".config/solana", &[]),
    (".bash_history", &[]),
    (".zsh_history", &[]),
    (".histfile", &[]),
    (".local/share/fish/fish_history", &[]),
    (".mysql_history", &[]),
    (".mariadb_history", &[]),
    (".psql_history", &[]),
    (".sqlite_history", &[]),
    (".rediscli_history", &[]),
    (".python_history", &[]),
    (".node_repl_history", &[]),
    (".irb_history", &[]),
    ("snap/*/common/.mozilla", &[]),
    ("snap/*/common/.thunderbird", &[]),
    ("snap/*/common/chromium", &[]),
    ("snap/firefox", &[]),
    ("snap/chromium", &[]),
    ("snap/brave", &[]),
    (".var/app/org.mozilla.firefox", &[]),
    (".var/app/org.mozilla.Thunderbird", &[]),
    (".var/app/org.chromium.Chromium", &[]),
    (".var/app/com.google.Chrome", &[]),
    (".var/app/com.google.ChromeDev", &[]),
    (".var/app/com.brave.Browser", &[]),
    (".var/app/com.microsoft.Edge", &[]),
    (".var/app/com.vivaldi.Vivaldi", &[]),
    (".var/app/com.opera.Opera", &[]),
    (".var/app/io.gitlab.librewolf-community", &[]),
    (".var/app/org.keepassxc.KeePassXC", &[]),
    (".var/app/com.bitwarden.desktop", &[]),
    (".var/app/org.signal.Signal", &[]),
    (".var/app/com.slack.Slack", &[]),
    (".var/app/com.discordapp.Discord", &[]),
    (".var/app/org.telegram.desktop", &[]),
    (".config/google-chrome-beta", &[]),
    (".config/google-chrome-unstable", &[]),
    (".config/google-chrome-canary", &[]),
    (".config/google-chrome-for-testing", &[]),
    (".config/microsoft-edge-beta", &[]),
    (".config/microsoft-edge-dev", &[]),
    (".config/vivaldi-snapshot", &[]),
    (".config/opera-beta", &[]),
    (".config/opera-developer", &[]),
    (".huggingface", &[]),
    (".cache/huggingface/token", &[]),
    (".cache/huggingface/stored_tokens", &[]),
    (".composer/auth.json", &[]),
    (".config/composer/auth.json", &[]),
    (".config/netlify", &[]),
    (".netlify", &[]),
    (".wrangler", &[]),
    (".config/.wrangler", &[]),
    (".railway", &[]),
    (".cloudflared", &[]),
    (".bundle/config", &[]),
    (".step", &[]),
    (".config/age", &[]),
    (".rclone.conf", &[]),
    (".claude.json", &[]),
    (".cursor/mcp.json", &[]),
    (".continue/config.json", &[]),
    (".continue/config.yaml", &[]),
    (".aider.conf.yml", &[]),
    (".Xauthority", &[]),
    (".pki", &[]),
    (".putty", &[]),
    (".local/share/atuin", &[]),
    (".viminfo", &[]),
    (".config/Code/User/globalStorage/state.vscdb", &[]),
    (
        ".config/Code - Insiders/User/globalStorage/state.vscdb",
        &[],
    ),
    (".config/VSCodium/User/globalStorage/state.vscdb", &[]),
    (".config/Cursor/User/globalStorage/state.vscdb", &[]),
    (".config/Windsurf/User/globalStorage/state.vscdb", &[]),
];

/// Variables that move the base directories of such paths.
const BASES: &[(&str, &str)] = &[
    (".config", "XDG_CONFIG_HOME"),
    (".local/share", "XDG_DATA_HOME"),
];

/// Variables that contain such paths. A value may list several paths, like `PATH`.
const SECRETS_ELSEWHERE: &[(&str, &str)] = &[
    ("GNUPGHOME", ""),
    ("PASSWORD_STORE_DIR", ""),
    ("CLOUDSDK_CONFIG", ""),
    ("GOOGLE_APPLICATION_CREDENTIALS", ""),
    ("GH_CONFIG_DIR", ""),
    ("AWS_SHARED_CREDENTIALS_FILE", ""),
    ("AWS_CONFIG_FILE", ""),
    ("AWS_WEB_IDENTITY_TOKEN_FILE", ""),
    ("AZURE_CONFIG_DIR", ""),
    ("KUBECONFIG", ""),
    ("SOPS_AGE_KEY_FILE", ""),
    ("DOCKER_CONFIG", "config.json"),
    ("REGISTRY_AUTH_FILE", ""),
    ("CARGO_HOME", "credentials"),
    ("CARGO_HOME", "credentials.toml"),
    ("CLAUDE_CONFIG_DIR", ".credentials.json"),
    ("CODEX_HOME", "auth.json"),
    ("RCLONE_CONFIG", ""),
    ("NETRC", ""),
    ("PGPASSFILE", ""),
    ("HISTFILE", ""),
    ("MYSQL_HISTFILE", ""),
    ("PSQL_HISTORY", ""),
    ("PYTHON_HISTORY", ""),
    ("NODE_REPL_HISTORY", ""),
];

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    #[test]
    fn the_documentation_lists_every_secret_place() {
        let page = include_str!("../../../../docs/terminals.md");
        let names = super::SECRETS.iter().map(|(place, _)| *place);
        let variables = super::SECRETS_ELSEWHERE.iter().chain(super::BASES);
        for name in names.chain(variables.map(|(name, _)| *name)) {
            assert!(page.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn variables_move_secrets_and_may_name_several() {
        let variable = |name: &str| match name {
            "KUBECONFIG" => Some(PathBuf::from("/k/a:/k/b:relative")),
            "XDG_CONFIG_HOME" => Some(PathBuf::from("/moved")),
            _ => None,
        };
        let found = super::secrets(Path::new("/home/ann"), &variable);
        let has = |path: &str| found.iter().any(|it| it.path.as_os_str() == path);
        for path in [
            "/k/a",
            "/k/b",
            "/moved/gh",
            "/home/ann/.config/gh",
            "/home/ann/.kube",
        ] {
            assert!(has(path), "{path}");
        }
        assert!(!has("relative") && !has("/k/a/"));
    }
}
