//! HTTP clients, one of each kind in the process, built when first asked for.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};

/// The client for an address. Its words about a failure are for people.
pub(crate) fn client(url: &Url) -> Result<Client, String> {
    let client = match reach(url) {
        Reach::Loopback if url.scheme() == "http" => &*LOOPBACK,
        _ => &*OUTSIDE,
    };
    client.clone()
}

/// How far away an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// On this machine.
    Loopback,
    /// In a network that is not open to all.
    Private,
    /// Anywhere.
    Public,
}

pub(crate) fn reach(url: &Url) -> Reach {
    let host = url.host_str().unwrap_or_default();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_loopback() => Reach::Loopback,
        Ok(IpAddr::V4(ip)) if ip.is_private() || ip.is_link_local() => Reach::Private,
        Ok(IpAddr::V6(ip)) if ip.is_unique_local() || ip.is_unicast_link_local() => Reach::Private,
        Ok(_) => Reach::Public,
        Err(_) if host == "localhost" || host.ends_with(".localhost") => Reach::Loopback,
        Err(_) if !host.contains('.') || host.ends_with(".local") => Reach::Private,
        Err(_) => Reach::Public,
    }
}

/// Certificates are read from the system when this is built.
static OUTSIDE: LazyLock<Result<Client, String>> = LazyLock::new(|| {
    attache_tls::prepare();
    built(builder())
});

/// No proxy, and no certificates to read.
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

/// What caused an error, without the address.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let first = std::error::Error::source(error);
    let causes = std::iter::successors(first, |cause| cause.source()).map(ToString::to_string);
    // The library's own word for where it was says nothing to a person.
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
            ("http://127.0.0.1:1", Reach::Loopback),
            ("http://[::1]:1", Reach::Loopback),
            ("http://localhost", Reach::Loopback),
            ("http://192.168.1.7", Reach::Private),
            ("http://[fd00::1]", Reach::Private),
            ("http://ollama:11434", Reach::Private),
            ("http://box.local", Reach::Private),
            ("http://example.com", Reach::Public),
            ("http://8.8.8.8", Reach::Public),
            ("http://127.0.0.1.example.com", Reach::Public),
        ] {
            let url = Url::parse(url).expect("a URL");
            assert_eq!(reach(&url), expected, "{url}");
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
