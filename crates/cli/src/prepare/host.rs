//! The host that serves the agent: files, terminals, permissions, sandbox and audit log.

use std::path::PathBuf;
use std::sync::Arc;

use attache::process::ExecSupport;
use attache::v1;
use attache_client::config::{Configuration, SandboxMode};
use attache_host::audit::Log;
use attache_host::exec::{ExecRules, WatchMode, Watcher};
use attache_host::files::{self, Files};
use attache_host::permissions::{PermissionConfig, Permissions, Policy, Preset, StoreWarning};
use attache_host::sandbox::{self, SandboxPlaces, SandboxSupport};
use attache_host::terminals::{self, Sandbox, Terminals};
use attache_host::{Host, protected_files};

use super::Presence;
use crate::arguments::{ApprovalFlags, ConversationArguments, SandboxFlags};
use crate::{audit, directories, permissions};

/// The host, and warnings about what does not work.
pub(super) fn host(
    arguments: &ConversationArguments,
    configuration: &Configuration,
    preset: Preset,
    presence: Presence,
) -> anyhow::Result<(Host, Vec<String>)> {
    let ours = [
        directories::config_dir()?,
        directories::data_dir()?,
        directories::state_dir()?,
    ];
    let files = Files::new(files::FileLimits::default(), &ours);
    let fixed = policy_files(arguments.approval.policy.iter(), configuration);
    let (sandbox, missing) = sandbox(arguments.sandbox, configuration, &ours, fixed)?;
    let terminals = Terminals::with_environment(
        terminals::TerminalLimits::default(),
        sandbox,
        configuration.child_environment(),
    );
    let (permissions, warnings) =
        open_permissions(&arguments.approval, configuration, preset, presence)?;
    let (log, fault) = open_log(presence);
    let log = log.without_values(configuration.child_environment().values().clone());
    let warnings = warnings.into_iter().map(|warning| warning.0).chain(fault);
    let nested = configuration.sandbox.as_ref().map(|it| it.value.nested);
    let host = Host::new(files, terminals, permissions, log)
        .with_directories(&arguments.add_dir)
        .nested_mounts(nested.unwrap_or_default());
    Ok((host, warnings.chain(missing).collect()))
}

/// The watcher of programs that the agent and its commands execute, if needed; and a warning if watching is not possible.
pub(super) fn watcher(
    arguments: &ConversationArguments,
    host: &Host,
    agent: &str,
) -> anyhow::Result<(Option<Watcher>, Option<String>)> {
    let watching = match (arguments.guard, arguments.no_guard) {
        (true, _) => WatchMode::Always,
        (_, true) => WatchMode::Off,
        (false, false) => WatchMode::Rules,
    };
    let Some(rules) = host.permissions.exec_rules(agent).for_mode(watching) else {
        return Ok((None, None));
    };
    match ExecRules::support() {
        ExecSupport::Full | ExecSupport::Restarting => {
            Ok((Some(Watcher::new(rules, agent, host.log.clone())), None))
        }
        ExecSupport::Missing { reason } if watching == WatchMode::Always => {
            anyhow::bail!("--guard: programs cannot be watched here: {reason}")
        }
        support @ ExecSupport::Missing { .. } => {
            let warning = format!(
                "command rules: {support}. They apply to what the agent says it will run; a command that cannot be decided before it runs is asked about, or denied when nobody can be asked"
            );
            Ok((None, Some(warning)))
        }
    }
}

/// Removes capabilities that the user has disabled, and those that need a user if none is present.
pub(super) fn limit_offer(
    arguments: &ConversationArguments,
    presence: Presence,
    offer: &mut v1::ClientCapabilities,
) {
    if arguments.no_fs {
        offer.fs = v1::FileSystemCapabilities::new();
    }
    offer.terminal &= !arguments.no_terminal;
    if presence == Presence::Unattended {
        offer.elicitation = None;
        offer.auth = v1::AuthCapabilities::new();
    }
}

/// The sandbox for commands, and warnings about its gaps. Fails if the sandbox is required and the system has none. `ours`
/// are our own directories, which commands cannot read; `fixed` are files that commands cannot change.
pub(crate) fn sandbox(
    flags: SandboxFlags,
    configuration: &Configuration,
    ours: &[PathBuf],
    fixed: Vec<PathBuf>,
) -> anyhow::Result<(Sandbox, Vec<String>)> {
    let configured = configuration.sandbox.as_ref().map(|it| it.value.clone());
    let configured = configured.unwrap_or_default();
    let mode = match flags {
        SandboxFlags { sandbox: true, .. } => SandboxMode::Required,
        SandboxFlags {
            no_sandbox: true, ..
        } => SandboxMode::Off,
        _ => configured.mode,
    };
    let on = || {
        let places = SandboxPlaces::usual(&configured.settings, ours).keep_read_only(fixed);
        Sandbox::On(Arc::new(places))
    };
    match (mode, Sandbox::support()) {
        (SandboxMode::Off, _) => Ok((Sandbox::Off, Vec::new())),
        (SandboxMode::Required, support @ SandboxSupport::Missing { .. }) => {
            anyhow::bail!(
                "the sandbox is required but not available: {support}; use --no-sandbox to run commands without it"
            )
        }
        (SandboxMode::On, SandboxSupport::Missing { .. }) => {
            Ok((Sandbox::Off, sandbox::shortcomings()))
        }
        (SandboxMode::On | SandboxMode::Required, _) => Ok((on(), sandbox::shortcomings())),
    }
}

fn open_permissions(
    approval: &ApprovalFlags,
    configuration: &Configuration,
    preset: Preset,
    presence: Presence,
) -> anyhow::Result<(Permissions, Vec<StoreWarning>)> {
    let mut config = PermissionConfig::new(preset);
    config.is_attended = presence == Presence::Attended;
    if preset_flag(approval).is_none() {
        config.preset_source = match &configuration.permissions {
            Some(configured) if configured.value == preset => {
                let (name, place) = (preset.name(), &configured.place);
                format!("preset `{name}` of {place}")
            }
            _ => format!("preset `{}`, the default", preset.name()),
        };
    }
    config.store = Some(permissions::store()?);
    config.policy = match &approval.policy {
        Some(given) => Some(Policy::from_argument(given)?),
        None => {
            refuse_without_rules(configuration, presence)?;
            configuration.load_policy()?
        }
    };
    protect(approval, configuration);
    Ok(Permissions::open(config))
}

/// Fails if the stored rules of a trusted project are lost and no user is present: its rules must not be dropped silently.
fn refuse_without_rules(configuration: &Configuration, presence: Presence) -> anyhow::Result<()> {
    let mut changed = configuration.changed.iter();
    match changed.find(|it| it.has_rules.is_err()) {
        Some(lost) if presence == Presence::Unattended => anyhow::bail!("{lost}"),
        _ => Ok(()),
    }
}

/// The files that decide what agents may do: the policies on the command line, the configured policies, and the
/// configuration files.
pub(crate) fn policy_files<'a>(
    given: impl Iterator<Item = &'a String>,
    configuration: &Configuration,
) -> Vec<PathBuf> {
    let given = given.map(PathBuf::from);
    let policies = configuration.policies().map(|it| it.value.clone());
    let files = configuration.files.iter().cloned();
    given.chain(policies).chain(files).collect()
}

/// Protects the files that decide what agents may do, and those that the project's file names.
fn protect(approval: &ApprovalFlags, configuration: &Configuration) {
    let named = configuration.named_files.iter().cloned();
    let policy_files = policy_files(approval.policy.iter(), configuration);
    protected_files::protect(policy_files.into_iter().chain(named));
}

/// The preset. Without a user, nobody is asked, whatever the configuration says.
pub(super) fn preset(
    approval: &ApprovalFlags,
    configuration: &Configuration,
    presence: Presence,
) -> Preset {
    let configured = configuration.permissions.as_ref().map(|it| it.value);
    match (preset_flag(approval).or(configured), presence) {
        (None | Some(Preset::Ask), Presence::Unattended) => Preset::ApproveReads,
        (None, Presence::Attended) => Preset::Ask,
        (Some(preset), _) => preset,
    }
}

/// The preset on the command line.
fn preset_flag(approval: &ApprovalFlags) -> Option<Preset> {
    match approval {
        ApprovalFlags { deny_all: true, .. } => Some(Preset::DenyAll),
        ApprovalFlags {
            approve_all: true, ..
        } => Some(Preset::ApproveAll),
        ApprovalFlags {
            approve_reads: true,
            ..
        } => Some(Preset::ApproveReads),
        _ => None,
    }
}

/// Opens the audit log. Without a log the agent still works, with a warning. With a screen, the log is written in the
/// background.
fn open_log(presence: Presence) -> (Log, Option<String>) {
    let opened = audit::log().and_then(|dir| Ok(Log::open(&dir)?));
    let opened = opened.map(|log| match presence {
        Presence::Attended => log.in_background().unwrap_or_else(|log| log),
        Presence::Unattended => log,
    });
    match opened {
        Ok(log) => (log, None),
        Err(error) => {
            let why = format!("the audit log cannot be written: {error:#}");
            (Log::none(), Some(why))
        }
    }
}
