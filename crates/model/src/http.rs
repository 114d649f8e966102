//! Shared HTTP clients, built on first use.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

/// The client for an address. Errors are worded for users.
pub(crate) fn client(url: &Url) -> Result<Client, String> {
    let client = match network_scope(url) {
        NetworkScope::Loopback if url.scheme() == "http" => &*LOOPBACK,
        _ => &*REMOTE,
    };
    client.clone()
}

/// Which network an address is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkScope {
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// The public internet.
    Public,
}

pub(crate) fn network_scope(url: &Url) -> NetworkScope {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_loopback() => NetworkScope::Loopback,
        Ok(IpAddr::V4(ip)) if ip.is_private() || ip.is_link_local() => NetworkScope::Private,
        Ok(IpAddr::V6(ip)) if ip.is_unique_local() || ip.is_unicast_link_local() => {
            NetworkScope::Private
        }
        Ok(_) => NetworkScope::Public,
        Err(_) if host == "localhost" || host.ends_with(".localhost") => NetworkScope::Loopback,
        Err(_) if !host.contains('.') || host.ends_with(".local") => NetworkScope::Private,
        Err(_) => NetworkScope::Public,
    }
}

/// Reads the system's certificates when it is built.
static REMOTE: LazyLock<Result<Client, String>> = LazyLock::new(|| {
    attache_tls::prepare();
    built(builder())
});

/// Uses no proxy and reads no certificates.
static LOOPBACK: LazyLock<Result<Client, String>> = LazyLock::new(|| {
    attache_tls::prepare();
    built(builder().no_proxy().tls_certs_only([]))
});

fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("attache/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .redirect(Policy::none())
        .referer(false)
}

fn built(builder: ClientBuilder) -> Result<Client, String> {
    builder.build().map_err(|error| {
        let reason = crate::wire::attempt_error::one_line(&causes(&error));
        format!("no HTTPS on this machine: {reason}; are certificates installed?")
    })
}

/// The causes of an error, without the address.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let first = std::error::Error::source(error);
    let causes = std::iter::successors(first, |cause| cause.source()).map(ToString::to_string);
    // Leave out the library's own phrase, which tells a user nothing.
    let causes: Vec<String> = causes
        .filter(|cause| !cause.starts_with("client error"))
        .collect();
    match causes.is_empty() {
        true => "no reason is known".to_owned(),
        false => causes.join(": "),
    }
}

const CONNECT: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_away_a_host_is() {
        for (url, expected) in [
            ("http://127.0.0.1:1", NetworkScope::Loopback),
            ("http://[::1]:1", NetworkScope::Loopback),
            ("http://localhost", NetworkScope::Loopback),
            ("http://192.168.1.7", NetworkScope::Private),
            ("http://[fd00::1]", NetworkScope::Private),
            ("http://ollama:11434", NetworkScope::Private),
            ("http://box.local", NetworkScope::Private),
            ("http://example.com", NetworkScope::Public),
            ("http://8.8.8.8", NetworkScope::Public),
            ("http://127.0.0.1.example.com", NetworkScope::Public),
        ] {
            let url = Url::parse(url).expect("a URL");
            assert_eq!(network_scope(&url), expected, "{url}");
        }
    }

    #[test]
    fn clients_are_built_on_any_thread_at_once() {
        let threads: Vec<_> = ["http://127.0.0.1", "https://example.com"]
            .repeat(4)
            .into_iter()
            .map(|url| std::thread::spawn(move || client(&Url::parse(url).expect("a URL")).is_ok()))
            .collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
    }
}
