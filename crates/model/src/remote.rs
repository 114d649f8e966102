//! A model behind HTTP.

mod answer_stream;
mod frames;
mod retry_policy;

use std::sync::Arc;

use futures_util::stream;

use crate::provider_endpoint::ProviderEndpoint;
use crate::{Answer, Model, ModelInfo, Request};
use answer_stream::AnswerStream;
pub use retry_policy::RetryPolicy;

/// A model of a provider.
#[derive(Debug, Clone)]
pub(crate) struct RemoteModel(Arc<RemoteConfig>);

/// Whom to ask, and how patiently.
#[derive(Debug)]
struct RemoteConfig {
    endpoint: ProviderEndpoint,
    /// Its name as the provider knows it.
    model: String,
    info: ModelInfo,
    patience: RetryPolicy,
}

impl RemoteModel {
    pub(crate) fn new(
        endpoint: ProviderEndpoint,
        model: &str,
        info: ModelInfo,
        patience: RetryPolicy,
    ) -> RemoteModel {
        RemoteModel(Arc::new(RemoteConfig {
            endpoint,
            model: model.to_owned(),
            info,
            patience,
        }))
    }
}

impl Model for RemoteModel {
    fn info(&self) -> &ModelInfo {
        &self.0.info
    }

    fn answer(&self, request: Request) -> Answer {
        let ask = AnswerStream::new(self.0.clone(), request);
        Box::pin(stream::unfold(ask, async |mut ask| {
            let item = ask.next().await?;
            Some((item, ask))
        }))
    }
}
