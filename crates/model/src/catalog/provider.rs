//! One provider: its address, its status and its models.

use std::collections::BTreeMap;
use std::fmt;

use super::environment::Environment;
use super::model_table;
use crate::provider_endpoint::ProviderEndpoint;
use crate::{Error, ModelInfo, Protocol, ProviderConfigError};

/// A provider as clients see it, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderInfo {
    /// The provider id.
    pub id: String,
    /// The protocols that the provider can be configured for.
    pub supported: Vec<Protocol>,
    /// Whether the provider cannot be disabled. Always `false`, because the embedded model needs no provider.
    pub required: bool,
    /// The current address; `None` if the provider is disabled or was never configured.
    pub current: Option<ProviderAddress>,
    /// Whether requests to the provider contain a key.
    pub has_key: bool,
}

/// The address of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderAddress {
    /// The protocol.
    pub protocol: Protocol,
    /// The base URL.
    pub base_url: String,
}

/// The configuration that a client sets.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderConfig {
    /// The protocol to use.
    pub protocol: Protocol,
    /// The base URL.
    pub base_url: String,
    /// Headers for every request. They are secrets, and replace the key from the environment.
    pub headers: BTreeMap<String, String>,
}

impl fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProviderConfig")
            .field("protocol", &self.protocol)
            .field(
                "base_url",
                &format_args!("({} bytes, not shown)", self.base_url.len()),
            )
            .field("headers", &self.headers.keys().collect::<Vec<_>>())
            .finish()
    }
}

#[derive(Debug)]
pub(super) struct Provider {
    pub(super) id: &'static str,
    supported: &'static [Protocol],
    /// The setting that is missing until the user configures the provider.
    missing: MissingSetting,
    status: ProviderStatus,
    /// The model that the environment names.
    named_model: Option<String>,
    /// Whether the address is not the provider's own, so that its models are unknown.
    is_custom_address: bool,
}

/// The missing setting, with a hint how to add it.
#[derive(Debug, Clone, Copy)]
enum MissingSetting {
    Key(&'static str),
    Address(&'static str),
}

#[derive(Debug)]
enum ProviderStatus {
    Ready(Box<ProviderEndpoint>),
    /// Neither a key nor an address is set.
    Unset,
    Disabled,
    /// The environment contains a value that cannot be used.
    Invalid(ProviderConfigError),
}

impl Provider {
    pub(super) fn anthropic(environment: &Environment) -> Provider {
        let key = environment.anthropic_key.as_ref();
        let key = key.map(|key| ("x-api-key", key.reveal().to_owned()));
        let url = environment.anthropic_url.as_deref();
        let mut provider = Provider::new(
            "anthropic",
            &[Protocol::Anthropic],
            MissingSetting::Key(ANTHROPIC_HINT),
        );
        provider.configure(url, "https://api.anthropic.com", key);
        provider.named_model = environment.anthropic_model.clone();
        provider
    }

    pub(super) fn openai(environment: &Environment) -> Provider {
        let key = environment.openai_key.as_ref();
        let key = key.map(|key| ("authorization", format!("Bearer {}", key.reveal())));
        let url = environment.openai_url.as_deref();
        let mut provider = Provider::new(
            "openai",
            &[Protocol::OpenAi],
            MissingSetting::Key(OPENAI_HINT),
        );
        provider.configure(url, "https://api.openai.com/v1", key);
        provider.named_model = environment.openai_model.clone();
        provider
    }

    pub(super) fn ollama(environment: &Environment) -> Provider {
        let mut provider = Provider::new(
            "ollama",
            &[Protocol::OpenAi],
            MissingSetting::Address(OLLAMA_HINT),
        );
        if let Some(host) = &environment.ollama_host {
            provider.configure(Some(&ollama_address(host)), "", None);
        }
        provider
    }

    /// A provider that only clients configure.
    pub(super) fn custom() -> Provider {
        Provider::new(
            "custom",
            &[Protocol::Anthropic, Protocol::OpenAi],
            MissingSetting::Address(CUSTOM_HINT),
        )
    }

    fn new(id: &'static str, supported: &'static [Protocol], missing: MissingSetting) -> Provider {
        Provider {
            id,
            supported,
            missing,
            status: ProviderStatus::Unset,
            named_model: None,
            is_custom_address: false,
        }
    }

    fn configure(&mut self, url: Option<&str>, own: &str, key: Option<(&str, String)>) {
        if url.is_none() && key.is_none() {
            return;
        }
        let base = url.unwrap_or(own);
        self.is_custom_address = base.trim_end_matches('/') != own;
        let headers = key.map(|(name, value)| (name.to_owned(), value));
        let headers = headers.into_iter().collect();
        let (MissingSetting::Key(hint) | MissingSetting::Address(hint)) = self.missing;
        let endpoint = ProviderEndpoint::new(self.id, self.supported[0], base, &headers, hint);
        self.status = endpoint.map_or_else(ProviderStatus::Invalid, |endpoint| {
            ProviderStatus::Ready(Box::new(endpoint))
        });
    }

    pub(super) fn set(&mut self, setting: &ProviderConfig) -> Result<(), ProviderConfigError> {
        if !self.supported.contains(&setting.protocol) {
            let provider = self.id.to_owned();
            return Err(ProviderConfigError::Protocol { provider });
        }
        let hint = "the client that set this provider gave no key, or a wrong one";
        let endpoint = ProviderEndpoint::new(
            self.id,
            setting.protocol,
            &setting.base_url,
            &setting.headers,
            hint,
        )?;
        self.is_custom_address = true;
        self.status = ProviderStatus::Ready(Box::new(endpoint));
        Ok(())
    }

    pub(super) fn disable(&mut self) {
        self.status = ProviderStatus::Disabled;
    }

    pub(super) fn info(&self) -> ProviderInfo {
        let current = match &self.status {
            ProviderStatus::Ready(endpoint) => Some(ProviderAddress {
                protocol: endpoint.protocol,
                base_url: endpoint.base().to_string(),
            }),
            ProviderStatus::Unset | ProviderStatus::Disabled | ProviderStatus::Invalid(_) => None,
        };
        ProviderInfo {
            id: self.id.to_owned(),
            supported: self.supported.to_vec(),
            required: false,
            current,
            has_key: matches!(&self.status, ProviderStatus::Ready(endpoint) if endpoint.has_key()),
        }
    }

    pub(super) fn is_configured(&self) -> bool {
        matches!(
            self.status,
            ProviderStatus::Ready(_) | ProviderStatus::Invalid(_)
        )
    }

    pub(super) fn serves_any_name(&self) -> bool {
        self.is_custom_address && self.is_configured()
    }

    /// The models known without asking the provider.
    pub(super) fn infos(&self) -> Vec<ModelInfo> {
        let ProviderStatus::Ready(endpoint) = &self.status else {
            return Vec::new();
        };
        let info = |name: &str| model_table::info(self.id, endpoint.wire(), name);
        let named = self.named_model.iter().map(|name| info(name));
        named.chain(self.known_models().map(info)).collect()
    }

    /// The models in our table that this provider serves. Nothing is assumed about other addresses, except that servers
    /// with Anthropic's protocol pass requests on.
    fn known_models(&self) -> impl Iterator<Item = &'static str> {
        let is_known = !self.is_custom_address || self.supported == [Protocol::Anthropic];
        model_table::names(self.id).filter(move |_| is_known)
    }

    /// The endpoint to ask for models, if they are unknown.
    pub(super) fn discovery_endpoint(&self) -> Option<(&'static str, ProviderEndpoint)> {
        match &self.status {
            ProviderStatus::Ready(endpoint) if self.is_custom_address => {
                Some((self.id, ProviderEndpoint::clone(endpoint)))
            }
            _ => None,
        }
    }

    /// The default model, if one is named or known.
    pub(super) fn default_model(&self) -> Option<String> {
        let ProviderStatus::Ready(_) = &self.status else {
            return None;
        };
        let name = self.named_model.as_deref().or(self.known_models().next())?;
        Some(format!("{}/{name}", self.id))
    }

    pub(super) fn endpoint(&self) -> Result<ProviderEndpoint, Error> {
        let provider = self.id.to_owned();
        match &self.status {
            ProviderStatus::Ready(endpoint) => Ok(ProviderEndpoint::clone(endpoint)),
            ProviderStatus::Unset => Err(match self.missing {
                MissingSetting::Key(hint) => Error::Key {
                    provider,
                    hint: hint.to_owned(),
                },
                MissingSetting::Address(hint) => Error::Provider {
                    provider,
                    reason: hint.to_owned(),
                },
            }),
            ProviderStatus::Disabled => Err(Error::Provider {
                provider,
                reason: "the client has disabled it; enable it there, or choose another model"
                    .to_owned(),
            }),
            ProviderStatus::Invalid(error) => Err(Error::Provider {
                provider,
                reason: format!("its environment variables cannot be used: {error}"),
            }),
        }
    }
}

/// Converts the value of `OLLAMA_HOST`, an address with or without scheme and port.
fn ollama_address(host: &str) -> String {
    let host = host.trim();
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let rest = rest.trim_end_matches('/');
    let rest = rest.strip_suffix("/v1").unwrap_or(rest);
    // A server that listens on all addresses can be reached on this machine.
    let rest = rest.replace("0.0.0.0", "127.0.0.1");
    let has_port = rest.rsplit(']').next().is_some_and(|end| end.contains(':'));
    let port = match (has_port, scheme) {
        (false, "http") => ":11434",
        _ => "",
    };
    format!("{scheme}://{rest}{port}/v1")
}

const ANTHROPIC_HINT: &str = "set ANTHROPIC_API_KEY, or choose another model";
const OPENAI_HINT: &str =
    "set OPENAI_API_KEY, or OPENAI_BASE_URL for a server without one, or choose another model";
const OLLAMA_HINT: &str = "set OLLAMA_HOST to where Ollama listens, such as 127.0.0.1:11434";
const CUSTOM_HINT: &str = "no client has set this provider";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_ollama_listens() {
        for (host, address) in [
            ("127.0.0.1:11434", "http://127.0.0.1:11434/v1"),
            ("0.0.0.0", "http://127.0.0.1:11434/v1"),
            ("http://box.local:8080/", "http://box.local:8080/v1"),
            ("https://ollama.example", "https://ollama.example/v1"),
            ("[::1]", "http://[::1]:11434/v1"),
        ] {
            assert_eq!(ollama_address(host), address);
        }
    }
}
