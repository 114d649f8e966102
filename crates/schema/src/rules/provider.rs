//! Providers of language models (unstable).

use super::{Findings, MessagePath, unique};
use crate::v1::ListProvidersResponse;

/// A provider that is required has a configuration: without one it would be disabled.
pub(super) fn list(response: &ListProvidersResponse, at: &MessagePath<'_>, found: &mut Findings) {
    let at = at.member("providers");
    let ids = response
        .providers
        .iter()
        .map(|provider| provider.provider_id.as_str());
    unique::ids(ids, "providerId", &at, found);
    for (index, provider) in response.providers.iter().enumerate() {
        if provider.required && provider.current.is_none() {
            let message = "a required provider is never disabled; show its configuration";
            found.add(rule!("179"), &at.item(index).member("current"), message);
        }
    }
}
