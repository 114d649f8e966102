//! What the last words of an agent that has ended may mean.

/// What to do about an agent that ended before it answered.
pub(super) fn after(stderr: &str) -> &'static str {
    let said = stderr.to_lowercase();
    let known = HINTS
        .iter()
        .find(|(signs, _)| signs.iter().any(|sign| said.contains(sign)));
    match known {
        Some((_, hint)) => hint,
        None if said.trim().is_empty() => {
            "it said nothing: check that it speaks ACP and that it gets the argument that turns it on, such as `--acp`"
        }
        None => "its last words say why; run the command by hand to see all of it",
    }
}

const HINTS: &[(&[&str], &str)] = &[
    (
        &[
            "unknown option",
            "unrecognized",
            "unexpected argument",
            "unknown argument",
            "unknown command",
        ],
        "it does not know one of its arguments: update it, or look in its `--help` for what turns ACP on",
    ),
    (
        &[
            "cannot find module",
            "module not found",
            "modulenotfounderror",
        ],
        "a part of it is missing: install it anew",
    ),
    (
        &[
            "unsupported engine",
            "requires node",
            "requires a node",
            "syntaxerror",
        ],
        "it wants a newer Node.js",
    ),
    (
        &[
            "enotfound",
            "econnrefused",
            "getaddrinfo",
            "network is unreachable",
        ],
        "it does not reach the network: check the connection and the proxy settings",
    ),
    (
        &[
            "api key",
            "api_key",
            "not logged in",
            "unauthorized",
            "authenticat",
        ],
        "it wants a login: see the agent's own command for that, or set its API key",
    ),
    (
        &["permission denied", "eacces"],
        "it may not read or write something: check the permissions of what it names",
    ),
    (
        &["not found", "no such file"],
        "something that it needs is not installed, or not on the PATH that it is given",
    ),
];
