//! The sandbox for commands in our terminals. Commands can write the session's directories, temporary directories and
//! tool caches, and read everything but known secrets. `docs/terminals.md` lists the paths.

mod default_places;
mod devices;
mod home_directories;
mod landlock;
mod secrets;
mod worktree;

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use attache_disk::private;
use attache_process::{Confinement, Cover, CoverKind, Network, namespace_support};

use crate::Roots;
use crate::denied::ConfinedProcess;

pub(crate) use landlock::keep_signals_inside;
pub use landlock::{LandlockRules, SandboxSupport, support};
use secrets::{SecretPath, SecretPlace};

/// The paths that commands may access beside the session's directories.
#[derive(Debug, Clone, Default)]
pub struct SandboxPlaces {
    write: Vec<PathBuf>,
    secrets: Vec<SecretPlace>,
    /// Secrets that the user makes readable.
    read: Vec<PathBuf>,
    /// Files that commands cannot change even inside writable directories.
    read_only: Vec<PathBuf>,
    network: Network,
    /// The user's settings, to be repeated in hints.
    settings: Arc<SandboxSettings>,
}

/// The user's settings for the sandbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SandboxSettings {
    /// Additional writable paths, with everything below them.
    pub write: Vec<PathBuf>,
    /// Secret paths that are readable nevertheless.
    pub read: Vec<PathBuf>,
    /// Additional unreadable paths.
    pub hide: Vec<PathBuf>,
    /// The network that commands can use.
    pub network: Network,
}

/// The limits of one command, to explain a refusal afterwards.
#[derive(Debug, Clone, Default)]
pub(crate) struct SandboxLimits {
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) secret: Vec<PathBuf>,
    pub(crate) denied: Vec<PathBuf>,
    /// The policy and configuration files in force, as far as they are covered.
    pub(crate) read_only: Vec<PathBuf>,
    pub(crate) is_sandboxed: bool,
    /// The user's settings.
    pub(crate) settings: Arc<SandboxSettings>,
    /// When the limits were determined.
    pub(crate) since: Option<SystemTime>,
}

impl SandboxPlaces {
    /// Only the session's directories and a temporary directory per session.
    pub fn none() -> SandboxPlaces {
        SandboxPlaces::default()
    }

    /// The default paths: temporary directories and the caches of installed tools are writable, as are the paths that
    /// the settings add. The user's secrets and attache's own directories (`own`) are unreadable. Creates missing
    /// caches. Reads the disk.
    pub fn usual(settings: &SandboxSettings, own: &[PathBuf]) -> SandboxPlaces {
        let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let home = std::env::home_dir();
        let mut hidden: Vec<SecretPlace> = Vec::new();
        for other in home_directories::other_homes() {
            if Some(&other) != home.as_ref() {
                hidden.extend(default_places::secrets(&other, &|_| None));
            }
        }
        let system = home_directories::password_files();
        hidden.extend(system.into_iter().map(SecretPlace::known));
        SandboxPlaces::of(settings, own, home.as_deref(), &variable).with_secrets(hidden)
    }

    /// Adds files that commands cannot change even inside the session's directories: the policy and the configuration
    /// in force. Needs a kernel that supports namespaces for commands.
    #[must_use]
    pub fn keep_read_only(mut self, files: impl IntoIterator<Item = PathBuf>) -> SandboxPlaces {
        self.read_only.extend(files);
        self
    }

    /// Like [`usual`](Self::usual) for another home directory, ignoring environment variables and without the system's
    /// temporary directories.
    pub fn for_home(settings: &SandboxSettings, own: &[PathBuf], home: &Path) -> SandboxPlaces {
        let path = std::env::var_os("PATH").map(PathBuf::from);
        let variable = |name: &str| path.clone().filter(|_| name == "PATH");
        let temporary = default_places::temporary(&variable);
        let mut places = SandboxPlaces::of(settings, own, Some(home), &variable);
        let is_asked = |place: &PathBuf| settings.write.contains(place);
        places
            .write
            .retain(|place| is_asked(place) || !temporary.contains(place));
        places
    }

    fn of(
        settings: &SandboxSettings,
        own: &[PathBuf],
        home: Option<&Path>,
        variable: &dyn Fn(&str) -> Option<PathBuf>,
    ) -> SandboxPlaces {
        let mut write = default_places::temporary(variable);
        let mut secrets = Vec::new();
        if let Some(home) = home {
            write.extend(default_places::caches(home, variable));
            secrets.extend(default_places::secrets(home, variable));
        }
        write.extend(settings.write.iter().cloned());
        let also = own.iter().chain(&settings.hide);
        secrets.extend(also.cloned().map(SecretPlace::named));
        let places = SandboxPlaces {
            write,
            secrets: Vec::new(),
            read: settings.read.iter().map(|path| real(path)).collect(),
            read_only: own.to_vec(),
            network: settings.network,
            settings: Arc::new(settings.clone()),
        };
        places.with_secrets(secrets)
    }

    /// Adds unreadable paths, except for those that the user makes readable.
    fn with_secrets(mut self, secrets: Vec<SecretPlace>) -> SandboxPlaces {
        let is_closed = |secret: &SecretPlace| {
            let secret = real(&secret.path);
            !self.read.iter().any(|read| secret.starts_with(read))
        };
        let secrets: Vec<SecretPlace> = secrets.into_iter().filter(is_closed).collect();
        self.secrets.extend(secrets);
        self
    }

    /// The secrets on disk now, without those that contain one of the session's directories.
    fn secrets_of(&self, own: &[PathBuf]) -> Vec<SecretPath> {
        let found = self.secrets.iter().flat_map(SecretPlace::find);
        let is_closed = |it: &SecretPath| {
            let is_opened = self.read.iter().any(|read| it.path.starts_with(read));
            !is_opened && !own.iter().any(|root| root.starts_with(&it.path))
        };
        let found: BTreeSet<SecretPath> = found.filter(is_closed).collect();
        found.into_iter().collect()
    }

    /// Covers for the existing files that commands cannot change.
    fn read_only(&self) -> impl Iterator<Item = Cover> {
        self.read_only.iter().filter_map(|path| {
            let path = std::fs::canonicalize(path).ok()?;
            let (device, inode) = private::identity(&path.symlink_metadata().ok()?);
            Some(Cover {
                path,
                device,
                inode,
                kind: CoverKind::ReadOnly,
            })
        })
    }

    /// The writable paths, sorted, for display.
    pub fn writable(&self) -> impl Iterator<Item = &Path> {
        let all: BTreeSet<&Path> = self.write.iter().map(PathBuf::as_path).collect();
        all.into_iter()
    }

    /// The unreadable paths, sorted, for display.
    pub fn unreadable(&self) -> impl Iterator<Item = &Path> {
        let all: BTreeSet<&Path> = self.secrets.iter().map(|it| it.path.as_path()).collect();
        all.into_iter()
    }
}

/// What the sandbox lacks on this system, in sentences for the user; empty if everything works.
pub fn shortcomings() -> Vec<String> {
    match support() {
        SandboxSupport::Full => Vec::new(),
        SandboxSupport::Partial { gap } => vec![format!(
            "the sandbox for commands is incomplete on this kernel: commands can still {gap}"
        )],
        SandboxSupport::Missing { reason } => vec![format!(
            "commands run without a sandbox and can write wherever you can: {reason}"
        )],
    }
}

/// Why the kernel cannot enforce the policy's path rules on this system, in a sentence for the user.
pub fn path_rule_shortcoming() -> Option<String> {
    let missing = namespace_support().err()?;
    Some(format!(
        "on this system the kernel cannot keep agents from paths that the policy denies, nor commands from denied paths inside the session's directories: {missing}"
    ))
}

/// The confinement of a command that starts now, and the Landlock rules to apply. Without `places`, only the policy's
/// deny rules are enforced.
pub(crate) fn confinement(
    places: Option<&SandboxPlaces>,
    roots: &Roots,
    cwd: &Path,
    temporary: Option<&Path>,
) -> io::Result<(Confinement, LandlockRules, SandboxLimits)> {
    let (covers, left_out) = roots.denied().covers(ConfinedProcess::Command, cwd)?;
    if !left_out.is_empty() {
        let why = "a deny rule of the policy covers the working directory";
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let denied = roots.denied();
    let mut confinement = denied.keep_covered(Confinement::new(), ConfinedProcess::Command, cwd);
    let mut rules = LandlockRules::new();
    let mut limits = SandboxLimits {
        denied: covers.iter().map(|cover| cover.path.clone()).collect(),
        ..SandboxLimits::default()
    };
    let own: Vec<PathBuf> = roots.real_paths().map(Path::to_owned).collect();
    let mut secrets: Vec<SecretPath> = Vec::new();
    let mut read_only: Vec<Cover> = Vec::new();
    if let Some(places) = places {
        limits.is_sandboxed = true;
        limits.since = Some(SystemTime::now());
        limits.settings = Arc::clone(&places.settings);
        limits.writable.clone_from(&own);
        confinement = confinement.network(places.network);
        rules = rules.limit_writes();
        #[cfg(target_os = "linux")]
        for root in roots.descriptors()? {
            rules = rules.write_beneath_open(root);
        }
        let worktrees = own.iter().flat_map(|root| worktree::places(root));
        let also = places.write.iter().cloned().chain(worktrees);
        let also = also.chain(temporary.map(Path::to_owned));
        for place in without_writable(also.collect(), &limits.writable) {
            rules = rules.write_beneath(&place);
            limits.writable.push(real(&place));
        }
        for device in devices::closed_devices() {
            rules = rules.unreadable(device);
        }
        secrets = places.secrets_of(&own);
        limits.secret = secrets.iter().map(|secret| secret.path.clone()).collect();
        read_only.extend(places.read_only());
    }
    let is_writable = |path: &Path| limits.writable.iter().any(|it| path.starts_with(it));
    let has_inside = secrets.iter().any(|secret| is_writable(&secret.path));
    // Unreadable and denied paths are covered already.
    let is_closed = |path: &Path| {
        let mut closed = limits.secret.iter().chain(&limits.denied);
        closed.any(|it| path.starts_with(it))
    };
    read_only.retain(|cover| is_writable(&cover.path) && !is_closed(&cover.path));
    let needs_namespace = has_inside || !covers.is_empty() || !read_only.is_empty();
    let has_namespace = needs_namespace && namespace_support().is_ok();
    if has_namespace {
        limits.read_only = read_only.iter().map(|it| it.path.clone()).collect();
        confinement = read_only.into_iter().fold(confinement, Confinement::cover);
    }
    for secret in &secrets {
        // Landlock cannot deny writes to a path whose surroundings are writable.
        let cover = hidden_cover(&secret.path).filter(|_| is_writable(&secret.path));
        let is_covered = has_namespace && cover.is_some();
        if !is_writable(&secret.path) || secret.stays_closed(&secrets, is_covered) {
            rules = rules.unreadable(&secret.path);
        }
        let cover = cover.filter(|_| has_namespace);
        confinement = cover.into_iter().fold(confinement, Confinement::cover);
    }
    for cover in covers {
        let is_hidden = cover.kind != CoverKind::ReadOnly && !is_writable(&cover.path);
        match has_namespace {
            true => confinement = confinement.cover(cover),
            // Landlock alone suffices for paths that are not writable. The user was warned about the others.
            false if places.is_some() && is_hidden => rules = rules.unreadable(cover.path),
            false => {}
        }
    }
    Ok((confinement, rules, limits))
}

/// The paths that exist and are not inside a writable directory. Inside one, a command could replace a path by a link,
/// and the next command could write to the link's target.
fn without_writable(mut places: Vec<PathBuf>, writable: &[PathBuf]) -> Vec<PathBuf> {
    places.sort_by_key(|place| place.components().count());
    let mut writable = writable.to_owned();
    places.retain(|place| {
        let above = place.parent().map(real);
        let is_inside = above.is_some_and(|above| writable.iter().any(|it| above.starts_with(it)));
        let is_new = !is_inside && place.exists();
        if is_new {
            writable.push(real(place));
        }
        is_new
    });
    places
}

fn hidden_cover(path: &Path) -> Option<Cover> {
    let metadata = std::fs::symlink_metadata(path).ok()?;
    let kind = match metadata.is_dir() {
        true => CoverKind::HiddenDirectory,
        false => CoverKind::HiddenFile,
    };
    let (device, inode) = private::identity(&metadata);
    Some(Cover {
        path: path.to_owned(),
        device,
        inode,
        kind,
    })
}

/// Resolves the links of a path, or returns the path itself if it does not exist.
fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
