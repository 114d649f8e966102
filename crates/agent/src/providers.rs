//! `providers/*`: the client configures model providers. Nothing is stored on disk.

use attache::schema::error;
use attache::{Error, v1};
use attache_model::{Catalog, Protocol, ProviderConfig};

pub(crate) fn list(models: &Catalog) -> v1::ListProvidersResponse {
    let all = models.providers().into_iter().map(|provider| {
        let supported = provider.supported.iter().map(|protocol| wire(*protocol));
        let mut info = v1::ProviderInfo::new(provider.id.as_str(), supported, provider.required);
        info.current = provider.current.map(|current| {
            v1::ProviderCurrentConfig::new(wire(current.protocol), current.base_url)
        });
        info
    });
    v1::ListProvidersResponse::new(all)
}

pub(crate) fn set(models: &Catalog, request: v1::SetProviderRequest) -> Result<(), Error> {
    let protocol = match request.api_type {
        v1::LlmProtocol::Anthropic => Protocol::Anthropic,
        v1::LlmProtocol::OpenAi => Protocol::OpenAi,
        _ => {
            return Err(error::unusable_params(
                "unsupported `apiType`; use `anthropic` or `openai`",
            ));
        }
    };
    let headers = request.headers.into_iter();
    let headers = headers.map(|(name, value)| (name, value.reveal().to_owned()));
    let setting = ProviderConfig {
        protocol,
        base_url: request.base_url,
        headers: headers.collect(),
    };
    let set = models.set(request.provider_id.as_str(), &setting);
    set.map_err(|fault| error::unusable_params(&fault.to_string()))
}

pub(crate) fn disable(models: &Catalog, request: &v1::DisableProviderRequest) {
    models.disable(request.provider_id.as_str());
}

fn wire(protocol: Protocol) -> v1::LlmProtocol {
    match protocol {
        Protocol::Anthropic => v1::LlmProtocol::Anthropic,
        Protocol::OpenAi => v1::LlmProtocol::OpenAi,
    }
}
