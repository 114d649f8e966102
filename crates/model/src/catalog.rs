//! Which providers and models there are, and how one is opened. What a client sets here is never written to disk.

mod discover;
mod environment;
mod known;
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

/// Which providers and models there are. Clones share what is set.
#[derive(Debug, Clone)]
pub struct Catalog {
    state: Arc<Mutex<CatalogState>>,
    /// The model that the person named.
    wanted: Option<String>,
    patience: RetryPolicy,
}

#[derive(Debug)]
struct CatalogState {
    providers: Vec<Provider>,
    /// Models that need no provider.
    own: Vec<Arc<dyn Model>>,
    /// What providers told about their models, by provider.
    told: BTreeMap<String, Vec<ModelInfo>>,
}

impl Catalog {
    /// What an environment offers, and the embedded model. Nothing is asked and nothing is opened yet.
    pub fn new(environment: &Environment) -> Catalog {
        Catalog {
            state: Arc::new(Mutex::new(CatalogState {
                providers: environment.providers(),
                own: vec![Arc::new(EmbeddedModel::new())],
                told: BTreeMap::new(),
            })),
            wanted: environment
                .model
                .clone()
                .filter(|name| !name.trim().is_empty()),
            patience: RetryPolicy::default(),
        }
    }

    /// With other patience, for the models that are opened from now on.
    #[must_use]
    pub fn patience(mut self, patience: RetryPolicy) -> Catalog {
        self.patience = patience;
        self
    }

    /// Offers one more model, under the id on its info.
    pub fn add(&self, model: Arc<dyn Model>) {
        self.state().own.push(model);
    }

    /// The providers, without their secrets.
    pub fn providers(&self) -> Vec<ProviderInfo> {
        self.state().providers.iter().map(Provider::info).collect()
    }

    /// Replaces a provider's configuration, and enables it.
    ///
    /// # Errors
    ///
    /// When there is no such provider, or the setting cannot be used.
    pub fn set(&self, provider: &str, setting: &ProviderConfig) -> Result<(), ProviderConfigError> {
        let mut state = self.state();
        let found = state.providers.iter_mut().find(|one| one.id == provider);
        found.ok_or(ProviderConfigError::Unknown)?.set(setting)?;
        state.told.remove(provider);
        Ok(())
    }

    /// Disables a provider until it is set again. One that does not exist is as good as disabled.
    pub fn disable(&self, provider: &str) {
        let mut state = self.state();
        if let Some(found) = state.providers.iter_mut().find(|one| one.id == provider) {
            found.disable();
        }
        state.told.remove(provider);
    }

    /// The models that can be opened, as far as that is known without asking anybody; the embedded one last.
    pub fn infos(&self) -> Vec<ModelInfo> {
        let wanted = self.wanted.as_ref().and_then(|id| self.open(id).ok());
        let state = self.state();
        let mut infos: Vec<ModelInfo> = Vec::new();
        for provider in &state.providers {
            let told = state.told.get(provider.id).cloned().unwrap_or_default();
            for info in provider.infos().into_iter().chain(told) {
                if !infos.iter().any(|one| one.id == info.id) {
                    infos.push(info);
                }
            }
        }
        infos.extend(state.own.iter().rev().map(|model| model.info().clone()));
        // The person may name one that nobody tells of.
        if let Some(wanted) =
            wanted.filter(|wanted| infos.iter().all(|one| one.id != wanted.info().id))
        {
            infos.insert(0, wanted.info().clone());
        }
        infos
    }

    /// Asks the providers that are not known to the program which models they have, once, with a deadline. What they
    /// answer is in [`infos`](Self::infos) from then on; the errors are of those that did not answer.
    pub async fn discover(&self) -> Vec<Error> {
        let asked: Vec<_> = {
            let state = self.state();
            let unasked = |provider: &&Provider| !state.told.contains_key(provider.id);
            state
                .providers
                .iter()
                .filter(unasked)
                .filter_map(Provider::to_ask)
                .collect()
        };
        let answers = asked.into_iter().map(|(id, endpoint)| async move {
            let answer = discover::ask(id, &endpoint).await;
            (id, endpoint, answer)
        });
        let answers = futures_util::future::join_all(answers).await;
        let mut errors = Vec::new();
        let mut state = self.state();
        for (id, endpoint, answer) in answers {
            match answer {
                Ok(infos) if state.is_at(id, &endpoint) => {
                    state.told.insert(id.to_owned(), infos);
                }
                // Meanwhile somebody has set it to another address.
                Ok(_) => {}
                Err(error) => errors.push(error),
            }
        }
        errors
    }

    /// The id of the model to begin with: the one that was named, else one of a provider that has a key or an address,
    /// else the embedded one.
    pub fn default_model(&self) -> String {
        if let Some(wanted) = &self.wanted {
            // Its whole id, where the person wrote a bare name.
            let opened = self.open(wanted).map(|model| model.info().id.clone());
            return opened.unwrap_or_else(|_| wanted.clone());
        }
        let state = self.state();
        let mut providers = state.providers.iter();
        let chosen = providers.find_map(|provider| {
            let told = state.told.get(provider.id).and_then(|infos| infos.first());
            provider.default_model().or_else(|| Some(told?.id.clone()))
        });
        chosen.unwrap_or_else(|| embedded::ID.to_owned())
    }

    /// Opens a model: `PROVIDER/MODEL`, a model's bare name, or `embedded`.
    ///
    /// # Errors
    ///
    /// When its provider has no key, is disabled or set wrongly, or when no provider is known for the name.
    pub fn open(&self, id: &str) -> Result<Arc<dyn Model>, Error> {
        let state = self.state();
        if let Some(model) = state.own.iter().find(|model| model.info().id == id) {
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
        let told = state.told.get(provider.id).into_iter().flatten();
        let id = format!("{}/{name}", provider.id);
        let info = told.into_iter().find(|info| info.id == id).cloned();
        let info = info.unwrap_or_else(|| known::info(provider.id, endpoint.wire(), name));
        let remote = RemoteModel::new(endpoint, name, info, self.patience);
        Ok(Arc::new(remote))
    }

    fn state(&self) -> MutexGuard<'_, CatalogState> {
        // What is behind the lock is replaced in one step: a panic elsewhere leaves it whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CatalogState {
    fn is_at(&self, id: &str, endpoint: &ProviderEndpoint) -> bool {
        let provider = self.providers.iter().find(|one| one.id == id);
        let now = provider.and_then(Provider::to_ask);
        now.is_some_and(|(_, now)| now.base() == endpoint.base())
    }

    /// The provider of a model, and the model's name there.
    fn find<'i>(&self, id: &'i str) -> Option<(&Provider, &'i str)> {
        if id.trim().is_empty() {
            return None;
        }
        if let Some((prefix, name)) = id.split_once('/')
            && let Some(provider) = self.providers.iter().find(|one| one.id == prefix)
        {
            return (!name.is_empty()).then_some((provider, name));
        }
        let by_name = known::provider_of(id)
            .and_then(|known| self.providers.iter().find(|one| one.id == known));
        let by_address = || self.providers.iter().find(|one| one.takes_any_name());
        // An address that the person gave serves names that the program knows, too.
        match by_name {
            Some(provider) if provider.is_configured() => Some((provider, id)),
            by_name => by_address().or(by_name).map(|provider| (provider, id)),
        }
    }
}
