//! What a user of the crate needs: every type of v1 can be built from outside with all its members, although each of
//! them is `#[non_exhaustive]`.
#![allow(
    clippy::expect_used,
    reason = "a test that meets the unexpected stops; clippy does not see that these are tests"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use attache_schema::json::{self, Decode, Encode};
use attache_schema::{Meta, v1};
use serde_json::{Value, json};

/// Builds a value of each type, `Type(required members) { optional members }`.
macro_rules! complete {
    ($($Type:ident($($required:expr),*) { $($member:ident = $value:expr),* })*) => {
        fn check_all() -> BTreeSet<String> {
            $(check(&v1::$Type::new($($required),*)$(.$member($value))*, stringify!($Type), v1::$Type::MEMBERS);)*
            [$(stringify!($Type).to_owned()),*].into()
        }
    };
}

#[test]
fn every_struct_can_be_built_with_all_its_members() {
    assert_eq!(check_all(), defined());
}

fn check<T: Encode + Decode + PartialEq + std::fmt::Debug>(
    value: &T,
    name: &str,
    members: &[&str],
) {
    let text = json::to_string(value);
    let written: BTreeMap<String, Value> = serde_json::from_str(&text).expect("an object");
    for member in members {
        assert!(
            written.contains_key(*member),
            "{name}: {member} is missing in {text}"
        );
    }
    assert_eq!(json::from_str::<T>(&text).as_ref(), Ok(value));
}

/// The names of the structs that are defined with `message!`, `fragment!` and `markers!`.
fn defined() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/v1");
    let mut names = BTreeSet::new();
    for file in fs::read_dir(folder).expect("the folder of the types") {
        let text = fs::read_to_string(file.expect("an entry").path()).expect("a source file");
        let mut block = "";
        for line in text.lines() {
            if !line.starts_with(' ') {
                block = line;
            }
            let word = line.trim_start().trim_start_matches("pub struct ");
            let is_struct = line.trim_start().starts_with("pub struct ")
                && ["message! {", "fragment! {"].contains(&block);
            let is_marker =
                block == "markers! {" && line.starts_with("    ") && !word.starts_with('/');
            if is_struct || is_marker {
                names.extend(word.split([' ', '<']).next().map(str::to_owned));
            }
        }
    }
    names
}

fn extension() -> Meta {
    Meta::new().with("key", json!(1))
}

complete! {
    AgentCapabilities() {
        load_session = true,
        prompt_capabilities = v1::PromptCapabilities::new(),
        mcp_capabilities = v1::McpCapabilities::new(),
        session_capabilities = v1::SessionCapabilities::new(),
        auth = v1::AgentAuthCapabilities::new(),
        providers = v1::ProvidersCapabilities::new(),
        meta = extension()
    }
    PromptCapabilities() { image = true, audio = true, embedded_context = true, meta = extension() }
    McpCapabilities() { http = true, sse = true, acp = true, meta = extension() }
    SessionCapabilities() {
        list = v1::SessionListCapabilities::new(),
        delete = v1::SessionDeleteCapabilities::new(),
        additional_directories = v1::SessionAdditionalDirectoriesCapabilities::new(),
        system_prompt = v1::SessionSystemPromptCapabilities::new(),
        fork = v1::SessionForkCapabilities::new(),
        archive = v1::SessionArchiveCapabilities::new(),
        status = v1::SessionStatusCapabilities::new(),
        title = v1::SessionTitleCapabilities::new(),
        resume = v1::SessionResumeCapabilities::new(),
        close = v1::SessionCloseCapabilities::new(),
        meta = extension()
    }
    SessionSystemPromptCapabilities() { mode = v1::SessionSystemPromptModeCapabilities::new(), meta = extension() }
    SessionSystemPromptModeCapabilities() {
        overriding = v1::SessionSystemPromptOverrideCapabilities::new(),
        meta = extension()
    }
    AgentAuthCapabilities() {
        status = v1::AuthStatusCapabilities::new(),
        logout = v1::LogoutCapabilities::new(),
        meta = extension()
    }
    SessionListCapabilities() { meta = extension() }
    SessionDeleteCapabilities() { meta = extension() }
    SessionAdditionalDirectoriesCapabilities() { meta = extension() }
    SessionSystemPromptOverrideCapabilities() { meta = extension() }
    SessionForkCapabilities() { meta = extension() }
    SessionArchiveCapabilities() { meta = extension() }
    SessionStatusCapabilities() { meta = extension() }
    SessionTitleCapabilities() { meta = extension() }
    SessionResumeCapabilities() { meta = extension() }
    SessionCloseCapabilities() { meta = extension() }
    AuthStatusCapabilities() { meta = extension() }
    LogoutCapabilities() { meta = extension() }
    ProvidersCapabilities() { meta = extension() }
    AuthMethodAgent("id", "text") { description = "text", meta = extension() }
    AuthMethodTerminal("id", "text") {
        description = "text",
        args = ["text"],
        env = [("text", "secret")],
        meta = extension()
    }
    AuthenticateRequest("id") { meta = extension() }
    AuthenticateResponse() { meta = extension() }
    LogoutRequest() { meta = extension() }
    LogoutResponse() { meta = extension() }
    AuthStatusRequest() { meta = extension() }
    AuthStatusResponse(v1::AuthState::NotRequired) { accounts = [v1::AuthAccount::new("secret")], meta = extension() }
    AuthStatusUpdateNotification(v1::AuthState::NotRequired) {
        accounts = [v1::AuthAccount::new("secret")],
        meta = extension()
    }
    AuthAccount("secret") {
        active = true,
        name = "secret",
        email = "secret",
        organization = "secret",
        meta = extension()
    }
    CancelNotification("id") { meta = extension() }
    CancelRequestNotification(1) { meta = extension() }
    ClientCapabilities() {
        fs = v1::FileSystemCapabilities::new(),
        terminal = true,
        session = v1::ClientSessionCapabilities::new(),
        subagents = v1::SubagentCapabilities::new(),
        plan = v1::PlanCapabilities::new(),
        auth = v1::AuthCapabilities::new(),
        elicitation = v1::ElicitationCapabilities::new(),
        meta = extension()
    }
    FileSystemCapabilities() { read_text_file = true, write_text_file = true, meta = extension() }
    ClientSessionCapabilities() {
        compaction = v1::CompactionCapabilities::new(),
        config_options = v1::SessionConfigOptionsCapabilities::new(),
        notices = v1::NoticeCapabilities::new(),
        meta = extension()
    }
    CompactionCapabilities() {}
    NoticeCapabilities() {}
    SessionConfigOptionsCapabilities() { boolean = v1::BooleanConfigOptionCapabilities::new(), meta = extension() }
    AuthCapabilities() { terminal = true, meta = extension() }
    ElicitationCapabilities() {
        form = v1::ElicitationFormCapabilities::new(),
        url = v1::ElicitationUrlCapabilities::new(),
        meta = extension()
    }
    ElicitationFormCapabilities() { meta = extension() }
    ElicitationUrlCapabilities() { meta = extension() }
    BooleanConfigOptionCapabilities() { meta = extension() }
    SubagentCapabilities() { meta = extension() }
    PlanCapabilities() { meta = extension() }
    CompactionUpdate("id", v1::CompactionStatus::InProgress) {
        summary = ["text"],
        error = "text",
        meta = extension()
    }
    CompactionSummaryChunk("id", "text") { meta = extension() }
    SessionConfigOption("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true))) {
        description = "text",
        category = v1::SessionConfigOptionCategory::Mode,
        meta = extension()
    }
    SessionConfigSelect(
        "id",
        v1::SessionConfigSelectOptions::Ungrouped(vec![v1::SessionConfigSelectOption::new("text", "text")])
    ) {  }
    SessionConfigBoolean(true) {}
    SessionConfigSelectOption("id", "text") { description = "text", meta = extension() }
    SessionConfigSelectGroup("id", "text", [v1::SessionConfigSelectOption::new("id", "text")]) { meta = extension() }
    SetSessionConfigOptionRequest("id", "id", true) { meta = extension() }
    SetSessionConfigOptionResponse(
        [v1::SessionConfigOption::new("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true)))]
    ) { meta = extension() }
    TextContent("text") { annotations = v1::Annotations::new(), meta = extension() }
    ImageContent("text", "text") { uri = "text", annotations = v1::Annotations::new(), meta = extension() }
    AudioContent("text", "text") { annotations = v1::Annotations::new(), meta = extension() }
    ResourceLink("text", "text") {
        title = "text",
        description = "text",
        mime_type = "text",
        size = 7,
        annotations = v1::Annotations::new(),
        meta = extension()
    }
    EmbeddedResource(v1::EmbeddedResourceResource::Text(v1::TextResourceContents::new("text", "text"))) {
        annotations = v1::Annotations::new(),
        meta = extension()
    }
    TextResourceContents("text", "text") { mime_type = "text", meta = extension() }
    BlobResourceContents("text", "text") { mime_type = "text", meta = extension() }
    Annotations() { audience = [v1::Role::User], last_modified = "text", priority = 0.5, meta = extension() }
    CreateElicitationRequest(
        "text",
        v1::ElicitationScope::Session(v1::ElicitationSessionScope::new("s")),
        v1::ElicitationMode::Form(v1::ElicitationFormMode::new(v1::ElicitationSchema::new()))
    ) { meta = extension() }
    ElicitationSessionScope("id") { tool_call_id = "id" }
    ElicitationRequestScope(1) {}
    ElicitationFormMode(v1::ElicitationSchema::new()) {}
    ElicitationUrlMode("id", "text") {}
    CreateElicitationResponse(v1::ElicitationAction::Accept(v1::ElicitationAcceptAction::new())) {
        meta = extension()
    }
    ElicitationAcceptAction() { content = BTreeMap::from([("text".to_owned(), v1::ElicitationContentValue::Boolean(true))]) }
    CompleteElicitationNotification("id") { meta = extension() }
    ElicitationSchema() {
        schema_type = v1::ElicitationSchemaType::Object,
        title = "text",
        properties = [("text", v1::ElicitationPropertySchema::Boolean(v1::BooleanPropertySchema::new()))],
        required = ["text"],
        description = "text",
        meta = extension()
    }
    StringPropertySchema() {
        title = "text",
        description = "text",
        min_length = 7,
        max_length = 7,
        pattern = "text",
        format = v1::StringFormat::Email,
        default = "text",
        enum_values = ["text"],
        one_of = [v1::EnumOption::new("text", "text")],
        meta = extension()
    }
    NumberPropertySchema() {
        title = "text",
        description = "text",
        minimum = 0.5,
        maximum = 0.5,
        default = 0.5,
        meta = extension()
    }
    IntegerPropertySchema() {
        title = "text",
        description = "text",
        minimum = 7,
        maximum = 7,
        default = 7,
        meta = extension()
    }
    BooleanPropertySchema() { title = "text", description = "text", default = true, meta = extension() }
    MultiSelectPropertySchema(v1::MultiSelectItems::String(v1::StringMultiSelectItems::new(["text"]))) {
        title = "text",
        description = "text",
        min_items = 7,
        max_items = 7,
        default = ["text"],
        meta = extension()
    }
    StringMultiSelectItems(["text"]) { meta = extension() }
    TitledMultiSelectItems([v1::EnumOption::new("text", "text")]) { meta = extension() }
    EnumOption("text", "text") { description = "text", meta = extension() }
    ReadTextFileRequest("id", "/path") { line = 7, limit = 7, meta = extension() }
    ReadTextFileResponse("text") { meta = extension() }
    WriteTextFileRequest("id", "/path", "text") { meta = extension() }
    WriteTextFileResponse() { meta = extension() }
    InitializeRequest(v1::ProtocolVersion::V1) {
        client_capabilities = v1::ClientCapabilities::new(),
        client_info = v1::Implementation::new("text", "text"),
        meta = extension()
    }
    InitializeResponse(v1::ProtocolVersion::V1) {
        agent_capabilities = v1::AgentCapabilities::new(),
        auth_methods = [v1::AuthMethod::Terminal(v1::AuthMethodTerminal::new("id", "text"))],
        agent_info = v1::Implementation::new("text", "text"),
        meta = extension()
    }
    Implementation("text", "text") { title = "text", meta = extension() }
    MessageMcpRequest("id", "id", "text") { params = extension(), meta = extension() }
    MessageMcpNotification("id", "id", "text") { params = extension(), meta = extension() }
    McpError(7, "text", extension()) { data = json!({"key": 1}) }
    McpServerHttp("text", "text", [v1::HttpHeader::new("text", "secret")]) { meta = extension() }
    McpServerSse("text", "text", [v1::HttpHeader::new("text", "secret")]) { meta = extension() }
    McpServerAcp("text", "id") { meta = extension() }
    McpServerStdio("text", "/path", ["text"], [v1::EnvVariable::new("text", "secret")]) { meta = extension() }
    EnvVariable("text", "secret") { meta = extension() }
    HttpHeader("text", "secret") { meta = extension() }
    SessionModeState("id", [v1::SessionMode::new("id", "text")]) { meta = extension() }
    SessionMode("id", "text") { description = "text", meta = extension() }
    SetSessionModeRequest("id", "id") { meta = extension() }
    SetSessionModeResponse() { meta = extension() }
    Notice(v1::NoticeSeverity::Info, "text") { description = "text", meta = extension() }
    RequestPermissionRequest(
        "id",
        v1::ToolCallUpdate::new("id"),
        [v1::PermissionOption::new("id", "text", v1::PermissionOptionKind::AllowOnce)]
    ) { meta = extension() }
    PermissionOption("id", "text", v1::PermissionOptionKind::AllowOnce) { meta = extension() }
    RequestPermissionResponse(v1::RequestPermissionOutcome::Selected(v1::SelectedPermissionOutcome::new("id"))) {
        meta = extension()
    }
    SelectedPermissionOutcome("id") { meta = extension() }
    Plan([v1::PlanEntry::new("text", v1::PlanEntryPriority::High, v1::PlanEntryStatus::Pending)]) {
        meta = extension()
    }
    PlanEntry("text", v1::PlanEntryPriority::High, v1::PlanEntryStatus::Pending) { meta = extension() }
    PlanUpdate(
        v1::PlanUpdateContent::Items(v1::PlanItems::new("id", [v1::PlanEntry::new("text", v1::PlanEntryPriority::High, v1::PlanEntryStatus::Pending)]))
    ) { meta = extension() }
    PlanItems("id", [v1::PlanEntry::new("text", v1::PlanEntryPriority::High, v1::PlanEntryStatus::Pending)]) {
        meta = extension()
    }
    PlanFile("id", "text") { meta = extension() }
    PlanMarkdown("id", "text") { meta = extension() }
    PlanRemoved("id") { meta = extension() }
    PromptRequest("id", ["text"]) { meta = extension() }
    PromptResponse(v1::StopReason::EndTurn) { usage = v1::Usage::new(7, 7, 7), meta = extension() }
    Usage(7, 7, 7) { thought_tokens = 7, cached_read_tokens = 7, cached_write_tokens = 7, meta = extension() }
    ListProvidersRequest() { meta = extension() }
    ListProvidersResponse([v1::ProviderInfo::new("id", [v1::LlmProtocol::OpenAi], true)]) { meta = extension() }
    ProviderInfo("id", [v1::LlmProtocol::OpenAi], true) {
        current = v1::ProviderCurrentConfig::new(v1::LlmProtocol::OpenAi, "text"),
        meta = extension()
    }
    ProviderCurrentConfig(v1::LlmProtocol::OpenAi, "text") { meta = extension() }
    SetProviderRequest("id", v1::LlmProtocol::OpenAi, "text") { headers = [("text", "secret")], meta = extension() }
    SetProviderResponse() { meta = extension() }
    DisableProviderRequest("id") { meta = extension() }
    DisableProviderResponse() { meta = extension() }
    ProxySuccessorRequest("text") { params = json!({"key": 1}), meta = extension() }
    ProxySuccessorNotification("text") { params = json!({"key": 1}), meta = extension() }
    NewSessionRequest(
        "/path",
        [v1::McpServer::Http(v1::McpServerHttp::new("text", "text", [v1::HttpHeader::new("text", "secret")]))]
    ) { additional_directories = ["/path"], system_prompt = v1::SystemPrompt::new(v1::SystemPromptMode::Append, ["text"]), meta = extension() }
    NewSessionResponse("id") {
        modes = v1::SessionModeState::new("id", [v1::SessionMode::new("id", "text")]),
        config_options = [v1::SessionConfigOption::new("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true)))],
        meta = extension()
    }
    LoadSessionRequest(
        "id",
        "/path",
        [v1::McpServer::Http(v1::McpServerHttp::new("text", "text", [v1::HttpHeader::new("text", "secret")]))]
    ) { additional_directories = ["/path"], system_prompt = v1::SystemPrompt::new(v1::SystemPromptMode::Append, ["text"]), meta = extension() }
    LoadSessionResponse() {
        modes = v1::SessionModeState::new("id", [v1::SessionMode::new("id", "text")]),
        config_options = [v1::SessionConfigOption::new("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true)))],
        meta = extension()
    }
    ResumeSessionRequest("id", "/path") {
        additional_directories = ["/path"],
        mcp_servers = [v1::McpServer::Http(v1::McpServerHttp::new("text", "text", [v1::HttpHeader::new("text", "secret")]))],
        system_prompt = v1::SystemPrompt::new(v1::SystemPromptMode::Append, ["text"]),
        meta = extension()
    }
    ResumeSessionResponse() {
        modes = v1::SessionModeState::new("id", [v1::SessionMode::new("id", "text")]),
        config_options = [v1::SessionConfigOption::new("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true)))],
        meta = extension()
    }
    ForkSessionRequest("id", "/path") {
        additional_directories = ["/path"],
        mcp_servers = [v1::McpServer::Http(v1::McpServerHttp::new("text", "text", [v1::HttpHeader::new("text", "secret")]))],
        system_prompt = v1::SystemPrompt::new(v1::SystemPromptMode::Append, ["text"]),
        meta = extension()
    }
    ForkSessionResponse("id") {
        modes = v1::SessionModeState::new("id", [v1::SessionMode::new("id", "text")]),
        config_options = [v1::SessionConfigOption::new("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true)))],
        meta = extension()
    }
    CloseSessionRequest("id") { meta = extension() }
    CloseSessionResponse() { meta = extension() }
    SystemPrompt(v1::SystemPromptMode::Append, ["text"]) { meta = extension() }
    ListSessionsRequest() {
        cwd = "/path",
        cursor = "text",
        archived = v1::SessionArchiveFilter::Only,
        meta = extension()
    }
    ListSessionsResponse([v1::SessionInfo::new("id", "/path")]) { next_cursor = "text", meta = extension() }
    SessionInfo("id", "/path") {
        additional_directories = ["/path"],
        title = "text",
        updated_at = "text",
        archived = true,
        meta = extension()
    }
    DeleteSessionRequest("id") { meta = extension() }
    DeleteSessionResponse() { meta = extension() }
    ArchiveSessionRequest("id") { meta = extension() }
    ArchiveSessionResponse() { meta = extension() }
    UnarchiveSessionRequest("id") { meta = extension() }
    UnarchiveSessionResponse() { meta = extension() }
    SessionStatusRequest("id") { meta = extension() }
    SessionStatusResponse(v1::SessionStatus::Open) { meta = extension() }
    SetSessionTitleRequest("id", "text") { meta = extension() }
    SetSessionTitleResponse("text") { meta = extension() }
    SubagentUpdate("id") {
        title = "text",
        description = "text",
        capabilities = v1::SubagentSessionCapabilities::new(),
        state = v1::StateUpdate::Running(v1::RunningStateUpdate::new()),
        cwd = "/path",
        additional_directories = ["/path"],
        meta = extension()
    }
    SubagentSessionCapabilities() { cancel = v1::SessionCancelCapabilities::new(), meta = extension() }
    SessionMessage("id") {
        sender_session_id = "id",
        recipient_session_id = "id",
        sender_message_id = "id",
        recipient_message_id = "id",
        content = ["text"],
        meta = extension()
    }
    SessionMessageChunk("id", "text") { meta = extension() }
    IdleStateUpdate(v1::IdleStop(Some(v1::IdleStopReason::EndTurn))) {
        usage = v1::Usage::new(7, 7, 7),
        meta = extension()
    }
    ErrorStopReason() { error = v1::Error::new(1, "text") }
    SessionCancelCapabilities() { meta = extension() }
    RunningStateUpdate() { meta = extension() }
    RequiresActionStateUpdate() { meta = extension() }
    UnknownStateUpdate() { meta = extension() }
    CreateTerminalRequest("id", "text") {
        args = ["text"],
        env = [v1::EnvVariable::new("text", "secret")],
        cwd = "/path",
        output_byte_limit = 7,
        meta = extension()
    }
    CreateTerminalResponse("id") { meta = extension() }
    TerminalOutputRequest("id", "id") { meta = extension() }
    TerminalOutputResponse("text", true) { exit_status = v1::TerminalExitStatus::new(), meta = extension() }
    WaitForTerminalExitRequest("id", "id") { meta = extension() }
    WaitForTerminalExitResponse() { exit_code = 7, signal = "text", meta = extension() }
    TerminalExitStatus() { exit_code = 7, signal = "text", meta = extension() }
    KillTerminalRequest("id", "id") { meta = extension() }
    KillTerminalResponse() { meta = extension() }
    ReleaseTerminalRequest("id", "id") { meta = extension() }
    ReleaseTerminalResponse() { meta = extension() }
    ToolCall("id", "text") {
        name = "text",
        kind = v1::ToolKind::Read,
        status = v1::ToolCallStatus::Failed,
        content = [v1::ToolCallContent::Content(v1::Content::new("text"))],
        locations = [v1::ToolCallLocation::new("/path")],
        raw_input = json!({"key": 1}),
        raw_output = json!({"key": 1}),
        meta = extension()
    }
    ToolCallUpdate("id") {
        title = "text",
        name = "text",
        kind = v1::ToolKind::Read,
        status = v1::ToolCallStatus::Failed,
        content = [v1::ToolCallContent::Content(v1::Content::new("text"))],
        locations = [v1::ToolCallLocation::new("/path")],
        raw_input = json!({"key": 1}),
        raw_output = json!({"key": 1}),
        meta = extension()
    }
    Content("text") { meta = extension() }
    Diff("/path", "text") { old_text = "text", meta = extension() }
    Terminal("id") { meta = extension() }
    ToolCallLocation("/path") { line = 7, meta = extension() }
    SessionNotification("id", v1::SessionUpdate::UserMessageChunk(v1::ContentChunk::new("text"))) {
        meta = extension()
    }
    ContentChunk("text") { message_id = "id", meta = extension() }
    AvailableCommandsUpdate([v1::AvailableCommand::new("text", "text")]) { meta = extension() }
    AvailableCommand("text", "text") {
        input = v1::AvailableCommandInput::Unstructured(v1::UnstructuredCommandInput::new("text")),
        meta = extension()
    }
    UnstructuredCommandInput("text") { meta = extension() }
    CurrentModeUpdate("id") { meta = extension() }
    ConfigOptionUpdate(
        [v1::SessionConfigOption::new("id", "text", v1::SessionConfigKind::Boolean(v1::SessionConfigBoolean::new(true)))]
    ) { meta = extension() }
    SessionInfoUpdate() { title = "text", updated_at = "text", meta = extension() }
    UsageUpdate(7, 7) { cost = v1::Cost::new(0.5, "text"), meta = extension() }
    Cost(0.5, "text") { meta = extension() }
}
