//! The places that the sandbox knows: where tools keep what they download and build, and where users keep secrets.
//! `docs/terminals.md` has the same lists.

use std::path::{Path, PathBuf};

use super::SecretPlace;

type Variable<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

/// Folders for temporary files.
pub(super) fn temporary(variable: Variable<'_>) -> Vec<PathBuf> {
    let usual = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let named = variable("TMPDIR").filter(|path| path.is_absolute());
    usual.into_iter().chain(named).collect()
}

/// Caches of tools. One that is missing is made if its tool is installed: otherwise the tool could not make it.
pub(super) fn caches(home: &Path, variable: Variable<'_>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for cache in CACHES {
        let path = match variable(cache.variable).filter(|path| path.is_absolute()) {
            Some(place) => place.join(cache.below),
            None => home.join(cache.usual).join(cache.below),
        };
        if !path.exists() && is_installed(cache.program, variable) {
            // Where it cannot be made the tool says so.
            std::fs::create_dir_all(&path).ok();
        }
        found.push(path);
    }
    found
}

/// Places that hold secrets.
pub(super) fn secrets(home: &Path, variable: Variable<'_>) -> Vec<SecretPlace> {
    let mut found: Vec<SecretPlace> = SECRETS
        .iter()
        .map(|(path, except)| SecretPlace {
            path: home.join(path),
            except,
        })
        .collect();
    for (name, below) in SECRETS_ELSEWHERE {
        if let Some(place) = variable(name).filter(|path| path.is_absolute()) {
            found.push(SecretPlace {
                path: place.join(below),
                except: &[],
            });
        }
    }
    found
}

fn is_installed(program: &str, variable: Variable<'_>) -> bool {
    let path = variable("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(path.as_os_str());
    !program.is_empty() && folders.any(|folder| folder.join(program).is_file())
}

/// The cache of a tool: in the place that a variable names, or in the usual one of the home directory.
struct Cache {
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
) -> Cache {
    Cache {
        variable,
        usual,
        below,
        program,
    }
}

/// What tools run later, such as `~/.cargo/bin` and `~/.gradle/init.d`, is never among them.
const CACHES: &[Cache] = &[
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

/// Below the home directory, each with the names in it that may be read.
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
    (".aws", &[]),
    (".azure", &[]),
    (".oci", &[]),
    (".gnupg", &[]),
    (".kube", &[]),
    (".password-store", &[]),
    (".config/gcloud", &[]),
    (".config/gh", &[]),
    (".config/glab-cli", &[]),
    (".config/hub", &[]),
    (".config/op", &[]),
    (".config/doctl", &[]),
    (".config/sops", &[]),
    (".config/git/credentials", &[]),
    (".config/containers/auth.json", &[]),
    (".config/github-copilot", &[]),
    (".config/goose/secrets.yaml", &[]),
    (".config/google-chrome", &[]),
    (".config/chromium", &[]),
    (".config/BraveSoftware", &[]),
    (".config/microsoft-edge", &[]),
    (".mozilla", &[]),
    (".thunderbird", &[]),
    (".docker/config.json", &[]),
    (".git-credentials", &[]),
    (".netrc", &[]),
    (".pgpass", &[]),
    (".pypirc", &[]),
    (".vault-token", &[]),
    (".terraform.d/credentials.tfrc.json", &[]),
    (".cargo/credentials", &[]),
    (".cargo/credentials.toml", &[]),
    (".gem/credentials", &[]),
    (".m2/settings-security.xml", &[]),
    (".local/share/keyrings", &[]),
    (".local/share/opencode/auth.json", &[]),
    (".claude/.credentials.json", &[]),
    (".codex/auth.json", &[]),
    (".copilot/config.json", &[]),
    (".gemini/oauth_creds.json", &[]),
    (".qwen/oauth_creds.json", &[]),
    (".bash_history", &[]),
    (".zsh_history", &[]),
    (".psql_history", &[]),
    (".python_history", &[]),
    (".node_repl_history", &[]),
];

/// Where variables move such places.
const SECRETS_ELSEWHERE: &[(&str, &str)] = &[
    ("GNUPGHOME", ""),
    ("CLOUDSDK_CONFIG", ""),
    ("GH_CONFIG_DIR", ""),
    ("AWS_SHARED_CREDENTIALS_FILE", ""),
    ("KUBECONFIG", ""),
    ("DOCKER_CONFIG", "config.json"),
    ("CARGO_HOME", "credentials.toml"),
    ("CLAUDE_CONFIG_DIR", ".credentials.json"),
    ("CODEX_HOME", "auth.json"),
    ("NETRC", ""),
];
