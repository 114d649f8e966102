//! Finds the host that a browser would visit.
//!
//! Browsers accept far more than `https://host/`: they repair `https:host` and `https:\\host`, drop tabs, and rewrite
//! hosts. This accepts only addresses that need no repair, so the host shown is the host that the browser visits.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;

/// The address of a web page, in the strict form `https://host[:port]/…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WebAddress {
    /// The host and port as a browser shows them.
    pub(super) host: String,
    /// The byte range of host and port in the address.
    pub(super) range: Range<usize>,
    pub(super) warnings: Vec<&'static str>,
}

/// Why an address must not be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddressError {
    NotWeb,
    Slashes,
    UserInfo,
    Characters,
    Host,
    Port,
}

impl WebAddress {
    pub(super) fn parse(url: &str) -> Result<WebAddress, AddressError> {
        let cleaned = url.trim_start_matches(is_blank);
        let scheme = cleaned.split(':').next().unwrap_or_default();
        // Browsers drop tabs and line ends, even inside the scheme.
        let scheme: String = scheme.chars().filter(|char| !is_blank(*char)).collect();
        let is_https = scheme.eq_ignore_ascii_case("https");
        if !cleaned.contains(':') || !(is_https || scheme.eq_ignore_ascii_case("http")) {
            return Err(AddressError::NotWeb);
        }
        if url.contains(is_blank) {
            return Err(AddressError::Characters);
        }
        let start = scheme.len() + "://".len();
        let rest = url
            .get(start..)
            .filter(|_| url[scheme.len()..].starts_with("://"));
        let rest = rest.ok_or(AddressError::Slashes)?;
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        let authority = &rest[..end];
        if authority.contains('@') {
            return Err(AddressError::UserInfo);
        }
        if authority.is_empty() || rest[end..].starts_with('\\') {
            return Err(AddressError::Slashes);
        }
        let (name, port) = match authority.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (authority, None),
        };
        let mut host = browser_host(name).ok_or(AddressError::Host)?;
        if let Some(port) = port {
            let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
            let number = port.parse::<u16>().ok().filter(|_| is_number);
            host += &format!(":{}", number.ok_or(AddressError::Port)?);
        }
        let mut warnings = Vec::new();
        if !is_https {
            warnings.push("! Not https: others can read and change the traffic.");
        }
        if host.split('.').any(|label| label.starts_with("xn--")) {
            warnings.push("! \"xn--\" in the host encodes letters that can look like others.");
        }
        Ok(WebAddress {
            host,
            range: start..start + end,
            warnings,
        })
    }
}

impl AddressError {
    /// The error in words for the user.
    pub(super) fn message(self) -> &'static str {
        match self {
            AddressError::NotWeb => "! This is not the address of a web page. Do not open it.",
            AddressError::Slashes => {
                "! Malformed address: it doesn't begin with https:// and a host. Do not open it."
            }
            AddressError::UserInfo => {
                "! Malformed address: the part before the @ is not the host. Do not open it."
            }
            AddressError::Characters => {
                "! Malformed address: it contains spaces or control characters. Do not open it."
            }
            AddressError::Host => {
                "! Malformed address: browsers would change its host. Do not open it."
            }
            AddressError::Port => "! Malformed address: invalid port. Do not open it.",
        }
    }
}

/// The host as a browser reads it, or `None` if a browser would change more than its case.
fn browser_host(name: &str) -> Option<String> {
    if let Some(address) = name.strip_prefix('[') {
        let address: Ipv6Addr = address.strip_suffix(']')?.parse().ok()?;
        return Some(format!("[{address}]"));
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_plain);
    if !name.split('.').all(is_label) {
        return None;
    }
    // Browsers read a host whose last part is a number as an IPv4 address, in any notation.
    let host = name.to_ascii_lowercase();
    let last = host.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x");
    let is_number = match hexadecimal {
        Some(digits) => digits.bytes().all(|byte| byte.is_ascii_hexdigit()),
        None => last.bytes().all(|byte| byte.is_ascii_digit()),
    };
    match is_number {
        true => host
            .parse::<Ipv4Addr>()
            .ok()
            .map(|address| address.to_string()),
        false => Some(host),
    }
}

/// Whether a browser would drop or encode this character, which is never part of an address.
fn is_blank(char: char) -> bool {
    char.is_control() || char.is_whitespace()
}
