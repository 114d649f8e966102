//! Providers of language models, configured by the client (unstable). The client MUST call these methods only after
//! `initialize`, and SHOULD call them before it creates sessions. The agent SHOULD NOT write the configuration to disk.

use std::collections::BTreeMap;

use crate::Secret;

ids! {
    /// Id of a provider, chosen by the agent, such as `main` or `openai`.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    ProviderId
}

message! {
    /// Parameters of `providers/list`, which returns the providers that the client can configure.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct ListProvidersRequest or null {}
}

message! {
    /// Response to `providers/list`.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct ListProvidersResponse {
        /// The providers, without their secrets.
        providers: Vec<ProviderInfo> = "providers",
    }
}

message! {
    /// A provider and its configuration, without secrets.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct ProviderInfo {
        /// Id of the provider.
        provider_id: ProviderId = "providerId",
        /// API protocols that the provider can use. Items that cannot be read are skipped.
        supported: Vec<LlmProtocol> = "supported" items,
        /// Whether the provider MUST NOT be disabled.
        required: bool = "required",
        ..
        /// The configuration. Absent when the provider is disabled.
        current: Option<ProviderCurrentConfig> = "current",
    }
}

message! {
    /// The configuration of a provider, without secrets.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct ProviderCurrentConfig {
        /// API protocol in use.
        api_type: LlmProtocol = "apiType",
        /// Base URL of the requests.
        base_url: String = "baseUrl",
    }
}

message! {
    /// Parameters of `providers/set`, which replaces the whole configuration of a provider. A provider or API protocol
    /// that is not supported is an error (-32602).
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct SetProviderRequest {
        /// The provider to configure.
        provider_id: ProviderId = "providerId",
        /// API protocol to use.
        api_type: LlmProtocol = "apiType",
        /// Base URL of the requests.
        base_url: String = "baseUrl",
        ..
        /// All headers for requests to the provider. They may contain secrets. Default: none.
        headers: BTreeMap<String, Secret> = "headers",
    }
}

message! {
    /// Response to `providers/set`.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct SetProviderResponse or null {}
}

message! {
    /// Parameters of `providers/disable`. Disabling a required provider is an error (-32602); disabling an unknown
    /// provider succeeds.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct DisableProviderRequest {
        /// The provider to disable.
        provider_id: ProviderId = "providerId",
    }
}

message! {
    /// Response to `providers/disable`.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub struct DisableProviderResponse or null {}
}

open_enum! {
    /// An API protocol of language models. Both sides MUST tolerate unknown values. Values that start with `_` are free
    /// for custom use; others are reserved for the protocol.
    ///
    /// Unstable: may change or be removed. See [Custom LLM
    /// endpoints](https://agentclientprotocol.com/rfds/custom-llm-endpoint).
    pub enum LlmProtocol {
        /// The Anthropic API.
        Anthropic = "anthropic",
        /// The OpenAI API.
        OpenAi = "openai",
        /// The Azure OpenAI API.
        Azure = "azure",
        /// The Google Vertex AI API.
        Vertex = "vertex",
        /// The AWS Bedrock API.
        Bedrock = "bedrock",
    }
}
