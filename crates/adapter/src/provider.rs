//! The model endpoint that a client sets with `providers/set`, in place of the CLI's own login and settings.

use attache::schema::{Secret, error};
use attache::{Error, v1};
use serde_json::{Value, json};

/// An endpoint set by the client, with its credentials.
#[derive(Debug, Clone, PartialEq)]
pub struct Provider {
    protocol: v1::LlmProtocol,
    base_url: String,
    /// Environment variables of the CLI for this endpoint.
    variables: Vec<(&'static str, Secret)>,
}

impl Provider {
    /// Reads the endpoint from a request.
    ///
    /// # Errors
    ///
    /// When the CLI cannot use the endpoint.
    pub fn from_request(request: &v1::SetProviderRequest) -> Result<Provider, Error> {
        if request.provider_id.as_str() != ID {
            let words = "unknown `providerId`; use `main`";
            return Err(error::unusable_params(words));
        }
        if !is_address(&request.base_url) {
            let words =
                "`baseUrl` is not an http or https address without a user, a query and a fragment";
            return Err(error::unusable_params(words));
        }
        let mut variables = headers(request)?;
        let address = Secret::from(request.base_url.as_str());
        match request.api_type {
            v1::LlmProtocol::Anthropic => {
                let has_pass = |(name, _): &(&str, _)| [TOKEN, KEY].contains(name);
                if !variables.iter().any(has_pass) {
                    // Without a token the CLI would send its own login to this endpoint.
                    variables.push((TOKEN, Secret::from("none")));
                }
                variables.push((BASE_URL, address));
            }
            v1::LlmProtocol::Bedrock => {
                variables.push((USE_BEDROCK, Secret::from("1")));
                variables.push((SKIP_BEDROCK_AUTH, Secret::from("1")));
                variables.push((BEDROCK_BASE_URL, address));
            }
            _ => {
                let words = "unsupported `apiType`; use `anthropic` or `bedrock`";
                return Err(error::unusable_params(words));
            }
        }
        Ok(Provider {
            protocol: request.api_type.clone(),
            base_url: request.base_url.clone(),
            variables,
        })
    }

    /// All variables that select an endpoint. Those without a value must be unset.
    pub fn environment(&self) -> impl Iterator<Item = (&'static str, Option<&str>)> {
        VARIABLES.iter().map(|name| {
            let found = self.variables.iter().find(|(its, _)| its == name);
            (*name, found.map(|(_, value)| value.reveal()))
        })
    }

    /// The request that makes these variables override the ones in the CLI's settings files.
    pub(crate) fn request(&self) -> Value {
        let variables = self.environment();
        let variables = variables
            .map(|(name, value)| (name.to_owned(), json!(value.unwrap_or_default())))
            .collect();
        let settings = json!({ "env": Value::Object(variables) });
        json!({ "subtype": "apply_flag_settings", "settings": settings })
    }
}

/// The response to `providers/list`: one provider, without an address as long as the client has not set one.
pub fn list(current: Option<&Provider>) -> v1::ListProvidersResponse {
    let supported = [v1::LlmProtocol::Anthropic, v1::LlmProtocol::Bedrock];
    let mut info = v1::ProviderInfo::new(ID, supported, false);
    info.current =
        current.map(|it| v1::ProviderCurrentConfig::new(it.protocol.clone(), it.base_url.as_str()));
    v1::ListProvidersResponse::new([info])
}

/// Whether this is the id of our only provider.
pub(crate) fn is_known_id(id: &v1::ProviderId) -> bool {
    id.as_str() == ID
}

/// Converts headers to variables. Login headers get their own variables, because the CLI writes those itself and would
/// send its own beside ours.
fn headers(request: &v1::SetProviderRequest) -> Result<Vec<(&'static str, Secret)>, Error> {
    let mut variables = Vec::new();
    let mut others = String::new();
    for (name, value) in &request.headers {
        let value = value.reveal().trim();
        if !is_header(name, value) {
            let words = "`headers` contains an invalid name or value";
            return Err(error::unusable_params(words));
        }
        let is_anthropic = request.api_type == v1::LlmProtocol::Anthropic;
        match name.to_ascii_lowercase().as_str() {
            "authorization" => match value.split_once(' ') {
                Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
                    variables.push((TOKEN, Secret::from(token.trim())));
                }
                _ => {
                    let words = "the header `Authorization` is sent as `Bearer` and a token only";
                    return Err(error::unusable_params(words));
                }
            },
            "x-api-key" if is_anthropic => variables.push((KEY, Secret::from(value))),
            _ => others.push_str(&format!("{name}: {value}\n")),
        }
    }
    if others.len() > LONGEST {
        return Err(error::unusable_params("`headers` are longer than 32 KiB"));
    }
    if !others.is_empty() {
        variables.push((HEADERS, Secret::from(others.trim_end())));
    }
    Ok(variables)
}

fn is_header(name: &str, value: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let has_name = !name.is_empty() && name.bytes().all(is_token);
    has_name && !value.is_empty() && !value.contains(char::is_control)
}

fn is_address(url: &str) -> bool {
    let rest = ["https://", "http://"].iter().find_map(|scheme| {
        let start = url.get(..scheme.len())?;
        start
            .eq_ignore_ascii_case(scheme)
            .then(|| &url[scheme.len()..])
    });
    let Some(rest) = rest else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    let is_odd =
        |letter: char| letter.is_control() || letter.is_whitespace() || "?#\\".contains(letter);
    !host.is_empty() && !host.starts_with(':') && !host.contains('@') && !rest.contains(is_odd)
}

/// Variable for additional request headers.
pub(crate) const HEADERS: &str = "ANTHROPIC_CUSTOM_HEADERS";
const ID: &str = "main";
const BASE_URL: &str = "ANTHROPIC_BASE_URL";
const TOKEN: &str = "ANTHROPIC_AUTH_TOKEN";
const KEY: &str = "ANTHROPIC_API_KEY";
const USE_BEDROCK: &str = "CLAUDE_CODE_USE_BEDROCK";
const SKIP_BEDROCK_AUTH: &str = "CLAUDE_CODE_SKIP_BEDROCK_AUTH";
const BEDROCK_BASE_URL: &str = "ANTHROPIC_BEDROCK_BASE_URL";
const VARIABLES: &[&str] = &[
    BASE_URL,
    TOKEN,
    KEY,
    HEADERS,
    USE_BEDROCK,
    SKIP_BEDROCK_AUTH,
    BEDROCK_BASE_URL,
    "AWS_BEARER_TOKEN_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
];
const LONGEST: usize = 32 * 1024;
