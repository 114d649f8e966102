//! Every type compared with its official counterpart, in both directions.

use agent_client_protocol_schema as official;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json_schema::Generator;
use super::sample::{Sample, SampleSource};
use crate::json::{self, Decode, Encode};
use crate::method::Method;
use crate::v1;

/// Checks that we write a value as the official crate would, and that it survives the round trip.
fn ours_and_back<Ours, Official>(bytes: &[u8])
where
    Ours: Sample + Decode + Encode + PartialEq + std::fmt::Debug,
    Official: Serialize + DeserializeOwned,
{
    let ours = Ours::sample(&mut SampleSource::new(bytes));
    let written = json::to_string(&ours);
    let official: Official = serde_json::from_str(&written)
        .unwrap_or_else(|error| panic!("official types refuse {written}: {error}"));
    let plain: Value = serde_json::from_str(&written).expect("JSON");
    assert_eq!(plain, value(&official));
    let official = serde_json::to_string(&official).expect("official types write what they read");
    let back: Ours =
        json::from_str(&official).unwrap_or_else(|error| panic!("we refuse {official}: {error}"));
    assert_eq!(back, ours);
}

/// Checks that a value generated from the official schema survives a round trip through our type. Returns `false` if
/// the official crate cannot read the generated value.
fn official_and_back<Ours, Official>(generator: &Generator, bytes: &[u8]) -> bool
where
    Ours: Decode + Encode,
    Official: Serialize + DeserializeOwned,
{
    let made = generator.make(&mut SampleSource::new(bytes));
    let Ok(official) = serde_json::from_value::<Official>(made) else {
        return false;
    };
    let text = serde_json::to_string(&official).expect("official types write what they read");
    let ours: Ours =
        json::from_str(&text).unwrap_or_else(|error| panic!("we refuse {text}: {error}"));
    let written = json::to_string(&ours);
    let back: Official = serde_json::from_str(&written)
        .unwrap_or_else(|error| panic!("official types refuse {written}: {error}"));
    assert_eq!(value(&back), value(&official));
    true
}

fn value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).expect("official types write what they read")
}

macro_rules! oracle {
    ($($name:ident: $Type:ident,)*) => {
        mod ours {
            use super::*;

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(CASES))]
                $(#[test]
                fn $name(bytes in prop::collection::vec(any::<u8>(), 0..ENTROPY)) {
                    ours_and_back::<v1::$Type, official::v1::$Type>(&bytes);
                })*
            }
        }

        mod theirs {
            use super::*;

            $(#[test]
            fn $name() {
                let generator = Generator::of::<official::v1::$Type>();
                let mut read = 0;
                let mut runner = proptest::test_runner::TestRunner::deterministic();
                let bytes = prop::collection::vec(any::<u8>(), 0..ENTROPY);
                for _ in 0..CASES {
                    let tree = bytes.new_tree(&mut runner).expect("bytes");
                    read += u32::from(official_and_back::<v1::$Type, official::v1::$Type>(&generator, &tree.current()));
                }
                assert!(read > CASES / 4, "the schema made only {read} of {CASES} values that can be read");
            })*
        }
    };
}

// `ElicitationMode` and its two forms carry their scope in the official crate and not here: what is on the wire is
// `CreateElicitationRequest`, and that is compared.
oracle! {
    agent_auth_capabilities: AgentAuthCapabilities,
    agent_capabilities: AgentCapabilities,
    annotations: Annotations,
    archive_session_request: ArchiveSessionRequest,
    archive_session_response: ArchiveSessionResponse,
    audio_content: AudioContent,
    auth_account: AuthAccount,
    auth_capabilities: AuthCapabilities,
    auth_method: AuthMethod,
    auth_method_agent: AuthMethodAgent,
    auth_method_id: AuthMethodId,
    auth_method_terminal: AuthMethodTerminal,
    auth_state: AuthState,
    auth_status_capabilities: AuthStatusCapabilities,
    auth_status_request: AuthStatusRequest,
    auth_status_response: AuthStatusResponse,
    auth_status_update_notification: AuthStatusUpdateNotification,
    authenticate_request: AuthenticateRequest,
    authenticate_response: AuthenticateResponse,
    available_command: AvailableCommand,
    available_command_input: AvailableCommandInput,
    available_commands_update: AvailableCommandsUpdate,
    blob_resource_contents: BlobResourceContents,
    boolean_config_option_capabilities: BooleanConfigOptionCapabilities,
    boolean_property_schema: BooleanPropertySchema,
    cancel_notification: CancelNotification,
    cancel_request_notification: CancelRequestNotification,
    client_capabilities: ClientCapabilities,
    client_session_capabilities: ClientSessionCapabilities,
    close_session_request: CloseSessionRequest,
    close_session_response: CloseSessionResponse,
    compaction_capabilities: CompactionCapabilities,
    compaction_id: CompactionId,
    compaction_status: CompactionStatus,
    compaction_summary_chunk: CompactionSummaryChunk,
    compaction_update: CompactionUpdate,
    complete_elicitation_notification: CompleteElicitationNotification,
    config_option_update: ConfigOptionUpdate,
    content: Content,
    content_block: ContentBlock,
    content_chunk: ContentChunk,
    cost: Cost,
    create_elicitation_request: CreateElicitationRequest,
    create_elicitation_response: CreateElicitationResponse,
    create_terminal_request: CreateTerminalRequest,
    create_terminal_response: CreateTerminalResponse,
    current_mode_update: CurrentModeUpdate,
    delete_session_request: DeleteSessionRequest,
    delete_session_response: DeleteSessionResponse,
    diff: Diff,
    disable_provider_request: DisableProviderRequest,
    disable_provider_response: DisableProviderResponse,
    elicitation_accept_action: ElicitationAcceptAction,
    elicitation_action: ElicitationAction,
    elicitation_capabilities: ElicitationCapabilities,
    elicitation_content_value: ElicitationContentValue,
    elicitation_form_capabilities: ElicitationFormCapabilities,
    elicitation_id: ElicitationId,
    elicitation_property_schema: ElicitationPropertySchema,
    elicitation_request_scope: ElicitationRequestScope,
    elicitation_schema: ElicitationSchema,
    elicitation_schema_type: ElicitationSchemaType,
    elicitation_scope: ElicitationScope,
    elicitation_session_scope: ElicitationSessionScope,
    elicitation_url_capabilities: ElicitationUrlCapabilities,
    embedded_resource: EmbeddedResource,
    embedded_resource_resource: EmbeddedResourceResource,
    enum_option: EnumOption,
    env_variable: EnvVariable,
    error: Error,
    error_stop_reason: ErrorStopReason,
    file_system_capabilities: FileSystemCapabilities,
    fork_session_request: ForkSessionRequest,
    fork_session_response: ForkSessionResponse,
    http_header: HttpHeader,
    idle_state_update: IdleStateUpdate,
    idle_stop_reason: IdleStopReason,
    image_content: ImageContent,
    implementation: Implementation,
    initialize_proxy_request: InitializeProxyRequest,
    initialize_proxy_response: InitializeProxyResponse,
    initialize_request: InitializeRequest,
    initialize_response: InitializeResponse,
    integer_property_schema: IntegerPropertySchema,
    kill_terminal_request: KillTerminalRequest,
    kill_terminal_response: KillTerminalResponse,
    list_providers_request: ListProvidersRequest,
    list_providers_response: ListProvidersResponse,
    list_sessions_request: ListSessionsRequest,
    list_sessions_response: ListSessionsResponse,
    llm_protocol: LlmProtocol,
    load_session_request: LoadSessionRequest,
    load_session_response: LoadSessionResponse,
    logout_capabilities: LogoutCapabilities,
    logout_request: LogoutRequest,
    logout_response: LogoutResponse,
    mcp_capabilities: McpCapabilities,
    mcp_error: McpError,
    mcp_request_id: McpRequestId,
    mcp_server: McpServer,
    mcp_server_acp: McpServerAcp,
    mcp_server_acp_id: McpServerAcpId,
    mcp_server_http: McpServerHttp,
    mcp_server_sse: McpServerSse,
    mcp_server_stdio: McpServerStdio,
    message_id: MessageId,
    message_mcp_notification: MessageMcpNotification,
    message_mcp_request: MessageMcpRequest,
    message_mcp_response: MessageMcpResponse,
    multi_select_items: MultiSelectItems,
    multi_select_property_schema: MultiSelectPropertySchema,
    new_session_request: NewSessionRequest,
    new_session_response: NewSessionResponse,
    notice: Notice,
    notice_capabilities: NoticeCapabilities,
    notice_severity: NoticeSeverity,
    number_property_schema: NumberPropertySchema,
    permission_option: PermissionOption,
    permission_option_id: PermissionOptionId,
    permission_option_kind: PermissionOptionKind,
    plan: Plan,
    plan_capabilities: PlanCapabilities,
    plan_entry: PlanEntry,
    plan_entry_priority: PlanEntryPriority,
    plan_entry_status: PlanEntryStatus,
    plan_file: PlanFile,
    plan_id: PlanId,
    plan_items: PlanItems,
    plan_markdown: PlanMarkdown,
    plan_removed: PlanRemoved,
    plan_update: PlanUpdate,
    plan_update_content: PlanUpdateContent,
    prompt_capabilities: PromptCapabilities,
    prompt_request: PromptRequest,
    prompt_response: PromptResponse,
    provider_current_config: ProviderCurrentConfig,
    provider_id: ProviderId,
    provider_info: ProviderInfo,
    providers_capabilities: ProvidersCapabilities,
    proxy_successor_notification: ProxySuccessorNotification,
    proxy_successor_request: ProxySuccessorRequest,
    proxy_successor_response: ProxySuccessorResponse,
    read_text_file_request: ReadTextFileRequest,
    read_text_file_response: ReadTextFileResponse,
    release_terminal_request: ReleaseTerminalRequest,
    release_terminal_response: ReleaseTerminalResponse,
    request_id: RequestId,
    request_permission_outcome: RequestPermissionOutcome,
    request_permission_request: RequestPermissionRequest,
    request_permission_response: RequestPermissionResponse,
    requires_action_state_update: RequiresActionStateUpdate,
    resource_link: ResourceLink,
    resume_session_request: ResumeSessionRequest,
    resume_session_response: ResumeSessionResponse,
    role: Role,
    running_state_update: RunningStateUpdate,
    selected_permission_outcome: SelectedPermissionOutcome,
    session_additional_directories_capabilities: SessionAdditionalDirectoriesCapabilities,
    session_archive_capabilities: SessionArchiveCapabilities,
    session_archive_filter: SessionArchiveFilter,
    session_cancel_capabilities: SessionCancelCapabilities,
    session_capabilities: SessionCapabilities,
    session_close_capabilities: SessionCloseCapabilities,
    session_config_boolean: SessionConfigBoolean,
    session_config_group_id: SessionConfigGroupId,
    session_config_id: SessionConfigId,
    session_config_kind: SessionConfigKind,
    session_config_option: SessionConfigOption,
    session_config_option_category: SessionConfigOptionCategory,
    session_config_option_value: SessionConfigOptionValue,
    session_config_options_capabilities: SessionConfigOptionsCapabilities,
    session_config_select: SessionConfigSelect,
    session_config_select_group: SessionConfigSelectGroup,
    session_config_select_option: SessionConfigSelectOption,
    session_config_select_options: SessionConfigSelectOptions,
    session_config_value_id: SessionConfigValueId,
    session_delete_capabilities: SessionDeleteCapabilities,
    session_fork_capabilities: SessionForkCapabilities,
    session_id: SessionId,
    session_info: SessionInfo,
    session_info_update: SessionInfoUpdate,
    session_list_capabilities: SessionListCapabilities,
    session_message: SessionMessage,
    session_message_chunk: SessionMessageChunk,
    session_mode: SessionMode,
    session_mode_id: SessionModeId,
    session_mode_state: SessionModeState,
    session_notification: SessionNotification,
    session_resume_capabilities: SessionResumeCapabilities,
    session_status: SessionStatus,
    session_status_capabilities: SessionStatusCapabilities,
    session_status_request: SessionStatusRequest,
    session_status_response: SessionStatusResponse,
    session_system_prompt_capabilities: SessionSystemPromptCapabilities,
    session_system_prompt_mode_capabilities: SessionSystemPromptModeCapabilities,
    session_system_prompt_override_capabilities: SessionSystemPromptOverrideCapabilities,
    session_title_capabilities: SessionTitleCapabilities,
    session_update: SessionUpdate,
    set_provider_request: SetProviderRequest,
    set_provider_response: SetProviderResponse,
    set_session_config_option_request: SetSessionConfigOptionRequest,
    set_session_config_option_response: SetSessionConfigOptionResponse,
    set_session_mode_request: SetSessionModeRequest,
    set_session_mode_response: SetSessionModeResponse,
    set_session_title_request: SetSessionTitleRequest,
    set_session_title_response: SetSessionTitleResponse,
    state_update: StateUpdate,
    stop_reason: StopReason,
    string_format: StringFormat,
    string_multi_select_items: StringMultiSelectItems,
    string_property_schema: StringPropertySchema,
    subagent_capabilities: SubagentCapabilities,
    subagent_session_capabilities: SubagentSessionCapabilities,
    subagent_update: SubagentUpdate,
    system_prompt: SystemPrompt,
    system_prompt_mode: SystemPromptMode,
    terminal: Terminal,
    terminal_exit_status: TerminalExitStatus,
    terminal_id: TerminalId,
    terminal_output_request: TerminalOutputRequest,
    terminal_output_response: TerminalOutputResponse,
    text_content: TextContent,
    text_resource_contents: TextResourceContents,
    titled_multi_select_items: TitledMultiSelectItems,
    tool_call: ToolCall,
    tool_call_content: ToolCallContent,
    tool_call_id: ToolCallId,
    tool_call_location: ToolCallLocation,
    tool_call_status: ToolCallStatus,
    tool_call_update: ToolCallUpdate,
    tool_kind: ToolKind,
    unarchive_session_request: UnarchiveSessionRequest,
    unarchive_session_response: UnarchiveSessionResponse,
    unknown_state_update: UnknownStateUpdate,
    unstructured_command_input: UnstructuredCommandInput,
    usage: Usage,
    usage_update: UsageUpdate,
    wait_for_terminal_exit_request: WaitForTerminalExitRequest,
    wait_for_terminal_exit_response: WaitForTerminalExitResponse,
    write_text_file_request: WriteTextFileRequest,
    write_text_file_response: WriteTextFileResponse,
}

const CASES: u32 = 256;
const ENTROPY: usize = 400;

#[test]
fn no_official_method_is_missing() {
    let tables = [
        serde_json::to_value(official::v1::AGENT_METHOD_NAMES),
        serde_json::to_value(official::v1::CLIENT_METHOD_NAMES),
        serde_json::to_value(official::v1::PROXY_METHOD_NAMES),
        serde_json::to_value(official::v1::PROTOCOL_LEVEL_METHOD_NAMES),
    ];
    for table in tables {
        let table = table.expect("a table of names");
        for name in table.as_object().expect("an object").values() {
            let name = name.as_str().expect("a name");
            assert!(
                Method::all().any(|method| method.name == name),
                "{name} is missing"
            );
        }
    }
}

#[test]
fn error_codes_are_the_official_ones() {
    for code in v1::ErrorCode::DEFINED {
        let number = i32::from(*code);
        let official = official::v1::ErrorCode::from(number);
        assert_eq!(official.to_string(), code.title());
        assert!(!matches!(official, official::v1::ErrorCode::Other(_)));
    }
}
