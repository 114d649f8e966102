//! Programs that can have a daemon outside the watched tree run commands. Rules do not reach there, so a user is asked.

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

struct Client {
    names: &'static [&'static str],
    used: Used,
}

/// Which calls of a program reach a daemon.
enum Used {
    Always,
    /// All but those with nothing but these words.
    Except(&'static [&'static str]),
    /// Those with one of these subcommands.
    With(&'static [&'static str]),
    /// Those to this machine.
    Here,
}

impl Client {
    fn is_used(&self, invocation: &Invocation, name: &str) -> bool {
        let words = &invocation.words;
        match self.used {
            Used::Always => true,
            Used::Except(harmless) => {
                words.is_empty() || !words.iter().all(|word| harmless.contains(&word.as_str()))
            }
            Used::With(some) => subcommands(name, words)
                .flatten()
                .any(|word| some.contains(&word)),
            Used::Here => words.iter().any(|word| {
                let host = word.rsplit('@').next().unwrap_or(word);
                host == "localhost" || host == "::1" || host == "0" || host.starts_with("127.")
            }),
        }
    }
}

const CLIENTS: &[Client] = &[
    Client {
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
        used: Used::Except(&["-V", "--version", "--help"]),
    },
    Client {
        names: &["at"],
        used: Used::Except(&["-l", "-V"]),
    },
    Client {
        names: &["crontab"],
        used: Used::Except(&["-l"]),
    },
    Client {
        names: &[
            "flatpak-spawn",
            "host-spawn",
            "distrobox-host-exec",
            "machinectl",
            "emacsclient",
        ],
        used: Used::Always,
    },
    Client {
        names: &["busctl", "dbus-send", "gdbus", "qdbus"],
        used: Used::Except(&[
            "list",
            "tree",
            "monitor",
            "status",
            "introspect",
            "--help",
            "--version",
        ]),
    },
    Client {
        names: &["systemctl"],
        used: Used::With(&[
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
    Client {
        names: &["docker", "podman", "nerdctl"],
        used: Used::With(&[
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
    Client {
        names: &[
            "docker-compose",
            "podman-compose",
            "lxc",
            "incus",
            "lxc-attach",
        ],
        used: Used::Always,
    },
    Client {
        names: &["ssh"],
        used: Used::Here,
    },
];
