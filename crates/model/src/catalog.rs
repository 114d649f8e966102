//! The catalog of providers and models, and opening a model by its id. Settings from a client are never written to
//! disk.

mod discovery;
mod environment;
mod model_table;
mod provider;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use environment::{ApiKey, Environment};
pub use provider::{ProviderAddress, ProviderConfig, ProviderInfo};

use crate::embedded::{self, EmbeddedModel};
use crate::provider_endpoint::ProviderEndpoint;
use crate::remote::{RemoteModel, RetryPolicy};
use crate::{Error, Model, ModelInfo, ProviderConfigError};
use provider::Provider;

/// The available providers and models. Clones share their settings.
#[derive(Debug, Clone)]
pub struct Catalog {
    state: Arc<Mutex<CatalogState>>,
    /// The model that the user named.
    user_choice: Option<String>,
    retry: RetryPolicy,
}

#[derive(Debug)]
struct CatalogState {
    providers: Vec<Provider>,
    /// Models that need no provider.
    local: Vec<Arc<dyn Model>>,
    /// Discovered models, by provider.
    discovered: BTreeMap<String, Vec<ModelInfo>>,
}

impl Catalog {
    /// A catalog of the providers that an environment configures, and the embedded model. Nothing is requested or
    /// opened yet.
    pub fn new(environment: &Environment) -> Catalog {
        Catalog {
            state: Arc::new(Mutex::new(CatalogState {
                providers: environment.providers(),
                local: vec![Arc::new(EmbeddedModel::new())],
                discovered: BTreeMap::new(),
            })),
            user_choice: environment
                .model
                .clone()
                .filter(|name| !name.trim().is_empty()),
            retry: RetryPolicy::default(),
        }
    }

    /// Sets the retry policy of models that are opened from now on.
    #[must_use]
    pub fn with_retry_policy(mut self, retry: RetryPolicy) -> Catalog {
        self.retry = retry;
        self
    }

    /// Adds a model, under the id in its info.
    pub fn add(&self, model: Arc<dyn Model>) {
        self.state().local.push(model);
    }

    /// The providers, without their secrets.
    pub fn providers(&self) -> Vec<ProviderInfo> {
        self.state().providers.iter().map(Provider::info).collect()
    }

    /// Replaces a provider's configuration, and enables it.
    ///
    /// # Errors
    ///
    /// When the provider is unknown, or the configuration cannot be used.
    pub fn set(&self, provider: &str, setting: &ProviderConfig) -> Result<(), ProviderConfigError> {
        let mut state = self.state();
        let found = state.providers.iter_mut().find(|one| one.id == provider);
        found.ok_or(ProviderConfigError::Unknown)?.set(setting)?;
        state.discovered.remove(provider);
        Ok(())
    }

    /// Disables a provider until it is configured again. Does nothing for an unknown provider.
    pub fn disable(&self, provider: &str) {
        let mut state = self.state();
        if let Some(found) = state.providers.iter_mut().find(|one| one.id == provider) {
            found.disable();
        }
        state.discovered.remove(provider);
    }

    /// The models that can be opened, as far as known without asking a provider; the embedded model last.
    pub fn infos(&self) -> Vec<ModelInfo> {
        let wanted = self.user_choice.as_ref().and_then(|id| self.open(id).ok());
        let state = self.state();
        let mut infos: Vec<ModelInfo> = Vec::new();
        for provider in &state.providers {
            let discovered = state
                .discovered
                .get(provider.id)
                .cloned()
                .unwrap_or_default();
            for info in provider.infos().into_iter().chain(discovered) {
                if !infos.iter().any(|one| one.id == info.id) {
                    infos.push(info);
                }
            }
        }
        infos.extend(state.local.iter().rev().map(|model| model.info().clone()));
        // The user may name a model that no list contains.
        if let Some(wanted) =
            wanted.filter(|wanted| infos.iter().all(|one| one.id != wanted.info().id))
        {
            infos.insert(0, wanted.info().clone());
        }
        infos
    }

    /// Asks each provider with unknown models for its list, once, with a deadline. The lists are in
    /// [`infos`](Self::infos) from then on. Returns the errors of providers that did not answer.
    pub async fn discover(&self) -> Vec<Error> {
        let endpoints: Vec<_> = {
            let state = self.state();
            let is_undiscovered =
                |provider: &&Provider| !state.discovered.contains_key(provider.id);
            state
                .providers
                .iter()
                .filter(is_undiscovered)
                .filter_map(Provider::discovery_endpoint)
                .collect()
        };
        let answers = endpoints.into_iter().map(|(id, endpoint)| async move {
            let answer = discovery::list_models(id, &endpoint).await;
            (id, endpoint, answer)
        });
        let answers = futures_util::future::join_all(answers).await;
        let mut errors = Vec::new();
        let mut state = self.state();
        for (id, endpoint, answer) in answers {
            match answer {
                Ok(infos) if state.is_at(id, &endpoint) => {
                    state.discovered.insert(id.to_owned(), infos);
                }
                // The provider was configured with another address meanwhile.
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        errors
    }

    /// The id of the default model: the one that the user named, otherwise one of a configured provider, otherwise the
    /// embedded model.
    pub fn default_model(&self) -> String {
        if let Some(wanted) = &self.user_choice {
            // Completes a bare name to a whole id.
            let opened = self.open(wanted).map(|model| model.info().id.clone());
            return opened.unwrap_or_else(|_| wanted.clone());
        }
        let state = self.state();
        let mut providers = state.providers.iter();
        let chosen = providers.find_map(|provider| {
            let discovered = state
                .discovered
                .get(provider.id)
                .and_then(|infos| infos.first());
            provider
                .default_model()
                .or_else(|| Some(discovered?.id.clone()))
        });
        chosen.unwrap_or_else(|| embedded::ID.to_owned())
    }

    /// Opens a model by id: `PROVIDER/MODEL`, a bare model name, or `embedded`.
    ///
    /// # Errors
    ///
    /// When its provider has no key, is disabled or misconfigured, or when no provider is known for the name.
    pub fn open(&self, id: &str) -> Result<Arc<dyn Model>, Error> {
        let state = self.state();
        if let Some(model) = state.local.iter().find(|model| model.info().id == id) {
            return Ok(model.clone());
        }
        let (provider, name) = state.find(id).ok_or_else(|| Error::Provider {
            provider: "attache".to_owned(),
            reason:
                "unknown provider for this model; ids look like `anthropic/claude-sonnet-5-5`, \
                     `openai/NAME`, `ollama/NAME` and `embedded`"
                    .to_owned(),
        })?;
        let endpoint = provider.endpoint()?;
        let discovered = state.discovered.get(provider.id).into_iter().flatten();
        let id = format!("{}/{name}", provider.id);
        let info = discovered.into_iter().find(|info| info.id == id).cloned();
        let info = info.unwrap_or_else(|| model_table::info(provider.id, endpoint.wire(), name));
        let remote = RemoteModel::new(endpoint, name, info, self.retry);
        Ok(Arc::new(remote))
    }

    fn state(&self) -> MutexGuard<'_, CatalogState> {
        // The state is replaced in one step, so a panic elsewhere leaves it consistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CatalogState {
    fn is_at(&self, id: &str, endpoint: &ProviderEndpoint) -> bool {
        let provider = self.providers.iter().find(|one| one.id == id);
        let now = provider.and_then(Provider::discovery_endpoint);
        now.is_some_and(|(_, now)| now.base() == endpoint.base())
    }

    /// Finds the provider of a model, and the model's name at that provider.
    fn find<'i>(&self, id: &'i str) -> Option<(&Provider, &'i str)> {
        if id.trim().is_empty() {
            return None;
        }
        if let Some((prefix, name)) = id.split_once('/')
            && let Some(provider) = self.providers.iter().find(|one| one.id == prefix)
        {
            return (!name.is_empty()).then_some((provider, name));
        }
        let by_name = model_table::provider_of(id)
            .and_then(|known| self.providers.iter().find(|one| one.id == known));
        let by_address = || self.providers.iter().find(|one| one.serves_any_name());
        // An address configured by the user may serve names from our table as well.
        match by_name {
            Some(provider) if provider.is_configured() => Some((provider, id)),
            by_name => by_address().or(by_name).map(|provider| (provider, id)),
        }
    }
}
