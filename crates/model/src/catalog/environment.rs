//! Environment variables about models. This crate reads no variable itself; the caller passes them in.

use std::fmt;

use super::provider::Provider;

/// The environment variables about models.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `ANTHROPIC_API_KEY`
    pub anthropic_key: Option<ApiKey>,
    /// `ANTHROPIC_BASE_URL`
    pub anthropic_url: Option<String>,
    /// `ANTHROPIC_MODEL`
    pub anthropic_model: Option<String>,
    /// `OPENAI_API_KEY`
    pub openai_key: Option<ApiKey>,
    /// `OPENAI_BASE_URL`
    pub openai_url: Option<String>,
    /// `OPENAI_MODEL`
    pub openai_model: Option<String>,
    /// `OLLAMA_HOST`
    pub ollama_host: Option<String>,
    /// `ATTACHE_MODEL`
    pub model: Option<String>,
}

impl Environment {
    /// Reads the variables with a function that returns their values. Empty values count as unset.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Environment {
        let text = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let key = |name: &str| text(name).map(ApiKey::from);
        Environment {
            anthropic_key: key("ANTHROPIC_API_KEY"),
            anthropic_url: text("ANTHROPIC_BASE_URL"),
            anthropic_model: text("ANTHROPIC_MODEL"),
            openai_key: key("OPENAI_API_KEY"),
            openai_url: text("OPENAI_BASE_URL"),
            openai_model: text("OPENAI_MODEL"),
            ollama_host: text("OLLAMA_HOST"),
            model: text("ATTACHE_MODEL"),
        }
    }

    pub(super) fn providers(&self) -> Vec<Provider> {
        vec![
            Provider::anthropic(self),
            Provider::openai(self),
            Provider::ollama(self),
            Provider::custom(),
        ]
    }
}

/// An API key. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub(super) fn reveal(&self) -> &str {
        self.0.trim()
    }
}

impl From<String> for ApiKey {
    fn from(text: String) -> Self {
        ApiKey(text)
    }
}

impl From<&str> for ApiKey {
    fn from(text: &str) -> Self {
        ApiKey(text.to_owned())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(not shown)")
    }
}
