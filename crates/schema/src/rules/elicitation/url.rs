//! The address of a page.

use super::secret;
use crate::rules::Level;

/// What is wrong with an address, and how much it weighs.
pub(super) fn faults(url: &str) -> Vec<(Level, &'static str)> {
    let mut faults = Vec::new();
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (user, host) = authority.rsplit_once('@').unwrap_or(("", authority));
    let is_local = scheme.eq_ignore_ascii_case("http") && is_loopback(host);
    if !scheme.eq_ignore_ascii_case("https") && !is_local {
        faults.push((Level::Should, "the address is not https; use https"));
    }
    if !user.is_empty() {
        faults.push((
            Level::Must,
            "the address has credentials before its host; leave them out",
        ));
    }
    if names(rest).any(secret::is_named) {
        faults.push((
            Level::Should,
            "the address seems to have a secret among its parameters; leave it out",
        ));
    }
    faults
}

/// A page of this machine does not travel over a network.
fn is_loopback(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

/// The names of the parameters, before and behind the `#`.
fn names(rest: &str) -> impl Iterator<Item = &str> {
    rest.split(['?', '#', '&'])
        .skip(1)
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, _)| name)
}
