//! Permission requests: the agent asks before it runs a tool.

use super::{SessionId, ToolCallUpdate};

ids! {
    /// Id of an option, unique within its permission request.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    PermissionOptionId
}

message! {
    /// Parameters of `session/request_permission`: the agent asks whether it may run a tool. The client MAY decide by
    /// itself according to the user's settings.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    pub struct RequestPermissionRequest {
        /// The session that the tool call belongs to.
        session_id: SessionId = "sessionId",
        /// The tool call that needs permission.
        tool_call: ToolCallUpdate = "toolCall",
        /// The options that the user can choose from.
        options: Vec<PermissionOption> = "options",
    }
}

impl RequestPermissionRequest {
    /// The response that allows the tool call this time only. `None` if the agent offers no such option.
    pub fn allow_once(&self) -> Option<RequestPermissionResponse> {
        self.select(&PermissionOptionKind::AllowOnce)
    }

    /// The response that rejects the tool call this time only. `None` if the agent offers no such option.
    pub fn reject_once(&self) -> Option<RequestPermissionResponse> {
        self.select(&PermissionOptionKind::RejectOnce)
    }

    fn select(&self, kind: &PermissionOptionKind) -> Option<RequestPermissionResponse> {
        let mut options = self.options.iter();
        let option = options.find(|option| option.kind == *kind)?;
        let selected = SelectedPermissionOutcome::new(option.option_id.clone());
        Some(RequestPermissionResponse::new(selected))
    }
}

message! {
    /// An option of a permission request.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    pub struct PermissionOption {
        /// Id to return when this option is chosen.
        option_id: PermissionOptionId = "optionId",
        /// Text for the user.
        name: String = "name",
        /// Meaning of the option, by which the client chooses an icon and a position.
        kind: PermissionOptionKind = "kind",
    }
}

open_enum! {
    /// Meaning of an option of a permission request. An unknown value MUST NOT be treated as permission.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    pub enum PermissionOptionKind {
        /// Allow this time only.
        AllowOnce = "allow_once",
        /// Allow, and remember the choice.
        AllowAlways = "allow_always",
        /// Reject this time only.
        RejectOnce = "reject_once",
        /// Reject, and remember the choice.
        RejectAlways = "reject_always",
    }
}

message! {
    /// Response to `session/request_permission`.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    pub struct RequestPermissionResponse {
        /// Decision of the user.
        outcome: RequestPermissionOutcome = "outcome",
    }
}

union! {
    /// Decision of the user. An unknown value MUST NOT be treated as permission.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    pub enum RequestPermissionOutcome by "outcome" {
        /// The turn was cancelled before the user decided. After `session/cancel` the client MUST respond with it to
        /// every pending permission request.
        Cancelled = "cancelled",
        /// An option was chosen.
        Selected(SelectedPermissionOutcome) = "selected",
    }
}

impl RequestPermissionOutcome {
    /// Whether the user chose the option with this id.
    pub fn selects(&self, option: &str) -> bool {
        match self {
            RequestPermissionOutcome::Selected(selected) => selected.option_id == option,
            RequestPermissionOutcome::Cancelled | RequestPermissionOutcome::Other(_) => false,
        }
    }
}

message! {
    /// The option that was chosen.
    ///
    /// See [Tool calls](https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission).
    pub struct SelectedPermissionOutcome {
        /// Id of the option: one of those in the request.
        option_id: PermissionOptionId = "optionId",
    }
}
