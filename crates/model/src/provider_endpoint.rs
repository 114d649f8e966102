//! The address of a provider, and the headers of every request to it.

use std::collections::BTreeMap;
use std::fmt;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::Protocol;
use crate::http::{NetworkScope, network_scope};
use crate::wire::WireFormat;

/// The address of a provider, and the headers of every request to it. The headers are secrets.
#[derive(Clone)]
pub(crate) struct ProviderEndpoint {
    /// The provider's name for users.
    pub(crate) provider: String,
    pub(crate) protocol: Protocol,
    base: Url,
    headers: HeaderMap,
    /// What to do if the key is missing or rejected.
    pub(crate) hint: String,
}

impl ProviderEndpoint {
    /// Validates an address and headers.
    pub(crate) fn new(
        provider: &str,
        protocol: Protocol,
        base: &str,
        headers: &BTreeMap<String, String>,
        hint: &str,
    ) -> Result<ProviderEndpoint, ProviderConfigError> {
        let base = address(base)?;
        let headers = parse_headers(headers)?;
        if base.scheme() == "http"
            && network_scope(&base) == NetworkScope::Public
            && !headers.is_empty()
        {
            return Err(ProviderConfigError::Unencrypted);
        }
        Ok(ProviderEndpoint {
            provider: provider.to_owned(),
            protocol,
            base,
            headers,
            hint: hint.to_owned(),
        })
    }

    /// The configured address, which contains no secret.
    pub(crate) fn base(&self) -> &Url {
        &self.base
    }

    /// Whether its configuration contains headers, which carry the key.
    pub(crate) fn has_key(&self) -> bool {
        !self.headers.is_empty()
    }

    pub(crate) fn headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        if self.protocol == Protocol::Anthropic {
            let version = HeaderValue::from_static(ANTHROPIC_VERSION);
            headers.entry("anthropic-version").or_insert(version);
        }
        headers
    }

    /// Removes the values of the headers from a text.
    pub(crate) fn redact(&self, text: &str) -> String {
        let values = self
            .headers
            .values()
            .filter_map(|value| value.to_str().ok());
        values.fold(text.to_owned(), |text, value| {
            let secret = value.strip_prefix("Bearer ").unwrap_or(value);
            match secret.len() {
                ..MIN_SECRET => text,
                _ => text.replace(secret, "…"),
            }
        })
    }

    /// Host and port, for users.
    pub(crate) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        match self.base.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The wire format. Only OpenAI itself is certain to support its newest protocol.
    pub(crate) fn wire(&self) -> WireFormat {
        match self.protocol {
            Protocol::Anthropic => WireFormat::Messages,
            Protocol::OpenAi if self.base.host_str() == Some(OPENAI) => WireFormat::Responses,
            Protocol::OpenAi => WireFormat::Chat,
        }
    }

    /// The URL for answers.
    pub(crate) fn answers_url(&self) -> Url {
        self.url_of(match self.wire() {
            WireFormat::Messages => "messages",
            WireFormat::Chat => "chat/completions",
            WireFormat::Responses => "responses",
        })
    }

    /// The URL of the list of models.
    pub(crate) fn models_url(&self) -> Url {
        self.url_of("models")
    }

    /// Appends a path. A base URL may end in the version or not; Anthropic's normally does not.
    fn url_of(&self, what: &str) -> Url {
        let mut url = self.base.clone();
        let path = url.path().trim_end_matches('/');
        let has_version = match self.protocol {
            Protocol::Anthropic => path.ends_with("/v1"),
            Protocol::OpenAi => !path.is_empty(),
        };
        let version = if has_version { "" } else { "/v1" };
        let path = format!("{path}{version}/{what}");
        url.set_path(&path);
        url
    }
}

impl fmt::Debug for ProviderEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderEndpoint")
            .field("provider", &self.provider)
            .field("protocol", &self.protocol)
            .field("base", &self.base.as_str())
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

fn address(text: &str) -> Result<Url, ProviderConfigError> {
    let url = Url::parse(text.trim()).map_err(|_| ProviderConfigError::Address)?;
    if !["http", "https"].contains(&url.scheme()) || url.host_str().is_none_or(str::is_empty) {
        return Err(ProviderConfigError::Address);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ProviderConfigError::Password);
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(ProviderConfigError::Query);
    }
    Ok(url)
}

fn parse_headers(headers: &BTreeMap<String, String>) -> Result<HeaderMap, ProviderConfigError> {
    let mut parsed = HeaderMap::new();
    for (name, value) in headers {
        let name: HeaderName = name.parse().map_err(|_| ProviderConfigError::Header)?;
        if RESERVED_HEADERS.contains(&name.as_str()) {
            return Err(ProviderConfigError::ReservedHeader(name.to_string()));
        }
        let mut value: HeaderValue = value
            .trim()
            .parse()
            .map_err(|_| ProviderConfigError::Header)?;
        value.set_sensitive(true);
        parsed.insert(name, value);
    }
    Ok(parsed)
}

/// Why a provider cannot be configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProviderConfigError {
    /// The provider id is unknown.
    #[error("unknown provider id; `providers/list` lists the providers")]
    Unknown,
    /// The provider does not support the protocol.
    #[error(
        "{provider} does not speak that protocol; `providers/list` lists the protocols it speaks"
    )]
    Protocol {
        /// The provider.
        provider: String,
    },
    /// The base URL is not an HTTP address.
    #[error("the base URL is not an http or https address")]
    Address,
    /// The base URL contains a user name or password.
    #[error("the base URL contains a user name or password; send it as a header")]
    Password,
    /// The base URL contains a query or a fragment.
    #[error("the base URL contains a query or a fragment; remove it")]
    Query,
    /// A header is invalid.
    #[error("a header's name or value contains invalid characters")]
    Header,
    /// The header is set by us.
    #[error("the header {0} is set by the program; remove it")]
    ReservedHeader(String),
    /// A key would be sent unencrypted over the public internet.
    #[error(
        "no key is sent over plain http to a public address; use https, or an address on this machine or in a private network"
    )]
    Unencrypted,
}

const OPENAI: &str = "api.openai.com";
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// Shorter values would remove parts of ordinary words.
const MIN_SECRET: usize = 6;
const RESERVED_HEADERS: [&str; 8] = [
    "accept",
    "connection",
    "content-length",
    "content-type",
    "host",
    "te",
    "transfer-encoding",
    "upgrade",
];

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn endpoint(
        protocol: Protocol,
        base: &str,
        key: Option<&str>,
    ) -> Result<ProviderEndpoint, ProviderConfigError> {
        let headers = key.map(|key| ("Authorization".to_owned(), format!("Bearer {key}")));
        let headers = headers.into_iter().collect();
        ProviderEndpoint::new("test", protocol, base, &headers, "set it")
    }

    fn check(protocol: Protocol, base: &str, expect: Expect) {
        let said = match endpoint(protocol, base, Some("hunter22")) {
            Ok(endpoint) => endpoint.answers_url().to_string(),
            Err(error) => error.to_string(),
        };
        expect.assert_eq(&said);
    }

    #[test]
    fn addresses_with_and_without_version() {
        use Protocol::{Anthropic, OpenAi};
        check(
            Anthropic,
            "https://api.anthropic.com",
            expect!["https://api.anthropic.com/v1/messages"],
        );
        check(
            Anthropic,
            "https://a.example/v1/",
            expect!["https://a.example/v1/messages"],
        );
        check(
            Anthropic,
            "http://localhost/anthropic",
            expect!["http://localhost/anthropic/v1/messages"],
        );
        check(
            OpenAi,
            "http://127.0.0.1:8765",
            expect!["http://127.0.0.1:8765/v1/chat/completions"],
        );
        check(
            OpenAi,
            "https://openrouter.ai/api/v1",
            expect!["https://openrouter.ai/api/v1/chat/completions"],
        );
    }

    #[test]
    fn only_openai_itself_is_asked_for_responses() {
        let address = "https://api.openai.com/v1";
        check(
            Protocol::OpenAi,
            address,
            expect!["https://api.openai.com/v1/responses"],
        );
    }

    #[test]
    fn addresses_that_are_refused() {
        use Protocol::OpenAi;
        check(
            OpenAi,
            "ftp://a.example",
            expect!["the base URL is not an http or https address"],
        );
        check(
            OpenAi,
            "a.example",
            expect!["the base URL is not an http or https address"],
        );
        check(
            OpenAi,
            "https://me:hunter2@a.example",
            expect!["the base URL contains a user name or password; send it as a header"],
        );
        check(
            OpenAi,
            "https://a.example/?key=hunter2",
            expect!["the base URL contains a query or a fragment; remove it"],
        );
        check(
            OpenAi,
            "http://a.example/v1",
            expect![
                "no key is sent over plain http to a public address; use https, or an address on this machine or in a private network"
            ],
        );
        assert!(endpoint(OpenAi, "http://a.example/v1", None).is_ok());
    }

    #[test]
    fn no_secret_shows() {
        let endpoint =
            endpoint(Protocol::OpenAi, "https://a.example", Some("hunter22")).expect("valid");
        let printed = format!("{endpoint:?} {:?}", endpoint.headers());
        assert!(!printed.contains("hunter22"), "{printed}");
        assert_eq!(
            endpoint.redact("your key hunter22 is odd"),
            "your key … is odd"
        );
    }

    #[test]
    fn a_header_that_would_change_the_request_is_refused() {
        let headers = BTreeMap::from([("Host".to_owned(), "evil.example".to_owned())]);
        let error =
            ProviderEndpoint::new("test", Protocol::OpenAi, "https://a.example", &headers, "");
        assert_eq!(
            error.err(),
            Some(ProviderConfigError::ReservedHeader("host".to_owned()))
        );
    }
}
