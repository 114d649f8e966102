//! Asks a provider for its models: `GET /v1/models`.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use super::model_table;
use crate::http::{causes, client};
use crate::provider_endpoint::ProviderEndpoint;
use crate::wire::attempt_error::one_line;
use crate::{Error, ModelInfo};

/// Lists the models of a provider.
pub(super) async fn list_models(
    provider: &str,
    endpoint: &ProviderEndpoint,
) -> Result<Vec<ModelInfo>, Error> {
    match tokio::time::timeout(DEADLINE, list(endpoint)).await {
        Ok(Ok(list)) => Ok(infos(provider, endpoint, &list)),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(unreachable(
            endpoint,
            format!("no answer within {} seconds", DEADLINE.as_secs()),
        )),
    }
}

async fn list(endpoint: &ProviderEndpoint) -> Result<Value, Error> {
    let failed = |reason: String| Error::Provider {
        provider: endpoint.provider.clone(),
        reason,
    };
    let url = endpoint.models_url();
    let request = client(&url)
        .map_err(failed)?
        .get(url)
        .headers(endpoint.headers());
    let sent = request.send().await;
    let mut response = sent.map_err(|error| unreachable(endpoint, one_line(&causes(&error))))?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Err(Error::Key {
                provider: endpoint.provider.clone(),
                hint: endpoint.hint.clone(),
            });
        }
        status => {
            return Err(failed(format!(
                "does not list its models (status {})",
                status.as_u16()
            )));
        }
    }
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| unreachable(endpoint, one_line(&causes(&error))))?
    {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_LIST {
            return Err(failed(format!(
                "its list of models is longer than {MAX_LIST} bytes"
            )));
        }
    }
    serde_json::from_slice(&body).map_err(|_| failed("its list of models is not JSON".to_owned()))
}

/// Reads a list of models. Both protocols use the same structure, but servers name the context window differently.
fn infos(provider: &str, endpoint: &ProviderEndpoint, list: &Value) -> Vec<ModelInfo> {
    let models = list["data"]
        .as_array()
        .into_iter()
        .flatten()
        .take(MAX_MODELS);
    let infos = models.filter_map(|model| {
        let name = model["id"]
            .as_str()
            .filter(|name| !name.is_empty() && name.len() < MAX_NAME)?;
        let mut info = model_table::info(provider, endpoint.wire(), name);
        let number = |name: &str| model[name].as_u64();
        let window = number("context_length")
            .or_else(|| number("max_model_len"))
            .or_else(|| number("max_input_tokens"))
            .or_else(|| model["meta"]["n_ctx"].as_u64())
            .or_else(|| model["meta"]["n_ctx_train"].as_u64());
        if let Some(window) = window.filter(|window| *window > 0) {
            info.window = window;
            info.max_output = info.max_output.min(window);
        }
        if let Some(most) = number("max_tokens").filter(|most| *most > 0) {
            info.max_output = most;
        }
        if let Some(title) = model["display_name"].as_str() {
            info.name = one_line(title);
        }
        Some(info)
    });
    infos.collect()
}

fn unreachable(endpoint: &ProviderEndpoint, reason: String) -> Error {
    Error::Unreachable {
        provider: endpoint.provider.clone(),
        host: endpoint.host(),
        reason,
    }
}

const DEADLINE: Duration = Duration::from_secs(3);
const MAX_LIST: usize = 4 << 20;
const MAX_MODELS: usize = 2_000;
const MAX_NAME: usize = 200;
