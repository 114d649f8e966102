//! Programs that can make a daemon outside the watched tree run commands. Rules don't reach there, so the user is
//! asked.

use super::invocation::Invocation;
use crate::permissions::subcommands;

/// The name of the program, if this call of it can make a daemon run something.
pub(super) fn client(invocation: &Invocation) -> Option<&'static str> {
    CLIENTS.iter().find_map(|client| {
        let mut names = client.names.iter();
        let name = names.find(|name| invocation.is_called(|it| it == **name))?;
        client.is_used(invocation, name).then_some(*name)
    })
}

struct DaemonClient {
    names: &'static [&'static str],
    used: DaemonUse,
}

/// The calls of a program that reach a daemon.
enum DaemonUse {
    Always,
    /// All calls, except those with only these words.
    Except(&'static [&'static str]),
    /// Calls with one of these subcommands.
    With(&'static [&'static str]),
    /// Calls that connect to this machine.
    Here,
}

impl DaemonClient {
    fn is_used(&self, invocation: &Invocation, name: &str) -> bool {
        let words = &invocation.words;
        match self.used {
            DaemonUse::Always => true,
            DaemonUse::Except(harmless) => {
                words.is_empty() || !words.iter().all(|word| harmless.contains(&word.as_str()))
            }
            DaemonUse::With(some) => subcommands(name, words)
                .flatten()
                .any(|word| some.contains(&word)),
            DaemonUse::Here => words.iter().any(|word| {
                let host = word.rsplit('@').next().unwrap_or(word);
                host == "localhost" || host == "::1" || host == "0" || host.starts_with("127.")
            }),
        }
    }
}

const CLIENTS: &[DaemonClient] = &[
    DaemonClient {
        names: &[
            "systemd-run",
            "batch",
            "tmux",
            "screen",
            "zellij",
            "dtach",
            "abduco",
            "run0",
        ],
        used: DaemonUse::Except(&["-V", "--version", "--help"]),
    },
    DaemonClient {
        names: &["at"],
        used: DaemonUse::Except(&["-l", "-V"]),
    },
    DaemonClient {
        names: &["crontab"],
        used: DaemonUse::Except(&["-l"]),
    },
    DaemonClient {
        names: &[
            "flatpak-spawn",
            "host-spawn",
            "distrobox-host-exec",
            "machinectl",
            "emacsclient",
        ],
        used: DaemonUse::Always,
    },
    DaemonClient {
        names: &["busctl", "dbus-send", "gdbus", "qdbus"],
        used: DaemonUse::Except(&[
            "list",
            "tree",
            "monitor",
            "status",
            "introspect",
            "--help",
            "--version",
        ]),
    },
    DaemonClient {
        names: &["systemctl"],
        used: DaemonUse::With(&[
            "start",
            "restart",
            "try-restart",
            "reload-or-restart",
            "enable",
            "reenable",
            "link",
            "edit",
            "isolate",
            "preset",
            "set-property",
            "import-environment",
            "set-environment",
        ]),
    },
    DaemonClient {
        names: &["docker", "podman", "nerdctl"],
        used: DaemonUse::With(&[
            "run",
            "exec",
            "create",
            "start",
            "restart",
            "compose",
            "build",
            "buildx",
            "builder",
            "container",
            "image",
            "service",
            "stack",
            "swarm",
            "plugin",
            "kube",
            "play",
            "pod",
            "machine",
            "bake",
            "debug",
            "attach",
        ]),
    },
    DaemonClient {
        names: &[
            "docker-compose",
            "podman-compose",
            "lxc",
            "incus",
            "lxc-attach",
        ],
        used: DaemonUse::Always,
    },
    DaemonClient {
        names: &["ssh"],
        used: DaemonUse::Here,
    },
];
