//! Providers of language models, configured by the client (unstable).

use std::collections::BTreeMap;

use crate::Secret;

ids! {
    /// Names a provider (unstable).
    ProviderId
}

message! {
    /// Asks which providers there are (unstable).
    pub struct ListProvidersRequest or null {}
}

message! {
    /// The providers (unstable).
    pub struct ListProvidersResponse {
        /// All of them.
        providers: Vec<ProviderInfo> = "providers",
    }
}

message! {
    /// A provider as it is configured, without its secrets (unstable).
    pub struct ProviderInfo {
        /// Which provider.
        provider_id: ProviderId = "providerId",
        /// The protocols it can speak.
        supported: Vec<LlmProtocol> = "supported" items,
        /// Whether it cannot be disabled.
        required: bool = "required",
        ..
        /// Its configuration; none if it is disabled.
        current: Option<ProviderCurrentConfig> = "current",
    }
}

message! {
    /// A provider's configuration without secrets (unstable).
    pub struct ProviderCurrentConfig {
        /// The protocol it speaks.
        api_type: LlmProtocol = "apiType",
        /// Where it is.
        base_url: String = "baseUrl",
    }
}

message! {
    /// Replaces a provider's configuration (unstable).
    pub struct SetProviderRequest {
        /// Which provider.
        provider_id: ProviderId = "providerId",
        /// The protocol to speak.
        api_type: LlmProtocol = "apiType",
        /// Where it is.
        base_url: String = "baseUrl",
        ..
        /// Headers for every request; they may hold secrets.
        headers: BTreeMap<String, Secret> = "headers",
    }
}

message! {
    /// The configuration is replaced (unstable).
    pub struct SetProviderResponse or null {}
}

message! {
    /// Disables a provider (unstable).
    pub struct DisableProviderRequest {
        /// Which provider.
        provider_id: ProviderId = "providerId",
    }
}

message! {
    /// The provider is disabled (unstable).
    pub struct DisableProviderResponse or null {}
}

open_enum! {
    /// A protocol of language models (unstable).
    pub enum LlmProtocol {
        /// Anthropic's.
        Anthropic = "anthropic",
        /// OpenAI's.
        OpenAi = "openai",
        /// Azure's.
        Azure = "azure",
        /// Google Vertex's.
        Vertex = "vertex",
        /// Amazon Bedrock's.
        Bedrock = "bedrock",
    }
}
