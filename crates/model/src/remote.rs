//! A model behind HTTP.

mod ask;
mod frames;
mod patience;

use std::sync::Arc;

use futures_util::stream;

use crate::endpoint::Endpoint;
use crate::{Answer, Card, Model, Request};
use ask::Ask;
pub use patience::Patience;

/// A model of a provider.
#[derive(Debug, Clone)]
pub(crate) struct Remote(Arc<Target>);

/// Whom to ask, and how patiently.
#[derive(Debug)]
struct Target {
    endpoint: Endpoint,
    /// Its name as the provider knows it.
    model: String,
    card: Card,
    patience: Patience,
}

impl Remote {
    pub(crate) fn new(endpoint: Endpoint, model: &str, card: Card, patience: Patience) -> Remote {
        Remote(Arc::new(Target {
            endpoint,
            model: model.to_owned(),
            card,
            patience,
        }))
    }
}

impl Model for Remote {
    fn card(&self) -> &Card {
        &self.0.card
    }

    fn answer(&self, request: Request) -> Answer {
        let ask = Ask::new(self.0.clone(), request);
        Box::pin(stream::unfold(ask, async |mut ask| {
            let item = ask.next().await?;
            Some((item, ask))
        }))
    }
}
