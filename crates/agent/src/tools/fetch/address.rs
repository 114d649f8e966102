//! Which addresses `fetch` may reach: those of the public internet. A name is checked by the addresses it resolves to, when
//! connecting, so that no response of a name server gives access to private networks.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Loopback, RefusedAddress};

/// Checks a URL before names are resolved. The error says why it may not be fetched.
pub(super) fn check(url: &Url, loopback: Loopback) -> Result<(), String> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("only http and https can be fetched".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("the URL contains a user name or password; remove it".to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    match literal(host) {
        Some(address) if is_public(address) => Ok(()),
        Some(address) if address.is_loopback() && loopback == Loopback::Open => Ok(()),
        Some(_) => Err(PRIVATE.to_owned()),
        None if host.is_empty() => Err("the URL has no host".to_owned()),
        None => Ok(()),
    }
}

/// The IP address that a URL contains instead of a name. IPv6 addresses are in brackets.
fn literal(host: &str) -> Option<IpAddr> {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.parse().ok().map(canonical)
}

/// Resolves names to addresses that may be reached.
#[derive(Debug)]
pub(super) struct Resolver {
    pub(super) loopback: Loopback,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let is_local = self.loopback == Loopback::Open && names_this_machine(name.as_str());
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let found: Vec<SocketAddr> = found.collect();
            let is_open = |address: &SocketAddr| {
                let address = canonical(address.ip());
                is_public(address) || (is_local && address.is_loopback())
            };
            // One private address among public ones is a rebinding attack or a private network.
            match !found.is_empty() && found.iter().all(is_open) {
                true => Ok(Box::new(found.into_iter()) as Addrs),
                false => Err(RefusedAddress(PRIVATE.to_owned()).into()),
            }
        })
    }
}

fn names_this_machine(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Maps IPv4 addresses written as IPv6 to IPv4.
fn canonical(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => match embedded(address) {
            Some(inner) => IpAddr::V4(inner),
            None => IpAddr::V6(address),
        },
        address => address,
    }
}

/// The IPv4 address inside an IPv6 one: mapped, compatible, or of a translator (NAT64, 6to4).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let of = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        Some(Ipv4Addr::new(a, b, c, d))
    };
    match [a, b, c, d, e, f] {
        [0, 0, 0, 0, 0, 0xffff] | [0x64, 0xff9b, 0, 0, 0, 0] => of(g, h),
        [0, 0, 0, 0, 0, 0] if g != 0 => of(g, h),
        [0x2002, ..] => of(b, c),
        _ => None,
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = match (a, b, c) {
        // This network, shared by providers, protocols, benchmarks, relays, reserved.
        (0 | 240..=255, ..) | (192, 0, 0) | (192, 88, 99) => true,
        (100, 64..=127, _) | (198, 18 | 19, _) => true,
        _ => false,
    };
    !(is_special
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation())
}

/// Global unicast, without documentation and tunnel addresses.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_special = match (a, b) {
        // Teredo, ORCHID, documentation.
        (0x2001, 0..=0x1ff | 0xdb8) | (0x3fff, 0..=0xfff) => true,
        _ => false,
    };
    (0x2000..=0x3fff).contains(&a) && !is_special
}

const PRIVATE: &str =
    "the address is on this machine or in a private network, which tools must not reach";

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use reqwest::Url;

    use super::{Loopback, canonical, check, is_public};

    #[test]
    fn only_public_addresses_are_public() {
        let told = |texts: &str| {
            let judge = |text: &str| {
                let address = canonical(text.parse().unwrap());
                format!(
                    "{text}: {}\n",
                    if is_public(address) {
                        "public"
                    } else {
                        "closed"
                    }
                )
            };
            texts.split_whitespace().map(judge).collect::<String>()
        };
        let closed = "0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 127.255.0.1 169.254.169.254 172.16.0.1 172.31.255.255 \
            192.0.0.1 192.168.1.1 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.9 224.0.0.1 240.0.0.1 255.255.255.255 \
            :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 2002:a00:1::1 fe80::1 fc00::1 \
            fd00:ec2::254 ff02::1 2001:db8::1 2001::1 100::1 3fff::1 5f00::1";
        for line in told(closed).lines() {
            assert!(line.ends_with("closed"), "{line}");
        }
        let public = "1.1.1.1 8.8.8.8 100.63.0.1 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 \
            2606:4700::1111 2001:4860:4860::8888 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1";
        for line in told(public).lines() {
            assert!(line.ends_with("public"), "{line}");
        }
    }

    #[test]
    fn urls_are_checked_before_names_are_resolved() {
        let urls = [
            "http://example.com/",
            "https://user@example.com/",
            "https://:word@example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "http://127.0.0.1:8080/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0/",
            "http://169.254.169.254/latest/meta-data/",
            "http://localhost:3000/",
        ];
        let told = urls.map(|url| {
            let parsed = Url::parse(url).unwrap();
            let judge = |loopback| match check(&parsed, loopback) {
                Ok(()) => "ok".to_owned(),
                Err(why) => why.split_whitespace().take(4).collect::<Vec<_>>().join(" "),
            };
            format!(
                "{url}: {} | {}\n",
                judge(Loopback::Closed),
                judge(Loopback::Open)
            )
        });
        expect![[r#"
            http://example.com/: ok | ok
            https://user@example.com/: the URL contains a | the URL contains a
            https://:word@example.com/: the URL contains a | the URL contains a
            ftp://example.com/: only http and https | only http and https
            file:///etc/passwd: only http and https | only http and https
            http://127.0.0.1:8080/: the address is on | ok
            http://[::1]/: the address is on | ok
            http://[::ffff:127.0.0.1]/: the address is on | ok
            http://2130706433/: the address is on | ok
            http://0x7f.1/: the address is on | ok
            http://0/: the address is on | the address is on
            http://169.254.169.254/latest/meta-data/: the address is on | the address is on
            http://localhost:3000/: ok | ok
        "#]]
        .assert_eq(&told.concat());
    }
}
